//! The calls into the library, each with the scratch that it asks for.

use aether::Error;
use aether::arena::{self, Gap, Outcome, Plan, Problem, Tensor};

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

/// The most bytes in use at one node, and the first node where they are; none where no tensor has bytes.
pub fn peak(problem: &Problem) -> Result<Option<(usize, usize)>, Error> {
    let stretches = stretches(problem.tensors, problem.gaps);
    let mut scratch = words(arena::peak_live_bytes_scratch_size(stretches.len()));
    let peak = arena::peak_live_bytes(&stretches, scratch.spare_capacity_mut())?;
    // The node alone cannot tell: the last node that there can be has the same number as none.
    Ok(Some(peak).filter(|&(bytes, _)| bytes > 0))
}

/// The tensors cut at the ends of their gaps, each piece as large as what is in use; of one tensor no two are alive
/// together. The gaps are sorted by tensor, those of a tensor by time.
fn stretches(tensors: &[Tensor], gaps: &[Gap]) -> Vec<Tensor> {
    let mut stretches = Vec::with_capacity(tensors.len() + 2 * gaps.len());
    let mut gaps = gaps.iter().peekable();
    for (i, tensor) in tensors.iter().enumerate() {
        // The first node that is not covered yet; none after the last that there can be.
        let mut next = Some(tensor.first_use);
        while let Some(gap) = gaps.next_if(|gap| gap.tensor == i) {
            if let Some(first_use) = next.filter(|&first_use| first_use < gap.first) {
                stretches.push(Tensor { first_use, last_use: gap.first - 1, ..*tensor });
            }
            let size = gap.window_end - gap.window_begin;
            stretches.push(Tensor { size, first_use: gap.first, last_use: gap.last, ..*tensor });
            next = gap.last.checked_add(1);
        }
        if let Some(first_use) = next.filter(|&first_use| first_use <= tensor.last_use) {
            stretches.push(Tensor { first_use, ..*tensor });
        }
    }
    stretches
}

fn scratch(size: fn(usize, usize, usize, usize) -> usize, problem: &Problem) -> Vec<u64> {
    let Problem { tensors, gaps, compatible, apart, reserved, .. } = problem;
    words(size(tensors.len(), gaps.len(), compatible.len() + apart.len(), reserved.len()))
}

fn words(bytes: usize) -> Vec<u64> {
    Vec::with_capacity(bytes / size_of::<u64>())
}
