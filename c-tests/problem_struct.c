/*
 * How struct aether_problem is read: by its own size, so that older and newer callers work, and member by member.
 */

#include <stdlib.h>

#include "check.h"

static const aether_tensor tensors[] = {{100, 1, 0, 1}, {80, 1, 1, 2}, {60, 1, 2, 3}};

static aether_problem of_tensors(void) {
  aether_problem problem = {0};
  problem.struct_size = sizeof problem;
  problem.tensors = tensors;
  problem.tensor_count = COUNT(tensors);
  return problem;
}

static aether_error error;
static aether_outcome outcome;
static size_t offsets[COUNT(tensors)];

static aether_status solve(const aether_problem *problem) {
  static uint64_t scratch[65536];
  memset(&error, 0xa5, sizeof error);
  memset(&outcome, 0xa5, sizeof outcome);
  memset(offsets, 0xa5, sizeof offsets);
  return aether_plan_portfolio(problem, 0, offsets, &outcome, scratch, sizeof scratch, &error);
}

/* The plan of the three tensors alone. */
static void expect_plan(const aether_problem *problem) {
  CHECK_EQ(solve(problem), AETHER_OK);
  CHECK_EQ(outcome.plan.arena_size, 180);
  CHECK_EQ(outcome.verdict, AETHER_FITS);
  CHECK_EQ(offsets[1], 100);
}

static void expect_refusal(const aether_problem *problem, aether_status status, size_t other, size_t got,
                           size_t limit) {
  CHECK_ERROR(solve(problem), &error, status, 0, other, got, limit);
  CHECK_EQ(offsets[0], (size_t)0xa5a5a5a5a5a5a5a5u);
}

static void only_the_size_and_the_tensors_need_be_set(void) {
  aether_problem problem = of_tensors();
  expect_plan(&problem);
}

static void the_struct_of_an_older_header_is_shorter(void) {
  /* Blocks of exactly the bytes that may be read; a memory checker sees the rest. */
  const aether_problem problem = of_tensors();
  for (size_t size = offsetof(aether_problem, fixed_offsets); size <= sizeof problem; size += sizeof(size_t)) {
    note("%zu bytes", size);
    aether_problem *older = malloc(size);
    memcpy(older, &problem, size);
    older->struct_size = size;
    expect_plan(older);
    free(older);
  }
}

static void the_struct_of_a_newer_header_is_longer_and_works_while_the_rest_is_0(void) {
  struct {
    aether_problem problem;
    size_t more[4];
  } newer = {of_tensors(), {0}};
  newer.problem.struct_size = sizeof newer;
  expect_plan(&newer.problem);
  newer.more[3] = 1;
  expect_refusal(&newer.problem, AETHER_ERROR_STRUCT_SIZE, NONE, sizeof newer, sizeof newer.problem);
}

static void a_size_that_is_none_is_refused(void) {
  const size_t wrong[] = {0,    1,    sizeof(size_t), offsetof(aether_problem, fixed_offsets) - 1,
                          4097, 8192, SIZE_MAX,       sizeof(aether_problem) - 1};
  aether_problem problem = of_tensors();
  for (size_t i = 0; i < COUNT(wrong); i++) {
    note("%zu", wrong[i]);
    problem.struct_size = wrong[i];
    expect_refusal(&problem, AETHER_ERROR_STRUCT_SIZE, NONE, wrong[i], sizeof problem);
  }
}

static void no_problem_is_refused(void) {
  expect_refusal(NULL, AETHER_ERROR_NULL, NONE, 0, sizeof(aether_problem));
  static unsigned char bytes[sizeof(aether_problem) + 8];
  const aether_problem problem = of_tensors();
  unsigned char *aligned = bytes + (8 - (uintptr_t)bytes % 8) % 8;
  memcpy(aligned + 1, &problem, sizeof bytes - 9);
  expect_refusal((const void *)(aligned + 1), AETHER_ERROR_MISALIGNED, NONE, 1, _Alignof(aether_problem));
}

static void a_member_is_named_by_its_place_in_the_struct(void) {
  aether_problem problem = of_tensors();
  problem.reserved_count = 2;
  expect_refusal(&problem, AETHER_ERROR_NULL, 11, 0, 2 * sizeof(aether_range));
  char text[256];
  aether_error_message(&error, text, sizeof text);
  CHECK(strcmp(text, "member 11 (the first is 0) of the struct is NULL, but its count is not 0") == 0);

  problem = of_tensors();
  problem.hint_offsets = (const size_t *)((uintptr_t)offsets + 1);
  expect_refusal(&problem, AETHER_ERROR_MISALIGNED, 4, 1, _Alignof(size_t));
  aether_error_message(&error, text, sizeof text);
  CHECK(strcmp(text, "member 4 (the first is 0) of the struct is misaligned: its address is 1 modulo 8") == 0 ||
        sizeof(size_t) != 8);

  problem = of_tensors();
  problem.gap_count = (size_t)INT32_MAX + 1;
  expect_refusal(&problem, AETHER_ERROR_TOO_MANY, 6, problem.gap_count,
                 sizeof(size_t) == 8 ? INT32_MAX : PTRDIFF_MAX / sizeof(aether_gap));
}

static void the_problem_itself_is_not_written(void) {
  union {
    aether_problem problem;
    size_t words[sizeof(aether_problem) / sizeof(size_t)];
  } both = {of_tensors()};
  static uint64_t scratch[65536];
  const aether_status status =
      aether_plan_portfolio(&both.problem, 0, both.words + 8, NULL, scratch, sizeof scratch, &error);
  CHECK_ERROR(status, &error, AETHER_ERROR_OVERLAP, 0, 2, 0, 0);
  CHECK_EQ(aether_plan_portfolio(&both.problem, 0, offsets, NULL, scratch, sizeof scratch, (void *)(both.words + 8)),
           AETHER_ERROR_OVERLAP);
  expect_plan(&both.problem);
}

static void every_planner_alone_answers_and_unknown_ones_are_refused(void) {
  static uint64_t scratch[65536];
  aether_problem problem = of_tensors();
  for (int32_t planner = AETHER_PLANNER_SIZE; planner <= AETHER_PLANNER_PRESSURE; planner++) {
    note("planner %d", (int)planner);
    const uint32_t alone = UINT32_C(1) << planner;
    CHECK_EQ(aether_plan_portfolio(&problem, alone, offsets, &outcome, scratch, sizeof scratch, &error), AETHER_OK);
    CHECK_EQ(outcome.planner, planner);
    CHECK_EQ(outcome.plan.arena_size, planner == AETHER_PLANNER_SEQUENTIAL ? 240 : 180);
  }
  const aether_status status =
      aether_plan_portfolio(&problem, 1u << 30, offsets, &outcome, scratch, sizeof scratch, &error);
  CHECK_ERROR(status, &error, AETHER_ERROR_PLANNERS, NONE, NONE, 1u << 30, 0x3ff);
}

int main(void) {
  TEST(only_the_size_and_the_tensors_need_be_set);
  TEST(the_struct_of_an_older_header_is_shorter);
  TEST(the_struct_of_a_newer_header_is_longer_and_works_while_the_rest_is_0);
  TEST(a_size_that_is_none_is_refused);
  TEST(no_problem_is_refused);
  TEST(a_member_is_named_by_its_place_in_the_struct);
  TEST(the_problem_itself_is_not_written);
  TEST(every_planner_alone_answers_and_unknown_ones_are_refused);
  return tests_end();
}
