//! The calls about islands: those at once, those in pieces on parents of every kind, and what is made of labels.

use aether::capi::*;
use aether::islands::Incidence;

use super::nodes;
use crate::bytes::Bytes;
use crate::stage::{Place, Stage};

fn incidences(bytes: &mut Bytes, nodes: usize) -> Vec<Incidence> {
    let end = |bytes: &mut Bytes| {
        if bytes.one_in(128) { bytes.word() as i32 } else { bytes.below(nodes + 1) as i32 - 1 }
    };
    bytes.list(60, |bytes| Incidence { a: end(bytes), b: end(bytes) })
}

/// Constraints: where each begins, and their members.
fn constraints(bytes: &mut Bytes, nodes: usize) -> (Vec<usize>, Vec<i32>) {
    let members =
        bytes.list(60, |bytes| if bytes.one_in(128) { bytes.word() as i32 } else { bytes.below(nodes + 1) as i32 - 1 });
    let is_wild = bytes.one_in(8);
    let mut offsets = bytes.list(20, |bytes| if is_wild { bytes.number() } else { bytes.below(members.len() + 1) });
    if !is_wild {
        offsets.sort_unstable();
    }
    (offsets, members)
}

/// Whether a call may leave a buffer changed that names the bad item.
fn names_an_item(status: i32) -> bool {
    status > AETHER_ERROR_TOO_MANY && ![AETHER_ERROR_FLAGS, AETHER_ERROR_STRIDE].contains(&status)
}

pub fn islands(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = nodes(&mut bytes);
    let incidences = incidences(&mut bytes, nodes);
    let mut stage = Stage::default();
    let (input, labels, count) = (stage.input(&incidences), stage.output::<i32>(nodes), stage.optional::<usize>());
    let on_item = |place: Place, status| place == labels && names_an_item(status);
    let done = stage.play(0, &mut bytes, on_item, |a| unsafe {
        aether_islands(nodes, a.at(input), incidences.len(), a.at(labels), a.at(count), a.error)
    });
    if done.is_ok() {
        let labels = done.read::<i32>(labels);
        let label = |node: i32| usize::try_from(node).map_or(-1, |node| labels[node]);
        assert!(incidences.iter().all(|i| i.a < 0 || i.b < 0 || label(i.a) == label(i.b)));
        assert!(incidences.iter().all(|i| label(i.a).max(label(i.b)) >= 0));
        done.read::<usize>(count).iter().for_each(|&count| assert_eq!(count, most_label(&labels)));
    }
}

fn most_label(labels: &[i32]) -> usize {
    labels.iter().max().map_or(0, |&most| (most + 1) as usize)
}

pub fn islands_begin(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = nodes(&mut bytes);
    let mut stage = Stage::default();
    let (parents, marks) = (stage.output::<i32>(nodes), stage.optional_items::<u8>(nodes));
    if bytes.one_in(2) {
        stage.leave_out(marks);
    }
    let done = stage.play(0, &mut bytes, super::never, |a| unsafe {
        aether_islands_begin(nodes, a.at(parents), a.at(marks), a.error)
    });
    if done.is_ok() {
        assert!(done.read::<u8>(marks).iter().all(|&mark| mark == 0));
    }
}

/// What the calls keep between them: as it begins, as merges left it, or anything.
struct Kept {
    parents: Place,
    marks: Place,
    is_sound: bool,
}

impl Kept {
    fn put(bytes: &mut Bytes, stage: &mut Stage, nodes: usize, has_marks: bool) -> Kept {
        let kind = bytes.below(4);
        let mut marks = vec![0; nodes];
        let mut parents: Vec<i32> = Vec::with_capacity(nodes);
        for x in 0..nodes {
            // Few nodes have marks that are not used.
            let alone = if has_marks && nodes >= 128 { x as i32 } else { -1 };
            let touched = bytes.below(x + 1);
            parents.push(match kind {
                0 => alone,
                // Hooked below a node that was touched, else touched itself.
                1 | 2 if parents.get(touched).is_some_and(|&parent| parent >= 0) => {
                    (marks[x], marks[touched]) = (1, 1);
                    touched as i32
                }
                1 | 2 if bytes.one_in(3) => alone,
                1 | 2 => x as i32,
                _ => bytes.number() as i32,
            });
            if kind == 3 {
                marks[x] = bytes.byte();
            }
        }
        let parents = stage.changing(&parents);
        Kept { parents, marks: stage.changing_or_null(has_marks.then_some(&marks[..])), is_sound: kind < 3 }
    }

    fn changes(&self, place: Place, status: i32) -> bool {
        [self.parents, self.marks].contains(&place) && names_an_item(status)
    }

    /// After a good merge the ends of what was joined have one root.
    fn expect_joined(&self, parents: &[i32], joined: impl IntoIterator<Item = (i32, i32)>) {
        let root = |mut node: i32| {
            while parents[node as usize] != node {
                assert!((0..node).contains(&parents[node as usize]), "no parent is above its node");
                node = parents[node as usize];
            }
            node
        };
        for (a, b) in joined.into_iter().filter(|&(a, b)| self.is_sound && a >= 0 && b >= 0) {
            assert_eq!(root(a), root(b), "{a} and {b} are joined");
        }
    }
}

/// A byte a node, or none; and flags.
fn policy(bytes: &mut Bytes, stage: &mut Stage, nodes: usize) -> (Place, bool, u32) {
    let has_awake = bytes.one_in(3);
    let awake: Vec<u8> = (0..if has_awake { nodes } else { 0 }).map(|_| bytes.byte() % 4).collect();
    let awake = stage.nullable(&awake);
    if !has_awake {
        stage.leave_out(awake);
    }
    let flags = if bytes.one_in(16) { bytes.word() as u32 } else { bytes.below(8) as u32 };
    (awake, has_awake, flags)
}

type Merge =
    unsafe extern "C" fn(usize, *mut i32, *mut u8, *const Incidence, usize, *const u8, u32, *mut ErrorRecord) -> Status;

fn merge_by(call: Merge, data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = nodes(&mut bytes);
    let incidences = incidences(&mut bytes, nodes);
    let mut stage = Stage::default();
    let has_marks = bytes.one_in(2);
    let kept = Kept::put(&mut bytes, &mut stage, nodes, has_marks);
    let input = stage.input(&incidences);
    let (awake, has_awake, flags) = policy(&mut bytes, &mut stage, nodes);
    let done = stage.play(
        0,
        &mut bytes,
        |place, status| kept.changes(place, status),
        |a| unsafe {
            let (parents, marks, input, awake) = (a.at(kept.parents), a.at(kept.marks), a.at(input), a.at::<u8>(awake));
            call(nodes, parents, marks, input, incidences.len(), awake, flags, a.error)
        },
    );
    // Parents with marks are no parents without them.
    if done.is_ok() && !has_awake && has_marks != done.is_null(kept.marks) {
        kept.expect_joined(&done.read(kept.parents), incidences.iter().map(|i| (i.a, i.b)));
    }
}

pub fn islands_merge(data: &[u8]) {
    merge_by(aether_islands_merge, data);
}

pub fn islands_concurrent_merge(data: &[u8]) {
    merge_by(aether_islands_concurrent_merge, data);
}

type MergeMany = unsafe extern "C" fn(
    usize,
    *mut i32,
    *mut u8,
    *const usize,
    usize,
    *const i32,
    usize,
    *const u8,
    u32,
    *mut ErrorRecord,
) -> Status;

fn merge_many_by(call: MergeMany, data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = nodes(&mut bytes);
    let (offsets, members) = constraints(&mut bytes, nodes);
    let count = offsets.len().saturating_sub(1);
    let mut stage = Stage::default();
    let has_marks = bytes.one_in(2);
    let kept = Kept::put(&mut bytes, &mut stage, nodes, has_marks);
    let (starts, input) = (stage.input(if count == 0 { &[] } else { &offsets }), stage.input(&members));
    let (awake, has_awake, flags) = policy(&mut bytes, &mut stage, nodes);
    let done = stage.play(
        0,
        &mut bytes,
        |place, status| kept.changes(place, status),
        |a| unsafe {
            let (parents, marks, starts) = (a.at(kept.parents), a.at(kept.marks), a.at(starts));
            let (input, awake) = (a.at(input), a.at::<u8>(awake));
            call(nodes, parents, marks, starts, count, input, members.len(), awake, flags, a.error)
        },
    );
    if done.is_ok() && !has_awake && has_marks != done.is_null(kept.marks) {
        let movers = |k: usize| members[offsets[k]..offsets[k + 1]].iter().copied().filter(|&node| node >= 0);
        let joined = (0..count).flat_map(|k| movers(k).zip(movers(k).skip(1)));
        kept.expect_joined(&done.read(kept.parents), joined);
    }
}

pub fn islands_merge_many(data: &[u8]) {
    merge_many_by(aether_islands_merge_many, data);
}

pub fn islands_concurrent_merge_many(data: &[u8]) {
    merge_many_by(aether_islands_concurrent_merge_many, data);
}

pub fn islands_root(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = nodes(&mut bytes);
    let node = if bytes.one_in(16) { bytes.word() as i32 } else { bytes.below(nodes + 1) as i32 - 1 };
    let mut stage = Stage::default();
    let kept = Kept::put(&mut bytes, &mut stage, nodes, false);
    let root = stage.output::<i32>(1);
    let on_item = |place: Place, status| place == kept.parents && names_an_item(status);
    let done = stage.play(0, &mut bytes, on_item, |a| unsafe {
        aether_islands_root(nodes, a.at(kept.parents), node, a.at(root), a.error)
    });
    if let (true, [root]) = (done.is_ok(), &done.read::<i32>(root)[..]) {
        assert!((-1..=node).contains(root));
        assert!(*root < 0 || done.read::<i32>(kept.parents)[node as usize] == *root);
    }
}

pub fn islands_finish(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = nodes(&mut bytes);
    let weights: Vec<i32> = (0..nodes).map(|_| bytes.number() as i32).collect();
    let mut stage = Stage::default();
    let has_marks = bytes.one_in(2);
    let kept = Kept::put(&mut bytes, &mut stage, nodes, has_marks);
    let (labels, weighed) = (stage.optional_items::<i32>(nodes), stage.nullable(&weights));
    for place in [labels, weighed] {
        if bytes.one_in(3) {
            stage.leave_out(place);
        }
    }
    let (count, sum) = (stage.optional::<usize>(), stage.optional::<i64>());
    let on_item = |place: Place, status| place == labels && names_an_item(status) || kept.changes(place, status);
    let done = stage.play(0, &mut bytes, on_item, |a| unsafe {
        let (parents, marks, labels) = (a.at(kept.parents), a.at(kept.marks), a.at(labels));
        let (weights, count, sum) = (a.at::<i32>(weighed), a.at(count), a.at(sum));
        aether_islands_finish(nodes, parents, marks, labels, weights, count, sum, a.error)
    });
    if done.is_ok() && kept.is_sound && has_marks != done.is_null(kept.marks) {
        let labels = done.read::<i32>(if done.is_null(labels) { kept.parents } else { labels });
        let mut islands = 0;
        for &label in &labels {
            assert!((-1..=islands).contains(&label), "labels begin in ascending order");
            islands = islands.max(label + 1);
        }
        done.read::<usize>(count).iter().for_each(|&count| assert_eq!(count, islands as usize));
        let weight = |(&label, &weight): (&i32, &i32)| if label < 0 { 0 } else { i64::from(weight) };
        let total = if done.is_null(weighed) { 0 } else { labels.iter().zip(&weights).map(weight).sum() };
        done.read::<i64>(sum).iter().for_each(|&sum| assert_eq!(sum, total));
    }
}

pub fn islands_batch(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let (worlds, nodes) = (bytes.below(5), bytes.below(20));
    let (stride, label_stride) = (bytes.below(12), (nodes + bytes.below(4)).saturating_sub(bytes.below(40) / 38));
    let counts: Vec<usize> =
        (0..worlds).map(|_| if bytes.one_in(32) { bytes.number() } else { bytes.below(stride + 1) }).collect();
    let mut all = incidences(&mut bytes, nodes);
    all.resize(worlds * stride, Incidence { a: 0, b: -1 });
    let mut stage = Stage::default();
    let (input, given) = (stage.input(&all), stage.input(&counts));
    let labels = stage.output::<i32>(worlds * label_stride);
    let (awake, _, flags) = policy(&mut bytes, &mut stage, worlds * label_stride);
    let found = stage.optional_items::<usize>(worlds);
    let on_item = |place: Place, status| [labels, found].contains(&place) && names_an_item(status);
    let done = stage.play(0, &mut bytes, on_item, |a| unsafe {
        let (input, given, labels) = (a.at(input), a.at(given), a.at(labels));
        let (awake, found) = (a.at::<u8>(awake), a.at(found));
        aether_islands_batch(worlds, nodes, input, stride, given, labels, label_stride, awake, flags, found, a.error)
    });
    if done.is_ok() {
        let (labels, found) = (done.read::<i32>(labels), done.read::<usize>(found));
        for (world, labels) in labels.chunks(label_stride.max(1)).enumerate() {
            let count = most_label(&labels[..nodes]);
            assert!(found.get(world).is_none_or(|&found| found == count));
            assert!(labels[nodes..].iter().all(|&label| label == i32::from_ne_bytes([0xa5; 4])));
        }
    }
}

/// Labels as calls write them, or anything.
fn labels(bytes: &mut Bytes, count: usize, most: usize) -> Vec<i32> {
    let is_wild = bytes.one_in(8);
    (0..count).map(|_| if is_wild { bytes.number() as i32 } else { bytes.below(most + 1) as i32 - 1 }).collect()
}

pub fn islands_incidence_labels(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = nodes(&mut bytes);
    let (incidences, labels) = (incidences(&mut bytes, nodes), labels(&mut bytes, nodes, 9));
    let mut stage = Stage::default();
    let (given, input) = (stage.input(&labels), stage.input(&incidences));
    let found = stage.output::<i32>(incidences.len());
    let on_item = |place: Place, status| place == found && names_an_item(status);
    let done = stage.play(0, &mut bytes, on_item, |a| unsafe {
        aether_islands_incidence_labels(nodes, a.at(given), a.at(input), incidences.len(), a.at(found), a.error)
    });
    if done.is_ok() {
        let label = |node: i32| usize::try_from(node).map_or(-1, |node| labels[node]);
        for (found, i) in done.read::<i32>(found).into_iter().zip(&incidences) {
            assert!([label(i.a), label(i.b)].contains(&found) || found == -1);
            assert!(found >= 0 || label(i.a) < 0 && label(i.b) < 0);
        }
    }
}

pub fn islands_constraint_labels(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = nodes(&mut bytes);
    let (offsets, members) = constraints(&mut bytes, nodes);
    let (count, labels) = (offsets.len().saturating_sub(1), labels(&mut bytes, nodes, 9));
    let mut stage = Stage::default();
    let given = stage.input(&labels);
    let (starts, input) = (stage.input(if count == 0 { &[] } else { &offsets }), stage.input(&members));
    let found = stage.output::<i32>(count);
    let on_item = |place: Place, status| place == found && names_an_item(status);
    let done = stage.play(0, &mut bytes, on_item, |a| unsafe {
        let (given, starts, input, found) = (a.at(given), a.at(starts), a.at(input), a.at(found));
        aether_islands_constraint_labels(nodes, given, starts, count, input, members.len(), found, a.error)
    });
    if done.is_ok() {
        for (k, &found) in done.read::<i32>(found).iter().enumerate() {
            let label = |&node: &i32| usize::try_from(node).map_or(-1, |node| labels[node]);
            let mut own = members[offsets[k]..offsets[k + 1]].iter().map(label);
            assert!(if found < 0 { own.all(|label| label < 0) } else { own.any(|label| label == found) });
        }
    }
}

pub fn group_by_label(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let label_count = bytes.below(20);
    let count = bytes.below(80);
    let labels = labels(&mut bytes, count, label_count);
    let mut stage = Stage::default();
    let input = stage.input(&labels);
    let [counts, starts] = [(); 2].map(|()| stage.output::<i32>(label_count));
    let [order, inverse] = [(); 2].map(|()| stage.optional_items::<i32>(count));
    for place in [order, inverse] {
        if bytes.one_in(3) {
            stage.leave_out(place);
        }
    }
    let labelled = stage.optional::<usize>();
    let done = stage.play(0, &mut bytes, super::never, |a| unsafe {
        let (counts, starts, order) = (a.at(counts), a.at(starts), a.at(order));
        let (inverse, labelled) = (a.at(inverse), a.at(labelled));
        aether_group_by_label(a.at(input), count, label_count, counts, starts, order, inverse, labelled, a.error)
    });
    if done.is_ok() {
        let mut expected: Vec<i32> = (0..count as i32).collect();
        expected.sort_by_key(|&item| labels[item as usize] as u32);
        let (order, inverse) = (done.read::<i32>(order), done.read::<i32>(inverse));
        assert!(order.is_empty() || order == expected);
        assert!(inverse.iter().enumerate().all(|(item, &place)| expected[place as usize] == item as i32));
        for (label, (&begin, &size)) in done.read::<i32>(starts).iter().zip(&done.read::<i32>(counts)).enumerate() {
            let own = &expected[begin as usize..(begin + size) as usize];
            assert!(own.iter().all(|&item| labels[item as usize] == label as i32));
            assert_eq!(labels.iter().filter(|&&other| other == label as i32).count(), own.len());
        }
        let members = labels.iter().filter(|&&label| label >= 0).count();
        done.read::<usize>(labelled).iter().for_each(|&labelled| assert_eq!(labelled, members));
    }
}
