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

enum { MOST_BUFFERS = 11, SLOT = 16384, MARGIN = 512 };

/*
 * An OPTIONAL_INPUT changes nothing where it is NULL: a play is written so. A NULLABLE is an input that may be NULL and
 * then means something else.
 */
enum role { INPUT, OPTIONAL_INPUT, NULLABLE, OUTPUT, OPTIONAL, SCRATCH };

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

/* Fills with one byte value, or with RANDOM_GARBAGE. */
static inline void fill_with_garbage(void *bytes, size_t count, unsigned garbage) {
  uint32_t state = 1;
  for (size_t i = 0; i < count; i++) {
    state = state * 1664525u + 1013904223u;
    ((unsigned char *)bytes)[i] = (unsigned char)(garbage == RANDOM_GARBAGE ? state >> 24 : garbage);
  }
}

/* Puts a buffer somewhere else on the stage, with its content if it is an input. */
static inline void move_to(const play *p, stage *s, size_t i, void *to) {
  s->at[i] = to;
  if (is_input(&p->buffers[i]) && p->buffers[i].bytes > 0) {
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
    if ((b->role == OUTPUT || b->role == OPTIONAL) && s->at[i] != NULL && b->bytes > 0) {
      if (memcmp(s->at[i], b->content, b->bytes) != 0) {
        printf("  %s: argument %zu is wrong\n", p->name, b->argument);
        CHECK(memcmp(s->at[i], b->content, b->bytes) == 0);
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
