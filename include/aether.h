/*
 * aether: the decisions a runtime takes before it runs.
 *
 *   Where do these tensors live in one arena?    aether_plan_offsets, aether_check_offsets, aether_peak_live_bytes
 *     ... with pins, gaps, pairs, a capacity?    aether_plan_portfolio, aether_check_problem, aether_lower_bound
 *     ... in the smallest arena?                 aether_plan_search
 *   Which ordering edges does a schedule need?   aether_transitive_reduction, aether_topological_ranks
 *   Which constraints can be solved apart?       aether_islands
 *
 * The caller owns all memory. Nothing is allocated, printed or kept between calls; every function is re-entrant and
 * safe to call from any thread as long as no other thread uses the same buffers. The same input gives the same bytes
 * out on every platform. No input makes a function crash, as long as each buffer has the bytes that its count says.
 *
 *   size_t need = aether_plan_offsets_scratch_size(tensor_count);
 *   void *scratch = malloc(need);
 *   aether_status status = aether_plan_offsets(tensors, tensor_count, offsets, &plan, scratch, need, &error);
 *   if (status != AETHER_OK) {
 *     char text[256];
 *     aether_error_message(&error, text, sizeof text);
 *   }
 *
 * For every call:
 * - Sizes, offsets and alignments are bytes; indices start at 0.
 * - (NULL, 0) is an empty array. NULL with a count is AETHER_ERROR_NULL. No array is longer than PTRDIFF_MAX bytes,
 *   which bounds its count too.
 * - Outputs need not be initialised. On an error none is touched, except `error` itself and a buffer that the call
 *   names.
 * - `error` may be NULL. Where it overlaps another buffer or is misaligned, it is not written and tells nothing: the
 *   returned status does.
 * - `scratch` is scratch_size bytes at a multiple of AETHER_SCRATCH_ALIGN, at least as many as the query whose name
 *   ends in _scratch_size says. It is used only during the call; its contents after it mean nothing; more than needed
 *   changes nothing. What comes from malloc is aligned; a static array may have to be told, by
 *   _Alignas(AETHER_SCRATCH_ALIGN) or its like.
 * - No two buffers may overlap where one of them is written: AETHER_ERROR_OVERLAP.
 * - Stack: a call about tensors needs at most 16 KiB for up to 50,000 of them, and 1 KiB more for each doubling; any
 *   other call at most 4 KiB. Measured on x86-64.
 * - Any call can return AETHER_ERROR_NULL, _MISALIGNED, _OVERLAP, _SCRATCH_TOO_SMALL and _TOO_MANY. Its own comment
 *   names the others, without AETHER_ERROR_.
 * - Checked in this order: counts; the place of `error`; NULL, alignment and scratch size, argument by argument;
 *   overlaps; the contents.
 *
 * Licence: MIT OR Apache-2.0.
 */

/* Made by scripts/header from the sources; do not edit. */

#ifndef AETHER_H
#define AETHER_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header; aether_version() is that of the library. */
#define AETHER_VERSION "0.1.0"
#define AETHER_VERSION_MAJOR 0
#define AETHER_VERSION_MINOR 1
#define AETHER_VERSION_PATCH 0

/* Nothing need be defined to use the library. */
#if defined(__GNUC__)
#define AETHER_API __attribute__((visibility("default")))
#else
#define AETHER_API
#endif

/* A status that is not looked at is a warning. */
#if defined(__GNUC__)
#define AETHER_MUST_USE __attribute__((warn_unused_result))
#else
#define AETHER_MUST_USE
#endif

/* In the fixed_offsets and hint_offsets of a problem: this tensor has none. */
#define AETHER_FREE SIZE_MAX

#ifdef __cplusplus
extern "C" {
#endif


/* ---- Statuses and errors ----------------------------------------------------------------------------------------- */

/*
 * The number of the binary interface, which the soname and the symbol version carry. It rises whenever a
 * program that was built with an older header would no longer run right.
 */
#define AETHER_ABI_VERSION 0

/* Scratch must lie at a multiple of this many bytes. */
#define AETHER_SCRATCH_ALIGN 8

/* The answer is there. */
#define AETHER_OK 0

/*
 * A required pointer is NULL. index: the argument, the first is 0; limit: the bytes needed there. For this,
 * MISALIGNED and TOO_MANY, where a member of struct aether_problem is meant, index is 0 and other is its place in the
 * struct, the first is 0.
 */
#define AETHER_ERROR_NULL 1

/* A buffer is misaligned. index: the argument; got: its address modulo limit; limit: the alignment. */
#define AETHER_ERROR_MISALIGNED 2

/* Two buffers overlap and one of them is written. index, other: the arguments. */
#define AETHER_ERROR_OVERLAP 3

/* The scratch is too small. index: the argument; got: its bytes; limit: the bytes needed. */
#define AETHER_ERROR_SCRATCH_TOO_SMALL 4

/*
 * A count is too large. index: the argument that is the count, SIZE_MAX for the parts of a problem together; got: the
 * count; limit: the largest allowed.
 */
#define AETHER_ERROR_TOO_MANY 5

/* A tensor's first use is after its last. index: the tensor; got: first_use; limit: last_use. */
#define AETHER_ERROR_LIFETIME 6

/*
 * A tensor's end in the arena does not fit size_t. index: the tensor; got: its size; limit: the bytes left above
 * its offset, 0 also where no aligned offset is left. other, when planning: the tensor that it would lie on, the
 * first of them.
 */
#define AETHER_ERROR_ARENA_OVERFLOW 7

/*
 * The bytes alive at one node do not fit size_t. index: the tensor that is too much; got: its bytes in use there;
 * limit: the bytes left.
 */
#define AETHER_ERROR_PEAK_OVERFLOW 8

/*
 * The least common multiple of the alignments does not fit size_t. index: the tensor; got: its alignment; limit:
 * the least common multiple of the alignments before it.
 */
#define AETHER_ERROR_ALIGNMENT_OVERFLOW 9

/* An offset is not a multiple of its tensor's alignment. index: the tensor; got: the offset; limit: the alignment. */
#define AETHER_ERROR_OFFSET_MISALIGNED 10

/* Two tensors that are alive at one node share a byte. index, other: the tensors; got: the byte; limit: the node. */
#define AETHER_ERROR_CLASH 11

/* An edge names a node that does not exist. index: the edge; got: the id; limit: node_count. */
#define AETHER_ERROR_EDGE_NODE 12

/* An edge does not rise in the topological numbering, or in the ranks. index: the edge; got: from; limit: to. */
#define AETHER_ERROR_NOT_TOPOLOGICAL 13

/*
 * An incidence names a node that does not exist. index: the incidence; got: the id, cast from int32_t; limit:
 * node_count.
 */
#define AETHER_ERROR_INCIDENCE_NODE 14

/* Both ends of an incidence are static. index: the incidence. */
#define AETHER_ERROR_STATIC_INCIDENCE 15

/*
 * An array that has an entry for each tensor has another number of entries; no call from C returns it. got: the
 * entries; limit: the tensors.
 */
#define AETHER_ERROR_COUNT 16

/* A gap names a tensor that does not exist. index: the gap; got: the tensor; limit: tensor_count. */
#define AETHER_ERROR_GAP_TENSOR 17

/*
 * A gap is reversed, or outside the lifetime of its tensor. index: the gap. Reversed: got: first; limit: last; other:
 * SIZE_MAX. Outside: other: the tensor; got: first, limit: its first_use, or got: last, limit: its last_use.
 */
#define AETHER_ERROR_GAP_OUTSIDE 18

/*
 * A gap's window is reversed, or ends above its tensor. index: the gap. Reversed: got: window_begin; limit:
 * window_end; other: SIZE_MAX. Else: got: window_end; limit: the size; other: the tensor.
 */
#define AETHER_ERROR_GAP_WINDOW 19

/*
 * Two gaps of one tensor share a node. index: the gap that begins later, other: the one before; got: the first node
 * of the former; limit: the last node of the latter.
 */
#define AETHER_ERROR_GAP_OVERLAP 20

/*
 * A compatible pair names a tensor that does not exist, or one tensor twice. index: the pair; got: the tensor; limit:
 * tensor_count.
 */
#define AETHER_ERROR_COMPATIBLE_PAIR 21

/*
 * An apart pair names a tensor that does not exist, or one tensor twice. index: the pair; got: the tensor; limit:
 * tensor_count.
 */
#define AETHER_ERROR_APART_PAIR 22

/*
 * Two tensors are a compatible pair and an apart pair. index: the compatible pair; other: the apart pair; got, limit:
 * the tensors.
 */
#define AETHER_ERROR_PAIR_CONTRADICTION 23

/* A reserved range begins after its end. index: the range; got: begin; limit: end. */
#define AETHER_ERROR_RESERVED_REVERSED 24

/*
 * A fixed offset is not a multiple of its tensor's alignment. index: the tensor; got: the offset; limit: the
 * alignment.
 */
#define AETHER_ERROR_FIXED_MISALIGNED 25

/* A fixed tensor ends above the capacity. index: the tensor; got: its end; limit: the capacity. */
#define AETHER_ERROR_FIXED_CAPACITY 26

/*
 * Two fixed tensors share bytes that they must not share. index, other: the tensors; got, limit: the bytes from
 * the first shared one to past the last, at the first node at which they share any.
 */
#define AETHER_ERROR_FIXED_CLASH 27

/*
 * A tensor, fixed or in a plan that is checked, holds a reserved byte. index: the tensor; other: the range; got: the
 * first shared byte; limit: one past the last.
 */
#define AETHER_ERROR_RESERVED_CLASH 28

/* A plan that is checked moves a fixed tensor. index: the tensor; got: its offset; limit: its fixed offset. */
#define AETHER_ERROR_NOT_FIXED 29

/*
 * In a plan that is checked, two tensors of an apart pair share bytes. index, other: the tensors; got: the first
 * shared byte; limit: one past the last.
 */
#define AETHER_ERROR_APART_CLASH 30

/* A mask of planners has a bit that is no planner's. got: the mask; limit: the mask of all planners. */
#define AETHER_ERROR_PLANNERS 31

/*
 * The struct_size of a struct is none: below that of its first members, above 4096, or no multiple of
 * sizeof(size_t); or a member that this library does not know is set. got: struct_size; limit: the size known here.
 */
#define AETHER_ERROR_STRUCT_SIZE 32

/*
 * The edges have a cycle. index: its smallest node; got: its length in nodes; limit: the nodes that the caller's
 * buffer for it holds.
 */
#define AETHER_ERROR_CYCLE 33

/* An edge's flag is none of the AETHER_EDGE constants. index: the edge; got: the flag; limit: the largest. */
#define AETHER_ERROR_EDGE_FLAG 34

/* AETHER_OK or one of the AETHER_ERROR constants. Their numbers never change. */
typedef int32_t aether_status;

/*
 * What went wrong, where, and by how much. Every fallible call takes one as its last argument, or NULL, and fills
 * it in whenever it returns, also with AETHER_OK. What the numbers mean is told at each AETHER_ERROR constant;
 * aether_error_message makes a sentence of them.
 */
typedef struct aether_error {
  /* What the call returned. */
  aether_status status;
  /* 0. */
  int32_t reserved;
  /* The first offending item, the first is 0; SIZE_MAX where there is none. */
  size_t index;
  /* The item it clashes with; SIZE_MAX where there is none. */
  size_t other;
  /* What was found; 0 where the status says nothing of it. */
  size_t got;
  /* What was allowed or needed; 0 where the status says nothing of it. */
  size_t limit;
} aether_error;

/* The version of the library that runs, as "major.minor.patch". Static storage. */
AETHER_API const char *aether_version(void);

/* A few English words for a status; "unknown status" for a number that is none. Static storage, never NULL. */
AETHER_API const char *aether_status_string(aether_status status);

/*
 * Writes an English sentence with the numbers of the error, for instance
 * "tensors 1 and 2 share byte 120, and both are alive at node 2".
 *
 * buffer: capacity bytes; gets the sentence, cut where it does not fit, and always a NUL if capacity is not 0.
 * (NULL, 0) is fine. error: NULL reads as AETHER_OK.
 *
 * Returns the length of the whole sentence without its NUL, like snprintf: it was cut where this is not below
 * capacity. No sentence is longer than 255.
 */
AETHER_API size_t aether_error_message(const aether_error *error, char *buffer, size_t capacity);


/* ---- Offsets: where do these tensors live in one arena? ---------------------------------------------------------- */

/* One buffer of the arena. */
typedef struct aether_tensor {
  /* Bytes. 0: not planned, its offset is 0. */
  size_t size;
  /* The offset is a multiple of this many bytes: any positive number, not only powers of two. 0 means 1. */
  size_t alignment;
  /* The first node that uses it. A node is a step of the execution, told by any number; numbers may be left out. */
  size_t first_use;
  /* The last node that uses it; the lifetime includes it. At least `first_use`, also where the size is 0. */
  size_t last_use;
} aether_tensor;

/* What a plan needs, and what no plan can undercut. */
typedef struct aether_plan {
  /* Bytes: the largest offset + size; 0 where there is nothing to place. */
  size_t arena_size;
  /*
   * Bytes: the least common multiple of the alignments, those of tensors of size 0 left out; 1 where there is
   * nothing to place. The arena's base address must be a multiple of it.
   */
  size_t arena_alignment;
  /* Bytes: proven, no plan is smaller. At least `peak_live_bytes`; more where the alignments force padding. */
  size_t lower_bound;
  /* Bytes: the largest sum of sizes alive at one node. */
  size_t peak_live_bytes;
} aether_plan;



/*
 * Scratch bytes that aether_plan_offsets needs for this many tensors: 280 each with a 64-bit size_t, 200 with a
 * 32-bit one. 0 for none; SIZE_MAX where the arithmetic overflows; never less for more tensors.
 * AETHER_PLAN_OFFSETS_SCRATCH_SIZE(tensor_count) is the same as a constant expression.
 */
AETHER_API size_t aether_plan_offsets_scratch_size(size_t tensor_count);

/*
 * Places every tensor in one arena, so that no two that are alive at one node share a byte.
 *
 * The plan is that of XNNPACK's planner after google/XNNPACK#10801, byte for byte where every alignment is 1:
 * tensors by decreasing size, equal sizes in input order; each into the smallest free interval that fits among the
 * placed tensors alive with it, the space below the lowest of them included, the lowest on a tie; else on top. With
 * alignments, what counts of an interval is its part from the first aligned byte on.
 *
 * tensors: tensor_count of them, read only; at most 2^32 - 1.
 * offsets: gets tensor_count offsets from the start of the arena, in bytes.
 * plan: gets the sizes of the plan; may be NULL.
 * scratch: at least aether_plan_offsets_scratch_size(tensor_count) bytes.
 *
 * Errors: LIFETIME, ALIGNMENT_OVERFLOW, ARENA_OVERFLOW, each with the tensor.
 * Cost: O(n log n) for n tensors, and what they meet: 0.3 to 3 us a tensor where each meets hundreds of others.
 * Most of the scratch is never touched.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_plan_offsets(const aether_tensor *tensors,
                                  size_t tensor_count,
                                  size_t *offsets,
                                  aether_plan *plan,
                                  void *scratch,
                                  size_t scratch_size,
                                  aether_error *error);

/*
 * Scratch bytes that aether_check_offsets needs for this many tensors: 32 each. 0 for none; SIZE_MAX where the
 * arithmetic overflows; never less for more tensors. Also AETHER_CHECK_OFFSETS_SCRATCH_SIZE(tensor_count).
 */
AETHER_API size_t aether_check_offsets_scratch_size(size_t tensor_count);

/*
 * Judges a plan, whoever made it: does every tensor lie on its alignment, end within size_t, and share no byte with
 * a tensor that is alive at the same node?
 *
 * tensors, offsets: tensor_count of each, read only. The offset of a tensor of size 0 is not looked at.
 * plan: gets the sizes of the plan if it is valid; may be NULL.
 * scratch: at least aether_check_offsets_scratch_size(tensor_count) bytes.
 *
 * Errors: LIFETIME, ALIGNMENT_OVERFLOW; else OFFSET_MISALIGNED, or else ARENA_OVERFLOW, for the first tensor that has
 * either; else CLASH for the first clash: at the smallest node, there at the smallest byte, there of the smallest two
 * tensors.
 * Cost: O(n log n) for n tensors.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_check_offsets(const aether_tensor *tensors,
                                   size_t tensor_count,
                                   const size_t *offsets,
                                   aether_plan *plan,
                                   void *scratch,
                                   size_t scratch_size,
                                   aether_error *error);

/*
 * Scratch bytes that aether_peak_live_bytes needs for this many tensors: 24 each. 0 for none; SIZE_MAX where the
 * arithmetic overflows; never less for more tensors. Also AETHER_PEAK_LIVE_BYTES_SCRATCH_SIZE(tensor_count).
 */
AETHER_API size_t aether_peak_live_bytes_scratch_size(size_t tensor_count);

/*
 * The largest sum of sizes alive at one node, which no arena can be smaller than.
 *
 * tensors: tensor_count of them, read only; alignments are not looked at.
 * peak: gets the bytes, 0 where no tensor has any; may be NULL.
 * node: gets the first node with so many, SIZE_MAX where the peak is 0; may be NULL.
 * scratch: at least aether_peak_live_bytes_scratch_size(tensor_count) bytes.
 *
 * Errors: LIFETIME, PEAK_OVERFLOW with the tensor.
 * Cost: O(n log n) for n tensors.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_peak_live_bytes(const aether_tensor *tensors,
                                     size_t tensor_count,
                                     size_t *peak,
                                     size_t *node,
                                     void *scratch,
                                     size_t scratch_size,
                                     aether_error *error);


/* ---- Offsets under conditions, by several planners --------------------------------------------------------------- */

/* The arena is at most the capacity, or there is no capacity. */
#define AETHER_FITS 0

/* The arena is above the capacity by arena_size - capacity; another plan may fit. */
#define AETHER_EXCEEDS 1

/* The lower bound is above the capacity: it is proven that no plan fits. */
#define AETHER_IMPOSSIBLE 2

/* Decreasing size, best fit: XNNPACK. The plan of aether_plan_offsets. */
#define AETHER_PLANNER_SIZE 0

/* First use, best fit: MLIR's best-fit. */
#define AETHER_PLANNER_FIRST_USE 1

/* Input order, one after another: MLIR's trivial. */
#define AETHER_PLANNER_SEQUENTIAL 2

/* Decreasing size, of equal sizes the longest life first, best fit: XLA's spatial order. */
#define AETHER_PLANNER_SPATIAL 3

/* The longest life first, of equal ones the largest, best fit: XLA's temporal order. */
#define AETHER_PLANNER_TEMPORAL 4

/* Decreasing number of tensors alive beside it, best fit: TVM's order by conflicts. */
#define AETHER_PLANNER_CONFLICTS 5

/* Decreasing size, first fit: TFLite-Micro. */
#define AETHER_PLANNER_FIRST_FIT 6

/* Decreasing size x length of the lifetime, first fit. */
#define AETHER_PLANNER_AREA 7

/* Size classes, each coloured as an interval graph, packed by first fit. */
#define AETHER_PLANNER_COLOURING 8

/* Decreasing size x number of tensors alive beside it, first fit. */
#define AETHER_PLANNER_PRESSURE 9

/* Nodes inside a lifetime at which a tensor holds only a part of its bytes, or none. */
typedef struct aether_gap {
  /* The tensor, an index into the tensors. */
  size_t tensor;
  /* The first node of the gap; at least the tensor's first use. */
  size_t first;
  /* The last node of the gap, inclusive; at least `first`, at most the tensor's last use. */
  size_t last;
  /* The first byte of the tensor that stays in use. */
  size_t window_begin;
  /* One past the last byte that stays in use, at most the tensor's size; equal to `window_begin`: none does. */
  size_t window_end;
} aether_gap;

/* Two different tensors, as indices into the tensors, in either order. */
typedef struct aether_pair {
  /* One of them. */
  size_t a;
  /* The other. */
  size_t b;
} aether_pair;

/* Bytes of the arena. */
typedef struct aether_range {
  /* The first byte. */
  size_t begin;
  /* One past the last byte; at least `begin`. */
  size_t end;
} aether_range;

/*
 * A problem for the planners beyond aether_plan_offsets. Set struct_size to sizeof(aether_problem) and everything that
 * is not needed to 0: only tensors and tensor_count say something then. A shorter struct of an older header is read
 * as if the rest were 0.
 *
 * Two tensors clash where they share a byte at a node at which both hold it. A compatible pair never clashes; a pair
 * that is kept apart clashes where their bytes [offset, offset + size) share one, whatever their lifetimes and gaps.
 *
 * All arrays are read only. index of an error about an array's item: the item, the first is 0.
 */
typedef struct aether_problem {
  /* sizeof(aether_problem). */
  size_t struct_size;
  /* What lives in the arena. */
  const aether_tensor *tensors;
  /* At most 2^32 - 1; so is tensor_count + 2 x gap_count + reserved_count. */
  size_t tensor_count;
  /*
   * NULL, or tensor_count offsets: what a tensor has in every plan; AETHER_FREE: it is planned. A fixed offset is a
   * multiple of the alignment, and ends within the capacity. That of a tensor of size 0 is not looked at.
   */
  const size_t *fixed_offsets;
  /*
   * NULL, or tensor_count offsets: what a planner gives a tensor where that is aligned, free when its turn comes,
   * and ends within the capacity; AETHER_FREE: no wish. A hint can make the arena larger.
   */
  const size_t *hint_offsets;
  /* When tensors hold less than all of their bytes, in any order; those of one tensor share no node. */
  const aether_gap *gaps;
  /* At most 2^31 - 1. */
  size_t gap_count;
  /* Pairs of tensors that may share bytes although their lifetimes meet, as those of two branches of which one runs. */
  const aether_pair *compatible;
  /* At most 2^31 - 1. */
  size_t compatible_count;
  /* Pairs of tensors that must not share bytes although their lifetimes do not meet. */
  const aether_pair *apart;
  /* At most 2^31 - 1. */
  size_t apart_count;
  /* Bytes of the arena that no tensor may use, in any order; they may overlap, be empty, and end beyond the arena. */
  const aether_range *reserved;
  /* At most 2^32 - 1. */
  size_t reserved_count;
  /* Bytes that the arena should not exceed; 0: no limit. That a plan exceeds it is no error but a verdict. */
  size_t capacity;
} aether_problem;

/* What the planners found. */
typedef struct aether_outcome {
  /* The sizes of the plan. */
  aether_plan plan;
  /* AETHER_FITS, AETHER_EXCEEDS or AETHER_IMPOSSIBLE. */
  int32_t verdict;
  /* The planner whose plan it is, one of the AETHER_PLANNER constants. */
  int32_t planner;
} aether_outcome;

/*
 * Scratch bytes that aether_plan_portfolio needs for so many tensors, gaps, pairs (compatible_count + apart_count) and
 * reserved ranges: 372 a tensor, 272 a gap, 32 a pair, 104 a range, and 1088 where there is a tensor; with a 32-bit
 * size_t 268, 144, 24, 56 and 1088. Rounded up to a multiple of 8; SIZE_MAX where the arithmetic overflows; never
 * less for more. AETHER_PLAN_PORTFOLIO_SCRATCH_SIZE(...) is the same as a constant expression.
 */
AETHER_API
size_t aether_plan_portfolio_scratch_size(size_t tensor_count,
                                          size_t gap_count,
                                          size_t pair_count,
                                          size_t reserved_count);

/*
 * Runs several planners over a problem, in the order of their constants, and keeps the smallest arena, of equal ones
 * the earlier planner's. It ends early at a plan that is proven optimal. Where a problem has tensors alone and
 * AETHER_PLANNER_SIZE is among the planners, its plan is never larger than that of aether_plan_offsets.
 *
 * planners: a mask, 1 << AETHER_PLANNER_... for each; 0: all of them.
 * offsets: gets tensor_count offsets from the start of the arena, in bytes.
 * outcome: gets the sizes of the plan, whether it fits, and whose it is; may be NULL.
 * scratch: at least aether_plan_portfolio_scratch_size(...) bytes.
 *
 * Errors: PLANNERS, STRUCT_SIZE; LIFETIME, GAP_TENSOR, GAP_OUTSIDE, GAP_WINDOW, GAP_OVERLAP, COMPATIBLE_PAIR,
 * APART_PAIR, PAIR_CONTRADICTION, RESERVED_REVERSED; ALIGNMENT_OVERFLOW; FIXED_MISALIGNED, FIXED_CAPACITY,
 * RESERVED_CLASH, FIXED_CLASH; ARENA_OVERFLOW for a fixed tensor that ends beyond size_t, or where no planner found a
 * plan that fits, that of the first planner. A capacity that is missed is no error but a verdict.
 * Cost: where there are neither gaps nor pairs, for each planner that of aether_plan_offsets, and each tensor looks at
 * each reserved range. Else it grows with the square of the parts, a tensor being one part, and a gap making up to two
 * more: 10,000 tensors take 0.02 to 0.2 s a planner, 10,000 with a gap each up to 2 s where all are alive at once.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_plan_portfolio(const aether_problem *problem,
                                    uint32_t planners,
                                    size_t *offsets,
                                    aether_outcome *outcome,
                                    void *scratch,
                                    size_t scratch_size,
                                    aether_error *error);

/*
 * Scratch bytes that aether_check_problem needs for so many tensors, gaps, pairs (compatible_count + apart_count) and
 * reserved ranges: 100 a tensor, 160 a gap, 16 a pair, 16 a range; with a 32-bit size_t 76, 120, 16 and 8. Rounded up
 * to a multiple of 8; SIZE_MAX where the arithmetic overflows; never less for more. Also
 * AETHER_CHECK_PROBLEM_SCRATCH_SIZE(...).
 */
AETHER_API
size_t aether_check_problem_scratch_size(size_t tensor_count,
                                         size_t gap_count,
                                         size_t pair_count,
                                         size_t reserved_count);

/*
 * Judges a plan for a problem with all its parts, whoever made the plan. Hints are not looked at, and of the plan only
 * its fixed tensors must end within the capacity: a plan that exceeds it is valid.
 *
 * offsets: tensor_count of them, read only. The offset of a tensor of size 0 is not looked at.
 * plan: gets the sizes of the plan if it is valid; may be NULL.
 * scratch: at least aether_check_problem_scratch_size(...) bytes.
 *
 * Errors: STRUCT_SIZE and those of the problem, as for aether_plan_portfolio. Then OFFSET_MISALIGNED, ARENA_OVERFLOW
 * or NOT_FIXED for the first tensor that has one of them; RESERVED_CLASH for the first tensor; APART_CLASH for the
 * first pair of tensors; CLASH for the first clash: at the smallest node, there at the smallest byte, there of the
 * smallest two tensors.
 * Cost: O(m log m) for m tensors, gaps, pairs and ranges, and what the bound costs.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_check_problem(const aether_problem *problem,
                                   const size_t *offsets,
                                   aether_plan *plan,
                                   void *scratch,
                                   size_t scratch_size,
                                   aether_error *error);

/*
 * Scratch bytes that aether_lower_bound needs for so many tensors, gaps, pairs (compatible_count + apart_count) and
 * reserved ranges: 100 a tensor, 160 a gap, 16 a pair, 16 a range; with a 32-bit size_t 76, 120, 16 and 8. Rounded up
 * to a multiple of 8; SIZE_MAX where the arithmetic overflows; never less for more. Also
 * AETHER_LOWER_BOUND_SCRATCH_SIZE(...).
 */
AETHER_API
size_t aether_lower_bound_scratch_size(size_t tensor_count,
                                       size_t gap_count,
                                       size_t pair_count,
                                       size_t reserved_count);

/*
 * What no plan for a problem can undercut. Hints are not looked at, nor is the capacity but by fixed tensors, which
 * must end within it.
 *
 * lower_bound: gets the bytes, SIZE_MAX also where no plan fits size_t; may be NULL.
 * peak_live_bytes: gets the largest sum of bytes in use at one node, both tensors of a compatible pair counted,
 * SIZE_MAX where it is more; may be NULL.
 * peak_node: gets the first node with so many, SIZE_MAX where the peak is 0; may be NULL.
 * scratch: at least aether_lower_bound_scratch_size(...) bytes.
 *
 * The bound counts: at each node the tensors that are pairwise not compatible, in full or in what a gap leaves; the
 * padding that a common divisor of the alignments forces; reserved bytes in between; the ends of fixed tensors; both
 * tensors of a pair that is kept apart.
 *
 * Errors: STRUCT_SIZE and those of the problem, as for aether_plan_portfolio; PEAK_OVERFLOW.
 * Cost: O(m log m) for m tensors, gaps, pairs and ranges; with compatible pairs also, at each node that could raise
 * the bound, the live tensors in pairs and their pairs, which is quadratic where many live long: 20,000 tensors in a
 * chain of pairs take about a second.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_lower_bound(const aether_problem *problem,
                                 size_t *lower_bound,
                                 size_t *peak_live_bytes,
                                 size_t *peak_node,
                                 void *scratch,
                                 size_t scratch_size,
                                 aether_error *error);


/* ---- Offsets: the smallest arena, by search ---------------------------------------------------------------------- */

/* The plan is proven optimal. */
#define AETHER_STOPPED_OPTIMAL 0

/* The work limit was reached. */
#define AETHER_STOPPED_WORK_LIMIT 1

/* The progress function said so. */
#define AETHER_STOPPED_CALLBACK 2

/*
 * The problem has fixed offsets, gaps, pairs or reserved ranges, which are not searched yet, or more than 2^25
 * tensors: the plan is the best of the planners.
 */
#define AETHER_STOPPED_NOT_SEARCHED 3

/* The work limit of a search without one. */
#define AETHER_UNLIMITED UINT64_MAX

/*
 * Is told the best plan so far and its proven bound, and decides whether to go on: 0 to go on, anything else to
 * stop. It must return: no exception and no longjmp may leave it. best is valid during the call only.
 */
typedef int (*aether_progress)(void *user, const aether_plan *best);

/* What a search found. */
typedef struct aether_search {
  /* The sizes of the plan. lower_bound is the best that was proven: the plan is optimal where arena_size equals it. */
  aether_plan plan;
  /* The nodes that were searched, each a tensor that was placed. */
  uint64_t nodes;
  /* AETHER_FITS, AETHER_EXCEEDS or AETHER_IMPOSSIBLE. */
  int32_t verdict;
  /* Why it ended, one of the AETHER_STOPPED constants. */
  int32_t stopped_by;
  /* The planner whose plan it began with, one of the AETHER_PLANNER constants. */
  int32_t planner;
  /* 0. */
  int32_t reserved;
} aether_search;

/*
 * Scratch bytes that aether_plan_search needs for so many tensors, gaps, pairs (compatible_count + apart_count) and
 * reserved ranges: about 3,200 bytes a tensor for many tensors, 6,200 for a thousand, and never less than
 * aether_plan_portfolio needs. SIZE_MAX where the arithmetic overflows; never less for more.
 */
AETHER_API
size_t aether_plan_search_scratch_size(size_t tensor_count,
                                       size_t gap_count,
                                       size_t pair_count,
                                       size_t reserved_count);

/*
 * Searches for the smallest arena, and proves it where it can. It begins with the plan of aether_plan_portfolio and is
 * never worse. The same problem, work limit and seed give the same answer on every machine: work is counted in
 * nodes, and no clock is read.
 *
 * work_limit: so many nodes at most; 0: the planners alone; AETHER_UNLIMITED: until the proof or a stop.
 * seed: any number; another one searches in another order.
 * progress: NULL, or called between the planners, at each smaller plan, and at least every 10,000 nodes, with user.
 * offsets: gets tensor_count offsets from the start of the arena, in bytes.
 * outcome: gets what was found; may be NULL.
 * scratch: at least aether_plan_search_scratch_size(...) bytes.
 *
 * A capacity does not end the search: the plan is as small as it gets, and the verdict tells whether it fits.
 * Hints are for the planners alone.
 * Errors: STRUCT_SIZE and those of the problem, as for aether_plan_portfolio.
 * Cost: that of aether_plan_portfolio, and a few microseconds a node for some hundred tensors.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_plan_search(const aether_problem *problem,
                                 uint64_t work_limit,
                                 uint64_t seed,
                                 aether_progress progress,
                                 void *user,
                                 size_t *offsets,
                                 aether_search *outcome,
                                 void *scratch,
                                 size_t scratch_size,
                                 aether_error *error);


/* ---- Transitive reduction: which ordering edges are needed? ------------------------------------------------------ */

/* An edge's flag: it goes where another path exists. */
#define AETHER_EDGE_ORDINARY 0

/* An edge's flag: it stays, and serves as a path. */
#define AETHER_EDGE_PROTECTED 1

/* An edge's flag: it serves as a path, but is not part of the answer. */
#define AETHER_EDGE_BACKGROUND 2

/* An edge between two nodes. */
typedef struct aether_edge {
  /* The node that comes first. */
  uint32_t from;
  /* The node that comes after it. */
  uint32_t to;
} aether_edge;

/*
 * Scratch bytes that aether_transitive_reduction needs: 96 a node, 16 an edge and 1,024. With at most 2,048 nodes only
 * so many edges count: the larger of n + n^2 / 1,024 and 32 w (w + 1) - 6 n - 64, for n nodes and w = ceil(n / 64).
 * 1,024 nodes never need more than 139,264 bytes.
 * 0 where there is no edge; SIZE_MAX where the arithmetic overflows; never less for more nodes or edges.
 * Also AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(node_count, edge_count).
 */
AETHER_API size_t aether_transitive_reduction_scratch_size(size_t node_count, size_t edge_count);

/*
 * Finds the transitive reduction of a directed acyclic graph: the fewest edges with the same reachability. Kept are
 * exactly the edges from u to v for which no other path leads from u to v; of equal edges the first is kept. The
 * answer depends on the set of edges alone, not on their order.
 *
 * node_count: nodes are 0 to node_count - 1, numbered topologically; at most 2^32 - 1.
 * edges: edge_count of them, read only, in any order, repeats allowed; at most 2^32 - 1.
 * keep: gets edge_count flags: 1 for an edge in the reduction, else 0.
 * kept_count: gets the number of ones; may be NULL.
 * scratch: at least aether_transitive_reduction_scratch_size(node_count, edge_count) bytes.
 *
 * Errors: EDGE_NODE, else NOT_TOPOLOGICAL (from is not below to), for the first edge that has either. A graph with a
 * cycle always has such an edge.
 * Cost: linear where edges bypass little. At worst node_count / 512 passes, each of which reads 64 bytes for every
 * kept edge between the lowest source and the highest target of 512 undecided targets.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_transitive_reduction(size_t node_count,
                                          const aether_edge *edges,
                                          size_t edge_count,
                                          uint8_t *keep,
                                          size_t *kept_count,
                                          void *scratch,
                                          size_t scratch_size,
                                          aether_error *error);

/*
 * Scratch bytes that aether_transitive_reduction_ranked needs: those of aether_transitive_reduction, 8 a node and
 * 1,032. 0 where there is no edge; SIZE_MAX where the arithmetic overflows; never less for more nodes or edges.
 * Also AETHER_TRANSITIVE_REDUCTION_RANKED_SCRATCH_SIZE(node_count, edge_count).
 */
AETHER_API size_t aether_transitive_reduction_ranked_scratch_size(size_t node_count, size_t edge_count);

/*
 * As aether_transitive_reduction, for nodes in any numbering and for edges with flags.
 *
 * ranks: one a node, read only: every edge rises in rank. Equal ranks are fine where no edge joins them.
 * aether_topological_ranks finds such ranks. NULL: the rank of a node is its id.
 * flags: one of the AETHER_EDGE constants an edge, read only. An ordinary edge goes when another path exists over all
 * edges together, and when it equals an edge with another flag; of equal ordinary edges the first is kept. Every
 * protected edge is kept, repeats too; a background edge is not. NULL: all edges are ordinary.
 *
 * Errors: EDGE_NODE, else NOT_TOPOLOGICAL (from is not below to in rank), else EDGE_FLAG, for the first edge that has
 * any of them.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_transitive_reduction_ranked(size_t node_count,
                                                 const int64_t *ranks,
                                                 const aether_edge *edges,
                                                 size_t edge_count,
                                                 const uint8_t *flags,
                                                 uint8_t *keep,
                                                 size_t *kept_count,
                                                 void *scratch,
                                                 size_t scratch_size,
                                                 aether_error *error);

/*
 * Scratch bytes that aether_topological_ranks needs: 16 a node, 4 an edge and 4, rounded up to a multiple of 8;
 * 0 where there is no node; SIZE_MAX where the arithmetic overflows; never less for more nodes or edges.
 * Also AETHER_TOPOLOGICAL_RANKS_SCRATCH_SIZE(node_count, edge_count).
 */
AETHER_API size_t aether_topological_ranks_scratch_size(size_t node_count, size_t edge_count);

/*
 * Finds a number for each node that rises along every edge: the number of edges on the longest path that ends there.
 * It depends on the set of edges alone.
 *
 * node_count: nodes are 0 to node_count - 1; at most 2^32 - 1.
 * edges: edge_count of them, read only, in any order, repeats allowed; at most 2^32 - 1.
 * ranks: gets node_count ranks.
 * cycle: on CYCLE gets the nodes of a cycle from its smallest on, each joined to the next and the last to the first,
 * as many as there is room for; otherwise not written. Edges that lead to a cycle or away from it are not part of it.
 * cycle_capacity: the nodes that `cycle` has room for. node_count are always enough; (NULL, 0) is fine.
 *
 * Errors: EDGE_NODE for the first edge that names no node; CYCLE, also where an edge joins a node to itself.
 * Cost: linear.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_topological_ranks(size_t node_count,
                                       const aether_edge *edges,
                                       size_t edge_count,
                                       int64_t *ranks,
                                       uint32_t *cycle,
                                       size_t cycle_capacity,
                                       void *scratch,
                                       size_t scratch_size,
                                       aether_error *error);

/*
 * Bytes of the matrix that aether_reachability writes: node_count x ceil(node_count / 64) x 8; SIZE_MAX where the
 * arithmetic overflows. Also AETHER_REACHABILITY_MATRIX_SIZE(node_count).
 */
AETHER_API size_t aether_reachability_matrix_size(size_t node_count);

/*
 * Scratch bytes that aether_reachability needs: ceil(node_count / 64) x 8, a row of the matrix; SIZE_MAX where the
 * arithmetic overflows. Also AETHER_REACHABILITY_SCRATCH_SIZE(node_count).
 */
AETHER_API size_t aether_reachability_scratch_size(size_t node_count);

/*
 * Tells which node reaches which, for callers that ask many questions about one graph: the closure as a bit matrix.
 * With w = ceil(node_count / 64), a path leads from u to v if matrix[u * w + v / 64] >> (v % 64) & 1 is 1. Every node
 * reaches itself.
 *
 * node_count: nodes are 0 to node_count - 1, numbered topologically; at most 2^32 - 1.
 * edges: edge_count of them, read only, in any order, repeats allowed; at most 2^32 - 1.
 * matrix: gets aether_reachability_matrix_size(node_count) bytes.
 *
 * Errors: EDGE_NODE, else NOT_TOPOLOGICAL (from is not below to), for the first edge that has either.
 * Cost: node_count / 64 words for every node and every edge of the transitive reduction.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_reachability(size_t node_count,
                                  const aether_edge *edges,
                                  size_t edge_count,
                                  uint64_t *matrix,
                                  void *scratch,
                                  size_t scratch_size,
                                  aether_error *error);


/* ---- Islands: which constraints can be solved apart? ------------------------------------------------------------- */

/* Two nodes that one constraint touches. */
typedef struct aether_incidence {
  /* A node, or -1 for what is static. */
  int32_t a;
  /* The other node, or -1, but not both. Equal to `a` where the constraint touches one node only. */
  int32_t b;
} aether_incidence;

/*
 * Labels each node with its island: the connected component over the incidences. A node is what can move, for
 * instance a body or a kinematic tree; an incidence says that a constraint touches two of them. Island k is the one
 * whose smallest member is k-th smallest, so the numbering depends neither on the order nor on the orientation of the
 * incidences.
 *
 * node_count: nodes are 0 to node_count - 1; at most INT32_MAX.
 * incidences: incidence_count of them, read only, repeats allowed. -1 is a static endpoint, the immovable world, which
 * joins nothing; (t, t), (t, -1) and (-1, t) put t into an island of its own unless other incidences join it.
 * labels: gets node_count labels, -1 for a node in no incidence. It is the only memory used, so after an
 * INCIDENCE_NODE or STATIC_INCIDENCE its contents are unspecified.
 * island_count: gets the number of islands; may be NULL; not written on an error.
 *
 * Errors: INCIDENCE_NODE or STATIC_INCIDENCE, for (-1, -1), with the first bad incidence.
 * Cost: close to linear; no scratch and no recursion.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_islands(size_t node_count,
                             const aether_incidence *incidences,
                             size_t incidence_count,
                             int32_t *labels,
                             size_t *island_count,
                             aether_error *error);


/* ---- Scratch sizes as constant expressions, for static arrays ---------------------------------------------------- */

/* Each equals its function wherever the arithmetic does not overflow. An argument may be evaluated several times. */
#ifdef __cplusplus
#define AETHER_SIZE(count) static_cast<size_t>(count)
#else
#define AETHER_SIZE(count) ((size_t)(count))
#endif
#define AETHER_PLAN_OFFSETS_SCRATCH_SIZE(tensor_count) (AETHER_SIZE(tensor_count) * (20 * sizeof(size_t) + 120))
#define AETHER_CHECK_OFFSETS_SCRATCH_SIZE(tensor_count) (AETHER_SIZE(tensor_count) * 32)
#define AETHER_PEAK_LIVE_BYTES_SCRATCH_SIZE(tensor_count) (AETHER_SIZE(tensor_count) * 24)
#define AETHER_PLAN_PORTFOLIO_SCRATCH_SIZE(tensor_count, gap_count, pair_count, reserved_count) \
  ((AETHER_SIZE(tensor_count) * (26 * sizeof(size_t) + 164) + AETHER_SIZE(gap_count) * (32 * sizeof(size_t) + 16) + \
    AETHER_SIZE(pair_count) * (2 * sizeof(size_t) + 16) + AETHER_SIZE(reserved_count) * (12 * sizeof(size_t) + 8) + \
    (AETHER_SIZE(tensor_count) == 0 ? 0 : 1088) + 7) / 8 * 8)
#define AETHER_CHECK_PROBLEM_SCRATCH_SIZE(tensor_count, gap_count, pair_count, reserved_count) \
  ((AETHER_SIZE(tensor_count) * (6 * sizeof(size_t) + 52) + AETHER_SIZE(gap_count) * (10 * sizeof(size_t) + 80) + \
    AETHER_SIZE(pair_count) * 16 + AETHER_SIZE(reserved_count) * (2 * sizeof(size_t)) + 7) / 8 * 8)
#define AETHER_LOWER_BOUND_SCRATCH_SIZE(tensor_count, gap_count, pair_count, reserved_count) \
  AETHER_CHECK_PROBLEM_SCRATCH_SIZE(tensor_count, gap_count, pair_count, reserved_count)
/* At most 2,048 nodes: edges beyond this number need no scratch. */
#define AETHER_DENSE_EDGES_BY_WORDS(n, words) \
  (32 * (words) * ((words) + 1) > 6 * (n) + 64 ? 32 * (words) * ((words) + 1) - 6 * (n) - 64 : 0)
#define AETHER_LARGER_SIZE(a, b) ((a) > (b) ? (a) : (b))
#define AETHER_SMALLER_SIZE(a, b) ((a) < (b) ? (a) : (b))
#define AETHER_DENSE_EDGES(n) \
  ((n) > 2048 ? SIZE_MAX : AETHER_LARGER_SIZE((n) + (n) * (n) / 1024, AETHER_DENSE_EDGES_BY_WORDS(n, ((n) + 63) / 64)))
#define AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(node_count, edge_count)                                             \
  (AETHER_SIZE(edge_count) == 0 ? 0                                                                                  \
                                : AETHER_SIZE(node_count) * 96 + 1024 +                                              \
                                      16 * AETHER_SMALLER_SIZE(AETHER_SIZE(edge_count),                              \
                                                               AETHER_DENSE_EDGES(AETHER_SIZE(node_count))))
#define AETHER_TRANSITIVE_REDUCTION_RANKED_SCRATCH_SIZE(node_count, edge_count) \
  (AETHER_SIZE(edge_count) == 0                                                 \
       ? 0                                                                      \
       : AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(node_count, edge_count) + AETHER_SIZE(node_count) * 8 + 1032)
#define AETHER_TOPOLOGICAL_RANKS_SCRATCH_SIZE(node_count, edge_count) \
  (AETHER_SIZE(node_count) == 0 ? 0 : (AETHER_SIZE(node_count) * 16 + AETHER_SIZE(edge_count) * 4 + 11) / 8 * 8)
#define AETHER_REACHABILITY_MATRIX_SIZE(node_count) (AETHER_SIZE(node_count) * ((AETHER_SIZE(node_count) + 63) / 64) * 8)
#define AETHER_REACHABILITY_SCRATCH_SIZE(node_count) ((AETHER_SIZE(node_count) + 63) / 64 * 8)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* AETHER_H */
