//! The calls into the library, each with the scratch that it asks for.

use aether::Error;
use aether::arena::{self, Outcome, Plan, Problem};

/// The offsets, one a tensor, of the best plan that the planners of the mask find.
pub fn plan(problem: &Problem, planners: u32) -> Result<(Vec<usize>, Outcome), Error> {
    let mut scratch = scratch(arena::plan_portfolio_scratch_size, problem);
    let (offsets, outcome) = arena::plan_portfolio(problem, planners, scratch.spare_capacity_mut())?;
    Ok((offsets.to_vec(), outcome))
}

/// The numbers of a plan, if it is valid.
pub fn check(problem: &Problem, offsets: &[usize]) -> Result<Plan, Error> {
    let mut scratch = scratch(arena::check_problem_scratch_size, problem);
    arena::check_problem(problem, offsets, scratch.spare_capacity_mut())
}

/// The first node at which the most bytes are in use; none where no tensor has bytes.
pub fn peak_node(problem: &Problem) -> Result<Option<usize>, Error> {
    let mut scratch = scratch(arena::lower_bound_scratch_size, problem);
    let limits = arena::lower_bound(problem, scratch.spare_capacity_mut())?;
    // The node alone cannot tell: the last node that there can be has the same number as none.
    Ok(Some(limits.peak_node).filter(|_| limits.peak_live_bytes > 0))
}

fn scratch(size: fn(usize, usize, usize, usize) -> usize, problem: &Problem) -> Vec<u64> {
    let Problem { tensors, gaps, compatible, apart, reserved, .. } = problem;
    let bytes = size(tensors.len(), gaps.len(), compatible.len() + apart.len(), reserved.len());
    Vec::with_capacity(bytes / size_of::<u64>())
}
