//! Packs a space anew for a tensor that its bytes have room for, but none of its holes.
//!
//! Where the bytes in use leave too few at some nodes, the resident whose place elsewhere is cheapest makes room, if
//! it is alive at all of those nodes and large enough. Then the search packs the residents and the tensor, and the
//! tensor moves in if it finds a packing within the capacity.
//! Invariant: each move saves something, so the plan never gets worse.
//! Cost: as the work limit says. It counts looks at residents as [`improve`](super::improve) does, a node of the search
//! as [`NODE`] of them, and what comes before its nodes as [`MEMBER`] for each tensor that is packed.

use super::holes::hole;
use super::improve::{by_wish, loss};
use super::live::live_bytes;
use super::offers::Offers;
use super::residents::{BLOCK, Block, Residents, Stay};
use crate::arena::fit::Fit;
use crate::arena::search::{Effort, search};
use crate::arena::{FREE, Problem, Tensor};
use crate::error::Error;
use crate::scratch::{List, Scratch};

/// So many tensors are packed anew in one space.
const MOST_PACKED: usize = 1024;

/// Nodes of one search.
const NODES: u64 = 2_000;

const NODE: u64 = 16;
const MEMBER: u64 = 64;

/// Scratch bytes a tensor, without those of packing.
pub(super) const BYTES: usize = 2 * BLOCK + 64;

/// Scratch bytes of packing: a simple formula at or above what a search takes for up to [`MOST_PACKED`] tensors.
pub(super) fn packing_size(tensor_count: usize) -> usize {
    let count = tensor_count.min(MOST_PACKED);
    count * 3_000 + (count * count).min(77_000) * 42 + 3_200
}

/// Moves tensors, and adds what it does to the work. Tells whether it moved any.
#[inline(never)]
pub(super) fn repack(
    offers: &Offers,
    residents: &mut Residents,
    work: &mut u64,
    work_limit: u64,
    seed: u64,
    mut scratch: Scratch,
) -> Result<bool, Error> {
    let count = offers.tensors.len();
    let order = by_wish(offers, residents, &mut scratch)?;
    let (blocks, others) = (scratch.list(count)?, scratch.list(count)?);
    let mut packer = Packer { offers, residents, blocks, others, work, work_limit, seed };
    let mut moved = false;
    for &tensor in order.iter() {
        let home = packer.residents.homes[tensor as usize];
        for space in offers.cheaper(tensor as usize, home) {
            if *packer.work >= work_limit {
                return Ok(moved);
            }
            if packer.moves(tensor, space, scratch.phase())? {
                moved = true;
                break;
            }
        }
    }
    Ok(moved)
}

struct Packer<'s, 'r, 'w> {
    offers: &'s Offers<'s>,
    residents: &'s mut Residents<'r>,
    /// The residents alive with the tensor.
    blocks: List<'w, Block>,
    /// Those alive with one of them, elsewhere.
    others: List<'w, Block>,
    work: &'s mut u64,
    work_limit: u64,
    seed: u64,
}

/// The nodes at which a tensor has too few bytes, and how many more it needs.
struct Lack {
    first: usize,
    last: usize,
    bytes: usize,
}

impl Packer<'_, '_, '_> {
    /// Moves a tensor into a space, if that saves anything and a packing is found.
    fn moves(&mut self, tensor: u32, space: u32, mut scratch: Scratch) -> Result<bool, Error> {
        match self.exit(tensor, space, scratch.phase())? {
            Some(exit) => self.pack(tensor, space, exit, scratch),
            None => Ok(false),
        }
    }

    /// Who has to leave the space so that its bytes have room for the tensor; None: nobody whose leaving is worth it.
    // Not inlined, so that packing has its stack.
    #[inline(never)]
    fn exit(&mut self, tensor: u32, space: u32, scratch: Scratch) -> Result<Option<Option<Stay>>, Error> {
        if self.residents.is_roomy(space) {
            return Ok(None);
        }
        self.residents.beside(tensor, space, self.offers, &mut self.blocks);
        *self.work += 1 + self.blocks.len() as u64;
        let lack = self.lack(tensor, space, scratch)?;
        if lack.bytes == 0 {
            return Ok(Some(None));
        }
        let home = self.residents.homes[tensor as usize];
        let gain = self.offers.price(tensor as usize, home) - self.offers.price(tensor as usize, space);
        Ok(self.cheapest_exit(&lack, space, gain).map(Some))
    }

    fn lack(&self, tensor: u32, space: u32, scratch: Scratch) -> Result<Lack, Error> {
        let (item, capacity) = (&self.offers.tensors[tensor as usize], self.offers.spaces[space as usize].capacity);
        let mut lack = Lack { first: usize::MAX, last: 0, bytes: 0 };
        live_bytes(item, &self.blocks, self.offers, scratch, |node, live| {
            // Both are within the capacity.
            let excess = item.size.saturating_sub(capacity - live);
            if excess > 0 {
                lack = Lack { first: lack.first.min(node), last: node, bytes: lack.bytes.max(excess) };
            }
        })?;
        Ok(lack)
    }

    /// The resident whose leaving makes room, and where it goes: that which costs least, and less than `gain`.
    fn cheapest_exit(&mut self, lack: &Lack, space: u32, gain: i128) -> Option<Stay> {
        let offers = self.offers;
        let (mut least, mut exit) = (gain, None);
        for k in 0..self.blocks.len() {
            let tensor = self.blocks[k].tensor;
            let item = &offers.tensors[tensor as usize];
            let is_enough = item.size >= lack.bytes && item.first_use <= lack.first && lack.last <= item.last_use;
            if !is_enough || loss(offers, tensor, space).is_none_or(|loss| loss >= least) {
                continue;
            }
            let dearer = offers.of(tensor as usize).skip_while(|&other| other != space).skip(1);
            for home in dearer {
                let price = offers.price(tensor as usize, home) - offers.price(tensor as usize, space);
                if price >= least {
                    break;
                }
                let offset = self.hole(tensor, home);
                if let Some(offset) = offset {
                    (least, exit) = (price, Some(Stay { tensor, home, offset }));
                    break;
                }
            }
        }
        exit
    }

    fn hole(&mut self, tensor: u32, space: u32) -> Option<usize> {
        if self.residents.is_roomy(space) {
            return Some(0);
        }
        self.residents.beside(tensor, space, self.offers, &mut self.others);
        *self.work += 1 + self.others.len() as u64;
        hole(
            &self.offers.tensors[tensor as usize],
            &self.others,
            self.offers.spaces[space as usize].capacity,
            Fit::Best,
        )
    }

    /// Searches for a packing of a space with `tensor` and without who leaves, and moves them if there is one.
    fn pack(&mut self, tensor: u32, space: u32, exit: Option<Stay>, mut scratch: Scratch) -> Result<bool, Error> {
        let (offers, homes) = (self.offers, &self.residents.homes);
        let count = homes.len();
        let leaves = |i: u32| exit.is_some_and(|exit| exit.tensor == i);
        let members = || (0..count as u32).filter(|&i| i == tensor || homes[i as usize] == space && !leaves(i));
        *self.work += count as u64 / 8;
        let member_count = members().count();
        if member_count > MOST_PACKED {
            return Ok(false);
        }
        let mut tensors: List<Tensor> = scratch.list(member_count)?;
        let mut fixed_offsets = scratch.list(member_count)?;
        for i in members() {
            tensors.push(offers.tensors[i as usize]);
            fixed_offsets.push(offers.fixed(i as usize).unwrap_or(FREE));
        }
        let fixed_offsets = fixed_offsets.into_slice();
        let is_free = fixed_offsets.iter().all(|&offset| offset == FREE);
        let capacity = offers.spaces[space as usize].capacity;
        let problem = Problem {
            tensors: &tensors,
            fixed_offsets: if is_free { &[] } else { fixed_offsets },
            capacity,
            ..Problem::default()
        };
        *self.work += MEMBER * member_count as u64;
        let nodes = NODES.min(self.work_limit.saturating_sub(*self.work) / NODE);
        let effort = Effort { work_limit: nodes, seed: self.seed };
        // Near the largest number no order may find an offset for each.
        let packing = search(&problem, effort, &mut |plan, _| plan.arena_size <= capacity, scratch);
        let Ok((offsets, found)) = packing else { return Ok(false) };
        *self.work += NODE * found.nodes;
        if found.plan.arena_size > capacity {
            return Ok(false);
        }
        exit.into_iter().for_each(|exit| self.residents.put(exit));
        self.residents.put(Stay { tensor, home: space, offset: 0 });
        // Now they are those that were packed.
        let packed = (0..count as u32).filter(|&i| self.residents.homes[i as usize] == space);
        for (i, &offset) in packed.zip(offsets) {
            self.residents.offsets[i as usize] = offset;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::plan_search_scratch_size;

    #[test]
    fn the_simple_formula_is_at_or_above_what_a_search_and_its_problem_take() {
        let member = size_of::<Tensor>() + size_of::<usize>();
        for count in 0..=MOST_PACKED {
            let need = plan_search_scratch_size(count, 0, 0, 0) + count * member + 2 * align_of::<Tensor>();
            assert!(need <= packing_size(count), "{count}: {need}");
        }
    }
}
