/*
 * How much stack each call needs: a thread runs it on a stack that was painted, and what is no longer painted was used.
 *
 * Each call is made twice, and the second is measured: the dynamic linker, which the first may call, uses stack of its
 * own. For POSIX systems whose stacks grow downwards, and for the release profile: assertions take stack. Nothing
 * recurses, so no call needs more for more.
 */

#define _DEFAULT_SOURCE

#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>

#include "check.h"

enum { STACK = 256 * 1024, PAINT = 0x5b, MOST_TENSORS = 50000, MOST_EDGES = 100000 };

/* ---- The painted stack ---- */

static alignas(4096) unsigned char stack[STACK];
static unsigned char *top;
static void (*measured)(void);

/* The thread paints what lies below its own frame, away from what it needs itself. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static void *run(void *unused) {
  volatile unsigned char here = 0;
  measured();
  top = (unsigned char *)&here;
  for (volatile unsigned char *at = stack; at < top - 256; at++) {
    *at = PAINT;
  }
  measured();
  return unused;
}

static size_t stack_of(void (*call)(void)) {
  pthread_attr_t attributes;
  pthread_t thread;
  measured = call;
  int failed = pthread_attr_init(&attributes) != 0 || pthread_attr_setstack(&attributes, stack, sizeof stack) != 0 ||
               pthread_create(&thread, &attributes, run, NULL) != 0 || pthread_join(thread, NULL) != 0;
  CHECK(!failed);
  (void)pthread_attr_destroy(&attributes);
  unsigned char *lowest = stack;
  while (lowest < top && *lowest == PAINT) {
    lowest++;
  }
  return (size_t)(top - lowest);
}

/* ---- The inputs ---- */

static uint64_t state;

static size_t below(size_t limit) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(state >> 33) % limit;
}

static aether_tensor tensors[MOST_TENSORS];
static size_t offsets[MOST_TENSORS];
static aether_plan plan;
static size_t tensor_count;
static aether_problem problem;
static uint64_t work_limit;

static aether_gap gaps[MOST_TENSORS];
static aether_pair compatible[MOST_TENSORS], apart[MOST_TENSORS];
static aether_range reserved[4];
static size_t fixed_offsets[MOST_TENSORS], hint_offsets[MOST_TENSORS], weights[MOST_TENSORS];
static uint32_t allowed[MOST_TENSORS], pinned_spaces[MOST_TENSORS];

static aether_edge edges[MOST_EDGES];
static size_t node_count, edge_count;
static uint8_t keep[MOST_EDGES], flags[MOST_EDGES];
static int64_t ranks[MOST_EDGES];
static uint32_t cycle[MOST_EDGES];
static uint64_t *matrix;

static aether_incidence incidences[MOST_EDGES];
static int32_t labels[MOST_EDGES];
static size_t pair_offsets[MOST_EDGES + 1], incidence_counts[2], island_counts[2];

static void *scratch;
static size_t scratch_size;

static void need(size_t bytes) {
  if (bytes > scratch_size) {
    free(scratch);
    scratch = malloc(bytes);
    scratch_size = scratch == NULL ? 0 : bytes;
  }
  CHECK(scratch_size >= bytes);
}

static void make_tensors(size_t count, size_t nodes, size_t longest, int has_conditions) {
  tensor_count = count;
  for (size_t i = 0; i < count; i++) {
    size_t first = below(nodes), last = first + below(longest);
    tensors[i] = (aether_tensor){1 + below(100000), (size_t)1 << below(7), first, last};
    gaps[i] = (aether_gap){i, first, first + (last - first) / 2, 0, tensors[i].size / 2};
    compatible[i] = (aether_pair){i, i == 0 ? 1 : i / 2};
    apart[i] = (aether_pair){i, i == 0 ? 2 : i / 3};
    fixed_offsets[i] = i == 0 ? 0 : AETHER_FREE;
    hint_offsets[i] = below(3) == 0 ? 64 * below(5000) : AETHER_FREE;
    pinned_spaces[i] = i == 0 ? 0 : AETHER_NO_SPACE;
    allowed[i] = below(5) == 0 ? 5 : 7;
    weights[i] = tensors[i].size * (1 + below(3));
  }
  for (size_t i = 0; i < COUNT(reserved); i++) {
    reserved[i] = (aether_range){200000 + 50000 * i, 200100 + 50000 * i};
  }
  problem = (aether_problem){.struct_size = sizeof problem, .tensors = tensors, .tensor_count = count};
  if (has_conditions) {
    problem.fixed_offsets = fixed_offsets;
    problem.hint_offsets = hint_offsets;
    problem.gaps = gaps;
    problem.gap_count = count;
    /* The first half of the tensors have the one kind of pairs, the others the other. */
    problem.compatible = compatible + count / 4;
    problem.compatible_count = count / 4;
    problem.apart = apart + count * 3 / 4;
    problem.apart_count = count / 8;
    problem.reserved = reserved;
    problem.reserved_count = COUNT(reserved);
  }
}

static void make_graph(size_t nodes, size_t count, size_t reach) {
  node_count = nodes;
  edge_count = count;
  for (size_t i = 0; i < count; i++) {
    size_t from = below(nodes - 1), most = nodes - 1 - from;
    edges[i] = (aether_edge){(uint32_t)from, (uint32_t)(from + 1 + below(reach < most ? reach : most))};
    incidences[i] = (aether_incidence){(int32_t)from, below(8) == 0 ? -1 : (int32_t)edges[i].to};
    flags[i] = (uint8_t)below(3);
    pair_offsets[i + 1] = 2 * (i + 1);
  }
  incidence_counts[0] = incidence_counts[1] = count / 2;
}

/* ---- The calls ---- */

static aether_status status;
static aether_error error;

static size_t size_for(size_t query(size_t, size_t, size_t, size_t)) {
  return query(problem.tensor_count, problem.gap_count, problem.compatible_count + problem.apart_count,
               problem.reserved_count);
}

static void plan_offsets(void) {
  status = aether_plan_offsets(tensors, tensor_count, offsets, &plan, scratch, scratch_size, &error);
}

static void check_offsets(void) {
  status = aether_check_offsets(tensors, tensor_count, offsets, NULL, scratch, scratch_size, &error);
}

static void peak_live_bytes(void) {
  status = aether_peak_live_bytes(tensors, tensor_count, NULL, NULL, scratch, scratch_size, &error);
}

static void check_arena(void) {
  /* It is not looked at, only where it is. */
  uintptr_t aligned = (uintptr_t)scratch / plan.arena_alignment * plan.arena_alignment;
  status = aether_check_arena(&plan, (const void *)aligned, plan.arena_size, &error);
}

static aether_space spaces[] = {{1 << 18, 0, 1}, {1 << 20, 0, 3}, {SIZE_MAX, 0, 9}};
static uint32_t homes[MOST_TENSORS];

static void plan_spaces(void) {
  aether_spaces of = {.struct_size = sizeof of, .tensors = tensors, .tensor_count = tensor_count, .spaces = spaces,
                      .space_count = COUNT(spaces)};
  if (problem.fixed_offsets != NULL) {
    of.fixed_offsets = fixed_offsets;
    of.pinned_spaces = pinned_spaces;
    of.allowed = allowed;
    of.weights = weights;
  }
  status = aether_plan_spaces(&of, work_limit, 1, homes, offsets, NULL, NULL, scratch, scratch_size, &error);
}

static void plan_portfolio(void) {
  status = aether_plan_portfolio(&problem, 0, offsets, NULL, scratch, scratch_size, &error);
}

static void check_problem(void) {
  status = aether_check_problem(&problem, offsets, NULL, scratch, scratch_size, &error);
}

static void lower_bound(void) {
  status = aether_lower_bound(&problem, NULL, NULL, NULL, scratch, scratch_size, &error);
}

static void plan_search(void) {
  status = aether_plan_search(&problem, work_limit, 1, NULL, NULL, offsets, NULL, scratch, scratch_size, &error);
}

static void transitive_reduction(void) {
  status = aether_transitive_reduction(node_count, edges, edge_count, keep, NULL, scratch, scratch_size, &error);
}

static void transitive_reduction_ranked(void) {
  status = aether_transitive_reduction_ranked(node_count, ranks, edges, edge_count, flags, keep, NULL, scratch,
                                              scratch_size, &error);
}

static void topological_ranks(void) {
  status = aether_topological_ranks(node_count, edges, edge_count, ranks, cycle, COUNT(cycle), scratch, scratch_size,
                                    &error);
}

static void reachability(void) {
  status = aether_reachability(node_count, edges, edge_count, matrix, scratch, scratch_size, &error);
}

static void islands(void) {
  status = aether_islands(node_count, incidences, edge_count, labels, NULL, &error);
}

static aether_op ops[3 * MOST_TENSORS];
static uint32_t value_ops[2 * MOST_TENSORS];
static aether_alloc allocs[MOST_TENSORS];
static aether_dealloc deallocs[MOST_TENSORS];
static aether_use uses[MOST_TENSORS];
static aether_alias aliases[MOST_TENSORS];
static aether_alloc_result results[MOST_TENSORS];
static uint8_t erasable[MOST_TENSORS];
static aether_program program;

/* Allocations, then their uses through a cast, then their deallocs, in one block. */
static void make_program(size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t alloc = (uint32_t)i, use = (uint32_t)(count + below(count)), dealloc = (uint32_t)(2 * count + i);
    ops[i] = ops[count + i] = ops[2 * count + i] = (aether_op){AETHER_NO_OP, 0, 0, 0};
    allocs[i] = (aether_alloc){.size = 1 + below(1000), .op = alloc, .value = alloc};
    value_ops[i] = alloc;
    value_ops[count + i] = use;
    aliases[i] = (aether_alias){alloc, (uint32_t)(count + i), AETHER_NO_OP, 0};
    uses[i] = (aether_use){use, (uint32_t)(count + i), 0};
    deallocs[i] = (aether_dealloc){dealloc, alloc};
  }
  program = (aether_program){.struct_size = sizeof program, .ops = ops, .op_count = 3 * count,
                             .value_ops = value_ops, .value_count = 2 * count, .allocs = allocs, .alloc_count = count,
                             .deallocs = deallocs, .dealloc_count = count, .uses = uses, .use_count = count,
                             .aliases = aliases, .alias_count = count};
}

static void flow_lifetimes(void) {
  status = aether_flow_lifetimes(&program, AETHER_FLOW_SOUND, tensors, results, erasable, NULL, 0, NULL, scratch,
                                 scratch_size, &error);
}

static int32_t parents[MOST_EDGES], order[MOST_EDGES], counts[MOST_EDGES], starts[MOST_EDGES];
static uint8_t marks[MOST_EDGES];
static size_t island_count;

static void islands_begin(void) {
  status = aether_islands_begin(node_count, parents, marks, &error);
}

static void islands_merge(void) {
  status = aether_islands_merge(node_count, parents, marks, incidences, edge_count, NULL, 0, &error);
}

static void islands_finish(void) {
  status = aether_islands_finish(node_count, parents, marks, labels, NULL, &island_count, NULL, &error);
}

static void islands_concurrent_merge(void) {
  status = aether_islands_concurrent_merge(node_count, parents, marks, incidences, edge_count, NULL, 0, &error);
}

static void islands_merge_many(void) {
  status = aether_islands_merge_many(node_count, parents, marks, pair_offsets, edge_count, &incidences[0].a,
                                     2 * edge_count, NULL, AETHER_MERGE_FULL_COMPRESSION, &error);
}

static void islands_concurrent_merge_many(void) {
  status = aether_islands_concurrent_merge_many(node_count, parents, marks, pair_offsets, edge_count, &incidences[0].a,
                                                2 * edge_count, NULL, 0, &error);
}

static void islands_root(void) {
  int32_t root;
  status = aether_islands_root(node_count, parents, (int32_t)(node_count - 1), &root, &error);
}

static void islands_batch(void) {
  status = aether_islands_batch(2, node_count, incidences, edge_count / 2, incidence_counts, labels, node_count, NULL, 0,
                                island_counts, &error);
}

static void islands_incidence_labels(void) {
  status = aether_islands_incidence_labels(node_count, parents, incidences, edge_count, labels, &error);
}

static void islands_constraint_labels(void) {
  status = aether_islands_constraint_labels(node_count, parents, pair_offsets, edge_count, &incidences[0].a,
                                            2 * edge_count, labels, &error);
}

static void group_by_label(void) {
  status = aether_group_by_label(labels, node_count, island_count, counts, starts, order, NULL, NULL, &error);
}

static void error_message(void) {
  static char text[256];
  (void)aether_error_message(&error, text, sizeof text);
}

/* The most that each call used so far, in the order of the first measurement. */
static struct {
  const char *name;
  size_t bytes;
} most[32];

/* What the header says of all calls. */
enum { LIMIT = 4096 };

/* What it says of each. */
static const struct {
  const char *name;
  size_t bytes;
} limits[] = {
    {"plan_spaces", LIMIT},  {"plan_search", 3328},          {"plan_portfolio", 3072},
    {"check_problem", 2816}, {"lower_bound", 2816},          {"flow_lifetimes", 3072},
    {"plan_offsets", 2560},  {"transitive_reduction", 2560}, {"transitive_reduction_ranked", 2560},
    {"check_offsets", 2048},
};
enum { ANY_OTHER = 1280 };

static size_t limit_of(const char *name) {
  for (size_t i = 0; i < COUNT(limits); i++) {
    if (strcmp(limits[i].name, name) == 0) {
      return limits[i].bytes;
    }
  }
  return ANY_OTHER;
}

static void expect_stack(const char *name, void (*call)(void)) {
  size_t bytes = stack_of(call);
  CHECK(limit_of(name) <= LIMIT);
  note("%s: %s", name, aether_status_string(status));
  CHECK_EQ(status, AETHER_OK);
  if (bytes > limit_of(name)) {
    CHECK_EQ(bytes, limit_of(name));
  }
  size_t i = 0;
  while (most[i].name != NULL && strcmp(most[i].name, name) != 0) {
    i++;
  }
  most[i].name = name;
  most[i].bytes = bytes > most[i].bytes ? bytes : most[i].bytes;
}

#define EXPECT_STACK(call) expect_stack(#call, call)

/* ---- The tests ---- */

static void use_10000_bytes(void) {
  volatile unsigned char bytes[10000];
  bytes[0] = 1;
  bytes[sizeof bytes - 1] = 1;
}

static void what_is_used_is_seen(void) {
  size_t bytes = stack_of(use_10000_bytes);
  CHECK(bytes >= 10000 && bytes < 11000);
}

static void fifty_thousand_tensors_need_no_more_than_the_header_says(void) {
  static const struct {
    size_t tensors, nodes, longest;
  } shapes[] = {{4, 3, 2}, {60, 40, 20}, {300, 100, 100}, {3000, 5000, 30}, {MOST_TENSORS, 40000, 50}};
  for (size_t i = 0; i < COUNT(shapes); i++) {
    state = i;
    make_tensors(shapes[i].tensors, shapes[i].nodes, shapes[i].longest, 0);
    need(size_for(aether_plan_search_scratch_size));
    work_limit = 20000;
    need(aether_plan_spaces_scratch_size(tensor_count, COUNT(spaces)));
    EXPECT_STACK(plan_offsets);
    EXPECT_STACK(check_arena);
    EXPECT_STACK(check_offsets);
    EXPECT_STACK(peak_live_bytes);
    EXPECT_STACK(plan_portfolio);
    EXPECT_STACK(check_problem);
    EXPECT_STACK(lower_bound);
    EXPECT_STACK(plan_search);
    if (tensor_count <= 3000) {
      EXPECT_STACK(plan_spaces);
    }
  }
}

static void conditions_need_no_more_than_the_header_says(void) {
  static const size_t counts[] = {4, 40, 300, 2000};
  for (size_t i = 0; i < COUNT(counts); i++) {
    state = i;
    make_tensors(counts[i], counts[i], 20, 1);
    need(size_for(aether_plan_search_scratch_size));
    work_limit = 2000;
    EXPECT_STACK(plan_portfolio);
    EXPECT_STACK(check_problem);
    EXPECT_STACK(lower_bound);
    EXPECT_STACK(plan_search);
    need(aether_plan_spaces_scratch_size(tensor_count, COUNT(spaces)));
    work_limit = 200000;
    EXPECT_STACK(plan_spaces);
  }
}

static void graphs_and_islands_need_no_more_than_the_header_says(void) {
  static const struct {
    size_t nodes, edges, reach;
  } shapes[] = {{2, 1, 1},          {60, 500, 60},      {1000, 60000, 1000},
                {3000, 6000, 3000}, {3000, 90000, 40}, {50000, 60000, 100}};
  for (size_t i = 0; i < COUNT(shapes); i++) {
    state = i;
    make_graph(shapes[i].nodes, shapes[i].edges, shapes[i].reach);
    need(aether_transitive_reduction_ranked_scratch_size(node_count, edge_count));
    need(aether_topological_ranks_scratch_size(node_count, edge_count));
    EXPECT_STACK(topological_ranks);
    EXPECT_STACK(transitive_reduction);
    EXPECT_STACK(transitive_reduction_ranked);
    if (node_count <= 3000) {
      free(matrix);
      matrix = malloc(aether_reachability_matrix_size(node_count));
      EXPECT_STACK(reachability);
    }
    EXPECT_STACK(islands);
    EXPECT_STACK(islands_begin);
    EXPECT_STACK(islands_merge);
    EXPECT_STACK(islands_merge_many);
    EXPECT_STACK(islands_concurrent_merge);
    EXPECT_STACK(islands_concurrent_merge_many);
    EXPECT_STACK(islands_root);
    EXPECT_STACK(islands_incidence_labels);
    EXPECT_STACK(islands_constraint_labels);
    EXPECT_STACK(islands_finish);
    EXPECT_STACK(group_by_label);
    if (2 * node_count <= COUNT(labels)) {
      EXPECT_STACK(islands_batch);
    }
  }
}

static void buffer_flow_needs_no_more_than_the_header_says(void) {
  static const size_t shapes[] = {1, 100, 5000, MOST_TENSORS};
  for (size_t i = 0; i < COUNT(shapes); i++) {
    state = i;
    make_program(shapes[i]);
    need(aether_flow_lifetimes_scratch_size(program.op_count, program.value_count, program.alloc_count,
                                            program.dealloc_count, program.use_count, program.alias_count));
    EXPECT_STACK(flow_lifetimes);
  }
}

static void messages_need_no_more_than_the_header_says(void) {
  for (aether_status each = 0; each < 64; each++) {
    error = (aether_error){each, 0, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
    status = AETHER_OK;
    EXPECT_STACK(error_message);
  }
}

int main(void) {
  TEST(what_is_used_is_seen);
  TEST(fifty_thousand_tensors_need_no_more_than_the_header_says);
  TEST(conditions_need_no_more_than_the_header_says);
  TEST(graphs_and_islands_need_no_more_than_the_header_says);
  TEST(buffer_flow_needs_no_more_than_the_header_says);
  TEST(messages_need_no_more_than_the_header_says);
  for (size_t i = 0; most[i].name != NULL; i++) {
    printf("%5zu bytes of stack  %s\n", most[i].bytes, most[i].name);
  }
  free(scratch);
  free(matrix);
  return tests_end();
}
