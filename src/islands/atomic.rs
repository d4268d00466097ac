//! The union that many threads run on one forest at once: the larger root is hooked under the other side by one
//! compare-and-exchange, and paths are split on the way.
//!
//! `parents` as in `forest`: -1 for an untouched node, which counts as larger than any. Invariants, whatever the threads
//! do: every write lowers a parent, and never leaves the set that the node ends up in, so no cycle comes to be and a
//! root is the smallest node of its tree; only a root is hooked, and only by an exchange that finds it still a root, so
//! no link is lost. A node that is no root never becomes one again. A shortening that fails was overtaken by a lower
//! parent and is not tried again. Equal parents prove that two nodes are in one set; different roots prove nothing while
//! others run.
//!
//! All accesses are relaxed: each location only falls, and no other data is published through it; what makes the result
//! visible is the caller's join or barrier after the last union. Lock-free: an exchange of a root fails only because
//! another one succeeded, and at most n - 1 of those do. Labels are the same for every number of threads and schedule,
//! since the sets are, and the root of each is its smallest member; the parents are not.
//! Source: Anderson and Woll 1991 and Jayanti and Tarjan 2016 for the concurrent forest, Rem's choice of the side.

/// One parent that several threads may read and lower.
pub trait Cell {
    fn load(&self) -> i32;

    /// Writes `new` if the value is `old`, in one step; false where it is not.
    fn exchange(&self, old: i32, new: i32) -> bool;
}

/// This node has a parent that cannot be one: no union left it there.
#[derive(Clone, Copy, Debug)]
pub struct Broken {
    pub node: usize,
    pub parent: i32,
}

/// Makes an untouched node a set of its own.
pub fn touch(parents: &[impl Cell], x: usize) {
    if parents[x].load() < 0 {
        // Where this fails another thread did it.
        parents[x].exchange(-1, x as i32);
    }
}

/// Joins the sets of two touched nodes.
pub fn join(parents: &[impl Cell], a: usize, b: usize) -> Result<(), Broken> {
    let (mut x, mut y) = (a, b);
    loop {
        let (mut above, mut other) = (parent(parents, x)?, parent(parents, y)?);
        if above == other {
            return Ok(());
        }
        if above < other {
            (x, y) = (y, x);
            (above, other) = (other, above);
        }
        if above == x {
            if parents[x].exchange(x as i32, other as i32) {
                return Ok(());
            }
        } else {
            let next = parent(parents, above)?;
            if next != above {
                parents[x].exchange(above as i32, next as i32);
            }
            x = above;
        }
    }
}

/// The parent of a touched node. That it is not above the node ends every climb.
fn parent(parents: &[impl Cell], node: usize) -> Result<usize, Broken> {
    // A thread that came here by a parent may not have heard yet that another one touched this node. It touches it too;
    // what it loads after that is no older.
    if parents[node].load() < 0 {
        touch(parents, node);
    }
    let parent = parents[node].load();
    match (parent as u32 as usize) <= node {
        true => Ok(parent as usize),
        false => Err(Broken { node, parent }),
    }
}
