/* Each equals its function wherever the arithmetic does not overflow. An argument may be evaluated twice. */
#define AETHER_PLAN_OFFSETS_SCRATCH_SIZE(tensor_count) ((size_t)(tensor_count) * (4 * sizeof(size_t) + 16))
#define AETHER_CHECK_OFFSETS_SCRATCH_SIZE(tensor_count) ((size_t)(tensor_count) * 32)
#define AETHER_PEAK_LIVE_BYTES_SCRATCH_SIZE(tensor_count) ((size_t)(tensor_count) * 24)
#define AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(node_count, edge_count) \
  ((edge_count) == 0 ? (size_t)0 : ((size_t)(node_count) * 76 + (size_t)(edge_count) * 9 + 71) / 8 * 8)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* AETHER_H */
