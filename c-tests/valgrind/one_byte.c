/*
 * Wrong on purpose by one byte: room for two flags, where three edges are announced. Valgrind and AddressSanitizer must
 * see the write of the third.
 */
#include <aether.h>

#include <stdint.h>
#include <stdlib.h>

int main(void) {
  static const aether_edge edges[3] = {{0, 1}, {0, 2}, {1, 2}};
  static uint64_t scratch[AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(3, 3) / sizeof(uint64_t)];
  uint8_t *keep = malloc(2);
  aether_status status = aether_transitive_reduction(3, edges, 3, keep, NULL, scratch, sizeof scratch, NULL);
  free(keep);
  return status;
}
