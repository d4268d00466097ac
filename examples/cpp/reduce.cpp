// Drops the edges of a small schedule that other paths imply. Build: c++ reduce.cpp libaether.a

#include <cstdio>
#include <vector>

#include <aether.h>

int main() {
  const std::vector<aether_edge> edges = {{0, 1}, {1, 2}, {0, 2}};
  std::vector<uint8_t> keep(edges.size());
  std::vector<unsigned char> scratch(aether_transitive_reduction_scratch_size(3, edges.size()));
  size_t kept_count = 0;
  if (aether_transitive_reduction(3, edges.data(), edges.size(), keep.data(), &kept_count, scratch.data(),
                                  scratch.size(), nullptr) != AETHER_OK) {
    return 1;
  }
  for (size_t i = 0; i < edges.size(); i++) {
    if (keep[i]) std::printf("%u -> %u\n", edges[i].from, edges[i].to);
  }
  return kept_count == 2 ? 0 : 1;
}
