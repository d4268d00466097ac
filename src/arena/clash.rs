//! Which placed tensors break the rule of `interference.rs` first.
//!
//! A sweep over the nodes keeps, for each live rectangle, its end, ordered by its begin. An arriving one shares bytes
//! with exactly those live ones that begin below its end and end above its begin; a table of the largest ends lists
//! them one by one. Invariant: until the first clash any two live ones that share a byte are a compatible pair. At the
//! first node with a clash the live ones are gone through by begin: the first that clashes with one before it begins
//! at the smallest shared byte, and of all that hold this byte the two smallest indices that clash are named.
//! Cost: O((m + c) log m) for m rectangles, where c counts the times that a compatible pair shares bytes.

use core::ops::Range;

use super::interference::forbidden;
use super::largest::Largest;
use super::model::Model;
use super::timeline::{Lived, Timeline};
use crate::error::{Error, Kind, NONE};
use crate::scratch::Scratch;
use crate::sort::{by_key, sort_by_key};

/// Two tensors, the smaller index first, that share `bytes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clash {
    pub first: usize,
    pub second: usize,
    pub bytes: Range<usize>,
    pub node: usize,
}

/// The first clash of two items of the timeline: at the smallest node, there at the smallest byte, there of the
/// smallest two tensors. `some` are the items of the timeline; `offsets` holds one a tensor, and no end passes
/// `usize::MAX`.
pub(super) fn first<T: Lived>(
    items: &[T],
    some: impl Iterator<Item = u32> + Clone,
    timeline: Timeline<T>,
    offsets: &[usize],
    may_share: impl Fn(usize, usize) -> bool,
    mut scratch: Scratch,
) -> Result<Option<Clash>, Error> {
    let tensor = |i: u32| items[i as usize].tensor(i);
    let bytes = |i: u32| {
        let (offset, window) = (offsets[tensor(i)], items[i as usize].window());
        offset + window.start..offset + window.end
    };
    let by_begin = by_key(some, items.len(), |i| bytes(i).start, &mut scratch)?;
    let rank = scratch.filled(items.len(), 0)?;
    for (r, &i) in (0u32..).zip(by_begin.iter()) {
        rank[i as usize] = r;
    }
    let mut holders = scratch.list(by_begin.len())?;
    let mut live = Live { ends: Largest::new(by_begin.len(), &mut scratch)?, by_begin, bytes };
    let clashes = |i: u32, j: u32| !may_share(tensor(i), tensor(j));

    for step in timeline {
        for &i in step.departing {
            live.ends.set(rank[i as usize], 0);
        }
        let mut clash = false;
        for &i in step.arriving {
            clash = clash || live.sharing(bytes(i)).any(|other| clashes(i, other));
            live.ends.set(rank[i as usize], bytes(i).end);
        }
        if !clash {
            continue;
        }
        let all = || live.sharing(0..usize::MAX);
        let clashes_below = |i: &u32| live.sharing(bytes(*i)).take_while(|other| other != i).any(|j| clashes(*i, j));
        let byte = all().find(clashes_below).map_or(0, |i| bytes(i).start);
        all().filter(|&i| bytes(i).contains(&byte)).for_each(|i| holders.push(i));
        sort_by_key(&mut holders, |&i| i);
        for (k, &i) in holders.iter().enumerate() {
            if let Some(&j) = holders[k + 1..].iter().find(|&&j| clashes(i, j)) {
                let shared = byte..bytes(i).end.min(bytes(j).end);
                return Ok(Some(Clash { first: tensor(i), second: tensor(j), bytes: shared, node: step.node }));
            }
        }
    }
    Ok(None)
}

/// The live items.
struct Live<'a, B> {
    /// By rank the end of a live item, else 0.
    ends: Largest<'a>,
    by_begin: &'a [u32],
    bytes: B,
}

impl<B: Fn(u32) -> Range<usize>> Live<'_, B> {
    /// Those that share a byte with `own`, by begin.
    fn sharing(&self, own: Range<usize>) -> impl Iterator<Item = u32> {
        let from = move |rank| self.ends.first_above(rank, own.start);
        core::iter::successors(from(0), move |rank| from(rank.checked_add(1)?))
            .map(|rank| self.by_begin[rank as usize])
            .take_while(move |&i| (self.bytes)(i).start < own.end)
    }
}

/// The first clash of the parts of those tensors that are `placed`.
pub(super) fn of_parts(
    model: &Model,
    offsets: &[usize],
    placed: impl Fn(usize) -> bool,
    mut scratch: Scratch,
) -> Result<Option<Clash>, Error> {
    let parts = model.all_parts;
    let some = (0..parts.len() as u32).filter(|&p| placed(parts[p as usize].tensor as usize));
    let mut scratch = scratch.phase();
    let timeline = Timeline::of(parts, some.clone(), &mut scratch)?;
    first(parts, some, timeline, offsets, |i, j| model.may_share(i, j), scratch)
}

/// The first two tensors, by index, of an apart pair that share bytes; `offset` tells where a tensor is placed.
pub(super) fn of_apart(model: &Model, offset: impl Fn(usize) -> Option<usize>) -> Option<Clash> {
    let has_bytes = |i: usize| model.tensor(i).size > 0;
    for i in (0..model.problem.tensors.len()).filter(|&i| has_bytes(i)) {
        for j in model.apart(i).iter().map(|&j| j as usize).filter(|&j| j > i && has_bytes(j)) {
            let (Some(a), Some(b)) = (offset(i), offset(j)) else { continue };
            let (one, other) = (model.whole(i).at(a), model.whole(j));
            if forbidden(&one, &other).contains(b) {
                let bytes = one.begin.max(b)..one.end.min(other.at(b).end);
                return Some(Clash { first: i, second: j, bytes, node: NONE });
            }
        }
    }
    None
}

/// Refuses tensor `i` at `offset` if one of its bytes is reserved: the first such byte, the first range that has it.
pub(super) fn with_reserved(model: &Model, i: usize, offset: usize) -> Result<(), Error> {
    let taken = |begin: usize, end: usize| {
        let at = model.reserved.partition_point(|range| range.end <= begin);
        model.reserved.get(at).is_some_and(|range| range.begin < end)
    };
    let placed = || model.parts(i).iter().map(|part| part.at(offset));
    if !placed().any(|part| taken(part.begin, part.end)) {
        return Ok(());
    }
    let mut first = (usize::MAX, NONE, 0);
    for (r, range) in model.problem.reserved.iter().enumerate() {
        for part in placed() {
            let (begin, end) = (part.begin.max(range.begin), part.end.min(range.end));
            if begin < end {
                first = first.min((begin, r, end));
            }
        }
    }
    let (begin, range, end) = first;
    Err(Error::new(Kind::ReservedClash, i, begin, end).against(range))
}
