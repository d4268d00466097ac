/* Asks which buffers of a program become one arena, and places them. Build: cc flow.c libaether.a */

#include <stdio.h>

#include <aether.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

int main(void) {
  /* One block: alloc a, write a, alloc b, b = f(a), free a, alloc c, c = g(b), free b, send c, free c. */
  aether_op ops[10];
  for (size_t i = 0; i < COUNT(ops); i++) ops[i] = (aether_op){AETHER_NO_OP, 0, 0, 0};
  const uint32_t value_ops[] = {0, 2, 5};
  const aether_alloc allocs[] = {{64, 16, 0, 0, 0, 0}, {32, 16, 2, 1, 0, 0}, {64, 16, 5, 2, 0, 0}};
  const aether_use uses[] = {{1, 0, 0}, {3, 0, 0}, {3, 1, 0}, {6, 1, 0}, {6, 2, 0}, {8, 2, 0}};
  const aether_dealloc deallocs[] = {{4, 0}, {7, 1}, {9, 2}};
  const aether_program program = {.struct_size = sizeof program,
                                  .ops = ops,
                                  .op_count = COUNT(ops),
                                  .value_ops = value_ops,
                                  .value_count = COUNT(value_ops),
                                  .allocs = allocs,
                                  .alloc_count = COUNT(allocs),
                                  .deallocs = deallocs,
                                  .dealloc_count = COUNT(deallocs),
                                  .uses = uses,
                                  .use_count = COUNT(uses)};

  static uint64_t scratch[AETHER_FLOW_LIFETIMES_SCRATCH_SIZE(10, 3, 3, 3, 6, 0) / sizeof(uint64_t)];
  aether_tensor tensors[3];
  aether_alloc_result results[3];
  uint8_t erasable[3];
  aether_error error;
  if (aether_flow_lifetimes(&program, AETHER_FLOW_SOUND, tensors, results, erasable, NULL, 0, NULL, scratch,
                            sizeof scratch, &error) != AETHER_OK) {
    char text[256];
    aether_error_message(&error, text, sizeof text);
    fprintf(stderr, "flow: %s\n", text);
    return 1;
  }

  static uint64_t plan_scratch[AETHER_PLAN_OFFSETS_SCRATCH_SIZE(3) / sizeof(uint64_t)];
  size_t offsets[3];
  aether_plan plan;
  if (aether_plan_offsets(tensors, 3, offsets, &plan, plan_scratch, sizeof plan_scratch, &error) != AETHER_OK) {
    return 1;
  }
  for (int i = 0; i < 3; i++) {
    printf("buffer %d: bytes %zu to %zu, nodes %zu to %zu; its free %s\n", i, offsets[i],
           offsets[i] + tensors[i].size, tensors[i].first_use, tensors[i].last_use, erasable[i] ? "goes" : "stays");
  }
  printf("one arena of %zu bytes\n", plan.arena_size);
  return plan.arena_size == 96 ? 0 : 1;
}
