//! Packs each space by itself, and tells its numbers.
//!
//! Invariant: who is in a space stays there. The offsets change only where the portfolio of planners finds a smaller
//! arena; in a roomy space they are made here. The portfolio fits there: no order puts a tensor above where all the
//! others, with all their padding, would end below it.
//! Cost: that of the portfolio, over all spaces together.

use super::live::live_bytes;
use super::offers::Offers;
use super::residents::{Block, Residents};
use super::{Kept, SpaceReport, holes};
use crate::arena::limits::measure;
use crate::arena::planners::portfolio;
use crate::arena::reading;
use crate::arena::{FREE, Plan, Problem, Tensor};
use crate::error::{Error, NONE};
use crate::scratch::{List, Scratch};
use crate::sort::sort_by_key;

/// Packs every space, only the roomy ones without `repack`, and reports it as if no tensor was left out.
#[inline(never)]
pub(super) fn settle(
    offers: &Offers,
    residents: &Residents,
    kept: &mut Kept,
    repack: bool,
    reports: &mut List<SpaceReport>,
    mut scratch: Scratch,
) -> Result<(), Error> {
    reports.clear();
    for (k, space) in (0u32..).zip(offers.spaces) {
        let plan = pack(offers, residents, kept, k, repack, scratch.phase())?;
        let capacity = space.capacity;
        reports.push(SpaceReport { plan, free_bytes: capacity, tightest_node: NONE, longest_range: capacity });
    }
    Ok(())
}

/// Adds to the reports what each space has left for a tensor that was left out.
#[inline(never)]
pub(super) fn tell_room(
    tensor: u32,
    offers: &Offers,
    kept: &Kept,
    reports: &mut List<SpaceReport>,
    mut scratch: Scratch,
) -> Result<(), Error> {
    for (k, report) in (0u32..).zip(reports.iter_mut()) {
        *report = room_for(tensor, k, *report, offers, kept, scratch.phase())?;
    }
    Ok(())
}

fn pack(
    offers: &Offers,
    residents: &Residents,
    kept: &mut Kept,
    space: u32,
    repack: bool,
    mut scratch: Scratch,
) -> Result<Plan, Error> {
    let count = kept.homes.len();
    let mut members = scratch.list(count)?;
    let mut tensors = scratch.list(count)?;
    let mut fixed_offsets = scratch.list(count)?;
    let mut end = 0;
    for i in (0..count).filter(|&i| kept.homes[i] == space) {
        members.push(i as u32);
        tensors.push(offers.tensors[i]);
        fixed_offsets.push(offers.fixed(i).unwrap_or(FREE));
        end = end.max(kept.offsets[i] + offers.tensors[i].size);
    }
    let (tensors, fixed_offsets) = (tensors.into_slice(), fixed_offsets.into_slice());
    let problem = Problem { tensors, fixed_offsets, ..Problem::default() };
    let is_roomy = residents.is_roomy(space);
    match portfolio(&problem, 0, &mut |_| false, &mut scratch.phase()) {
        Ok((offsets, outcome)) if is_roomy || repack && outcome.plan.arena_size < end => {
            for (&i, &offset) in members.iter().zip(offsets.iter()) {
                kept.offsets[i as usize] = offset;
            }
            Ok(outcome.plan)
        }
        Ok((_, outcome)) => Ok(Plan { arena_size: end, ..outcome.plan }),
        // Near the largest number no order may find what was found here.
        Err(_) => {
            let mut offsets = scratch.list(count)?;
            members.iter().for_each(|&i| offsets.push(kept.offsets[i as usize]));
            plan_of(&problem, &offsets, scratch)
        }
    }
}

/// The numbers of a plan. Not inlined, so that planning has its stack.
#[inline(never)]
fn plan_of<'a>(problem: &Problem<'a>, offsets: &[usize], mut scratch: Scratch<'a>) -> Result<Plan, Error> {
    let model = reading::model(problem, &mut scratch)?;
    measure(&model, offsets, scratch)
}

/// What the space has left for a tensor that is not in it.
fn room_for(
    tensor: u32,
    space: u32,
    report: SpaceReport,
    offers: &Offers,
    kept: &Kept,
    mut scratch: Scratch,
) -> Result<SpaceReport, Error> {
    let capacity = offers.spaces[space as usize].capacity;
    let item = &offers.tensors[tensor as usize];
    let mut blocks = scratch.list(offers.tensors.len())?;
    for (other, (&home, &begin)) in (0..).zip(kept.homes.iter().zip(kept.offsets.iter())) {
        let Tensor { size, first_use, last_use, .. } = offers.tensors[other as usize];
        if home == space && item.meets(first_use, last_use) {
            blocks.push(Block { begin, end: begin + size, tensor: other });
        }
    }
    sort_by_key(&mut blocks, |block| (block.begin, block.tensor));
    let longest_range = holes::longest_range(item, &blocks, capacity);
    let (mut most, mut tightest_node) = (0, item.first_use);
    live_bytes(item, &blocks, offers, scratch, |node, live| {
        if live > most {
            (most, tightest_node) = (live, node);
        }
    })?;
    Ok(SpaceReport { free_bytes: capacity - most, tightest_node, longest_range, ..report })
}
