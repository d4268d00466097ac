//! When each planned buffer lives, as an inclusive range of nodes.
//!
//! In `compat` a node is the place of an operation in the plan block, and a buffer lives from its allocation to the
//! node before the last of its deallocs. Else a node is an operation, and
//! - `sound`: from the allocation to the last use, or the node before the last dealloc, whichever is later, since a
//!   path on which it is not freed may still use it;
//! - `tight`: from the first use to the last one, since all its deallocs go; `sound` where it escapes.
//!
//! What happens in a barrier that the allocation is not in may happen again until the barrier's last operation, and
//! before from its first.

use super::Mode;
use super::facts::Facts;
use super::program::{Alloc, NO_OP};
use super::tree::Tree;

/// The first and the last node.
pub(super) fn life(mode: Mode, tree: &Tree, alloc: &Alloc, facts: &Facts) -> (u32, u32) {
    if mode == Mode::Compat {
        let start = tree.rank(alloc.op);
        // An allocation that is not freed is not planned.
        let end = if facts.last_dealloc == NO_OP { start } else { tree.rank(facts.last_dealloc) };
        return (start, start.max(end.saturating_sub(1)));
    }
    let last_use = match facts.last_use {
        NO_OP => alloc.op,
        op => latest(tree, op, alloc.op),
    };
    if mode == Mode::Tight && facts.escape == NO_OP {
        let first_use = match facts.first_use {
            NO_OP => alloc.op,
            op => tree.seen_from(op, alloc.op),
        };
        return (first_use, last_use);
    }
    let freed = match facts.last_dealloc {
        NO_OP => alloc.op,
        op => match tree.seen_from(op, alloc.op) {
            seen if seen == op => op.saturating_sub(1),
            barrier => tree.last_of(barrier),
        },
    };
    (alloc.op, last_use.max(freed).max(alloc.op))
}

/// The last node at which `op` may still happen, as seen by what is at `viewer`.
pub(super) fn latest(tree: &Tree, op: u32, viewer: u32) -> u32 {
    match tree.seen_from(op, viewer) {
        seen if seen == op => op,
        barrier => tree.last_of(barrier),
    }
}
