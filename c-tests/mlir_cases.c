/*
 * Buffer flow as MLIR's static memory planner needs it: patterns of the tests of that pass, cases in which the pass
 * goes wrong, and the way from a program to a checked arena.
 *
 * M is 4096 bytes. An operation of a program is written as its row of `ops`; the comment behind it says what it does.
 */

#include <stdint.h>
#include <stdlib.h>

#include "check.h"

enum { M = 4096, H = 2048, MOST = 16 };

/* What the call gives, and what the planner makes of that. */
typedef struct answer {
  aether_tensor tensors[MOST];
  aether_alloc_result results[MOST];
  uint8_t erasable[MOST];
  aether_pair pairs[MOST];
  size_t pair_count;
  size_t offsets[MOST];
  aether_plan plan;
} answer;

static uint64_t scratch[4096];

static answer flow(const aether_program *program, int32_t mode) {
  static answer a;
  memset(&a, 0xa5, sizeof a);
  aether_error error;
  CHECK(aether_flow_lifetimes_scratch_size(program->op_count, program->value_count, program->alloc_count,
                                           program->dealloc_count, program->use_count,
                                           program->alias_count) <= sizeof scratch);
  CHECK_EQ(aether_flow_lifetimes(program, mode, a.tensors, a.results, a.erasable, a.pairs, MOST, &a.pair_count, scratch,
                                 sizeof scratch, &error),
           AETHER_OK);
  return a;
}

/* Plans with one planner what the flow planned. */
static answer plan(const aether_program *program, int32_t mode, int planner) {
  answer a = flow(program, mode);
  aether_problem problem = {0};
  problem.struct_size = sizeof problem;
  problem.tensors = a.tensors;
  problem.tensor_count = program->alloc_count;
  problem.compatible = a.pairs;
  problem.compatible_count = a.pair_count;
  aether_outcome outcome;
  CHECK_EQ(aether_plan_portfolio(&problem, 1u << planner, a.offsets, &outcome, scratch, sizeof scratch, NULL),
           AETHER_OK);
  a.plan = outcome.plan;
  CHECK_EQ(aether_check_problem(&problem, a.offsets, NULL, scratch, sizeof scratch, NULL), AETHER_OK);
  return a;
}

#define PROGRAM(ops, value_ops, allocs, deallocs, uses, aliases)                                                       \
  {sizeof(aether_program), ops,  COUNT(ops),     value_ops,      COUNT(value_ops), allocs, COUNT(allocs), deallocs, \
   COUNT(deallocs),        uses, COUNT(uses),    aliases,        COUNT(aliases),   NULL,   0,             0,        \
   0,                      0}

#define TOP AETHER_NO_OP

/* Operations of the plan block alone. */
static const aether_op flat[] = {{TOP, 0, 0, 0}, {TOP, 0, 0, 0}, {TOP, 0, 0, 0}, {TOP, 0, 0, 0}};

static void one_after_the_other(void) {
  /* alloc 0, free 0, alloc 1, free 1 */
  const uint32_t values[] = {0, 2};
  const aether_alloc allocs[] = {{M, 0, 0, 0, 0, 0}, {H, 0, 2, 1, 0, 0}};
  const aether_dealloc deallocs[] = {{1, 0}, {3, 1}};
  aether_program p = PROGRAM(flat, values, allocs, deallocs, ((const aether_use[]){{0, 0, 0}}),
                             ((const aether_alias[]){{0, 0, TOP, 0}}));
  p.use_count = p.alias_count = 0;
  answer a = plan(&p, AETHER_FLOW_COMPAT, AETHER_PLANNER_SEQUENTIAL);
  CHECK_EQ(a.results[0].decision, AETHER_DECISION_PLANNED);
  CHECK_EQ(a.offsets[1], M);
  CHECK_EQ(a.plan.arena_size, M + H);
  a = plan(&p, AETHER_FLOW_COMPAT, AETHER_PLANNER_FIRST_USE);
  CHECK_EQ(a.offsets[1], 0);
  CHECK_EQ(a.plan.arena_size, M);
  CHECK(a.erasable[0] == 1 && a.erasable[1] == 1);
}

static void a_dynamic_one_is_left_alone(void) {
  const uint32_t values[] = {0, 1};
  const aether_alloc allocs[] = {{M, 0, 0, 0, 0, 0}, {AETHER_DYNAMIC, 0, 1, 1, 0, 0}};
  const aether_dealloc deallocs[] = {{3, 0}};
  const aether_program p = {.struct_size = sizeof p, .ops = flat, .op_count = 4, .value_ops = values, .value_count = 2,
                            .allocs = allocs, .alloc_count = 2, .deallocs = deallocs, .dealloc_count = 1};
  answer a = plan(&p, AETHER_FLOW_COMPAT, AETHER_PLANNER_SEQUENTIAL);
  CHECK_EQ(a.results[1].decision, AETHER_DECISION_DYNAMIC);
  CHECK_EQ(a.tensors[1].size, 0);
  CHECK_EQ(a.plan.arena_size, M);
}

static void what_is_never_freed_is_an_error_that_ends_the_pass_only(void) {
  const uint32_t values[] = {0, 1};
  const aether_alloc allocs[] = {{M, 0, 0, 0, 0, 0}, {M, 0, 1, 1, 0, 0}};
  const aether_dealloc deallocs[] = {{3, 1}};
  const aether_program p = {.struct_size = sizeof p, .ops = flat, .op_count = 4, .value_ops = values, .value_count = 2,
                            .allocs = allocs, .alloc_count = 2, .deallocs = deallocs, .dealloc_count = 1};
  answer a = flow(&p, AETHER_FLOW_COMPAT);
  CHECK_EQ(a.results[0].decision, AETHER_DECISION_NO_DEALLOC);
  CHECK_EQ(a.results[1].decision, AETHER_DECISION_STOPPED);
  CHECK_EQ(a.results[1].blame, 0);
  CHECK_EQ(a.erasable[0], 0);
  a = flow(&p, AETHER_FLOW_SOUND);
  CHECK_EQ(a.results[0].decision, AETHER_DECISION_NO_DEALLOC);
  CHECK_EQ(a.results[1].decision, AETHER_DECISION_PLANNED);
}

static void a_dealloc_in_another_block_is_unstructured(void) {
  const aether_op ops[] = {{TOP, 0, 0, 0}, {TOP, 0, 0, 0}, {TOP, 0, 1, 0}};
  const uint32_t values[] = {0};
  const aether_alloc allocs[] = {{M, 0, 0, 0, 0, 0}};
  const aether_dealloc deallocs[] = {{2, 0}};
  const aether_program p = {.struct_size = sizeof p, .ops = ops, .op_count = 3, .value_ops = values, .value_count = 1,
                            .allocs = allocs, .alloc_count = 1, .deallocs = deallocs, .dealloc_count = 1};
  answer a = flow(&p, AETHER_FLOW_SOUND);
  CHECK_EQ(a.results[0].decision, AETHER_DECISION_UNSTRUCTURED);
  CHECK_EQ(a.results[0].blame, 2);
}

/* s = select(a, b), free s: with both allocated, with b dynamic, with b an argument. */
static void what_a_select_frees_is_planned_together_or_not_at_all(void) {
  const uint32_t values[] = {0, 1, 2};
  aether_alloc allocs[] = {{M, 0, 0, 0, 0, 0}, {M, 0, 1, 1, 0, 0}};
  const aether_dealloc deallocs[] = {{3, 2}};
  const aether_use uses[] = {{2, 0, 0}, {2, 1, 0}};
  const aether_alias aliases[] = {{0, 2, TOP, 0}, {1, 2, TOP, 0}};
  aether_program p = PROGRAM(flat, values, allocs, deallocs, uses, aliases);
  answer a = flow(&p, AETHER_FLOW_SOUND);
  CHECK_EQ(a.results[0].decision, AETHER_DECISION_PLANNED);
  CHECK_EQ(a.results[1].decision, AETHER_DECISION_PLANNED);
  CHECK_EQ(a.results[0].component, a.results[1].component);
  CHECK_EQ(a.erasable[0], 1);

  allocs[1].size = AETHER_DYNAMIC;
  a = flow(&p, AETHER_FLOW_SOUND);
  CHECK_EQ(a.results[0].decision, AETHER_DECISION_SHARED);
  CHECK_EQ(a.results[0].blame, 1);
  CHECK_EQ(a.erasable[0], 0);
  a = flow(&p, AETHER_FLOW_COMPAT);
  CHECK_EQ(a.results[0].decision, AETHER_DECISION_PLANNED); /* and b leaks */
  CHECK_EQ(a.erasable[0], 1);

  p.alloc_count = 1;
  a = flow(&p, AETHER_FLOW_SOUND);
  CHECK_EQ(a.results[0].decision, AETHER_DECISION_FOREIGN);
  CHECK_EQ(a.results[0].blame, 1);
  CHECK_EQ(a.erasable[0], 0);
}

/* alloc a, if { free a, end }, alloc b, read b, if { read a, end }, free b: a is not freed where it is read. */
static void a_life_covers_the_use_on_the_path_that_does_not_free(void) {
  const aether_op ops[] = {{TOP, 0, 0, 0}, {TOP, 0, 0, AETHER_OP_EXCLUSIVE}, {1, 0, 1, 0}, {1, 0, 1, 0},
                           {TOP, 0, 0, 0}, {TOP, 0, 0, 0},                   {TOP, 0, 0, AETHER_OP_EXCLUSIVE},
                           {6, 0, 2, 0},   {6, 0, 2, 0},                     {TOP, 0, 0, 0}};
  const uint32_t values[] = {0, 4};
  const aether_alloc allocs[] = {{M, 0, 0, 0, 0, 0}, {M, 0, 4, 1, 0, 0}};
  const aether_dealloc deallocs[] = {{2, 0}, {9, 1}};
  const aether_use uses[] = {{5, 1, 0}, {7, 0, 0}};
  const aether_program p = {.struct_size = sizeof p, .ops = ops, .op_count = COUNT(ops), .value_ops = values,
                            .value_count = 2, .allocs = allocs, .alloc_count = 2, .deallocs = deallocs,
                            .dealloc_count = 2, .uses = uses, .use_count = 2};
  answer a = plan(&p, AETHER_FLOW_COMPAT, AETHER_PLANNER_FIRST_USE);
  CHECK_EQ(a.offsets[0], a.offsets[1]); /* and the read finds what b holds */
  a = plan(&p, AETHER_FLOW_SOUND, AETHER_PLANNER_FIRST_USE);
  CHECK_EQ(a.tensors[0].last_use, 7);
  CHECK_EQ(a.plan.arena_size, 2 * M);
}

/* alloc a, x = if { alloc b, read b, free a, yield b } else { yield a }, read x, free x. */
static void what_a_branch_replaces_shares_its_slot_in_tight_mode(void) {
  const aether_op ops[] = {{TOP, 0, 0, 0}, {TOP, 0, 0, AETHER_OP_EXCLUSIVE}, {1, 0, 1, 0}, {1, 0, 1, 0}, {1, 0, 1, 0},
                           {1, 0, 1, 0},   {1, 1, 2, 0},                     {TOP, 0, 0, 0}, {TOP, 0, 0, 0}};
  const uint32_t values[] = {0, 2, 1};
  const aether_alloc allocs[] = {{M, 64, 0, 0, 0, 0}, {M, 64, 2, 1, 0, 0}};
  const aether_dealloc deallocs[] = {{4, 0}, {8, 2}};
  const aether_use uses[] = {{3, 1, 0}, {5, 1, 0}, {6, 0, 0}, {7, 2, 0}};
  const aether_alias aliases[] = {{1, 2, 1, 0}, {0, 2, 1, 1}};
  const aether_program p = PROGRAM(ops, values, allocs, deallocs, uses, aliases);
  answer a = flow(&p, AETHER_FLOW_COMPAT);
  CHECK_EQ(a.results[0].decision, AETHER_DECISION_SHARED);
  CHECK_EQ(a.results[1].decision, AETHER_DECISION_NESTED);
  a = plan(&p, AETHER_FLOW_SOUND, AETHER_PLANNER_SIZE);
  CHECK_EQ(a.plan.arena_size, 2 * M);
  a = plan(&p, AETHER_FLOW_TIGHT, AETHER_PLANNER_SIZE);
  CHECK_EQ(a.pair_count, 1);
  CHECK(a.pairs[0].a == 0 && a.pairs[0].b == 1);
  CHECK_EQ(a.plan.arena_size, M);

  /* No room for the pair: it is counted all the same, and the plan is larger. */
  size_t count = NONE;
  CHECK_EQ(aether_flow_lifetimes(&p, AETHER_FLOW_TIGHT, a.tensors, a.results, a.erasable, NULL, 0, &count, scratch,
                                 sizeof scratch, NULL),
           AETHER_OK);
  CHECK_EQ(count, 1);
}

/* loop(a) { free x, alloc b, yield b }: b is freed in the next iteration. */
static void what_a_loop_carries_is_not_planned(void) {
  const aether_op ops[] = {{TOP, 0, 0, 0}, {TOP, 0, 0, AETHER_OP_LOOP}, {1, 0, 1, 0}, {1, 0, 1, 0}, {1, 0, 1, 0},
                           {TOP, 0, 0, 0}};
  const uint32_t values[] = {0, 1, 1, 3};
  const aether_alloc allocs[] = {{M, 0, 0, 0, 0, 0}, {M, 0, 3, 3, 0, 0}};
  const aether_dealloc deallocs[] = {{2, 1}, {5, 2}};
  const aether_use uses[] = {{1, 0, 0}, {4, 3, 0}};
  const aether_alias aliases[] = {{0, 1, TOP, 0}, {0, 2, TOP, 0}, {3, 1, TOP, 0}, {3, 2, TOP, 0}};
  const aether_program p = PROGRAM(ops, values, allocs, deallocs, uses, aliases);
  answer a = flow(&p, AETHER_FLOW_SOUND);
  CHECK_EQ(a.results[0].decision, AETHER_DECISION_SHARED);
  CHECK_EQ(a.results[1].decision, AETHER_DECISION_CARRIED);
  CHECK_EQ(a.results[1].blame, 1);
  CHECK(a.erasable[0] == 0 && a.erasable[1] == 0);
}

/* loop { alloc b, read b, free b, alloc c, read c, free c }: each iteration begins afresh. */
static void what_stays_in_an_iteration_is_planned_and_reused(void) {
  const aether_op ops[] = {{TOP, 0, 0, AETHER_OP_LOOP}, {0, 0, 1, 0}, {0, 0, 1, 0}, {0, 0, 1, 0},
                           {0, 0, 1, 0},                {0, 0, 1, 0}, {0, 0, 1, 0}, {0, 0, 1, 0}};
  aether_op parallel[COUNT(ops)];
  memcpy(parallel, ops, sizeof ops);
  parallel[0].flags = AETHER_OP_PARALLEL;
  const uint32_t values[] = {1, 4};
  const aether_alloc allocs[] = {{M, 0, 1, 0, 0, 0}, {M, 0, 4, 1, 0, 0}};
  const aether_dealloc deallocs[] = {{3, 0}, {6, 1}};
  const aether_use uses[] = {{2, 0, 0}, {5, 1, 0}};
  aether_program p = {.struct_size = sizeof p, .ops = ops, .op_count = COUNT(ops), .value_ops = values,
                      .value_count = 2, .allocs = allocs, .alloc_count = 2, .deallocs = deallocs, .dealloc_count = 2,
                      .uses = uses, .use_count = 2};
  answer a = plan(&p, AETHER_FLOW_SOUND, AETHER_PLANNER_SIZE);
  CHECK_EQ(a.results[0].decision, AETHER_DECISION_PLANNED);
  CHECK_EQ(a.plan.arena_size, M);
  p.ops = parallel;
  a = flow(&p, AETHER_FLOW_SOUND);
  CHECK_EQ(a.results[0].decision, AETHER_DECISION_NESTED);
  CHECK_EQ(a.results[0].blame, 0);
}

/* 3 bytes, then 4 floats. */
static void the_least_alignment_holds_for_every_buffer(void) {
  const uint32_t values[] = {0, 1};
  const aether_alloc allocs[] = {{3, 0, 0, 0, 0, 0}, {16, 0, 1, 1, 0, 0}};
  const aether_dealloc deallocs[] = {{2, 0}, {3, 1}};
  aether_program p = {.struct_size = sizeof p, .ops = flat, .op_count = 4, .value_ops = values, .value_count = 2,
                      .allocs = allocs, .alloc_count = 2, .deallocs = deallocs, .dealloc_count = 2};
  CHECK_EQ(plan(&p, AETHER_FLOW_COMPAT, AETHER_PLANNER_SEQUENTIAL).offsets[1], 3);
  p.min_alignment = 16;
  answer a = plan(&p, AETHER_FLOW_SOUND, AETHER_PLANNER_SEQUENTIAL);
  CHECK_EQ(a.offsets[1], 16);
  CHECK_EQ(a.plan.arena_alignment, 16);
}

static void an_arena_from_elsewhere_is_checked_against_the_plan(void) {
  const aether_plan sizes = {4096, 64, 4096, 4096};
  aether_error error;
  const uintptr_t base = 6400;
  CHECK_EQ(aether_check_arena(&sizes, (void *)base, 4096, &error), AETHER_OK);
  CHECK_EQ(aether_check_arena(&sizes, (void *)base, 5000, NULL), AETHER_OK);
  aether_status status = aether_check_arena(&sizes, (void *)base, 16, &error);
  CHECK_ERROR(status, &error, AETHER_ERROR_ARENA_SHORT, NONE, NONE, 16, 4096);
  char text[256];
  (void)aether_error_message(&error, text, sizeof text);
  CHECK(strcmp(text, "the arena has 16 bytes, and its plan needs 4096") == 0);
  status = aether_check_arena(&sizes, (void *)(base + 8), 4096, &error);
  CHECK_ERROR(status, &error, AETHER_ERROR_ARENA_MISALIGNED, NONE, NONE, 8, 64);
  (void)aether_error_message(&error, text, sizeof text);
  CHECK(strcmp(text, "the arena's address is 8 modulo 64, the alignment that its plan needs") == 0);
  /* Nothing needs no memory, and some bytes at NULL are none. */
  const aether_plan nothing = {0, 1, 0, 0};
  CHECK_EQ(aether_check_arena(&nothing, NULL, 0, NULL), AETHER_OK);
  CHECK_EQ(aether_check_arena(&sizes, NULL, 0, NULL), AETHER_ERROR_ARENA_SHORT);
  CHECK_EQ(aether_check_arena(&sizes, NULL, 4096, NULL), AETHER_ERROR_NULL);
}

int main(void) {
  TEST(one_after_the_other);
  TEST(a_dynamic_one_is_left_alone);
  TEST(what_is_never_freed_is_an_error_that_ends_the_pass_only);
  TEST(a_dealloc_in_another_block_is_unstructured);
  TEST(what_a_select_frees_is_planned_together_or_not_at_all);
  TEST(a_life_covers_the_use_on_the_path_that_does_not_free);
  TEST(what_a_branch_replaces_shares_its_slot_in_tight_mode);
  TEST(what_a_loop_carries_is_not_planned);
  TEST(what_stays_in_an_iteration_is_planned_and_reused);
  TEST(the_least_alignment_holds_for_every_buffer);
  TEST(an_arena_from_elsewhere_is_checked_against_the_plan);
  return tests_end();
}
