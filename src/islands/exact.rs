//! The union of MuJoCo, for callers that look at parents between merges.
//!
//! A find compresses its whole path; two sets are joined by hooking the larger root under the smaller. Invariant:
//! `parents[x] <= x`, -1 where x is untouched, and the root of a set is its smallest member. So far as [`super::Forest`]
//! goes this is only slower: labels are the same.
//! Cost: two passes over each path that is not yet compressed; amortised O(log n).
//! Source: the forest that google-deepmind/mujoco#3396 specifies by its tests.

use super::STATIC;
use super::forest::{Damage, Union};

/// A forest as [`super::forest::Plain`], or with marks as [`super::forest::Marked`].
pub(crate) struct Exact<'a> {
    pub parents: &'a mut [i32],
    pub marks: Option<&'a mut [u8]>,
}

impl Union for Exact<'_> {
    /// The nodes themselves, whose old roots were joined, get their new root.
    const REPEATS_COUNT: bool = true;

    fn node_count(&self) -> usize {
        self.parents.len()
    }

    fn touch(&mut self, x: usize) {
        if self.parents[x] == STATIC {
            self.parents[x] = x as i32;
        }
        if let Some(marks) = &mut self.marks {
            marks[x] = 1;
        }
    }

    fn join(&mut self, a: usize, b: usize) -> Result<(), Damage> {
        self.touch(a);
        self.touch(b);
        if self.parents[a] != self.parents[b] {
            let (a, b) = (root(self.parents, a)?, root(self.parents, b)?);
            self.parents[a.max(b)] = a.min(b) as i32;
        }
        Ok(())
    }
}

/// The root of a touched node, which becomes the parent of every node on the way.
pub(crate) fn root(parents: &mut [i32], node: usize) -> Result<usize, Damage> {
    let mut root = node;
    while parents[root] as u32 as usize != root {
        root = below(parents, root)?;
    }
    let mut x = node;
    while x != root {
        let next = below(parents, x)?;
        parents[x] = root as i32;
        x = next;
    }
    Ok(root)
}

/// The parent of a node that is no root. Parents that fall end every climb.
fn below(parents: &[i32], x: usize) -> Result<usize, Damage> {
    let parent = parents[x];
    match (parent as u32 as usize) < x {
        true => Ok(parent as usize),
        false => Err(Damage { node: x, parent }),
    }
}
