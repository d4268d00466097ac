/* The smallest use of the library: plans three tensors, and returns the bytes of their arena, which are 180. */
#include <aether.h>

#include <stdint.h>
#include <string.h>

static size_t arena(void) {
  /* 100 lies below 80; 60 meets only 80, so it fits into the 100 bytes below that: 100 + 80. */
  static const aether_tensor tensors[3] = {{100, 1, 0, 1}, {80, 1, 1, 2}, {60, 1, 2, 3}};
  static uint64_t scratch[AETHER_PLAN_OFFSETS_SCRATCH_SIZE(3) / sizeof(uint64_t)];
  size_t offsets[3];
  aether_plan plan;

  if (strcmp(aether_version(), AETHER_VERSION) != 0) return 0;
  if (aether_plan_offsets(tensors, 3, offsets, &plan, scratch, sizeof scratch, NULL) != AETHER_OK) return 0;
  return plan.arena_size;
}
