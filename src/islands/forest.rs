//! The disjoint-set forest: a union that halves paths on one side, and the sweep that turns a forest into labels.
//!
//! `parents[x]` is x for a root, else a smaller node of the same set. A node in no incidence has the parent -1
//! ([`Plain`]), or itself and a mark of 0 ([`Marked`]), which spares the union the question whether a node was touched.
//! Invariant: `parents[x] <= x`, and the root of a set is its smallest member.
//!
//! A union climbs only from the node with the larger parent, two levels at a time, and hooks it two levels up on the
//! way. It ends where both nodes have one parent, or where that larger parent is a root, which then goes under the
//! other, smaller parent: the way from there to the other root is not walked. Every write lowers a parent, so the
//! invariant holds and the climb ends. Because parents are smaller, one ascending sweep labels a forest in place: when
//! x is reached, its parent already holds its label.
//!
//! Cost: two loads for nodes of one parent, near constant in practice, amortised O(log n) against a hostile order; the
//! sweeps are linear. The parents may be the caller's and hold anything, so each is checked before it is followed.
//! Source: Dijkstra 1976 for Rem's climb from the larger parent; Tarjan and van Leeuwen 1984 for halving. Splicing, as
//! Rem has it, is as fast but for orders made against compression, where it takes twice the time.

use super::{Incidence, STATIC};
use crate::error::{Error, Kind};

/// A way of joining sets.
pub(crate) trait Union {
    /// May the same union once more, right after the first, change a parent in a way that the caller may tell?
    const REPEATS_COUNT: bool = false;

    fn node_count(&self) -> usize;

    /// Tells which incidences come after the one that is joined next; see `ahead`.
    #[inline(always)]
    fn expect(&self, _coming: &[Incidence]) {}

    /// Makes a node that is in no set a set of its own.
    fn touch(&mut self, x: usize);

    /// Touches two nodes and joins their sets. Nodes are below the node count.
    fn join(&mut self, a: usize, b: usize) -> Result<(), Damage>;

    /// As [`Union::join`], where no near cache holds the forest, and a branch that is foretold badly costs least.
    #[inline(always)]
    fn join_far(&mut self, a: usize, b: usize) -> Result<(), Damage> {
        self.join(a, b)
    }
}

/// The parent of this node cannot be one: no union left it there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Damage {
    pub node: usize,
    pub parent: i32,
}

impl From<Damage> for Error {
    #[cold]
    fn from(Damage { node, parent }: Damage) -> Error {
        Error::new(Kind::Parent, node, parent as isize as usize, node)
    }
}

/// A forest in which -1 is the parent of an untouched node.
pub(crate) struct Plain<'a> {
    pub parents: &'a mut [i32],
}

impl Union for Plain<'_> {
    fn node_count(&self) -> usize {
        self.parents.len()
    }

    #[inline(always)]
    fn touch(&mut self, x: usize) {
        if self.parents[x] < 0 {
            self.parents[x] = x as i32;
        }
    }

    #[inline(always)]
    fn join(&mut self, a: usize, b: usize) -> Result<(), Damage> {
        // Most nodes are not new, so one question serves for both.
        if self.parents[a] | self.parents[b] < 0 {
            self.touch(a);
            self.touch(b);
        }
        unite(self.parents, a, b)
    }

    #[inline(always)]
    fn join_far(&mut self, a: usize, b: usize) -> Result<(), Damage> {
        touch_and_unite(self.parents, a, b, |_| {})
    }
}

impl AsRef<[i32]> for Plain<'_> {
    fn as_ref(&self) -> &[i32] {
        self.parents
    }
}

/// A forest in which an untouched node is its own parent and has no mark. A touched root has one: the smallest node of
/// a set is the smaller end of every incidence that it is in.
pub(crate) struct Marked<'a> {
    parents: &'a mut [i32],
    /// As many.
    marks: &'a mut [u8],
}

impl<'a> Marked<'a> {
    pub fn new(parents: &'a mut [i32], marks: &'a mut [u8]) -> Marked<'a> {
        let marks = &mut marks[..parents.len()];
        Marked { parents, marks }
    }
}

impl AsRef<[i32]> for Marked<'_> {
    fn as_ref(&self) -> &[i32] {
        self.parents
    }
}

impl Union for Marked<'_> {
    fn node_count(&self) -> usize {
        self.parents.len()
    }

    #[inline(always)]
    fn touch(&mut self, x: usize) {
        self.marks[x] = 1;
    }

    #[inline(always)]
    fn join(&mut self, a: usize, b: usize) -> Result<(), Damage> {
        self.marks[a.min(b)] = 1;
        unite(self.parents, a, b)
    }
}

/// Joins the sets of two nodes after touching those that are new, of which it tells. A new node above the other end gets
/// that one's parent, without a climb.
#[inline(always)]
pub(super) fn touch_and_unite(
    parents: &mut [i32],
    a: usize,
    b: usize,
    mut is_new: impl FnMut(usize),
) -> Result<(), Damage> {
    // Most nodes are not new, so one question serves for both.
    if parents[a] | parents[b] < 0 {
        let (lower, higher) = (a.min(b), a.max(b));
        if parents[lower] < 0 {
            parents[lower] = lower as i32;
            is_new(lower);
        }
        if parents[higher] < 0 {
            parents[higher] = parents[lower];
            is_new(higher);
            return Ok(());
        }
    }
    unite(parents, a, b)
}

/// Joins the sets of two touched nodes.
#[inline(always)]
fn unite(parents: &mut [i32], a: usize, b: usize) -> Result<(), Damage> {
    let (mut x, mut above) = (a, parents[a]);
    let (mut other, mut above_other) = (b, parents[b]);
    while above != above_other {
        if above < above_other {
            (x, other) = (other, x);
            (above, above_other) = (above_other, above);
        }
        let up = above as u32 as usize;
        let next = *parents.get(up).ok_or(Damage { node: x, parent: above })?;
        if next >= above {
            if next > above {
                return Err(Damage { node: up, parent: next });
            }
            // A root: x itself, or the one right above it.
            parents[x] = above_other;
            parents[up] = above_other;
            break;
        }
        let parent = *parents.get(next as u32 as usize).ok_or(Damage { node: up, parent: next })?;
        parents[x] = next;
        (x, above) = (next as u32 as usize, parent);
    }
    Ok(())
}

/// Turns a forest of [`Plain`] into labels in place and returns how many sets there are.
#[inline]
pub(crate) fn label(parents: &mut [i32]) -> Result<usize, Damage> {
    let mut count = 0;
    let mut x = 0;
    while let Some(&parent) = parents.get(x) {
        if parent == x as i32 {
            parents[x] = count;
            count += 1;
        } else if parent >= 0 {
            parents[x] = *parents[..x].get(parent as usize).ok_or(Damage { node: x, parent })?;
        } else if let Some(group) = parents[x..].first_chunk::<GROUP>()
            && group.iter().fold(STATIC, |all, &parent| all & parent) == STATIC
        {
            x += GROUP - 1;
        }
        x += 1;
    }
    Ok(count as usize)
}

/// Untouched nodes mostly lie together, and a whole group of them is looked at in a few instructions.
const GROUP: usize = 8;

/// As [`label`], of a forest of [`Marked`].
#[inline]
pub(crate) fn label_marked(parents: &mut [i32], marks: &[u8]) -> Result<usize, Damage> {
    let marks = &marks[..parents.len()];
    let mut count = 0;
    let mut x = 0;
    while let Some(&parent) = parents.get(x) {
        if parent != x as i32 {
            parents[x] = *parents[..x].get(parent as u32 as usize).ok_or(Damage { node: x, parent })?;
        } else if marks[x] != 0 {
            parents[x] = count;
            count += 1;
        } else if let Some(group) = parents[x..].first_chunk_mut::<GROUP>()
            && marks[x..].first_chunk() == Some(&[0; GROUP])
            && are_roots(group, x as i32)
        {
            group.fill(STATIC);
            x += GROUP - 1;
        } else {
            parents[x] = STATIC;
        }
        x += 1;
    }
    Ok(count as usize)
}

/// Is each of these parents, that of node `first` and those after it, its own?
fn are_roots(parents: &[i32; GROUP], first: i32) -> bool {
    parents.iter().zip(first..).fold(true, |all, (&parent, x)| all & (parent == x))
}

/// Makes the root of each touched node its parent, by one ascending sweep.
pub(crate) fn compress(parents: &mut [i32]) -> Result<(), Damage> {
    for x in 0..parents.len() {
        let parent = parents[x];
        if parent >= 0 {
            parents[x] = *parents[..=x].get(parent as usize).ok_or(Damage { node: x, parent })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{GROUP, are_roots};

    #[test]
    fn a_group_is_of_roots_if_each_parent_is_its_node() {
        let roots: [i32; GROUP] = core::array::from_fn(|k| 16 + k as i32);
        assert!(are_roots(&roots, 16));
        for k in 0..GROUP {
            let mut parents = roots;
            parents[k] = 3;
            assert!(!are_roots(&parents, 16));
        }
    }
}
