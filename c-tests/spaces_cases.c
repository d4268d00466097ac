/*
 * Plans over several memory spaces: the banks of ExecuTorch, what is told where a tensor finds no room, and how struct
 * aether_spaces is read by its own size.
 */

#include <stdlib.h>

#include "check.h"

enum { MOST = 4 };

/* Two banks of one cost: the first is preferred. */
static const aether_space banks[] = {{100, 0, 0}, {200, 0, 0}};

/* All alive together: 80 in the first bank, 60 and 60 in the second. */
static const aether_tensor tensors[] = {{80, 1, 0, 0}, {60, 1, 0, 0}, {60, 1, 0, 0}};

static aether_spaces in_banks(const aether_tensor *of, size_t count) {
  aether_spaces problem = {0};
  problem.struct_size = sizeof problem;
  problem.tensors = of;
  problem.tensor_count = count;
  problem.spaces = banks;
  problem.space_count = COUNT(banks);
  return problem;
}

static aether_error error;
static aether_spaces_outcome outcome;
static aether_space_report reports[COUNT(banks)];
static uint32_t homes[MOST];
static size_t offsets[MOST];
static uint64_t scratch[AETHER_PLAN_SPACES_SCRATCH_SIZE(MOST, COUNT(banks)) / sizeof(uint64_t)];

static aether_status solve(const aether_spaces *problem) {
  memset(&error, 0xa5, sizeof error);
  memset(&outcome, 0xa5, sizeof outcome);
  memset(reports, 0xa5, sizeof reports);
  memset(homes, 0xa5, sizeof homes);
  memset(offsets, 0xa5, sizeof offsets);
  return aether_plan_spaces(problem, 1000, 0, homes, offsets, reports, &outcome, scratch, sizeof scratch, &error);
}

static void expect_refusal(const aether_spaces *problem, aether_status status, size_t index, size_t other, size_t got,
                           size_t limit) {
  CHECK_ERROR(solve(problem), &error, status, index, other, got, limit);
  CHECK_EQ(homes[0], 0xa5a5a5a5u);
  CHECK_EQ(outcome.verdict, (int32_t)0xa5a5a5a5u);
}

static void expect_banks(const aether_spaces *problem) {
  CHECK_EQ(solve(problem), AETHER_OK);
  CHECK_EQ(outcome.verdict, AETHER_FITS);
  CHECK_EQ(outcome.left_out, 0);
  CHECK_EQ(outcome.largest_left_out, NONE);
  CHECK_EQ(homes[0], 0);
  CHECK_EQ(homes[1], 1);
  CHECK_EQ(homes[2], 1);
  CHECK_EQ(offsets[0], 0);
  CHECK_EQ(offsets[1] + offsets[2], 60);
  CHECK_EQ(reports[0].plan.arena_size, 80);
  CHECK_EQ(reports[1].plan.arena_size, 120);
  CHECK_EQ(reports[1].plan.lower_bound, 120);
  CHECK_EQ(reports[1].free_bytes, 200);
}

static void the_first_bank_that_has_room_gets_the_largest(void) {
  const aether_spaces problem = in_banks(tensors, COUNT(tensors));
  expect_banks(&problem);
  /* Bank 0 costs nothing, bank 1 costs 1 a byte. */
  CHECK_EQ(outcome.cost, 120);
}

static void a_tensor_larger_than_each_bank_is_named_with_what_each_has_left(void) {
  const aether_tensor with_250[] = {{80, 1, 0, 0}, {60, 1, 0, 0}, {60, 1, 0, 0}, {250, 1, 0, 0}};
  const aether_spaces problem = in_banks(with_250, 4);
  CHECK_EQ(solve(&problem), AETHER_OK);
  CHECK_EQ(outcome.verdict, AETHER_IMPOSSIBLE);
  CHECK_EQ(outcome.left_out, 1);
  CHECK_EQ(outcome.largest_left_out, 3);
  CHECK_EQ(homes[3], AETHER_NO_SPACE);
  CHECK_EQ(offsets[3], 0);
  for (size_t k = 0; k < COUNT(banks); k++) {
    note("bank %zu", k);
    CHECK_EQ(reports[k].free_bytes, k == 0 ? 20 : 80);
    CHECK_EQ(reports[k].longest_range, k == 0 ? 20 : 80);
    CHECK_EQ(reports[k].tightest_node, 0);
  }
}

static void masks_pins_offsets_and_weights_are_honoured(void) {
  aether_spaces problem = in_banks(tensors, COUNT(tensors));
  const uint32_t allowed[] = {2, 3, 3}, pinned[] = {AETHER_NO_SPACE, 1, AETHER_NO_SPACE};
  const size_t fixed[] = {AETHER_FREE, 140, AETHER_FREE}, weights[] = {3, 5, 7};
  problem.allowed = allowed;
  problem.pinned_spaces = pinned;
  problem.fixed_offsets = fixed;
  problem.weights = weights;
  CHECK_EQ(solve(&problem), AETHER_OK);
  CHECK_EQ(homes[0], 1);
  CHECK_EQ(homes[1], 1);
  CHECK_EQ(offsets[1], 140);
  CHECK_EQ(homes[2], 0);
  CHECK_EQ(outcome.cost, 3 + 5);
  CHECK_EQ(outcome.cost_bound, 3 + 5);
}

static void every_optional_output_may_be_null(void) {
  const aether_spaces problem = in_banks(tensors, COUNT(tensors));
  CHECK_EQ(aether_plan_spaces(&problem, 0, 0, homes, offsets, NULL, NULL, scratch, sizeof scratch, NULL), AETHER_OK);
  CHECK_EQ(homes[2], 1);
}

static void no_tensor_at_all_is_a_plan(void) {
  const aether_spaces problem = in_banks(NULL, 0);
  aether_status status =
      aether_plan_spaces(&problem, 0, 0, NULL, NULL, reports, &outcome, scratch, sizeof scratch, &error);
  CHECK_EQ(status, AETHER_OK);
  CHECK_EQ(outcome.cost, 0);
  CHECK_EQ(reports[1].plan.arena_size, 0);
  CHECK_EQ(reports[1].free_bytes, 200);
}

static void bad_spaces_are_named_with_their_numbers(void) {
  aether_spaces problem = in_banks(tensors, COUNT(tensors));
  problem.space_count = 0;
  expect_refusal(&problem, AETHER_ERROR_SPACE_COUNT, NONE, NONE, 0, 32);

  static aether_space many[33];
  static uint64_t more_scratch[AETHER_PLAN_SPACES_SCRATCH_SIZE(3, 33) / sizeof(uint64_t)];
  problem.spaces = many;
  problem.space_count = COUNT(many);
  aether_status status =
      aether_plan_spaces(&problem, 0, 0, homes, offsets, NULL, NULL, more_scratch, sizeof more_scratch, &error);
  CHECK_ERROR(status, &error, AETHER_ERROR_SPACE_COUNT, NONE, NONE, 33, 32);

  const aether_space empty[] = {{100, 0, 0}, {0, 0, 0}};
  problem = in_banks(tensors, COUNT(tensors));
  problem.spaces = empty;
  expect_refusal(&problem, AETHER_ERROR_SPACE_CAPACITY, 1, NONE, 0, 1);

  const aether_space dear[] = {{100, 0, 0}, {200, 0, SIZE_MAX}};
  problem.spaces = dear;
  if (sizeof(size_t) == 8) {
    expect_refusal(&problem, AETHER_ERROR_COST_OVERFLOW, 0, NONE, 80, SIZE_MAX);
  }
}

static void bad_places_are_named_with_their_numbers(void) {
  const aether_spaces good = in_banks(tensors, COUNT(tensors));
  const uint32_t none[] = {3, 0, 3}, unknown[] = {3, 3, 4};
  aether_spaces problem = good;
  problem.allowed = none;
  expect_refusal(&problem, AETHER_ERROR_ALLOWED_SPACES, 1, NONE, 0, 3);
  problem.allowed = unknown;
  expect_refusal(&problem, AETHER_ERROR_ALLOWED_SPACES, 2, NONE, 4, 3);

  const uint32_t to_2[] = {AETHER_NO_SPACE, 2, AETHER_NO_SPACE}, to_1[] = {AETHER_NO_SPACE, 1, AETHER_NO_SPACE};
  const uint32_t only_0[] = {3, 1, 3};
  problem = good;
  problem.pinned_spaces = to_2;
  expect_refusal(&problem, AETHER_ERROR_PINNED_SPACE, 1, NONE, 2, 2);
  problem.pinned_spaces = to_1;
  problem.allowed = only_0;
  expect_refusal(&problem, AETHER_ERROR_PINNED_SPACE, 1, 1, 1, 1);

  const size_t at_141[] = {AETHER_FREE, 141, AETHER_FREE};
  problem = good;
  problem.fixed_offsets = at_141;
  expect_refusal(&problem, AETHER_ERROR_FIXED_WITHOUT_SPACE, 1, NONE, 141, 0);
  problem.pinned_spaces = to_1;
  expect_refusal(&problem, AETHER_ERROR_FIXED_CAPACITY, 1, NONE, 201, 200);

  const uint32_t both[] = {AETHER_NO_SPACE, 1, 1};
  const size_t clashing[] = {AETHER_FREE, 0, 59};
  problem.pinned_spaces = both;
  problem.fixed_offsets = clashing;
  expect_refusal(&problem, AETHER_ERROR_FIXED_CLASH, 1, 2, 59, 60);
}

static void the_struct_of_an_older_header_is_shorter(void) {
  /* Blocks of exactly the bytes that may be read; a memory checker sees the rest. */
  const aether_spaces problem = in_banks(tensors, COUNT(tensors));
  for (size_t size = offsetof(aether_spaces, allowed); size <= sizeof problem; size += sizeof(size_t)) {
    note("%zu bytes", size);
    aether_spaces *older = malloc(size);
    memcpy(older, &problem, size);
    older->struct_size = size;
    expect_banks(older);
    free(older);
  }
}

static void the_struct_of_a_newer_header_is_longer_and_works_while_the_rest_is_0(void) {
  struct {
    aether_spaces problem;
    size_t more[4];
  } newer = {in_banks(tensors, COUNT(tensors)), {0}};
  newer.problem.struct_size = sizeof newer;
  expect_banks(&newer.problem);
  newer.more[3] = 1;
  expect_refusal(&newer.problem, AETHER_ERROR_STRUCT_SIZE, 0, NONE, sizeof newer, sizeof newer.problem);
}

static void a_size_that_is_none_is_refused(void) {
  const size_t wrong[] = {0, 1, offsetof(aether_spaces, space_count), sizeof(aether_spaces) - 1, 4104, SIZE_MAX};
  aether_spaces problem = in_banks(tensors, COUNT(tensors));
  for (size_t i = 0; i < COUNT(wrong); i++) {
    note("%zu", wrong[i]);
    problem.struct_size = wrong[i];
    expect_refusal(&problem, AETHER_ERROR_STRUCT_SIZE, 0, NONE, wrong[i], sizeof problem);
  }
  expect_refusal(NULL, AETHER_ERROR_NULL, 0, NONE, 0, sizeof(aether_spaces));
}

int main(void) {
  TEST(the_first_bank_that_has_room_gets_the_largest);
  TEST(a_tensor_larger_than_each_bank_is_named_with_what_each_has_left);
  TEST(masks_pins_offsets_and_weights_are_honoured);
  TEST(every_optional_output_may_be_null);
  TEST(no_tensor_at_all_is_a_plan);
  TEST(bad_spaces_are_named_with_their_numbers);
  TEST(bad_places_are_named_with_their_numbers);
  TEST(the_struct_of_an_older_header_is_shorter);
  TEST(the_struct_of_a_newer_header_is_longer_and_works_while_the_rest_is_0);
  TEST(a_size_that_is_none_is_refused);
  return tests_end();
}
