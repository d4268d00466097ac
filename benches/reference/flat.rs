//! The rule of `aether_plan_offsets` in a direct form: placed tensors in one array sorted by offset, and for each
//! tensor one pass over all of it. An independent oracle for every alignment and for sizes up to `usize::MAX`; O(n^2).

use aether::arena::Tensor;
use aether::{Error, Kind, NONE};

#[derive(Clone, Copy)]
struct Block {
    offset: usize,
    end: usize,
    tensor: Tensor,
}

fn meet(a: &Tensor, b: &Tensor) -> bool {
    a.first_use <= b.last_use && b.first_use <= a.last_use
}

/// The offsets; or the tensor whose end is beyond `usize::MAX`, and the one below it.
pub fn plan(tensors: &[Tensor]) -> Result<Vec<usize>, Error> {
    let mut order: Vec<usize> = (0..tensors.len()).filter(|&i| tensors[i].size > 0).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(tensors[i].size));
    let mut offsets = vec![0; tensors.len()];
    let mut placed: Vec<Block> = Vec::new();
    for (already, &i) in order.iter().enumerate() {
        let tensor = tensors[i];
        let stride = tensor.alignment.max(1);
        let mut top = 0usize;
        let mut smallest: Option<(usize, usize)> = None;
        for block in placed.iter().filter(|block| meet(&tensor, &block.tensor)) {
            if let Some(start) = top.checked_next_multiple_of(stride)
                && let Some(usable) = block.offset.checked_sub(start)
                && usable >= tensor.size
                && smallest.is_none_or(|(other, _)| usable < other)
            {
                smallest = Some((usable, start));
            }
            top = top.max(block.end);
        }
        let start = smallest.map(|(_, start)| start).or_else(|| top.checked_next_multiple_of(stride));
        let left = start.map_or(0, |start| usize::MAX - start);
        let Some(offset) = start.filter(|_| tensor.size <= left) else {
            let below = |&j: &usize| meet(&tensor, &tensors[j]) && offsets[j] + tensors[j].size == top;
            let other = order[..already].iter().copied().filter(below).min().unwrap_or(NONE);
            return Err(Error { kind: Kind::ArenaOverflow, index: i, other, got: tensor.size, limit: left });
        };
        offsets[i] = offset;
        let position = placed.partition_point(|block| block.offset < offset);
        placed.insert(position, Block { offset, end: offset + tensor.size, tensor });
    }
    Ok(offsets)
}
