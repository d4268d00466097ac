// The smallest use of the library from C++17: prints "arena 180".
#include <aether.h>

#include <array>
#include <cstdint>
#include <iostream>
#include <string_view>
#include <vector>

int main() {
  const std::array<aether_tensor, 3> tensors{{{100, 1, 0, 1}, {80, 1, 1, 2}, {60, 1, 2, 3}}};
  const std::size_t need = aether_plan_offsets_scratch_size(tensors.size());
  std::vector<std::uint64_t> scratch((need + 7) / 8);
  std::array<std::size_t, 3> offsets;
  aether_plan plan;
  const aether_status status =
      aether_plan_offsets(tensors.data(), tensors.size(), offsets.data(), &plan, scratch.data(), need, nullptr);
  if (status != AETHER_OK || std::string_view(aether_version()) != AETHER_VERSION) return 1;
  std::cout << "arena " << plan.arena_size << '\n';
}
