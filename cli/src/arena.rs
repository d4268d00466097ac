//! The calls into the library, each with the scratch that it asks for.

use aether::Error;
use aether::arena::{self, Effort, Found, Limits, Outcome, Plan, Problem};

/// The offsets, one a tensor, of the best plan that the planners of the mask find.
pub fn plan(problem: &Problem, planners: u32) -> Result<(Vec<usize>, Outcome), Error> {
    let mut scratch = scratch(arena::plan_portfolio_scratch_size, problem);
    let (offsets, outcome) = arena::plan_portfolio(problem, planners, scratch.spare_capacity_mut())?;
    Ok((offsets.to_vec(), outcome))
}

/// The offsets, one a tensor, of the smallest arena that a search finds. `progress` is as the library says.
pub fn search(
    problem: &Problem,
    effort: Effort,
    progress: &mut dyn FnMut(&Plan, u64) -> bool,
) -> Result<(Vec<usize>, Found), Error> {
    let mut scratch = scratch(arena::plan_search_scratch_size, problem);
    let (offsets, found) = arena::plan_search(problem, effort, progress, scratch.spare_capacity_mut())?;
    Ok((offsets.to_vec(), found))
}

/// The numbers of a plan, if it is valid. Without gaps the plain form takes less scratch and time.
pub fn check(problem: &Problem, offsets: &[usize]) -> Result<Plan, Error> {
    if problem.gaps.is_empty() {
        let mut scratch = words(arena::check_offsets_scratch_size(problem.tensors.len()));
        return arena::check_offsets(problem.tensors, offsets, scratch.spare_capacity_mut());
    }
    let mut scratch = scratch(arena::check_problem_scratch_size, problem);
    arena::check_problem(problem, offsets, scratch.spare_capacity_mut())
}

/// What no plan of the problem can undercut.
pub fn limits(problem: &Problem) -> Result<Limits, Error> {
    let mut scratch = scratch(arena::lower_bound_scratch_size, problem);
    arena::lower_bound(problem, scratch.spare_capacity_mut())
}

/// The first node at which the most bytes are in use; none where no tensor has bytes.
pub fn peak_node(problem: &Problem) -> Result<Option<usize>, Error> {
    let (bytes, node) = if problem.gaps.is_empty() {
        let mut scratch = words(arena::peak_live_bytes_scratch_size(problem.tensors.len()));
        arena::peak_live_bytes(problem.tensors, scratch.spare_capacity_mut())?
    } else {
        let limits = limits(problem)?;
        (limits.peak_live_bytes, limits.peak_node)
    };
    // The node alone cannot tell: the last node that there can be has the same number as none.
    Ok((bytes > 0).then_some(node))
}

fn scratch(size: fn(usize, usize, usize, usize) -> usize, problem: &Problem) -> Vec<u64> {
    let Problem { tensors, gaps, compatible, apart, reserved, .. } = problem;
    words(size(tensors.len(), gaps.len(), compatible.len() + apart.len(), reserved.len()))
}

pub fn words(bytes: usize) -> Vec<u64> {
    Vec::with_capacity(bytes / size_of::<u64>())
}
