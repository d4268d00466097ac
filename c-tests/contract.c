/*
 * The promises of aether.h that every call keeps: which buffers it accepts, which statuses it returns with which
 * numbers, what it leaves untouched, how much scratch it needs, and what it says in English.
 *
 * stage.h makes the calls and watches every byte of them.
 */

#include <stdlib.h>

#include "stage.h"

static const unsigned garbages[] = {0x00, 0xff, 0xa5, RANDOM_GARBAGE};

/* An address that no process can read: a call that looks there dies. */
#define NOWHERE ((void *)(UINTPTR_MAX - 4095))

/* The most tensors and edges that can be numbered, where the address space holds so many. */
#define MOST_OF(type) (PTRDIFF_MAX / sizeof(type) < UINT32_MAX ? PTRDIFF_MAX / sizeof(type) : UINT32_MAX)

#define HALF (SIZE_MAX / 2 + 1) /* 2^63 where size_t has 64 bits */

/* ---- One right answer of every function, worked out by hand ---- */

/* 100 rounds up to 112; the bound is 112 + 100. */
static const aether_tensor tensors[] = {{100, 16, 0, 1}, {100, 16, 1, 2}, {0, 3, 7, 7}, {100, 16, 2, 3}};
static const size_t offsets[] = {0, 112, 0, 0};
static const aether_plan sizes = {212, 16, 212, 200};
static const size_t peak = 200, peak_node = 1;

static const aether_tensor one_tensor = {7, 4, 3, 5};
static const size_t one_offset = 0, one_peak = 7, one_node = 3;
static const aether_plan one_sizes = {7, 4, 7, 7};

static const aether_edge edges[] = {{0, 1}, {0, 3}, {1, 2}, {2, 3}, {0, 1}};
static const uint8_t keep[] = {1, 0, 1, 1, 0};
static const size_t kept_count = 3;

static const aether_edge one_edge = {0, 1};
static const uint8_t one_keep = 1;
static const size_t one = 1;

/* Descending ids: 3 -> 1 -> 0, 3 -> 0, and 2 apart. The bypassed edge is protected, another is in the background. */
static const int64_t ranks[] = {9, 5, INT64_MAX, INT64_MIN};
static const aether_edge ranked_edges[] = {{3, 0}, {3, 1}, {1, 0}, {3, 1}};
static const uint8_t flags[] = {AETHER_EDGE_PROTECTED, AETHER_EDGE_ORDINARY, AETHER_EDGE_BACKGROUND,
                                AETHER_EDGE_ORDINARY};
static const uint8_t ranked_keep[] = {1, 1, 0, 0};
static const size_t ranked_kept = 2;

/* The longest paths to the ends of 3 -> 1 -> 0, 3 -> 0. */
static const int64_t depths[] = {2, 1, 0, 0};

/* 0 -> 1 -> 2 -> 3 in whole rows of a word. */
static const uint64_t matrix[] = {15, 14, 12, 8};

static const aether_incidence incidences[] = {{3, 1}, {-1, 4}, {1, 1}};
static const int32_t labels[] = {-1, 0, -1, 0, 1};
static const size_t island_count = 2;

static const int32_t no_parents[] = {-1, -1, -1, -1, -1};
static const uint8_t no_marks[] = {0, 0, 0, 0, 0}, all_awake[] = {1, 1, 1, 1, 1, 1};
static const int32_t parents[] = {-1, -1, -1, -1, -1, /* then */ -1, 1, -1, 1, 4};
static const size_t starts[] = {0, 3, 4};
static const int32_t members[] = {3, -1, 1, 4};
static const int32_t chain_parents[] = {0, 0, 1, 2, 3, /* then */ 0, 0, 0, 0, 0};
static const int32_t chain_root = 0;
static const int32_t forest[] = {-1, 1, 1, 2, 4, 4, 6, /* then */ -1, 1, 1, 1, 4, 4, 6};
static const int32_t forest_labels[] = {-1, 0, 0, 0, 1, 1, 2}, weights[] = {1000, 0, 3, 5, 7, 11, 13};
static const size_t forest_islands = 3;
static const int64_t weight_sum = 39;
static const int32_t incidence_labels[] = {0, 1, 0}, constraint_labels[] = {0, 1};
static const aether_incidence in_worlds[] = {{2, 1}, {99, 99}, {-1, 0}, {2, 2}};
static const size_t in_world_counts[] = {1, 2}, world_islands[] = {1, 2};
static const int32_t world_labels[] = {-1, 0, 0, 0, -1, 1};
static const int32_t item_labels[] = {0, -1, 1, 1}, label_counts[] = {1, 2}, label_starts[] = {0, 1};
static const int32_t item_order[] = {0, 2, 3, 1}, item_inverse[] = {0, 3, 1, 2};
static const size_t labelled = 3;

static const aether_incidence one_incidence = {0, 0};
static const int32_t one_label = 0;

/*
 * Tensor 0 holds nothing at node 1, so tensor 1 may lie on it; tensor 3 may lie on tensor 1, but is kept apart from
 * tensor 0, so the bound is both their sizes. The fixed and the hinted offset are those that they get anyway.
 */
static const size_t fixed_offsets[] = {AETHER_FREE, 0, AETHER_FREE, AETHER_FREE};
static const size_t hint_offsets[] = {AETHER_FREE, AETHER_FREE, 7, 112};
static const aether_gap gap = {0, 1, 1, 0, 0};
static const aether_pair compatible = {3, 1}, apart = {0, 3};
static const aether_range reserved = {300, 400};
static const parts all_parts = {tensors, COUNT(tensors), fixed_offsets, hint_offsets,
                                &gap,    &compatible,    &apart,        &reserved};
static const size_t portfolio_offsets[] = {0, 0, 0, 112};
static const aether_plan portfolio_sizes = {212, 16, 200, 200};
static const aether_outcome outcome = {{212, 16, 200, 200}, AETHER_FITS, AETHER_PLANNER_SIZE};
/* One of the two apart tensors is placed, the other does not fit: two nodes in each order and two for the proof. */
static const aether_search searched = {
    {212, 16, 212, 200}, 10, AETHER_FITS, AETHER_STOPPED_OPTIMAL, AETHER_PLANNER_SIZE, 0};
static const size_t bound = 200, live = 200;

/*
 * alloc a, x = if { free a, alloc b, yield b } else { yield a }, free x; beside them a value from outside. Where b is
 * alive a is free.
 */
static const aether_op ops[] = {{AETHER_NO_OP, 0, 0, 0}, {AETHER_NO_OP, 0, 0, AETHER_OP_EXCLUSIVE}, {1, 0, 1, 0},
                                {1, 0, 1, 0},            {1, 0, 1, 0},                              {1, 1, 2, 0},
                                {AETHER_NO_OP, 0, 0, 0}};
static const uint32_t value_ops[] = {0, 1, 3, AETHER_NO_OP};
static const aether_alloc allocs[] = {{64, 16, 0, 0, 0, 0}, {32, 0, 3, 2, 0, 0}};
static const aether_dealloc deallocs[] = {{2, 0}, {6, 1}};
static const aether_use uses[] = {{4, 2, 0}, {5, 0, 0}};
static const aether_alias aliases[] = {{2, 1, 1, 0}, {0, 1, 1, 1}};
static const uint32_t foreign[] = {3};
static const flow_parts all_flow = {ops,  COUNT(ops),  value_ops, COUNT(value_ops), allocs,  COUNT(allocs),  deallocs,
                                    COUNT(deallocs), uses, COUNT(uses), aliases, COUNT(aliases), foreign,
                                    COUNT(foreign)};
static const aether_tensor lives[] = {{64, 16, 0, 5}, {32, 1, 3, 5}};
static const aether_alloc_result results[] = {{AETHER_DECISION_PLANNED, 0, NONE}, {AETHER_DECISION_PLANNED, 0, NONE}};
static const uint8_t erasable[] = {1, 1};
static const aether_pair pairs[] = {{0, 1}};

static const aether_plan arena_sizes = {48, 1, 48, 48};
static const unsigned char arena[64];

/*
 * The first and the last share the fast space one after the other; the second is alive with both. All three at cost 2
 * are 600, and of the bytes in the fast space, at most 100 at a node, two tensors save 1 each.
 */
static const aether_space two_spaces[] = {{100, 16, 1}, {SIZE_MAX, 0, 2}};
static const uint32_t allowed[] = {3, 3, 3, 1}, pinned_spaces[] = {AETHER_NO_SPACE, 1, AETHER_NO_SPACE, 0};
static const size_t space_offsets[] = {AETHER_FREE, 0, 7, 0}, access_weights[] = {100, 100, 0, 100};
static const spaces_parts all_spaces = {tensors, COUNT(tensors), two_spaces,    COUNT(two_spaces),
                                        allowed, pinned_spaces,  space_offsets, access_weights};
static const uint32_t homes[] = {0, 1, AETHER_NO_SPACE, 0};
static const size_t home_offsets[] = {0, 0, 0, 0};
static const aether_space_report reports[] = {{{100, 16, 100, 100}, 100, NONE, 100},
                                              {{100, 16, 100, 100}, SIZE_MAX, NONE, SIZE_MAX}};
static const aether_spaces_outcome spaces_outcome = {400, 400, 0, 0, NONE, AETHER_FITS, 0};

enum {
  PLAN,
  PLAN_1,
  JUDGE,
  JUDGE_1,
  PEAK,
  PEAK_1,
  PORTFOLIO,
  SEARCH,
  JUDGE_PROBLEM,
  BOUND,
  SPACES,
  REDUCTION,
  REDUCTION_1,
  RANKED,
  RANKS,
  REACH,
  ISLANDS,
  ISLANDS_1,
  BEGIN,
  MERGE,
  MERGE_MANY,
  CONCURRENT,
  CONCURRENT_MANY,
  ROOT,
  FINISH,
  INCIDENCE_LABELS,
  CONSTRAINT_LABELS,
  BATCH,
  GROUP,
  FLOW,
  ARENA,
  PLAYS
};
static play plays[PLAYS];

static void write_plays(void) {
  plays[PLAN] = plan_offsets(tensors, COUNT(tensors), offsets, &sizes);
  plays[PLAN_1] = plan_offsets(&one_tensor, 1, &one_offset, &one_sizes);
  plays[JUDGE] = check_offsets(tensors, COUNT(tensors), offsets, &sizes);
  plays[JUDGE_1] = check_offsets(&one_tensor, 1, &one_offset, &one_sizes);
  plays[PEAK] = peak_live_bytes(tensors, COUNT(tensors), &peak, &peak_node);
  plays[PEAK_1] = peak_live_bytes(&one_tensor, 1, &one_peak, &one_node);
  plays[PORTFOLIO] = plan_portfolio(all_parts, portfolio_offsets, &outcome);
  plays[SEARCH] = plan_search(all_parts, portfolio_offsets, &searched);
  plays[JUDGE_PROBLEM] = check_problem(all_parts, portfolio_offsets, &portfolio_sizes);
  plays[BOUND] = lower_bound(all_parts, &bound, &live);
  plays[SPACES] = plan_spaces(all_spaces, homes, home_offsets, reports, &spaces_outcome);
  plays[REDUCTION] = transitive_reduction(4, edges, COUNT(edges), keep, &kept_count);
  plays[REDUCTION_1] = transitive_reduction(2, &one_edge, 1, &one_keep, &one);
  plays[RANKED] =
      transitive_reduction_ranked(4, ranks, ranked_edges, COUNT(ranked_edges), flags, ranked_keep, &ranked_kept);
  plays[RANKS] = topological_ranks(4, ranked_edges, COUNT(ranked_edges), depths);
  plays[REACH] = reachability(4, edges, COUNT(edges), matrix);
  plays[ISLANDS] = islands(5, incidences, COUNT(incidences), labels, &island_count);
  plays[ISLANDS_1] = islands(1, &one_incidence, 1, &one_label, &one);
  plays[BEGIN] = islands_begin(5, no_parents, no_marks);
  plays[MERGE] = islands_merge("aether_islands_merge", call_islands_merge, 5, parents, incidences, COUNT(incidences),
                               all_awake);
  plays[MERGE_MANY] = islands_merge_many("aether_islands_merge_many", call_islands_merge_many, 5, parents, starts, 2,
                                         members, all_awake);
  plays[CONCURRENT] = islands_merge("aether_islands_concurrent_merge", call_islands_concurrent_merge, 5, parents,
                                    incidences, COUNT(incidences), all_awake);
  plays[CONCURRENT_MANY] = islands_merge_many("aether_islands_concurrent_merge_many",
                                              call_islands_concurrent_merge_many, 5, parents, starts, 2, members,
                                              all_awake);
  plays[ROOT] = islands_root(5, chain_parents, &chain_root);
  plays[FINISH] = islands_finish(7, forest, forest_labels, weights, &forest_islands, &weight_sum);
  plays[INCIDENCE_LABELS] =
      islands_incidence_labels(5, labels, incidences, COUNT(incidences), incidence_labels);
  plays[CONSTRAINT_LABELS] = islands_constraint_labels(5, labels, starts, 2, members, constraint_labels);
  plays[BATCH] = islands_batch(2, in_worlds, in_world_counts, world_labels, all_awake, world_islands);
  plays[GROUP] = group_by_label(item_labels, COUNT(item_labels), 2, label_counts, label_starts, item_order,
                                item_inverse, &labelled);
  plays[FLOW] = flow_lifetimes(all_flow, lives, results, erasable, pairs, COUNT(pairs), &one);
  plays[ARENA] = check_arena(&arena_sizes, arena, sizeof arena);
}

/* The tests below run every play; `p` is the play, and `i` and `j` are buffers of it. */
#define FOR_EACH_PLAY(p) for (const play *p = plays; p < plays + PLAYS; p++)
#define FOR_EACH_BUFFER(i, p) for (size_t i = 0; i < (p)->buffer_count; i++)

static aether_error record(aether_status status, size_t index, size_t other, size_t got, size_t limit) {
  return (aether_error){status, 0, index, other, got, limit};
}

/* ---- Buffers ---- */

static void garbage_in_outputs_and_scratch_changes_nothing(void) {
  FOR_EACH_PLAY(p) {
    for (size_t g = 0; g < COUNT(garbages); g++) {
      note("%s, garbage %u", p->name, garbages[g]);
      stage s = set_up(p, garbages[g]);
      expect_answer(p, &s);
      s = set_up(p, garbages[g]);
      s.error = NULL;
      expect_answer(p, &s);
    }
  }
}

static void outputs_and_scratch_need_not_be_initialised(void) {
  FOR_EACH_PLAY(p) {
    void *at[MOST_BUFFERS] = {NULL};
    size_t scratch_size = 0;
    note("%s", p->name);
    FOR_EACH_BUFFER(i, p) {
      /* Blocks of exactly the bytes that the call may use; a memory checker sees the rest. */
      at[i] = malloc(p->buffers[i].bytes);
      if (is_input(&p->buffers[i]) || p->buffers[i].role == CHANGED) {
        memcpy(at[i], p->buffers[i].content, p->buffers[i].bytes);
      } else if (p->buffers[i].role == SCRATCH) {
        scratch_size = p->buffers[i].bytes;
      }
    }
    aether_error *error = malloc(sizeof *error);
    CHECK_EQ(p->call(at, p->count, scratch_size, error), AETHER_OK);
    CHECK_EQ(error->status, AETHER_OK);
    FOR_EACH_BUFFER(i, p) {
      if (p->buffers[i].content != NULL) {
        CHECK(memcmp(at[i], answer_of(&p->buffers[i]), p->buffers[i].bytes) == 0);
      }
      free(at[i]);
    }
    free(error);
  }
}

static void more_scratch_than_needed_changes_nothing(void) {
  FOR_EACH_PLAY(p) {
    const size_t more[] = {1, 7, 8, 64, 800};
    for (size_t m = 0; m < COUNT(more); m++) {
      note("%s, %zu more", p->name, more[m]);
      stage s = set_up(p, RANDOM_GARBAGE);
      s.scratch_size += more[m];
      expect_answer(p, &s);
    }
  }
}

/* Every size; where the environment has AETHER_FEWER, as under Valgrind, every 61st away from both ends. */
static void each_smaller_scratch_is_refused_with_what_is_needed(void) {
  size_t step = getenv("AETHER_FEWER") == NULL ? 1 : 61;
  FOR_EACH_PLAY(p) {
    FOR_EACH_BUFFER(i, p) {
      const buffer *b = &p->buffers[i];
      size_t given = 0;
      for (; b->role == SCRATCH && given < b->bytes; given += given >= 64 && b->bytes - given > 64 + step ? step : 1) {
        note("%s, %zu bytes", p->name, given);
        stage s = set_up(p, 0xa5);
        s.scratch_size = given;
        expect_error(p, &s, record(AETHER_ERROR_SCRATCH_TOO_SMALL, b->argument, NONE, given, b->bytes));
      }
      if (b->role == SCRATCH) {
        note("%s, no scratch", p->name);
        stage s = set_up(p, 0xa5);
        s.at[i] = NULL;
        s.scratch_size = 0;
        expect_error(p, &s, record(AETHER_ERROR_SCRATCH_TOO_SMALL, b->argument, NONE, 0, b->bytes));
      }
    }
  }
}

static void a_misaligned_buffer_is_refused_with_its_remainder(void) {
  FOR_EACH_PLAY(p) {
    FOR_EACH_BUFFER(i, p) {
      const buffer *b = &p->buffers[i];
      for (size_t beyond = 1; beyond <= 7; beyond++) {
        note("%s, argument %zu, address %zu modulo 8", p->name, b->argument, beyond);
        stage s = set_up(p, RANDOM_GARBAGE);
        move_to(p, &s, i, (unsigned char *)s.at[i] + beyond);
        if (beyond % b->align == 0) {
          expect_answer(p, &s);
        } else {
          expect_error(p, &s, record(AETHER_ERROR_MISALIGNED, b->argument, member_of(b), beyond % b->align, b->align));
        }
      }
    }
  }
}

static void a_misaligned_error_record_is_not_written(void) {
  FOR_EACH_PLAY(p) {
    for (size_t beyond = 1; beyond <= 7; beyond++) {
      note("%s, address %zu modulo 8", p->name, beyond);
      stage s = set_up(p, RANDOM_GARBAGE);
      s.error = (void *)((unsigned char *)s.error + beyond);
      if (beyond % alignof(aether_error) == 0) {
        expect_answer(p, &s);
      } else {
        expect_silent_error(p, &s, AETHER_ERROR_MISALIGNED);
      }
    }
  }
}

static void null_is_refused_where_bytes_are_needed_and_fine_for_an_optional_output(void) {
  FOR_EACH_PLAY(p) {
    stage none_wanted = set_up(p, 0xa5);
    FOR_EACH_BUFFER(i, p) {
      const buffer *b = &p->buffers[i];
      note("%s, argument %zu", p->name, b->argument);
      stage s = set_up(p, 0xa5);
      s.at[i] = NULL;
      if (b->role == OPTIONAL || b->role == OPTIONAL_INPUT) {
        expect_answer(p, &s);
        none_wanted.at[i] = NULL;
      } else if (b->role != NULLABLE && b->role != NULLABLE_OUTPUT) {
        expect_error(p, &s, record(AETHER_ERROR_NULL, b->argument, member_of(b), 0, b->bytes));
      }
    }
    note("%s, no optional output", p->name);
    expect_answer(p, &none_wanted);
  }
}

static void overlapping_buffers_are_refused_and_touching_ones_are_fine(void) {
  FOR_EACH_PLAY(p) {
    FOR_EACH_BUFFER(i, p) {
      for (size_t j = i + 1; j < p->buffer_count; j++) {
        const buffer *b = &p->buffers[i], *c = &p->buffers[j];
        if (is_input(b) && is_input(c)) {
          continue;
        }
        note("%s, arguments %zu and %zu", p->name, b->argument, c->argument);
        aether_error want = record(AETHER_ERROR_OVERLAP, b->argument, c->argument, 0, 0);
        stage s = set_up(p, 0xa5);
        move_to(p, &s, j, (unsigned char *)s.at[i] + last_word(b->bytes));
        expect_error(p, &s, want);
        s = set_up(p, 0xa5);
        move_to(p, &s, i, (unsigned char *)s.at[j] + last_word(c->bytes));
        expect_error(p, &s, want);
        s = set_up(p, 0xa5);
        move_to(p, &s, i, s.at[j]);
        expect_error(p, &s, want);

        s = set_up(p, 0xa5);
        move_to(p, &s, j, (unsigned char *)s.at[i] + round_up(b->bytes, c->align));
        expect_answer(p, &s);
        s = set_up(p, 0xa5);
        move_to(p, &s, i, (unsigned char *)s.at[j] + round_up(c->bytes, b->align));
        expect_answer(p, &s);
      }
    }
  }
}

static void an_error_record_that_overlaps_a_buffer_is_not_written(void) {
  FOR_EACH_PLAY(p) {
    FOR_EACH_BUFFER(i, p) {
      const buffer *b = &p->buffers[i];
      note("%s, argument %zu", p->name, b->argument);
      stage s = set_up(p, RANDOM_GARBAGE);
      s.error = (void *)((unsigned char *)s.at[i] + last_word(b->bytes));
      expect_silent_error(p, &s, AETHER_ERROR_OVERLAP);
      s = set_up(p, RANDOM_GARBAGE);
      move_to(p, &s, i, (unsigned char *)s.error + last_word(sizeof *s.error));
      expect_silent_error(p, &s, AETHER_ERROR_OVERLAP);

      s = set_up(p, RANDOM_GARBAGE);
      s.error = (void *)((unsigned char *)s.at[i] + round_up(b->bytes, alignof(aether_error)));
      expect_answer(p, &s);
      s = set_up(p, RANDOM_GARBAGE);
      move_to(p, &s, i, s.error + 1);
      expect_answer(p, &s);
    }
  }
}

static void a_record_that_overlaps_a_buffer_is_not_written_for_a_bad_count_either(void) {
  play p = plays[ISLANDS];
  stage s = set_up(&p, RANDOM_GARBAGE);
  s.count[0] = (size_t)INT32_MAX + 1;
  s.error = s.at[0];
  expect_silent_error(&p, &s, AETHER_ERROR_TOO_MANY);
  s = set_up(&p, RANDOM_GARBAGE);
  s.count[0] = (size_t)INT32_MAX + 1;
  s.error = (void *)((unsigned char *)s.error + 1);
  expect_silent_error(&p, &s, AETHER_ERROR_TOO_MANY);
}

/* Only the bytes of scratch that are needed are used, so only they must be apart from the other buffers. */
static void spare_scratch_may_lie_anywhere(void) {
  play p = plays[PLAN];
  const size_t need = p.buffers[3].bytes;
  stage s = set_up(&p, RANDOM_GARBAGE);
  s.at[3] = (unsigned char *)s.at[1] - need;
  s.scratch_size = need + 64;
  expect_answer(&p, &s);
  s.scratch_size = SIZE_MAX;
  expect_answer(&p, &s);
}

static void a_record_behind_too_short_scratch_is_written(void) {
  play p = plays[PLAN];
  stage s = set_up(&p, RANDOM_GARBAGE);
  s.scratch_size = 8;
  s.error = (void *)((unsigned char *)s.at[3] + 8);
  expect_error(&p, &s, record(AETHER_ERROR_SCRATCH_TOO_SMALL, 4, NONE, 8, p.buffers[3].bytes));
}

static void two_inputs_may_overlap(void) {
  /* The first two words are also the offsets: [8, 16) and [4, 8). */
  const aether_tensor tensor_words[] = {{8, 4, 0, 0}, {4, 1, 0, 0}};
  const aether_plan want = {16, 4, 12, 12};
  play p = check_offsets(tensor_words, 2, (const size_t *)(const void *)tensor_words, &want);
  stage s = set_up(&p, 0xa5);
  s.at[1] = s.at[0];
  expect_answer(&p, &s);
}

/* ---- Counts ---- */

static void null_with_a_count_of_0_is_an_empty_array(void) {
  static const aether_plan no_sizes = {0, 1, 0, 0};
  static const size_t zero = 0, none = NONE;
  static const int64_t no_weight = 0;
  const play empty[] = {plan_offsets(NULL, 0, NULL, &no_sizes), check_offsets(NULL, 0, NULL, &no_sizes),
                        peak_live_bytes(NULL, 0, &zero, &none), transitive_reduction(0, NULL, 0, NULL, &zero),
                        transitive_reduction(5, NULL, 0, NULL, &zero),
                        transitive_reduction_ranked(0, NULL, NULL, 0, NULL, NULL, &zero),
                        topological_ranks(0, NULL, 0, NULL), reachability(0, NULL, 0, NULL),
                        islands(0, NULL, 0, NULL, &zero), islands_begin(0, NULL, NULL),
                        islands_merge("aether_islands_merge", call_islands_merge, 0, NULL, NULL, 0, NULL),
                        islands_finish(0, NULL, NULL, NULL, &zero, &no_weight),
                        islands_incidence_labels(0, NULL, NULL, 0, NULL),
                        islands_batch(0, NULL, NULL, NULL, NULL, NULL),
                        group_by_label(NULL, 0, 0, NULL, NULL, NULL, NULL, &zero),
                        flow_lifetimes((flow_parts){0}, NULL, NULL, NULL, NULL, 0, &zero)};
  for (size_t e = 0; e < COUNT(empty); e++) {
    const play *p = &empty[e];
    note("%s", p->name);
    stage there = set_up(p, 0xa5), all_null = there;
    expect_answer(p, &there);
    stage only_outputs = set_up(p, 0xa5);
    FOR_EACH_BUFFER(i, p) {
      all_null.at[i] = NULL;
      if (p->buffers[i].role != OPTIONAL) {
        only_outputs.at[i] = NULL;
      }
    }
    expect_answer(p, &only_outputs);
    all_null.error = NULL;
    expect_answer(p, &all_null);
  }
  played = all_flow;
  note("%s", "a pointer to nothing may be anything");
  play nothing = plan_offsets(NULL, 0, NULL, &no_sizes);
  stage anywhere = set_up(&nothing, 0xa5);
  anywhere.at[0] = (unsigned char *)anywhere.at[2] + 1;
  anywhere.at[1] = (unsigned char *)anywhere.at[2] + 3;
  expect_answer(&nothing, &anywhere);
  note("%s", "scratch of some bytes is not NULL, needed or not");
  anywhere.at[3] = NULL;
  anywhere.scratch_size = 5;
  expect_error(&nothing, &anywhere, record(AETHER_ERROR_NULL, 4, NONE, 0, 0));
  note("%s", "");
  /* Nodes without an incidence are in no island. */
  const int32_t untouched[] = {-1, -1, -1};
  play p = islands(3, NULL, 0, untouched, &zero);
  stage s = set_up(&p, 0xa5);
  s.at[0] = NULL;
  expect_answer(&p, &s);
}

/* The count is refused, and no buffer is looked at. */
static void check_too_many(play p, size_t position, size_t count, size_t index, size_t limit) {
  note("%s, count %zu", p.name, count);
  stage s = set_up(&p, 0xa5);
  s.count[position] = count;
  FOR_EACH_BUFFER(i, &p) {
    s.at[i] = p.buffers[i].role == OPTIONAL ? NULL : NOWHERE;
  }
  expect_error(&p, &s, record(AETHER_ERROR_TOO_MANY, index, NONE, count, limit));
}

static void a_count_above_the_limit_is_refused_before_anything_is_read(void) {
  const size_t of_tensors[] = {PLAN, JUDGE, PEAK};
  for (size_t t = 0; t < COUNT(of_tensors); t++) {
    const size_t limit = MOST_OF(aether_tensor);
    const size_t counts[] = {limit + 1, SIZE_MAX / 32 + 1, SIZE_MAX / 16, SIZE_MAX / 16 + 1, SIZE_MAX / 2, HALF,
                             SIZE_MAX - 1, SIZE_MAX};
    for (size_t c = 0; c < COUNT(counts); c++) {
      check_too_many(plays[of_tensors[t]], 0, counts[c], 1, limit);
    }
  }
  const size_t limit = MOST_OF(aether_edge);
  const size_t counts[] = {limit + 1, SIZE_MAX / 9, SIZE_MAX / 8 + 1, SIZE_MAX / 2, HALF, SIZE_MAX};
  for (size_t c = 0; c < COUNT(counts); c++) {
    check_too_many(plays[REDUCTION], 1, counts[c], 2, limit);
    check_too_many(plays[RANKED], 1, counts[c], 3, limit);
    check_too_many(plays[RANKS], 1, counts[c], 2, limit);
    check_too_many(plays[REACH], 1, counts[c], 2, limit);
  }
#if SIZE_MAX > UINT32_MAX
  const size_t nodes[] = {(size_t)UINT32_MAX + 1, SIZE_MAX / 80, SIZE_MAX / 80 + 1, SIZE_MAX / 2, HALF, SIZE_MAX};
  for (size_t c = 0; c < COUNT(nodes); c++) {
    check_too_many(plays[REDUCTION], 0, nodes[c], 0, UINT32_MAX);
    check_too_many(plays[RANKED], 0, nodes[c], 0, UINT32_MAX);
    check_too_many(plays[RANKS], 0, nodes[c], 0, UINT32_MAX);
    check_too_many(plays[REACH], 0, nodes[c], 0, UINT32_MAX);
  }
#endif
  const size_t of_problems[] = {PORTFOLIO, SEARCH, JUDGE_PROBLEM, BOUND, SPACES};
  for (size_t t = 0; t < COUNT(of_problems); t++) {
    play p = plays[of_problems[t]];
    note("%s", p.name);
    stage s = set_up(&p, 0xa5);
    s.count[0] = MOST_OF(aether_tensor) + 1;
    FOR_EACH_BUFFER(i, &p) {
      s.at[i] = p.buffers[i].role == OPTIONAL ? NULL : NOWHERE;
    }
    expect_error(&p, &s, record(AETHER_ERROR_TOO_MANY, 0, 2, s.count[0], MOST_OF(aether_tensor)));
  }
  const size_t trees[] = {(size_t)INT32_MAX + 1, UINT32_MAX, SIZE_MAX / 4, SIZE_MAX / 4 + 1, SIZE_MAX / 2, SIZE_MAX};
  for (size_t c = 0; c < COUNT(trees); c++) {
    check_too_many(plays[ISLANDS], 0, trees[c], 0, INT32_MAX);
  }
  const size_t of_nodes[] = {BEGIN, MERGE, MERGE_MANY, CONCURRENT, CONCURRENT_MANY, ROOT, FINISH, INCIDENCE_LABELS,
                             CONSTRAINT_LABELS};
  for (size_t t = 0; t < COUNT(of_nodes); t++) {
    check_too_many(plays[of_nodes[t]], 0, (size_t)INT32_MAX + 1, 0, INT32_MAX);
    check_too_many(plays[of_nodes[t]], 0, SIZE_MAX, 0, INT32_MAX);
  }
  check_too_many(plays[BATCH], 1, (size_t)INT32_MAX + 1, 1, INT32_MAX);
  check_too_many(plays[BATCH], 0, SIZE_MAX, 0, PTRDIFF_MAX / sizeof(size_t));
  check_too_many(plays[GROUP], 0, (size_t)INT32_MAX + 1, 1, INT32_MAX);
  check_too_many(plays[GROUP], 1, (size_t)INT32_MAX + 1, 2, INT32_MAX);
  check_too_many(plays[MERGE_MANY], 1, SIZE_MAX, 4, PTRDIFF_MAX / sizeof(size_t) - 1);
  check_too_many(plays[CONSTRAINT_LABELS], 1, SIZE_MAX, 3, PTRDIFF_MAX / sizeof(size_t) - 1);
  const size_t most = PTRDIFF_MAX / sizeof(aether_incidence);
  const size_t touches[] = {most + 1, SIZE_MAX / 8, SIZE_MAX / 8 + 1, SIZE_MAX / 2, SIZE_MAX};
  for (size_t c = 0; c < COUNT(touches); c++) {
    check_too_many(plays[ISLANDS], 1, touches[c], 2, most);
  }
}

/* A count that is too large is an error of its own: what the buffer would then overlap does not matter. */
static void a_count_above_the_limit_is_refused_wherever_the_error_record_lies(void) {
  const struct {
    const play *p;
    size_t position, index, limit;
  } cases[] = {{&plays[PLAN], 0, 1, MOST_OF(aether_tensor)}, {&plays[JUDGE], 0, 1, MOST_OF(aether_tensor)},
               {&plays[PEAK], 0, 1, MOST_OF(aether_tensor)}, {&plays[REDUCTION], 1, 2, MOST_OF(aether_edge)},
               {&plays[ISLANDS], 0, 0, INT32_MAX}};
  for (size_t c = 0; c < COUNT(cases); c++) {
    const play *p = cases[c].p;
    size_t count = cases[c].limit + 1;
    note("%s, the record behind the buffers", p->name);
    stage s = set_up(p, 0xa5);
    s.count[cases[c].position] = count;
    s.error = (void *)(memory + sizeof memory - MARGIN);
    expect_error(p, &s, record(AETHER_ERROR_TOO_MANY, cases[c].index, NONE, count, cases[c].limit));

#if SIZE_MAX > UINT32_MAX
    /* So large that the bytes from address 0 on reach every record there is. */
    count = SIZE_MAX / 16;
    note("%s, the buffers NULL", p->name);
    s = set_up(p, 0xa5);
    s.count[cases[c].position] = count;
    FOR_EACH_BUFFER(i, p) {
      s.at[i] = NULL;
    }
    expect_error(p, &s, record(AETHER_ERROR_TOO_MANY, cases[c].index, NONE, count, cases[c].limit));
#endif
  }
}

static void null_with_the_largest_count_is_still_null(void) {
  play p = plays[PLAN];
  const size_t most = MOST_OF(aether_tensor);
  stage s = set_up(&p, 0xa5);
  s.count[0] = most;
  s.at[0] = NULL;
  s.at[1] = NULL;
  expect_error(&p, &s, record(AETHER_ERROR_NULL, 0, NONE, 0, most * sizeof(aether_tensor)));
  /* So many bytes from address 0 on would reach half of all addresses. */
  p = plays[ISLANDS];
  s = set_up(&p, 0xa5);
  s.count[1] = PTRDIFF_MAX / sizeof(aether_incidence);
  s.at[0] = NULL;
  expect_error(&p, &s, record(AETHER_ERROR_NULL, 1, NONE, 0, s.count[1] * sizeof(aether_incidence)));
}

static void the_largest_counts_only_want_their_scratch(void) {
  const struct {
    play p;
    size_t count[2], argument, need;
  } cases[] = {
      {plays[PLAN], {MOST_OF(aether_tensor)}, 4, AETHER_PLAN_OFFSETS_SCRATCH_SIZE(MOST_OF(aether_tensor))},
      {plays[JUDGE], {MOST_OF(aether_tensor)}, 4, AETHER_CHECK_OFFSETS_SCRATCH_SIZE(MOST_OF(aether_tensor))},
      {plays[PEAK], {MOST_OF(aether_tensor)}, 4, AETHER_PEAK_LIVE_BYTES_SCRATCH_SIZE(MOST_OF(aether_tensor))},
#if SIZE_MAX > UINT32_MAX
      {plays[REDUCTION], {UINT32_MAX, UINT32_MAX}, 5, AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(UINT32_MAX, UINT32_MAX)},
      {plays[RANKED],
       {UINT32_MAX, UINT32_MAX},
       7,
       AETHER_TRANSITIVE_REDUCTION_RANKED_SCRATCH_SIZE(UINT32_MAX, UINT32_MAX)},
      {plays[RANKS], {UINT32_MAX, UINT32_MAX}, 6, AETHER_TOPOLOGICAL_RANKS_SCRATCH_SIZE(UINT32_MAX, UINT32_MAX)},
      {plays[REACH], {UINT32_MAX, UINT32_MAX}, 4, AETHER_REACHABILITY_SCRATCH_SIZE(UINT32_MAX)},
#endif
  };
  for (size_t c = 0; c < COUNT(cases); c++) {
    note("%s", cases[c].p.name);
    stage s = set_up(&cases[c].p, 0xa5);
    memcpy(s.count, cases[c].count, sizeof s.count);
    FOR_EACH_BUFFER(i, &cases[c].p) {
      s.at[i] = cases[c].p.buffers[i].role == OPTIONAL ? NULL : NOWHERE;
    }
    s.scratch_size = 4096;
    expect_error(&cases[c].p, &s,
                 record(AETHER_ERROR_SCRATCH_TOO_SMALL, cases[c].argument, NONE, 4096, cases[c].need));
  }
}

/* ---- The order of the checks ---- */

static void what_is_wrong_is_named_in_the_order_that_the_header_gives(void) {
  /* The lifetime of the second tensor is reversed in all of these. */
  const aether_tensor reversed[] = {{8, 1, 0, 1}, {8, 1, 3, 2}, {8, 1, 4, 5}};
  play p = plan_offsets(reversed, 3, NULL, NULL);
  stage s = set_up(&p, 0xa5);
  const size_t need = s.scratch_size;
  expect_error(&p, &s, record(AETHER_ERROR_LIFETIME, 1, NONE, 3, 2));
  /* Then an overlap comes before the contents. */
  s.at[2] = s.at[1];
  expect_error(&p, &s, record(AETHER_ERROR_OVERLAP, 2, 3, 0, 0));
  /* Argument 4 is wrong: NULL before its alignment before its size, and all before an overlap. */
  s.scratch_size--;
  expect_error(&p, &s, record(AETHER_ERROR_SCRATCH_TOO_SMALL, 4, NONE, need - 1, need));
  s.at[3] = (unsigned char *)s.at[3] + 1;
  expect_error(&p, &s, record(AETHER_ERROR_MISALIGNED, 4, NONE, 1, 8));
  s.at[3] = NULL;
  expect_error(&p, &s, record(AETHER_ERROR_NULL, 4, NONE, 0, need));
  /* Argument 3 comes before 4, 2 before 3, and 0 before 2. */
  s.at[2] = (unsigned char *)s.at[2] + 4;
  if (alignof(aether_plan) == 8) {
    expect_error(&p, &s, record(AETHER_ERROR_MISALIGNED, 3, NONE, 4, 8));
  }
  s.at[1] = NULL;
  expect_error(&p, &s, record(AETHER_ERROR_NULL, 2, NONE, 0, 3 * sizeof(size_t)));
  s.at[0] = (unsigned char *)s.at[0] + 2;
  expect_error(&p, &s, record(AETHER_ERROR_MISALIGNED, 0, NONE, 2, alignof(aether_tensor)));
  /* A count comes first. */
  s.count[0] = SIZE_MAX;
  expect_error(&p, &s, record(AETHER_ERROR_TOO_MANY, 1, NONE, SIZE_MAX, MOST_OF(aether_tensor)));
}

/* ---- Contents ---- */

static void check_refused(play p, aether_error want) {
  for (size_t g = 0; g < COUNT(garbages); g++) {
    note("%s, garbage %u", p.name, garbages[g]);
    stage s = set_up(&p, garbages[g]);
    expect_error(&p, &s, want);
  }
}

static void check_answer(play p) {
  note("%s", p.name);
  stage s = set_up(&p, 0xa5);
  expect_answer(&p, &s);
}

static void a_reversed_lifetime_is_named(void) {
  const aether_tensor reversed[] = {{8, 1, 0, 1}, {8, 1, 5, 3}, {8, 1, 2, 1}};
  const aether_error want = {AETHER_ERROR_LIFETIME, 0, 1, NONE, 5, 3};
  check_refused(plan_offsets(reversed, 3, NULL, NULL), want);
  check_refused(check_offsets(reversed, 3, offsets, NULL), want);
  check_refused(peak_live_bytes(reversed, 3, NULL, NULL), want);
  const aether_tensor extremes[] = {{8, 1, 0, SIZE_MAX}, {8, 1, SIZE_MAX, 0}};
  check_refused(plan_offsets(extremes, 2, NULL, NULL), record(AETHER_ERROR_LIFETIME, 1, NONE, SIZE_MAX, 0));
}

static void a_reversed_lifetime_is_an_error_at_size_0_too(void) {
  const aether_tensor reversed[] = {{8, 1, 0, 1}, {0, 1, 1, 0}};
  const aether_error want = {AETHER_ERROR_LIFETIME, 0, 1, NONE, 1, 0};
  check_refused(plan_offsets(reversed, 2, NULL, NULL), want);
  check_refused(check_offsets(reversed, 2, offsets, NULL), want);
  check_refused(peak_live_bytes(reversed, 2, NULL, NULL), want);
}

static void a_common_multiple_beyond_size_t_is_named(void) {
  /* lcm(2, HALF) is HALF; times 3 it does not fit. They do not even meet. */
  const aether_tensor coprime[] = {{8, 2, 0, 0}, {8, HALF, 1, 1}, {8, 3, 2, 2}, {8, 5, 3, 3}};
  const size_t zeros[4] = {0};
  const aether_error want = {AETHER_ERROR_ALIGNMENT_OVERFLOW, 0, 2, NONE, 3, HALF};
  check_refused(plan_offsets(coprime, 4, NULL, NULL), want);
  check_refused(check_offsets(coprime, 4, zeros, NULL), want);
  /* The peak does not look at alignments. */
  const size_t bytes = 8, node = 0;
  check_answer(peak_live_bytes(coprime, 4, &bytes, &node));
}

static void the_largest_alignments_are_fine_where_their_multiple_fits(void) {
  const aether_tensor aligned[] = {{8, HALF, 0, 0}, {8, HALF, 0, 0}, {0, 3, 0, 0}};
  const size_t want[] = {0, HALF, 0};
  const aether_plan plan = {HALF + 8, HALF, HALF + 8, 16};
  check_answer(plan_offsets(aligned, 3, want, &plan));
  check_answer(check_offsets(aligned, 3, want, &plan));
  const aether_tensor odd = {1, SIZE_MAX, 0, 0};
  const aether_plan odd_plan = {1, SIZE_MAX, 1, 1};
  const size_t zero = 0;
  check_answer(plan_offsets(&odd, 1, &zero, &odd_plan));
}

static void an_arena_beyond_size_t_is_refused_naming_both_tensors(void) {
  const aether_tensor halves[] = {{HALF, 1, 0, 1}, {HALF, 1, 1, 2}};
  check_refused(plan_offsets(halves, 2, NULL, NULL), record(AETHER_ERROR_ARENA_OVERFLOW, 1, 0, HALF, HALF - 1));
  /* The same two in the middle; the first does not meet them, and the last is placed after them. */
  const aether_tensor middle[] = {{SIZE_MAX, 1, 7, 9}, {HALF, 1, 0, 1}, {HALF, 1, 1, 2}, {8, 1, 0, 9}};
  check_refused(plan_offsets(middle, 4, NULL, NULL), record(AETHER_ERROR_ARENA_OVERFLOW, 2, 1, HALF, HALF - 1));
  /* Of two that it would lie on, the first. */
  const aether_tensor two[] = {{HALF, 1, 0, 0}, {HALF, 1, 1, 1}, {HALF, 1, 0, 1}};
  check_refused(plan_offsets(two, 3, NULL, NULL), record(AETHER_ERROR_ARENA_OVERFLOW, 2, 0, HALF, HALF - 1));
  /* One byte less fits exactly. */
  const aether_tensor fitting[] = {{HALF, 1, 0, 1}, {HALF - 1, 1, 1, 2}};
  const size_t want[] = {0, HALF};
  const aether_plan plan = {SIZE_MAX, 1, SIZE_MAX, SIZE_MAX};
  check_answer(plan_offsets(fitting, 2, want, &plan));
  check_answer(check_offsets(fitting, 2, want, &plan));
}

static void padding_beyond_size_t_is_an_error_and_never_offset_0(void) {
  const aether_tensor padded[] = {{SIZE_MAX, 32, 0, 1}, {64, 32, 0, 1}};
  check_refused(plan_offsets(padded, 2, NULL, NULL), record(AETHER_ERROR_ARENA_OVERFLOW, 1, 0, 64, 0));
  /* The next multiple of 32 above 2^64 - 63 is 2^64 - 32, which leaves 31 bytes; 32 are one too many. */
  aether_tensor tight[] = {{SIZE_MAX - 62, 1, 0, 1}, {32, 32, 0, 1}};
  check_refused(plan_offsets(tight, 2, NULL, NULL), record(AETHER_ERROR_ARENA_OVERFLOW, 1, 0, 32, 31));
  tight[1].size = 31;
  const size_t want[] = {0, SIZE_MAX - 31};
  const aether_plan plan = {SIZE_MAX, 32, SIZE_MAX - 31, SIZE_MAX - 31};
  check_answer(plan_offsets(tight, 2, want, &plan));
}

static void one_tensor_may_fill_the_address_space(void) {
  const aether_tensor all = {SIZE_MAX, 1, 0, 0}, aligned = {SIZE_MAX, 32, 0, 0};
  const aether_plan plan = {SIZE_MAX, 1, SIZE_MAX, SIZE_MAX}, aligned_plan = {SIZE_MAX, 32, SIZE_MAX, SIZE_MAX};
  const size_t zero = 0, bytes = SIZE_MAX;
  check_answer(plan_offsets(&all, 1, &zero, &plan));
  check_answer(check_offsets(&all, 1, &zero, &plan));
  check_answer(peak_live_bytes(&all, 1, &bytes, &zero));
  check_answer(plan_offsets(&aligned, 1, &zero, &aligned_plan));
}

static void the_sum_of_all_sizes_may_exceed_size_t(void) {
  const aether_tensor apart[] = {{SIZE_MAX, 1, 0, 0}, {SIZE_MAX, 1, 1, 1}, {HALF, 1, 2, 2}};
  const size_t zeros[3] = {0}, bytes = SIZE_MAX, node = 0;
  const aether_plan plan = {SIZE_MAX, 1, SIZE_MAX, SIZE_MAX};
  check_answer(plan_offsets(apart, 3, zeros, &plan));
  check_answer(check_offsets(apart, 3, zeros, &plan));
  check_answer(peak_live_bytes(apart, 3, &bytes, &node));
}

static void live_bytes_beyond_size_t_are_refused_naming_the_tensor_too_many(void) {
  const aether_tensor halves[] = {{8, 1, 9, 9}, {HALF, 1, 0, 1}, {HALF, 1, 1, 2}, {8, 1, 1, 1}};
  check_refused(peak_live_bytes(halves, 4, NULL, NULL), record(AETHER_ERROR_PEAK_OVERFLOW, 2, NONE, HALF, HALF - 1));
  const aether_tensor fitting[] = {{HALF, 1, 0, 1}, {HALF - 1, 1, 1, 2}};
  const size_t bytes = SIZE_MAX, node = 1;
  check_answer(peak_live_bytes(fitting, 2, &bytes, &node));
}

static void a_misaligned_offset_is_named(void) {
  const aether_tensor aligned[] = {{8, 8, 0, 0}, {0, 8, 0, 0}, {8, 12, 0, 0}, {8, 8, 0, 0}};
  const size_t given[] = {8, 3, 30, 41};
  check_refused(check_offsets(aligned, 4, given, NULL), record(AETHER_ERROR_OFFSET_MISALIGNED, 2, NONE, 30, 12));
}

static void an_offset_whose_end_is_beyond_size_t_is_named(void) {
  const aether_tensor three[] = {{8, 1, 0, 0}, {8, 1, 0, 0}, {8, 1, 0, 0}};
  const size_t given[] = {SIZE_MAX - 8, SIZE_MAX - 7, SIZE_MAX};
  check_refused(check_offsets(three, 3, given, NULL), record(AETHER_ERROR_ARENA_OVERFLOW, 1, NONE, 8, 7));
}

static void a_clash_is_named_with_its_byte_and_node(void) {
  const aether_tensor three[] = {{8, 1, 0, 9}, {8, 1, 3, 4}, {8, 1, 4, 9}};
  const size_t given[] = {0, 32, 39};
  check_refused(check_offsets(three, 3, given, NULL), record(AETHER_ERROR_CLASH, 1, 2, 39, 4));
}

static void check_edges_refused(const aether_edge *bad, size_t count, aether_error want) {
  check_refused(transitive_reduction(4, bad, count, NULL, NULL), want);
}

static void an_edge_to_no_node_is_named(void) {
  const aether_edge to[] = {{0, 1}, {1, 4}, {2, 9}};
  check_edges_refused(to, 3, record(AETHER_ERROR_EDGE_NODE, 1, NONE, 4, 4));
  const aether_edge from[] = {{0, 1}, {UINT32_MAX, 0}, {2, 3}};
  check_edges_refused(from, 3, record(AETHER_ERROR_EDGE_NODE, 1, NONE, UINT32_MAX, 4));
  const aether_edge both[] = {{5, 7}};
  check_edges_refused(both, 1, record(AETHER_ERROR_EDGE_NODE, 0, NONE, 5, 4));
  check_refused(transitive_reduction(0, both, 1, NULL, NULL), record(AETHER_ERROR_EDGE_NODE, 0, NONE, 5, 0));
}

static void an_edge_that_does_not_rise_is_named(void) {
  const aether_edge falling[] = {{0, 1}, {1, 2}, {3, 2}, {2, 1}, {0, 9}};
  check_edges_refused(falling, 5, record(AETHER_ERROR_NOT_TOPOLOGICAL, 2, NONE, 3, 2));
  const aether_edge level[] = {{0, 1}, {2, 2}, {2, 3}};
  check_edges_refused(level, 3, record(AETHER_ERROR_NOT_TOPOLOGICAL, 1, NONE, 2, 2));
}

static void an_edge_that_does_not_rise_in_rank_is_named(void) {
  const aether_edge falling[] = {{3, 0}, {0, 1}, {0, 9}};
  check_refused(transitive_reduction_ranked(4, ranks, falling, 3, flags, NULL, NULL),
                record(AETHER_ERROR_NOT_TOPOLOGICAL, 1, NONE, 0, 1));
  const aether_edge loop[] = {{2, 2}};
  check_refused(transitive_reduction_ranked(4, ranks, loop, 1, flags, NULL, NULL),
                record(AETHER_ERROR_NOT_TOPOLOGICAL, 0, NONE, 2, 2));
  const int64_t level[] = {7, 7, 7, 8};
  check_refused(transitive_reduction_ranked(4, level, falling + 1, 1, flags, NULL, NULL),
                record(AETHER_ERROR_NOT_TOPOLOGICAL, 0, NONE, 0, 1));
}

static void a_flag_that_is_none_is_named(void) {
  const uint8_t bad[] = {0, 2, 3, 255};
  check_refused(transitive_reduction_ranked(4, ranks, ranked_edges, 4, bad, NULL, NULL),
                record(AETHER_ERROR_EDGE_FLAG, 2, NONE, 3, 2));
}

static void without_ranks_the_ids_are_the_ranks_and_without_flags_all_edges_are_ordinary(void) {
  play p = transitive_reduction_ranked(4, NULL, edges, COUNT(edges), NULL, keep, &kept_count);
  p.buffers[0].bytes = p.buffers[2].bytes = 0;
  stage s = set_up(&p, 0xa5);
  s.at[0] = s.at[2] = NULL;
  expect_answer(&p, &s);
}

static void check_cycle(const aether_edge *bad, size_t count, const uint32_t *want, size_t length) {
  uint32_t cycle[8];
  int64_t untouched[8];
  uint64_t scratch[64];
  aether_error error;
  for (size_t capacity = 0; capacity <= COUNT(cycle); capacity++) {
    note("room for %zu nodes", capacity);
    memset(cycle, 0xa5, sizeof cycle);
    memset(untouched, 0xa5, sizeof untouched);
    CHECK_EQ(aether_topological_ranks(8, bad, count, untouched, capacity == 0 ? NULL : cycle, capacity, scratch,
                                      sizeof scratch, &error),
             AETHER_ERROR_CYCLE);
    CHECK_ERROR(error.status, &error, AETHER_ERROR_CYCLE, want[0], NONE, length, capacity);
    for (size_t i = 0; i < COUNT(cycle); i++) {
      CHECK_EQ(cycle[i], i < capacity && i < length ? want[i] : 0xa5a5a5a5u);
      CHECK_EQ(untouched[i], (int64_t)0xa5a5a5a5a5a5a5a5u);
    }
  }
  note("%s", "");
}

static void a_program_that_is_refused_leaves_the_outputs_alone(void) {
  aether_op cyclic[COUNT(ops)];
  memcpy(cyclic, ops, sizeof ops);
  cyclic[2].parent = 3;
  flow_parts bad = all_flow;
  bad.ops = cyclic;
  check_refused(flow_lifetimes(bad, lives, results, erasable, pairs, 1, NULL),
                record(AETHER_ERROR_FLOW_PARENT, 2, NONE, 3, 2));
  const aether_dealloc twice[] = {{6, 0}, {6, 0}};
  bad = all_flow;
  bad.deallocs = twice;
  check_refused(flow_lifetimes(bad, lives, results, erasable, pairs, 1, NULL),
                record(AETHER_ERROR_FLOW_DOUBLE_FREE, 1, 0, 0, 2));
  const aether_use unknown[] = {{4, 2, 0}, {5, 4, 0}};
  bad = all_flow;
  bad.uses = unknown;
  check_refused(flow_lifetimes(bad, lives, results, erasable, pairs, 1, NULL),
                record(AETHER_ERROR_FLOW_VALUE, 1, 9, 4, 4));
  played = all_flow;

  aether_error error;
  aether_program program = {0};
  CHECK_EQ(aether_flow_lifetimes(&program, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, &error),
           AETHER_ERROR_STRUCT_SIZE);
  program.struct_size = sizeof program;
  CHECK_EQ(aether_flow_lifetimes(&program, 3, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, &error),
           AETHER_ERROR_FLOW_MODE);
  CHECK_ERROR(error.status, &error, AETHER_ERROR_FLOW_MODE, NONE, NONE, 3, 2);
  CHECK_EQ(aether_flow_lifetimes(&program, -1, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL),
           AETHER_ERROR_FLOW_MODE);
  CHECK_EQ(aether_flow_lifetimes(NULL, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL), AETHER_ERROR_NULL);
}

static void a_cycle_is_named_by_its_nodes_in_order(void) {
  const aether_edge with_a_tail[] = {{1, 2}, {2, 1}, {2, 3}, {3, 4}, {0, 1}};
  check_cycle(with_a_tail, COUNT(with_a_tail), (const uint32_t[]){1, 2}, 2);
  const aether_edge triangle[] = {{7, 2}, {2, 5}, {5, 7}, {2, 1}};
  check_cycle(triangle, COUNT(triangle), (const uint32_t[]){2, 5, 7}, 3);
  const aether_edge loop[] = {{0, 1}, {1, 1}};
  check_cycle(loop, COUNT(loop), (const uint32_t[]){1}, 1);
}

/* As any error, but the labels may have become anything. */
static void check_incidences_refused(const aether_incidence *bad, size_t count, aether_error want) {
  for (size_t g = 0; g < COUNT(garbages); g++) {
    play p = islands(4, bad, count, NULL, NULL);
    stage s = set_up(&p, garbages[g]);
    aether_status status = act(&p, &s);
    CHECK_ERROR(status, s.error, want.status, want.index, want.other, want.got, want.limit);
    allow(s.error, sizeof *s.error);
    allow(s.at[1], p.buffers[1].bytes);
    EXPECT_UNTOUCHED();
    s.error = NULL;
    CHECK_EQ(act(&p, &s), want.status);
    allow(s.at[1], p.buffers[1].bytes);
    EXPECT_UNTOUCHED();
  }
}

static void an_incidence_of_no_node_is_named(void) {
  const struct {
    int32_t a, b, bad;
  } cases[] = {{0, 4, 4},         {4, 0, 4},  {-1, 4, 4}, {0, -2, -2}, {-2, 0, -2}, {-2, -1, -2},
               {-1, INT32_MIN, INT32_MIN}, {INT32_MAX, 4, INT32_MAX}};
  for (size_t c = 0; c < COUNT(cases); c++) {
    const aether_incidence bad[] = {{0, 1}, {cases[c].a, cases[c].b}, {-1, -1}};
    note("(%d, %d)", (int)cases[c].a, (int)cases[c].b);
    check_incidences_refused(bad, 3, record(AETHER_ERROR_INCIDENCE_NODE, 1, NONE, (size_t)cases[c].bad, 4));
  }
  /* Without nodes every node is unknown. */
  play p = islands(0, &one_incidence, 1, NULL, NULL);
  stage s = set_up(&p, 0xa5);
  expect_error(&p, &s, record(AETHER_ERROR_INCIDENCE_NODE, 0, NONE, 0, 0));
}

static void an_incidence_with_both_ends_static_is_named(void) {
  const aether_incidence bad[] = {{0, 1}, {3, -1}, {-1, -1}, {0, 9}};
  check_incidences_refused(bad, 4, record(AETHER_ERROR_STATIC_INCIDENCE, 2, NONE, 0, 0));
}

/* ---- Larger problems: the scratch may lie and hold what it likes ---- */

enum { MANY = 300, MANY_EDGES = 900 };

static uint32_t random_state;

static uint32_t random_below(uint32_t limit) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % limit;
}

/* Makes the call with the scratch at each multiple of 8 modulo 64 and other garbage in it each time. */
static void check_scratch_does_not_matter(const play *p) {
  enum { MOST_BYTES = MANY * sizeof(size_t) > MANY_EDGES ? MANY * sizeof(size_t) : MANY_EDGES };
  static alignas(64) unsigned char scratch[131072];
  static unsigned char outputs[2][MOST_BYTES], first_outputs[2][MOST_BYTES];
  size_t need = p->buffers[3].bytes;
  CHECK(need + 64 <= sizeof scratch);
  for (size_t shift = 0; shift < 64; shift += 8) {
    note("%s, scratch at %zu modulo 64", p->name, shift);
    unsigned char garbage = (unsigned char)(0xff - 3 * shift);
    memset(scratch, garbage, sizeof scratch);
    memset(outputs, 0, sizeof outputs);
    void *at[MOST_BUFFERS] = {NULL, outputs[0], outputs[1], scratch + shift};
    for (size_t i = 0; i < 3; i++) {
      if (is_input(&p->buffers[i])) {
        at[i] = (void *)(uintptr_t)p->buffers[i].content;
      }
    }
    CHECK_EQ(p->call(at, p->count, need, NULL), AETHER_OK);
    size_t written_outside = 0;
    for (size_t i = 0; i < sizeof scratch; i++) {
      written_outside += (i < shift || i >= shift + need) && scratch[i] != garbage;
    }
    CHECK_EQ(written_outside, 0);
    if (shift == 0) {
      memcpy(first_outputs, outputs, sizeof outputs);
    }
    CHECK(memcmp(first_outputs, outputs, sizeof outputs) == 0);
  }
}

static void the_place_and_the_contents_of_the_scratch_do_not_matter(void) {
  static aether_tensor many[MANY];
  static size_t many_offsets[MANY];
  static aether_edge many_edges[MANY_EDGES];
  static uint64_t scratch[AETHER_PLAN_OFFSETS_SCRATCH_SIZE(MANY) / sizeof(uint64_t)];
  random_state = 7;
  for (size_t i = 0; i < MANY; i++) {
    size_t first = random_below(100);
    many[i] = (aether_tensor){random_below(1000), 4u << random_below(4), first, first + random_below(20)};
  }
  for (size_t i = 0; i < MANY_EDGES; i++) {
    uint32_t from = random_below(MANY - 1);
    many_edges[i] = (aether_edge){from, from + 1 + random_below(MANY - 1 - from)};
  }
  CHECK_EQ(aether_plan_offsets(many, MANY, many_offsets, NULL, scratch, sizeof scratch, NULL), AETHER_OK);

  play p = plan_offsets(many, MANY, NULL, NULL);
  check_scratch_does_not_matter(&p);
  p = check_offsets(many, MANY, many_offsets, NULL);
  check_scratch_does_not_matter(&p);
  p = peak_live_bytes(many, MANY, NULL, NULL);
  check_scratch_does_not_matter(&p);
  p = transitive_reduction(MANY, many_edges, MANY_EDGES, NULL, NULL);
  check_scratch_does_not_matter(&p);
}

/* Every small problem fits into exactly the scratch that its size query tells, wherever that begins. */
static void exactly_the_scratch_of_the_query_is_enough_for_every_small_problem(void) {
  static alignas(64) unsigned char scratch[8192];
  aether_tensor few[20];
  size_t few_offsets[20];
  aether_edge few_edges[20];
  uint8_t few_keep[20];
  int64_t few_ranks[22];
  for (uint32_t i = 0; i < 22; i++) {
    few_ranks[i] = i;
  }
  for (uint32_t i = 0; i < 20; i++) {
    few[i] = (aether_tensor){1 + i % 7, 4, i / 4, i / 2};
    few_edges[i] = (aether_edge){i / 2, 21};
  }
  for (size_t n = 1; n <= 20; n++) {
    for (size_t shift = 0; shift < 64; shift += 8) {
      note("%zu items, scratch at %zu modulo 64", n, shift);
      void *at = scratch + shift;
      size_t need = aether_plan_offsets_scratch_size(n);
      CHECK_EQ(aether_plan_offsets(few, n, few_offsets, NULL, at, need, NULL), AETHER_OK);
      need = aether_check_offsets_scratch_size(n);
      CHECK_EQ(aether_check_offsets(few, n, few_offsets, NULL, at, need, NULL), AETHER_OK);
      need = aether_peak_live_bytes_scratch_size(n);
      CHECK_EQ(aether_peak_live_bytes(few, n, NULL, NULL, at, need, NULL), AETHER_OK);
      need = aether_transitive_reduction_scratch_size(22, n);
      CHECK_EQ(aether_transitive_reduction(22, few_edges, n, few_keep, NULL, at, need, NULL), AETHER_OK);
      need = aether_transitive_reduction_ranked_scratch_size(22, n);
      CHECK_EQ(aether_transitive_reduction_ranked(22, few_ranks, few_edges, n, NULL, few_keep, NULL, at, need, NULL),
               AETHER_OK);
      need = aether_topological_ranks_scratch_size(22, n);
      CHECK_EQ(aether_topological_ranks(22, few_edges, n, few_ranks, NULL, 0, at, need, NULL), AETHER_OK);
    }
  }
}

/* ---- Scratch sizes ---- */

static void the_macros_size_static_arrays(void) {
  static uint64_t plan_scratch[AETHER_PLAN_OFFSETS_SCRATCH_SIZE(4) / sizeof(uint64_t)];
  static uint64_t check_scratch[AETHER_CHECK_OFFSETS_SCRATCH_SIZE(4) / sizeof(uint64_t)];
  static uint64_t peak_scratch[AETHER_PEAK_LIVE_BYTES_SCRATCH_SIZE(4) / sizeof(uint64_t)];
  static uint64_t reduction_scratch[AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(4, 5) / sizeof(uint64_t)];
  const struct {
    size_t play, bytes;
    uint64_t *scratch;
  } arrays[] = {{PLAN, sizeof plan_scratch, plan_scratch},
                {JUDGE, sizeof check_scratch, check_scratch},
                {PEAK, sizeof peak_scratch, peak_scratch},
                {REDUCTION, sizeof reduction_scratch, reduction_scratch}};
  for (size_t i = 0; i < COUNT(arrays); i++) {
    const play *p = &plays[arrays[i].play];
    note("%s", p->name);
    CHECK_EQ(arrays[i].bytes, p->buffers[3].bytes);
    stage s = set_up(p, 0xa5);
    s.at[3] = arrays[i].scratch;
    expect_answer(p, &s);
  }
}

static void the_scratch_sizes_are_those_of_the_header(void) {
  CHECK_EQ(aether_plan_offsets_scratch_size(1), sizeof(size_t) == 8 ? 280 : 200);
  CHECK_EQ(aether_check_offsets_scratch_size(1), 32);
  CHECK_EQ(aether_peak_live_bytes_scratch_size(1), 24);
  /* 96 a node, 16 an edge and 1,024. */
  CHECK_EQ(aether_transitive_reduction_scratch_size(3000, 5), 3000 * 96 + 5 * 16 + 1024);
  /* Of few nodes only so many edges count: 4, and 4,300. */
  CHECK_EQ(aether_transitive_reduction_scratch_size(4, 5), 4 * 96 + 4 * 16 + 1024);
  CHECK_EQ(aether_transitive_reduction_scratch_size(1024, 523776), 168128);
  CHECK_EQ(aether_transitive_reduction_ranked_scratch_size(4, 5), 4 * 96 + 4 * 16 + 1024 + 4 * 8 + 1032);
  CHECK_EQ(aether_topological_ranks_scratch_size(4, 5), 4 * 16 + 5 * 4 + 4);
  CHECK_EQ(aether_reachability_matrix_size(65), 65 * 2 * 8);
  CHECK_EQ(aether_reachability_scratch_size(65), 2 * 8);
}

static void the_macros_equal_the_functions(void) {
  for (size_t n = 0; n <= 300; n++) {
    note("%zu", n);
    CHECK_EQ(AETHER_PLAN_OFFSETS_SCRATCH_SIZE(n), aether_plan_offsets_scratch_size(n));
    CHECK_EQ(AETHER_CHECK_OFFSETS_SCRATCH_SIZE(n), aether_check_offsets_scratch_size(n));
    CHECK_EQ(AETHER_PEAK_LIVE_BYTES_SCRATCH_SIZE(n), aether_peak_live_bytes_scratch_size(n));
    for (size_t m = 0; m <= 40; m++) {
      const size_t edge_count = m * m * m;
      CHECK_EQ(AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(n * 8, edge_count),
               aether_transitive_reduction_scratch_size(n * 8, edge_count));
      CHECK_EQ(AETHER_TRANSITIVE_REDUCTION_RANKED_SCRATCH_SIZE(n * 8, edge_count),
               aether_transitive_reduction_ranked_scratch_size(n * 8, edge_count));
      CHECK_EQ(AETHER_TOPOLOGICAL_RANKS_SCRATCH_SIZE(n, m), aether_topological_ranks_scratch_size(n, m));
    }
    CHECK_EQ(AETHER_REACHABILITY_MATRIX_SIZE(n), aether_reachability_matrix_size(n));
    CHECK_EQ(AETHER_REACHABILITY_SCRATCH_SIZE(n), aether_reachability_scratch_size(n));
  }
  /* The last counts before the arithmetic overflows. */
  const size_t p = SIZE_MAX / AETHER_PLAN_OFFSETS_SCRATCH_SIZE(1), c = SIZE_MAX / 32, l = SIZE_MAX / 24;
  const size_t n = SIZE_MAX / 96 - 15, m = SIZE_MAX / 16 - 20000;
  CHECK_EQ(AETHER_PLAN_OFFSETS_SCRATCH_SIZE(p), aether_plan_offsets_scratch_size(p));
  CHECK_EQ(AETHER_CHECK_OFFSETS_SCRATCH_SIZE(c), aether_check_offsets_scratch_size(c));
  CHECK_EQ(AETHER_PEAK_LIVE_BYTES_SCRATCH_SIZE(l), aether_peak_live_bytes_scratch_size(l));
  CHECK_EQ(AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(n, 1), aether_transitive_reduction_scratch_size(n, 1));
  CHECK_EQ(AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(3000, m), aether_transitive_reduction_scratch_size(3000, m));
}

static void the_scratch_of_a_problem_is_that_of_the_header(void) {
  const int wide = sizeof(size_t) == 8;
  const size_t counts[] = {0, 1, 2, 3, 17, 1000};
  for (size_t t = 0; t < COUNT(counts); t++) {
    for (size_t g = 0; g < COUNT(counts); g++) {
      for (size_t p = 0; p < COUNT(counts); p++) {
        for (size_t r = 0; r < COUNT(counts); r++) {
          const size_t a = counts[t], b = counts[g], c = counts[p], d = counts[r];
          note("%zu, %zu, %zu, %zu", a, b, c, d);
          const size_t portfolio = wide ? 372 * a + 272 * b + 32 * c + 104 * d : 268 * a + 144 * b + 24 * c + 56 * d;
          const size_t check = wide ? 100 * a + 160 * b + 16 * c + 16 * d : 76 * a + 120 * b + 16 * c + 8 * d;
          CHECK_EQ(aether_plan_portfolio_scratch_size(a, b, c, d), round_up(portfolio + (a > 0 ? 1088 : 0), 8));
          CHECK_EQ(aether_check_problem_scratch_size(a, b, c, d), round_up(check, 8));
          CHECK_EQ(aether_lower_bound_scratch_size(a, b, c, d), round_up(check, 8));
          CHECK_EQ(AETHER_PLAN_PORTFOLIO_SCRATCH_SIZE(a, b, c, d), aether_plan_portfolio_scratch_size(a, b, c, d));
          CHECK_EQ(AETHER_CHECK_PROBLEM_SCRATCH_SIZE(a, b, c, d), aether_check_problem_scratch_size(a, b, c, d));
          CHECK_EQ(AETHER_LOWER_BOUND_SCRATCH_SIZE(a, b, c, d), aether_lower_bound_scratch_size(a, b, c, d));
        }
      }
    }
  }
}

static void the_scratch_of_a_program_is_that_of_the_header(void) {
  const size_t counts[] = {0, 1, 3, 1000}, an_alloc = sizeof(size_t) == 8 ? 100 : 80;
  for (size_t i = 0; i < 4096; i++) {
    size_t c[6];
    for (size_t k = 0; k < 6; k++) {
      c[k] = counts[i >> 2 * k & 3];
    }
    note("%zu, %zu, %zu, %zu, %zu, %zu", c[0], c[1], c[2], c[3], c[4], c[5]);
    const size_t need = 84 * c[0] + 117 * c[1] + an_alloc * c[2] + 17 * c[3] + 8 * c[4] + 8 * c[5];
    CHECK_EQ(aether_flow_lifetimes_scratch_size(c[0], c[1], c[2], c[3], c[4], c[5]),
             round_up(need + (i > 0 ? 368 : 0), 8));
    CHECK_EQ(AETHER_FLOW_LIFETIMES_SCRATCH_SIZE(c[0], c[1], c[2], c[3], c[4], c[5]),
             aether_flow_lifetimes_scratch_size(c[0], c[1], c[2], c[3], c[4], c[5]));
  }
  CHECK_EQ(aether_flow_lifetimes_scratch_size(SIZE_MAX / 84, 0, 0, 0, 0, 0), SIZE_MAX);
  CHECK_EQ(aether_flow_lifetimes_scratch_size(0, 0, 0, 0, 0, SIZE_MAX), SIZE_MAX);
}

static void the_scratch_of_spaces_is_that_of_the_header(void) {
  const int wide = sizeof(size_t) == 8;
  for (size_t n = 0; n <= 3000; n += 1 + n / 4) {
    for (size_t k = 0; k <= 32; k++) {
      note("%zu tensors, %zu spaces", n, k);
      const size_t entries = n * k + n * k / 15;
      const size_t want = wide ? 460 * n + 8 * entries + 56 * k + 2000 : 328 * n + 4 * entries + 28 * k + 2000;
      const size_t packed = n < 1024 ? n : 1024;
      const size_t packing = 3000 * packed + 42 * (packed < 278 ? packed * packed : 77000) + 3200;
      CHECK_EQ(aether_plan_spaces_scratch_size(n, k), round_up(want + packing, 8));
      CHECK_EQ(AETHER_PLAN_SPACES_SCRATCH_SIZE(n, k), aether_plan_spaces_scratch_size(n, k));
    }
  }
  CHECK_EQ(aether_plan_spaces_scratch_size(SIZE_MAX / 32 + 1, 1), SIZE_MAX);
  CHECK_EQ(aether_plan_spaces_scratch_size(1, SIZE_MAX / 8 + 1), SIZE_MAX);
  CHECK_EQ(aether_plan_spaces_scratch_size(HALF, 2), SIZE_MAX);
}

static void nothing_needs_no_scratch(void) {
  CHECK_EQ(aether_plan_portfolio_scratch_size(0, 0, 0, 0), 0);
  CHECK_EQ(aether_check_problem_scratch_size(0, 0, 0, 0), 0);
  CHECK_EQ(aether_lower_bound_scratch_size(0, 0, 0, 0), 0);
  CHECK_EQ(aether_plan_offsets_scratch_size(0), 0);
  CHECK_EQ(aether_check_offsets_scratch_size(0), 0);
  CHECK_EQ(aether_peak_live_bytes_scratch_size(0), 0);
  CHECK_EQ(aether_transitive_reduction_scratch_size(0, 0), 0);
  CHECK_EQ(aether_transitive_reduction_scratch_size(SIZE_MAX, 0), 0);
  CHECK_EQ(AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(300, 0), 0);
  CHECK_EQ(aether_transitive_reduction_ranked_scratch_size(SIZE_MAX, 0), 0);
  CHECK_EQ(AETHER_TRANSITIVE_REDUCTION_RANKED_SCRATCH_SIZE(300, 0), 0);
  CHECK_EQ(aether_topological_ranks_scratch_size(0, SIZE_MAX), 0);
  CHECK_EQ(aether_reachability_matrix_size(0), 0);
  CHECK_EQ(aether_reachability_scratch_size(0), 0);
}

static void a_scratch_size_that_overflows_is_size_max(void) {
  const size_t too_many[] = {SIZE_MAX / 24 + 1, SIZE_MAX / 8, SIZE_MAX / 4 + 1, SIZE_MAX / 2, HALF, SIZE_MAX};
  for (size_t i = 0; i < COUNT(too_many); i++) {
    note("%zu", too_many[i]);
    CHECK_EQ(aether_plan_offsets_scratch_size(too_many[i]), SIZE_MAX);
    CHECK_EQ(aether_check_offsets_scratch_size(too_many[i]), SIZE_MAX);
    CHECK_EQ(aether_peak_live_bytes_scratch_size(too_many[i]), SIZE_MAX);
    CHECK_EQ(aether_transitive_reduction_scratch_size(too_many[i], 1), SIZE_MAX);
    CHECK_EQ(aether_transitive_reduction_scratch_size(too_many[i], SIZE_MAX), SIZE_MAX);
    CHECK_EQ(aether_transitive_reduction_ranked_scratch_size(too_many[i], 1), SIZE_MAX);
    CHECK_EQ(aether_reachability_matrix_size(too_many[i]), SIZE_MAX);
  }
  CHECK_EQ(aether_plan_offsets_scratch_size(SIZE_MAX / AETHER_PLAN_OFFSETS_SCRATCH_SIZE(1) + 1), SIZE_MAX);
  CHECK_EQ(aether_check_offsets_scratch_size(SIZE_MAX / 32 + 1), SIZE_MAX);
  CHECK_EQ(aether_transitive_reduction_scratch_size(3000, SIZE_MAX / 16 + 1), SIZE_MAX);
  CHECK_EQ(aether_topological_ranks_scratch_size(1, SIZE_MAX / 4 + 1), SIZE_MAX);
  CHECK_EQ(aether_topological_ranks_scratch_size(SIZE_MAX / 16 + 1, 1), SIZE_MAX);
  /* Each part fits, but not their sum: halves of the space for nodes and for edges. */
  CHECK_EQ(aether_transitive_reduction_scratch_size(SIZE_MAX / 192 + 1, SIZE_MAX / 32 + 1), SIZE_MAX);
  /* 4 an edge and 4 come to less than 8 below SIZE_MAX here, so that only the rounding overflows. */
  CHECK_EQ(aether_topological_ranks_scratch_size(1, SIZE_MAX / 4 - 5), SIZE_MAX);
}

static void a_scratch_size_never_falls_as_a_count_rises(void) {
  size_t n = 0, m = 1;
  while (n < SIZE_MAX) {
    size_t more = n > SIZE_MAX - (n / 3 + 1) ? SIZE_MAX : n + n / 3 + 1;
    note("from %zu to %zu", n, more);
    CHECK(aether_plan_offsets_scratch_size(n) <= aether_plan_offsets_scratch_size(more));
    CHECK(aether_check_offsets_scratch_size(n) <= aether_check_offsets_scratch_size(more));
    CHECK(aether_peak_live_bytes_scratch_size(n) <= aether_peak_live_bytes_scratch_size(more));
    for (m = 0; m < 1000; m += 37) {
      CHECK(aether_transitive_reduction_scratch_size(n, m) <= aether_transitive_reduction_scratch_size(more, m));
      CHECK(aether_transitive_reduction_scratch_size(m, n) <= aether_transitive_reduction_scratch_size(m, more));
      CHECK(aether_topological_ranks_scratch_size(n, m) <= aether_topological_ranks_scratch_size(more, m));
      CHECK(aether_topological_ranks_scratch_size(m, n) <= aether_topological_ranks_scratch_size(m, more));
    }
    n = more;
  }
}

/* ---- Words ---- */

static void the_numbers_of_the_statuses_never_change(void) {
  CHECK_EQ(AETHER_OK, 0);
  CHECK_EQ(AETHER_ERROR_NULL, 1);
  CHECK_EQ(AETHER_ERROR_MISALIGNED, 2);
  CHECK_EQ(AETHER_ERROR_OVERLAP, 3);
  CHECK_EQ(AETHER_ERROR_SCRATCH_TOO_SMALL, 4);
  CHECK_EQ(AETHER_ERROR_TOO_MANY, 5);
  CHECK_EQ(AETHER_ERROR_LIFETIME, 6);
  CHECK_EQ(AETHER_ERROR_ARENA_OVERFLOW, 7);
  CHECK_EQ(AETHER_ERROR_PEAK_OVERFLOW, 8);
  CHECK_EQ(AETHER_ERROR_ALIGNMENT_OVERFLOW, 9);
  CHECK_EQ(AETHER_ERROR_OFFSET_MISALIGNED, 10);
  CHECK_EQ(AETHER_ERROR_CLASH, 11);
  CHECK_EQ(AETHER_ERROR_EDGE_NODE, 12);
  CHECK_EQ(AETHER_ERROR_NOT_TOPOLOGICAL, 13);
  CHECK_EQ(AETHER_ERROR_INCIDENCE_NODE, 14);
  CHECK_EQ(AETHER_ERROR_STATIC_INCIDENCE, 15);
  CHECK_EQ(AETHER_ERROR_COUNT, 16);
  CHECK_EQ(AETHER_ERROR_GAP_TENSOR, 17);
  CHECK_EQ(AETHER_ERROR_GAP_OUTSIDE, 18);
  CHECK_EQ(AETHER_ERROR_GAP_WINDOW, 19);
  CHECK_EQ(AETHER_ERROR_GAP_OVERLAP, 20);
  CHECK_EQ(AETHER_ERROR_COMPATIBLE_PAIR, 21);
  CHECK_EQ(AETHER_ERROR_APART_PAIR, 22);
  CHECK_EQ(AETHER_ERROR_PAIR_CONTRADICTION, 23);
  CHECK_EQ(AETHER_ERROR_RESERVED_REVERSED, 24);
  CHECK_EQ(AETHER_ERROR_FIXED_MISALIGNED, 25);
  CHECK_EQ(AETHER_ERROR_FIXED_CAPACITY, 26);
  CHECK_EQ(AETHER_ERROR_FIXED_CLASH, 27);
  CHECK_EQ(AETHER_ERROR_RESERVED_CLASH, 28);
  CHECK_EQ(AETHER_ERROR_NOT_FIXED, 29);
  CHECK_EQ(AETHER_ERROR_APART_CLASH, 30);
  CHECK_EQ(AETHER_ERROR_PLANNERS, 31);
  CHECK_EQ(AETHER_ERROR_STRUCT_SIZE, 32);
  CHECK_EQ(AETHER_FITS, 0);
  CHECK_EQ(AETHER_EXCEEDS, 1);
  CHECK_EQ(AETHER_IMPOSSIBLE, 2);
  CHECK_EQ(AETHER_PLANNER_SIZE, 0);
  CHECK_EQ(AETHER_PLANNER_FIRST_USE, 1);
  CHECK_EQ(AETHER_PLANNER_SEQUENTIAL, 2);
  CHECK_EQ(AETHER_PLANNER_SPATIAL, 3);
  CHECK_EQ(AETHER_PLANNER_TEMPORAL, 4);
  CHECK_EQ(AETHER_PLANNER_CONFLICTS, 5);
  CHECK_EQ(AETHER_PLANNER_FIRST_FIT, 6);
  CHECK_EQ(AETHER_PLANNER_AREA, 7);
  CHECK_EQ(AETHER_PLANNER_COLOURING, 8);
  CHECK_EQ(AETHER_PLANNER_PRESSURE, 9);
  CHECK_EQ(AETHER_ERROR_CYCLE, 33);
  CHECK_EQ(AETHER_ERROR_EDGE_FLAG, 34);
  CHECK_EQ(AETHER_ERROR_PARENT, 35);
  CHECK_EQ(AETHER_ERROR_ASLEEP, 36);
  CHECK_EQ(AETHER_ERROR_OFFSETS, 37);
  CHECK_EQ(AETHER_ERROR_LABEL, 38);
  CHECK_EQ(AETHER_ERROR_STRIDE, 39);
  CHECK_EQ(AETHER_ERROR_FLAGS, 40);
  CHECK_EQ(AETHER_MERGE_IGNORE_STATIC, 1);
  CHECK_EQ(AETHER_MERGE_SLEEPING_STATIC, 2);
  CHECK_EQ(AETHER_MERGE_FULL_COMPRESSION, 4);
  CHECK_EQ(AETHER_ERROR_FLOW_PARENT, 41);
  CHECK_EQ(AETHER_ERROR_FLOW_ORDER, 42);
  CHECK_EQ(AETHER_ERROR_FLOW_PLAN_BLOCK, 43);
  CHECK_EQ(AETHER_ERROR_FLOW_OP, 44);
  CHECK_EQ(AETHER_ERROR_FLOW_VALUE, 45);
  CHECK_EQ(AETHER_ERROR_FLOW_FLAGS, 46);
  CHECK_EQ(AETHER_ERROR_FLOW_ALLOC, 47);
  CHECK_EQ(AETHER_ERROR_FLOW_ALIGNMENT, 48);
  CHECK_EQ(AETHER_ERROR_FLOW_DOUBLE_FREE, 49);
  CHECK_EQ(AETHER_ERROR_FLOW_MODE, 50);
  CHECK_EQ(AETHER_ERROR_ARENA_MISALIGNED, 51);
  CHECK_EQ(AETHER_ERROR_ARENA_SHORT, 52);
  CHECK_EQ(AETHER_FLOW_SOUND, 0);
  CHECK_EQ(AETHER_FLOW_TIGHT, 1);
  CHECK_EQ(AETHER_FLOW_COMPAT, 2);
  CHECK_EQ(AETHER_DECISION_PLANNED, 0);
  CHECK_EQ(AETHER_DECISION_STOPPED, 12);
  CHECK_EQ(AETHER_ERROR_SPACE_COUNT, 53);
  CHECK_EQ(AETHER_ERROR_SPACE_CAPACITY, 54);
  CHECK_EQ(AETHER_ERROR_ALLOWED_SPACES, 55);
  CHECK_EQ(AETHER_ERROR_PINNED_SPACE, 56);
  CHECK_EQ(AETHER_ERROR_FIXED_WITHOUT_SPACE, 57);
  CHECK_EQ(AETHER_ERROR_COST_OVERFLOW, 58);
  CHECK_EQ(AETHER_NO_SPACE, UINT32_MAX);
}

static void check_text(const char *got, const char *want) {
  if (strcmp(got, want) != 0) {
    printf("  \"%s\"\n", got);
    note("want \"%s\"", want);
    CHECK(strcmp(got, want) == 0);
  }
}

static void every_integer_has_a_status_string(void) {
  static const char *const want[] = {
      "ok",
      "a required pointer is NULL",
      "a buffer is misaligned",
      "two buffers overlap",
      "the scratch is too small",
      "a count is too large",
      "a tensor's first use is after its last",
      "a tensor's end in the arena does not fit size_t",
      "the bytes alive at one node do not fit size_t",
      "the common multiple of the alignments does not fit size_t",
      "an offset is not a multiple of its tensor's alignment",
      "two tensors alive at one node share a byte",
      "an edge names a node that does not exist",
      "an edge does not rise in the topological numbering",
      "an incidence names a node that does not exist",
      "both ends of an incidence are static",
      "an array has not one entry a tensor or node",
      "a gap names a tensor that does not exist",
      "a gap is reversed or outside the lifetime of its tensor",
      "a gap's window is reversed or ends above its tensor",
      "two gaps of one tensor share a node",
      "a compatible pair does not name two different tensors",
      "an apart pair does not name two different tensors",
      "two tensors are called both compatible and apart",
      "a reserved range begins after its end",
      "a fixed offset is not a multiple of its tensor's alignment",
      "a fixed tensor ends above the capacity",
      "two fixed tensors share bytes that they must not share",
      "a tensor holds a reserved byte",
      "the plan moves a fixed tensor",
      "two tensors that are to be kept apart share a byte",
      "a mask has an unknown planner",
      "a struct's size is none, or something unknown is set in it",
      [AETHER_ERROR_CYCLE] = "the edges have a cycle",
      [AETHER_ERROR_EDGE_FLAG] = "an edge's flag is none of those that exist",
      [AETHER_ERROR_PARENT] = "a node's parent is none that a merge left there",
      [AETHER_ERROR_ASLEEP] = "a sleeping node appears in an incidence",
      [AETHER_ERROR_OFFSETS] = "the offsets of constraints fall or pass the end",
      [AETHER_ERROR_LABEL] = "an item has a label that does not exist",
      [AETHER_ERROR_STRIDE] = "a stride is smaller than what a world has",
      [AETHER_ERROR_FLAGS] = "a mask has an unknown flag",
      [AETHER_ERROR_FLOW_PARENT] = "an operation's parent does not come before it",
      [AETHER_ERROR_FLOW_ORDER] = "the operations are not in pre-order",
      [AETHER_ERROR_FLOW_PLAN_BLOCK] = "the operations of the plan block are not neighbours",
      [AETHER_ERROR_FLOW_OP] = "an item of a program names an operation that does not exist",
      [AETHER_ERROR_FLOW_VALUE] = "an item of a program names a value that does not exist",
      [AETHER_ERROR_FLOW_FLAGS] = "an item of a program has an unknown flag",
      [AETHER_ERROR_FLOW_ALLOC] = "two allocations make the same value",
      [AETHER_ERROR_FLOW_ALIGNMENT] = "an alignment and the least one have no common multiple that fits size_t",
      [AETHER_ERROR_FLOW_DOUBLE_FREE] = "two deallocs free the same allocation on one path",
      [AETHER_ERROR_FLOW_MODE] = "a mode is none of those that exist",
      [AETHER_ERROR_ARENA_MISALIGNED] = "an arena's address is not a multiple of what its plan needs",
      [AETHER_ERROR_ARENA_SHORT] = "an arena has fewer bytes than its plan needs",
      [AETHER_ERROR_SPACE_COUNT] = "there is no memory space, or there are too many",
      [AETHER_ERROR_SPACE_CAPACITY] = "a memory space has no capacity",
      [AETHER_ERROR_ALLOWED_SPACES] = "a tensor's mask of spaces names none, or one that does not exist",
      [AETHER_ERROR_PINNED_SPACE] = "a tensor is pinned to a space that it cannot be in",
      [AETHER_ERROR_FIXED_WITHOUT_SPACE] = "a tensor has a fixed offset, but no pinned space",
      [AETHER_ERROR_COST_OVERFLOW] = "the costs do not fit 64 bits",
  };
  for (int32_t status = 0; status < (int32_t)COUNT(want); status++) {
    check_text(aether_status_string(status), want[status] == NULL ? "unknown status" : want[status]);
  }
  for (int32_t status = (int32_t)COUNT(want); status < 3000; status++) {
    check_text(aether_status_string(status), "unknown status");
    check_text(aether_status_string(-status), "unknown status");
  }
  check_text(aether_status_string(-1), "unknown status");
  check_text(aether_status_string(INT32_MAX), "unknown status");
  check_text(aether_status_string(INT32_MIN), "unknown status");
}

static void check_sentence(aether_error error, const char *want) {
  char text[256];
  memset(text, 'x', sizeof text);
  CHECK_EQ(aether_error_message(&error, text, sizeof text), strlen(want));
  text[sizeof text - 1] = '\0';
  check_text(text, want);
}

static void every_status_has_its_sentence(void) {
  check_sentence(record(AETHER_OK, NONE, NONE, 0, 0), "ok");
  check_sentence(record(AETHER_ERROR_NULL, 2, NONE, 0, 24),
                 "argument 2 (the first is 0) is NULL, but its count or size is not 0");
  check_sentence(record(AETHER_ERROR_MISALIGNED, 4, NONE, 3, 8),
                 "argument 4 (the first is 0) is misaligned: its address is 3 modulo 8");
  check_sentence(record(AETHER_ERROR_OVERLAP, 0, 2, 0, 0),
                 "arguments 0 and 2 (the first is 0) overlap, and one of them is written");
  check_sentence(record(AETHER_ERROR_SCRATCH_TOO_SMALL, 4, NONE, 100, 144),
                 "the scratch has 100 bytes, and 144 are needed");
  check_sentence(record(AETHER_ERROR_TOO_MANY, 1, NONE, 4294967295u, 2147483647),
                 "argument 1 (the first is 0): the count 4294967295 is above the limit 2147483647");
  check_sentence(record(AETHER_ERROR_TOO_MANY, NONE, NONE, 12, 10), "the count 12 is above the limit 10");
  check_sentence(record(AETHER_ERROR_LIFETIME, 7, NONE, 5, 3), "tensor 7: its first use 5 is after its last use 3");
  check_sentence(record(AETHER_ERROR_ARENA_OVERFLOW, 7, 6, 64, 32),
                 "tensor 7: its end does not fit size_t: it has 64 bytes, and 32 are left above its offset, "
                 "which is on tensor 6");
  check_sentence(record(AETHER_ERROR_ARENA_OVERFLOW, 7, NONE, 64, 32),
                 "tensor 7: its end does not fit size_t: it has 64 bytes, and 32 are left above its offset");
  check_sentence(record(AETHER_ERROR_PEAK_OVERFLOW, 7, NONE, 64, 32),
                 "tensor 7: the bytes alive with it do not fit size_t: it has 64, and 32 are left");
  check_sentence(record(AETHER_ERROR_ALIGNMENT_OVERFLOW, 7, NONE, 3, 1024),
                 "tensor 7: the least common multiple of its alignment 3 and 1024, that of the tensors before it, does "
                 "not fit size_t");
  check_sentence(record(AETHER_ERROR_OFFSET_MISALIGNED, 7, NONE, 30, 12),
                 "tensor 7: its offset 30 is not a multiple of its alignment 12");
  check_sentence(record(AETHER_ERROR_CLASH, 1, 2, 120, 2),
                 "tensors 1 and 2 share byte 120, and both are alive at node 2");
  check_sentence(record(AETHER_ERROR_EDGE_NODE, 9, NONE, 4, 4), "edge 9: there is no node 4, the node count is 4");
  check_sentence(record(AETHER_ERROR_NOT_TOPOLOGICAL, 9, NONE, 3, 2),
                 "edge 9: from 3 to 2 does not rise in the topological numbering");
  check_sentence(record(AETHER_ERROR_CYCLE, 3, NONE, 12, 10),
                 "the edges have a cycle of 12 nodes, whose smallest is node 3");
  check_sentence(record(AETHER_ERROR_EDGE_FLAG, 9, NONE, 3, 2), "edge 9: there is no flag 3, the largest is 2");
  check_sentence(record(AETHER_ERROR_INCIDENCE_NODE, 9, NONE, 4, 4),
                 "incidence 9: there is no node 4, the node count is 4");
  check_sentence(record(AETHER_ERROR_INCIDENCE_NODE, 9, NONE, (size_t)INT32_MIN, 4),
                 "incidence 9: there is no node -2147483648, the node count is 4");
  check_sentence(record(AETHER_ERROR_STATIC_INCIDENCE, 9, NONE, 0, 0), "incidence 9: both of its ends are static");
  check_sentence(record(AETHER_ERROR_INCIDENCE_NODE, NONE, NONE, 4, 4), "there is no node 4, the node count is 4");
  check_sentence(record(AETHER_ERROR_INCIDENCE_NODE, 9, 2, 4, 4),
                 "incidence 9 of world 2: there is no node 4, the node count is 4");
  check_sentence(record(AETHER_ERROR_STATIC_INCIDENCE, 9, 2, 0, 0),
                 "incidence 9 of world 2: both of its ends are static");
  check_sentence(record(AETHER_ERROR_PARENT, 3, NONE, 5, 3), "node 3: its parent 5 is none that a merge left there");
  check_sentence(record(AETHER_ERROR_ASLEEP, 9, NONE, 4, 0), "incidence 9: its node 4 is asleep");
  check_sentence(record(AETHER_ERROR_ASLEEP, 9, 2, 4, 0), "incidence 9 of world 2: its node 4 is asleep");
  check_sentence(record(AETHER_ERROR_OFFSETS, 9, 10, 4, 3), "constraint 9: its offset 4 is above offset 10, 3");
  check_sentence(record(AETHER_ERROR_OFFSETS, 9, NONE, 4, 3),
                 "constraint 9: its members end at 4, and there are 3 members");
  check_sentence(record(AETHER_ERROR_LABEL, 9, NONE, (size_t)-2, 3),
                 "item 9: there is no label -2, the label count is 3");
  check_sentence(record(AETHER_ERROR_STRIDE, NONE, NONE, 3, 4), "the stride is 3, and each world has 4 nodes");
  check_sentence(record(AETHER_ERROR_STRIDE, 9, NONE, 4, 3), "world 9 has 4 incidences, and the stride is 3");
  check_sentence(record(AETHER_ERROR_FLAGS, NONE, NONE, 9, 7), "the mask of flags is 9, and all flags together are 7");
  check_sentence(record(AETHER_ERROR_COUNT, NONE, NONE, 3, 4),
                 "an array has 3 entries, and 4 are needed");
  check_sentence(record(AETHER_ERROR_GAP_TENSOR, 9, NONE, 4, 4), "gap 9: there is no tensor 4, the tensor count is 4");
  check_sentence(record(AETHER_ERROR_GAP_OUTSIDE, 9, NONE, 5, 3),
                 "gap 9: its first node 5 is after its last node 3");
  check_sentence(record(AETHER_ERROR_GAP_OUTSIDE, 9, 7, 2, 3),
                 "gap 9: its first node 2 is before the first use of tensor 7, 3");
  check_sentence(record(AETHER_ERROR_GAP_OUTSIDE, 9, 7, 5, 4),
                 "gap 9: its last node 5 is after the last use of tensor 7, 4");
  check_sentence(record(AETHER_ERROR_GAP_WINDOW, 9, NONE, 5, 3), "gap 9: its window begins at byte 5, after its end 3");
  check_sentence(record(AETHER_ERROR_GAP_WINDOW, 9, 7, 5, 4),
                 "gap 9: its window ends at byte 5, above the size of tensor 7, 4");
  check_sentence(record(AETHER_ERROR_GAP_OVERLAP, 9, 8, 3, 5),
                 "gap 9: its first node is 3, and gap 8 of the same tensor lasts to node 5");
  check_sentence(record(AETHER_ERROR_COMPATIBLE_PAIR, 9, NONE, 4, 4),
                 "compatible pair 9: there is no tensor 4, the tensor count is 4");
  check_sentence(record(AETHER_ERROR_COMPATIBLE_PAIR, 9, NONE, 3, 4), "compatible pair 9: both of it are tensor 3");
  check_sentence(record(AETHER_ERROR_APART_PAIR, 9, NONE, 4, 4),
                 "apart pair 9: there is no tensor 4, the tensor count is 4");
  check_sentence(record(AETHER_ERROR_APART_PAIR, 9, NONE, 3, 4), "apart pair 9: both of it are tensor 3");
  check_sentence(record(AETHER_ERROR_PAIR_CONTRADICTION, 9, 8, 3, 4),
                 "tensors 3 and 4 are compatible pair 9, and apart pair 8 as well");
  check_sentence(record(AETHER_ERROR_RESERVED_REVERSED, 9, NONE, 5, 3),
                 "reserved range 9: its begin 5 is after its end 3");
  check_sentence(record(AETHER_ERROR_FIXED_MISALIGNED, 7, NONE, 8, 16),
                 "tensor 7: its fixed offset 8 is not a multiple of its alignment 16");
  check_sentence(record(AETHER_ERROR_FIXED_CAPACITY, 7, NONE, 128, 100),
                 "tensor 7: it ends at byte 128 by its fixed offset, above the capacity 100");
  check_sentence(record(AETHER_ERROR_FIXED_CLASH, 1, 2, 16, 32),
                 "tensors 1 and 2 overlap in bytes 16..32 by their fixed offsets");
  check_sentence(record(AETHER_ERROR_RESERVED_CLASH, 1, 2, 16, 32),
                 "tensor 1 overlaps reserved range 2 in bytes 16..32");
  check_sentence(record(AETHER_ERROR_NOT_FIXED, 7, NONE, 16, 32),
                 "tensor 7: its offset is 16, and its fixed offset is 32");
  check_sentence(record(AETHER_ERROR_APART_CLASH, 1, 2, 16, 32),
                 "tensors 1 and 2 overlap in bytes 16..32, and are to be kept apart");
  check_sentence(record(AETHER_ERROR_PLANNERS, NONE, NONE, 1024, 1023),
                 "the mask of planners is 1024, and all planners together are 1023");
  check_sentence(record(AETHER_ERROR_STRUCT_SIZE, 0, NONE, 7, 112),
                 "struct_size is 7: it must be that of the caller's header, here 112, and what is not known here 0");
  check_sentence(record(AETHER_ERROR_SPACE_COUNT, NONE, NONE, 33, 32),
                 "the number of memory spaces is 33: there must be 1 to 32");
  check_sentence(record(AETHER_ERROR_SPACE_CAPACITY, 2, NONE, 0, 1), "space 2: its capacity is 0 bytes");
  check_sentence(record(AETHER_ERROR_ALLOWED_SPACES, 7, NONE, 4, 3),
                 "tensor 7: its mask of spaces is 4, and that of all spaces is 3");
  check_sentence(record(AETHER_ERROR_PINNED_SPACE, 7, NONE, 4, 3),
                 "tensor 7: it is pinned to space 4, the space count is 3");
  check_sentence(record(AETHER_ERROR_PINNED_SPACE, 7, 1, 1, 5),
                 "tensor 7: it is pinned to space 1, which is not in its mask, 5");
  check_sentence(record(AETHER_ERROR_FIXED_WITHOUT_SPACE, 7, NONE, 64, 0),
                 "tensor 7: it has the fixed offset 64, but no pinned space");
  check_sentence(record(AETHER_ERROR_COST_OVERFLOW, 7, NONE, 64, 2),
                 "tensor 7: its weight is 64, and in the dearest space the costs do not fit 64 bits");
  check_sentence(record(AETHER_ERROR_NULL, 0, 5, 0, 40),
                 "member 5 (the first is 0) of the struct is NULL, but its count is not 0");
  check_sentence(record(AETHER_ERROR_MISALIGNED, 0, 3, 1, 8),
                 "member 3 (the first is 0) of the struct is misaligned: its address is 1 modulo 8");
  check_sentence(record(AETHER_ERROR_TOO_MANY, 0, 2, 12, 10),
                 "member 2 (the first is 0) of the struct: the count 12 is above the limit 10");
  check_sentence(record(AETHER_ERROR_FLOW_PARENT, 3, NONE, 5, 3), "operation 3: its parent 5 does not come before it");
  check_sentence(record(AETHER_ERROR_FLOW_ORDER, 7, NONE, 2, 0),
                 "operation 7: its parent 2 is closed, an operation outside of it came since");
  check_sentence(record(AETHER_ERROR_FLOW_ORDER, 7, 6, 0, 1),
                 "operation 7: its region 0 comes after region 1, that of operation 6, in one parent");
  check_sentence(record(AETHER_ERROR_FLOW_PLAN_BLOCK, 7, 2, 1, 0),
                 "operation 7 is in the plan block 1, as operation 2 is, but not in a row with it");
  check_sentence(record(AETHER_ERROR_FLOW_OP, 7, 5, 9, 8),
                 "member 5 (the first is 0) of the program: item 7: there is no operation 9, the count is 8");
  check_sentence(record(AETHER_ERROR_FLOW_VALUE, 7, 9, 9, 8),
                 "member 9 (the first is 0) of the program: item 7: there is no value 9, the count is 8");
  check_sentence(record(AETHER_ERROR_FLOW_FLAGS, 7, 1, 16, 15),
                 "member 1 (the first is 0) of the program: item 7: the flags are 16, and all known ones are 15");
  check_sentence(record(AETHER_ERROR_FLOW_ALLOC, 2, 1, 7, 9), "allocations 2 and 1 both make value 7");
  check_sentence(record(AETHER_ERROR_FLOW_ALIGNMENT, 2, NONE, 3, 8),
                 "allocation 2: the least common multiple of its alignment 3 and the least one, 8, does not fit size_t");
  check_sentence(record(AETHER_ERROR_FLOW_DOUBLE_FREE, 4, 3, 1, 2), "deallocs 4 and 3 free allocation 1 on one path");
  check_sentence(record(AETHER_ERROR_FLOW_MODE, NONE, NONE, (size_t)-7, 2), "there is no mode -7, the largest is 2");
}

static void an_unknown_status_has_a_sentence_too(void) {
  check_sentence(record(99, 1, 2, 3, 4), "unknown status");
  check_sentence(record(-1, 1, 2, 3, 4), "unknown status");
  check_sentence(record(INT32_MIN, 1, 2, 3, 4), "unknown status");
}

static void no_sentence_is_longer_than_255(void) {
  for (aether_status status = 0; status <= 80; status++) {
    aether_error largest = record(status, SIZE_MAX - 1, SIZE_MAX - 1, SIZE_MAX, SIZE_MAX);
    note("status %d", (int)status);
    CHECK(aether_error_message(&largest, NULL, 0) <= 255);
  }
}

static void a_message_is_cut_like_snprintf_does_it(void) {
  const char want[] = "tensors 1 and 2 share byte 120, and both are alive at node 2";
  const aether_error clash = record(AETHER_ERROR_CLASH, 1, 2, 120, 2);
  for (size_t capacity = 0; capacity <= sizeof want + 2; capacity++) {
    char text[sizeof want + 3], expected[sizeof want + 3];
    memset(text, 'x', sizeof text);
    memset(expected, 'x', sizeof expected);
    note("capacity %zu", capacity);
    CHECK_EQ(aether_error_message(&clash, text, capacity), sizeof want - 1);
    CHECK_EQ(snprintf(expected, capacity, "%s", want), sizeof want - 1);
    CHECK(memcmp(text, expected, sizeof text) == 0);
  }
  CHECK_EQ(aether_error_message(&clash, NULL, 0), sizeof want - 1);
}

static void no_error_record_reads_as_ok(void) {
  char text[8] = "xxxxxxx";
  CHECK_EQ(aether_error_message(NULL, text, sizeof text), 2);
  check_text(text, "ok");
  CHECK_EQ(aether_error_message(NULL, NULL, 0), 2);
}

static void a_message_without_a_buffer_is_only_measured(void) {
  aether_error error = record(AETHER_ERROR_STATIC_INCIDENCE, 3, NONE, 0, 0);
  CHECK_EQ(aether_error_message(&error, NULL, 100), strlen("incidence 3: both of its ends are static"));
  /* A record that was copied to an odd address is read all the same. */
  unsigned char bytes[sizeof error + 1];
  memcpy(bytes + 1, &error, sizeof error);
  CHECK_EQ(aether_error_message((const void *)(bytes + 1), NULL, 0), strlen("incidence 3: both of its ends are static"));
}

static void a_message_reads_the_record_that_a_call_wrote(void) {
  char text[256];
  aether_error error;
  const aether_edge falling = {3, 2};
  uint8_t flag;
  uint64_t scratch[AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(4, 1) / sizeof(uint64_t)];
  aether_status status = aether_transitive_reduction(4, &falling, 1, &flag, NULL, scratch, sizeof scratch, &error);
  CHECK_EQ(status, AETHER_ERROR_NOT_TOPOLOGICAL);
  CHECK(aether_error_message(&error, text, sizeof text) < sizeof text);
  check_text(text, "edge 0: from 3 to 2 does not rise in the topological numbering");
}

static void the_version_is_that_of_the_header(void) {
  char version[32];
  (void)snprintf(version, sizeof version, "%d.%d.%d", AETHER_VERSION_MAJOR, AETHER_VERSION_MINOR,
                 AETHER_VERSION_PATCH);
  check_text(aether_version(), AETHER_VERSION);
  check_text(version, AETHER_VERSION);
}

int main(void) {
  write_plays();
  TEST(garbage_in_outputs_and_scratch_changes_nothing);
  TEST(outputs_and_scratch_need_not_be_initialised);
  TEST(more_scratch_than_needed_changes_nothing);
  TEST(each_smaller_scratch_is_refused_with_what_is_needed);
  TEST(a_misaligned_buffer_is_refused_with_its_remainder);
  TEST(a_misaligned_error_record_is_not_written);
  TEST(null_is_refused_where_bytes_are_needed_and_fine_for_an_optional_output);
  TEST(overlapping_buffers_are_refused_and_touching_ones_are_fine);
  TEST(an_error_record_that_overlaps_a_buffer_is_not_written);
  TEST(a_record_that_overlaps_a_buffer_is_not_written_for_a_bad_count_either);
  TEST(spare_scratch_may_lie_anywhere);
  TEST(a_record_behind_too_short_scratch_is_written);
  TEST(two_inputs_may_overlap);
  TEST(null_with_a_count_of_0_is_an_empty_array);
  TEST(a_count_above_the_limit_is_refused_before_anything_is_read);
  TEST(a_count_above_the_limit_is_refused_wherever_the_error_record_lies);
  TEST(null_with_the_largest_count_is_still_null);
  TEST(the_largest_counts_only_want_their_scratch);
  TEST(what_is_wrong_is_named_in_the_order_that_the_header_gives);
  TEST(a_reversed_lifetime_is_named);
  TEST(a_reversed_lifetime_is_an_error_at_size_0_too);
  TEST(a_common_multiple_beyond_size_t_is_named);
  TEST(the_largest_alignments_are_fine_where_their_multiple_fits);
  TEST(an_arena_beyond_size_t_is_refused_naming_both_tensors);
  TEST(padding_beyond_size_t_is_an_error_and_never_offset_0);
  TEST(one_tensor_may_fill_the_address_space);
  TEST(the_sum_of_all_sizes_may_exceed_size_t);
  TEST(live_bytes_beyond_size_t_are_refused_naming_the_tensor_too_many);
  TEST(a_misaligned_offset_is_named);
  TEST(an_offset_whose_end_is_beyond_size_t_is_named);
  TEST(a_clash_is_named_with_its_byte_and_node);
  TEST(an_edge_to_no_node_is_named);
  TEST(an_edge_that_does_not_rise_is_named);
  TEST(an_edge_that_does_not_rise_in_rank_is_named);
  TEST(a_flag_that_is_none_is_named);
  TEST(without_ranks_the_ids_are_the_ranks_and_without_flags_all_edges_are_ordinary);
  TEST(a_cycle_is_named_by_its_nodes_in_order);
  TEST(a_program_that_is_refused_leaves_the_outputs_alone);
  TEST(an_incidence_of_no_node_is_named);
  TEST(an_incidence_with_both_ends_static_is_named);
  TEST(the_place_and_the_contents_of_the_scratch_do_not_matter);
  TEST(exactly_the_scratch_of_the_query_is_enough_for_every_small_problem);
  TEST(the_macros_size_static_arrays);
  TEST(the_scratch_sizes_are_those_of_the_header);
  TEST(the_macros_equal_the_functions);
  TEST(the_scratch_of_a_problem_is_that_of_the_header);
  TEST(the_scratch_of_a_program_is_that_of_the_header);
  TEST(the_scratch_of_spaces_is_that_of_the_header);
  TEST(nothing_needs_no_scratch);
  TEST(a_scratch_size_that_overflows_is_size_max);
  TEST(a_scratch_size_never_falls_as_a_count_rises);
  TEST(the_numbers_of_the_statuses_never_change);
  TEST(every_integer_has_a_status_string);
  TEST(every_status_has_its_sentence);
  TEST(an_unknown_status_has_a_sentence_too);
  TEST(no_sentence_is_longer_than_255);
  TEST(a_message_is_cut_like_snprintf_does_it);
  TEST(no_error_record_reads_as_ok);
  TEST(a_message_without_a_buffer_is_only_measured);
  TEST(a_message_reads_the_record_that_a_call_wrote);
  TEST(the_version_is_that_of_the_header);
  return tests_end();
}
