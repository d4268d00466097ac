//! Which items does each island have? A stable counting sort by label, with the items of no island last.
//!
//! It serves nodes, degrees of freedom and constraint rows alike: whatever has a label. Items are placed from the last
//! to the first, and invariant is that `starts[k]` is where those of label k end that have no place yet, so after that
//! pass it is where its items begin.
//! Neighbours often have one label, and a counter that was just written is slow to read; so every second item is counted
//! in `starts`, and items are placed in pairs. Few items of few labels need no counters in memory: see `group_few`.
//! Cost: two passes over the items, one over the labels; no scratch.
//! Source: the maps of MuJoCo's island pass, all of which are this sort and its inverse; see [`super`].

use super::constraints::{Constraints, one_a_node};
use super::group_few::{self, is_label};
use super::{Incidence, STATIC};
use crate::error::{Error, Kind, NONE};

/// Where [`group_by_label`] writes. An empty `order` or `inverse` is not wanted.
#[derive(Debug)]
pub struct Groups<'a> {
    /// For each label, how many items have it.
    pub counts: &'a mut [i32],
    /// For each label, where its items begin in `order`.
    pub starts: &'a mut [i32],
    /// The items: those of label 0 first, those of -1 last, items of one label in their order.
    pub order: &'a mut [i32],
    /// For each item its place in `order`.
    pub inverse: &'a mut [i32],
}

/// Groups items by label and returns how many have one. Labels are -1 for none, else below the number of counts.
///
/// # Errors
/// An item with another label; more than `i32::MAX` items; an array of another length. Nothing is written then.
#[inline(always)]
pub fn group_by_label(labels: &[i32], groups: Groups) -> Result<usize, Error> {
    let Groups { counts, starts, order, inverse } = groups;
    let are_few = labels.len() <= group_few::MOST_ITEMS && counts.len() <= group_few::MOST_LABELS;
    // Few are below every limit.
    if !are_few {
        super::node_limit(labels.len())?;
        super::node_limit(counts.len())?;
    }
    one_a_node(starts.len(), counts.len())?;
    if !order.is_empty() {
        one_a_node(order.len(), labels.len())?;
    }
    if !inverse.is_empty() {
        one_a_node(inverse.len(), labels.len())?;
    }
    if are_few {
        let labelled = group_few::sort(labels, counts, starts, order, inverse);
        return labelled.ok_or_else(|| not_a_label(labels, counts.len()));
    }
    check_labels(labels, counts.len())?;
    Ok(sort(labels, counts, starts, order, inverse) as usize)
}

/// Sorts good labels; arrays that are given one by one are known to be apart.
fn sort(labels: &[i32], counts: &mut [i32], starts: &mut [i32], order: &mut [i32], inverse: &mut [i32]) -> i32 {
    counts.fill(0);
    starts.fill(0);
    let (pairs, rest) = labels.as_chunks::<2>();
    pairs.iter().for_each(|&[first, second]| {
        count(counts, first);
        count(starts, second);
    });
    rest.iter().for_each(|&label| count(counts, label));
    let mut labelled = 0;
    for (end, count) in starts.iter_mut().zip(&mut *counts) {
        *count += *end;
        labelled += *count;
        *end = labelled;
    }
    match (order.is_empty(), inverse.is_empty()) {
        (true, true) => starts.iter_mut().zip(counts).for_each(|(end, count)| *end -= *count),
        (false, true) => place(labels, starts, |item, at| order[at] = item as i32),
        (true, false) => place(labels, starts, |item, at| inverse[item] = at as i32),
        (false, false) => place(labels, starts, |item, at| {
            order[at] = item as i32;
            inverse[item] = at as i32;
        }),
    }
    labelled
}

/// Refuses the first label that is none.
pub(crate) fn check_labels(labels: &[i32], label_count: usize) -> Result<(), Error> {
    // Without a way out in the middle this takes several labels at once.
    match labels.iter().fold(true, |all, &label| all & is_label(label, label_count)) {
        true => Ok(()),
        false => Err(not_a_label(labels, label_count)),
    }
}

#[cold]
fn not_a_label(labels: &[i32], label_count: usize) -> Error {
    let item = labels.iter().position(|&label| !is_label(label, label_count)).unwrap_or(NONE);
    let label = labels.get(item).copied().unwrap_or_default();
    Error::new(Kind::Label, item, label as isize as usize, label_count)
}

/// A label of -1 is one beyond every count.
fn count(counts: &mut [i32], label: i32) {
    if let Some(count) = counts.get_mut(label as u32 as usize) {
        *count += 1;
    }
}

/// Tells the place of each item, the last first, and moves each end of a label to its start.
#[inline(always)]
fn place(labels: &[i32], ends: &mut [i32], mut put: impl FnMut(usize, usize)) {
    let mut last = labels.len() as i32;
    let (pairs, rest) = labels.as_chunks::<2>();
    for &label in rest {
        let end = end_of(ends, &mut last, label);
        *end -= 1;
        put(labels.len() - 1, *end as usize);
    }
    for (pair, &[first, second]) in pairs.iter().enumerate().rev() {
        // Both are read before either is written.
        let behind = *end_of(ends, &mut last, second) - 1;
        let at = *end_of(ends, &mut last, first) - 1 - i32::from(first == second);
        put(2 * pair + 1, behind as usize);
        put(2 * pair, at as usize);
        *end_of(ends, &mut last, second) = behind;
        *end_of(ends, &mut last, first) = at;
    }
}

/// Where the items of this label end that have no place yet; `last` is that of the items of none.
fn end_of<'a>(ends: &'a mut [i32], last: &'a mut i32, label: i32) -> &'a mut i32 {
    ends.get_mut(label as u32 as usize).unwrap_or(last)
}

/// The island of each incidence, from the labels of the nodes: that of an end that is in one, else -1.
///
/// # Errors
/// The first incidence that names no node; another number of outputs than of incidences.
#[inline]
pub fn labels_of(incidences: &[Incidence], labels: &[i32], labels_of: &mut [i32]) -> Result<(), Error> {
    one_a_node(labels_of.len(), incidences.len())?;
    for (i, (&Incidence { a, b }, label)) in incidences.iter().zip(labels_of).enumerate() {
        *label = label_at(labels, i, a)?.max(label_at(labels, i, b)?);
    }
    Ok(())
}

/// The island of each constraint over many nodes, as of [`labels_of`].
///
/// # Errors
/// The first constraint that names no node, or whose offsets fall or pass the end; another number of outputs than of
/// constraints.
pub fn labels_of_many(constraints: Constraints, labels: &[i32], labels_of: &mut [i32]) -> Result<(), Error> {
    one_a_node(labels_of.len(), constraints.count())?;
    for (k, (members, label)) in constraints.iter().zip(labels_of).enumerate() {
        *label = STATIC;
        for &node in members? {
            *label = (*label).max(label_at(labels, k, node)?);
        }
    }
    Ok(())
}

/// All ends of one constraint that have a label have the same.
fn label_at(labels: &[i32], constraint: usize, node: i32) -> Result<i32, Error> {
    match labels.get(node as u32 as usize) {
        Some(&label) => Ok(label),
        None if node == STATIC => Ok(STATIC),
        None => Err(Error::new(Kind::IncidenceNode, constraint, node as isize as usize, labels.len())),
    }
}
