//! Places tensors one by one, in any order, under all conditions of a problem.
//!
//! Invariant: [`Placed`] holds the parts of the placed tensors and the reserved ranges, sorted by their first byte. For
//! one part of the tensor to be placed, the offsets that they forbid therefore come by ascending begin. For a tensor of
//! several parts the scans for each of them are merged, and with them what its apart neighbours forbid. [`Allowed`]
//! coalesces them on the fly, so no list of windows exists, and stops at an interval that no later one can beat.
//! Cost: a tensor compares its lifetime with that of each placed part, each of its k parts with those that it meets;
//! O(n^2) in all for n tensors of one part.
//! Source: the interval scan of XNNPACK's planner (google/XNNPACK#10801), on offsets instead of bytes.

use super::Tensor;
use super::bytes::Bytes;
use super::fit::{Choice, Fit};
use super::interference::{each_forbidden, forbidden};
use super::model::{Model, Part};
use super::problem::Range;
use crate::error::{Error, Kind, NONE};
use crate::scratch::{List, Scratch};
use crate::sort::sort_by_key;

/// Scratch of placing, beside the model.
pub(super) const FLAT: Bytes = {
    // Among the placed parts, and among those that are met.
    let placed = 2 * size_of::<Part>();
    let part = placed + size_of::<Scan>();
    Bytes { tensor: part + 2 + 16, gap: 2 * part, pair: size_of::<Range>(), reserved: placed, constant: 0 }
};

/// Places the tensors of `order`, none of which is fixed or has no bytes, and writes all `offsets`: 0 for a tensor
/// without bytes or outside the order. Returns the end of the arena, or None as soon as it is at the ceiling.
// Not inlined, so that planners that place otherwise do without its stack.
#[inline(never)]
pub(super) fn place(
    model: &Model,
    order: &[u32],
    fit: Fit,
    ceiling: Option<usize>,
    offsets: &mut [usize],
    mut scratch: Scratch,
) -> Result<Option<usize>, Error> {
    let mut scratch = scratch.phase();
    let mut placed = Placed::new(model, offsets, &mut scratch)?;
    let mut arena = (0..offsets.len()).filter_map(|i| Some(model.fixed(i)? + model.tensor(i).size)).max().unwrap_or(0);
    let mut floor = 0;
    let is_at_ceiling = |arena: usize| ceiling.is_some_and(|ceiling| arena >= ceiling);
    for i in order.iter().map(|&i| i as usize) {
        if is_at_ceiling(arena) {
            return Ok(None);
        }
        let tensor = model.tensor(i);
        let mut allowed = Allowed::new(tensor, fit, model.hint(i), if fit == Fit::Next { floor } else { 0 });
        placed.tell(i, offsets, &mut allowed, scratch.phase())?;
        let Allowed { mut choice, hint, top, .. } = allowed;
        if fit == Fit::BestBelowTop {
            choice.offer(Range { begin: top, end: arena });
        }
        let Some(offset) = hint.or_else(|| choice.or_last(top)) else {
            let error = Error::new(Kind::ArenaOverflow, i, tensor.size, choice.left(top));
            return Err(error.against(placed.tensor_below(top, i, offsets)));
        };
        offsets[i] = offset;
        placed.insert(i, offset);
        floor = offset + tensor.size;
        arena = arena.max(floor);
    }
    Ok(Some(arena).filter(|&arena| !is_at_ceiling(arena)))
}

/// What is placed.
struct Placed<'a> {
    model: &'a Model<'a>,
    /// The parts of the placed tensors and the reserved ranges, by their first byte.
    parts: List<'a, Part>,
    /// Of each tensor: whether it is placed, and whether it may share bytes with the one being placed.
    is_placed: &'a mut [bool],
    may_share: &'a mut [bool],
}

impl<'a> Placed<'a> {
    /// Holds the reserved ranges and the fixed tensors; all other offsets become 0.
    fn new(model: &'a Model, offsets: &mut [usize], scratch: &mut Scratch<'a>) -> Result<Placed<'a>, Error> {
        let mut parts = scratch.list(model.all_parts.len() + model.reserved.len())?;
        let is_placed = scratch.filled(offsets.len(), false)?;
        let may_share = scratch.filled(offsets.len(), false)?;
        for &Range { begin, end } in model.reserved {
            parts.push(Part { tensor: Part::RESERVED, first: 0, last: usize::MAX, begin, end });
        }
        for (i, offset) in offsets.iter_mut().enumerate() {
            *offset = model.fixed(i).unwrap_or(0);
            is_placed[i] = model.fixed(i).is_some();
            model.parts(i).iter().filter(|_| is_placed[i]).for_each(|part| parts.push(part.at(*offset)));
        }
        sort_by_key(&mut parts, |part| part.begin);
        Ok(Placed { model, parts, is_placed, may_share })
    }

    fn insert(&mut self, i: usize, offset: usize) {
        self.is_placed[i] = true;
        for part in self.model.parts(i).iter().map(|part| part.at(offset)) {
            let position = self.parts.partition_point(|other| other.begin < part.begin);
            self.parts.insert(position, part);
        }
    }

    /// Tells what is forbidden for tensor `i`.
    fn tell(&mut self, i: usize, offsets: &[usize], allowed: &mut Allowed, mut scratch: Scratch) -> Result<(), Error> {
        let model = self.model;
        for &other in model.compatible(i) {
            self.may_share[other as usize] = true;
        }
        let may_clash = |part: &Part| self.may_share.get(part.tensor as usize) != Some(&true);
        match (model.parts(i), model.apart(i)) {
            ([part], []) => {
                for other in self.parts.iter().filter(|other| other.meets(part) && may_clash(other)) {
                    allowed.forbid(forbidden(other, part));
                    if allowed.is_final() {
                        break;
                    }
                }
            }
            (parts, neighbours) => {
                let whole = model.whole(i);
                let mut apart = scratch.list(neighbours.len())?;
                for j in neighbours.iter().map(|&j| j as usize).filter(|&j| self.is_placed[j]) {
                    apart.push(forbidden(&model.whole(j).at(offsets[j]), &whole));
                }
                sort_by_key(&mut apart, |range| range.begin);
                let mut met = scratch.list(self.parts.len())?;
                let meets = |other: &&Part| other.meets(&whole) && may_clash(other);
                self.parts.iter().filter(meets).for_each(|other| met.push(*other));
                merge(parts, &met, &apart, scratch, allowed)?;
            }
        }
        for &other in model.compatible(i) {
            self.may_share[other as usize] = false;
        }
        Ok(())
    }

    /// The first tensor that forbids the offsets up to `top` for tensor `i`, or `NONE`: for the error only.
    fn tensor_below(&self, top: usize, i: usize, offsets: &[usize]) -> usize {
        let forbids = |j: &usize| {
            let mut found = false;
            each_forbidden(self.model, *j, offsets[*j], i, |range| found |= range.end == top);
            found
        };
        (0..offsets.len()).filter(|&j| self.is_placed[j]).find(forbids).unwrap_or(NONE)
    }
}

/// A scan of placed parts for one part; it stands at one that forbids offsets from `begin` on.
#[derive(Clone, Copy)]
struct Scan {
    begin: usize,
    at: u32,
    part: u32,
}

/// Tells, by ascending begin, what `placed` forbids for each of the parts, and the ranges of `apart`.
fn merge(
    parts: &[Part],
    placed: &[Part],
    apart: &[Range],
    mut scratch: Scratch,
    allowed: &mut Allowed,
) -> Result<(), Error> {
    let scan = |from: usize, p: usize| {
        let at = from + placed[from..].iter().position(|other| other.meets(&parts[p]))?;
        Some(Scan { begin: forbidden(&placed[at], &parts[p]).begin, at: at as u32, part: p as u32 })
    };
    let mut scans = scratch.list(parts.len())?;
    (0..parts.len()).filter_map(|p| scan(0, p)).for_each(|first| scans.push(first));
    // A heap: the scan with the least begin is the first.
    let mut heap = scans.into_slice();
    for root in (0..heap.len() / 2).rev() {
        sift_down(heap, root);
    }
    let mut apart = apart.iter().copied().peekable();
    while let Some(&Scan { begin, at, part }) = heap.first() {
        while let Some(range) = apart.next_if(|range| range.begin <= begin) {
            allowed.forbid(range);
        }
        allowed.forbid(forbidden(&placed[at as usize], &parts[part as usize]));
        if allowed.is_final() {
            return Ok(());
        }
        match scan(at as usize + 1, part as usize) {
            Some(next) => heap[0] = next,
            None => {
                let last = heap.len() - 1;
                heap.swap(0, last);
                heap = &mut heap[..last];
            }
        }
        sift_down(heap, 0);
    }
    apart.for_each(|range| allowed.forbid(range));
    Ok(())
}

fn sift_down(heap: &mut [Scan], mut root: usize) {
    while let Some(left) = heap.get(2 * root + 1) {
        let right_is_less = heap.get(2 * root + 2).is_some_and(|right| right.begin < left.begin);
        let child = 2 * root + 1 + usize::from(right_is_less);
        if heap[root].begin <= heap[child].begin {
            break;
        }
        heap.swap(root, child);
        root = child;
    }
}

/// Chooses among the offsets that are allowed, told what is forbidden by ascending begin.
struct Allowed {
    choice: Choice,
    size: usize,
    /// Not forbidden so far.
    hint: Option<usize>,
    /// No allowed offset below this one is left to choose from.
    top: usize,
}

impl Allowed {
    fn new(tensor: &Tensor, fit: Fit, hint: Option<usize>, floor: usize) -> Allowed {
        Allowed { choice: Choice::new(tensor, fit, 0), size: tensor.size, hint, top: floor }
    }

    #[inline]
    fn forbid(&mut self, offsets: Range) {
        if offsets.begin > self.top {
            // With gaps an offset may be free of clashes and still too high for the tensor's end.
            let last = (offsets.begin - 1).min(usize::MAX - self.size);
            self.choice.offer(Range { begin: self.top, end: last + self.size });
        }
        if self.hint.is_some_and(|hint| offsets.contains(hint)) {
            self.hint = None;
        }
        self.top = self.top.max(offsets.end);
    }

    /// Whether nothing that is forbidden further above can change the choice.
    fn is_final(&self) -> bool {
        self.choice.is_final() && self.hint.is_none()
    }
}

#[cfg(test)]
mod tests;
