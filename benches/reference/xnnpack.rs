//! XNNPACK's memory planner, in a form faithful to its cost: for each tensor a scan over all placed ones, a sort of
//! those alive with it, and one pass over the coalesced ranges. Written from the description of the algorithm.
//!
//! Source: google/XNNPACK `src/memory-planner.c`, before and after google/XNNPACK#10801.

/// A tensor of alignment 1; lifetimes are inclusive.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    pub size: usize,
    pub first: usize,
    pub last: usize,
}

/// Which planner: the change added the leading interval, and looks for a gap also where a single block is alive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Version {
    Before10801,
    After10801,
}

/// Offsets and arena, placing by decreasing size, equal sizes in input order.
pub fn plan(tensors: &[Usage], version: Version) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..tensors.len()).filter(|&i| tensors[i].size > 0).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(tensors[i].size));
    plan_in_order(tensors, &order, version)
}

/// Offsets and arena, placing in the given order.
pub fn plan_in_order(tensors: &[Usage], order: &[usize], version: Version) -> (Vec<usize>, usize) {
    let mut offsets = vec![0; tensors.len()];
    let mut arena = 0;
    for (placed, &i) in order.iter().enumerate() {
        let tensor = tensors[i];
        let mut live: Vec<(usize, usize)> = order[..placed]
            .iter()
            .filter(|&&j| tensors[j].first <= tensor.last && tensor.first <= tensors[j].last)
            .map(|&j| (offsets[j], offsets[j] + tensors[j].size))
            .collect();
        offsets[i] = best_fit(&mut live, tensor.size, version);
        arena = arena.max(offsets[i] + tensor.size);
    }
    (offsets, arena)
}

fn best_fit(live: &mut [(usize, usize)], size: usize, version: Version) -> usize {
    if let (Version::Before10801, [(_, end)]) = (version, &*live) {
        return *end;
    }
    live.sort_by_key(|&(start, _)| start);
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &(start, end) in live.iter() {
        match ranges.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => ranges.push((start, end)),
        }
    }
    let leading = match version {
        Version::After10801 => ranges.first().map(|&(start, _)| (0, start)),
        Version::Before10801 => None,
    };
    let between = ranges.windows(2).map(|pair| (pair[0].1, pair[1].0));
    let free = leading.into_iter().chain(between).filter(|(start, end)| end - start >= size);
    let smallest = free.min_by_key(|(start, end)| end - start);
    smallest.map_or(ranges.last().map_or(0, |&(_, end)| end), |(start, _)| start)
}
