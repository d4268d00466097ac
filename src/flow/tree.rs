//! The tree of regions: what contains what, what stands in the plan block, and what lies between two operations.
//!
//! Pre-order makes every subtree, region and block a range of operations, so containment is two comparisons. Two chains
//! go up from an operation, to the enclosing *barriers* and to the enclosing regions of *exclusive* operations; they
//! end below the plan block.
//!
//! A barrier is an operation whose insides may run more than once or in an unknown order: a loop, a parallel or an
//! opaque operation, and one with a region of several blocks. Seen from outside it, what is inside happens during all
//! of it. Exclusive is what has that flag and is no barrier.
//!
//! Cost: linear to make. A climb is logarithmic by jump pointers (Myers 1983, "An applicative random-access stack").

use super::program::{NO_OP, OP_EXCLUSIVE, OP_LOOP, OP_OPAQUE, OP_PARALLEL, Op};
use crate::error::{Error, Kind};
use crate::scratch::{Scratch, and_more};
use crate::sort::counting_sort;

const ALL_FLAGS: u32 = OP_LOOP | OP_EXCLUSIVE | OP_PARALLEL | OP_OPAQUE;

pub(super) struct Tree<'a> {
    ops: &'a [Op],
    places: &'a mut [Place],
    /// Where the regions of each operation begin in `regions`.
    region_starts: &'a mut [u32],
    /// The first operation of each region, by parent, then by number.
    regions: &'a mut [u32],
    barriers: Chain<'a>,
    /// Of the first operations of regions.
    exclusive: Chain<'a>,
}

#[derive(Clone, Copy)]
struct Place {
    /// One past the last operation of the subtree.
    end: u32,
    /// The first operation of its block.
    block: u32,
    /// The first operation of its region.
    region: u32,
    /// One past the last operation of the block, and of the region, which begin here.
    block_end: u32,
    region_end: u32,
    /// The operation of the plan block that it is or is in.
    anchor: u32,
    /// The operations of the plan block before the anchor.
    rank: u32,
    /// The outermost operation around it, below the plan block, that is a barrier but no sequential loop.
    disorder: u32,
    /// Whether one of its regions has several blocks.
    has_blocks: bool,
}

/// Bytes an operation that a tree takes, and what making it takes besides.
pub(super) const TREE: usize = size_of::<Place>() + 4 + 4 + 2 * CHAIN;
pub(super) const TREE_CONSTANT: usize = 8;
pub(super) const TREE_WORK: usize = 4;

impl<'a> Tree<'a> {
    pub fn new(ops: &'a [Op], plan_block: u32, scratch: &mut Scratch<'a>) -> Result<Tree<'a>, Error> {
        let nowhere = Place {
            end: 0,
            block: NO_OP,
            region: NO_OP,
            block_end: 0,
            region_end: 0,
            anchor: NO_OP,
            rank: 0,
            disorder: NO_OP,
            has_blocks: false,
        };
        let mut tree = Tree {
            ops,
            places: scratch.filled(ops.len(), nowhere)?,
            region_starts: scratch.filled(and_more(ops.len(), 2), 0)?,
            regions: scratch.filled(ops.len(), 0)?,
            barriers: Chain::new(ops.len(), scratch)?,
            exclusive: Chain::new(ops.len(), scratch)?,
        };
        tree.measure(scratch.phase())?;
        tree.anchor(plan_block)?;
        tree.link();
        Ok(tree)
    }

    /// Finds the extents of subtrees, regions and blocks, and checks the order.
    fn measure(&mut self, mut scratch: Scratch) -> Result<(), Error> {
        let ops = self.ops;
        // The last child of each operation so far, then that of none.
        let last_child = scratch.filled(and_more(ops.len(), 1), NO_OP)?;
        let slot = |parent: u32| (parent as usize).min(ops.len());
        // The last operation of which no end is known: the one before, or one that contains it.
        let mut open = NO_OP;
        for (i, op) in ops.iter().enumerate() {
            let id = i as u32;
            if op.parent != NO_OP && op.parent >= id {
                return Err(Error::new(Kind::FlowParent, i, op.parent as usize, i));
            }
            if op.flags & !ALL_FLAGS != 0 {
                return Err(Error::new(Kind::FlowFlags, i, op.flags as usize, ALL_FLAGS as usize).against(1));
            }
            while open != op.parent {
                if open == NO_OP {
                    return Err(Error::new(Kind::FlowOrder, i, op.parent as usize, 0));
                }
                self.close(open, last_child[slot(open)], id);
                open = ops[open as usize].parent;
            }
            let before = core::mem::replace(&mut last_child[slot(op.parent)], id);
            let mut place = Place { block: id, region: id, ..self.places[i] };
            if before != NO_OP {
                let neighbour = &ops[before as usize];
                let Place { block, region, .. } = self.places[before as usize];
                if op.region < neighbour.region {
                    let error = Error::new(Kind::FlowOrder, i, op.region as usize, neighbour.region as usize);
                    return Err(error.against(before as usize));
                }
                if op.region == neighbour.region {
                    place.region = region;
                    if op.block == neighbour.block {
                        place.block = block;
                    } else if let Some(parent) = self.places.get_mut(op.parent as usize) {
                        parent.has_blocks = true;
                    }
                } else {
                    self.places[region as usize].region_end = id;
                }
                if place.block == id {
                    self.places[block as usize].block_end = id;
                }
            }
            self.places[i] = place;
            open = id;
        }
        let count = ops.len() as u32;
        while open != NO_OP {
            self.close(open, last_child[slot(open)], count);
            open = ops[open as usize].parent;
        }
        self.close_insides(last_child.last().copied().unwrap_or(NO_OP), count);
        let firsts = (0..count).filter(|&op| self.places[op as usize].region == op);
        // Those of no parent come last.
        let parent = |op: u32| ops[op as usize].parent.min(count);
        counting_sort(firsts, parent, self.region_starts, self.regions);
        Ok(())
    }

    fn close(&mut self, op: u32, last_child: u32, end: u32) {
        self.places[op as usize].end = end;
        self.close_insides(last_child, end);
    }

    fn close_insides(&mut self, last_child: u32, end: u32) {
        if let Some(&Place { block, region, .. }) = self.places.get(last_child as usize) {
            self.places[block as usize].block_end = end;
            self.places[region as usize].region_end = end;
        }
    }

    fn anchor(&mut self, plan_block: u32) -> Result<(), Error> {
        let mut first = None;
        let mut next_rank = 0;
        for (i, op) in self.ops.iter().enumerate() {
            if op.block == plan_block {
                let place = &mut self.places[i];
                let first = *first.get_or_insert(place.block);
                if place.block != first {
                    return Err(Error::new(Kind::FlowPlanBlock, i, plan_block as usize, 0).against(first as usize));
                }
                (place.anchor, place.rank) = (i as u32, next_rank);
                next_rank += 1;
            } else if let Some(&Place { anchor, rank, .. }) = self.places.get(op.parent as usize) {
                (self.places[i].anchor, self.places[i].rank) = (anchor, rank);
            }
        }
        Ok(())
    }

    /// Makes the chains, of what is below the plan block.
    fn link(&mut self) {
        for (i, op) in self.ops.iter().enumerate() {
            let (id, place) = (i as u32, self.places[i]);
            if place.anchor != NO_OP && place.anchor != id {
                let parent = op.parent as usize;
                let around = self.places[parent].disorder;
                self.places[i].disorder = match around == NO_OP && self.is_barrier(op.parent) {
                    true if !self.is_sequential(op.parent) => op.parent,
                    _ => around,
                };
                self.barriers.of[i] = match self.is_barrier(op.parent) {
                    true => op.parent,
                    false => self.barriers.of[parent],
                };
                let around = self.exclusive.of[parent];
                if self.is_exclusive(op.parent) {
                    if place.region == id {
                        self.exclusive.add(id, around);
                    }
                    self.exclusive.of[i] = place.region;
                } else {
                    self.exclusive.of[i] = around;
                }
            }
            if self.is_barrier(id) {
                self.barriers.add(id, self.barriers.of[i]);
            }
        }
    }

    fn is_barrier(&self, op: u32) -> bool {
        self.ops[op as usize].flags & (OP_LOOP | OP_PARALLEL | OP_OPAQUE) != 0 || self.places[op as usize].has_blocks
    }

    fn is_sequential(&self, barrier: u32) -> bool {
        self.ops[barrier as usize].flags & !OP_EXCLUSIVE == OP_LOOP && !self.places[barrier as usize].has_blocks
    }

    fn is_exclusive(&self, op: u32) -> bool {
        self.ops[op as usize].flags & OP_EXCLUSIVE != 0 && !self.is_barrier(op)
    }

    /// Whether `op` is in the plan block or inside an operation of it.
    pub fn anchored(&self, op: u32) -> bool {
        self.places[op as usize].anchor != NO_OP
    }

    pub fn in_plan_block(&self, op: u32) -> bool {
        self.places[op as usize].anchor == op
    }

    /// The place of its anchor in the plan block.
    pub fn rank(&self, op: u32) -> u32 {
        self.places[op as usize].rank
    }

    /// Whether `op` is inside a region of `outer`.
    pub fn contains(&self, outer: u32, op: u32) -> bool {
        outer < op && op < self.places[outer as usize].end
    }

    /// The last operation inside, or itself.
    pub fn last_of(&self, op: u32) -> u32 {
        self.places[op as usize].end - 1
    }

    /// Whether every run that reaches `op` runs the block of `of`, too.
    pub fn in_block(&self, op: u32, of: u32) -> bool {
        let block = self.places[of as usize].block;
        block <= op && op < self.places[block as usize].block_end
    }

    pub fn same_block(&self, a: u32, b: u32) -> bool {
        self.places[a as usize].block == self.places[b as usize].block
    }

    /// The innermost barrier around `op`, or none.
    pub fn barrier(&self, op: u32) -> u32 {
        self.barriers.of[op as usize]
    }

    /// An operation around `op` whose insides run side by side or in an unknown order; none where there is none.
    pub fn disorder(&self, op: u32) -> u32 {
        self.places[op as usize].disorder
    }

    /// Where `op` happens, as seen by what is at `viewer`: the outermost barrier that hides it, or itself.
    pub fn seen_from(&self, op: u32, viewer: u32) -> u32 {
        let hides = |barrier: u32| !self.contains(barrier, viewer);
        match self.barrier(op) {
            barrier if barrier != NO_OP && hides(barrier) => self.barriers.climb_while(barrier, hides),
            _ => op,
        }
    }

    /// The innermost region of an exclusive operation around `op`, or none.
    pub fn branch(&self, op: u32) -> u32 {
        self.exclusive.of[op as usize]
    }

    /// The region with a number in an operation, as a branch; none if it has no operation, or is none of an exclusive
    /// one below the plan block.
    pub fn branch_of(&self, op: u32, region: u32) -> u32 {
        let begin = self.region_starts[op as usize] as usize;
        let end = self.region_starts[op as usize + 1] as usize;
        let regions = &self.regions[begin..end];
        match regions.binary_search_by_key(&region, |&first| self.ops[first as usize].region) {
            Ok(at) if self.branch(regions[at]) == regions[at] => regions[at],
            _ => NO_OP,
        }
    }

    /// The operation of which a branch is a region.
    pub fn owner(&self, branch: u32) -> u32 {
        self.ops[branch as usize].parent
    }

    /// Whether no run that goes through `branch` reaches `op`: of an exclusive operation around both, they are in
    /// different regions.
    pub fn excludes(&self, branch: u32, op: u32) -> bool {
        let apart = |branch: u32| !self.contains(self.owner(branch), op);
        let mut common = branch;
        if apart(common) {
            common = self.exclusive.climb_while(common, apart);
            common = self.exclusive.up[common as usize];
        }
        common != NO_OP && !(common <= op && op < self.places[common as usize].region_end)
    }
}

const CHAIN: usize = 16;

/// From each operation up through some of the operations.
struct Chain<'a> {
    /// The innermost one around each operation.
    of: &'a mut [u32],
    /// Of each that is in a chain: the next one, the one that the jump pointer skips to, and how many there are above.
    up: &'a mut [u32],
    jump: &'a mut [u32],
    depth: &'a mut [u32],
}

impl<'a> Chain<'a> {
    fn new(count: usize, scratch: &mut Scratch<'a>) -> Result<Chain<'a>, Error> {
        let mut array = || scratch.filled(count, NO_OP);
        Ok(Chain { of: array()?, up: array()?, jump: array()?, depth: array()? })
    }

    /// Adds one below `up`.
    fn add(&mut self, item: u32, up: u32) {
        let depth = |of: u32| self.depth.get(of as usize).map_or(0, |depth| depth + 1);
        let jump = |of: u32| self.jump.get(of as usize).copied().unwrap_or(NO_OP);
        let (once, twice) = (jump(up), jump(jump(up)));
        let evenly = depth(up) - depth(once) == depth(once) - depth(twice);
        let (target, above) = (if evenly { twice } else { up }, depth(up));
        let item = item as usize;
        (self.up[item], self.jump[item], self.depth[item]) = (up, target, above);
    }

    /// The uppermost from `item` up to which all keep the condition, which once lost stays so.
    fn climb_while(&self, mut item: u32, keep: impl Fn(u32) -> bool) -> u32 {
        let may = |next: u32| next != NO_OP && keep(next);
        loop {
            let (up, jump) = (self.up[item as usize], self.jump[item as usize]);
            if may(jump) {
                item = jump;
            } else if may(up) {
                item = up;
            } else {
                return item;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Chain, NO_OP};
    use crate::scratch::Scratch;
    use std::cell::Cell;
    use std::vec::Vec;

    #[test]
    fn a_climb_takes_a_logarithm_of_steps() {
        const COUNT: u32 = 1 << 10;
        let mut words: Vec<u64> = Vec::with_capacity(2 * COUNT as usize);
        let mut chain = Chain::new(COUNT as usize, &mut Scratch::new(words.spare_capacity_mut())).expect("scratch");
        (0..COUNT).for_each(|item| chain.add(item, item.checked_sub(1).unwrap_or(NO_OP)));
        let mut most = 0;
        for low in 0..COUNT {
            for high in 0..=low {
                let asked = Cell::new(0);
                let keep = |item| {
                    asked.set(asked.get() + 1);
                    item >= high
                };
                assert_eq!(chain.climb_while(low, keep), high);
                most = asked.get().max(most);
            }
        }
        assert!(most <= 4 * COUNT.ilog2(), "{most}");
    }
}
