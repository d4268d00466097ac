//! The closure as a bit matrix, for callers that ask many questions about one graph.
//!
//! Bit v of row u says whether a path leads from u to v; every node reaches itself. The rows first hold the edges. Then
//! sources descend: the successors of a row are set aside, and those it does not hold yet, from below, are merged.
//! Invariant: the rows above the present one are complete. A successor that is held already adds nothing.
//! Cost: O(n^2/64 + irredundant edges x n/64 + m); one row of scratch.
//! Source: Goralcikova and Koubek 1979.

use super::{Edge, Problem};
use crate::error::{Error, Kind, NONE};
use crate::scratch::{Scratch, Word, size};

/// Words a row of the matrix.
pub fn reachability_row_words(node_count: usize) -> usize {
    node_count.div_ceil(64)
}

/// Scratch bytes of [`reachability`]: one row.
pub fn reachability_scratch_size(node_count: usize) -> usize {
    size(&[(reachability_row_words(node_count), 8)])
}

/// Writes which node reaches which: v from u, if bit `v % 64` of word `u * reachability_row_words(node_count) + v / 64`
/// is set. Every node reaches itself.
///
/// # Errors
/// As [`transitive_reduction`]; and a matrix of fewer than `node_count` rows. The matrix is untouched then.
///
/// [`transitive_reduction`]: super::transitive_reduction
pub fn reachability(node_count: usize, edges: &[Edge], matrix: &mut [u64], scratch: &mut [Word]) -> Result<(), Error> {
    let mut scratch = Scratch::new(scratch);
    scratch.require(reachability_scratch_size(node_count))?;
    Problem { node_count, ranks: None, edges, flags: None }.check()?;
    let words = reachability_row_words(node_count);
    let need = node_count.saturating_mul(words);
    match matrix.get_mut(..need) {
        Some(matrix) => {
            matrix.fill(0);
            close(matrix, words, edges, &mut scratch)
        }
        None => Err(Error::new(Kind::TooMany, NONE, need, matrix.len())),
    }
}

/// The closure of checked edges, in a matrix of zeros whose rows have so many words.
pub(crate) fn close(matrix: &mut [u64], words: usize, edges: &[Edge], scratch: &mut Scratch) -> Result<(), Error> {
    let successors = scratch.filled(words, 0)?;
    for edge in edges {
        matrix[edge.from as usize * words + edge.to as usize / 64] |= 1 << (edge.to % 64);
    }
    for u in (0..matrix.len() / words.max(1)).rev() {
        let (upper, lower) = matrix.split_at_mut((u + 1) * words);
        let row = &mut upper[u * words..];
        successors.copy_from_slice(row);
        row.fill(0);
        row[u / 64] = 1 << (u % 64);
        for w in u / 64..words {
            while successors[w] & !row[w] != 0 {
                let v = w * 64 + (successors[w] & !row[w]).trailing_zeros() as usize;
                let below = &lower[(v - u - 1) * words..][..words];
                row[w..].iter_mut().zip(&below[w..]).for_each(|(word, more)| *word |= more);
            }
        }
    }
    Ok(())
}
