//! The numbers of a plan, for people and as JSON, and what to say when they exceed a capacity.

use std::fmt;

use aether::arena::Plan;
use serde::Serialize;

use crate::arena;
use crate::failure::Failure;
use crate::problem::Problem;

#[derive(Serialize)]
pub struct Report {
    tensors: usize,
    arena_size: usize,
    arena_alignment: usize,
    lower_bound: usize,
    gap_percent: f64,
    peak_live_bytes: usize,
    peak_node: Option<i128>,
    optimal: bool,
    /// The peak node as the library numbers it.
    #[serde(skip)]
    peak: Option<usize>,
    #[serde(flatten)]
    capacity: Option<Capacity>,
    /// Of planning or checking alone, without reading and writing.
    seconds: f64,
}

#[derive(Serialize)]
struct Capacity {
    capacity: usize,
    fits: bool,
    short_by: usize,
    /// Proven; a plan that does not fit does not prove it.
    no_plan_fits: bool,
}

impl Report {
    pub fn new(problem: &Problem, plan: Plan, capacity: Option<usize>, seconds: f64) -> Result<Report, Failure> {
        let Plan { arena_size, arena_alignment, lower_bound, peak_live_bytes } = plan;
        let peak = arena::peak_node(&problem.model(capacity)).map_err(|error| problem.explain(error))?;
        let judge = |capacity| Capacity {
            capacity,
            fits: arena_size <= capacity,
            short_by: arena_size.saturating_sub(capacity),
            no_plan_fits: lower_bound > capacity,
        };
        Ok(Report {
            tensors: problem.tensors.len(),
            arena_size,
            arena_alignment,
            lower_bound,
            gap_percent: gap_percent(arena_size, lower_bound),
            peak_live_bytes,
            peak_node: peak.map(|node| problem.time(node)),
            optimal: arena_size == lower_bound,
            peak,
            capacity: capacity.map(judge),
            seconds,
        })
    }

    /// The verdict on the capacity: how much is missing, whether any plan could fit, and what fills the peak.
    pub fn require_capacity(&self, problem: &Problem) -> Result<(), Failure> {
        let Some(Capacity { capacity, fits: false, short_by, no_plan_fits }) = &self.capacity else {
            return Ok(());
        };
        let source = &problem.table.source;
        let mut message = format!("{source}: needs {}, capacity {capacity}, short by {short_by}", self.arena_size);
        message += match no_plan_fits {
            true => "\nno plan fits",
            false => "\na plan that fits may exist",
        };
        message += &format!(": the lower bound is {}", self.lower_bound);
        if let Some(node) = self.peak {
            message += &format!(
                "\nat the peak, node {}, {} bytes are alive: {}",
                problem.time(node),
                self.peak_live_bytes,
                problem.largest_in_use(node)
            );
        }
        Err(Failure::verdict(message))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let optimal = if self.optimal { ", optimal" } else { "" };
        let at_node = self.peak_node.map(|node| format!(" at node {node}")).unwrap_or_default();
        f.write_str(&line("tensors", self.tensors))?;
        f.write_str(&line("arena", format_args!("{}{optimal}", Bytes(self.arena_size))))?;
        f.write_str(&line("lower bound", Bytes(self.lower_bound)))?;
        f.write_str(&line("over the bound", format_args!("{:.2} %", self.gap_percent)))?;
        f.write_str(&line("peak live bytes", format_args!("{}{at_node}", Bytes(self.peak_live_bytes))))?;
        f.write_str(&line("required base alignment", Bytes(self.arena_alignment)))?;
        let Some(Capacity { capacity, fits, short_by, .. }) = &self.capacity else {
            return Ok(());
        };
        let verdict = if *fits { "fits".to_string() } else { format!("short by {short_by}") };
        f.write_str(&line("capacity", format_args!("{}, {verdict}", Bytes(*capacity))))
    }
}

/// How far an arena is above its bound.
pub fn gap_percent(arena_size: usize, lower_bound: usize) -> f64 {
    match lower_bound {
        0 => 0.0,
        bound => arena_size.saturating_sub(bound) as f64 / bound as f64 * 100.0,
    }
}

/// One line of a summary.
pub fn line(label: &str, value: impl fmt::Display) -> String {
    format!("{label:<23}  {value}\n")
}

/// A number of bytes, and the same in a larger unit where that is easier to read.
pub struct Bytes(pub usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let unit = if self.0 == 1 { "byte" } else { "bytes" };
        write!(f, "{} {unit}", self.0)?;
        match self.0 as f64 / 1024.0 {
            kib if kib < 10.0 => Ok(()),
            kib if kib < 1024.0 => write!(f, " ({kib:.1} KiB)"),
            kib if kib < 1024.0 * 1024.0 => write!(f, " ({:.1} MiB)", kib / 1024.0),
            kib => write!(f, " ({:.1} GiB)", kib / 1024.0 / 1024.0),
        }
    }
}
