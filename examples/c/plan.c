/* Plans three tensors of a small network in one arena. Build: cc plan.c libaether.a */

#include <stdio.h>
#include <stdlib.h>

#include <aether.h>

int main(void) {
  /* Bytes, alignment, first and last node that uses it. */
  const aether_tensor tensors[] = {{100, 4, 0, 1}, {80, 4, 1, 2}, {60, 4, 2, 3}};
  const size_t count = sizeof tensors / sizeof tensors[0];
  size_t offsets[sizeof tensors / sizeof tensors[0]];
  aether_plan plan;
  aether_error error;

  const size_t scratch_size = aether_plan_offsets_scratch_size(count);
  void *scratch = malloc(scratch_size);
  const aether_status status = aether_plan_offsets(tensors, count, offsets, &plan, scratch, scratch_size, &error);
  free(scratch);
  if (status != AETHER_OK) {
    char text[256];
    aether_error_message(&error, text, sizeof text);
    fprintf(stderr, "plan: %s\n", text);
    return 1;
  }

  for (size_t i = 0; i < count; i++) {
    printf("tensor %zu: %zu bytes at offset %zu\n", i, tensors[i].size, offsets[i]);
  }
  printf("arena: %zu bytes at a multiple of %zu; no plan is smaller than %zu\n", plan.arena_size,
         plan.arena_alignment, plan.lower_bound);
  return 0;
}
