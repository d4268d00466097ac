/*
 * The planner as XNNPACK needs it: the cases of google/XNNPACK#10801, usage records with holes and in-place reuse,
 * alignments, the bounds, and the checker. Every expected number is worked out by hand in the comment beside it.
 *
 * A tensor is written {size, alignment, first_use, last_use}; both nodes are within the lifetime.
 */

#include "check.h"

enum { MOST = 100 };
static uint64_t scratch[AETHER_PLAN_OFFSETS_SCRATCH_SIZE(MOST) / sizeof(uint64_t)];

static aether_status check_offsets(const aether_tensor *tensors, size_t count, const size_t *offsets, aether_plan *plan,
                                   aether_error *error) {
  size_t need = aether_check_offsets_scratch_size(count);
  return aether_check_offsets(tensors, count, offsets, plan, scratch, need, error);
}

static void check_sizes(aether_plan got, aether_plan want) {
  CHECK_EQ(got.arena_size, want.arena_size);
  CHECK_EQ(got.arena_alignment, want.arena_alignment);
  CHECK_EQ(got.lower_bound, want.lower_bound);
  CHECK_EQ(got.peak_live_bytes, want.peak_live_bytes);
}

/* The planner must give exactly this plan, and the checker must find it valid, with the same numbers. */
static void check_plan(const aether_tensor *tensors, size_t count, const size_t *want_offsets, aether_plan want) {
  size_t offsets[MOST];
  aether_plan plan;
  aether_error error;
  size_t need = aether_plan_offsets_scratch_size(count);
  CHECK_EQ(aether_plan_offsets(tensors, count, offsets, &plan, scratch, need, &error), AETHER_OK);
  CHECK_EQ(error.status, AETHER_OK);
  for (size_t i = 0; i < count; i++) {
    note("tensor %zu", i);
    CHECK_EQ(offsets[i], want_offsets[i]);
  }
  note("planned");
  check_sizes(plan, want);

  note("checked");
  memset(&plan, 0xa5, sizeof plan);
  CHECK_EQ(check_offsets(tensors, count, want_offsets, &plan, &error), AETHER_OK);
  check_sizes(plan, want);
  note("%s", "");
}

/* ---- The cases of the planner ---- */

static void the_space_below_the_lowest_live_block_is_reused(void) {
  const aether_tensor tensors[] = {{100, 1, 0, 1}, {80, 1, 1, 2}, {60, 1, 2, 3}};
  /* The third meets only [100, 180), so the leading interval [0, 100) is free; without it the arena would be 240.
     Node 1 holds 100 + 80. */
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 100, 0}, (aether_plan){180, 1, 180, 180});
}

static void an_inner_gap_that_fits_tighter_beats_the_leading_interval(void) {
  const aether_tensor tensors[] = {{100, 1, 0, 0}, {90, 1, 0, 1}, {80, 1, 0, 0}, {70, 1, 0, 1}, {60, 1, 1, 1}};
  /* At node 1 [100, 190) and [270, 340) are taken: the leading interval has 100 bytes, the gap 80. */
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 100, 190, 270, 190}, (aether_plan){340, 1, 340, 340});
}

static void the_leading_interval_wins_a_tie(void) {
  const aether_tensor tensors[] = {{110, 1, 0, 0}, {100, 1, 0, 1}, {60, 1, 0, 0},
                                   {50, 1, 0, 0},  {45, 1, 0, 1},  {40, 1, 1, 1}};
  /* At node 1 [110, 210) and [320, 365) are taken: 110 bytes lead, and the gap [210, 320) has 110 too. */
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 110, 210, 270, 320, 0}, (aether_plan){365, 1, 365, 365});
}

static void the_lower_of_two_equal_inner_gaps_wins(void) {
  const aether_tensor tensors[] = {{50, 1, 0, 1}, {40, 1, 0, 0}, {40, 1, 0, 1},
                                   {40, 1, 0, 0}, {40, 1, 0, 1}, {30, 1, 1, 1}};
  /* At node 1 [0, 50), [90, 130) and [170, 210) are taken: the gaps [50, 90) and [130, 170) are equal. */
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 50, 90, 130, 170, 50}, (aether_plan){210, 1, 210, 210});
}

static void a_gap_fits_exactly_or_not_at_all(void) {
  aether_tensor tensors[] = {{90, 1, 0, 0}, {50, 1, 1, 1}, {45, 1, 0, 1}, {40, 1, 1, 1}};
  /* At node 1 [0, 50) and [90, 135) are taken: 40 bytes are free. */
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 0, 90, 50}, (aether_plan){135, 1, 135, 135});
  /* 41 do not fit; the peak is then 50 + 45 + 41. */
  tensors[3].size = 41;
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 0, 90, 135}, (aether_plan){176, 1, 136, 136});
}

static void a_range_within_a_longer_one_does_not_cut_it_short(void) {
  const aether_tensor tensors[] = {{100, 1, 0, 0}, {60, 1, 1, 1}, {30, 1, 1, 1}, {10, 1, 0, 1}};
  /* The last meets [0, 100), [0, 60) and [60, 90); the last of these ends below the first. */
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 0, 60, 100}, (aether_plan){110, 1, 110, 110});
}

static void equal_sizes_are_placed_in_input_order(void) {
  const aether_tensor tensors[] = {{64, 1, 0, 9}, {64, 1, 0, 9}, {64, 1, 0, 9}};
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 64, 128}, (aether_plan){192, 1, 192, 192});
}

static void larger_tensors_are_placed_first_wherever_they_stand(void) {
  const aether_tensor tensors[] = {{16, 1, 0, 1}, {48, 1, 0, 1}, {32, 1, 0, 1}};
  check_plan(tensors, COUNT(tensors), (const size_t[]){80, 0, 48}, (aether_plan){96, 1, 96, 96});
}

static void lifetimes_that_share_no_node_share_bytes(void) {
  const aether_tensor tensors[] = {{100, 1, 5, 5}, {50, 1, 0, 0}};
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 0}, (aether_plan){100, 1, 100, 100});
}

static void lifetimes_that_share_their_end_node_do_not_share_bytes(void) {
  const aether_tensor tensors[] = {{4096, 1, 6, 7}, {4096, 1, 7, 10}, {1024, 1, 7, 10}};
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 4096, 8192}, (aether_plan){9216, 1, 9216, 9216});
}

static void the_largest_node_index_is_a_node_like_any_other(void) {
  const aether_tensor tensors[] = {{8, 1, SIZE_MAX, SIZE_MAX}, {8, 1, 0, SIZE_MAX}, {8, 1, 0, SIZE_MAX - 1}};
  /* The first and the third never meet. */
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 8, 0}, (aether_plan){16, 1, 16, 16});
}

static void one_tensor_lies_at_0(void) {
  const aether_tensor tensor = {7, 4, 3, 5};
  check_plan(&tensor, 1, (const size_t[]){0}, (aether_plan){7, 4, 7, 7});
}

static void no_tensor_needs_an_arena_of_0_bytes(void) {
  check_plan(NULL, 0, NULL, (aether_plan){0, 1, 0, 0});
}

static void a_tensor_of_size_0_lies_at_0_and_counts_for_nothing(void) {
  const aether_tensor tensors[] = {{0, 1, 0, 4}, {16, 8, 0, 4}, {0, 7, 0, 4}};
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 0, 0}, (aether_plan){16, 8, 16, 16});
  check_plan(tensors, 1, (const size_t[]){0}, (aether_plan){0, 1, 0, 0});
}

/* ---- XNNPACK's usage records ---- */

/* What XNNPACK keeps for a value, in its order: two ids ride along that the planner does not know. */
typedef struct usage_record {
  uint32_t first_node, last_node;
  size_t tensor_size;
  size_t alloc_offset;
  uint32_t opaque_node_id, reuse_value_id;
} usage_record;

#define NO_ID UINT32_MAX

/* A value that is computed in place lives in the bytes of another one, which may do so in turn. */
static size_t owner_of(const usage_record *records, size_t i) {
  while (records[i].reuse_value_id != NO_ID) {
    i = records[i].reuse_value_id;
  }
  return i;
}

static aether_status plan_records(usage_record *records, size_t count, aether_plan *plan, aether_error *error) {
  aether_tensor tensors[MOST];
  size_t offsets[MOST];
  for (size_t i = 0; i < count; i++) {
    usage_record *owner = &records[owner_of(records, i)];
    owner->last_node = records[i].last_node > owner->last_node ? records[i].last_node : owner->last_node;
  }
  for (size_t i = 0; i < count; i++) {
    const usage_record *r = &records[i];
    tensors[i] = (aether_tensor){r->reuse_value_id == NO_ID ? r->tensor_size : 0, 1, r->first_node, r->last_node};
  }
  size_t need = aether_plan_offsets_scratch_size(count);
  aether_status status = aether_plan_offsets(tensors, count, offsets, plan, scratch, need, error);
  for (size_t i = 0; status == AETHER_OK && i < count; i++) {
    records[i].alloc_offset = offsets[owner_of(records, i)];
  }
  return status;
}

static void usage_records_are_planned_by_a_copy_loop(void) {
  usage_record records[] = {
      {0, 1, 100, SIZE_MAX, 10, NO_ID},
      {0, 0, 0, SIZE_MAX, NO_ID, NO_ID}, /* a hole: this value was optimised away */
      {1, 2, 80, SIZE_MAX, 12, NO_ID},   /* lives until node 4, because of the two after it */
      {2, 3, 80, SIZE_MAX, 13, 2},       /* in place of record 2 */
      {3, 4, 80, SIZE_MAX, 14, 3},       /* in place of record 3 */
      {2, 3, 60, SIZE_MAX, 15, NO_ID},
      {4, 5, 120, SIZE_MAX, 16, NO_ID},
  };
  /* By size: 120 [4,5] at 0; 100 [0,1] at 0; 80 [1,4] meets both, so at 120; 60 [2,3] meets only [120, 200), so at 0.
     Node 4 holds 120 + 80. */
  const size_t want[] = {0, 0, 120, 120, 120, 0, 0};
  aether_plan plan;
  aether_error error;
  CHECK_EQ(plan_records(records, COUNT(records), &plan, &error), AETHER_OK);
  for (size_t i = 0; i < COUNT(records); i++) {
    note("record %zu", i);
    CHECK_EQ(records[i].alloc_offset, want[i]);
    CHECK_EQ(records[i].opaque_node_id, i == 1 ? NO_ID : 10 + i);
  }
  check_sizes(plan, (aether_plan){200, 1, 200, 200});
}

static void a_record_with_a_reversed_lifetime_keeps_every_offset_as_it_was(void) {
  usage_record records[] = {{0, 1, 100, 7, 0, NO_ID}, {3, 2, 80, 8, 0, NO_ID}};
  aether_plan plan;
  aether_error error;
  CHECK_ERROR(plan_records(records, COUNT(records), &plan, &error), &error, AETHER_ERROR_LIFETIME, 1, NONE, 3, 2);
  CHECK_EQ(records[0].alloc_offset, 7);
  CHECK_EQ(records[1].alloc_offset, 8);
}

/* ---- Alignment ---- */

static void an_aligned_offset_begins_at_the_next_multiple_above_its_neighbour(void) {
  const aether_tensor tensors[] = {{100, 16, 0, 1}, {100, 16, 1, 2}, {100, 16, 2, 3}};
  /* 112 is the next multiple of 16 above 100. At node 1 two blocks of 112 less the 12 that the upper one need not
     fill: 212 is also the bound. */
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 112, 0}, (aether_plan){212, 16, 212, 200});
}

static void the_arena_is_aligned_to_the_least_common_multiple(void) {
  const aether_tensor tensors[] = {{10, 12, 0, 0}, {10, 8, 0, 0}};
  /* The multiples of 8 above 10 begin at 16. All offsets are multiples of 4: two blocks of 12 less 2 is the bound,
     which the other order (0 and 12) would reach. */
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 16}, (aether_plan){26, 24, 22, 20});
}

static void an_alignment_of_0_means_1(void) {
  const aether_tensor tensors[] = {{3, 0, 0, 0}, {2, 0, 0, 0}, {1, 4, 0, 0}};
  /* 1 at the next multiple of 4 above 5. */
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 3, 8}, (aether_plan){9, 4, 6, 6});
}

static void the_bound_counts_the_padding_that_no_order_avoids(void) {
  const aether_tensor tensors[] = {{5, 4, 0, 0}, {6, 8, 0, 0}, {3, 4, 0, 0}};
  /* 6 at 0, 5 at 8, 3 at 16. All offsets are multiples of 4: 8 + 8 + 4 rounded, less the largest rounding, the 3 of
     the first: 17. The order 6, 3, 5 would reach it: 0, 8, 12. */
  check_plan(tensors, COUNT(tensors), (const size_t[]){8, 0, 16}, (aether_plan){19, 8, 17, 14});
}

static void the_bound_need_not_lie_at_the_node_of_the_live_peak(void) {
  const aether_tensor tensors[] = {{100, 16, 0, 0}, {33, 16, 1, 1}, {33, 16, 1, 1}, {33, 16, 1, 1}};
  /* Node 0 has 100 live bytes, node 1 only 99, but 3 x 48 - 15 = 129 with their padding. */
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 0, 48, 96}, (aether_plan){129, 16, 129, 100});
}

static void intervals_are_compared_by_the_part_from_their_first_aligned_byte_on(void) {
  aether_tensor tensors[] = {{150, 1, 0, 0}, {107, 1, 0, 1}, {100, 1, 0, 0}, {91, 1, 0, 1},
                             {80, 1, 0, 0},  {70, 1, 0, 1},  {30, 64, 1, 1}};
  /* At node 1 [0, 150), [257, 357) and [448, 528) are free. Of the second 37 bytes are usable, from 320 on; of the
     third all 80. Node 0 holds all but the last: 598. */
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 150, 257, 357, 448, 528, 320},
             (aether_plan){598, 64, 598, 598});
  /* 38 bytes do not fit into 37. */
  tensors[6].size = 38;
  check_plan(tensors, COUNT(tensors), (const size_t[]){0, 150, 257, 357, 448, 528, 448},
             (aether_plan){598, 64, 598, 598});
}

/* ---- The peak ---- */

static void check_peak(const aether_tensor *tensors, size_t count, size_t want_bytes, size_t want_node) {
  size_t bytes = 77, node = 77;
  size_t need = aether_peak_live_bytes_scratch_size(count);
  CHECK_EQ(aether_peak_live_bytes(tensors, count, &bytes, &node, scratch, need, NULL), AETHER_OK);
  CHECK_EQ(bytes, want_bytes);
  CHECK_EQ(node, want_node);
}

static void the_peak_is_the_largest_sum_and_the_first_node_that_has_it(void) {
  const aether_tensor tensors[] = {{100, 1, 0, 1}, {80, 1, 1, 2}, {60, 1, 2, 3}};
  check_peak(tensors, COUNT(tensors), 180, 1);
  /* Nodes 3, 4 and 9 have 50 each; 2 has 40. */
  const aether_tensor ties[] = {{50, 1, 9, 9}, {10, 1, 3, 4}, {40, 1, 2, 4}};
  check_peak(ties, COUNT(ties), 50, 3);
}

static void a_tensor_that_ends_makes_room_at_the_next_node_only(void) {
  const aether_tensor tensors[] = {{10, 1, 0, 5}, {20, 1, 6, 7}, {1, 1, 5, 5}};
  check_peak(tensors, COUNT(tensors), 20, 6);
  const aether_tensor meeting[] = {{10, 1, 0, 6}, {20, 1, 6, 7}};
  check_peak(meeting, COUNT(meeting), 30, 6);
}

static void without_bytes_the_peak_is_0_at_no_node(void) {
  const aether_tensor empty = {0, 1, 0, 9};
  check_peak(&empty, 1, 0, NONE);
  check_peak(NULL, 0, 0, NONE);
}

/* ---- The checker ---- */

/* The plan must be refused with exactly this record. */
static void check_refused(const aether_tensor *tensors, size_t count, const size_t *offsets, aether_error want) {
  aether_plan plan;
  aether_error error;
  aether_status status = check_offsets(tensors, count, offsets, &plan, &error);
  CHECK_ERROR(status, &error, want.status, want.index, want.other, want.got, want.limit);
}

static void check_clash(const aether_tensor *tensors, size_t count, const size_t *offsets, size_t first, size_t second,
                        size_t byte, size_t node) {
  check_refused(tensors, count, offsets, (aether_error){AETHER_ERROR_CLASH, 0, first, second, byte, node});
}

static void a_moved_tensor_clashes_with_the_one_it_was_moved_onto(void) {
  const aether_tensor tensors[] = {{100, 1, 0, 1}, {80, 1, 1, 2}, {60, 1, 2, 3}};
  /* [100, 180) and [120, 180) at node 2. */
  check_clash(tensors, COUNT(tensors), (const size_t[]){0, 100, 120}, 1, 2, 120, 2);
}

static void the_clash_at_the_smallest_node_is_named(void) {
  /* 0 and 1 clash at byte 0, but not before node 5; 2 and 3 clash at node 2. */
  const aether_tensor tensors[] = {{8, 1, 0, 9}, {8, 1, 5, 5}, {8, 1, 1, 9}, {8, 1, 2, 3}};
  check_clash(tensors, COUNT(tensors), (const size_t[]){0, 0, 100, 104}, 2, 3, 104, 2);
}

static void a_clash_begins_where_the_later_of_the_two_begins(void) {
  const aether_tensor tensors[] = {{8, 1, 6, 9}, {8, 1, 2, 7}};
  check_clash(tensors, COUNT(tensors), (const size_t[]){0, 4}, 0, 1, 4, 6);
}

static void at_one_node_the_clash_at_the_smallest_byte_is_named(void) {
  const aether_tensor tensors[] = {{8, 1, 0, 0}, {8, 1, 0, 0}, {8, 1, 0, 0}, {8, 1, 0, 0}};
  /* 0 and 1 share [50, 54), 2 and 3 share [12, 18). */
  check_clash(tensors, COUNT(tensors), (const size_t[]){46, 50, 12, 10}, 2, 3, 12, 0);
}

static void at_one_byte_the_two_smallest_indices_are_named(void) {
  const aether_tensor tensors[] = {{9, 1, 0, 0}, {9, 1, 0, 0}, {9, 1, 0, 0}, {9, 1, 0, 0}};
  /* Byte 5 is the smallest shared one, and 0, 1 and 3 hold it; by offset 3 comes first. */
  check_clash(tensors, COUNT(tensors), (const size_t[]){5, 5, 40, 0}, 0, 1, 5, 0);
}

static void a_pair_of_smaller_indices_does_not_hide_a_smaller_byte(void) {
  const aether_tensor tensors[] = {{4, 1, 0, 0}, {10, 1, 0, 0}, {10, 1, 0, 0}, {3, 1, 0, 0}};
  /* 0 lies on 1 and 2 from byte 8 on; 1, 2 and 3 share byte 0. */
  check_clash(tensors, COUNT(tensors), (const size_t[]){8, 0, 0, 0}, 1, 2, 0, 0);
}

static void a_clash_with_a_block_that_ends_behind_others_is_seen(void) {
  /* 2 lies within 0; 1, which is between them by offset, has departed at node 1. */
  const aether_tensor tensors[] = {{100, 1, 1, 1}, {10, 1, 0, 0}, {10, 1, 1, 1}};
  check_clash(tensors, COUNT(tensors), (const size_t[]){0, 20, 50}, 0, 2, 50, 1);
}

static void a_shared_end_node_is_a_clash_and_a_shared_edge_is_none(void) {
  const aether_tensor tensors[] = {{8, 1, 0, 3}, {8, 1, 3, 4}};
  check_clash(tensors, COUNT(tensors), (const size_t[]){0, 7}, 0, 1, 7, 3);
  aether_plan plan;
  CHECK_EQ(check_offsets(tensors, COUNT(tensors), (const size_t[]){0, 8}, &plan, NULL), AETHER_OK);
  check_sizes(plan, (aether_plan){16, 1, 16, 16});
}

static void a_valid_plan_with_holes_is_measured_not_mended(void) {
  const aether_tensor tensors[] = {{100, 16, 0, 1}, {100, 32, 1, 2}, {0, 64, 1, 2}};
  aether_plan plan;
  /* The offset of the empty tensor is not looked at. The bound: 112 + 112 - 12. */
  CHECK_EQ(check_offsets(tensors, COUNT(tensors), (const size_t[]){1008, 0, 50}, &plan, NULL), AETHER_OK);
  check_sizes(plan, (aether_plan){1108, 32, 212, 200});
}

static void a_misaligned_offset_is_named_before_any_clash(void) {
  const aether_tensor tensors[] = {{8, 1, 0, 0}, {8, 1, 0, 0}, {8, 12, 0, 0}, {8, 5, 0, 0}};
  check_refused(tensors, COUNT(tensors), (const size_t[]){0, 0, 40, 43},
                (aether_error){AETHER_ERROR_OFFSET_MISALIGNED, 0, 2, NONE, 40, 12});
}

static void an_end_beyond_size_t_is_named(void) {
  const aether_tensor tensors[] = {{8, 1, 0, 0}, {2, 1, 0, 0}, {3, 1, 1, 1}};
  check_refused(tensors, COUNT(tensors), (const size_t[]){0, SIZE_MAX - 1, SIZE_MAX},
                (aether_error){AETHER_ERROR_ARENA_OVERFLOW, 0, 1, NONE, 2, 1});
  /* Ending at SIZE_MAX exactly is fine. */
  aether_plan plan;
  CHECK_EQ(check_offsets(tensors, 2, (const size_t[]){0, SIZE_MAX - 2}, &plan, NULL), AETHER_OK);
  check_sizes(plan, (aether_plan){SIZE_MAX, 1, 10, 10});
}

/* The clash that the definition names: node by node, byte by byte, then the two smallest holders. */
static int clash_by_definition(const aether_tensor *tensors, size_t count, const size_t *offsets, size_t nodes,
                               size_t bytes, aether_error *want) {
  for (size_t node = 0; node < nodes; node++) {
    for (size_t byte = 0; byte < bytes; byte++) {
      size_t holders[MOST], holding = 0;
      for (size_t i = 0; i < count; i++) {
        int alive = tensors[i].first_use <= node && node <= tensors[i].last_use;
        if (alive && offsets[i] <= byte && byte < offsets[i] + tensors[i].size) {
          holders[holding++] = i;
        }
      }
      if (holding >= 2) {
        *want = (aether_error){AETHER_ERROR_CLASH, 0, holders[0], holders[1], byte, node};
        return 1;
      }
    }
  }
  return 0;
}

/* Whether there is a clash; the checker must say the same, and name the same one. */
static int check_against_definition(const aether_tensor *tensors, size_t count, const size_t *offsets, size_t nodes,
                                    size_t bytes) {
  aether_error want;
  if (clash_by_definition(tensors, count, offsets, nodes, bytes, &want)) {
    check_refused(tensors, count, offsets, want);
    return 1;
  }
  CHECK_EQ(check_offsets(tensors, count, offsets, NULL, NULL), AETHER_OK);
  return 0;
}

static uint32_t random_state;

static size_t random_below(size_t limit) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % limit;
}

static void the_first_clash_of_a_random_plan_is_that_of_the_definition(void) {
  enum { TRIALS = 3000, NODES = 4, BYTES = 16 };
  size_t clashing = 0;
  random_state = 1;
  for (size_t trial = 0; trial < TRIALS; trial++) {
    aether_tensor tensors[6];
    size_t offsets[6], count = 1 + random_below(6);
    for (size_t i = 0; i < count; i++) {
      size_t first = random_below(NODES);
      tensors[i] = (aether_tensor){random_below(5), 1, first, first + random_below(NODES - first)};
      offsets[i] = random_below(12);
    }
    note("trial %zu", trial);
    clashing += (size_t)check_against_definition(tensors, count, offsets, NODES, BYTES);
  }
  CHECK(clashing > TRIALS / 5 && clashing < TRIALS * 4 / 5);
}

static void one_moved_tensor_of_a_hundred_is_found_as_the_definition_says(void) {
  enum { TRIALS = 50, NODES = 12, BYTES = 200 };
  size_t clashing = 0;
  random_state = 2;
  for (size_t trial = 0; trial < TRIALS; trial++) {
    aether_tensor tensors[MOST];
    size_t offsets[MOST], need = sizeof scratch;
    for (size_t i = 0; i < MOST; i++) {
      size_t first = random_below(NODES);
      tensors[i] = (aether_tensor){1 + random_below(6), 1, first, first + random_below(NODES - first) / 3};
    }
    note("trial %zu", trial);
    aether_plan plan;
    CHECK_EQ(aether_plan_offsets(tensors, MOST, offsets, &plan, scratch, need, NULL), AETHER_OK);
    CHECK(plan.lower_bound >= plan.peak_live_bytes && plan.arena_size >= plan.lower_bound);
    CHECK(plan.arena_size < BYTES - 6);
    CHECK(!check_against_definition(tensors, MOST, offsets, NODES, BYTES));
    offsets[random_below(MOST)] = random_below(plan.arena_size);
    clashing += (size_t)check_against_definition(tensors, MOST, offsets, NODES, BYTES);
  }
  CHECK(clashing > TRIALS / 2);
}

int main(void) {
  TEST(the_space_below_the_lowest_live_block_is_reused);
  TEST(an_inner_gap_that_fits_tighter_beats_the_leading_interval);
  TEST(the_leading_interval_wins_a_tie);
  TEST(the_lower_of_two_equal_inner_gaps_wins);
  TEST(a_gap_fits_exactly_or_not_at_all);
  TEST(a_range_within_a_longer_one_does_not_cut_it_short);
  TEST(equal_sizes_are_placed_in_input_order);
  TEST(larger_tensors_are_placed_first_wherever_they_stand);
  TEST(lifetimes_that_share_no_node_share_bytes);
  TEST(lifetimes_that_share_their_end_node_do_not_share_bytes);
  TEST(the_largest_node_index_is_a_node_like_any_other);
  TEST(one_tensor_lies_at_0);
  TEST(no_tensor_needs_an_arena_of_0_bytes);
  TEST(a_tensor_of_size_0_lies_at_0_and_counts_for_nothing);
  TEST(usage_records_are_planned_by_a_copy_loop);
  TEST(a_record_with_a_reversed_lifetime_keeps_every_offset_as_it_was);
  TEST(an_aligned_offset_begins_at_the_next_multiple_above_its_neighbour);
  TEST(the_arena_is_aligned_to_the_least_common_multiple);
  TEST(an_alignment_of_0_means_1);
  TEST(the_bound_counts_the_padding_that_no_order_avoids);
  TEST(the_bound_need_not_lie_at_the_node_of_the_live_peak);
  TEST(intervals_are_compared_by_the_part_from_their_first_aligned_byte_on);
  TEST(the_peak_is_the_largest_sum_and_the_first_node_that_has_it);
  TEST(a_tensor_that_ends_makes_room_at_the_next_node_only);
  TEST(without_bytes_the_peak_is_0_at_no_node);
  TEST(a_moved_tensor_clashes_with_the_one_it_was_moved_onto);
  TEST(the_clash_at_the_smallest_node_is_named);
  TEST(a_clash_begins_where_the_later_of_the_two_begins);
  TEST(at_one_node_the_clash_at_the_smallest_byte_is_named);
  TEST(at_one_byte_the_two_smallest_indices_are_named);
  TEST(a_pair_of_smaller_indices_does_not_hide_a_smaller_byte);
  TEST(a_clash_with_a_block_that_ends_behind_others_is_seen);
  TEST(a_shared_end_node_is_a_clash_and_a_shared_edge_is_none);
  TEST(a_valid_plan_with_holes_is_measured_not_mended);
  TEST(a_misaligned_offset_is_named_before_any_clash);
  TEST(an_end_beyond_size_t_is_named);
  TEST(the_first_clash_of_a_random_plan_is_that_of_the_definition);
  TEST(one_moved_tensor_of_a_hundred_is_found_as_the_definition_says);
  return tests_end();
}
