//! Small problems of every kind, and an oracle that paints them node by node and byte by byte.
#![allow(dead_code)] // Each test uses a part.

use aether::arena::{FREE, Gap, Pair, Problem, Range, Tensor};
use rand::Rng;
use rand::rngs::StdRng;
use std::vec;
use std::vec::Vec;

#[derive(Clone, Debug, Default)]
pub struct Case {
    pub tensors: Vec<Tensor>,
    pub fixed: Vec<usize>,
    pub hints: Vec<usize>,
    pub gaps: Vec<Gap>,
    pub compatible: Vec<Pair>,
    pub apart: Vec<Pair>,
    pub reserved: Vec<Range>,
    pub capacity: usize,
}

impl Case {
    pub fn problem(&self) -> Problem<'_> {
        Problem {
            tensors: &self.tensors,
            fixed_offsets: &self.fixed,
            hint_offsets: &self.hints,
            gaps: &self.gaps,
            compatible: &self.compatible,
            apart: &self.apart,
            reserved: &self.reserved,
            capacity: self.capacity,
        }
    }

    pub fn fixed(&self, i: usize) -> Option<usize> {
        self.fixed.get(i).copied().filter(|&offset| offset != FREE && self.tensors[i].size > 0)
    }

    pub fn is_pair(pairs: &[Pair], i: usize, j: usize) -> bool {
        pairs.iter().any(|pair| [(i, j), (j, i)].contains(&(pair.a, pair.b)))
    }

    /// Whether tensor `i` at `offset` holds this byte of the arena at this node.
    pub fn holds(&self, i: usize, offset: usize, node: usize, byte: usize) -> bool {
        let tensor = &self.tensors[i];
        let gap = self.gaps.iter().find(|gap| gap.tensor == i && (gap.first..=gap.last).contains(&node));
        let window = gap.map_or(0..tensor.size, |gap| gap.window_begin..gap.window_end);
        let is_alive = (tensor.first_use..=tensor.last_use).contains(&node);
        is_alive && byte.checked_sub(offset).is_some_and(|byte| window.contains(&byte))
    }

    pub fn whole(&self, i: usize, offset: usize, byte: usize) -> bool {
        (offset..offset + self.tensors[i].size).contains(&byte)
    }

    pub fn nodes(&self) -> std::ops::Range<usize> {
        0..self.tensors.iter().map(|tensor| tensor.last_use + 1).max().unwrap_or(0)
    }

    /// Whether the rule forbids these two offsets together.
    pub fn conflict(&self, i: usize, at: usize, j: usize, other_at: usize) -> bool {
        let mut bytes = at..at + self.tensors[i].size;
        if Case::is_pair(&self.apart, i, j) {
            return bytes.any(|byte| self.whole(j, other_at, byte));
        }
        !Case::is_pair(&self.compatible, i, j)
            && bytes.any(|byte| {
                self.nodes().any(|node| self.holds(i, at, node, byte) && self.holds(j, other_at, node, byte))
            })
    }

    pub fn is_reserved(&self, i: usize, offset: usize) -> bool {
        self.reserved.iter().flat_map(|range| range.begin..range.end).any(|byte| self.holds_ever(i, offset, byte))
    }

    pub fn holds_ever(&self, i: usize, offset: usize, byte: usize) -> bool {
        self.nodes().any(|node| self.holds(i, offset, node, byte))
    }

    /// Whether tensor `i` may lie at `offset`, for all that is placed.
    pub fn is_allowed(&self, i: usize, offset: usize, placed: &[Option<usize>]) -> bool {
        let meets = |(j, at): (usize, &Option<usize>)| {
            j != i && self.tensors[j].size > 0 && at.is_some_and(|at| self.conflict(i, offset, j, at))
        };
        offset.is_multiple_of(self.tensors[i].alignment.max(1))
            && self.fixed(i).is_none_or(|fixed| fixed == offset)
            && !self.is_reserved(i, offset)
            && !placed.iter().enumerate().any(meets)
    }

    pub fn is_valid(&self, offsets: &[usize]) -> bool {
        let placed: Vec<_> = offsets.iter().map(|&offset| Some(offset)).collect();
        (0..offsets.len()).all(|i| self.tensors[i].size == 0 || self.is_allowed(i, offsets[i], &placed))
    }

    pub fn arena(&self, offsets: &[usize]) -> usize {
        let ends = self.tensors.iter().zip(offsets).filter(|(tensor, _)| tensor.size > 0);
        ends.map(|(tensor, offset)| offset + tensor.size).max().unwrap_or(0)
    }

    /// Whether some plan ends at or below `limit`.
    pub fn fits(&self, limit: usize) -> bool {
        let mut placed: Vec<_> = (0..self.tensors.len()).map(|i| self.fixed(i)).collect();
        let fixed = (0..placed.len()).filter_map(|i| Some(placed[i]? + self.tensors[i].size));
        fixed.max().unwrap_or(0) <= limit && self.completes(&mut placed, limit)
    }

    fn completes(&self, placed: &mut Vec<Option<usize>>, limit: usize) -> bool {
        let Some(i) = (0..placed.len()).find(|&i| placed[i].is_none() && self.tensors[i].size > 0) else { return true };
        for offset in 0..=limit.saturating_sub(self.tensors[i].size) {
            if offset + self.tensors[i].size <= limit && self.is_allowed(i, offset, placed) {
                placed[i] = Some(offset);
                if self.completes(placed, limit) {
                    return true;
                }
                placed[i] = None;
            }
        }
        false
    }
}

/// An exact solver that knows nothing but which two offsets of two tensors are forbidden together, painted byte by
/// byte: of each tensor the set of offsets that are left, a bit each, tried one after another, the tensor with fewest first.
pub struct Oracle<'a> {
    case: &'a Case,
    /// By tensor i, tensor j and `MOST + offset of j - offset of i`.
    conflicts: Vec<Vec<Vec<bool>>>,
}

impl<'a> Oracle<'a> {
    const MOST: usize = 128;

    pub fn new(case: &'a Case) -> Oracle<'a> {
        let count = case.tensors.len();
        let conflict = |i: usize, j: usize, shift: usize| {
            let (from, reach) = (Oracle::MOST, case.tensors[i].size.max(case.tensors[j].size));
            i != j && shift.abs_diff(from) < reach && case.conflict(i, from, j, shift)
        };
        let row = |i: usize, j: usize| (0..2 * Oracle::MOST).map(|shift| conflict(i, j, shift)).collect();
        Oracle { case, conflicts: (0..count).map(|i| (0..count).map(|j| row(i, j)).collect()).collect() }
    }

    /// The smallest arena, below `MOST`.
    pub fn smallest_arena(&self) -> usize {
        (0..Oracle::MOST).find(|&limit| self.fits(limit)).expect("a small arena")
    }

    pub fn fits(&self, limit: usize) -> bool {
        let mut left = vec![];
        for (i, tensor) in self.case.tensors.iter().enumerate().filter(|(_, tensor)| tensor.size > 0) {
            let ends_in_time = |offset: &usize| offset + tensor.size <= limit;
            let alone = vec![None; self.case.tensors.len()];
            let offsets = (0..Oracle::MOST).filter(|&offset| self.case.is_allowed(i, offset, &alone));
            let set = offsets.filter(ends_in_time).fold(0u128, |set, offset| set | 1 << offset);
            left.push((i, set));
        }
        self.completes(&left)
    }

    fn completes(&self, left: &[(usize, u128)]) -> bool {
        let Some(&(i, set)) = left.iter().min_by_key(|(_, set)| set.count_ones()) else { return true };
        (0..Oracle::MOST).filter(|offset| set >> offset & 1 != 0).any(|offset| {
            let narrowed = left.iter().filter(|&&(j, _)| j != i).map(|&(j, others)| {
                let is_free = |other: &usize| !self.conflicts[i][j][Oracle::MOST + other - offset];
                let free = (0..Oracle::MOST).filter(|other| others >> other & 1 != 0).filter(is_free);
                (j, free.fold(0u128, |set, other| set | 1 << other))
            });
            self.completes(&narrowed.collect::<Vec<_>>())
        })
    }
}

/// Which parts a random problem has; a bit each.
pub const GAPS: u32 = 1;
pub const COMPATIBLE: u32 = 2;
pub const APART: u32 = 4;
pub const RESERVED: u32 = 8;
pub const FIXED: u32 = 16;
pub const HINTS: u32 = 32;
pub const ALIGNMENTS: u32 = 64;
pub const ALL: u32 = 127;

pub fn random_case(rng: &mut StdRng, most: usize, largest: usize, kinds: u32) -> Case {
    let count = rng.random_range(0..=most);
    let nodes = rng.random_range(1..=2 * most);
    let strides: &[usize] = [&[1][..], &[2, 4], &[3], &[0, 1, 2, 3, 4], &[4], &[2]][rng.random_range(0..6)];
    let mut case = Case::default();
    for _ in 0..count {
        let first_use = rng.random_range(0..nodes);
        let last_use = rng.random_range(first_use..nodes);
        let alignment = if kinds & ALIGNMENTS != 0 { strides[rng.random_range(0..strides.len())] } else { 1 };
        case.tensors.push(Tensor { size: rng.random_range(0..=largest), alignment, first_use, last_use });
    }
    add_conditions(rng, &mut case, largest, kinds);
    case
}

/// Adds conditions to tensors.
pub fn add_conditions(rng: &mut StdRng, case: &mut Case, largest: usize, kinds: u32) {
    let has = |kind: u32| kinds & kind != 0;
    let count = case.tensors.len();
    if has(GAPS) {
        for (tensor, &Tensor { size, first_use, last_use, .. }) in case.tensors.iter().enumerate() {
            let mut node = first_use;
            while node <= last_use && rng.random_bool(0.6) {
                let first = rng.random_range(node..=last_use);
                let last = rng.random_range(first..=last_use);
                let window_begin = rng.random_range(0..=size);
                let window_end = rng.random_range(window_begin..=size);
                case.gaps.push(Gap { tensor, first, last, window_begin, window_end });
                node = last + 1;
            }
        }
    }
    for a in 0..count {
        for b in 0..a {
            match rng.random_range(0..5) {
                0 if has(COMPATIBLE) => case.compatible.push(Pair { a, b }),
                1 if has(COMPATIBLE) => case.compatible.extend([Pair { a, b }, Pair { a: b, b: a }]),
                2 if has(APART) => case.apart.push(Pair { a, b }),
                _ => {}
            }
        }
    }
    if has(RESERVED) {
        for _ in 0..rng.random_range(0..=3) {
            let begin = rng.random_range(0..=3 * largest);
            case.reserved.push(Range { begin, end: begin + rng.random_range(0..=3) });
        }
    }
    if has(FIXED) {
        case.fixed = vec![FREE; count];
        let mut placed = vec![None; count];
        for i in 0..count {
            let offset = rng.random_range(0..=4 * largest);
            if case.tensors[i].size > 0 && rng.random_bool(0.4) && case.is_allowed(i, offset, &placed) {
                case.fixed[i] = offset;
                placed[i] = Some(offset);
            }
        }
    }
    if has(HINTS) {
        let wish = |rng: &mut StdRng| if rng.random_bool(0.5) { rng.random_range(0..=4 * largest) } else { FREE };
        case.hints = (0..count).map(|_| wish(rng)).collect();
    }
}
