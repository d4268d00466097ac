//! The same input gives the same bytes out: every answer is hashed and compared with the hash in `answers.txt`.
//!
//! The hashes were recorded once, on x86-64. `scripts/determinism` runs this in debug and release, at opt-levels 0 to
//! 3, and on i686. A change that means to give other answers records them anew with AETHER_WRITE_ANSWERS=1, and the
//! difference shows which calls it touched. Three sets of inputs: `instances` are seeded, `traces` recorded, `wide` the
//! recorded ones that need more than 32 bits; where `usize` has 32, those must be refused.

#[path = "common/code.rs"]
mod code;
mod common;
#[path = "common/problems.rs"]
mod problems;
#[path = "common/recorded.rs"]
mod recorded;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use aether::arena::{self, Effort, NO_SPACE, Outcome, Pair, Plan, Problem, Space, SpacesProblem, Tensor};
use aether::dag::{self, Edge};
use aether::flow::Mode;
use aether::islands::{self, Constraints, Forest, Groups, Incidence, Method, Policy, World};
use aether::{Error, Kind};
use code::Code;
use problems::random_case;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use recorded::{hex, numbers};
use sha2::{Digest, Sha256};

const INSTANCES: u64 = 1_000;

/// A hash for each call, over all its answers.
#[derive(Default)]
struct Answers(BTreeMap<&'static str, Sha256>);

impl Answers {
    fn add(&mut self, call: &'static str, numbers: impl IntoIterator<Item = u64>) {
        let hash = self.0.entry(call).or_default();
        numbers.into_iter().for_each(|number| hash.update(number.to_le_bytes()));
    }

    fn add_error(&mut self, call: &'static str, error: &Error) {
        let Error { kind, index, other, got, limit } = *error;
        self.add(call, [kind as u64].into_iter().chain(wide([index, other, got, limit])));
    }

    /// Takes the hashes in as if they were answers.
    fn append(&mut self, other: Answers) {
        for (call, hash) in other.0 {
            self.0.entry(call).or_default().update(hash.finalize());
        }
    }
}

/// Equal on every word size; the largest number stands for "none".
fn wide(numbers: impl IntoIterator<Item = usize>) -> impl Iterator<Item = u64> {
    numbers.into_iter().map(|number| if number == usize::MAX { u64::MAX } else { number as u64 })
}

fn sizes(plan: &Plan) -> impl Iterator<Item = u64> {
    wide([plan.arena_size, plan.arena_alignment, plan.lower_bound, plan.peak_live_bytes])
}

fn words(bytes: usize) -> Vec<u64> {
    Vec::with_capacity(bytes / 8)
}

// One function a topic: runs its calls on an input and adds what they answer.

fn add_tensors(answers: &mut Answers, tensors: &[Tensor], work_limit: u64) {
    let n = tensors.len();
    let mut scratch = words(arena::plan_offsets_scratch_size(n));
    let (offsets, plan) = arena::plan_offsets(tensors, scratch.spare_capacity_mut()).expect("a plan");
    answers.add("plan_offsets", wide(offsets.iter().copied()).chain(sizes(&plan)));
    for (address, size) in [(0, plan.arena_size), (64, plan.arena_size / 2), (8, plan.arena_size)] {
        match plan.check_arena(address, size) {
            Ok(()) => answers.add("check_arena", [0]),
            Err(error) => answers.add_error("check_arena", &error),
        }
    }

    let mut check_scratch = words(arena::check_offsets_scratch_size(n));
    let plan = arena::check_offsets(tensors, offsets, check_scratch.spare_capacity_mut()).expect("a valid plan");
    answers.add("check_offsets", sizes(&plan));
    // Everything at 0 clashes wherever two tensors are alive together.
    match arena::check_offsets(tensors, &vec![0; n], check_scratch.spare_capacity_mut()) {
        Ok(plan) => answers.add("check_offsets", sizes(&plan)),
        Err(error) => answers.add_error("check_offsets", &error),
    }

    let mut scratch = words(arena::peak_live_bytes_scratch_size(n));
    let (peak, node) = arena::peak_live_bytes(tensors, scratch.spare_capacity_mut()).expect("a peak");
    answers.add("peak_live_bytes", wide([peak, node]));

    add_problem(answers, &Problem { tensors, ..Problem::default() }, work_limit);
}

fn add_problem(answers: &mut Answers, problem: &Problem, work_limit: u64) {
    let bytes = |query: fn(usize, usize, usize, usize) -> usize| {
        let pairs = problem.compatible.len() + problem.apart.len();
        words(query(problem.tensors.len(), problem.gaps.len(), pairs, problem.reserved.len()))
    };
    let mut scratch = bytes(arena::plan_portfolio_scratch_size);
    let (offsets, Outcome { plan, verdict, planner }) =
        arena::plan_portfolio(problem, 0, scratch.spare_capacity_mut()).expect("a plan");
    answers.add("plan_portfolio", wide(offsets.iter().copied()).chain(sizes(&plan)));
    answers.add("plan_portfolio", [verdict as u64, planner as u64]);

    let mut scratch = bytes(arena::check_problem_scratch_size);
    let plan = arena::check_problem(problem, offsets, scratch.spare_capacity_mut()).expect("a valid plan");
    answers.add("check_problem", sizes(&plan));

    let mut scratch = bytes(arena::lower_bound_scratch_size);
    let limits = arena::lower_bound(problem, scratch.spare_capacity_mut()).expect("a bound");
    answers.add("lower_bound", wide([limits.lower_bound, limits.peak_live_bytes, limits.peak_node]));

    let mut scratch = bytes(arena::plan_search_scratch_size);
    let effort = Effort { work_limit, seed: 7 };
    let (offsets, found) =
        arena::plan_search(problem, effort, &mut |_, _| false, scratch.spare_capacity_mut()).expect("a plan");
    answers.add("plan_search", wide(offsets.iter().copied()).chain(sizes(&found.plan)));
    answers.add("plan_search", [found.verdict as u64, found.planner as u64, found.stop as u64, found.nodes]);
}

/// `edges` rise in the ids; `renamed` is the same graph with other ids.
fn add_graph(answers: &mut Answers, nodes: usize, edges: &[Edge], renamed: &[Edge], flags: &[u8]) {
    let mut keep = vec![0; edges.len()];
    let mut scratch = words(dag::transitive_reduction_scratch_size(nodes, edges.len()));
    let kept = dag::transitive_reduction(nodes, edges, &mut keep, scratch.spare_capacity_mut()).expect("a reduction");
    answers.add("transitive_reduction", keep.iter().map(|&flag| u64::from(flag)).chain([kept as u64]));

    let (mut ranks, mut cycle) = (vec![0; nodes], vec![0; nodes]);
    let mut scratch = words(dag::topological_ranks_scratch_size(nodes, edges.len() + 1));
    dag::topological_ranks(renamed, &mut ranks, &mut cycle, scratch.spare_capacity_mut()).expect("ranks");
    answers.add("topological_ranks", ranks.iter().map(|&rank| rank as u64));

    let mut scratch = words(dag::transitive_reduction_ranked_scratch_size(nodes, edges.len()));
    let space = scratch.spare_capacity_mut();
    let kept = dag::transitive_reduction_ranked(nodes, Some(&ranks), renamed, Some(flags), &mut keep, space);
    let kept = kept.expect("a reduction");
    answers.add("transitive_reduction_ranked", keep.iter().map(|&flag| u64::from(flag)).chain([kept as u64]));

    if let Some(edge) = renamed.first() {
        let cyclic = [renamed, &[Edge { from: edge.to, to: edge.from }]].concat();
        let mut scratch = words(dag::topological_ranks_scratch_size(nodes, cyclic.len()));
        let error = dag::topological_ranks(&cyclic, &mut ranks, &mut cycle, scratch.spare_capacity_mut());
        let error = error.expect_err("a cycle");
        answers.add("topological_ranks", cycle[..error.got].iter().map(|&node| u64::from(node)));
        answers.add_error("topological_ranks", &error);
    }
    if nodes <= 3_000 {
        let mut matrix = vec![0; nodes * dag::reachability_row_words(nodes)];
        let mut scratch = words(dag::reachability_scratch_size(nodes));
        dag::reachability(nodes, edges, &mut matrix, scratch.spare_capacity_mut()).expect("a closure");
        answers.add("reachability", matrix);
    }
}

/// By every form: the labels are compared, what else a form tells is added.
fn add_islands(answers: &mut Answers, nodes: usize, incidences: &[Incidence]) {
    let mut labels = vec![0; nodes];
    let count = islands::islands(incidences, &mut labels).expect("labels");
    answers.add("islands", labels.iter().map(|&label| label as u64).chain([count as u64]));

    let weights: Vec<i32> = (0..nodes as i32).map(|node| node % 7).collect();
    for (method, has_marks) in [(Method::Fast, false), (Method::Fast, true), (Method::FullCompression, false)] {
        let (mut parents, mut marks, mut found) = (vec![0; nodes], vec![0; nodes], vec![0; nodes]);
        let mut forest = Forest::begin(&mut parents, has_marks.then_some(&mut marks[..])).expect("a forest");
        let policy = Policy { method, ..Policy::default() };
        for piece in incidences.chunks(97) {
            forest.merge(piece, &policy).expect("a merge");
        }
        let totals = forest.finish_into(&mut found, Some(&weights)).expect("labels");
        assert_eq!((&found, totals.islands), (&labels, count));
        answers.add("islands_in_pieces", parents.iter().map(|&parent| parent as u64).chain([totals.weight as u64]));
    }

    for threads in 1..=4 {
        let (mut parents, mut marks) = (vec![0; nodes], vec![0; nodes]);
        let mut forest = Forest::begin(&mut parents, (threads % 2 == 0).then_some(&mut marks[..])).expect("a forest");
        let shared = forest.share();
        std::thread::scope(|scope| {
            for piece in incidences.chunks(incidences.len().div_ceil(threads).max(1)) {
                scope.spawn(move || shared.merge(piece, &Policy::default()).expect("a merge"));
            }
        });
        forest.finish(None).expect("labels");
        assert_eq!(parents, labels, "{threads} threads");
        answers.add("islands_concurrent", parents.iter().map(|&label| label as u64));
    }

    let worlds: Vec<&[Incidence]> = incidences.chunks(incidences.len().div_ceil(3).max(1)).collect();
    let mut found = vec![0; nodes * worlds.len()];
    let batch = worlds.iter().zip(found.chunks_mut(nodes.max(1))).map(|(incidences, labels)| World {
        incidences,
        policy: Policy::default(),
        labels,
    });
    let mut counts = Vec::new();
    islands::islands_of_worlds(batch, |_, count| counts.push(count as u64)).expect("labels");
    answers.add("islands_batch", found.iter().map(|&label| label as u64).chain(counts));

    let (mut counts, mut starts) = (vec![0; count], vec![0; count]);
    let (mut order, mut inverse) = (vec![0; nodes], vec![0; nodes]);
    let groups = Groups { counts: &mut counts, starts: &mut starts, order: &mut order, inverse: &mut inverse };
    let labelled = islands::group_by_label(&labels, groups).expect("groups");
    let maps = [counts, starts, order, inverse].concat();
    answers.add("group_by_label", maps.iter().map(|&item| item as u64).chain([labelled as u64]));

    let ends: Vec<i32> = incidences.iter().flat_map(|i| [i.a, i.b]).collect();
    let offsets: Vec<usize> = (0..=incidences.len() / 2).map(|k| 4 * k).collect();
    let constraints = Constraints { offsets: &offsets, members: &ends };
    let (mut parents, mut found) = (vec![0; nodes], vec![0; offsets.len() - 1]);
    let mut forest = Forest::begin(&mut parents, None).expect("a forest");
    forest.merge_many(constraints, &Policy::default()).expect("a merge");
    forest.finish(None).expect("labels");
    islands::labels_of_many(constraints, &parents, &mut found).expect("labels");
    answers.add("islands_merge_many", parents.iter().chain(&found).map(|&label| label as u64));
    let mut found = vec![0; incidences.len()];
    islands::labels_of(incidences, &labels, &mut found).expect("labels");
    answers.add("islands_incidence_labels", found.iter().map(|&label| label as u64));
}

fn add_flow(answers: &mut Answers, code: &Code) {
    for mode in [Mode::Sound, Mode::Tight, Mode::Compat] {
        let mut scratch = Vec::new();
        let mut flow = match code.try_flow(mode, &mut scratch) {
            Ok(flow) => flow,
            Err(error) => return answers.add_error("flow_lifetimes", &error),
        };
        for (tensor, result) in flow.tensors().iter().zip(flow.results()) {
            answers.add("flow_lifetimes", wide([tensor.size, tensor.alignment, tensor.first_use, tensor.last_use]));
            answers.add("flow_lifetimes", [result.decision as u64, u64::from(result.component)]);
            answers.add("flow_lifetimes", wide([result.blame]));
        }
        answers.add("flow_lifetimes", flow.erasable().iter().map(|&flag| u64::from(flag)));
        let mut pairs = vec![Pair { a: 0, b: 0 }; 100];
        let count = flow.compatible_pairs(&mut pairs);
        answers.add("flow_lifetimes", wide(pairs[..count.min(100)].iter().flat_map(|pair| [pair.a, pair.b])));
    }
}

/// In a fast space of this share of what is needed, one of twice that, and the rest.
fn add_spaces(answers: &mut Answers, tensors: &[Tensor], share: usize, work_limit: u64) {
    let mut scratch = words(arena::peak_live_bytes_scratch_size(tensors.len()));
    let (peak, _) = arena::peak_live_bytes(tensors, scratch.spare_capacity_mut()).expect("a peak");
    let fast = (peak / share).max(1);
    let space = |capacity, cost| Space { capacity, base_alignment: 0, cost };
    let spaces = [space(fast, 1), space(fast.saturating_mul(2), 3), space(i32::MAX as usize, 10)];
    // A quarter may not be in the second space.
    let allowed: Vec<u32> = (0..tensors.len()).map(|i| if i % 4 == 0 { 0b101 } else { 0b111 }).collect();
    let problem = SpacesProblem { tensors, spaces: &spaces, allowed: &allowed, ..SpacesProblem::default() };
    let mut scratch = words(arena::plan_spaces_scratch_size(tensors.len(), spaces.len()));
    let found = match arena::plan_spaces(&problem, work_limit, 7, scratch.spare_capacity_mut()) {
        Ok(found) => found,
        Err(error) => return answers.add_error("plan_spaces", &error),
    };
    let home = |&space: &u32| if space == NO_SPACE { u64::MAX } else { u64::from(space) };
    answers.add("plan_spaces", found.spaces.iter().map(home).chain(wide(found.offsets.iter().copied())));
    for report in found.reports {
        answers.add("plan_spaces", sizes(&report.plan));
        answers.add("plan_spaces", wide([report.free_bytes, report.tightest_node, report.longest_range]));
    }
    let outcome = found.outcome;
    answers.add("plan_spaces", [outcome.verdict as u64, outcome.cost, outcome.cost_bound, outcome.work]);
    answers.add("plan_spaces", wide([outcome.left_out, outcome.largest_left_out]));
}

fn random_tensors(rng: &mut StdRng) -> Vec<Tensor> {
    let count = rng.random_range(0..=150);
    let nodes = rng.random_range(1..=200);
    let longest = rng.random_range(1..=nodes);
    let alignments: &[usize] = [&[1][..], &[64], &[0, 1, 4, 16], &[3, 8]][rng.random_range(0..4)];
    let tensor = |_| {
        let first_use = rng.random_range(0..nodes);
        let last_use = first_use + rng.random_range(0..longest);
        let alignment = alignments[rng.random_range(0..alignments.len())];
        Tensor { size: rng.random_range(0..5_000), alignment, first_use, last_use }
    };
    (0..count).map(tensor).collect()
}

/// A graph whose edges rise, and the same under other ids.
fn random_graph(rng: &mut StdRng) -> (usize, Vec<Edge>, Vec<Edge>, Vec<u8>) {
    let nodes = rng.random_range(2..=150u32);
    let count = rng.random_range(0..=600);
    let edge = |_| {
        let to = rng.random_range(1..nodes);
        Edge { from: rng.random_range(0..to), to }
    };
    let edges: Vec<Edge> = (0..count).map(edge).collect();
    let mut names: Vec<u32> = (0..nodes).collect();
    names.shuffle(rng);
    let rename = |edge: &Edge| Edge { from: names[edge.from as usize], to: names[edge.to as usize] };
    let renamed = edges.iter().map(rename).collect();
    let flags = edges.iter().map(|_| [0, 0, 1, 2][rng.random_range(0..4)]).collect();
    (nodes as usize, edges, renamed, flags)
}

fn random_incidences(rng: &mut StdRng) -> (usize, Vec<Incidence>) {
    let nodes = rng.random_range(1..=300);
    let count = rng.random_range(0..=2 * nodes);
    let incidence = |_| Incidence { a: rng.random_range(0..nodes), b: rng.random_range(-1..nodes) };
    (nodes as usize, (0..count).map(incidence).collect())
}

fn instance(seed: u64) -> Answers {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut answers = Answers::default();
    add_tensors(&mut answers, &random_tensors(&mut rng), 500);
    let kinds = rng.random_range(0..=problems::ALL);
    add_problem(&mut answers, &random_case(&mut rng, 9, 12, kinds).problem(), 500);
    let (nodes, edges, renamed, flags) = random_graph(&mut rng);
    add_graph(&mut answers, nodes, &edges, &renamed, &flags);
    let (nodes, incidences) = random_incidences(&mut rng);
    add_islands(&mut answers, nodes, &incidences);
    add_flow(&mut answers, &code::anything(&mut rng, false));
    add_spaces(&mut answers, &random_tensors(&mut rng), rng.random_range(2..10), 500);
    answers
}

/// The answers on all seeds, found by so many threads at once.
fn instances(threads: u64) -> Answers {
    let found = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let found = &found;
            scope.spawn(move || {
                for seed in (thread..INSTANCES).step_by(threads as usize) {
                    let answers = instance(seed);
                    found.lock().expect("the map").insert(seed, answers);
                }
            });
        }
    });
    let mut all = Answers::default();
    found.into_inner().expect("the map").into_values().for_each(|answers| all.append(answers));
    all
}

/// Compares with the recorded hashes of a set, or records these.
fn compare(set: &str, answers: Answers) {
    static FILE: Mutex<()> = Mutex::new(());
    let _guard = FILE.lock();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/answers.txt");
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    let found: Vec<String> = answers.0.into_iter().map(|(call, hash)| format!("{set} {call} {}", hex(hash))).collect();
    let (these, others): (Vec<&str>, Vec<&str>) =
        recorded.lines().partition(|line| line.split(' ').next() == Some(set));
    if std::env::var_os("AETHER_WRITE_ANSWERS").is_some() {
        let mut lines: Vec<&str> = others.into_iter().chain(found.iter().map(String::as_str)).collect();
        lines.sort_unstable();
        std::fs::write(&path, lines.join("\n") + "\n").expect("the file is written");
        return;
    }
    assert_eq!(found, these, "the answers on {set} differ from tests/answers.txt");
}

#[test]
fn seeded_instances_get_the_recorded_answers_on_one_thread_and_on_four() {
    compare("instances", instances(4));
    compare("instances", instances(1));
}

/// The recorded inputs whose plan is larger than 32 bits can say.
const ABOVE_32_BITS: &[&str] = &[
    "jax-bert-base-train-remat-b16-s512.csv",
    "jax-gpt2-small-train-b4-s512-gradsheld.csv",
    "jax-gpt2-small-train-b4-s512.csv",
    "jax-gpt2-xl-train-b1-s1024.csv",
    "jax-llama2-7b-decode-b8-kv2048-bf16.csv",
    "jax-mistral-7b-train-b1-s512-bf16.csv",
    "jax-resnet50-train-b32.csv",
    "jax-sd15-unet-train-b2.csv",
    "jax-vit-b16-train-b32.csv",
    "Y_1.csv",
    "pangu_2.6B.csv",
];

fn fits_the_word(path: &Path) -> bool {
    let (_, rows) = recorded::table(path);
    let fits = |cell: &String| cell.parse::<u64>().is_err() || cell.parse::<usize>().is_ok();
    rows.iter().flatten().all(fits)
}

fn arena_size(tensors: &[Tensor]) -> Result<usize, Error> {
    let mut scratch = words(arena::plan_offsets_scratch_size(tensors.len()));
    Ok(arena::plan_offsets(tensors, scratch.spare_capacity_mut())?.1.arena_size)
}

fn files(folder: PathBuf) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path()).collect();
    files.sort();
    files
}

#[test]
fn recorded_inputs_get_the_recorded_answers_and_are_refused_where_they_do_not_fit_the_word() {
    let Some(traces) = common::traces() else { return };
    let (mut narrow, mut beyond) = (Answers::default(), Answers::default());
    let (mut seen, mut above_32_bits) = (0, Vec::new());
    for (folder, alignment) in [("models", 1), ("minimalloc", 1), ("mlir", 64), ("idealloc", 1)] {
        for path in files(traces.join(folder)) {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let is_input = name.ends_with(".csv") && recorded::table(&path).0.iter().any(|cell| cell == "lower");
            if !is_input {
                continue;
            }
            seen += 1;
            // What has a plan above 32 bits must be refused where the word has no more, if it can be asked at all.
            let arena = fits_the_word(&path).then(|| arena_size(&recorded::tensors(&path, alignment)));
            match arena {
                Some(Ok(arena)) if arena as u64 <= u32::MAX as u64 => {
                    let tensors = recorded::tensors(&path, alignment);
                    add_tensors(&mut narrow, &tensors, 2_000);
                    // Planning in spaces looks at all tensors that are alive with each.
                    if tensors.len() < 3_000 {
                        add_spaces(&mut narrow, &tensors, 4, 2_000);
                    }
                    continue;
                }
                Some(Ok(_)) => add_tensors(&mut beyond, &recorded::tensors(&path, alignment), 2_000),
                Some(Err(error)) => assert_eq!((error.kind, usize::BITS), (Kind::ArenaOverflow, 32), "{name}"),
                None => assert_eq!(usize::BITS, 32, "{name}"),
            }
            above_32_bits.push(name);
        }
    }
    assert_eq!(above_32_bits, ABOVE_32_BITS);
    assert_eq!(seen, 90 + 12 + 11 + 5);
    for (known, edges) in files(traces.join("dag")).iter().filter_map(|path| recorded::graph(path)) {
        let nodes = known["n"].parse().expect("a number");
        let last = nodes as u32 - 1;
        let reversed: Vec<Edge> =
            edges.iter().map(|edge| Edge { from: last - edge.from, to: last - edge.to }).collect();
        let flags: Vec<u8> = (0..edges.len()).map(|i| [0, 0, 1, 2][i % 4]).collect();
        add_graph(&mut narrow, nodes, &edges, &reversed, &flags);
    }
    for path in files(traces.join("mujoco")) {
        if path.to_string_lossy().ends_with(".inc.csv") {
            let text = std::fs::read_to_string(&path).expect("incidences");
            let nodes = recorded::header_fields(text.lines().take(1))["ntree"].parse().expect("a number");
            // The last two columns are the ends; a batch has its world before them, and its worlds are taken as one.
            let ends = |row: Vec<i32>| Incidence { a: row[row.len() - 2], b: row[row.len() - 1] };
            let incidences: Vec<Incidence> = text.lines().skip(1).map(numbers).map(ends).collect();
            add_islands(&mut narrow, nodes, &incidences);
        }
    }
    compare("traces", narrow);
    if usize::BITS > 32 {
        compare("wide", beyond);
    }
}
