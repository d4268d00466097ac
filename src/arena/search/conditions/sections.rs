//! Parts that must be disjoint: at each node with a maximal live set a clique of the live parts.
//!
//! With compatible pairs not all live parts exclude each other. A section lists some that do: those of tensors without
//! compatible pairs, and of the others each that is compatible with none taken before, in the order of `limits.rs`.
//! So the members of a section are pairwise disjoint in every plan, and what they hold adds up.
//!
//! The lists may be long, so their entries are limited, and the sections with most bytes come first. A section that is
//! left out costs a cut, never a plan.
//! Cost: O(n log n), and a few times the sum of the live sets.

use core::ops::Range;

use crate::arena::bytes::{Bytes, Counts};
use crate::arena::limits::{paired, up_to};
use crate::arena::model::{Model, most_parts};
use crate::arena::timeline::Timeline;
use crate::error::Error;
use crate::scratch::{List, Scratch, size};
use crate::sort::{by_descending_key, counting_sort};

/// Bytes of a part, counted from its tensor's offset, both ends rounded up to the greatest common divisor of the
/// alignments. Offsets are multiples of it, so disjoint parts stay disjoint.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub tensor: u32,
    pub begin: usize,
    pub end: usize,
}

pub(super) struct Sections<'a> {
    /// By part.
    spans: &'a [Span],
    /// The members of all sections, in the order of time, and where those of each section begin.
    members: &'a [u32],
    starts: &'a [u32],
    /// By entry of `members` its section.
    sections: &'a [u32],
    /// The entries of `members` by tensor, and where those of each tensor begin.
    entries: &'a [u32],
    tensor_starts: &'a [u32],
}

/// A byte rounded up to the greatest common divisor of the alignments.
pub(super) fn up(model: &Model, byte: usize) -> usize {
    byte.saturating_add(up_to(model.alignments.greatest_common_divisor, byte))
}

/// The most entries of the lists.
fn listed(parts: usize) -> usize {
    parts.saturating_mul(parts).min(parts.saturating_mul(32).saturating_add(1 << 14))
}

/// Scratch bytes that the sections keep and work with.
pub(super) fn sections_size(counts: Counts) -> usize {
    let parts = most_parts(counts.tensors, counts.gaps);
    // Making: the ranks and cliques of tensors in pairs; a timeline, live parts, and the sizes of sections, sorted.
    let work = Bytes { tensor: 32, gap: 0, pair: 0, reserved: 0, constant: 0 };
    size(&[(1, work.of(counts)), (parts, size_of::<Span>() + 4 + 4 + 80), (listed(parts), 12), (16, 8)])
}

impl<'a> Sections<'a> {
    #[inline(never)]
    pub fn new(model: &Model, scratch: &mut Scratch<'a>) -> Result<Sections<'a>, Error> {
        let parts = model.all_parts;
        let mut spans = scratch.list(parts.len())?;
        for part in parts {
            spans.push(Span { tensor: part.tensor, begin: up(model, part.begin), end: up(model, part.end) });
        }
        let spans = spans.into_slice();
        let mut starts = scratch.list(parts.len() + 1)?;
        let mut members = scratch.list(listed(parts.len()))?;
        let mut sections = scratch.list(listed(parts.len()))?;
        let tensor_starts = scratch.filled(model.problem.tensors.len() + 1, 0)?;
        let entries = scratch.filled(listed(parts.len()), 0)?;

        let mut phase = scratch.phase();
        let is_listed = phase.filled(parts.len(), false)?;
        let (mut sizes, mut number) = (phase.list(parts.len())?, 0);
        each_clique(model, phase.phase(), |clique| {
            let bytes = clique.iter().map(|&p| spans[p as usize].end - spans[p as usize].begin);
            sizes.push((bytes.fold(0, usize::saturating_add), clique.len()));
        })?;
        let mut room = listed(parts.len());
        for &s in by_descending_key(0..sizes.len() as u32, sizes.len(), |s| sizes[s as usize].0, &mut phase)?.iter() {
            let (_, count) = sizes[s as usize];
            if count <= room {
                room -= count;
                is_listed[s as usize] = true;
            }
        }
        starts.push(0);
        each_clique(model, phase.phase(), |clique| {
            if is_listed[number] {
                let section = starts.len() as u32 - 1;
                clique.iter().for_each(|&p| members.push(p));
                clique.iter().for_each(|_| sections.push(section));
                starts.push(members.len() as u32);
            }
            number += 1;
        })?;
        let members = members.into_slice();
        let entries = &mut entries[..members.len()];
        let tensor = |entry: u32| spans[members[entry as usize] as usize].tensor;
        counting_sort(0..members.len() as u32, tensor, tensor_starts, entries);
        let (starts, sections) = (starts.into_slice(), sections.into_slice());
        Ok(Sections { spans, members, starts, sections, entries, tensor_starts })
    }

    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// What the members of a section hold.
    pub fn members(&self, section: usize) -> impl Iterator<Item = Span> + Clone {
        let entries = self.starts[section] as usize..self.starts[section + 1] as usize;
        self.members[entries].iter().map(|&p| self.spans[p as usize])
    }

    /// The bytes of all members of a section.
    pub fn bytes(&self, section: usize) -> usize {
        self.members(section).map(|span| span.end - span.begin).fold(0, usize::saturating_add)
    }

    /// The tensor of the n-th member of a section.
    pub fn member(&self, section: usize, n: usize) -> usize {
        self.spans[self.members[self.starts[section] as usize + n] as usize].tensor as usize
    }

    fn entries_of(&self, tensor: usize) -> &[u32] {
        &self.entries[self.tensor_starts[tensor] as usize..self.tensor_starts[tensor + 1] as usize]
    }

    /// The sections that have a tensor as a member, and the bytes that it holds there.
    pub fn held_by(&self, tensor: usize) -> impl Iterator<Item = (usize, usize)> {
        self.entries_of(tensor).iter().map(|&entry| {
            let span = self.spans[self.members[entry as usize] as usize];
            (self.sections[entry as usize] as usize, span.end - span.begin)
        })
    }

    /// From the first to the last section that has a tensor as a member.
    pub fn around(&self, tensor: usize) -> Range<usize> {
        let section = |entry: &u32| self.sections[*entry as usize] as usize;
        let entries = self.entries_of(tensor);
        entries.first().map_or(0, section)..entries.last().map_or(0, |last| section(last) + 1)
    }
}

/// Tells, in the order of time, the clique of each node whose live set is not part of another one's.
fn each_clique(model: &Model, mut scratch: Scratch, mut each: impl FnMut(&[u32])) -> Result<(), Error> {
    let parts = model.all_parts;
    let paired = paired(model, &mut scratch)?;
    let mut scratch = scratch.phase();
    // By tensor in pairs: one more than its place in their order, and the section in which it was passed over last.
    let count = if paired.is_empty() { 0 } else { model.problem.tensors.len() };
    let rank = scratch.filled(count, 0)?;
    for (r, &i) in (1u32..).zip(paired.iter()) {
        rank[i as usize] = r;
    }
    let passed_over = scratch.filled(count, 0u32)?;
    let rank = |p: u32| rank.get(parts[p as usize].tensor as usize).copied().unwrap_or(0);
    // Live parts by rank; those of tensors without pairs have none, and come first.
    let mut live: List<u32> = scratch.list(parts.len())?;
    let mut clique = scratch.list(parts.len())?;
    let mut number = 0;
    let mut tell = |live: &[u32]| {
        number += 1;
        clique.clear();
        for &p in live {
            let tensor = parts[p as usize].tensor as usize;
            if rank(p) > 0 && passed_over[tensor] == number {
                continue;
            }
            clique.push(p);
            model.compatible(tensor).iter().for_each(|&other| passed_over[other as usize] = number);
        }
        each(&clique);
    };
    let mut is_fresh = false;
    for step in Timeline::of(parts, 0..parts.len() as u32, &mut scratch)? {
        if is_fresh && !step.departing.is_empty() {
            tell(&live);
            is_fresh = false;
        }
        let mut kept = 0;
        for l in 0..live.len() {
            live[kept] = live[l];
            kept += usize::from(parts[live[l] as usize].last >= step.node);
        }
        live.truncate(kept);
        for &p in step.arriving {
            live.insert(live.partition_point(|&other| rank(other) <= rank(p)), p);
            is_fresh = true;
        }
    }
    if is_fresh {
        tell(&live);
    }
    Ok(())
}
