//! Which bytes a row needs when, and how many bytes all rows need together.
//!
//! A row's lifetime is cut at its gaps into parts, each a rectangle of nodes and of bytes of the row. The sum changes
//! only where a part begins or has ended, so it is a list of steps, found by sorting those nodes.

use aether::arena::Problem;

/// The bytes `[begin, end)` of a row, counted from its offset, in use at the nodes `first` to `last`.
pub struct Part {
    pub row: usize,
    pub first: usize,
    pub last: usize,
    pub begin: usize,
    pub end: usize,
}

/// The parts that have bytes, row after row by rising time. The gaps of the problem must have that order.
pub fn parts(problem: &Problem) -> Vec<Part> {
    let mut parts = Vec::with_capacity(problem.tensors.len() + 2 * problem.gaps.len());
    let mut gaps = problem.gaps.iter().peekable();
    for (row, tensor) in problem.tensors.iter().enumerate() {
        let mut add = |first: Option<usize>, last: Option<usize>, begin, end| {
            if let (Some(first), Some(last)) = (first, last)
                && first <= last
                && begin < end
            {
                parts.push(Part { row, first, last, begin, end });
            }
        };
        let mut next = Some(tensor.first_use);
        while let Some(gap) = gaps.next_if(|gap| gap.tensor == row) {
            add(next, gap.first.checked_sub(1), 0, tensor.size);
            add(Some(gap.first), Some(gap.last), gap.window_begin, gap.window_end);
            next = gap.last.checked_add(1);
        }
        add(next, Some(tensor.last_use), 0, tensor.size);
    }
    parts
}

/// From a node on, so many bytes are in use. A node may be one beyond the last that a `usize` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub node: u128,
    pub bytes: u128,
}

/// The steps by rising node; the last one has 0 bytes. Neighbours may have the same number of bytes.
pub fn steps(parts: &[Part]) -> Vec<Step> {
    let mut changes: Vec<(u128, i128)> = Vec::with_capacity(2 * parts.len());
    for part in parts {
        let bytes = (part.end - part.begin) as i128;
        changes.push((part.first as u128, bytes));
        changes.push((part.last as u128 + 1, -bytes));
    }
    changes.sort_unstable();
    let mut steps: Vec<Step> = Vec::new();
    let mut bytes = 0i128;
    for same_node in changes.chunk_by(|a, b| a.0 == b.0) {
        bytes += same_node.iter().map(|change| change.1).sum::<i128>();
        steps.push(Step { node: same_node[0].0, bytes: bytes.unsigned_abs() });
    }
    steps
}
