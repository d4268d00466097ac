//! `aether check` on a plan of several spaces: each row is in a space that it may be in, below the capacity, and no two
//! rows of a space share a byte while both are alive.
//!
//! The rows of a space are judged with the others made empty, so they keep their numbers.

use std::fmt;

use aether::arena::{NO_SPACE, Plan, Space, Tensor};
use serde::Serialize;

use crate::failure::Failure;
use crate::fault::{Fault, Place, offsets};
use crate::problem::Problem;
use crate::report::line;
use crate::space_options::{self, NamedSpace};
use crate::spaces::{self, SpaceTold};
use crate::table::{Column, shown};
use crate::{arena, terminal};

/// What is told of a valid plan.
#[derive(Serialize)]
pub struct Report {
    tensors: usize,
    spaces: Vec<SpaceTold>,
}

/// What makes the plan invalid, in which space.
#[derive(Serialize)]
pub struct SpaceFault {
    /// None where the fault is that there is none.
    space: Option<String>,
    #[serde(flatten)]
    fault: Fault,
}

pub fn check(problem: &Problem, given: &[NamedSpace]) -> Result<Result<Report, SpaceFault>, Failure> {
    let table = problem.table;
    spaces::refuse_conditions(problem)?;
    let (names, spaces) = if given.is_empty() { unlimited(problem)? } else { space_options::spaces(given)? };
    let mut homes = Vec::new();
    for row in 0..table.len() {
        homes.push(match table.field(row, Column::Space) {
            _ if problem.tensors[row].size == 0 => NO_SPACE,
            "" => {
                let fault = Fault::NoSpace { id: table.id(row).to_string(), line: problem.line(row) };
                return Ok(Err(SpaceFault { space: None, fault }));
            }
            name => spaces::find(table, row, Column::Space, name, &names)?,
        });
    }
    let offsets = offsets(problem)?;
    let in_space = |row: usize, fault| Ok(Err(SpaceFault { space: Some(names[homes[row] as usize].clone()), fault }));
    for (row, &home) in homes.iter().enumerate().filter(|(_, home)| **home != NO_SPACE) {
        let Tensor { size, alignment, .. } = problem.tensors[row];
        let Space { capacity, base_alignment, .. } = spaces[home as usize];
        let place = || [Place::new(problem, &offsets, row)];
        let allowed = spaces::named(table, row, &names)?;
        if allowed != 0 && allowed >> home & 1 == 0 {
            let allowed = table.field(row, Column::Spaces).split_whitespace().map(str::to_string).collect();
            return in_space(row, Fault::SpaceNotAllowed { rows: place(), allowed });
        }
        if base_alignment != 0 && !base_alignment.is_multiple_of(alignment.max(1)) {
            return in_space(row, Fault::BaseMisaligned { rows: place(), base_alignment, alignment });
        }
        if offsets[row] as u128 + size as u128 > capacity as u128 && capacity != usize::MAX {
            return in_space(row, Fault::AboveCapacity { rows: place(), capacity });
        }
    }
    let mut told = Vec::new();
    for (k, (name, space)) in names.iter().zip(&spaces).enumerate() {
        let plan = match judge(problem, &offsets, |row| homes[row] as usize == k) {
            Ok(plan) => plan,
            Err(error) => {
                let fault = Fault::new(problem, &offsets, error).ok_or_else(|| problem.explain(error))?;
                return in_space(error.index, fault);
            }
        };
        told.push(SpaceTold::new(k, name, space, &plan, &homes));
    }
    Ok(Ok(Report { tensors: table.len(), spaces: told }))
}

/// The rows that are there, in one arena.
fn judge(problem: &Problem, offsets: &[usize], is_there: impl Fn(usize) -> bool) -> Result<Plan, aether::Error> {
    let mut tensors = problem.tensors.clone();
    for (_, tensor) in tensors.iter_mut().enumerate().filter(|(row, _)| !is_there(*row)) {
        tensor.size = 0;
    }
    terminal::patiently("checking", || {
        arena::check(&aether::arena::Problem { tensors: &tensors, ..Default::default() }, offsets)
    })
}

/// The spaces that the file names, as they come, without a limit.
fn unlimited(problem: &Problem) -> Result<(Vec<String>, Vec<Space>), Failure> {
    let table = problem.table;
    let mut names: Vec<String> = Vec::new();
    for row in 0..table.len() {
        for name in [Column::Space, Column::Spaces].iter().flat_map(|&c| table.field(row, c).split_whitespace()) {
            if !names.iter().any(|other| other == name) {
                names.push(name.to_string());
            }
        }
    }
    space_options::require_count(names.len())?;
    let spaces = (0..names.len()).map(|cost| Space { capacity: usize::MAX, base_alignment: 0, cost }).collect();
    Ok((names, spaces))
}

impl SpaceFault {
    pub fn sentence(&self, source: &str) -> String {
        match &self.space {
            Some(space) => self.fault.sentence(&format!("{source}: space {}", shown(space))),
            None => self.fault.sentence(source),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        spaces::write_table(&self.spaces, f)?;
        f.write_str(&line("tensors", self.tensors))
    }
}
