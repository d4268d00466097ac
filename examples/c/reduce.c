/* Drops the edges of a small schedule that other paths imply. Build: cc reduce.c libaether.a */

#include <stdio.h>
#include <stdlib.h>

#include <aether.h>

int main(void) {
  /* 0 load, 1 sum, 2 store: ids rise along every edge. */
  const aether_edge edges[] = {{0, 1}, {1, 2}, {0, 2}};
  const size_t count = sizeof edges / sizeof edges[0];
  uint8_t keep[sizeof edges / sizeof edges[0]];
  size_t kept_count;
  aether_error error;

  const size_t scratch_size = aether_transitive_reduction_scratch_size(3, count);
  void *scratch = malloc(scratch_size);
  const aether_status status =
      aether_transitive_reduction(3, edges, count, keep, &kept_count, scratch, scratch_size, &error);
  free(scratch);
  if (status != AETHER_OK) {
    char text[256];
    aether_error_message(&error, text, sizeof text);
    fprintf(stderr, "reduce: %s\n", text);
    return 1;
  }

  for (size_t i = 0; i < count; i++) {
    printf("%u -> %u: %s\n", edges[i].from, edges[i].to, keep[i] ? "needed" : "implied");
  }
  printf("%zu of %zu edges are needed\n", kept_count, count);
  return 0;
}
