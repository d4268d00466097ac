//! What a constraint joins: static ends, sleeping nodes, and constraints over many nodes, for every kind of union.
//!
//! Invariant: a constraint is looked at as a whole before anything of it is joined, so at an error the constraints
//! before the one that is named are joined, and nothing of that one or of those after it.
//! Cost: linear in the ends, besides the unions.
//! Source: the merges of MuJoCo's and MuJoCo Warp's island passes; see [`super`].

use super::forest::{Damage, Union};
use super::{Incidence, STATIC};
use crate::error::{Error, Kind, NONE};

/// How sets are joined. It decides what the parents are between merges, and no label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The fastest; what the parents are is not told.
    #[default]
    Fast,
    /// Slower; the parents are those that MuJoCo has after the same merges.
    FullCompression,
}

/// What to do with nodes that are static or asleep, and how to join the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy<'a> {
    /// For each node a byte that is 0 where it sleeps; without this all are awake.
    pub awake: Option<&'a [u8]>,
    /// A sleeping node is static, as in MuJoCo Warp; else it is an error where it appears, as in MuJoCo.
    pub sleeping_is_static: bool,
    /// A constraint without a node that can move is ignored, as in MuJoCo Warp; else it is an error, as in MuJoCo.
    pub ignore_static: bool,
    /// How sets are joined; the concurrent form has a way of its own.
    pub method: Method,
}

pub(crate) fn one_a_node(entries: usize, node_count: usize) -> Result<(), Error> {
    match entries == node_count {
        true => Ok(()),
        false => Err(Error::new(Kind::Count, NONE, entries, node_count)),
    }
}

/// Constraints over any number of nodes: constraint k has `members[offsets[k]..offsets[k + 1]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraints<'a> {
    /// One more than there are constraints, not falling, none above the number of members. No offset is no constraint.
    pub offsets: &'a [usize],
    /// Nodes, or -1 for what is static.
    pub members: &'a [i32],
}

impl<'a> Constraints<'a> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The members of each constraint, or what is wrong with its offsets.
    pub(crate) fn iter(self) -> impl Iterator<Item = Result<&'a [i32], Error>> {
        self.offsets.windows(2).enumerate().map(move |(k, ends)| {
            let (begin, end) = (ends[0], ends[1]);
            self.members.get(begin..end).ok_or(match end < begin {
                true => Error::new(Kind::Offsets, k, begin, end).against(k + 1),
                false => Error::new(Kind::Offsets, k, end, self.members.len()),
            })
        })
    }
}

/// Joins the two ends of each incidence.
#[inline(always)]
pub(crate) fn merge(union: &mut impl Union, incidences: &[Incidence], policy: &Policy) -> Result<(), Error> {
    match policy.awake {
        None => merge_ends(union, incidences, policy, join_ends),
        Some(awake) => {
            one_a_node(awake.len(), union.node_count())?;
            merge_ends(union, incidences, policy, |union, a, b| {
                let (x, y) = (waking(awake, a), waking(awake, b));
                match policy.sleeping_is_static || (x, y) == (a, b) {
                    true => join_ends(union, x, y),
                    false => Ok(false),
                }
            })
        }
    }
}

#[inline(always)]
fn merge_ends<U: Union>(
    union: &mut U,
    incidences: &[Incidence],
    policy: &Policy,
    join: impl Fn(&mut U, i32, i32) -> Result<bool, Damage>,
) -> Result<(), Error> {
    let mut damage = None;
    match join_good(union, incidences, &join, &mut damage) {
        0 => Ok(()),
        left => go_on(union, incidences, left, damage, policy, join),
    }
}

/// Judges the first of the incidences left, which could not be joined, and those after it that cannot be either.
#[cold]
#[inline(never)]
fn go_on<U: Union>(
    union: &mut U,
    incidences: &[Incidence],
    mut left: usize,
    mut damage: Option<Damage>,
    policy: &Policy,
    join: impl Fn(&mut U, i32, i32) -> Result<bool, Damage>,
) -> Result<(), Error> {
    while left > 0 {
        damage.map_or(Ok(()), Err)?;
        let k = incidences.len() - left;
        let Incidence { a, b } = incidences[k];
        examine(k, &[a, b], union.node_count(), policy)?;
        left = join_good(union, &incidences[k + 1..], &join, &mut damage);
    }
    Ok(())
}

/// Joins the ends of incidences up to the first where that cannot be, and returns how many are left, that one included.
///
/// One function for each kind of union, so that none saves registers for another. What it returns fits a register: on
/// few incidences a caller that has to look into memory for it takes a tenth longer.
#[inline(never)]
fn join_good<U: Union>(
    union: &mut U,
    incidences: &[Incidence],
    join: &impl Fn(&mut U, i32, i32) -> Result<bool, Damage>,
    damage: &mut Option<Damage>,
) -> usize {
    let mut rest = incidences;
    while let Some((incidence, after)) = rest.split_first() {
        union.expect(after);
        match join(union, incidence.a, incidence.b) {
            Ok(true) => {}
            Ok(false) => break,
            Err(found) => {
                *damage = Some(found);
                break;
            }
        }
        rest = after;
        // Two bodies mostly touch at several points, and all of these say the same, one after another.
        while let Some((next, after)) = rest.split_first()
            && !U::REPEATS_COUNT
            && next.word() == incidence.word()
        {
            rest = after;
        }
    }
    rest.len()
}

/// Joins two ends, or touches the one that moves; false, and nothing done, where neither is a node or one is none.
#[inline(always)]
fn join_ends(union: &mut impl Union, a: i32, b: i32) -> Result<bool, Damage> {
    // A negative number becomes one beyond every count.
    let (x, y) = (a as u32 as usize, b as u32 as usize);
    let node_count = union.node_count();
    match (x < node_count, y < node_count) {
        (true, true) => union.join(x, y)?,
        (true, false) if b == STATIC => union.touch(x),
        (false, true) if a == STATIC => union.touch(y),
        _ => return Ok(false),
    }
    Ok(true)
}

/// The end itself, [`STATIC`] where it sleeps.
fn waking(awake: &[u8], end: i32) -> i32 {
    if awake.get(end as u32 as usize) == Some(&0) { STATIC } else { end }
}

/// Joins the nodes of each constraint, one after another.
#[inline(always)]
pub(crate) fn merge_many(union: &mut impl Union, constraints: Constraints, policy: &Policy) -> Result<(), Error> {
    let node_count = union.node_count();
    policy.awake.map_or(Ok(()), |awake| one_a_node(awake.len(), node_count))?;
    for (k, members) in constraints.iter().enumerate() {
        let members = members?;
        examine(k, members, node_count, policy)?;
        let asleep = |node: i32| policy.awake.is_some_and(|awake| awake[node as usize] == 0);
        let mut moving = members.iter().filter(|&&node| node != STATIC && !asleep(node)).map(|&node| node as usize);
        if let Some(first) = moving.next() {
            union.touch(first);
            moving.try_fold(first, |last, node| union.join(last, node).map(|()| node))?;
        }
    }
    Ok(())
}

/// Whether the policy takes constraint `k` with these members.
#[inline(never)]
fn examine(k: usize, members: &[i32], node_count: usize, policy: &Policy) -> Result<(), Error> {
    let mut moves = false;
    for &node in members.iter().filter(|&&node| node != STATIC) {
        if node as u32 as usize >= node_count {
            return Err(Error::new(Kind::IncidenceNode, k, node as isize as usize, node_count));
        }
        let asleep = policy.awake.is_some_and(|awake| awake[node as usize] == 0);
        if asleep && !policy.sleeping_is_static {
            return Err(Error::new(Kind::Asleep, k, node as usize, 0));
        }
        moves |= !asleep;
    }
    match moves || policy.ignore_static {
        true => Ok(()),
        false => Err(Error::new(Kind::StaticIncidence, k, 0, 0)),
    }
}
