// Plans three tensors of a small network in one arena. Build: c++ plan.cpp libaether.a

#include <cstdio>
#include <vector>

#include <aether.h>

int main() {
  // Bytes, alignment, first and last node that uses it.
  const std::vector<aether_tensor> tensors = {{100, 4, 0, 1}, {80, 4, 1, 2}, {60, 4, 2, 3}};
  std::vector<size_t> offsets(tensors.size());
  // Memory of new is aligned well enough for scratch.
  std::vector<unsigned char> scratch(aether_plan_offsets_scratch_size(tensors.size()));
  aether_plan plan;
  aether_error error;
  if (aether_plan_offsets(tensors.data(), tensors.size(), offsets.data(), &plan, scratch.data(), scratch.size(),
                          &error) != AETHER_OK) {
    char text[256];
    aether_error_message(&error, text, sizeof text);
    std::fprintf(stderr, "plan: %s\n", text);
    return 1;
  }

  for (const size_t offset : offsets) std::printf("offset %zu\n", offset);
  std::printf("arena: %zu bytes\n", plan.arena_size);
  return plan.arena_size == 180 ? 0 : 1;
}
