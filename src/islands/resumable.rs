//! Islands of incidences that come in pieces, in memory that the caller keeps.
//!
//! A [`Forest`] begins untouched, takes incidences and constraints as often as wanted, and is turned into labels at the
//! end. It borrows its two arrays and holds nothing else, so it may be dropped and taken up again in between.

use super::ahead::{Ahead, NODES_BEYOND_CACHES};
use super::constraints::{Constraints, Method, Policy, merge, merge_many, one_a_node};
use super::exact::{Exact, root};
use super::few::{FEW_NODES, Touched, untouch};
use super::forest::{Damage, Marked, Plain, Union, compress, label, label_marked};
use super::{Incidence, STATIC, node_limit};
use crate::error::{Error, Kind, NONE};

/// A disjoint-set forest in the caller's memory: 4 bytes a node, and one more where there are marks.
#[derive(Debug)]
pub struct Forest<'a> {
    parents: &'a mut [i32],
    marks: Option<&'a mut [u8]>,
    /// Of few nodes, as long as this forest alone touched any.
    touched: Option<Touched>,
}

/// What [`Forest::finish`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of islands.
    pub islands: usize,
    /// The sum of the weights of all nodes that are in an island; 0 without weights.
    pub weight: i64,
}

impl<'a> Forest<'a> {
    /// A forest without a touched node, whatever the arrays held. With marks merging is faster; they are one a node,
    /// and are not used with up to 512 nodes.
    ///
    /// # Errors
    /// More than `i32::MAX` nodes, or another number of marks than of nodes.
    #[inline]
    pub fn begin(parents: &'a mut [i32], marks: Option<&'a mut [u8]>) -> Result<Forest<'a>, Error> {
        let mut forest = Forest::resume(parents, marks)?;
        forest.touched = (forest.parents.len() <= FEW_NODES).then_some(Touched::NONE);
        match &mut forest.marks {
            None => untouch(forest.parents),
            Some(marks) => {
                marks.fill(0);
                (0..).zip(forest.parents.iter_mut()).for_each(|(x, parent)| *parent = x);
            }
        }
        Ok(forest)
    }

    /// A forest as an earlier one left it in these arrays, with marks if that one had them.
    ///
    /// # Errors
    /// As of [`Forest::begin`]. Arrays that no forest left are found out later or give wrong labels.
    #[inline]
    pub fn resume(parents: &'a mut [i32], marks: Option<&'a mut [u8]>) -> Result<Forest<'a>, Error> {
        node_limit(parents.len())?;
        if let Some(marks) = &marks {
            one_a_node(marks.len(), parents.len())?;
        }
        let marks = marks.filter(|marks| marks.len() > FEW_NODES);
        Ok(Forest { parents, marks, touched: None })
    }

    /// Joins the ends of each incidence.
    ///
    /// # Errors
    /// The first incidence that names no node, or a sleeping one or none that moves where the policy refuses that.
    /// Those before it are joined; it and those after it are not.
    #[inline(always)]
    pub fn merge(&mut self, incidences: &[Incidence], policy: &Policy) -> Result<(), Error> {
        if let (Method::Fast, Some(mut touched)) = (policy.method, self.touched) {
            let merged = touched.merge(self.parents, incidences, policy);
            self.touched = Some(touched);
            return merged;
        }
        let (parents, marks) = self.arrays();
        match (policy.method, marks) {
            (Method::Fast, None) => merge_fast(Plain { parents }, incidences, policy),
            (Method::Fast, Some(marks)) => merge_fast(Marked::new(parents, marks), incidences, policy),
            (Method::FullCompression, marks) => merge(&mut Exact { parents, marks }, incidences, policy),
        }
    }

    /// Joins all nodes of each constraint.
    ///
    /// # Errors
    /// As of [`Forest::merge`], for the first constraint, and for offsets that fall or pass the end.
    pub fn merge_many(&mut self, constraints: Constraints, policy: &Policy) -> Result<(), Error> {
        let (parents, marks) = self.arrays();
        match (policy.method, marks) {
            (Method::Fast, None) => merge_many(&mut Plain { parents }, constraints, policy),
            (Method::Fast, Some(marks)) => merge_many(&mut Marked::new(parents, marks), constraints, policy),
            (Method::FullCompression, marks) => merge_many(&mut Exact { parents, marks }, constraints, policy),
        }
    }

    /// The smallest node of the set of `node`, `None` where it is untouched and no marks are used. It becomes the
    /// parent of every node on the way, as in MuJoCo.
    ///
    /// # Errors
    /// A node at or beyond the node count.
    pub fn root(&mut self, node: i32) -> Result<Option<i32>, Error> {
        let x = node as u32 as usize;
        match self.parents.get(x) {
            None => Err(Error::new(Kind::IncidenceNode, NONE, node as isize as usize, self.parents.len())),
            Some(&STATIC) => Ok(None),
            Some(_) => Ok(Some(root(self.parents, x)? as i32)),
        }
    }

    /// Turns the parents into labels, as [`super::islands`] gives them. The array is no forest any more.
    ///
    /// # Errors
    /// More or fewer weights than nodes, before anything changes.
    #[inline(always)]
    pub fn finish(self, weights: Option<&[i32]>) -> Result<Totals, Error> {
        weights.map_or(Ok(()), |weights| one_a_node(weights.len(), self.parents.len()))?;
        let islands = match self.touched {
            Some(touched) => touched.label(self.parents),
            None => number(self.parents, self.marks.as_deref())?,
        };
        Ok(Totals { islands, weight: weights.map_or(0, |weights| weigh(self.parents, weights)) })
    }

    /// Writes labels, one a node, to an array of their own. The parents stay a forest, in which the parent of a
    /// touched node now is the smallest node of its set, and can be merged further.
    ///
    /// # Errors
    /// As of [`Forest::finish`], and more or fewer labels than nodes.
    pub fn finish_into(&mut self, labels: &mut [i32], weights: Option<&[i32]>) -> Result<Totals, Error> {
        one_a_node(labels.len(), self.parents.len())?;
        weights.map_or(Ok(()), |weights| one_a_node(weights.len(), self.parents.len()))?;
        compress(self.parents)?;
        labels.copy_from_slice(self.parents);
        let islands = number(labels, self.marks.as_deref())?;
        Ok(Totals { islands, weight: weights.map_or(0, |weights| weigh(labels, weights)) })
    }

    /// For merges that do not tell what they touch.
    #[inline(always)]
    pub(super) fn arrays(&mut self) -> (&mut [i32], Option<&mut [u8]>) {
        self.touched = None;
        (self.parents, self.marks.as_deref_mut())
    }
}

/// With the parents fetched ahead where no near cache holds them.
#[inline(always)]
pub(super) fn merge_fast(
    mut union: impl Union + AsRef<[i32]>,
    incidences: &[Incidence],
    policy: &Policy,
) -> Result<(), Error> {
    match union.node_count() < NODES_BEYOND_CACHES {
        true => merge(&mut union, incidences, policy),
        false => merge(&mut Ahead(union), incidences, policy),
    }
}

#[inline(always)]
fn number(parents: &mut [i32], marks: Option<&[u8]>) -> Result<usize, Damage> {
    match marks {
        None => label(parents),
        Some(marks) => label_marked(parents, marks),
    }
}

/// Of all nodes that have a label; the sum of 2^31 numbers of 32 bits fits 64.
fn weigh(labels: &[i32], weights: &[i32]) -> i64 {
    let labelled = labels.iter().zip(weights).filter(|&(&label, _)| label >= 0);
    labelled.map(|(_, &weight)| i64::from(weight)).sum()
}
