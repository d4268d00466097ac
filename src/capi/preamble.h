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
#define AETHER_VERSION "@VERSION@"
#define AETHER_VERSION_MAJOR @MAJOR@
#define AETHER_VERSION_MINOR @MINOR@
#define AETHER_VERSION_PATCH @PATCH@

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
