//! `cargo bench --bench islands [-- GROUP...]`: islands against a faithful form of MuJoCo's disjoint set and petgraph's
//! `UnionFind`, in one run; and the README's table of memory.
//!
//! Timed is all that a caller pays: the initial forest, the merges with their checks, canonical labels. The runs of all
//! forms alternate, and between two of a form come the other cases of its group, so that no small case is timed with a
//! predictor trained on it alone; a case is repeated until it has some thousand incidences. The figures are medians and
//! their ratios; of the scenes, which take nanoseconds, also the instructions, where valgrind is installed.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "reference/instructions.rs"]
mod instructions;
#[path = "reference/mujoco.rs"]
mod mujoco;

use std::hint::black_box;
use std::time::Instant;

use aether::islands::{Forest, Groups, Incidence, Policy, group_by_label, islands, labels_of};
use petgraph::unionfind::UnionFind;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let groups: [(&str, fn()); 3] = [("scenes", scenes), ("synthetic", synthetic), ("memory", memory)];
    if let Some(unknown) = wanted.iter().find(|word| groups.iter().all(|(name, _)| name != word)) {
        eprintln!("there is no group {unknown:?}; the groups are {}", groups.map(|(name, _)| name).join(", "));
        std::process::exit(2);
    }
    for (_, run) in groups.iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|word| word == name)) {
        run();
    }
}

struct Case {
    name: String,
    nodes: usize,
    pairs: Vec<(i32, i32)>,
}

impl Case {
    /// What grouping sorts.
    fn items(&self) -> f64 {
        (self.nodes + self.pairs.len()) as f64
    }
}

// ---- groups -----------------------------------------------------------------------------------------------------

fn scenes() {
    let Some(traces) = common::traces() else { return };
    let mut cases = Vec::new();
    let mut paths: Vec<_> =
        std::fs::read_dir(traces.join("mujoco")).expect("scenes").map(|at| at.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".inc.csv").filter(|name| !name.starts_with("warp")) else { continue };
        let text = std::fs::read_to_string(&path).expect("a scene");
        let trees = text.split("ntree=").nth(1).and_then(|rest| rest.split(',').next()).expect("ntree");
        let pair = |line: &str| line.split_once(',').map(|(a, b)| (a.parse().unwrap(), b.parse().unwrap()));
        let pairs: Vec<(i32, i32)> = text.lines().skip(1).filter_map(pair).collect();
        if !pairs.is_empty() {
            cases.push(Case { name: name.to_string(), nodes: trees.parse().unwrap(), pairs });
        }
    }
    if instructions::asked() {
        return count(&cases);
    }
    let nanoseconds = time(&cases, 301);
    show("recorded scenes: ns", &cases, &nanoseconds);
    sum_up(&cases, &nanoseconds);
    let above = |(case, figures): &(&Case, &Figures)| figures[GROUPING] > 2.5 * case.items();
    let above = cases.iter().zip(&nanoseconds).filter(above).count();
    println!("grouping above 2.5 ns for an incidence or node (goal 0): {above}");
    match instructions::of_this_program(&["scenes"]) {
        Err(reason) => println!("skipped: instructions; {reason}"),
        Ok(counts) => {
            let counts: Vec<Figures> =
                counts.as_chunks().0.iter().map(|counts| counts.map(|count| count as f64)).collect();
            show("recorded scenes: instructions", &cases, &counts);
            sum_up(&cases, &counts);
        }
    }
}

fn synthetic() {
    let mut random = StdRng::seed_from_u64(7);
    const MILLION: i32 = 1_000_000;
    let mut cases = Vec::new();
    let mut add = |name: &str, nodes: i32, pairs: Vec<(i32, i32)>| {
        cases.push(Case { name: name.to_string(), nodes: nodes as usize, pairs });
    };
    let any = (0..2 * MILLION).map(|_| (random.random_range(0..MILLION), random.random_range(0..MILLION))).collect();
    add("random", MILLION, any);
    let chain: Vec<(i32, i32)> = (1..MILLION).map(|x| (x - 1, x)).collect();
    add("chain, ascending", MILLION, chain.clone());
    add("chain, descending", MILLION, chain.iter().rev().copied().collect());
    let mut shuffled = chain.clone();
    shuffled.shuffle(&mut random);
    add("chain, random order", MILLION, shuffled.clone());
    let mut names: Vec<i32> = (0..MILLION).collect();
    names.shuffle(&mut random);
    add("chain, relabelled", MILLION, shuffled.iter().map(|&(a, b)| (names[a as usize], names[b as usize])).collect());
    let side = 1_000;
    let mut grid: Vec<(i32, i32)> = (0..MILLION)
        .flat_map(|x| [(x % side + 1 < side).then_some((x, x + 1)), (x + side < MILLION).then_some((x, x + side))])
        .flatten()
        .collect();
    add("grid, ordered", MILLION, grid.clone());
    grid.shuffle(&mut random);
    add("grid, shuffled", MILLION, grid);
    let mut pairs: Vec<(i32, i32)> = (0..2 * MILLION).map(|x| (2 * x, 2 * x + 1)).collect();
    add("pairs, ordered", 4 * MILLION, pairs.clone());
    pairs.shuffle(&mut random);
    add("pairs, shuffled", 4 * MILLION, pairs);
    let mut ends: Vec<i32> = (0..4 * MILLION).collect();
    ends.shuffle(&mut random);
    add("pairs, random ends", 4 * MILLION, ends.chunks(2).map(|ends| (ends[0], ends[1])).collect());
    for levels in [12, 16, 19] {
        let (nodes, pairs) = adversary(levels);
        add(&format!("adversary, 2^{levels}"), nodes, pairs);
    }
    // One after another, as each takes hundreds of megabytes.
    let figures: Vec<Figures> = cases.iter().flat_map(|case| time(std::slice::from_ref(case), 31)).collect();
    show("synthetic: ns", &cases, &figures);
}

/// A binomial tree over the upper half of the nodes; then again and again its deepest node meets the next smaller one
/// of the lower half. A find that compresses its path only builds as deep a tree anew below the new root.
fn adversary(levels: u32) -> (i32, Vec<(i32, i32)>) {
    let half = 1 << levels;
    let mut pairs = Vec::new();
    let mut children = vec![Vec::new(); 2 * half];
    let mut heights = vec![0; 2 * half];
    for step in (0..levels).map(|level| 1 << level) {
        for x in (half..2 * half).step_by(2 * step) {
            pairs.push((x as i32, (x + step) as i32));
            children[x].push(x + step);
            heights[x] += 1;
        }
    }
    let mut root = half;
    for next in (0..half).rev() {
        let mut path = vec![root];
        while let Some(&child) = children[path[path.len() - 1]].iter().max_by_key(|&&child| heights[child]) {
            path.push(child);
        }
        pairs.push((path[path.len() - 1] as i32, next as i32));
        for step in path[1..].windows(2) {
            children[step[0]].retain(|&child| child != step[1]);
            children[root].push(step[1]);
        }
        for &x in path[1..].iter().chain(&[root]) {
            heights[x] = children[x].iter().map(|&child| heights[child] + 1).max().unwrap_or(0);
        }
        children[next].push(root);
        heights[next] = heights[root] + 1;
        root = next;
    }
    (2 * half as i32, pairs)
}

// ---- forms ------------------------------------------------------------------------------------------------------

/// Each form is a function of its own and called through this table, so that none pays for another's registers.
const FORMS: [(&str, Form); 7] = [
    ("MuJoCo", mujoco_inlined),
    ("labels", labels_only),
    ("marks", with_marks),
    ("petgraph", petgraph_islands),
    ("called", mujoco_called),
    ("grouping", grouping),
    ("least", least),
];

const MUJOCO: usize = 0;
const LABELS: usize = 1;
const MARKS: usize = 2;
const PETGRAPH: usize = 3;
const CALLED: usize = 4;
const GROUPING: usize = 5;
const LEAST: usize = 6;

type Form = fn(&mut Forms, &[(i32, i32)]) -> usize;

struct Forms {
    parents: Vec<i32>,
    labels: Vec<i32>,
    marks: Vec<u8>,
    of_incidences: Vec<i32>,
    incidences: Vec<Incidence>,
    /// Of each island, as many as there are.
    counts: Vec<i32>,
    starts: Vec<i32>,
    order_of_nodes: Vec<i32>,
    order_of_incidences: Vec<i32>,
}

impl Forms {
    fn new(case: &Case) -> Forms {
        let (nodes, pairs) = (case.nodes, case.pairs.len());
        Forms {
            parents: vec![0; nodes],
            labels: vec![0; nodes],
            marks: vec![0; nodes],
            of_incidences: vec![0; pairs],
            incidences: case.pairs.iter().map(|&(a, b)| Incidence { a, b }).collect(),
            counts: Vec::new(),
            starts: Vec::new(),
            order_of_nodes: vec![0; nodes],
            order_of_incidences: vec![0; pairs],
        }
    }
}

fn mujoco_inlined(forms: &mut Forms, pairs: &[(i32, i32)]) -> usize {
    forms.parents.fill(-1);
    mujoco::merge_all(pairs, &mut forms.parents);
    mujoco::assign(&mut forms.parents, &mut forms.labels)
}

fn mujoco_called(forms: &mut Forms, pairs: &[(i32, i32)]) -> usize {
    forms.parents.fill(-1);
    mujoco::merge_each(pairs, &mut forms.parents);
    mujoco::assign(&mut forms.parents, &mut forms.labels)
}

fn labels_only(forms: &mut Forms, _: &[(i32, i32)]) -> usize {
    islands(&forms.incidences, &mut forms.parents).expect("good incidences")
}

fn with_marks(forms: &mut Forms, _: &[(i32, i32)]) -> usize {
    let mut forest = Forest::begin(&mut forms.parents, Some(&mut forms.marks)).expect("a forest");
    forest.merge(&forms.incidences, &Policy::default()).expect("good incidences");
    forest.finish(None).expect("labels").islands
}

/// The nodes and the incidences of each island, where the nodes have their labels.
fn grouping(forms: &mut Forms, _: &[(i32, i32)]) -> usize {
    let Forms { labels, of_incidences, incidences, counts, starts, order_of_nodes, order_of_incidences, .. } = forms;
    let groups = Groups { counts, starts, order: order_of_nodes, inverse: &mut [] };
    let nodes = group_by_label(labels, groups).expect("groups");
    labels_of(incidences, labels, of_incidences).expect("labels");
    let groups = Groups { counts, starts, order: order_of_incidences, inverse: &mut [] };
    nodes + group_by_label(of_incidences, groups).expect("groups")
}

/// No form does less: the initial array, a look at each incidence, a sweep. It finds no island.
fn least(forms: &mut Forms, _: &[(i32, i32)]) -> usize {
    let labels = &mut forms.parents[..];
    labels.fill(-1);
    labels[0] = black_box(forms.incidences.iter().fold(0, |all, &Incidence { a, b }| all ^ a ^ b));
    let mut count = 0;
    for (x, label) in (0..).zip(labels) {
        if *label == x {
            *label = count;
            count += 1;
        }
    }
    count as usize
}

/// As a caller uses it who needs labels in the order of the smallest members, and -1 for untouched nodes.
fn petgraph_islands(forms: &mut Forms, pairs: &[(i32, i32)]) -> usize {
    let labels = &mut forms.parents;
    let mut sets = UnionFind::<u32>::new(labels.len());
    labels.fill(-1);
    for &(a, b) in pairs {
        for x in [a, b].into_iter().filter(|&x| x >= 0) {
            labels[x as usize] = 0;
        }
        if a >= 0 && b >= 0 {
            sets.union(a as u32, b as u32);
        }
    }
    let mut numbers = vec![-1; labels.len()];
    let mut count = 0;
    for (label, root) in labels.iter_mut().zip(sets.into_labeling()).filter(|(label, _)| **label == 0) {
        let number = &mut numbers[root as usize];
        if *number < 0 {
            *number = count;
            count += 1;
        }
        *label = *number;
    }
    count as usize
}

// ---- measuring --------------------------------------------------------------------------------------------------

type Figures = [f64; FORMS.len()];

/// Arrays for each case, after all forms gave the same labels.
fn prepare(cases: &[Case]) -> Vec<Forms> {
    let mut all: Vec<Forms> = cases.iter().map(Forms::new).collect();
    for (case, forms) in cases.iter().zip(&mut all) {
        let islands = mujoco::islands(&case.pairs, &mut forms.parents, &mut forms.labels);
        (forms.counts, forms.starts) = (vec![0; islands], vec![0; islands]);
        let labels = forms.labels.clone();
        for (name, run) in &FORMS[1..4] {
            assert_eq!(run(forms, &case.pairs), islands, "{}: {name}", case.name);
            assert!(forms.parents == labels, "{}: the labels of {name} differ", case.name);
        }
    }
    all
}

/// The median nanoseconds of each form on each case.
fn time(cases: &[Case], laps: usize) -> Vec<Figures> {
    let mut forms = prepare(cases);
    let repeats: Vec<usize> = cases.iter().map(|case| 1 + 2_000 / (case.pairs.len() + case.nodes)).collect();
    let mut times = vec![[const { Vec::new() }; FORMS.len()]; cases.len()];
    for _ in 0..laps {
        for (form, (_, run)) in FORMS.iter().enumerate() {
            for (c, case) in cases.iter().enumerate() {
                let began = Instant::now();
                (0..repeats[c]).for_each(|_| {
                    black_box(run(&mut forms[c], &case.pairs));
                });
                times[c][form].push(began.elapsed().as_secs_f64() * 1e9 / repeats[c] as f64);
            }
        }
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    times.into_iter().map(|times| times.map(median)).collect()
}

/// The instructions of each form on each case, to the run that counts them.
fn count(cases: &[Case]) {
    for (case, forms) in cases.iter().zip(&mut prepare(cases)) {
        FORMS.iter().for_each(|(_, run)| instructions::count(&mut || run(forms, &case.pairs)));
    }
}

fn show(title: &str, cases: &[Case], figures: &[Figures]) {
    println!("\n== {title} an incidence, and how many times as much MuJoCo's takes, inlined and called");
    let names = FORMS.map(|(form, _)| format!("{form:>9}")).join("");
    println!(
        "{:<32} {:>8} {:>8}{names}  labels  marks  petgraph  called/labels  called/marks  grouping, an item",
        "case", "nodes", "inc."
    );
    for (case, figures) in cases.iter().zip(figures) {
        let cells = figures.map(|figure| format!("{:>9.2}", figure / case.pairs.len() as f64)).join("");
        println!(
            "{:<32} {:>8} {:>8}{cells}  {:>6.2} {:>6.2} {:>9.2} {:>14.2} {:>13.2} {:>18.2}",
            case.name,
            case.nodes,
            case.pairs.len(),
            figures[MUJOCO] / figures[LABELS],
            figures[MUJOCO] / figures[MARKS],
            figures[MUJOCO] / figures[PETGRAPH],
            figures[CALLED] / figures[LABELS],
            figures[CALLED] / figures[MARKS],
            figures[GROUPING] / case.items()
        );
    }
}

fn sum_up(cases: &[Case], figures: &[Figures]) {
    let slower = |form: usize| figures.iter().filter(|figures| figures[form] > 1.1 * figures[CALLED]).count();
    println!("more than 10 % above MuJoCo's, called (goal 0): {} labels, {} marks", slower(LABELS), slower(MARKS));
    let mean = |least: usize, most: usize, over: usize, under: usize| {
        let chosen = cases.iter().zip(figures).filter(|(case, _)| (least..=most).contains(&case.pairs.len()));
        let logs: Vec<f64> = chosen.map(|(_, figures)| (figures[over] / figures[under]).ln()).collect();
        (logs.len(), (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    };
    // With so few incidences little but the calls counts, and with so many the calls do not.
    const FEW: usize = 6;
    const MANY: usize = 100;
    let (count, ratio) = mean(1, FEW, CALLED, LEAST);
    println!("of {count} with at most {FEW} incidences: MuJoCo's, called, takes {ratio:.2} times the least");
    for least in [MANY, 1] {
        let [called, inlined] =
            [CALLED, MUJOCO].map(|over| [LABELS, MARKS].map(|under| mean(least, usize::MAX, over, under).1));
        let (count, petgraph) = mean(least, usize::MAX, MUJOCO, PETGRAPH);
        println!(
            "geometric mean of {count} with {least} incidences or more: called: labels {:.2} (goal 1.5), \
             marks {:.2} (goal 2); inlined: labels {:.2}, marks {:.2}, petgraph {petgraph:.2}",
            called[0], called[1], inlined[0], inlined[1]
        );
    }
}

// ---- memory -----------------------------------------------------------------------------------------------------

/// The singleton family: trees of six degrees of freedom, each tied to the world by one connect, which has three rows.
fn memory() {
    println!("\n== bytes for n trees that are each an island of their own");
    println!("{:<60} {:>12} {:>12} {:>12} {:>12}", "", 64, 256, 1_024, 4_096);
    let row = |what: &str, bytes: &dyn Fn(usize) -> usize| {
        let cells = [64, 256, 1_024, 4_096].map(|trees| format!(" {:>12}", bytes(trees))).join("");
        println!("{what:<60}{cells}");
    };
    row("MuJoCo before #3396: tree by tree, scratch", &|n| 5 * n * n + 36 * n + 32);
    row("MuJoCo, the change as published: forest, scratch", &|n| 16 * n + 32);
    row("MuJoCo 4.0.0 as measured: forest and row trees, scratch", &|n| 28 * n + 32);
    row("aether: labels, which are the forest", &|n| labels_and_maps(n).0);
    row("aether: labels and marks", &|n| labels_and_maps(n).0 + n);
    row("aether: labels and MuJoCo's maps of trees, dofs and rows", &|n| labels_and_maps(n).1);
}

/// The bytes of all arrays that the calls were given, for labels alone and with all maps.
fn labels_and_maps(trees: usize) -> (usize, usize) {
    let incidences: Vec<Incidence> = (0..trees as i32).map(|tree| Incidence { a: tree, b: -1 }).collect();
    let mut labels = vec![0; trees];
    let mut forest = Forest::begin(&mut labels, None).expect("a forest");
    forest.merge(&incidences, &Policy::default()).expect("good incidences");
    let islands = forest.finish(None).expect("labels").islands;
    assert_eq!(islands, trees);
    let mut maps = 0;
    let mut group = |labels: &[i32], has_inverse: bool| {
        let (mut counts, mut starts) = (vec![0; islands], vec![0; islands]);
        let (mut order, mut inverse) = (vec![0; labels.len()], vec![0; if has_inverse { labels.len() } else { 0 }]);
        let arrays = [labels, &counts, &starts, &order, &inverse].map(size_of_val);
        maps += arrays.iter().sum::<usize>();
        let groups = Groups { counts: &mut counts, starts: &mut starts, order: &mut order, inverse: &mut inverse };
        group_by_label(labels, groups).expect("groups");
    };
    let of_each = |items: usize| labels.iter().flat_map(|&label| vec![label; items]).collect::<Vec<i32>>();
    group(&labels, false);
    group(&of_each(6), true);
    group(&of_each(3), true);
    (size_of_val(&labels[..]), maps)
}
