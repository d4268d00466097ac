//! Real inputs with known answers; skipped aloud where they are absent.

mod common;
#[path = "common/recorded.rs"]
mod recorded;
#[path = "../benches/reference/xnnpack.rs"]
mod xnnpack;

use std::collections::HashMap;

use aether::arena::{self, Plan, Planner, Problem, Tensor};
use aether::dag;
use aether::islands::{Incidence, islands};
use common::traces;
use recorded::{graph, header_fields, hex, numbers, table, tensors};
use sha2::{Digest, Sha256};
use xnnpack::{Usage, Version};

fn plan(tensors: &[Tensor]) -> (Vec<usize>, Plan) {
    let mut words = Vec::with_capacity(arena::plan_offsets_scratch_size(tensors.len()) / 8);
    let (offsets, plan) = arena::plan_offsets(tensors, words.spare_capacity_mut()).expect("a plan");
    let offsets = offsets.to_vec();
    assert_eq!(check(tensors, &offsets), plan, "the checker agrees with the planner");
    (offsets, plan)
}

fn check(tensors: &[Tensor], offsets: &[usize]) -> Plan {
    let mut words = Vec::with_capacity(arena::check_offsets_scratch_size(tensors.len()) / 8);
    arena::check_offsets(tensors, offsets, words.spare_capacity_mut()).expect("a valid plan")
}

fn usages(tensors: &[Tensor]) -> Vec<Usage> {
    tensors.iter().map(|t| Usage::new(t.size, t.first_use, t.last_use)).collect()
}

#[test]
fn every_network_needs_the_arena_that_xnnpack_needs() {
    let Some(traces) = traces() else { return };
    let (_, rows) = table(&traces.join("models/manifest.csv"));
    assert_eq!(rows.len(), 90);
    for row in rows {
        let tensors = tensors(&traces.join("models").join(&row[0]), 1);
        let (offsets, plan) = plan(&tensors);
        assert_eq!(plan.peak_live_bytes.to_string(), row[3], "{}", row[0]);
        assert_eq!(plan.arena_size.to_string(), row[4], "{}", row[0]);
        assert_eq!(offsets, xnnpack::plan(&usages(&tensors), Version::After10801).0, "{}", row[0]);
    }
}

/// The largest takes XNNPACK's planner some ten seconds.
#[test]
fn every_other_recorded_input_gets_the_offsets_of_xnnpack() {
    let Some(traces) = traces() else { return };
    let mut compared = 0;
    for folder in ["minimalloc", "mlir", "idealloc"] {
        for entry in std::fs::read_dir(traces.join(folder)).expect(folder) {
            let path = entry.expect("a file").path();
            if path.extension().is_none_or(|extension| extension != "csv") {
                continue;
            }
            let tensors = tensors(&path, 1);
            let offsets = xnnpack::plan(&usages(&tensors), Version::After10801).0;
            assert_eq!(plan(&tensors).0, offsets, "{}", path.display());
            compared += 1;
        }
    }
    assert_eq!(compared, 12 + 11 + 5);
}

/// The published saving of the change depends on how `qsort` leaves tensors of equal size, so the order is given.
#[test]
fn the_published_saving_on_mobilenet_v1_is_reproduced_in_its_placement_order() {
    let Some(traces) = traces() else { return };
    let (_, orders) = table(&traces.join("models/tie-order-unstable.csv"));
    for (file, before, after) in
        [("xnn-fp32-mobilenet-v1.csv", 6_422_528, 4_816_896), ("xnn-fp16-mobilenet-v1.csv", 3_813_376, 2_408_448)]
    {
        let path = traces.join("models").join(file);
        let ids: Vec<String> = table(&path).1.into_iter().map(|row| row[0].clone()).collect();
        let order = &orders.iter().find(|row| row[0] == file).expect(file)[1];
        let row_of = |id| ids.iter().position(|other| other == id).expect("an id of the file");
        let rows = tensors(&path, 1);
        // Equal sizes are placed in input order, so this input order is that placement order.
        let placed: Vec<Tensor> = order.split(' ').map(|id| rows[row_of(id)]).collect();
        assert_eq!(plan(&placed).1.arena_size, after, "{file}");
        assert_eq!(xnnpack::plan(&usages(&placed), Version::After10801).1, after, "{file}");
        assert_eq!(xnnpack::plan(&usages(&placed), Version::Before10801).1, before, "{file}");
    }
    assert_eq!(6_422_528 - 4_816_896, 1_605_632);
    // MiB of every allocation, as published; the arena is the only part that changed.
    let (before, after): (f64, f64) = (23.862980, 22.331730);
    assert_eq!(format!("{:.2} %", (before - after) / before * 100.0), "6.42 %");
    assert_eq!(((before - after) * 1024.0 * 1024.0).round() as usize, 1_605_632);
}

#[test]
fn the_published_hard_instances_need_the_known_arenas() {
    let Some(traces) = traces() else { return };
    for (file, arena_size) in [
        ("minimalloc/A.1048576.csv", 1_374_208),
        ("minimalloc/B.1048576.csv", 1_432_576),
        ("minimalloc/C.1048576.csv", 1_417_216),
        ("minimalloc/D.1048576.csv", 1_339_392),
        ("minimalloc/E.1048576.csv", 1_513_472),
        ("minimalloc/F.1048576.csv", 1_433_600),
        ("minimalloc/G.1048576.csv", 1_459_200),
        ("minimalloc/H.1048576.csv", 1_355_776),
        ("minimalloc/I.1048576.csv", 1_478_656),
        ("minimalloc/J.1048576.csv", 1_350_656),
        ("minimalloc/K.1048576.csv", 1_391_616),
        ("idealloc/resnet50.csv", 1_525_964_460),
        ("idealloc/G_1.csv", 3_034_387_587),
        ("idealloc/pangu_2.6B.csv", 5_572_042_819),
        ("idealloc/S_1.csv", 1_599_486_792),
        ("idealloc/Y_1.csv", 499_589_795_678),
    ] {
        assert_eq!(plan(&tensors(&traces.join(file), 1)).1.arena_size, arena_size, "{file}");
    }
}

#[test]
fn the_bound_counts_the_padding_that_alignment_forces() {
    let Some(traces) = traces() else { return };
    for (file, bound, peak) in [("zfnet512", 18_629_520, 18_629_428), ("inception_v1", 9_389_776, 9_389_656)] {
        let plan = plan(&tensors(&traces.join(format!("mlir/{file}.csv")), 64)).1;
        assert_eq!((plan.lower_bound, plan.peak_live_bytes, plan.arena_alignment), (bound, peak, 64), "{file}");
    }
}

#[test]
fn the_checker_accepts_plans_that_others_made() {
    let Some(traces) = traces() else { return };
    let mut plans = 0;
    for entry in std::fs::read_dir(traces.join("best-known")).expect("best-known") {
        let path = entry.expect("a file").path();
        let (header, rows) = table(&path);
        let column = header.iter().position(|cell| cell == "offset").expect("offset");
        let offsets: Vec<usize> = rows.iter().map(|row| row[column].parse().expect("a number")).collect();
        let plan = check(&tensors(&path, 1), &offsets);
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(name.ends_with(&format!(".{}", plan.arena_size)), "{name}: {}", plan.arena_size);
        assert_eq!(plan.arena_size, plan.lower_bound, "{name}");
        plans += 1;
    }
    assert_eq!(plans, 11);
}

#[test]
fn every_recorded_graph_reduces_to_the_known_edges() {
    let Some(traces) = traces() else { return };
    let mut graphs = 0;
    for entry in std::fs::read_dir(traces.join("dag")).expect("dag") {
        let path = entry.expect("a file").path();
        let Some((known, edges)) = graph(&path) else { continue };
        let nodes: usize = known["n"].parse().expect("a number");
        assert_eq!(edges.len().to_string(), known["m"]);

        let mut words = Vec::with_capacity(dag::transitive_reduction_scratch_size(nodes, edges.len()) / 8);
        let mut keep = vec![0; edges.len()];
        dag::transitive_reduction(nodes, &edges, &mut keep, words.spare_capacity_mut()).expect("a reduction");
        let kept = edges.iter().zip(&keep).filter(|(_, keep)| **keep == 1).map(|(edge, _)| edge);
        let text: String = kept.map(|edge| format!("{} {}\n", edge.from, edge.to)).collect();
        assert_eq!(text.lines().count().to_string(), known["reduced"], "{}", path.display());
        assert_eq!(hex(Sha256::new_with_prefix(&text)), known["sha256"], "{}", path.display());
        graphs += 1;
    }
    assert_eq!(graphs, 17);
}

#[test]
fn every_recorded_scene_has_the_labels_of_mujoco() {
    let Some(traces) = traces() else { return };
    let (mut scenes, mut worlds) = (0, 0);
    for entry in std::fs::read_dir(traces.join("mujoco")).expect("mujoco") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Some(scene) = name.strip_suffix(".inc.csv") else { continue };
        let incidences = std::fs::read_to_string(&path).expect("incidences");
        let labels = std::fs::read_to_string(path.with_file_name(format!("{scene}.labels.csv"))).expect("labels");
        let known = header_fields(incidences.lines().take(1));
        let nodes: usize = known["ntree"].parse().expect("a number");
        let rows = incidences.lines().skip(1).map(numbers);
        if scene.starts_with("warp_batch") {
            let mut batch: HashMap<i32, Vec<Incidence>> = HashMap::new();
            for row in rows {
                batch.entry(row[0]).or_default().push(Incidence { a: row[1], b: row[2] });
            }
            for line in labels.lines().skip(1) {
                let world = numbers(line);
                let incidences = batch.remove(&world[0]).unwrap_or_default();
                assert_eq!(label(nodes, &incidences), (world[3..].to_vec(), world[1] as usize), "{scene} {}", world[0]);
                worlds += 1;
            }
            assert!(batch.is_empty(), "{scene}");
        } else {
            let incidences: Vec<Incidence> = rows.map(|row| Incidence { a: row[0], b: row[1] }).collect();
            let trees: Vec<Vec<i32>> = labels.lines().skip(1).map(numbers).collect();
            let (found, count) = label(nodes, &incidences);
            assert_eq!(found, trees.iter().map(|tree| tree[1]).collect::<Vec<_>>(), "{scene}");
            assert_eq!(count.to_string(), known["nisland"], "{scene}");
            let dofs: i32 = trees.iter().zip(&found).filter(|(_, label)| **label >= 0).map(|(tree, _)| tree[2]).sum();
            assert_eq!(dofs.to_string(), known["nidof"], "{scene}");
            scenes += 1;
        }
    }
    assert_eq!((scenes, worlds), (90, 208));
}

fn label(nodes: usize, incidences: &[Incidence]) -> (Vec<i32>, usize) {
    let mut labels = vec![0; nodes];
    let count = islands(incidences, &mut labels).expect("labels");
    (labels, count)
}

/// The arena of one planner, or of all of them where the mask is 0.
fn portfolio(tensors: &[Tensor], planners: u32) -> Plan {
    let mut words = Vec::with_capacity(arena::plan_portfolio_scratch_size(tensors.len(), 0, 0, 0) / 8);
    let problem = Problem { tensors, ..Problem::default() };
    let (offsets, outcome) = arena::plan_portfolio(&problem, planners, words.spare_capacity_mut()).expect("a plan");
    assert_eq!(check(tensors, offsets), outcome.plan, "the checker agrees with the planner");
    outcome.plan
}

/// As the upstream pass itself plans them (traces/mlir/README.md), with alignment 64.
#[test]
fn first_use_and_sequential_need_the_arenas_of_mlirs_own_planners_and_the_portfolio_never_more() {
    let Some(traces) = traces() else { return };
    for (file, arena_size) in [
        ("squeezenet", 3_928_612),
        ("resnet50", 15_254_784),
        ("vgg19", 26_533_440),
        ("inception_v2", 7_370_816),
        ("inception_v1", 10_995_920),
        ("zfnet512", 23_191_760),
        ("bvlc_alexnet", 5_692_032),
        ("shufflenet", 4_618_496),
        ("densenet121", 15_655_680),
        ("mlpnet", 8_192),
        ("convnet", 28_480),
    ] {
        let tensors = tensors(&traces.join(format!("mlir/{file}.csv")), 64);
        assert_eq!(portfolio(&tensors, Planner::FirstUse.bit()).arena_size, arena_size, "{file}");
        let aligned: usize = tensors.iter().map(|tensor| tensor.size.next_multiple_of(64)).sum();
        let last = tensors.last().map_or(0, |tensor| tensor.size.next_multiple_of(64) - tensor.size);
        assert_eq!(portfolio(&tensors, Planner::Sequential.bit()).arena_size, aligned - last, "{file}");
        let best = portfolio(&tensors, 0).arena_size;
        assert!(best <= arena_size && best <= plan(&tensors).1.arena_size, "{file}");
    }
}

/// The best known of thirteen published greedy planners on each, as ratios to the peak.
#[test]
fn the_portfolio_is_as_good_as_the_best_of_the_published_greedy_planners() {
    let Some(traces) = traces() else { return };
    for (file, most) in
        [("resnet50", 1.0030_5), ("G_1", 1.0), ("pangu_2.6B", 1.0076_5), ("S_1", 1.0025_5), ("Y_1", 1.0034_5)]
    {
        let plan = portfolio(&tensors(&traces.join(format!("idealloc/{file}.csv")), 1), 0);
        let ratio = plan.arena_size as f64 / plan.lower_bound as f64;
        assert!(ratio <= most, "{file}: {ratio}");
    }
    let ratios = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K"].map(|name| {
        let plan = portfolio(&tensors(&traces.join(format!("minimalloc/{name}.1048576.csv")), 1), 0);
        plan.arena_size as f64 / plan.lower_bound as f64
    });
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    assert!(mean <= 1.290, "{mean}");
    common::aloud(&format!("portfolio on A to K: geometric mean of arena / bound {mean:.4}"));
}
