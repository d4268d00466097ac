//! What people do by hand with a fast and a slow memory; for a test and a benchmark.

use aether::arena::Tensor;

/// The bytes kept in the fast space by the usual rule: by decreasing size, each at the lowest place with room.
pub fn bytes_kept(tensors: &[Tensor], capacity: usize) -> u64 {
    let mut order: Vec<usize> = (0..tensors.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(tensors[i].size));
    let mut placed: Vec<(usize, usize)> = Vec::new();
    for i in order {
        let Tensor { size, first_use, last_use, .. } = tensors[i];
        let meets = |&&(j, _): &&(usize, usize)| tensors[j].first_use <= last_use && first_use <= tensors[j].last_use;
        let mut blocks: Vec<_> = placed.iter().filter(meets).map(|&(j, at)| (at, at + tensors[j].size)).collect();
        blocks.sort_unstable();
        let mut top = 0;
        for (begin, end) in blocks {
            if begin >= top + size {
                break;
            }
            top = top.max(end);
        }
        if top + size <= capacity {
            placed.push((i, top));
        }
    }
    placed.iter().map(|&(i, _)| tensors[i].size as u64).sum()
}
