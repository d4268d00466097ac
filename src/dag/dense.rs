//! Few nodes: adjacency and closure as two bit matrices, and no list of edges.
//!
//! Row u of the adjacency holds its successors, row u of the closure what it reaches, itself included. Sources descend,
//! and the successors of each ascend. Invariant: the rows of the closure above u are complete. A successor that the
//! closure row of u does not hold yet has no other path, because any would begin with a lower successor; it is merged
//! and stays. One that is held goes. Whole words of successors that are held are passed over at once.
//!
//! Twins are two nodes in a row whose successors in the reduction are the same: they reach the same nodes, apart from
//! themselves. Where one is merged, the other adds but itself. Stages that are joined completely are full of them.
//!
//! Only the upper triangle is stored: the 64 rows from 64 b on begin at word b. The last row comes first in memory.
//!
//! Afterwards an edge asks for its bit and takes it away, so that the first of equal edges is the one that stays.
//! Cost: O(n^2/64 + kept edges x n/64 + m); for w = ceil(n/64) words a row, 512 w (w + 1) + 8 w bytes of scratch.
//! Source: Goralcikova and Koubek 1979; tensorflow/tensorflow#124410 for the matrix.

use super::graph::Numbering;
use super::{Edge, Flag};
use crate::error::Error;
use crate::scratch::{Scratch, size};

/// With more nodes the blocks of the sweep stay in the cache, and the rows of a matrix do not.
pub(super) const MOST_NODES: usize = 8_192;

/// Bytes of scratch; `usize::MAX` on overflow.
pub(super) fn scratch_size(node_count: usize) -> usize {
    let words = node_count.div_ceil(64);
    words.checked_mul(words + 1).map_or(usize::MAX, |triangle| size(&[(triangle, 512), (words, 8)]))
}

// A call: what it has on the stack is not there beside that of the other stages.
#[inline(never)]
pub(super) fn reduce(
    node_count: usize,
    edges: &[Edge],
    numbering: impl Numbering,
    flags: Option<&[u8]>,
    keep: &mut [u8],
    scratch: &mut Scratch,
) -> Result<(), Error> {
    let triangle = Triangle { row_words: node_count.div_ceil(64) };
    let adjacency = scratch.filled(triangle.words(), 0)?;
    let closure = scratch.filled(triangle.words(), 0)?;
    // A bit for each node that is the twin of the next one, where both have their bits in one word.
    let twins = scratch.filled(triangle.row_words, 0)?;
    let bit_of =
        |edge: &Edge| triangle.bit(numbering.position(edge.from) as usize, numbering.position(edge.to) as usize);

    for edge in edges {
        let (word, bit) = bit_of(edge);
        adjacency[word] |= bit;
    }
    let mut next_count = usize::MAX;
    for u in (0..node_count).rev() {
        let row = triangle.row(u);
        let (later_rows, reached) = closure.split_at_mut(row.start);
        let reached = &mut reached[..row.len()];
        let (later_successors, successors) = adjacency.split_at_mut(row.start);
        let successors = &mut successors[..row.len()];
        let twins = &mut twins[u / 64..][..row.len()];
        reached[0] = 1 << (u % 64);
        let mut count = 0;
        for w in 0..successors.len() {
            let mut kept = 0;
            loop {
                let next = successors[w] & !reached[w];
                if next == 0 {
                    break;
                }
                let bit = next & next.wrapping_neg();
                let has_twin = (kept & twins[w]) << 1 & bit != 0;
                kept |= bit;
                count += 1;
                if has_twin {
                    reached[w] |= bit;
                    continue;
                }
                let v = (u / 64 + w) * 64 + bit.trailing_zeros() as usize;
                let more = &later_rows[triangle.row(v)];
                reached[w..].iter_mut().zip(more).for_each(|(word, more)| *word |= more);
            }
            successors[w] = kept;
        }
        if count == next_count && u % 64 != 63 {
            let next = &later_successors[triangle.row(u + 1)];
            let difference = successors.iter().zip(next).fold(0, |all, (one, other)| all | (one ^ other));
            twins[0] |= u64::from(difference == 0) << (u % 64);
        }
        next_count = count;
    }
    // An edge with a flag speaks for its equals.
    for (i, (edge, flag)) in edges.iter().zip(flags.unwrap_or_default()).enumerate() {
        if Flag::of(*flag) != Flag::Ordinary {
            let (word, bit) = bit_of(edge);
            adjacency[word] &= !bit;
            keep[i] = u8::from(Flag::of(*flag) == Flag::Protected);
        }
    }
    for (edge, flag) in edges.iter().zip(keep) {
        let (word, bit) = bit_of(edge);
        *flag |= u8::from(adjacency[word] & bit != 0);
        adjacency[word] &= !bit;
    }
    Ok(())
}

/// Where the bits of an upper triangular matrix lie.
#[derive(Clone, Copy)]
struct Triangle {
    /// Of the first rows.
    row_words: usize,
}

impl Triangle {
    fn words(self) -> usize {
        self.row_words * (self.row_words + 1) / 2 * 64
    }

    /// The words of a row; the first holds the columns of the 64 nodes around the diagonal.
    fn row(self, u: usize) -> core::ops::Range<usize> {
        let length = self.row_words - u / 64;
        // Before it lie those of later blocks, with length - 1, length - 2, ... words, and the later ones of its own.
        let start = length * (32 * (length - 1) + 63 - u % 64);
        start..start + length
    }

    /// The word of row u that holds column v >= u, and the bit within it.
    fn bit(self, u: usize, v: usize) -> (usize, u64) {
        (self.row(u).start + v / 64 - u / 64, 1 << (v % 64))
    }
}
