//! What is free for a tensor, without looking at each block that it meets: a tree of gap lists over the ranks.
//!
//! The ranks are cut into leaves of 2^`leaf_bits`; above them stands a tree in which 2^`fan_bits` nodes share a parent.
//! A lifetime *touches* a node if they share a rank, and *covers* a node if it contains all of its ranks. Its
//! *canonical* nodes are those that it covers while it does not cover their parent; together they hold the leaves that
//! it covers. It is *partial* in the leaves that it touches and does not cover, at most two.
//!
//! Invariants, over the tensors placed so far:
//! - `canonical` of a node: the gaps between the blocks to which the node is canonical.
//! - `touching` of a node: the gaps between the blocks that touch the node and do not cover its parent. Both lists are
//!   kept only at nodes that are canonical to some tensor, placed or not, for nobody else reads them.
//! - Of a leaf: the blocks partial in it, by begin. They need not meet at all, so they cannot be merged.
//!
//! A tensor reads `touching` of its canonical nodes, `canonical` of the nodes that it touches and does not cover, and
//! the blocks of its partial leaves. This is exact. Each block read meets it: a block that touches a node meets
//! whoever covers the node, and the other way round. And no block is missed: take a rank that both are alive at, and
//! its leaf. Say the leaf is below a canonical node v of the tensor. If the block covers the parent of v, it is
//! canonical to a node above v, which the tensor touches and does not cover; if not, it is in `touching` of v. Say the
//! tensor is partial in the leaf. Then the block is partial there too, or canonical to the leaf or a node above it,
//! which the tensor does not cover. The order of placement plays no part.
//!
//! Cost of a tensor: O(log n) lists, each read as far as it lies in the windows that are left; gap lists stay short
//! where blocks coalesce. Scratch: at most [`GAPS`] gaps and two blocks a tensor, which the leaves are widened to meet.

use super::lifetimes::{Lifetime, Lifetimes};
use super::windows::{Block, SPACE, SPACE_END, Windows, is_free_list};
use crate::arena::timeline::with_bytes;
use crate::arena::{Range, Tensor};
use crate::error::Error;
use crate::scratch::Scratch;

/// The gaps that there is room for, a tensor.
const GAPS: usize = 8;

/// Enough for 2^28 leaves and a fan-out of 8. The top level may have more than one node.
const LEVELS: usize = 11;

/// How the tree is cut; it affects time only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub leaf_bits: u32,
    pub fan_bits: u32,
}

/// The nodes, level by level from the leaves up.
#[derive(Clone, Copy)]
struct Shape {
    cut: Cut,
    ranks: u32,
    /// The first node of each level; then the number of all nodes.
    begin: [u32; LEVELS + 1],
    levels: usize,
}

/// A list in a pool.
#[derive(Clone, Copy)]
struct List {
    begin: usize,
    len: usize,
}

const NO_LIST: List = List { begin: 0, len: 0 };

#[derive(Clone, Copy)]
struct Node {
    canonical: List,
    touching: List,
}

pub(super) struct GapTree<'a> {
    pub lifetimes: Lifetimes<'a>,
    shape: Shape,
    nodes: &'a mut [Node],
    gaps: &'a mut [Range],
    leaves: &'a mut [List],
    blocks: &'a mut [Block],
}

impl<'a> GapTree<'a> {
    pub fn new(
        tensors: &[Tensor],
        lifetimes: Lifetimes<'a>,
        mut cut: Cut,
        scratch: &mut Scratch<'a>,
    ) -> Result<GapTree<'a>, Error> {
        let count = lifetimes.count;
        let most = Shape::new(count as u32, cut);
        let nodes = scratch.filled(most.node_count(), Node { canonical: NO_LIST, touching: NO_LIST })?;
        let leaves = scratch.filled(most.leaf_count(), NO_LIST)?;
        // One leaf suffices in the end: its two lists have a gap for each tensor, and one.
        let room = GAPS.saturating_mul(count).saturating_add(2);
        let shape = loop {
            let shape = Shape::new(count as u32, cut);
            if lists_of_nodes(tensors, &lifetimes, &shape, &mut nodes[..shape.node_count()]) <= room {
                break shape;
            }
            cut.leaf_bits += 1;
        };
        let (nodes, leaves) = (&mut nodes[..shape.node_count()], &mut leaves[..shape.leaf_count()]);
        let block_count = lists_of_leaves(tensors, &lifetimes, &shape, leaves);
        let gaps = scratch.filled(room, SPACE)?;
        let nobody = Block { begin: 0, end: 0, top: 0, lifetime: Lifetime { first: 0, last: 0 } };
        let blocks = scratch.filled(block_count, nobody)?;
        Ok(GapTree { lifetimes, shape, nodes, gaps, leaves, blocks })
    }

    /// Forgets all blocks.
    pub fn clear(&mut self) {
        self.leaves.iter_mut().for_each(|leaf| leaf.len = 0);
        for list in self.nodes.iter_mut().flat_map(|node| [&mut node.canonical, &mut node.touching]) {
            if list.len > 0 {
                list.len = 1;
                self.gaps[list.begin] = SPACE;
            }
        }
    }

    /// Narrows the windows to those that are free for a tensor.
    pub fn narrow(&self, tensor: usize, size: usize, windows: &mut Windows) {
        let lifetime = self.lifetimes.of[tensor];
        let gaps = |list: List| &self.gaps[list.begin..][..list.len];
        // Those of canonical nodes first: they hold most, and so leave least.
        self.shape.visit(lifetime, |node, is_canonical| {
            if is_canonical {
                windows.intersect(gaps(self.nodes[node].touching), size);
            }
        });
        self.shape.visit(lifetime, |node, is_canonical| {
            if !is_canonical && self.nodes[node].canonical.len > 0 {
                windows.intersect(gaps(self.nodes[node].canonical), size);
            }
        });
        for leaf in self.shape.partial(lifetime) {
            let List { begin, len } = self.leaves[leaf];
            windows.exclude(&self.blocks[begin..][..len], lifetime, size);
        }
    }

    pub fn insert(&mut self, tensor: usize, bytes: Range) {
        let lifetime = self.lifetimes.of[tensor];
        let (nodes, gaps) = (&mut *self.nodes, &mut *self.gaps);
        self.shape.visit(lifetime, |node, is_canonical| {
            let node = &mut nodes[node];
            if node.touching.len > 0 {
                take(gaps, &mut node.touching, bytes);
            }
            if is_canonical {
                take(gaps, &mut node.canonical, bytes);
            }
        });
        for leaf in self.shape.partial(lifetime) {
            let leaf = &mut self.leaves[leaf];
            let list = &mut self.blocks[leaf.begin..][..leaf.len + 1];
            let at = list[..leaf.len].partition_point(|block| block.begin < bytes.begin);
            list.copy_within(at..leaf.len, at + 1);
            let below = at.checked_sub(1).map_or(0, |before| list[before].top);
            list[at] = Block { begin: bytes.begin, end: bytes.end, top: below.max(bytes.end), lifetime };
            for above in list[at + 1..].iter_mut().take_while(|above| above.top < bytes.end) {
                above.top = bytes.end;
            }
            leaf.len += 1;
        }
    }
}

/// Lays out the lists of gaps, each of the length that it can reach: a gap for each block, and one. Returns their sum.
fn lists_of_nodes(tensors: &[Tensor], lifetimes: &Lifetimes, shape: &Shape, nodes: &mut [Node]) -> usize {
    nodes.fill(Node { canonical: NO_LIST, touching: NO_LIST });
    for i in with_bytes(tensors) {
        shape.visit(lifetimes.of[i as usize], |node, is_canonical| {
            nodes[node].touching.len += 1;
            nodes[node].canonical.len += usize::from(is_canonical);
        });
    }
    let mut sum = 0usize;
    for node in nodes {
        if node.canonical.len == 0 {
            node.touching.len = 0;
            continue;
        }
        for list in [&mut node.canonical, &mut node.touching] {
            list.begin = sum;
            sum = sum.saturating_add(list.len).saturating_add(1);
        }
    }
    sum
}

/// Lays out the lists of blocks, and returns the sum of their lengths.
fn lists_of_leaves(tensors: &[Tensor], lifetimes: &Lifetimes, shape: &Shape, leaves: &mut [List]) -> usize {
    for i in with_bytes(tensors) {
        for leaf in shape.partial(lifetimes.of[i as usize]) {
            leaves[leaf].len += 1;
        }
    }
    let mut sum = 0;
    for leaf in leaves {
        leaf.begin = sum;
        sum += leaf.len;
    }
    sum
}

/// Takes `bytes`, of which there are some, out of a list of gaps, which gets longer by one at most.
fn take(pool: &mut [Range], list: &mut List, bytes: Range) {
    let gaps = &mut pool[list.begin..];
    let len = list.len;
    // The last gap reaches the end of the space, so some gap ends beyond the first byte.
    let at = gaps[..len].partition_point(|gap| gap.end <= bytes.begin);
    if gaps[at].begin >= bytes.end {
        return;
    }
    let behind = at + gaps[at..len].iter().take_while(|gap| gap.begin < bytes.end).count();
    let below = Range { begin: gaps[at].begin, end: bytes.begin };
    let above = Range { begin: bytes.end, end: gaps[behind - 1].end };
    let is_last = above.end == SPACE_END;
    let keep = [(below, below.begin < below.end), (above, above.begin < above.end || is_last)];
    let kept = keep.iter().filter(|(_, keep)| *keep).count();
    gaps.copy_within(behind..len, at + kept);
    for (slot, (gap, _)) in gaps[at..].iter_mut().zip(keep.iter().filter(|(_, keep)| *keep)) {
        *slot = *gap;
    }
    list.len = len - (behind - at) + kept;
    debug_assert!(is_free_list(&gaps[..list.len]));
}

impl Shape {
    fn new(ranks: u32, cut: Cut) -> Shape {
        let mut begin = [0; LEVELS + 1];
        let mut width = u64::from(ranks).div_ceil(1 << cut.leaf_bits.min(32)) as u32;
        let mut levels = 0;
        loop {
            begin[levels + 1] = begin[levels] + width;
            levels += 1;
            if width <= 1 || levels == LEVELS {
                return Shape { cut, ranks, begin, levels };
            }
            width = width.div_ceil(1 << cut.fan_bits);
        }
    }

    fn node_count(&self) -> usize {
        self.begin[self.levels] as usize
    }

    fn leaf_count(&self) -> usize {
        self.begin[1] as usize
    }

    /// The leaves that a lifetime touches, inclusive, and those that it covers, half open.
    fn leaves(&self, lifetime: Lifetime) -> ([u32; 2], [u32; 2]) {
        let bits = self.cut.leaf_bits;
        let touched = [lifetime.first >> bits, lifetime.last >> bits];
        // The last leaf may be cut short by the end of the ranks.
        let end = if lifetime.last + 1 == self.ranks { self.begin[1] } else { (lifetime.last + 1) >> bits };
        let begin = touched[0] + u32::from(lifetime.first & ((1 << bits) - 1) != 0);
        (touched, [begin, end])
    }

    /// The leaves that a lifetime touches and does not cover.
    fn partial(&self, lifetime: Lifetime) -> impl Iterator<Item = usize> {
        let ([low, high], [begin, end]) = self.leaves(lifetime);
        let is_partial = move |leaf: u32| leaf < begin || leaf >= end;
        let high = (high != low && is_partial(high)).then_some(high as usize);
        is_partial(low).then_some(low as usize).into_iter().chain(high)
    }

    /// Calls `at` for every node that a lifetime touches and whose parent it does not cover: with whether it covers the
    /// node, which then is canonical.
    #[inline]
    fn visit(&self, lifetime: Lifetime, mut at: impl FnMut(usize, bool)) {
        let ([mut low, mut high], [mut begin, mut end]) = self.leaves(lifetime);
        let fan_bits = self.cut.fan_bits;
        for level in 0..self.levels {
            let base = self.begin[level];
            let is_covered = |node: u32| begin <= node && node < end;
            if !is_covered(low) {
                at((base + low) as usize, false);
            }
            if high != low && !is_covered(high) {
                at((base + high) as usize, false);
            }
            if begin < end {
                // The nodes above that are covered, and the nodes here that are not below them.
                let mut above = [begin.div_ceil(1 << fan_bits), end >> fan_bits];
                let is_end = end == self.begin[level + 1] - base;
                if is_end && level + 1 < self.levels {
                    // The last node above may be cut short, as the last leaf.
                    above[1] = self.begin[level + 2] - self.begin[level + 1];
                }
                if level + 1 == self.levels || above[0] >= above[1] {
                    (begin..end).for_each(|node| at((base + node) as usize, true));
                    (begin, end) = (1, 0);
                } else {
                    let below_last = (above[1] << fan_bits).min(end);
                    let canonical = (begin..above[0] << fan_bits).chain(below_last..end);
                    canonical.for_each(|node| at((base + node) as usize, true));
                    [begin, end] = above;
                }
            }
            (low, high) = (low >> fan_bits, high >> fan_bits);
        }
    }
}

#[cfg(test)]
mod tests;
