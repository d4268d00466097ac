/*
 * A stage on which any function of the library can be called with its buffers where a test wants them, and with every
 * byte around and within them watched.
 *
 * A `play` is one call: the function, its counts, and for each buffer what it holds or must come to hold. `set_up` puts
 * the buffers on the stage, each in a slot of its own, with garbage everywhere else. A test may then move a buffer,
 * make it NULL, or change a count. `expect_answer` and `expect_error` make the call and look at the whole stage.
 */

#ifndef AETHER_STAGE_H
#define AETHER_STAGE_H

#include <stdalign.h>

#include "check.h"

enum { MOST_BUFFERS = 13, SLOT = 20480, MARGIN = 512 };

/*
 * An OPTIONAL_INPUT changes nothing where it is NULL: a play is written so. A NULLABLE is an input, and a
 * NULLABLE_OUTPUT an output, that may be NULL and then means something else. A CHANGED is read and written: its content
 * is what it holds before, and right behind that what it must hold after.
 */
enum role { INPUT, OPTIONAL_INPUT, NULLABLE, CHANGED, OUTPUT, NULLABLE_OUTPUT, OPTIONAL, SCRATCH };

typedef struct buffer {
  size_t argument; /* its place in the signature, the first is 0 */
  enum role role;
  size_t align;
  size_t bytes;        /* what the call uses */
  const void *content; /* what an input holds, or the right answer of an output */
  size_t member;       /* its place in the struct that is the argument; 0: it is the argument itself */
} buffer;

static inline int is_input(const buffer *b) {
  return b->role == INPUT || b->role == OPTIONAL_INPUT || b->role == NULLABLE;
}

/* What the buffer must hold after the call. */
static inline const void *answer_of(const buffer *b) {
  return b->role == CHANGED ? (const unsigned char *)b->content + b->bytes : b->content;
}

typedef aether_status (*function)(void *const at[], const size_t count[], size_t scratch_size, aether_error *error);

typedef struct play {
  const char *name;
  function call;
  size_t count[2];
  size_t buffer_count;
  buffer buffers[MOST_BUFFERS];
} play;

typedef struct stage {
  void *at[MOST_BUFFERS];
  size_t count[2];
  size_t scratch_size;
  aether_error *error;
} stage;

/* What an error that is about this buffer alone has as `other`. */
static inline size_t member_of(const buffer *b) {
  return b->member == 0 ? NONE : b->member;
}

/* The slot of the error record comes first, then those of the buffers. */
static alignas(64) unsigned char memory[(1 + MOST_BUFFERS) * SLOT];
static unsigned char memory_before[sizeof memory];

/* ---- One play for each function ---- */

static inline aether_status call_plan_offsets(void *const at[], const size_t count[], size_t scratch_size,
                                              aether_error *error) {
  return aether_plan_offsets(at[0], count[0], at[1], at[2], at[3], scratch_size, error);
}

static inline play plan_offsets(const aether_tensor *tensors, size_t count, const size_t *offsets,
                                const aether_plan *plan) {
  return (play){"aether_plan_offsets",
                call_plan_offsets,
                {count, 0},
                4,
                {{0, INPUT, alignof(aether_tensor), count * sizeof *tensors, tensors, 0},
                 {2, OUTPUT, alignof(size_t), count * sizeof *offsets, offsets, 0},
                 {3, OPTIONAL, alignof(aether_plan), sizeof *plan, plan, 0},
                 {4, SCRATCH, AETHER_SCRATCH_ALIGN, aether_plan_offsets_scratch_size(count), NULL, 0}}};
}

static inline aether_status call_check_offsets(void *const at[], const size_t count[], size_t scratch_size,
                                               aether_error *error) {
  return aether_check_offsets(at[0], count[0], at[1], at[2], at[3], scratch_size, error);
}

static inline play check_offsets(const aether_tensor *tensors, size_t count, const size_t *offsets,
                                 const aether_plan *plan) {
  return (play){"aether_check_offsets",
                call_check_offsets,
                {count, 0},
                4,
                {{0, INPUT, alignof(aether_tensor), count * sizeof *tensors, tensors, 0},
                 {2, INPUT, alignof(size_t), count * sizeof *offsets, offsets, 0},
                 {3, OPTIONAL, alignof(aether_plan), sizeof *plan, plan, 0},
                 {4, SCRATCH, AETHER_SCRATCH_ALIGN, aether_check_offsets_scratch_size(count), NULL, 0}}};
}

static inline aether_status call_peak_live_bytes(void *const at[], const size_t count[], size_t scratch_size,
                                                 aether_error *error) {
  return aether_peak_live_bytes(at[0], count[0], at[1], at[2], at[3], scratch_size, error);
}

static inline play peak_live_bytes(const aether_tensor *tensors, size_t count, const size_t *peak, const size_t *node) {
  return (play){"aether_peak_live_bytes",
                call_peak_live_bytes,
                {count, 0},
                4,
                {{0, INPUT, alignof(aether_tensor), count * sizeof *tensors, tensors, 0},
                 {2, OPTIONAL, alignof(size_t), sizeof *peak, peak, 0},
                 {3, OPTIONAL, alignof(size_t), sizeof *node, node, 0},
                 {4, SCRATCH, AETHER_SCRATCH_ALIGN, aether_peak_live_bytes_scratch_size(count), NULL, 0}}};
}

static inline aether_status call_transitive_reduction(void *const at[], const size_t count[], size_t scratch_size,
                                                      aether_error *error) {
  return aether_transitive_reduction(count[0], at[0], count[1], at[1], at[2], at[3], scratch_size, error);
}

static inline play transitive_reduction(size_t node_count, const aether_edge *edges, size_t count, const uint8_t *keep,
                                        const size_t *kept_count) {
  size_t need = aether_transitive_reduction_scratch_size(node_count, count);
  return (play){"aether_transitive_reduction",
                call_transitive_reduction,
                {node_count, count},
                4,
                {{1, INPUT, alignof(aether_edge), count * sizeof *edges, edges, 0},
                 {3, OUTPUT, 1, count, keep, 0},
                 {4, OPTIONAL, alignof(size_t), sizeof *kept_count, kept_count, 0},
                 {5, SCRATCH, AETHER_SCRATCH_ALIGN, need, NULL, 0}}};
}

static inline aether_status call_transitive_reduction_ranked(void *const at[], const size_t count[],
                                                             size_t scratch_size, aether_error *error) {
  return aether_transitive_reduction_ranked(count[0], at[0], at[1], count[1], at[2], at[3], at[4], at[5], scratch_size,
                                            error);
}

static inline play transitive_reduction_ranked(size_t node_count, const int64_t *ranks, const aether_edge *edges,
                                               size_t count, const uint8_t *flags, const uint8_t *keep,
                                               const size_t *kept_count) {
  size_t need = aether_transitive_reduction_ranked_scratch_size(node_count, count);
  return (play){"aether_transitive_reduction_ranked",
                call_transitive_reduction_ranked,
                {node_count, count},
                6,
                {{1, NULLABLE, alignof(int64_t), node_count * sizeof *ranks, ranks, 0},
                 {2, INPUT, alignof(aether_edge), count * sizeof *edges, edges, 0},
                 {4, NULLABLE, 1, count, flags, 0},
                 {5, OUTPUT, 1, count, keep, 0},
                 {6, OPTIONAL, alignof(size_t), sizeof *kept_count, kept_count, 0},
                 {7, SCRATCH, AETHER_SCRATCH_ALIGN, need, NULL, 0}}};
}

/* Without room for a cycle. */
static inline aether_status call_topological_ranks(void *const at[], const size_t count[], size_t scratch_size,
                                                   aether_error *error) {
  return aether_topological_ranks(count[0], at[0], count[1], at[1], NULL, 0, at[2], scratch_size, error);
}

static inline play topological_ranks(size_t node_count, const aether_edge *edges, size_t count, const int64_t *ranks) {
  size_t need = aether_topological_ranks_scratch_size(node_count, count);
  return (play){"aether_topological_ranks",
                call_topological_ranks,
                {node_count, count},
                3,
                {{1, INPUT, alignof(aether_edge), count * sizeof *edges, edges, 0},
                 {3, OUTPUT, alignof(int64_t), node_count * sizeof *ranks, ranks, 0},
                 {6, SCRATCH, AETHER_SCRATCH_ALIGN, need, NULL, 0}}};
}

static inline aether_status call_reachability(void *const at[], const size_t count[], size_t scratch_size,
                                              aether_error *error) {
  return aether_reachability(count[0], at[0], count[1], at[1], at[2], scratch_size, error);
}

static inline play reachability(size_t node_count, const aether_edge *edges, size_t count, const uint64_t *matrix) {
  return (play){"aether_reachability",
                call_reachability,
                {node_count, count},
                3,
                {{1, INPUT, alignof(aether_edge), count * sizeof *edges, edges, 0},
                 {3, OUTPUT, alignof(uint64_t), aether_reachability_matrix_size(node_count), matrix, 0},
                 {4, SCRATCH, AETHER_SCRATCH_ALIGN, aether_reachability_scratch_size(node_count), NULL, 0}}};
}

static inline aether_status call_islands(void *const at[], const size_t count[], size_t scratch_size,
                                         aether_error *error) {
  (void)scratch_size;
  return aether_islands(count[0], at[0], count[1], at[1], at[2], error);
}

static inline play islands(size_t node_count, const aether_incidence *incidences, size_t count, const int32_t *labels,
                           const size_t *island_count) {
  return (play){"aether_islands",
                call_islands,
                {node_count, count},
                3,
                {{1, INPUT, alignof(aether_incidence), count * sizeof *incidences, incidences, 0},
                 {3, OUTPUT, alignof(int32_t), node_count * sizeof *labels, labels, 0},
                 {4, OPTIONAL, alignof(size_t), sizeof *island_count, island_count, 0}}};
}

static inline aether_status call_islands_begin(void *const at[], const size_t count[], size_t scratch_size,
                                               aether_error *error) {
  (void)scratch_size;
  return aether_islands_begin(count[0], at[0], at[1], error);
}

static inline play islands_begin(size_t node_count, const int32_t *parents, const uint8_t *marks) {
  return (play){"aether_islands_begin",
                call_islands_begin,
                {node_count, 0},
                2,
                {{1, OUTPUT, alignof(int32_t), node_count * sizeof *parents, parents, 0},
                 {2, NULLABLE_OUTPUT, 1, node_count, marks, 0}}};
}

/* The parents before and after are MuJoCo's; without marks. */
static inline aether_status call_islands_merge(void *const at[], const size_t count[], size_t scratch_size,
                                               aether_error *error) {
  (void)scratch_size;
  return aether_islands_merge(count[0], at[0], NULL, at[1], count[1], at[2], AETHER_MERGE_FULL_COMPRESSION, error);
}

static inline aether_status call_islands_concurrent_merge(void *const at[], const size_t count[], size_t scratch_size,
                                                          aether_error *error) {
  (void)scratch_size;
  return aether_islands_concurrent_merge(count[0], at[0], NULL, at[1], count[1], at[2], 0, error);
}

static inline play islands_merge(const char *name, function call, size_t node_count, const int32_t *parents,
                                 const aether_incidence *incidences, size_t count, const uint8_t *awake) {
  return (play){name,
                call,
                {node_count, count},
                3,
                {{1, CHANGED, alignof(int32_t), node_count * sizeof *parents, parents, 0},
                 {3, INPUT, alignof(aether_incidence), count * sizeof *incidences, incidences, 0},
                 {5, OPTIONAL_INPUT, 1, node_count, awake, 0}}};
}

/* Of four members. */
static inline aether_status call_islands_merge_many(void *const at[], const size_t count[], size_t scratch_size,
                                                    aether_error *error) {
  (void)scratch_size;
  return aether_islands_merge_many(count[0], at[0], NULL, at[1], count[1], at[2], 4, at[3],
                                   AETHER_MERGE_FULL_COMPRESSION, error);
}

static inline aether_status call_islands_concurrent_merge_many(void *const at[], const size_t count[],
                                                               size_t scratch_size, aether_error *error) {
  (void)scratch_size;
  return aether_islands_concurrent_merge_many(count[0], at[0], NULL, at[1], count[1], at[2], 4, at[3], 0, error);
}

static inline play islands_merge_many(const char *name, function call, size_t node_count, const int32_t *parents,
                                      const size_t *starts, size_t count, const int32_t *members,
                                      const uint8_t *awake) {
  return (play){name,
                call,
                {node_count, count},
                4,
                {{1, CHANGED, alignof(int32_t), node_count * sizeof *parents, parents, 0},
                 {3, INPUT, alignof(size_t), (count + 1) * sizeof *starts, starts, 0},
                 {5, INPUT, alignof(int32_t), 4 * sizeof *members, members, 0},
                 {7, OPTIONAL_INPUT, 1, node_count, awake, 0}}};
}

/* Of the last node. */
static inline aether_status call_islands_root(void *const at[], const size_t count[], size_t scratch_size,
                                              aether_error *error) {
  (void)scratch_size;
  return aether_islands_root(count[0], at[0], 4, at[1], error);
}

static inline play islands_root(size_t node_count, const int32_t *parents, const int32_t *root) {
  return (play){"aether_islands_root",
                call_islands_root,
                {node_count, 0},
                2,
                {{1, CHANGED, alignof(int32_t), node_count * sizeof *parents, parents, 0},
                 {3, OUTPUT, alignof(int32_t), sizeof *root, root, 0}}};
}

/* Without marks. */
static inline aether_status call_islands_finish(void *const at[], const size_t count[], size_t scratch_size,
                                                aether_error *error) {
  (void)scratch_size;
  return aether_islands_finish(count[0], at[0], NULL, at[1], at[2], at[3], at[4], error);
}

static inline play islands_finish(size_t node_count, const int32_t *parents, const int32_t *labels,
                                  const int32_t *weights, const size_t *island_count, const int64_t *weight_sum) {
  return (play){"aether_islands_finish",
                call_islands_finish,
                {node_count, 0},
                5,
                {{1, CHANGED, alignof(int32_t), node_count * sizeof *parents, parents, 0},
                 {3, NULLABLE_OUTPUT, alignof(int32_t), node_count * sizeof *labels, labels, 0},
                 {4, NULLABLE, alignof(int32_t), node_count * sizeof *weights, weights, 0},
                 {5, OPTIONAL, alignof(size_t), sizeof *island_count, island_count, 0},
                 {6, OPTIONAL, alignof(int64_t), sizeof *weight_sum, weight_sum, 0}}};
}

static inline aether_status call_islands_incidence_labels(void *const at[], const size_t count[], size_t scratch_size,
                                                          aether_error *error) {
  (void)scratch_size;
  return aether_islands_incidence_labels(count[0], at[0], at[1], count[1], at[2], error);
}

static inline play islands_incidence_labels(size_t node_count, const int32_t *labels,
                                            const aether_incidence *incidences, size_t count,
                                            const int32_t *incidence_labels) {
  return (play){"aether_islands_incidence_labels",
                call_islands_incidence_labels,
                {node_count, count},
                3,
                {{1, INPUT, alignof(int32_t), node_count * sizeof *labels, labels, 0},
                 {2, INPUT, alignof(aether_incidence), count * sizeof *incidences, incidences, 0},
                 {4, OUTPUT, alignof(int32_t), count * sizeof *incidence_labels, incidence_labels, 0}}};
}

/* Of four members. */
static inline aether_status call_islands_constraint_labels(void *const at[], const size_t count[], size_t scratch_size,
                                                           aether_error *error) {
  (void)scratch_size;
  return aether_islands_constraint_labels(count[0], at[0], at[1], count[1], at[2], 4, at[3], error);
}

static inline play islands_constraint_labels(size_t node_count, const int32_t *labels, const size_t *starts,
                                             size_t count, const int32_t *members, const int32_t *constraint_labels) {
  return (play){"aether_islands_constraint_labels",
                call_islands_constraint_labels,
                {node_count, count},
                4,
                {{1, INPUT, alignof(int32_t), node_count * sizeof *labels, labels, 0},
                 {2, INPUT, alignof(size_t), (count + 1) * sizeof *starts, starts, 0},
                 {4, INPUT, alignof(int32_t), 4 * sizeof *members, members, 0},
                 {6, OUTPUT, alignof(int32_t), count * sizeof *constraint_labels, constraint_labels, 0}}};
}

/* Strides of 2 incidences and 3 labels. */
static inline aether_status call_islands_batch(void *const at[], const size_t count[], size_t scratch_size,
                                               aether_error *error) {
  (void)scratch_size;
  return aether_islands_batch(count[0], count[1], at[0], 2, at[1], at[2], 3, at[3], 0, at[4], error);
}

/* Each world has as many nodes as there is room for. */
static inline play islands_batch(size_t world_count, const aether_incidence *incidences, const size_t *counts,
                                 const int32_t *labels, const uint8_t *awake, const size_t *island_counts) {
  return (play){"aether_islands_batch",
                call_islands_batch,
                {world_count, 3},
                5,
                {{2, INPUT, alignof(aether_incidence), world_count * 2 * sizeof *incidences, incidences, 0},
                 {4, INPUT, alignof(size_t), world_count * sizeof *counts, counts, 0},
                 {5, OUTPUT, alignof(int32_t), world_count * 3 * sizeof *labels, labels, 0},
                 {7, OPTIONAL_INPUT, 1, world_count * 3, awake, 0},
                 {9, OPTIONAL, alignof(size_t), world_count * sizeof *island_counts, island_counts, 0}}};
}

static inline aether_status call_group_by_label(void *const at[], const size_t count[], size_t scratch_size,
                                                aether_error *error) {
  (void)scratch_size;
  return aether_group_by_label(at[0], count[0], count[1], at[1], at[2], at[3], at[4], at[5], error);
}

static inline play group_by_label(const int32_t *labels, size_t item_count, size_t label_count, const int32_t *counts,
                                  const int32_t *starts, const int32_t *order, const int32_t *inverse,
                                  const size_t *labelled) {
  return (play){"aether_group_by_label",
                call_group_by_label,
                {item_count, label_count},
                6,
                {{0, INPUT, alignof(int32_t), item_count * sizeof *labels, labels, 0},
                 {3, OUTPUT, alignof(int32_t), label_count * sizeof *counts, counts, 0},
                 {4, OUTPUT, alignof(int32_t), label_count * sizeof *starts, starts, 0},
                 {5, OPTIONAL, alignof(int32_t), item_count * sizeof *order, order, 0},
                 {6, OPTIONAL, alignof(int32_t), item_count * sizeof *inverse, inverse, 0},
                 {7, OPTIONAL, alignof(size_t), sizeof *labelled, labelled, 0}}};
}

/* A problem with one of everything; the plays differ in what is done with it. */
typedef struct parts {
  const aether_tensor *tensors;
  size_t count;
  const size_t *fixed_offsets, *hint_offsets;
  const aether_gap *gap;
  const aether_pair *compatible, *apart;
  const aether_range *reserved;
} parts;

static inline aether_problem problem_at(void *const at[], const size_t count[]) {
  return (aether_problem){sizeof(aether_problem), at[0], count[0], at[1], at[2], at[3], 1, at[4], 1, at[5], 1, at[6],
                          1, 0};
}

/* The members of the problem are the first seven buffers. */
static inline play play_of(const char *name, function call, parts of, size_t scratch_size) {
  const size_t words = of.count * sizeof(size_t);
  return (play){name,
                call,
                {of.count, 0},
                10,
                {{0, INPUT, alignof(aether_tensor), of.count * sizeof *of.tensors, of.tensors, 1},
                 {0, OPTIONAL_INPUT, alignof(size_t), words, of.fixed_offsets, 3},
                 {0, OPTIONAL_INPUT, alignof(size_t), words, of.hint_offsets, 4},
                 {0, INPUT, alignof(aether_gap), sizeof *of.gap, of.gap, 5},
                 {0, INPUT, alignof(aether_pair), sizeof *of.compatible, of.compatible, 7},
                 {0, INPUT, alignof(aether_pair), sizeof *of.apart, of.apart, 9},
                 {0, INPUT, alignof(aether_range), sizeof *of.reserved, of.reserved, 11},
                 {0, SCRATCH, 1, 0, NULL, 0},
                 {0, SCRATCH, 1, 0, NULL, 0},
                 {0, SCRATCH, AETHER_SCRATCH_ALIGN, scratch_size, NULL, 0}}};
}

static inline aether_status call_plan_portfolio(void *const at[], const size_t count[], size_t scratch_size,
                                                aether_error *error) {
  const aether_problem problem = problem_at(at, count);
  return aether_plan_portfolio(&problem, 0, at[7], at[8], at[9], scratch_size, error);
}

static inline play plan_portfolio(parts of, const size_t *offsets, const aether_outcome *outcome) {
  play p = play_of("aether_plan_portfolio", call_plan_portfolio, of,
                   aether_plan_portfolio_scratch_size(of.count, 1, 2, 1));
  p.buffers[7] = (buffer){2, OUTPUT, alignof(size_t), of.count * sizeof *offsets, offsets, 0};
  p.buffers[8] = (buffer){3, OPTIONAL, alignof(aether_outcome), sizeof *outcome, outcome, 0};
  p.buffers[9].argument = 4;
  return p;
}

static inline int go_on(void *user, const aether_plan *best) {
  (void)user;
  return best->lower_bound > best->arena_size;
}

static inline aether_status call_plan_search(void *const at[], const size_t count[], size_t scratch_size,
                                             aether_error *error) {
  const aether_problem problem = problem_at(at, count);
  return aether_plan_search(&problem, 1000, 7, go_on, NULL, at[7], at[8], at[9], scratch_size, error);
}

static inline play plan_search(parts of, const size_t *offsets, const aether_search *outcome) {
  play p = play_of("aether_plan_search", call_plan_search, of, aether_plan_search_scratch_size(of.count, 1, 2, 1));
  p.buffers[7] = (buffer){5, OUTPUT, alignof(size_t), of.count * sizeof *offsets, offsets, 0};
  p.buffers[8] = (buffer){6, OPTIONAL, alignof(aether_search), sizeof *outcome, outcome, 0};
  p.buffers[9].argument = 7;
  return p;
}

static inline aether_status call_check_problem(void *const at[], const size_t count[], size_t scratch_size,
                                               aether_error *error) {
  const aether_problem problem = problem_at(at, count);
  return aether_check_problem(&problem, at[7], at[8], at[9], scratch_size, error);
}

static inline play check_problem(parts of, const size_t *offsets, const aether_plan *plan) {
  play p = play_of("aether_check_problem", call_check_problem, of,
                   aether_check_problem_scratch_size(of.count, 1, 2, 1));
  p.buffers[7] = (buffer){1, INPUT, alignof(size_t), of.count * sizeof *offsets, offsets, 0};
  p.buffers[8] = (buffer){2, OPTIONAL, alignof(aether_plan), sizeof *plan, plan, 0};
  p.buffers[9].argument = 3;
  return p;
}

static inline aether_status call_lower_bound(void *const at[], const size_t count[], size_t scratch_size,
                                             aether_error *error) {
  const aether_problem problem = problem_at(at, count);
  return aether_lower_bound(&problem, at[7], at[8], NULL, at[9], scratch_size, error);
}

static inline play lower_bound(parts of, const size_t *bound, const size_t *peak) {
  play p = play_of("aether_lower_bound", call_lower_bound, of, aether_lower_bound_scratch_size(of.count, 1, 2, 1));
  p.buffers[7] = (buffer){1, OPTIONAL, alignof(size_t), sizeof *bound, bound, 0};
  p.buffers[8] = (buffer){2, OPTIONAL, alignof(size_t), sizeof *peak, peak, 0};
  p.buffers[9].argument = 4;
  return p;
}

/* A program of few operations, with what comes out. */
typedef struct flow_parts {
  const aether_op *ops;
  size_t op_count;
  const uint32_t *value_ops;
  size_t value_count;
  const aether_alloc *allocs;
  size_t alloc_count;
  const aether_dealloc *deallocs;
  size_t dealloc_count;
  const aether_use *uses;
  size_t use_count;
  const aether_alias *aliases;
  size_t alias_count;
  const uint32_t *foreign;
  size_t foreign_count;
} flow_parts;

/* The counts of the program that is played. */
static flow_parts played;

static inline aether_status call_flow_lifetimes(void *const at[], const size_t count[], size_t scratch_size,
                                                aether_error *error) {
  const aether_program program = {sizeof(aether_program),
                                  at[0],
                                  played.op_count,
                                  at[1],
                                  played.value_count,
                                  at[2],
                                  count[0],
                                  at[3],
                                  played.dealloc_count,
                                  at[4],
                                  played.use_count,
                                  at[5],
                                  played.alias_count,
                                  at[6],
                                  played.foreign_count,
                                  0,
                                  0,
                                  0};
  return aether_flow_lifetimes(&program, AETHER_FLOW_SOUND, at[7], at[8], at[9], at[10], count[1], at[11], at[12],
                               scratch_size, error);
}

/* The members of the program are the first seven buffers. All plays share the counts of `played`. */
static inline play flow_lifetimes(flow_parts of, const aether_tensor *tensors, const aether_alloc_result *results,
                                  const uint8_t *erasable, const aether_pair *pairs, size_t capacity,
                                  const size_t *pair_count) {
  const size_t need = aether_flow_lifetimes_scratch_size(of.op_count, of.value_count, of.alloc_count, of.dealloc_count,
                                                         of.use_count, of.alias_count);
  played = of;
  return (play){"aether_flow_lifetimes",
                call_flow_lifetimes,
                {of.alloc_count, capacity},
                13,
                {{0, INPUT, alignof(aether_op), of.op_count * sizeof *of.ops, of.ops, 1},
                 {0, INPUT, alignof(uint32_t), of.value_count * sizeof *of.value_ops, of.value_ops, 3},
                 {0, INPUT, alignof(aether_alloc), of.alloc_count * sizeof *of.allocs, of.allocs, 5},
                 {0, INPUT, alignof(aether_dealloc), of.dealloc_count * sizeof *of.deallocs, of.deallocs, 7},
                 {0, INPUT, alignof(aether_use), of.use_count * sizeof *of.uses, of.uses, 9},
                 {0, INPUT, alignof(aether_alias), of.alias_count * sizeof *of.aliases, of.aliases, 11},
                 {0, INPUT, alignof(uint32_t), of.foreign_count * sizeof *of.foreign, of.foreign, 13},
                 {2, OUTPUT, alignof(aether_tensor), of.alloc_count * sizeof *tensors, tensors, 0},
                 {3, OUTPUT, alignof(aether_alloc_result), of.alloc_count * sizeof *results, results, 0},
                 {4, OUTPUT, 1, of.dealloc_count, erasable, 0},
                 {5, OUTPUT, alignof(aether_pair), capacity * sizeof *pairs, pairs, 0},
                 {7, OPTIONAL, alignof(size_t), sizeof *pair_count, pair_count, 0},
                 {8, SCRATCH, AETHER_SCRATCH_ALIGN, need, NULL, 0}}};
}

static inline aether_status call_check_arena(void *const at[], const size_t count[], size_t scratch_size,
                                             aether_error *error) {
  (void)scratch_size;
  return aether_check_arena(at[0], at[1], count[0], error);
}

/* The arena's bytes are not looked at. */
static inline play check_arena(const aether_plan *plan, const void *arena, size_t bytes) {
  return (play){"aether_check_arena",
                call_check_arena,
                {bytes, 0},
                2,
                {{0, INPUT, alignof(aether_plan), sizeof *plan, plan, 0}, {1, INPUT, 1, bytes, arena, 0}}};
}

/* A problem with every array. */
typedef struct spaces_parts {
  const aether_tensor *tensors;
  size_t count;
  const aether_space *spaces;
  size_t space_count;
  const uint32_t *allowed, *pinned_spaces;
  const size_t *fixed_offsets, *weights;
} spaces_parts;

static inline aether_status call_plan_spaces(void *const at[], const size_t count[], size_t scratch_size,
                                             aether_error *error) {
  const aether_spaces problem = {sizeof problem, at[0], count[0], at[1], count[1], at[2], at[3], at[4], at[5]};
  return aether_plan_spaces(&problem, 1000, 7, at[6], at[7], at[8], at[9], at[10], scratch_size, error);
}

/* Without the pins a fixed offset has no space, so they are not optional. */
static inline play plan_spaces(spaces_parts of, const uint32_t *homes, const size_t *offsets,
                               const aether_space_report *reports, const aether_spaces_outcome *outcome) {
  const size_t need = aether_plan_spaces_scratch_size(of.count, of.space_count);
  const size_t words = of.count * sizeof(size_t), halves = of.count * sizeof(uint32_t);
  return (play){"aether_plan_spaces",
                call_plan_spaces,
                {of.count, of.space_count},
                11,
                {{0, INPUT, alignof(aether_tensor), of.count * sizeof *of.tensors, of.tensors, 1},
                 {0, INPUT, alignof(aether_space), of.space_count * sizeof *of.spaces, of.spaces, 3},
                 {0, OPTIONAL_INPUT, alignof(uint32_t), halves, of.allowed, 5},
                 {0, NULLABLE, alignof(uint32_t), halves, of.pinned_spaces, 6},
                 {0, OPTIONAL_INPUT, alignof(size_t), words, of.fixed_offsets, 7},
                 {0, OPTIONAL_INPUT, alignof(size_t), words, of.weights, 8},
                 {3, OUTPUT, alignof(uint32_t), halves, homes, 0},
                 {4, OUTPUT, alignof(size_t), words, offsets, 0},
                 {5, OPTIONAL, alignof(aether_space_report), of.space_count * sizeof *reports, reports, 0},
                 {6, OPTIONAL, alignof(aether_spaces_outcome), sizeof *outcome, outcome, 0},
                 {7, SCRATCH, AETHER_SCRATCH_ALIGN, need, NULL, 0}}};
}

/* ---- Setting up ---- */

enum { RANDOM_GARBAGE = 256 };

/* Fills with one byte value, or with RANDOM_GARBAGE, the same each time. */
static inline void fill_with_garbage(void *bytes, size_t count, unsigned garbage) {
  static unsigned char random[sizeof memory];
  static size_t known;
  static uint32_t state = 1;
  if (garbage != RANDOM_GARBAGE) {
    memset(bytes, (int)garbage, count);
    return;
  }
  CHECK(count <= sizeof random);
  for (; known < count; known++) {
    state = state * 1664525u + 1013904223u;
    random[known] = (unsigned char)(state >> 24);
  }
  memcpy(bytes, random, count);
}

/* Puts a buffer somewhere else on the stage, with its content if it is an input. */
static inline void move_to(const play *p, stage *s, size_t i, void *to) {
  s->at[i] = to;
  if ((is_input(&p->buffers[i]) || p->buffers[i].role == CHANGED) && p->buffers[i].bytes > 0) {
    memcpy(to, p->buffers[i].content, p->buffers[i].bytes);
  }
}

static inline stage set_up(const play *p, unsigned garbage) {
  stage s = {{NULL}, {p->count[0], p->count[1]}, 0, (aether_error *)(void *)(memory + MARGIN)};
  fill_with_garbage(memory, sizeof memory, garbage);
  for (size_t i = 0; i < p->buffer_count; i++) {
    move_to(p, &s, i, memory + (1 + i) * SLOT + MARGIN);
    if (p->buffers[i].role == SCRATCH) {
      s.scratch_size = p->buffers[i].bytes;
    }
  }
  return s;
}

/* The multiple of `align` at or above, and the multiple of 8 below the last byte. */
static inline size_t round_up(size_t bytes, size_t align) {
  return (bytes + align - 1) / align * align;
}

static inline size_t last_word(size_t bytes) {
  return (bytes - 1) / 8 * 8;
}

/* ---- Acting ---- */

static inline aether_status act(const play *p, const stage *s) {
  memcpy(memory_before, memory, sizeof memory);
  return p->call(s->at, s->count, s->scratch_size, s->error);
}

/* Says that the call may have written here. Places off the stage and NULL are nobody's business. */
static inline void allow(const void *place, size_t bytes) {
  uintptr_t begin = (uintptr_t)memory, at = (uintptr_t)place;
  if (at >= begin && at - begin < sizeof memory) {
    size_t left = sizeof memory - (at - begin);
    memcpy(memory_before + (at - begin), place, bytes < left ? bytes : left);
  }
}

static inline void allow_scratch(const play *p, const stage *s) {
  for (size_t i = 0; i < p->buffer_count; i++) {
    if (p->buffers[i].role == SCRATCH) {
      allow(s->at[i], s->scratch_size);
    }
  }
}

#define EXPECT_UNTOUCHED() CHECK(memcmp(memory, memory_before, sizeof memory) == 0)

/* The call succeeds, every output that is wanted is right, and nothing else changes. */
static inline void expect_answer(const play *p, const stage *s) {
  aether_status status = act(p, s);
  CHECK_EQ(status, AETHER_OK);
  if (s->error != NULL) {
    CHECK_ERROR(status, s->error, AETHER_OK, NONE, NONE, 0, 0);
    allow(s->error, sizeof *s->error);
  }
  allow_scratch(p, s);
  for (size_t i = 0; i < p->buffer_count; i++) {
    const buffer *b = &p->buffers[i];
    if (!is_input(b) && b->role != SCRATCH && s->at[i] != NULL && b->bytes > 0) {
      if (memcmp(s->at[i], answer_of(b), b->bytes) != 0) {
        printf("  %s: argument %zu is wrong\n", p->name, b->argument);
        CHECK(memcmp(s->at[i], answer_of(b), b->bytes) == 0);
      }
      allow(s->at[i], b->bytes);
    }
  }
  EXPECT_UNTOUCHED();
}

/* The call fails with this record, or without one if there is none, and nothing but scratch and record changes. */
static inline void expect_error(const play *p, const stage *s, aether_error want) {
  stage without = *s;
  without.error = NULL;
  CHECK_EQ(act(p, &without), want.status);
  allow_scratch(p, s);
  EXPECT_UNTOUCHED();

  aether_status status = act(p, s);
  CHECK_ERROR(status, s->error, want.status, want.index, want.other, want.got, want.limit);
  allow_scratch(p, s);
  allow(s->error, sizeof *s->error);
  EXPECT_UNTOUCHED();
}

/* The call fails with this status, and not even the record changes. */
static inline void expect_silent_error(const play *p, const stage *s, aether_status want) {
  CHECK_EQ(act(p, s), want);
  EXPECT_UNTOUCHED();
}

#endif
