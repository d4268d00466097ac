/*
 * Wrong on purpose: room for two offsets, where three are announced. The library cannot know; valgrind must see the
 * invalid write, although the Rust code was built without any instrumentation. If it did not, its silence about the
 * other tests would mean nothing.
 */
#include <aether.h>

#include <stdint.h>
#include <stdlib.h>

int main(void) {
  static const aether_tensor tensors[3] = {{100, 1, 0, 1}, {80, 1, 1, 2}, {60, 1, 2, 3}};
  static uint64_t scratch[AETHER_PLAN_OFFSETS_SCRATCH_SIZE(3) / sizeof(uint64_t)];
  size_t *offsets = malloc(2 * sizeof *offsets);
  aether_status status = aether_plan_offsets(tensors, 3, offsets, NULL, scratch, sizeof scratch, NULL);
  free(offsets);
  return status;
}
