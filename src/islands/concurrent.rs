//! Merging from many threads: a view of a [`Forest`] that all of them may use at once.
//!
//! The parents, and the marks where there are some, are atomic for as long as the view lives; the borrow keeps every
//! other access away. What a thread does is `atomic`; who is joined is `constraints`, as for one thread.

use core::sync::atomic::{AtomicI32, AtomicU8, Ordering::Relaxed};

use super::atomic::{self, Broken, Cell};
use super::constraints::{Constraints, Policy, merge, merge_many};
use super::few::FEW_NODES;
use super::forest::{Damage, Union};
use super::raw::{as_atomic_marks, as_atomic_parents};
use super::{Forest, Incidence};
use crate::error::Error;

/// A forest that threads merge into. It is copied to each of them; when all are done the forest is free again, and
/// [`Forest::finish`] gives the same labels for every number of threads and every schedule.
#[derive(Clone, Copy, Debug)]
pub struct Shared<'a> {
    parents: &'a [AtomicI32],
    marks: Option<&'a [AtomicU8]>,
}

impl Forest<'_> {
    /// A view for merging from many threads.
    pub fn share(&mut self) -> Shared<'_> {
        let (parents, marks) = self.arrays();
        Shared { parents: as_atomic_parents(parents), marks: marks.map(as_atomic_marks) }
    }
}

impl<'a> Shared<'a> {
    /// The view of memory that several callers share already: parents, and marks where there are some, as many.
    pub(crate) fn new(parents: &'a [AtomicI32], marks: Option<&'a [AtomicU8]>) -> Shared<'a> {
        Shared { parents, marks: marks.filter(|marks| marks.len() > FEW_NODES) }
    }

    /// Joins the ends of each incidence, as [`Forest::merge`] does; the policy's method does not count.
    ///
    /// # Errors
    /// As of [`Forest::merge`].
    pub fn merge(self, incidences: &[Incidence], policy: &Policy) -> Result<(), Error> {
        merge(&mut { self }, incidences, policy)
    }

    /// Joins all nodes of each constraint, as [`Forest::merge_many`] does; the policy's method does not count.
    ///
    /// # Errors
    /// As of [`Forest::merge_many`].
    pub fn merge_many(self, constraints: Constraints, policy: &Policy) -> Result<(), Error> {
        merge_many(&mut { self }, constraints, policy)
    }
}

impl Union for Shared<'_> {
    fn node_count(&self) -> usize {
        self.parents.len()
    }

    fn touch(&mut self, x: usize) {
        match self.marks {
            None => atomic::touch(self.parents, x),
            // Read first: a mark that is only read stays in the caches of all.
            Some(marks) if marks[x].load(Relaxed) == 0 => marks[x].store(1, Relaxed),
            Some(_) => {}
        }
    }

    fn join(&mut self, a: usize, b: usize) -> Result<(), Damage> {
        self.touch(a);
        self.touch(b);
        atomic::join(self.parents, a, b).map_err(|Broken { node, parent }| Damage { node, parent })
    }
}

impl Cell for AtomicI32 {
    fn load(&self) -> i32 {
        AtomicI32::load(self, Relaxed)
    }

    fn exchange(&self, old: i32, new: i32) -> bool {
        self.compare_exchange(old, new, Relaxed, Relaxed).is_ok()
    }
}
