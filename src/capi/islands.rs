//! Which constraints can be solved apart?

use super::buffers::{Buffer, call, changing, deliver_if_wanted, given, items, slots};
use super::status::{ErrorRecord, Status};
use crate::error::{Error, Kind, NONE};
use crate::islands::{self, Constraints, Forest, Groups, Incidence, Method, Policy, STATIC, Totals, World};
use crate::scratch::fill;

/// A flag of a merge: a constraint without a node that moves is passed over, as in MuJoCo Warp; else it is an error, as
/// in MuJoCo.
pub const AETHER_MERGE_IGNORE_STATIC: u32 = 1;
/// A flag of a merge: a node that sleeps is static, as in MuJoCo Warp; else it is an error where it appears, as in
/// MuJoCo.
pub const AETHER_MERGE_SLEEPING_STATIC: u32 = 2;
/// A flag of a merge: the parents after it are those of MuJoCo after the same merges. Else they are not told.
pub const AETHER_MERGE_FULL_COMPRESSION: u32 = 4;

const ALL_FLAGS: u32 = AETHER_MERGE_IGNORE_STATIC | AETHER_MERGE_SLEEPING_STATIC | AETHER_MERGE_FULL_COMPRESSION;

/// Labels each node with its island: the connected component over the incidences. A node is what can move, for
/// instance a body or a kinematic tree; an incidence says that a constraint touches two of them. Island k is the one
/// whose smallest member is k-th smallest, so the numbering depends neither on the order nor on the orientation of the
/// incidences.
///
/// node_count: nodes are 0 to node_count - 1; at most INT32_MAX.
/// incidences: incidence_count of them, read only, repeats allowed. -1 is a static endpoint, the immovable world, which
/// joins nothing; (t, t), (t, -1) and (-1, t) put t into an island of its own unless other incidences join it.
/// labels: gets node_count labels, -1 for a node in no incidence. It is the only memory used, so after an
/// INCIDENCE_NODE or STATIC_INCIDENCE its contents are unspecified.
/// island_count: gets the number of islands; may be NULL; not written on an error.
///
/// Errors: INCIDENCE_NODE or STATIC_INCIDENCE, for (-1, -1), with the first bad incidence.
/// Cost: close to linear; no scratch and no recursion.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_islands(
    node_count: usize,
    incidences: *const Incidence,
    incidence_count: usize,
    labels: *mut i32,
    island_count: *mut usize,
    error: *mut ErrorRecord,
) -> Status {
    let buffers = [
        Buffer::count(0, node_count).at_most(i32::MAX as usize),
        Buffer::input(1, incidences, incidence_count),
        Buffer::output(3, labels, node_count).at_most(i32::MAX as usize),
        Buffer::optional(4, island_count),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let labels = fill(slots(labels, node_count), STATIC);
            let islands = islands::islands_of_untouched(items(incidences, incidence_count), labels)?;
            deliver_if_wanted(islands, island_count);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// Begins islands of incidences that come in pieces: none is there yet. aether_islands_merge and its siblings then take
/// them, as often as wanted, and aether_islands_finish makes labels of them.
///
/// node_count: nodes are 0 to node_count - 1; at most INT32_MAX.
/// parents: node_count numbers that these calls keep between them. They are not told to be anything until finish, but
/// for AETHER_MERGE_FULL_COMPRESSION; copying them copies the state.
/// marks: node_count bytes that these calls keep likewise, or NULL. With them the merges are faster; with up to
/// 512 nodes they are not used. Whether they are there must be the same for all calls on these parents.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_islands_begin(
    node_count: usize,
    parents: *mut i32,
    marks: *mut u8,
    error: *mut ErrorRecord,
) -> Status {
    let mark_count = given(marks, node_count);
    let buffers = [
        Buffer::count(0, node_count).at_most(i32::MAX as usize),
        Buffer::output(1, parents, node_count),
        Buffer::output(2, marks, mark_count),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let parents = fill(slots(parents, node_count), STATIC);
            let marks = (!marks.is_null()).then(|| fill(slots(marks, mark_count), 0));
            Forest::begin(parents, marks).map(|_| ())
        }
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// Joins the two ends of each incidence, after aether_islands_begin and any number of merges.
///
/// node_count, parents, marks: those of aether_islands_begin.
/// incidences: as of aether_islands, incidence_count of them, read only.
/// awake: a byte for each node that is 0 where the node sleeps, read only; NULL: all are awake.
/// flags: AETHER_MERGE constants, added; 0: MuJoCo's rules.
///
/// Errors: FLAGS; else INCIDENCE_NODE, ASLEEP or STATIC_INCIDENCE with the first bad incidence: those before it are
/// joined, it and those after it are not, and merging may go on behind it. PARENT where parents or marks are not what
/// these calls left; then their contents are unspecified.
/// Cost: two to three loads an incidence, and in theory O(log node_count) against a hostile order.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_islands_merge(
    node_count: usize,
    parents: *mut i32,
    marks: *mut u8,
    incidences: *const Incidence,
    incidence_count: usize,
    awake: *const u8,
    flags: u32,
    error: *mut ErrorRecord,
) -> Status {
    let buffers = [
        Buffer::count(0, node_count).at_most(i32::MAX as usize),
        Buffer::output(1, parents, node_count),
        Buffer::output(2, marks, given(marks, node_count)),
        Buffer::input(3, incidences, incidence_count),
        Buffer::input(5, awake, given(awake, node_count)),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let policy = policy(node_count, awake, flags)?;
            forest(node_count, parents, marks)?.merge(items(incidences, incidence_count), &policy)
        }
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// As aether_islands_merge, for constraints that touch any number of nodes: all nodes of one are joined.
///
/// offsets: constraint_count + 1 numbers, read only, not falling, none above member_count: the members of a constraint
/// begin at its offset and end before the next one. Not read where constraint_count is 0.
/// members: member_count nodes or -1 for what is static, read only.
///
/// Errors: as of aether_islands_merge, with the index of the constraint; OFFSETS. A constraint without members is a
/// STATIC_INCIDENCE, unless these are ignored.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_islands_merge_many(
    node_count: usize,
    parents: *mut i32,
    marks: *mut u8,
    offsets: *const usize,
    constraint_count: usize,
    members: *const i32,
    member_count: usize,
    awake: *const u8,
    flags: u32,
    error: *mut ErrorRecord,
) -> Status {
    let buffers = [
        Buffer::count(0, node_count).at_most(i32::MAX as usize),
        Buffer::output(1, parents, node_count),
        Buffer::output(2, marks, given(marks, node_count)),
        offsets_of(3, offsets, constraint_count),
        Buffer::input(5, members, member_count),
        Buffer::input(7, awake, given(awake, node_count)),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let policy = policy(node_count, awake, flags)?;
            let constraints = constraints(offsets, constraint_count, members, member_count);
            forest(node_count, parents, marks)?.merge_many(constraints, &policy)
        }
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// Finds the smallest node of the set of one node, as MuJoCo finds a root: it becomes the parent of every node on the
/// way.
///
/// node_count, parents: those of aether_islands_begin, without marks.
/// root: gets the smallest node; -1 where the node is in no incidence yet.
///
/// Errors: INCIDENCE_NODE, without an index, where there is no such node; PARENT, as of aether_islands_merge.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_islands_root(
    node_count: usize,
    parents: *mut i32,
    node: i32,
    root: *mut i32,
    error: *mut ErrorRecord,
) -> Status {
    let buffers = [
        Buffer::count(0, node_count).at_most(i32::MAX as usize),
        Buffer::output(1, parents, node_count),
        Buffer::output(3, root, 1),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let found = forest(node_count, parents, core::ptr::null_mut())?.root(node)?;
            deliver_if_wanted(found.unwrap_or(STATIC), root);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// Makes labels of all that was merged: those that aether_islands gives for the same incidences.
///
/// node_count, parents, marks: those of aether_islands_begin.
/// labels: gets node_count labels. The parents then hold the smallest node of each island for its nodes, for a node in
/// no island what it began with, and may be merged further. NULL: the labels take the place of the parents, which ends
/// the merging. Either way the marks stay good for the parents.
/// weights: a number for each node, read only, such as the degrees of freedom of a tree; NULL: there are none.
/// island_count: gets the number of islands; may be NULL.
/// weight_sum: gets the sum of the weights of all nodes that have a label, 0 without weights; may be NULL. MuJoCo's
/// nidof is such a sum.
///
/// Errors: PARENT where parents or marks are not what these calls left; then their contents are unspecified.
/// Cost: one pass over the nodes, three with labels, and one more with marks and with weights each.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_islands_finish(
    node_count: usize,
    parents: *mut i32,
    marks: *mut u8,
    labels: *mut i32,
    weights: *const i32,
    island_count: *mut usize,
    weight_sum: *mut i64,
    error: *mut ErrorRecord,
) -> Status {
    let label_count = given(labels, node_count);
    let buffers = [
        Buffer::count(0, node_count).at_most(i32::MAX as usize),
        Buffer::output(1, parents, node_count),
        Buffer::output(2, marks, given(marks, node_count)),
        Buffer::output(3, labels, label_count),
        Buffer::input(4, weights, given(weights, node_count)),
        Buffer::optional(5, island_count),
        Buffer::optional(6, weight_sum),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let mut forest = forest(node_count, parents, marks)?;
            let weights = (!weights.is_null()).then(|| items(weights, node_count));
            let totals = match labels.is_null() {
                true => forest.finish(weights)?,
                false => forest.finish_into(fill(slots(labels, label_count), STATIC), weights)?,
            };
            let Totals { islands, weight } = totals;
            deliver_if_wanted(islands, island_count);
            deliver_if_wanted(weight, weight_sum);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// Finds the islands of many worlds of the same nodes, as aether_islands finds those of one.
///
/// world_count, node_count: worlds, and nodes in each of them.
/// incidences: world_count * incidence_stride of them, read only; those of world w begin at w * incidence_stride.
/// incidence_counts: world_count counts, read only. What lies behind a world's count is never read and need not be
/// initialised.
/// labels: gets node_count labels for world w, from w * label_stride on; what lies between two worlds is not written.
/// label_stride: at least node_count; labels has world_count * label_stride numbers.
/// awake: as of aether_islands_merge; world_count * label_stride bytes, read only, those of world w from
/// w * label_stride on; NULL: all nodes are awake.
/// flags: as of aether_islands_merge.
/// island_counts: gets world_count numbers of islands; may be NULL.
///
/// Errors: FLAGS or STRIDE, and nothing is written. Else those of aether_islands_merge with the first bad incidence of
/// the first bad world: the worlds before it have their labels and counts, the labels of its own are unspecified, and
/// those after it are untouched.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_islands_batch(
    world_count: usize,
    node_count: usize,
    incidences: *const Incidence,
    incidence_stride: usize,
    incidence_counts: *const usize,
    labels: *mut i32,
    label_stride: usize,
    awake: *const u8,
    flags: u32,
    island_counts: *mut usize,
    error: *mut ErrorRecord,
) -> Status {
    let label_count = world_count.saturating_mul(label_stride);
    let buffers = [
        Buffer::count(0, world_count).at_most(isize::MAX as usize / size_of::<usize>()),
        Buffer::count(1, node_count).at_most(i32::MAX as usize),
        Buffer::input(2, incidences, world_count.saturating_mul(incidence_stride)),
        Buffer::input(4, incidence_counts, world_count),
        Buffer::output(5, labels, label_count),
        Buffer::input(7, awake, given(awake, label_count)),
        Buffer::output(9, island_counts, given(island_counts, world_count)),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let counts = items(incidence_counts, world_count);
            let flags = policy(0, core::ptr::null(), flags)?;
            if label_stride < node_count && world_count > 0 {
                return Err(Error::new(Kind::Stride, NONE, label_stride, node_count));
            }
            if let Some((world, &count)) = counts.iter().enumerate().find(|&(_, &count)| count > incidence_stride) {
                return Err(Error::new(Kind::Stride, world, count, incidence_stride));
            }
            let worlds = counts.iter().enumerate().map(|(world, &count)| {
                let (first_incidence, first_node) = (world * incidence_stride, world * label_stride);
                let awake = (!awake.is_null()).then(|| items(awake.wrapping_add(first_node), node_count));
                World {
                    incidences: items(incidences.wrapping_add(first_incidence), count),
                    policy: Policy { awake, ..flags },
                    labels: fill(slots(labels.wrapping_add(first_node), node_count), STATIC),
                }
            });
            islands::islands_of_worlds(worlds, |world, count| {
                if !island_counts.is_null() {
                    island_counts.add(world).write(count);
                }
            })
        }
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// Finds the island of each incidence: the label of an end that has one, else -1.
///
/// node_count, labels: as aether_islands or aether_islands_finish wrote them, read only.
/// incidences: incidence_count of them, read only.
/// incidence_labels: gets incidence_count labels. After an error its contents are unspecified.
///
/// Errors: INCIDENCE_NODE with the first bad incidence.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_islands_incidence_labels(
    node_count: usize,
    labels: *const i32,
    incidences: *const Incidence,
    incidence_count: usize,
    incidence_labels: *mut i32,
    error: *mut ErrorRecord,
) -> Status {
    let buffers = [
        Buffer::count(0, node_count).at_most(i32::MAX as usize),
        Buffer::input(1, labels, node_count),
        Buffer::input(2, incidences, incidence_count),
        Buffer::output(4, incidence_labels, incidence_count),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let found = fill(slots(incidence_labels, incidence_count), STATIC);
            islands::labels_of(items(incidences, incidence_count), items(labels, node_count), found)
        }
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// As aether_islands_incidence_labels, for constraints over many nodes; offsets and members are those of
/// aether_islands_merge_many.
///
/// Errors: OFFSETS or INCIDENCE_NODE with the first bad constraint.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_islands_constraint_labels(
    node_count: usize,
    labels: *const i32,
    offsets: *const usize,
    constraint_count: usize,
    members: *const i32,
    member_count: usize,
    constraint_labels: *mut i32,
    error: *mut ErrorRecord,
) -> Status {
    let buffers = [
        Buffer::count(0, node_count).at_most(i32::MAX as usize),
        Buffer::input(1, labels, node_count),
        offsets_of(2, offsets, constraint_count),
        Buffer::input(4, members, member_count),
        Buffer::output(6, constraint_labels, constraint_count),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let constraints = constraints(offsets, constraint_count, members, member_count);
            let found = fill(slots(constraint_labels, constraint_count), STATIC);
            islands::labels_of_many(constraints, items(labels, node_count), found)
        }
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// Groups items by label: a stable counting sort, with the items of no label last. It serves whatever has a label:
/// nodes, degrees of freedom, constraint rows. All grouping maps of MuJoCo's islands are this sort or its inverse.
///
/// labels: item_count labels, read only, each -1 or below label_count; at most INT32_MAX.
/// label_count: at most INT32_MAX, such as island_count.
/// counts: gets label_count numbers: how many items have the label.
/// starts: gets label_count numbers: where in `order` the items of the label begin.
/// order: gets item_count items, those of label 0 first, those of -1 last, items of one label in their order; may be
/// NULL.
/// inverse: gets item_count places: where in `order` an item is; may be NULL.
/// labelled_count: gets the number of items with a label, which is where in `order` those of -1 begin; may be NULL.
///
/// Errors: LABEL with the first bad item.
/// Cost: three passes over the items and two over the labels; no scratch.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_group_by_label(
    labels: *const i32,
    item_count: usize,
    label_count: usize,
    counts: *mut i32,
    starts: *mut i32,
    order: *mut i32,
    inverse: *mut i32,
    labelled_count: *mut usize,
    error: *mut ErrorRecord,
) -> Status {
    let (order_count, inverse_count) = (given(order, item_count), given(inverse, item_count));
    let most = i32::MAX as usize;
    let buffers = [
        Buffer::input(0, labels, item_count).at_most(most),
        Buffer::count(2, label_count).at_most(most),
        Buffer::output(3, counts, label_count),
        Buffer::output(4, starts, label_count),
        Buffer::output(5, order, order_count),
        Buffer::output(6, inverse, inverse_count),
        Buffer::optional(7, labelled_count),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let labels = items(labels, item_count);
            islands::check_labels(labels, label_count)?;
            let groups = Groups {
                counts: fill(slots(counts, label_count), 0),
                starts: fill(slots(starts, label_count), 0),
                order: fill(slots(order, order_count), 0),
                inverse: fill(slots(inverse, inverse_count), 0),
            };
            deliver_if_wanted(islands::group_by_label(labels, groups)?, labelled_count);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// The forest in accepted arrays, as an earlier call left it.
unsafe fn forest<'a>(node_count: usize, parents: *mut i32, marks: *mut u8) -> Result<Forest<'a>, Error> {
    // SAFETY: the caller of the C function says so.
    let (parents, marks) =
        unsafe { (changing(parents, node_count), (!marks.is_null()).then(|| changing(marks, node_count))) };
    Forest::resume(parents, marks)
}

/// What the flags say, and the accepted mask.
pub(super) unsafe fn policy<'a>(node_count: usize, awake: *const u8, flags: u32) -> Result<Policy<'a>, Error> {
    if flags & !ALL_FLAGS != 0 {
        return Err(Error::new(Kind::Flags, NONE, flags as usize, ALL_FLAGS as usize));
    }
    let has = |flag| flags & flag != 0;
    Ok(Policy {
        // SAFETY: accepted.
        awake: (!awake.is_null()).then(|| unsafe { items(awake, node_count) }),
        sleeping_is_static: has(AETHER_MERGE_SLEEPING_STATIC),
        ignore_static: has(AETHER_MERGE_IGNORE_STATIC),
        method: if has(AETHER_MERGE_FULL_COMPRESSION) { Method::FullCompression } else { Method::Fast },
    })
}

/// The offsets of constraints, one more than these; none where there are none.
pub(super) fn offsets_of(argument: u8, offsets: *const usize, constraint_count: usize) -> Buffer {
    let most = isize::MAX as usize / size_of::<usize>() - 1;
    match constraint_count {
        0 => Buffer::input(argument, offsets, 0),
        1.. if constraint_count > most => Buffer::count(argument + 1, constraint_count).at_most(most),
        _ => Buffer::input(argument, offsets, constraint_count + 1),
    }
}

/// Constraints in accepted arrays.
pub(super) unsafe fn constraints<'a>(
    offsets: *const usize,
    constraint_count: usize,
    members: *const i32,
    member_count: usize,
) -> Constraints<'a> {
    let offset_count = if constraint_count == 0 { 0 } else { constraint_count + 1 };
    // SAFETY: accepted.
    unsafe { Constraints { offsets: items(offsets, offset_count), members: items(members, member_count) } }
}
