/* Plans tensors of which some are pinned, pause, or exclude each other. Build: cc conditions.c libaether.a */

#include <stdio.h>
#include <stdlib.h>

#include <aether.h>

int main(void) {
  /* An input at the start of the arena, two branches of which one runs, a state that pauses, an output. */
  const aether_tensor tensors[] = {{64, 16, 0, 1}, {100, 16, 1, 3}, {80, 16, 1, 3}, {48, 16, 0, 4}, {32, 16, 4, 5}};
  const size_t count = sizeof tensors / sizeof tensors[0];
  const size_t fixed_offsets[] = {0, AETHER_FREE, AETHER_FREE, AETHER_FREE, AETHER_FREE};
  const aether_gap gaps[] = {{3, 1, 3, 0, 16}}; /* from node 1 to 3 only the first 16 bytes of tensor 3 are in use */
  const aether_pair branches[] = {{1, 2}};      /* never both at once */
  const aether_pair kept_apart[] = {{0, 4}};    /* the output does not overwrite the input */

  aether_problem problem = {0};
  problem.struct_size = sizeof problem;
  problem.tensors = tensors;
  problem.tensor_count = count;
  problem.fixed_offsets = fixed_offsets;
  problem.gaps = gaps;
  problem.gap_count = 1;
  problem.compatible = branches;
  problem.compatible_count = 1;
  problem.apart = kept_apart;
  problem.apart_count = 1;
  problem.capacity = 256;

  size_t offsets[sizeof tensors / sizeof tensors[0]];
  aether_outcome outcome;
  aether_error error;
  const size_t scratch_size = aether_plan_portfolio_scratch_size(count, 1, 2, 0);
  void *scratch = malloc(scratch_size);
  const aether_status status =
      aether_plan_portfolio(&problem, 0, offsets, &outcome, scratch, scratch_size, &error);
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
  printf("arena: %zu bytes, at least %zu in any plan; planner %d\n", outcome.plan.arena_size, outcome.plan.lower_bound,
         (int)outcome.planner);
  if (outcome.verdict != AETHER_FITS) {
    printf("%zu bytes more than there are%s\n", outcome.plan.arena_size - problem.capacity,
           outcome.verdict == AETHER_IMPOSSIBLE ? ", and no plan fits" : "");
    return 1;
  }
  return 0;
}
