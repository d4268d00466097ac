/*
 * aether: the decisions a runtime takes before it runs.
 *
 *   Where do these tensors live in one arena?    aether_plan_offsets, aether_check_offsets, aether_peak_live_bytes
 *   Which ordering edges does a schedule need?   aether_transitive_reduction
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

/* A required pointer is NULL. index: the argument, the first is 0; limit: the bytes needed there. */
#define AETHER_ERROR_NULL 1

/* A buffer is misaligned. index: the argument; got: its address modulo limit; limit: the alignment. */
#define AETHER_ERROR_MISALIGNED 2

/* Two buffers overlap and one of them is written. index, other: the arguments. */
#define AETHER_ERROR_OVERLAP 3

/* The scratch is too small. index: the argument; got: its bytes; limit: the bytes needed. */
#define AETHER_ERROR_SCRATCH_TOO_SMALL 4

/* A count is too large. index: the argument that is the count; got: the count; limit: the largest allowed. */
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
 * The bytes alive at one node do not fit size_t. index: the tensor that is too much; got: its size; limit: the
 * bytes left.
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

/* An edge does not rise in the topological numbering. index: the edge; got: from; limit: to. */
#define AETHER_ERROR_NOT_TOPOLOGICAL 13

/*
 * An incidence names a node that does not exist. index: the incidence; got: the id, cast from int32_t; limit:
 * node_count.
 */
#define AETHER_ERROR_INCIDENCE_NODE 14

/* Both ends of an incidence are static. index: the incidence. */
#define AETHER_ERROR_STATIC_INCIDENCE 15

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


/* ---- Transitive reduction: which ordering edges are needed? ------------------------------------------------------ */

/* An edge between two nodes of a topological numbering. */
typedef struct aether_edge {
  /* The node that comes first: below `to`. */
  uint32_t from;
  /* The node that comes after it: below the node count. */
  uint32_t to;
} aether_edge;

/*
 * Scratch bytes that aether_transitive_reduction needs: 80 a node, 9 an edge and 64, rounded up to a multiple of 8.
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
 * scratch: at least aether_transitive_reduction_scratch_size(node_count, edge_count) bytes; never a matrix of
 * node_count by node_count.
 *
 * Errors: EDGE_NODE, else NOT_TOPOLOGICAL (from is not below to), for the first edge that has either. A graph with a
 * cycle always has such an edge.
 * Cost: at most node_count / 512 passes, one for each 512 nodes at which edges end; each reads 64 bytes for every kept
 * edge that leaves a node below them. A random graph of a million nodes and two million edges takes some 25 s.
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

/* Each equals its function wherever the arithmetic does not overflow. An argument may be evaluated twice. */
#ifdef __cplusplus
#define AETHER_SIZE(count) static_cast<size_t>(count)
#else
#define AETHER_SIZE(count) ((size_t)(count))
#endif
#define AETHER_PLAN_OFFSETS_SCRATCH_SIZE(tensor_count) (AETHER_SIZE(tensor_count) * (20 * sizeof(size_t) + 120))
#define AETHER_CHECK_OFFSETS_SCRATCH_SIZE(tensor_count) (AETHER_SIZE(tensor_count) * 32)
#define AETHER_PEAK_LIVE_BYTES_SCRATCH_SIZE(tensor_count) (AETHER_SIZE(tensor_count) * 24)
#define AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(node_count, edge_count) \
  (AETHER_SIZE(edge_count) == 0 ? 0 : (AETHER_SIZE(node_count) * 80 + AETHER_SIZE(edge_count) * 9 + 71) / 8 * 8)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* AETHER_H */
