//! Each call of the C ABI on buffers of every kind and with every content: it answers rightly or refuses.

use aether::arena::{self, FREE, Gap, Pair, Plan, Problem, Range, Tensor};
use aether::capi::*;
use aether::dag::Edge;
use aether::islands::Incidence;

mod flow;
mod islands;
mod spaces;

pub use flow::{code, flow_lifetimes};
pub use islands::*;
pub use spaces::plan_spaces;

use crate::bytes::Bytes;
use crate::stage::{Arguments, Done, Place, Stage, sentence};

const MOST: usize = 24;

/// Outputs stay as they are on an error.
fn never(_: Place, _: i32) -> bool {
    false
}

fn tensor(bytes: &mut Bytes) -> Tensor {
    let first_use = bytes.number();
    let last_use = if bytes.one_in(32) { bytes.number() } else { first_use.saturating_add(bytes.below(64)) };
    let alignment = if bytes.one_in(4) { bytes.number() } else { [0, 1, 4, 64][bytes.below(4)] };
    Tensor { size: bytes.number(), alignment, first_use, last_use }
}

pub fn plan_offsets(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let tensors = bytes.list(MOST, tensor);
    let need = aether_plan_offsets_scratch_size(tensors.len());
    let mut stage = Stage::default();
    let (input, offsets, plan) =
        (stage.input(&tensors), stage.output::<usize>(tensors.len()), stage.optional::<Plan>());
    let scratch = stage.scratch(need, &mut bytes);
    let done = stage.play(need, &mut bytes, never, |a| unsafe {
        let count = tensors.len();
        aether_plan_offsets(a.at(input), count, a.at(offsets), a.at(plan), a.at(scratch), a.scratch_size, a.error)
    });
    if done.is_ok() {
        expect_valid(&Problem { tensors: &tensors, ..Problem::default() }, &done.read(offsets), &done.read(plan));
    }
}

/// The checker accepts the plan, and finds its numbers.
fn expect_valid(problem: &Problem, offsets: &[usize], plan: &[Plan]) {
    let pairs = problem.compatible.len() + problem.apart.len();
    let (n, gaps, reserved) = (problem.tensors.len(), problem.gaps.len(), problem.reserved.len());
    let mut words = Vec::with_capacity(arena::check_problem_scratch_size(n, gaps, pairs, reserved) / 8);
    let found = arena::check_problem(problem, offsets, words.spare_capacity_mut()).expect("a valid plan");
    for plan in plan {
        assert_eq!((plan.arena_size, plan.arena_alignment), (found.arena_size, found.arena_alignment));
        assert!(plan.arena_size >= plan.lower_bound && plan.lower_bound >= found.lower_bound);
    }
}

pub fn check_offsets(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let tensors = bytes.list(MOST, tensor);
    let offsets: Vec<usize> = tensors.iter().map(|_| bytes.number()).collect();
    let need = aether_check_offsets_scratch_size(tensors.len());
    let mut stage = Stage::default();
    let (input, at, plan) = (stage.input(&tensors), stage.input(&offsets), stage.optional::<Plan>());
    let scratch = stage.scratch(need, &mut bytes);
    let done = stage.play(need, &mut bytes, never, |a| unsafe {
        aether_check_offsets(a.at(input), tensors.len(), a.at(at), a.at(plan), a.at(scratch), a.scratch_size, a.error)
    });
    if done.is_spoilt {
        return;
    }
    // The same judgement, pair by pair.
    let lies = |i: usize| offsets[i]..offsets[i].saturating_add(tensors[i].size);
    let clash = |i: usize, j: usize| {
        let (a, b) = (&tensors[i], &tensors[j]);
        let meet = a.first_use <= b.last_use && b.first_use <= a.last_use;
        a.size > 0 && b.size > 0 && meet && lies(i).start < lies(j).end && lies(j).start < lies(i).end
    };
    let clashes = (0..tensors.len()).any(|i| (0..i).any(|j| clash(i, j)));
    assert!(!done.is_ok() || !clashes, "a clash was not seen");
    if let (AETHER_ERROR_CLASH, Some(record)) = (done.status, done.record) {
        assert!(clash(record.index, record.other));
    }
}

pub fn peak_live_bytes(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let tensors = bytes.list(MOST, tensor);
    let need = aether_peak_live_bytes_scratch_size(tensors.len());
    let mut stage = Stage::default();
    let (input, peak, node) = (stage.input(&tensors), stage.optional::<usize>(), stage.optional::<usize>());
    let scratch = stage.scratch(need, &mut bytes);
    let done = stage.play(need, &mut bytes, never, |a| unsafe {
        let count = tensors.len();
        aether_peak_live_bytes(a.at(input), count, a.at(peak), a.at(node), a.at(scratch), a.scratch_size, a.error)
    });
    if let (true, [peak]) = (done.is_ok(), &done.read::<usize>(peak)[..]) {
        // A peak is first reached where some tensor begins.
        let live = |node| {
            let alive = tensors.iter().filter(|tensor| tensor.first_use <= node && node <= tensor.last_use);
            alive.map(|tensor| tensor.size).sum::<usize>()
        };
        assert_eq!(*peak, tensors.iter().map(|tensor| live(tensor.first_use)).max().unwrap_or(0));
        done.read(node).iter().filter(|node| **node != usize::MAX).for_each(|&node| assert_eq!(live(node), *peak));
    }
}

/// A struct in as many bytes as its size may ever say.
fn long<T>(record: T) -> Box<[u64]> {
    let mut bytes = vec![0u64; 512].into_boxed_slice();
    assert!(size_of::<T>() <= size_of_val(&*bytes) && align_of::<T>() <= 8);
    // SAFETY: long enough and aligned.
    unsafe { bytes.as_mut_ptr().cast::<T>().write(record) }
    bytes
}

/// A problem and its arrays on the stage.
struct Parts {
    tensors: Vec<Tensor>,
    offsets: [Vec<usize>; 2],
    gaps: Vec<Gap>,
    compatible: Vec<Pair>,
    apart: Vec<Pair>,
    reserved: Vec<Range>,
    capacity: usize,
    struct_size: usize,
    places: [Place; 7],
    need: usize,
}

impl Parts {
    fn put(bytes: &mut Bytes, stage: &mut Stage, query: extern "C" fn(usize, usize, usize, usize) -> usize) -> Parts {
        // Small numbers meet each other; a wild one is mostly refused.
        let is_wild = bytes.one_in(4);
        let number = |bytes: &mut Bytes| if is_wild { bytes.number() } else { bytes.below(20) };
        let tensors = bytes.list(12, |bytes| {
            if is_wild {
                return tensor(bytes);
            }
            let first_use = bytes.below(20);
            let (size, alignment) = (bytes.below(40), [0, 1, 2, 3, 4][bytes.below(5)]);
            Tensor { size, alignment, first_use, last_use: first_use + bytes.below(8) }
        });
        let n = tensors.len();
        let index = |bytes: &mut Bytes| if is_wild { bytes.number() } else { bytes.below(n.max(1)) };
        let offset = |bytes: &mut Bytes| if bytes.one_in(6) { number(bytes) } else { FREE };
        let offsets: [Vec<usize>; 2] =
            [(0..n).map(|_| offset(bytes)).collect(), (0..n).map(|_| offset(bytes)).collect()];
        let gaps = bytes.list(4, |bytes| {
            let tensor = index(bytes);
            let lives =
                tensors.get(tensor).copied().unwrap_or(Tensor { size: 1, alignment: 1, first_use: 0, last_use: 9 });
            let first = if is_wild { bytes.number() } else { lives.first_use + bytes.below(4) };
            let last = first.saturating_add(bytes.below(3));
            let window_begin = bytes.below(lives.size.clamp(1, 200));
            let window_end = window_begin + bytes.below(lives.size.clamp(1, 200) - window_begin + 1);
            Gap { tensor, first, last, window_begin, window_end }
        });
        let compatible = bytes.list(4, |bytes| Pair { a: index(bytes), b: index(bytes) });
        let apart = bytes.list(2, |bytes| Pair { a: index(bytes), b: index(bytes) });
        let reserved = bytes.list(2, |bytes| {
            let begin = number(bytes);
            Range { begin, end: if is_wild { bytes.number() } else { begin + bytes.below(9) } }
        });
        let capacity = if bytes.one_in(3) { bytes.number() } else { 0 };
        let struct_size = if bytes.one_in(32) { bytes.number() } else { size_of::<ProblemRecord>() };
        let places = [
            stage.input(&tensors),
            stage.nullable(&offsets[0]),
            stage.nullable(&offsets[1]),
            stage.input(&gaps),
            stage.input(&compatible),
            stage.input(&apart),
            stage.input(&reserved),
        ];
        let need = query(n, gaps.len(), compatible.len() + apart.len(), reserved.len());
        Parts { tensors, offsets, gaps, compatible, apart, reserved, capacity, struct_size, places, need }
    }

    fn record(&self, a: &Arguments) -> Box<[u64]> {
        let [tensors, fixed, hints, gaps, compatible, apart, reserved] = self.places;
        let record = ProblemRecord {
            struct_size: self.struct_size,
            tensors: a.at(tensors),
            tensor_count: self.tensors.len(),
            fixed_offsets: a.at(fixed),
            hint_offsets: a.at(hints),
            gaps: a.at(gaps),
            gap_count: self.gaps.len(),
            compatible: a.at(compatible),
            compatible_count: self.compatible.len(),
            apart: a.at(apart),
            apart_count: self.apart.len(),
            reserved: a.at(reserved),
            reserved_count: self.reserved.len(),
            capacity: self.capacity,
        };
        long(record)
    }

    /// What was asked, where the struct was read whole.
    fn asked(&self, done: &Done) -> Option<Problem<'_>> {
        let given =
            |place: usize| if done.is_null(self.places[place]) { &[][..] } else { &self.offsets[place - 1][..] };
        (done.is_ok() && self.struct_size >= size_of::<ProblemRecord>()).then_some(Problem {
            tensors: &self.tensors,
            fixed_offsets: given(1),
            hint_offsets: given(2),
            gaps: &self.gaps,
            compatible: &self.compatible,
            apart: &self.apart,
            reserved: &self.reserved,
            capacity: self.capacity,
        })
    }
}

/// A struct_size that is none, or a shorter struct, leads elsewhere than a spoilt buffer would.
fn is_whole(parts: &Parts) -> bool {
    parts.struct_size == size_of::<ProblemRecord>()
}

pub fn plan_portfolio(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut stage = Stage::default();
    let parts = Parts::put(&mut bytes, &mut stage, aether_plan_portfolio_scratch_size);
    let planners = if bytes.one_in(3) { bytes.word() as u32 & 0x7ff } else { 0 };
    let offsets = stage.output::<usize>(parts.tensors.len());
    let outcome = stage.optional::<OutcomeRecord>();
    let scratch = stage.scratch(parts.need, &mut bytes);
    if !is_whole(&parts) {
        stage.expect_nothing();
    }
    let done = stage.play(parts.need, &mut bytes, never, |a| unsafe {
        let record = parts.record(a);
        let problem = record.as_ptr().cast();
        aether_plan_portfolio(problem, planners, a.at(offsets), a.at(outcome), a.at(scratch), a.scratch_size, a.error)
    });
    if let Some(problem) = parts.asked(&done) {
        let plan: Vec<Plan> = done.read::<OutcomeRecord>(outcome).iter().map(|outcome| outcome.plan).collect();
        expect_valid(&problem, &done.read(offsets), &plan);
    }
}

pub fn plan_search(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut stage = Stage::default();
    let parts = Parts::put(&mut bytes, &mut stage, aether_plan_search_scratch_size);
    let (work_limit, seed) = (bytes.below(400) as u64, bytes.seed());
    let offsets = stage.output::<usize>(parts.tensors.len());
    let outcome = stage.optional::<SearchRecord>();
    let scratch = stage.scratch(parts.need, &mut bytes);
    if !is_whole(&parts) {
        stage.expect_nothing();
    }
    let done = stage.play(parts.need, &mut bytes, never, |a| unsafe {
        let record = parts.record(a);
        let (problem, user) = (record.as_ptr().cast(), std::ptr::null_mut());
        let (offsets, outcome, scratch) = (a.at(offsets), a.at(outcome), a.at(scratch));
        let (size, error) = (a.scratch_size, a.error);
        aether_plan_search(problem, work_limit, seed, None, user, offsets, outcome, scratch, size, error)
    });
    if let Some(problem) = parts.asked(&done) {
        let plan: Vec<Plan> = done.read::<SearchRecord>(outcome).iter().map(|found| found.plan).collect();
        expect_valid(&problem, &done.read(offsets), &plan);
    }
}

pub fn check_problem(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut stage = Stage::default();
    let parts = Parts::put(&mut bytes, &mut stage, aether_check_problem_scratch_size);
    let offsets: Vec<usize> = parts.tensors.iter().map(|_| bytes.number()).collect();
    let (at, plan) = (stage.input(&offsets), stage.optional::<Plan>());
    let scratch = stage.scratch(parts.need, &mut bytes);
    if !is_whole(&parts) {
        stage.expect_nothing();
    }
    let done = stage.play(parts.need, &mut bytes, never, |a| unsafe {
        let record = parts.record(a);
        let problem = record.as_ptr().cast();
        aether_check_problem(problem, a.at(at), a.at(plan), a.at(scratch), a.scratch_size, a.error)
    });
    if let (true, [plan]) = (done.is_ok(), &done.read::<Plan>(plan)[..]) {
        assert!(plan.arena_size >= plan.lower_bound);
    }
}

pub fn lower_bound(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut stage = Stage::default();
    let parts = Parts::put(&mut bytes, &mut stage, aether_lower_bound_scratch_size);
    let outputs = [stage.optional::<usize>(), stage.optional::<usize>(), stage.optional::<usize>()];
    let scratch = stage.scratch(parts.need, &mut bytes);
    if !is_whole(&parts) {
        stage.expect_nothing();
    }
    stage.play(parts.need, &mut bytes, never, |a| unsafe {
        let record = parts.record(a);
        let (problem, [bound, peak, node]) = (record.as_ptr().cast(), outputs.map(|output| a.at(output)));
        aether_lower_bound(problem, bound, peak, node, a.at(scratch), a.scratch_size, a.error)
    });
}

pub fn check_arena(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let [arena_size, arena_alignment, lower_bound, peak_live_bytes] = std::array::from_fn(|_| bytes.number());
    let plan = Plan { arena_size, arena_alignment, lower_bound, peak_live_bytes };
    // The arena is not looked at. It is below every buffer.
    let (at, size) = (1 + bytes.below(1 << 12), bytes.number() % (1 << 15));
    let mut stage = Stage::default();
    let input = stage.input(&[plan]);
    let done = stage.play(0, &mut bytes, never, |a| unsafe {
        aether_check_arena(a.at(input), std::ptr::without_provenance(at), size, a.error)
    });
    if done.is_ok() && !done.is_spoilt {
        assert!(size >= arena_size && (arena_size == 0 || at.is_multiple_of(arena_alignment.max(1))));
    }
}

/// Mostly rising edges between few nodes.
fn edges(bytes: &mut Bytes, nodes: usize) -> Vec<Edge> {
    bytes.list(60, |bytes| {
        if bytes.one_in(128) {
            return Edge { from: bytes.word() as u32, to: bytes.number() as u32 };
        }
        let (a, b) = (bytes.below(nodes.max(1)) as u32, bytes.below(nodes.max(1)) as u32);
        if bytes.one_in(128) { Edge { from: a.max(b), to: a.min(b) } } else { Edge { from: a.min(b), to: a.max(b) } }
    })
}

fn nodes(bytes: &mut Bytes) -> usize {
    if bytes.one_in(4) { bytes.below(400) } else { bytes.below(20) }
}

/// Whether a path leads from u to v.
fn reaches(nodes: usize, edges: &[Edge], skip: Option<usize>) -> impl Fn(usize, usize) -> bool {
    let mut closure = vec![false; nodes * nodes];
    (0..nodes).for_each(|node| closure[node * nodes + node] = true);
    let mut rising: Vec<(usize, usize)> = (edges.iter().enumerate())
        .filter(|(i, _)| Some(*i) != skip)
        .map(|(_, edge)| (edge.from as usize, edge.to as usize))
        .collect();
    rising.sort_by_key(|&(from, _)| std::cmp::Reverse(from));
    for (from, to) in rising {
        (0..nodes).for_each(|node| closure[from * nodes + node] |= closure[to * nodes + node]);
    }
    move |from, to| closure[from * nodes + to]
}

pub fn transitive_reduction(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = nodes(&mut bytes);
    let edges = edges(&mut bytes, nodes);
    let need = aether_transitive_reduction_scratch_size(nodes, edges.len());
    let mut stage = Stage::default();
    let (input, keep, kept) = (stage.input(&edges), stage.output::<u8>(edges.len()), stage.optional::<usize>());
    let scratch = stage.scratch(need, &mut bytes);
    let done = stage.play(need, &mut bytes, never, |a| unsafe {
        let (count, scratch) = (edges.len(), a.at(scratch));
        let (input, keep, kept) = (a.at(input), a.at(keep), a.at(kept));
        aether_transitive_reduction(nodes, input, count, keep, kept, scratch, a.scratch_size, a.error)
    });
    if done.is_ok() && nodes <= 40 {
        let keep = done.read::<u8>(keep);
        let is_first = |i: usize| !edges[..i].contains(&edges[i]);
        let distinct: Vec<Edge> = (0..edges.len()).filter(|&i| is_first(i)).map(|i| edges[i]).collect();
        for (i, edge) in edges.iter().enumerate() {
            let at = distinct.iter().position(|other| other == edge);
            let implied = reaches(nodes, &distinct, at)(edge.from as usize, edge.to as usize);
            assert_eq!(keep[i], u8::from(is_first(i) && !implied), "edge {i}");
        }
        let ones = keep.iter().filter(|&&flag| flag == 1).count();
        done.read::<usize>(kept).iter().for_each(|&kept| assert_eq!(kept, ones));
    }
}

pub fn transitive_reduction_ranked(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = nodes(&mut bytes);
    let edges = edges(&mut bytes, nodes);
    let is_wild = bytes.one_in(8);
    let ranks: Vec<i64> =
        (0..nodes).map(|node| if is_wild { bytes.number() as i64 } else { 3 * node as i64 - 50 }).collect();
    let flags: Vec<u8> = edges.iter().map(|_| if is_wild { bytes.byte() } else { bytes.byte() % 3 }).collect();
    let need = aether_transitive_reduction_ranked_scratch_size(nodes, edges.len());
    let mut stage = Stage::default();
    let (given, input, flag) = (stage.nullable(&ranks), stage.input(&edges), stage.nullable(&flags));
    let (keep, kept) = (stage.output::<u8>(edges.len()), stage.optional::<usize>());
    let scratch = stage.scratch(need, &mut bytes);
    let done = stage.play(need, &mut bytes, never, |a| unsafe {
        let (ranks, input, count, flags) = (a.at(given), a.at(input), edges.len(), a.at::<u8>(flag));
        let (keep, kept, scratch, size) = (a.at(keep), a.at(kept), a.at(scratch), a.scratch_size);
        aether_transitive_reduction_ranked(nodes, ranks, input, count, flags, keep, kept, scratch, size, a.error)
    });
    if done.is_ok() {
        let ones = done.read::<u8>(keep).into_iter().inspect(|&flag| assert!(flag <= 1)).filter(|&flag| flag == 1);
        let ones = ones.count();
        done.read::<usize>(kept).iter().for_each(|&kept| assert_eq!(kept, ones));
    }
}

pub fn topological_ranks(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = nodes(&mut bytes);
    let edges = edges(&mut bytes, nodes);
    let room = bytes.below(2 * nodes + 1);
    let need = aether_topological_ranks_scratch_size(nodes, edges.len());
    let mut stage = Stage::default();
    let (input, ranks, cycle) = (stage.input(&edges), stage.output::<i64>(nodes), stage.output::<u32>(room));
    let scratch = stage.scratch(need, &mut bytes);
    let on_cycle = |place: Place, status| place == cycle && status == AETHER_ERROR_CYCLE;
    let done = stage.play(need, &mut bytes, on_cycle, |a| unsafe {
        let (input, ranks, cycle, scratch) = (a.at(input), a.at(ranks), a.at(cycle), a.at(scratch));
        aether_topological_ranks(nodes, input, edges.len(), ranks, cycle, room, scratch, a.scratch_size, a.error)
    });
    if done.is_ok() {
        let ranks = done.read::<i64>(ranks);
        assert!(edges.iter().all(|edge| ranks[edge.from as usize] < ranks[edge.to as usize]));
    } else if let (AETHER_ERROR_CYCLE, Some(record)) = (done.status, done.record)
        && record.got <= room
    {
        let cycle = &done.read::<u32>(cycle)[..record.got];
        let next = cycle.iter().cycle().skip(1);
        assert!(cycle.iter().zip(next).all(|(&from, &to)| edges.contains(&Edge { from, to })));
        assert_eq!(cycle.iter().min().map(|&node| node as usize), Some(record.index));
    }
}

pub fn reachability(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = nodes(&mut bytes);
    let edges = edges(&mut bytes, nodes);
    let need = aether_reachability_scratch_size(nodes);
    let mut stage = Stage::default();
    let (input, matrix) = (stage.input(&edges), stage.output::<u64>(aether_reachability_matrix_size(nodes) / 8));
    let scratch = stage.scratch(need, &mut bytes);
    let done = stage.play(need, &mut bytes, never, |a| unsafe {
        let (input, matrix, scratch) = (a.at(input), a.at(matrix), a.at(scratch));
        aether_reachability(nodes, input, edges.len(), matrix, scratch, a.scratch_size, a.error)
    });
    if done.is_ok() && nodes <= 70 {
        let (matrix, width) = (done.read::<u64>(matrix), nodes.div_ceil(64));
        let leads = reaches(nodes, &edges, None);
        for (from, to) in (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes)) {
            assert_eq!(matrix[from * width + to / 64] >> (to % 64) & 1 == 1, leads(from, to), "{from} to {to}");
        }
    }
}

/// Any record has its sentence and any status its words.
pub fn texts(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let status = if bytes.one_in(4) { bytes.word() as i32 } else { bytes.below(64) as i32 };
    let [index, other, got, limit] = std::array::from_fn(|_| bytes.number());
    sentence(&ErrorRecord { status, reserved: bytes.word() as i32, index, other, got, limit });
    // SAFETY: static storage, ended by a NUL.
    let words = unsafe { std::ffi::CStr::from_ptr(aether_status_string(status)) };
    assert!(!words.is_empty());
}

/// More items than any buffer can have are refused before one is looked at.
pub fn absurd_counts(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let n = (u32::MAX as usize + 1).saturating_add(bytes.number());
    let small = if bytes.one_in(2) { n } else { 0 };
    let place = std::ptr::without_provenance_mut::<u64>(0x1000 + 8 * bytes.below(64));
    let (scratch, size, error) = (place.wrapping_add(0x10000).cast(), bytes.below(3) * 8, std::ptr::null_mut());
    let (tensors, edges, incidences) = (place.cast::<Tensor>(), place.cast::<Edge>(), place.cast::<Incidence>());
    let (words, none) = (place.wrapping_add(0x1000).cast::<usize>(), std::ptr::null_mut::<u8>());
    let (keep, count) = (place.wrapping_add(0x2000).cast::<u8>(), std::ptr::null_mut());
    let record = ProblemRecord {
        struct_size: size_of::<ProblemRecord>(),
        tensors,
        tensor_count: small,
        fixed_offsets: std::ptr::null(),
        hint_offsets: std::ptr::null(),
        gaps: place.cast(),
        gap_count: n,
        compatible: place.cast(),
        compatible_count: small,
        apart: place.cast(),
        apart_count: small,
        reserved: place.cast(),
        reserved_count: small,
        capacity: 0,
    };
    let problem = &raw const record;
    let spaces = SpacesRecord {
        struct_size: size_of::<SpacesRecord>(),
        tensors,
        tensor_count: n,
        spaces: place.cast(),
        space_count: small,
        allowed: std::ptr::null(),
        pinned_spaces: std::ptr::null(),
        fixed_offsets: std::ptr::null(),
        weights: std::ptr::null(),
    };
    let spaces = &raw const spaces;
    let program = ProgramRecord {
        struct_size: size_of::<ProgramRecord>(),
        ops: place.cast(),
        op_count: small,
        value_ops: place.cast(),
        value_count: n,
        allocs: place.cast(),
        alloc_count: small,
        deallocs: place.cast(),
        dealloc_count: small,
        uses: place.cast(),
        use_count: small,
        aliases: place.cast(),
        alias_count: small,
        foreign: place.cast(),
        foreign_count: small,
        min_alignment: 0,
        plan_block: 0,
        space: 0,
    };
    let program = &raw const program;
    // SAFETY: none of these buffers exists; each call must say so without a look at it.
    let statuses = unsafe {
        [
            aether_plan_offsets(tensors, n, words, none.cast(), scratch, size, error),
            aether_check_offsets(tensors, n, words, none.cast(), scratch, size, error),
            aether_peak_live_bytes(tensors, n, none.cast(), none.cast(), scratch, size, error),
            aether_plan_portfolio(problem, 0, words, none.cast(), scratch, size, error),
            aether_check_problem(problem, words, none.cast(), scratch, size, error),
            aether_lower_bound(problem, words, none.cast(), none.cast(), scratch, size, error),
            aether_plan_search(problem, 1, 0, None, none.cast(), words, none.cast(), scratch, size, error),
            aether_transitive_reduction(small, edges, n, keep, count, scratch, size, error),
            aether_transitive_reduction(n, edges, small, keep, count, scratch, size, error),
            aether_topological_ranks(n, edges, small, words.cast(), none.cast(), 0, scratch, size, error),
            aether_reachability(n, edges, small, words.cast(), scratch, size, error),
            aether_islands(n, incidences, small, words.cast(), count, error),
            aether_islands(small, incidences, isize::MAX as usize, words.cast(), count, error),
            aether_plan_spaces(spaces, 1, 0, words.cast(), words, none.cast(), none.cast(), scratch, size, error),
            aether_flow_lifetimes(
                program,
                0,
                tensors.cast(),
                words.cast(),
                keep,
                none.cast(),
                0,
                count,
                scratch,
                size,
                error,
            ),
            aether_islands_begin(n, words.cast(), keep, error),
            aether_islands_merge(n, words.cast(), keep, incidences, small, none, 0, error),
            aether_islands_merge(0, words.cast(), keep, incidences, isize::MAX as usize, none, 0, error),
            aether_islands_merge_many(
                0,
                words.cast(),
                keep,
                words,
                usize::MAX - small % 9,
                none.cast(),
                0,
                none,
                0,
                error,
            ),
            aether_islands_concurrent_merge(n, words.cast(), keep, incidences, small, none, 0, error),
            aether_islands_concurrent_merge_many(n, words.cast(), keep, words, small, none.cast(), 0, none, 0, error),
            aether_islands_root(n, words.cast(), 0, none.cast(), error),
            aether_islands_finish(n, words.cast(), keep, none.cast(), none.cast(), count, none.cast(), error),
            aether_islands_batch(n, 0, incidences, n, words, words.cast(), 0, none, 0, none.cast(), error),
            aether_islands_batch(
                2,
                0,
                incidences,
                0,
                words,
                words.cast(),
                isize::MAX as usize,
                none,
                0,
                none.cast(),
                error,
            ),
            aether_islands_incidence_labels(n, words.cast(), incidences, small, words.cast(), error),
            aether_islands_constraint_labels(n, words.cast(), words, small, words.cast(), 0, words.cast(), error),
            aether_group_by_label(words.cast(), n, 0, none.cast(), none.cast(), none.cast(), none.cast(), count, error),
            aether_group_by_label(
                none.cast(),
                0,
                n,
                words.cast(),
                words.cast(),
                none.cast(),
                none.cast(),
                count,
                error,
            ),
        ]
    };
    for (call, status) in statuses.into_iter().enumerate() {
        assert!((1..=5).contains(&status), "call {call}: {status}");
    }
}

/// Each size query answers any counts, and never less for more.
pub fn scratch_sizes(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let counts: [usize; 6] = std::array::from_fn(|_| bytes.number());
    let mut more = counts;
    let grown = bytes.below(6);
    more[grown] = more[grown].saturating_add(1 + bytes.number() % 1000);
    let sizes = |[a, b, c, d, e, f]: [usize; 6]| {
        [
            aether_plan_offsets_scratch_size(a),
            aether_check_offsets_scratch_size(a),
            aether_peak_live_bytes_scratch_size(a),
            aether_plan_portfolio_scratch_size(a, b, c, d),
            aether_check_problem_scratch_size(a, b, c, d),
            aether_lower_bound_scratch_size(a, b, c, d),
            aether_plan_search_scratch_size(a, b, c, d),
            aether_plan_spaces_scratch_size(a, b),
            aether_flow_lifetimes_scratch_size(a, b, c, d, e, f),
            aether_transitive_reduction_scratch_size(a, b),
            aether_transitive_reduction_ranked_scratch_size(a, b),
            aether_topological_ranks_scratch_size(a, b),
            aether_reachability_matrix_size(a),
            aether_reachability_scratch_size(a),
        ]
    };
    for (query, (less, more)) in sizes(counts).into_iter().zip(sizes(more)).enumerate() {
        assert!(less <= more, "query {query}: {less} for {counts:?}, {more} for more");
        assert!(less == usize::MAX || less.is_multiple_of(8), "query {query}: {less}");
    }
}
