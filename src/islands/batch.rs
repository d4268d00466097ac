//! The islands of many worlds, each with incidences of its own: one after another, as [`super::islands`] finds them.

use super::constraints::Policy;
use super::{Forest, Incidence};
use crate::error::Error;

/// One world of a batch.
#[derive(Debug)]
pub struct World<'a> {
    /// Its incidences.
    pub incidences: &'a [Incidence],
    /// What is static or asleep in it.
    pub policy: Policy<'a>,
    /// One label a node.
    pub labels: &'a mut [i32],
}

/// Labels the nodes of each world, and tells the number of its islands to `counted` with that of the world.
///
/// # Errors
/// As of [`Forest::merge`], with the world as [`Error::other`]. The worlds before it have their labels, its own are
/// unspecified, and those after it are untouched.
pub fn islands_of_worlds<'a>(
    worlds: impl IntoIterator<Item = World<'a>>,
    mut counted: impl FnMut(usize, usize),
) -> Result<(), Error> {
    worlds.into_iter().enumerate().try_for_each(|(w, World { incidences, policy, labels })| {
        let mut forest = Forest::begin(labels, None)?;
        let merged = forest.merge(incidences, &policy).and_then(|()| forest.finish(None));
        counted(w, merged.map_err(|error| error.against(w))?.islands);
        Ok(())
    })
}
