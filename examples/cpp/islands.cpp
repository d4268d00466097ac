// Finds what can be solved apart. Build: c++ islands.cpp libaether.a

#include <cstdio>
#include <vector>

#include <aether.h>

int main() {
  const std::vector<aether_incidence> contacts = {{0, 3}, {3, 4}, {2, -1}};
  std::vector<int32_t> labels(5);
  size_t island_count = 0;
  if (aether_islands(labels.size(), contacts.data(), contacts.size(), labels.data(), &island_count, nullptr) !=
      AETHER_OK) {
    return 1;
  }
  for (const int32_t label : labels) std::printf("island %d\n", static_cast<int>(label));
  return island_count == 2 ? 0 : 1;
}
