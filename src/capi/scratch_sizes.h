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
