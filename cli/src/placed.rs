//! A plan that may be invalid, with the numbers that a picture or an explanation of it needs.

use std::cmp::max;

use aether::arena::Limits;
use aether::{Error, Kind, NONE};

use crate::arena;
use crate::failure::Failure;
use crate::fault::{Fault, offsets};
use crate::problem::Problem;
use crate::{report, spaces, terminal};

pub struct Placed<'a> {
    pub problem: &'a Problem<'a>,
    /// One a row.
    pub offsets: Vec<usize>,
    /// The largest end.
    pub arena_size: usize,
    pub lower_bound: usize,
    pub peak_live_bytes: usize,
    /// None where no row has bytes.
    pub peak_node: Option<usize>,
    pub invalid: Option<Invalid>,
}

pub struct Invalid {
    /// The rows that clash, or the one whose offset is wrong.
    pub rows: Vec<usize>,
    pub sentence: String,
}

impl<'a> Placed<'a> {
    /// A plan from its file.
    pub fn read(problem: &'a Problem<'a>) -> Result<Placed<'a>, Failure> {
        spaces::require_one_space(problem.table)?;
        Placed::new(problem, offsets(problem)?)
    }

    pub fn new(problem: &'a Problem<'a>, offsets: Vec<usize>) -> Result<Placed<'a>, Failure> {
        let Limits { lower_bound, peak_live_bytes, peak_node } =
            terminal::patiently("bounding", || arena::limits(&problem.model(None)))
                .map_err(|error| problem.explain(error))?;
        let invalid = match terminal::patiently("checking", || arena::check(&problem.model(None), &offsets)) {
            Ok(_) => None,
            Err(error) => Some(Invalid::new(problem, &offsets, error)?),
        };
        let rows = problem.tensors.iter().zip(&offsets).filter(|(tensor, _)| tensor.size > 0);
        let arena_size = rows.map(|(tensor, offset)| offset.saturating_add(tensor.size)).fold(0, max);
        let peak_node = (peak_node != NONE || peak_live_bytes > 0).then_some(peak_node);
        Ok(Placed { problem, offsets, arena_size, lower_bound, peak_live_bytes, peak_node, invalid })
    }

    pub fn optimal(&self) -> bool {
        self.invalid.is_none() && self.arena_size == self.lower_bound
    }

    /// How far the arena is above the bound.
    pub fn gap_percent(&self) -> f64 {
        report::gap_percent(self.arena_size, self.lower_bound)
    }

    /// The verdict on an invalid plan, for when everything else was told.
    pub fn require_valid(&self) -> Result<(), Failure> {
        match &self.invalid {
            Some(invalid) => Err(Failure::verdict(invalid.sentence.clone())),
            None => Ok(()),
        }
    }
}

impl Invalid {
    fn new(problem: &Problem, offsets: &[usize], error: Error) -> Result<Invalid, Failure> {
        let fault = Fault::new(problem, offsets, error).ok_or_else(|| problem.explain(error))?;
        let mut rows = vec![error.index];
        if error.kind == Kind::Clash {
            rows.push(error.other);
        }
        Ok(Invalid { rows, sentence: fault.sentence(&problem.table.source) })
    }
}
