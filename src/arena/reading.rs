//! Reads a problem: the [`Model`] of it, or what is wrong with it.
//!
//! Whatever has a model has numbers in range, no pair that is compatible and apart, and pinned tensors that fit their
//! alignment and the capacity, hold no reserved byte and do not clash with each other. Cost: that of the model and of
//! one sweep over the pinned tensors.

use super::bound::alignments;
use super::clash;
use super::model::{Model, most_parts};
use super::problem::{Gap, Pair, Problem};
use super::{Tensor, validate};
use crate::error::{Error, Kind, NONE};
use crate::scratch::{Scratch, index_limit};

pub(super) fn model<'a>(problem: &Problem<'a>, scratch: &mut Scratch<'a>) -> Result<Model<'a>, Error> {
    let Problem { tensors, fixed_offsets, hint_offsets, gaps, compatible, apart, reserved, .. } = *problem;
    validate(tensors)?;
    for array in [fixed_offsets, hint_offsets] {
        if !array.is_empty() && array.len() != tensors.len() {
            return Err(Error::new(Kind::Count, NONE, array.len(), tensors.len()));
        }
    }
    index_limit(most_parts(tensors.len(), gaps.len()).saturating_add(reserved.len()))?;
    index_limit(compatible.len().saturating_mul(2))?;
    index_limit(apart.len().saturating_mul(2))?;
    validate_gaps(tensors, gaps)?;
    validate_pairs(Kind::CompatiblePair, tensors.len(), compatible)?;
    validate_pairs(Kind::ApartPair, tensors.len(), apart)?;
    if let Some(i) = reserved.iter().position(|range| range.begin > range.end) {
        return Err(Error::new(Kind::ReservedReversed, i, reserved[i].begin, reserved[i].end));
    }
    let model = Model::new(problem, alignments(tensors)?, scratch)?;
    validate_no_contradiction(&model)?;
    validate_fixed(&model, scratch.phase())?;
    Ok(model)
}

/// No pair is both compatible and apart.
fn validate_no_contradiction(model: &Model) -> Result<(), Error> {
    for i in 0..model.problem.tensors.len() {
        let both = model.apart(i).iter().map(|&j| j as usize).find(|&j| model.may_share(i, j));
        if let Some(j) = both {
            let position = |pairs: &[Pair]| {
                let names = |pair: &Pair| [(i, j), (j, i)].contains(&(pair.a, pair.b));
                pairs.iter().position(names).unwrap_or(NONE)
            };
            let error = Error::new(Kind::PairContradiction, position(model.problem.compatible), i, j);
            return Err(error.against(position(model.problem.apart)));
        }
    }
    Ok(())
}

/// The pinned tensors can be where they are pinned.
fn validate_fixed(model: &Model, scratch: Scratch) -> Result<(), Error> {
    let capacity = model.problem.capacity;
    for i in 0..model.problem.fixed_offsets.len() {
        let (Some(offset), tensor) = (model.fixed(i), model.tensor(i)) else { continue };
        if !offset.is_multiple_of(tensor.stride()) {
            return Err(Error::new(Kind::FixedMisaligned, i, offset, tensor.stride()));
        }
        if tensor.size > usize::MAX - offset {
            return Err(Error::new(Kind::ArenaOverflow, i, tensor.size, usize::MAX - offset));
        }
        if capacity > 0 && offset + tensor.size > capacity {
            return Err(Error::new(Kind::FixedCapacity, i, offset + tensor.size, capacity));
        }
        clash::with_reserved(model, i, offset)?;
    }
    let clash = match clash::of_apart(model, |i| model.fixed(i)) {
        Some(clash) => Some(clash),
        None => clash::of_parts(model, model.problem.fixed_offsets, |i| model.fixed(i).is_some(), scratch)?,
    };
    match clash {
        Some(clash) => {
            let error = Error::new(Kind::FixedClash, clash.first, clash.bytes.start, clash.bytes.end);
            Err(error.against(clash.second))
        }
        None => Ok(()),
    }
}

fn validate_gaps(tensors: &[Tensor], gaps: &[Gap]) -> Result<(), Error> {
    for (g, gap) in gaps.iter().enumerate() {
        let Some(tensor) = tensors.get(gap.tensor) else {
            return Err(Error::new(Kind::GapTensor, g, gap.tensor, tensors.len()));
        };
        if gap.first > gap.last {
            return Err(Error::new(Kind::GapOutside, g, gap.first, gap.last));
        }
        if gap.first < tensor.first_use {
            return Err(Error::new(Kind::GapOutside, g, gap.first, tensor.first_use).against(gap.tensor));
        }
        if gap.last > tensor.last_use {
            return Err(Error::new(Kind::GapOutside, g, gap.last, tensor.last_use).against(gap.tensor));
        }
        if gap.window_begin > gap.window_end {
            return Err(Error::new(Kind::GapWindow, g, gap.window_begin, gap.window_end));
        }
        if gap.window_end > tensor.size {
            return Err(Error::new(Kind::GapWindow, g, gap.window_end, tensor.size).against(gap.tensor));
        }
    }
    Ok(())
}

fn validate_pairs(kind: Kind, tensor_count: usize, pairs: &[Pair]) -> Result<(), Error> {
    for (p, pair) in pairs.iter().enumerate() {
        if let Some(missing) = [pair.a, pair.b].into_iter().find(|&i| i >= tensor_count) {
            return Err(Error::new(kind, p, missing, tensor_count));
        }
        if pair.a == pair.b {
            return Err(Error::new(kind, p, pair.a, tensor_count));
        }
    }
    Ok(())
}
