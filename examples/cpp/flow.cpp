// Asks when two buffers of a program live in one arena. Build: c++ flow.cpp libaether.a

#include <cstdio>
#include <vector>

#include <aether.h>

int main() {
  // One block: alloc a, write a, alloc b, b = f(a), free a, send b, free b.
  const std::vector<aether_op> ops(7, aether_op{AETHER_NO_OP, 0, 0, 0});
  const std::vector<uint32_t> value_ops = {0, 2};
  const std::vector<aether_alloc> allocs = {{64, 16, 0, 0, 0, 0}, {32, 16, 2, 1, 0, 0}};
  const std::vector<aether_use> uses = {{1, 0, 0}, {3, 0, 0}, {3, 1, 0}, {5, 1, 0}};
  const std::vector<aether_dealloc> deallocs = {{4, 0}, {6, 1}};
  aether_program program = {};
  program.struct_size = sizeof program;
  program.ops = ops.data(), program.op_count = ops.size();
  program.value_ops = value_ops.data(), program.value_count = value_ops.size();
  program.allocs = allocs.data(), program.alloc_count = allocs.size();
  program.deallocs = deallocs.data(), program.dealloc_count = deallocs.size();
  program.uses = uses.data(), program.use_count = uses.size();

  std::vector<unsigned char> scratch(aether_flow_lifetimes_scratch_size(
      ops.size(), value_ops.size(), allocs.size(), deallocs.size(), uses.size(), 0));
  std::vector<aether_tensor> tensors(allocs.size());
  std::vector<aether_alloc_result> results(allocs.size());
  std::vector<uint8_t> erasable(deallocs.size());
  if (aether_flow_lifetimes(&program, AETHER_FLOW_SOUND, tensors.data(), results.data(), erasable.data(), nullptr, 0,
                            nullptr, scratch.data(), scratch.size(), nullptr) != AETHER_OK) {
    return 1;
  }
  for (const aether_tensor &tensor : tensors) {
    std::printf("%zu bytes from node %zu to node %zu\n", tensor.size, tensor.first_use, tensor.last_use);
  }
  return tensors[0].last_use == 3 && tensors[1].first_use == 2 ? 0 : 1;
}
