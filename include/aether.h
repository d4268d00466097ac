/*
 * aether: the decisions a runtime takes before it runs.
 *
 *   Where do these tensors live in one arena?    aether_plan_offsets, aether_check_offsets, aether_peak_live_bytes
 *     ... with pins, gaps, pairs, a capacity?    aether_plan_portfolio, aether_check_problem, aether_lower_bound
 *     ... in the smallest arena?                 aether_plan_search
 *     ... in several memories?                   aether_plan_spaces
 *   Which buffers make up a program's arena?     aether_flow_lifetimes, aether_check_arena
 *   Which ordering edges does a schedule need?   aether_transitive_reduction, aether_topological_ranks
 *   Which constraints can be solved apart?       aether_islands, aether_group_by_label
 *     ... in pieces, worlds, from threads?       aether_islands_begin, aether_islands_batch, ..._concurrent_merge
 *
 * The caller owns all memory. Nothing is allocated, printed or kept between calls; every function is re-entrant and
 * safe to call from any thread as long as no other thread uses the same buffers, which two calls allow and say so.
 * The same input gives the same bytes out on every platform. No input makes a function crash, as long as each buffer
 * has the bytes that its count says.
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
 * - Stack: no call needs more than 4,096 bytes, however much is asked. On x86-64 as measured: aether_plan_spaces 4,096;
 *   aether_plan_search 3,328; aether_plan_portfolio, aether_flow_lifetimes 3,072; aether_check_problem,
 *   aether_lower_bound 2,816; aether_plan_offsets and the transitive reductions 2,560; aether_check_offsets 2,048; any
 *   other 1,280.
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
/* Where the number of an operation is asked for: there is none. */
#define AETHER_NO_OP UINT32_MAX
/* The size of an allocation that is only known when the program runs. */
#define AETHER_DYNAMIC SIZE_MAX

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
 * An incidence names a node that does not exist. index: the incidence, or the constraint; other: its world in a batch;
 * got: the id, cast from int32_t; limit: node_count.
 */
#define AETHER_ERROR_INCIDENCE_NODE 14

/* Both ends of an incidence are static. index: the incidence, or the constraint; other: its world in a batch. */
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

/*
 * A node's parent is none that a merge left there. index: the node; got: the parent, cast from int32_t; limit: the
 * node.
 */
#define AETHER_ERROR_PARENT 35

/*
 * A sleeping node appears in an incidence. index: the incidence, or the constraint; other: its world in a batch; got:
 * the node.
 */
#define AETHER_ERROR_ASLEEP 36

/*
 * The offsets of constraints fall or pass the end. index: the constraint. Falls: got: its offset; other: the index of
 * the next offset; limit: that. Passes: got: the next offset; limit: member_count.
 */
#define AETHER_ERROR_OFFSETS 37

/* A label is none. index: the item; got: the label, cast from int32_t; limit: label_count. */
#define AETHER_ERROR_LABEL 38

/*
 * A stride is smaller than what a world has. got: the stride; limit: node_count. Or index: the world; got: its
 * incidences; limit: the stride.
 */
#define AETHER_ERROR_STRIDE 39

/* A mask of flags has a bit that is no flag's. got: the mask; limit: the mask of all flags. */
#define AETHER_ERROR_FLAGS 40

/* An operation's parent does not come before it. index: the operation; got: the parent; limit: the operation. */
#define AETHER_ERROR_FLOW_PARENT 41

/*
 * The operations are not in pre-order. index: the operation. Its parent's regions have ended: got: the parent; other:
 * SIZE_MAX. Its region comes before that of the one before it in the same parent: other: that one; got: the region;
 * limit: the region of other.
 */
#define AETHER_ERROR_FLOW_ORDER 42

/*
 * The operations of the plan block do not stand in a row. index: an operation of it; other: its first; got: the
 * block.
 */
#define AETHER_ERROR_FLOW_PLAN_BLOCK 43

/*
 * An item of a program names an operation that does not exist. index: the item; other: the place of its array in
 * struct aether_program, the first member is 0; got: the operation; limit: op_count.
 */
#define AETHER_ERROR_FLOW_OP 44

/* An item of a program names a value that does not exist. As FLOW_OP, with the value and value_count. */
#define AETHER_ERROR_FLOW_VALUE 45

/* An item of a program has an unknown flag. As FLOW_OP; got: the flags; limit: all that are known. */
#define AETHER_ERROR_FLOW_FLAGS 46

/* Two allocations make one value. index, other: the later and the earlier one; got: the value; limit: value_count. */
#define AETHER_ERROR_FLOW_ALLOC 47

/*
 * An alignment and min_alignment have no common multiple that fits size_t. index: the allocation; got: its alignment;
 * limit: min_alignment.
 */
#define AETHER_ERROR_FLOW_ALIGNMENT 48

/*
 * Two deallocs free the same allocation, and nothing else, on one path: the operation of one is in the block of the
 * other, or in a region below. index, other: the later and the earlier one in the array; got: the allocation; limit:
 * alloc_count.
 */
#define AETHER_ERROR_FLOW_DOUBLE_FREE 49

/* A mode is none of the AETHER_FLOW constants. got: the mode, cast from int32_t; limit: the largest. */
#define AETHER_ERROR_FLOW_MODE 50

/*
 * An arena's address is not a multiple of its plan's arena_alignment. got: the address modulo limit; limit: the
 * alignment.
 */
#define AETHER_ERROR_ARENA_MISALIGNED 51

/* An arena has fewer bytes than its plan's arena_size. got: its bytes; limit: arena_size. */
#define AETHER_ERROR_ARENA_SHORT 52

/* There is no memory space, or there are more than 32. got: space_count; limit: 32. */
#define AETHER_ERROR_SPACE_COUNT 53

/* A space has a capacity of 0 bytes. index: the space; limit: 1. */
#define AETHER_ERROR_SPACE_CAPACITY 54

/*
 * A tensor's mask of spaces is 0, or names a space that does not exist. index: the tensor; got: the mask; limit: the
 * mask of all spaces.
 */
#define AETHER_ERROR_ALLOWED_SPACES 55

/*
 * A tensor is pinned to a space that it cannot be in. index: the tensor; got: the space. It does not exist: limit:
 * space_count; other: SIZE_MAX. It is not allowed: limit: the mask of those that are; other: the space.
 */
#define AETHER_ERROR_PINNED_SPACE 56

/* A tensor has a fixed offset, but no pinned space. index: the tensor; got: the offset. */
#define AETHER_ERROR_FIXED_WITHOUT_SPACE 57

/*
 * The costs do not fit 64 bits. index: the tensor whose weight, times the cost of the dearest space, is too much; got:
 * the weight; limit: that cost.
 */
#define AETHER_ERROR_COST_OVERFLOW 58

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

/* Which relaxation: how many tensors take part at most, around which of the sections. */
typedef struct Relaxation Relaxation;

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

/*
 * Can this memory hold a plan? To be asked where the arena comes from someone else.
 *
 * plan: as a planner filled it in, read only.
 * arena: where the memory begins; it is not looked at. NULL is fine where arena_size is 0.
 * arena_size: its bytes.
 *
 * Errors: ARENA_MISALIGNED, else ARENA_SHORT.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_check_arena(const aether_plan *plan,
                                 const void *arena,
                                 size_t arena_size,
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

/* There are more than 2^25 tensors, which are not searched: the plan is the best of the planners. */
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
  /* The nodes that were searched, each a tensor that was placed, or the begin of a search. */
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
 * reserved ranges: about 3,200 bytes a tensor for many tensors, 6,200 for a thousand, 700 more a gap, and never less
 * than aether_plan_portfolio needs. SIZE_MAX where the arithmetic overflows; never less for more.
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
 * A capacity that the plan misses is what the search aims at first: AETHER_FITS where it meets it, AETHER_IMPOSSIBLE
 * where it proves that no plan does, else AETHER_EXCEEDS. Meeting it does not end the search: the plan is as small as
 * it gets. Hints are for the planners alone.
 * Fixed offsets, gaps, pairs and reserved ranges are all searched, with the same promises; but a node looks at every
 * tensor then, and proofs are rarer for large problems.
 * Errors: STRUCT_SIZE and those of the problem, as for aether_plan_portfolio.
 * Cost: that of aether_plan_portfolio, and a few microseconds a node for some hundred tensors; with fixed offsets,
 * gaps, pairs or reserved ranges about ten.
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


/* ---- Offsets in several memory spaces ---------------------------------------------------------------------------- */

/* In a list of spaces: none. */
#define AETHER_NO_SPACE UINT32_MAX

/* A memory that has an arena of its own. */
typedef struct aether_space {
  /* Bytes, at least 1; the largest number: unlimited. */
  size_t capacity;
  /*
   * What the address of its arena is a multiple of. A tensor may be in it only if this is a multiple of the
   * tensor's alignment. 0: of whatever the plan needs.
   */
  size_t base_alignment;
  /*
   * The cost of a byte that is moved to or from it. Where all spaces cost the same, an earlier one is preferred:
   * space k costs k.
   */
  size_t cost;
} aether_space;

/*
 * What is to be placed where. Set struct_size to sizeof(aether_spaces) and everything that is not needed to 0: only
 * tensors and spaces with their counts must be told. A shorter struct of an older header is read as if the rest were
 * 0. All arrays are read only.
 */
typedef struct aether_spaces {
  /* sizeof(aether_spaces). */
  size_t struct_size;
  /* What lives in the spaces. A tensor of size 0 is not planned. */
  const aether_tensor *tensors;
  /* tensor_count x space_count is at most 2^32 - 1. */
  size_t tensor_count;
  /* The memories that have an arena each. */
  const aether_space *spaces;
  /* 1 to 32. */
  size_t space_count;
  /* NULL: a tensor may be in every space. Or tensor_count masks, bit k for space k; none is 0. */
  const uint32_t *allowed;
  /* NULL, or tensor_count spaces: the one that a tensor must be in; AETHER_NO_SPACE: any that is allowed. */
  const uint32_t *pinned_spaces;
  /* NULL, or tensor_count offsets: the one that a pinned tensor must have in its space; AETHER_FREE: any. */
  const size_t *fixed_offsets;
  /*
   * NULL: the weight of a tensor is its size. Or tensor_count weights: the bytes that are moved to and from each over
   * its life, as size x number of uses.
   */
  const size_t *weights;
} aether_spaces;

/* The plan in one space, and what it has left for the largest tensor that found no room anywhere. */
typedef struct aether_space_report {
  /* The numbers of the arena in this space, for the tensors that are in it. */
  aether_plan plan;
  /*
   * The bytes of the capacity that are free at every node of the life of the largest tensor that was left out, be
   * they scattered or not; the capacity where none was left out.
   */
  size_t free_bytes;
  /* A node of that life at which no more are free; the largest number where none was left out. */
  size_t tightest_node;
  /* The longest range of bytes that is free over that whole life, from the first byte aligned for the tensor on. */
  size_t longest_range;
} aether_space_report;

/* How a plan over several spaces turned out. */
typedef struct aether_spaces_outcome {
  /* The sum of weight x cost over the tensors that have a space. */
  uint64_t cost;
  /* Proven: no plan of all tensors costs less. */
  uint64_t cost_bound;
  /* The work done, in the units of work_limit. */
  uint64_t work;
  /* How many tensors with bytes have no space. */
  size_t left_out;
  /* The largest of them; SIZE_MAX where there is none. */
  size_t largest_left_out;
  /*
   * AETHER_FITS: every tensor has a space. AETHER_EXCEEDS: some have none, but another plan may do.
   * AETHER_IMPOSSIBLE: it is proven that no plan has them all.
   */
  int32_t verdict;
  /* 0. */
  int32_t reserved;
} aether_spaces_outcome;

/*
 * Scratch bytes that aether_plan_spaces needs: 460 a tensor, 8 for each tensor in each space and a 15th of that, 56 a
 * space, and 2000; with a 32-bit size_t 328, 4, 28 and 2000. For packing spaces anew n tensors add 3000 x n +
 * 42 x (n x n, at most 77000) + 3200, where n is at most 1024: 6.3 megabytes for a thousand. Rounded up to a multiple
 * of 8; SIZE_MAX where the arithmetic overflows; never less for more. AETHER_PLAN_SPACES_SCRATCH_SIZE(...) is the same
 * as a constant expression.
 */
AETHER_API size_t aether_plan_spaces_scratch_size(size_t tensor_count, size_t space_count);

/*
 * Gives every tensor a space and an offset in it, at the least cost that is found: the sum of weight x cost of its
 * space. Every tensor lies wholly in one space; those of one space that are alive at one node share no byte. The best
 * of several greedy plans is improved by moves, swaps and evictions; it is never worse than placing tensors by
 * decreasing size, each at the lowest offset of the cheapest space with room. At last spaces of up to 1024 tensors are
 * packed anew by the search, for tensors that their bytes have room for but none of their holes.
 *
 * work_limit: improving ends after so many looks at a resident; 0: the greedy plan, which is never cheaper than a plan
 * with work unless that leaves fewer tensors out. About 20 million take a second. An eighth of them, and what improving
 * has left, is for packing anew; there a node of the search counts as 16.
 * seed: any number; another one improves in another order. The same problem, limit and seed give the same plan on
 * every machine.
 * homes: gets tensor_count spaces; AETHER_NO_SPACE for a tensor that has no bytes or found no room.
 * offsets: gets tensor_count offsets from the start of the arena of its space, in bytes; 0 without a space.
 * reports: gets space_count reports; may be NULL.
 * outcome: gets cost, bound and verdict; may be NULL.
 * scratch: at least aether_plan_spaces_scratch_size(...) bytes.
 *
 * A tensor that finds no room is no error: it is left out, as few as are found to do, and outcome and reports tell the
 * largest of them and what each space has left for it. It needs its size; a space that is allowed lacks size -
 * free_bytes, or if there is enough, size - longest_range in one piece. The tensors that live at tightest_node are in
 * its way.
 * A tensor is never in a space whose capacity is below its size, or whose base_alignment is not 0 and no multiple of
 * its alignment.
 *
 * Errors: STRUCT_SIZE; LIFETIME; SPACE_COUNT, SPACE_CAPACITY; ALIGNMENT_OVERFLOW; COST_OVERFLOW; ALLOWED_SPACES,
 * PINNED_SPACE, FIXED_WITHOUT_SPACE, FIXED_MISALIGNED, FIXED_CAPACITY, tensor by tensor; FIXED_CLASH.
 * Cost: four times that of looking at the residents alive with each tensor, 300 passes over the tensors for each space
 * for the bound, the work, and aether_plan_portfolio for each space, at most twice. 20,000 tensors in four spaces: about
 * a second.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_plan_spaces(const aether_spaces *problem,
                                 uint64_t work_limit,
                                 uint64_t seed,
                                 uint32_t *homes,
                                 size_t *offsets,
                                 aether_space_report *reports,
                                 aether_spaces_outcome *outcome,
                                 void *scratch,
                                 size_t scratch_size,
                                 aether_error *error);


/* ---- Buffer flow: which buffers of a program make up its arena, and when do they live? --------------------------- */

/* An operation's flag: its regions may run again and again, one run after the other. */
#define AETHER_OP_LOOP 1

/* An operation's flag: at most one of its regions runs, and at most once. */
#define AETHER_OP_EXCLUSIVE 2

/* An operation's flag: its regions, or runs of one, may run at the same time. */
#define AETHER_OP_PARALLEL 4

/*
 * An operation's flag: nobody knows when, how often and in which order its regions run. An operation that has a region
 * with several blocks counts as one.
 */
#define AETHER_OP_OPAQUE 8

/* An allocation's flag: it is not to be planned. */
#define AETHER_ALLOC_EXCLUDED 1

/*
 * A use's flag: the buffer may be reached later by ways that no value here tells of: it is stored, passed to what
 * keeps it, or used by what runs on when the operation is over. It is not reached once it is freed.
 */
#define AETHER_USE_ESCAPES 1

/* A mode: no run of the program is changed by the plan. */
#define AETHER_FLOW_SOUND 0

/* A mode: the same, with lifetimes from the first use to the last, since the deallocs go. */
#define AETHER_FLOW_TIGHT 1

/*
 * A mode: the rules of MLIR's static memory planner (LLVM 24), where they are wrong too. Only allocations in the plan
 * block are planned, lifetimes end at the deallocs whatever is used later, a dealloc goes although it may free what is
 * not planned, and the first NO_DEALLOC or UNSTRUCTURED ends it all. A node is an operation's place in the plan block.
 */
#define AETHER_FLOW_COMPAT 2

/* A part of the arena. blame: SIZE_MAX. */
#define AETHER_DECISION_PLANNED 0

/* Not planned: its size is AETHER_DYNAMIC. blame: its operation. */
#define AETHER_DECISION_DYNAMIC 1

/*
 * Not planned: it is outside of the plan block and the regions below it, or in a parallel or opaque operation; in
 * COMPAT: it is not in the plan block itself. blame: that operation, else its own.
 */
#define AETHER_DECISION_NESTED 2

/* Not planned: it is in another memory space. blame: its operation. */
#define AETHER_DECISION_SPACE 3

/* Not planned: it is flagged AETHER_ALLOC_EXCLUDED. blame: its operation. */
#define AETHER_DECISION_EXCLUDED 4

/* Not planned: nothing frees it. blame: its operation. */
#define AETHER_DECISION_NO_DEALLOC 5

/* Not planned: it is freed outside of the plan block and the regions below it. blame: the dealloc's operation. */
#define AETHER_DECISION_UNSTRUCTURED 6

/* Not planned: it is used outside of the plan block and the regions below it. blame: the use's operation. */
#define AETHER_DECISION_USED_OUTSIDE 7

/* Not planned: it may outlive the iteration that made it. blame: the loop. */
#define AETHER_DECISION_CARRIED 8

/* Not planned: it escapes, and no dealloc in its block frees it and nothing else. blame: the use's operation. */
#define AETHER_DECISION_ESCAPES 9

/*
 * Not planned: a dealloc, or a chain of them, may free it or an allocation that is not planned. blame: the operation
 * of that allocation; in COMPAT, where only a dealloc of its own counts, that of the dealloc.
 */
#define AETHER_DECISION_SHARED 10

/* Not planned: a dealloc, or a chain of them, may free it or a foreign buffer. blame: the foreign value. */
#define AETHER_DECISION_FOREIGN 11

/* Not planned: in COMPAT, another allocation's error ended it all. blame: that allocation's operation. */
#define AETHER_DECISION_STOPPED 12

/* An operation. */
typedef struct aether_op {
  /* The operation in one of whose regions this one is; AETHER_NO_OP: in none. */
  uint32_t parent;
  /* The number of that region, which never falls from one operation to the next in the same parent. */
  uint32_t region;
  /* The block: equal for neighbours in one region that run one after the other. */
  uint32_t block;
  /* A sum of AETHER_OP constants; 0: its regions run one after the other, each at most once. */
  uint32_t flags;
} aether_op;

/* What an allocation makes. */
typedef struct aether_alloc {
  /* Bytes in memory; AETHER_DYNAMIC: not known. */
  size_t size;
  /* Of its address, bytes; 0 means 1. */
  size_t alignment;
  /* The operation that allocates. */
  uint32_t op;
  /* The value that it makes; no two allocations make the same. */
  uint32_t value;
  /* Its memory space, any number. */
  uint32_t space;
  /* 0, or AETHER_ALLOC_EXCLUDED. */
  uint32_t flags;
} aether_alloc;

/* The buffer of a value is freed. */
typedef struct aether_dealloc {
  /* The operation that frees. */
  uint32_t op;
  /* The value whose buffer it frees. */
  uint32_t value;
} aether_dealloc;

/* The buffer of a value is used, other than freed. */
typedef struct aether_use {
  /* The operation that uses it. */
  uint32_t op;
  /* The value. */
  uint32_t value;
  /* 0, or AETHER_USE_ESCAPES. */
  uint32_t flags;
} aether_use;

/* Two values may be the same buffer. */
typedef struct aether_alias {
  /* The value that is passed on: an operand of a cast, a select, a yield. */
  uint32_t from;
  /* The value that may then hold its buffer. */
  uint32_t to;
  /* An exclusive operation: it is passed on only where region guard_region of it runs; AETHER_NO_OP: no such. */
  uint32_t guard_op;
  /* A region of guard_op that has an operation. */
  uint32_t guard_region;
} aether_alias;

/*
 * A program: what it allocates, frees, uses and passes on. Set struct_size to sizeof(aether_program) and everything
 * that is not needed to 0. A shorter struct of an older header is read as if the rest were 0.
 *
 * Operations and values are told by their indices. All arrays are read only. An operation that allocates, frees or
 * passes a value on is listed there, not among the uses; every other operand that is a buffer, those of casts, selects
 * and yields too, is a use.
 */
typedef struct aether_program {
  /* sizeof(aether_program). */
  size_t struct_size;
  /*
   * In pre-order: each before what is in its regions, the regions of one by number, the operations of a block in a
   * row.
   */
  const aether_op *ops;
  /* At most 2^31 - 1. */
  size_t op_count;
  /*
   * One a value: the operation whose result it is, or whose region or block has it as an argument, so that what one
   * iteration of a loop passes to the next belongs to the loop; AETHER_NO_OP where that is none of them.
   */
  const uint32_t *value_ops;
  /* value_count + alloc_count is at most 2^31 - 1. */
  size_t value_count;
  /* What may be planned, in any order. */
  const aether_alloc *allocs;
  /* See value_count. */
  size_t alloc_count;
  /* What frees buffers, in any order. */
  const aether_dealloc *deallocs;
  /* At most 2^32 - 1. */
  size_t dealloc_count;
  /* What else touches buffers, in any order. */
  const aether_use *uses;
  /* At most 2^32 - 1. */
  size_t use_count;
  /*
   * Which values may be the same buffer, in any order: one from each operand to each result or argument that may
   * hold its buffer.
   */
  const aether_alias *aliases;
  /* At most 2^32 - 1. */
  size_t alias_count;
  /*
   * Values that may also hold a buffer that none of allocs makes: results of calls, of reallocs. A value that is
   * neither made by one nor the target of an alias is foreign anyway.
   */
  const uint32_t *foreign;
  /* At most 2^32 - 1. */
  size_t foreign_count;
  /* Every planned alignment is made a multiple of it, in bytes; 0 means 1. */
  size_t min_alignment;
  /*
   * The block that runs once, as the entry block of a function does. What is neither in it nor in a region below it
   * is not planned.
   */
  uint32_t plan_block;
  /* The memory space that is planned. */
  uint32_t space;
} aether_program;

/* What became of one allocation. */
typedef struct aether_alloc_result {
  /* One of the AETHER_DECISION constants. */
  int32_t decision;
  /*
   * The set of allocations that are planned together or not at all, because they may share deallocs. They are
   * numbered from 0 by their first allocations.
   */
  uint32_t component;
  /* What is to blame, as the constant says; SIZE_MAX where that is nothing. */
  size_t blame;
} aether_alloc_result;

/*
 * Scratch bytes that aether_flow_lifetimes needs for so many of each: 84 an operation, 117 a value, 100 an
 * allocation, 17 a dealloc, 8 a use, 8 an alias, and 368 where there is any; with a 32-bit size_t 80 an allocation.
 * Rounded up to a multiple of 8; SIZE_MAX where the arithmetic overflows; never less for more.
 * AETHER_FLOW_LIFETIMES_SCRATCH_SIZE(...) is the same as a constant expression.
 */
AETHER_API
size_t aether_flow_lifetimes_scratch_size(size_t op_count,
                                          size_t value_count,
                                          size_t alloc_count,
                                          size_t dealloc_count,
                                          size_t use_count,
                                          size_t alias_count);

/*
 * Decides which allocations of a program become parts of one arena, when each of them lives, which deallocs go, and
 * which buffers may share bytes because no run needs both: the static memory planner of MLIR without its offsets,
 * which tensors and pairs, as the tensors and compatible of an aether_problem, get from any planner.
 *
 * mode: AETHER_FLOW_SOUND, AETHER_FLOW_TIGHT or AETHER_FLOW_COMPAT.
 * tensors: gets alloc_count tensors. A node is an operation (but see COMPAT). Where the allocation is not planned all
 * is 0 but alignment, which is 1.
 * results: gets alloc_count results.
 * erasable: gets dealloc_count flags: 1 where the dealloc must go, since what it frees becomes a part of the arena.
 * The others stay; none of them is reached by a part of the arena (but see COMPAT).
 * pairs: room for pair_capacity pairs of allocations; gets the first ones of those whose lifetimes meet and that may
 * share bytes all the same, none in COMPAT. Where they do not fit the rest is left out: that costs bytes, not
 * correctness. (NULL, 0) with a NULL pair_count saves the time.
 * pair_count: gets the number of all such pairs; may be NULL. Only the smaller of it and pair_capacity were written.
 * scratch: at least aether_flow_lifetimes_scratch_size(...) bytes.
 *
 * In SOUND and TIGHT allocations are planned at any depth: what is made in a branch, and what is made in a sequential
 * loop and does not outlive the iteration. Allocations that may share deallocs are a component, and are planned
 * together or not at all. Lifetimes: SOUND: from the allocation to the last use or the node before the last dealloc,
 * whichever is later; TIGHT: from the first use to the last, but as SOUND where the buffer escapes. What happens in a
 * loop that the buffer is older than counts for the whole loop.
 *
 * Errors: STRUCT_SIZE; FLOW_MODE; FLOW_OP, FLOW_VALUE or FLOW_FLAGS in value_ops, allocs, deallocs, uses, aliases,
 * foreign; FLOW_ALIGNMENT; FLOW_PARENT, FLOW_ORDER or FLOW_FLAGS for the first operation; FLOW_PLAN_BLOCK; FLOW_ALLOC;
 * FLOW_DOUBLE_FREE. That an allocation is not planned is no error.
 * Cost: linear, and close to linear in the sets of owners: 10,000 allocations, 100,000 operations and as many aliases
 * take 5 to 15 ms. With pairs also, for each buffer that lives when one in a branch is allocated, the values that may
 * hold it and each such pair: seldom more than a few ms, quadratic at worst.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_flow_lifetimes(const aether_program *program,
                                    int32_t mode,
                                    aether_tensor *tensors,
                                    aether_alloc_result *results,
                                    uint8_t *erasable,
                                    aether_pair *pairs,
                                    size_t pair_capacity,
                                    size_t *pair_count,
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
 * so many edges count: the larger of n + n^2 / 320 and 32 w (w + 1) + (w + 1) / 2 - 6 n - 64, for n nodes and
 * w = ceil(n / 64).
 * 1,024 nodes never need more than 168,128 bytes.
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

/*
 * A flag of a merge: a constraint without a node that moves is passed over, as in MuJoCo Warp; else it is an error, as
 * in MuJoCo.
 */
#define AETHER_MERGE_IGNORE_STATIC 1

/*
 * A flag of a merge: a node that sleeps is static, as in MuJoCo Warp; else it is an error where it appears, as in
 * MuJoCo.
 */
#define AETHER_MERGE_SLEEPING_STATIC 2

/* A flag of a merge: the parents after it are those of MuJoCo after the same merges. Else they are not told. */
#define AETHER_MERGE_FULL_COMPRESSION 4

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

/*
 * Begins islands of incidences that come in pieces: none is there yet. aether_islands_merge and its siblings then take
 * them, as often as wanted, and aether_islands_finish makes labels of them.
 *
 * node_count: nodes are 0 to node_count - 1; at most INT32_MAX.
 * parents: node_count numbers that these calls keep between them. They are not told to be anything until finish, but
 * for AETHER_MERGE_FULL_COMPRESSION; copying them copies the state.
 * marks: node_count bytes that these calls keep likewise, or NULL. With them the merges are faster; with up to
 * 512 nodes they are not used. Whether they are there must be the same for all calls on these parents.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_islands_begin(size_t node_count,
                                   int32_t *parents,
                                   uint8_t *marks,
                                   aether_error *error);

/*
 * Joins the two ends of each incidence, after aether_islands_begin and any number of merges.
 *
 * node_count, parents, marks: those of aether_islands_begin.
 * incidences: as of aether_islands, incidence_count of them, read only.
 * awake: a byte for each node that is 0 where the node sleeps, read only; NULL: all are awake.
 * flags: AETHER_MERGE constants, added; 0: MuJoCo's rules.
 *
 * Errors: FLAGS; else INCIDENCE_NODE, ASLEEP or STATIC_INCIDENCE with the first bad incidence: those before it are
 * joined, it and those after it are not, and merging may go on behind it. PARENT where parents or marks are not what
 * these calls left; then their contents are unspecified.
 * Cost: two to three loads an incidence, and in theory O(log node_count) against a hostile order.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_islands_merge(size_t node_count,
                                   int32_t *parents,
                                   uint8_t *marks,
                                   const aether_incidence *incidences,
                                   size_t incidence_count,
                                   const uint8_t *awake,
                                   uint32_t flags,
                                   aether_error *error);

/*
 * As aether_islands_merge, for constraints that touch any number of nodes: all nodes of one are joined.
 *
 * offsets: constraint_count + 1 numbers, read only, not falling, none above member_count: the members of a constraint
 * begin at its offset and end before the next one. Not read where constraint_count is 0.
 * members: member_count nodes or -1 for what is static, read only.
 *
 * Errors: as of aether_islands_merge, with the index of the constraint; OFFSETS. A constraint without members is a
 * STATIC_INCIDENCE, unless these are ignored.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_islands_merge_many(size_t node_count,
                                        int32_t *parents,
                                        uint8_t *marks,
                                        const size_t *offsets,
                                        size_t constraint_count,
                                        const int32_t *members,
                                        size_t member_count,
                                        const uint8_t *awake,
                                        uint32_t flags,
                                        aether_error *error);

/*
 * Finds the smallest node of the set of one node, as MuJoCo finds a root: it becomes the parent of every node on the
 * way.
 *
 * node_count, parents: those of aether_islands_begin, without marks.
 * root: gets the smallest node; -1 where the node is in no incidence yet.
 *
 * Errors: INCIDENCE_NODE, without an index, where there is no such node; PARENT, as of aether_islands_merge.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_islands_root(size_t node_count,
                                  int32_t *parents,
                                  int32_t node,
                                  int32_t *root,
                                  aether_error *error);

/*
 * Makes labels of all that was merged: those that aether_islands gives for the same incidences.
 *
 * node_count, parents, marks: those of aether_islands_begin.
 * labels: gets node_count labels. The parents then hold the smallest node of each island for its nodes, for a node in
 * no island what it began with, and may be merged further. NULL: the labels take the place of the parents, which ends
 * the merging. Either way the marks stay good for the parents.
 * weights: a number for each node, read only, such as the degrees of freedom of a tree; NULL: there are none.
 * island_count: gets the number of islands; may be NULL.
 * weight_sum: gets the sum of the weights of all nodes that have a label, 0 without weights; may be NULL. MuJoCo's
 * nidof is such a sum.
 *
 * Errors: PARENT where parents or marks are not what these calls left; then their contents are unspecified.
 * Cost: one pass over the nodes, three with labels, and one more with marks and with weights each.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_islands_finish(size_t node_count,
                                    int32_t *parents,
                                    uint8_t *marks,
                                    int32_t *labels,
                                    const int32_t *weights,
                                    size_t *island_count,
                                    int64_t *weight_sum,
                                    aether_error *error);

/*
 * Finds the islands of many worlds of the same nodes, as aether_islands finds those of one.
 *
 * world_count, node_count: worlds, and nodes in each of them.
 * incidences: world_count * incidence_stride of them, read only; those of world w begin at w * incidence_stride.
 * incidence_counts: world_count counts, read only. What lies behind a world's count is never read and need not be
 * initialised.
 * labels: gets node_count labels for world w, from w * label_stride on; what lies between two worlds is not written.
 * label_stride: at least node_count; labels has world_count * label_stride numbers.
 * awake: as of aether_islands_merge; world_count * label_stride bytes, read only, those of world w from
 * w * label_stride on; NULL: all nodes are awake.
 * flags: as of aether_islands_merge.
 * island_counts: gets world_count numbers of islands; may be NULL.
 *
 * Errors: FLAGS or STRIDE, and nothing is written. Else those of aether_islands_merge with the first bad incidence of
 * the first bad world: the worlds before it have their labels and counts, the labels of its own are unspecified, and
 * those after it are untouched.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_islands_batch(size_t world_count,
                                   size_t node_count,
                                   const aether_incidence *incidences,
                                   size_t incidence_stride,
                                   const size_t *incidence_counts,
                                   int32_t *labels,
                                   size_t label_stride,
                                   const uint8_t *awake,
                                   uint32_t flags,
                                   size_t *island_counts,
                                   aether_error *error);

/*
 * Finds the island of each incidence: the label of an end that has one, else -1.
 *
 * node_count, labels: as aether_islands or aether_islands_finish wrote them, read only.
 * incidences: incidence_count of them, read only.
 * incidence_labels: gets incidence_count labels. After an error its contents are unspecified.
 *
 * Errors: INCIDENCE_NODE with the first bad incidence.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_islands_incidence_labels(size_t node_count,
                                              const int32_t *labels,
                                              const aether_incidence *incidences,
                                              size_t incidence_count,
                                              int32_t *incidence_labels,
                                              aether_error *error);

/*
 * As aether_islands_incidence_labels, for constraints over many nodes; offsets and members are those of
 * aether_islands_merge_many.
 *
 * Errors: OFFSETS or INCIDENCE_NODE with the first bad constraint.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_islands_constraint_labels(size_t node_count,
                                               const int32_t *labels,
                                               const size_t *offsets,
                                               size_t constraint_count,
                                               const int32_t *members,
                                               size_t member_count,
                                               int32_t *constraint_labels,
                                               aether_error *error);

/*
 * Groups items by label: a stable counting sort, with the items of no label last. It serves whatever has a label:
 * nodes, degrees of freedom, constraint rows. All grouping maps of MuJoCo's islands are this sort or its inverse.
 *
 * labels: item_count labels, read only, each -1 or below label_count; at most INT32_MAX.
 * label_count: at most INT32_MAX, such as island_count.
 * counts: gets label_count numbers: how many items have the label.
 * starts: gets label_count numbers: where in `order` the items of the label begin.
 * order: gets item_count items, those of label 0 first, those of -1 last, items of one label in their order; may be
 * NULL.
 * inverse: gets item_count places: where in `order` an item is; may be NULL.
 * labelled_count: gets the number of items with a label, which is where in `order` those of -1 begin; may be NULL.
 *
 * Errors: LABEL with the first bad item.
 * Cost: three passes over the items and two over the labels; no scratch.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_group_by_label(const int32_t *labels,
                                    size_t item_count,
                                    size_t label_count,
                                    int32_t *counts,
                                    int32_t *starts,
                                    int32_t *order,
                                    int32_t *inverse,
                                    size_t *labelled_count,
                                    aether_error *error);

/*
 * As aether_islands_merge, from any number of threads at once. There are three phases:
 *
 * 1. One thread calls aether_islands_begin and, where it likes, aether_islands_merge. Then the other threads are
 * started, or released by a barrier.
 * 2. Any number of threads call this function and aether_islands_concurrent_merge_many with the same node_count,
 * parents and marks, each with incidences of its own, in pieces of any size. Nobody else reads or writes parents
 * and marks: they are atomic within these calls, and plain memory outside of them.
 * 3. After the threads were joined, or a barrier passed, one thread goes on: aether_islands_finish, or merges of either
 * kind.
 *
 * The labels are those of aether_islands for all incidences together, whatever the number of threads and their
 * schedule; the parents before finish are not the same each time. Lock-free: a thread that is stopped stops no other.
 *
 * flags: AETHER_MERGE_FULL_COMPRESSION changes nothing here.
 *
 * Errors: those of aether_islands_merge, to the thread whose incidence is bad; of its incidences those before that one
 * are joined, and the other threads go on.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_islands_concurrent_merge(size_t node_count,
                                              int32_t *parents,
                                              uint8_t *marks,
                                              const aether_incidence *incidences,
                                              size_t incidence_count,
                                              const uint8_t *awake,
                                              uint32_t flags,
                                              aether_error *error);

/*
 * As aether_islands_merge_many, from any number of threads at once: see aether_islands_concurrent_merge.
 *
 * Errors: those of aether_islands_merge_many, to the thread whose constraint is bad.
 */
AETHER_API
AETHER_MUST_USE
aether_status aether_islands_concurrent_merge_many(size_t node_count,
                                                   int32_t *parents,
                                                   uint8_t *marks,
                                                   const size_t *offsets,
                                                   size_t constraint_count,
                                                   const int32_t *members,
                                                   size_t member_count,
                                                   const uint8_t *awake,
                                                   uint32_t flags,
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
#define AETHER_SPACES_ENTRIES(tensor_count, space_count) (AETHER_SIZE(tensor_count) * AETHER_SIZE(space_count))
#define AETHER_SPACES_PACKED(n) ((n) < 1024 ? (n) : 1024)
#define AETHER_SPACES_PACKING(n) ((n) * 3000 + ((n) * (n) < 77000 ? (n) * (n) : 77000) * 42 + 3200)
#define AETHER_PLAN_SPACES_SCRATCH_SIZE(tensor_count, space_count)                                           \
  ((AETHER_SIZE(tensor_count) * (33 * sizeof(size_t) + 196) +                                                \
    (AETHER_SPACES_ENTRIES(tensor_count, space_count) + AETHER_SPACES_ENTRIES(tensor_count, space_count) / 15) * \
        sizeof(size_t) +                                                                                     \
    AETHER_SIZE(space_count) * (7 * sizeof(size_t)) + 2000 +                                                 \
    AETHER_SPACES_PACKING(AETHER_SPACES_PACKED(AETHER_SIZE(tensor_count))) + 7) / 8 * 8)
/* At most 2,048 nodes: edges beyond this number need no scratch. */
#define AETHER_DENSE_EDGES_BY_WORDS(n, words)                                      \
  (32 * (words) * ((words) + 1) + ((words) + 1) / 2 > 6 * (n) + 64                 \
       ? 32 * (words) * ((words) + 1) + ((words) + 1) / 2 - 6 * (n) - 64           \
       : 0)
#define AETHER_LARGER_SIZE(a, b) ((a) > (b) ? (a) : (b))
#define AETHER_SMALLER_SIZE(a, b) ((a) < (b) ? (a) : (b))
#define AETHER_DENSE_EDGES(n) \
  ((n) > 2048 ? SIZE_MAX : AETHER_LARGER_SIZE((n) + (n) * (n) / 320, AETHER_DENSE_EDGES_BY_WORDS(n, ((n) + 63) / 64)))
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
#define AETHER_FLOW_LIFETIMES_SCRATCH_SIZE(op_count, value_count, alloc_count, dealloc_count, use_count, alias_count) \
  ((AETHER_SIZE(op_count) * 84 + AETHER_SIZE(value_count) * 117 +                                                     \
    AETHER_SIZE(alloc_count) * (5 * sizeof(size_t) + 60) + AETHER_SIZE(dealloc_count) * 17 +                          \
    AETHER_SIZE(use_count) * 8 + AETHER_SIZE(alias_count) * 8 +                                                       \
    ((op_count) || (value_count) || (alloc_count) || (dealloc_count) || (use_count) || (alias_count) ? 368 : 0) + 7) / \
   8 * 8)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* AETHER_H */
