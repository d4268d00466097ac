//! The reduction by a full closure, in a form faithful to the original's cost: every row has n bits, every edge is
//! merged, redundant or not, and then each edge asks every other successor of its source. Written from the description
//! of the algorithm.
//!
//! Source: tensorflow/tensorflow#124410.

/// For each edge of a topological numbering, whether it is in the reduction; the edges are distinct.
pub fn reduce(node_count: usize, edges: &[(u32, u32)]) -> Vec<bool> {
    let words = node_count.div_ceil(64);
    let mut successors = vec![Vec::new(); node_count];
    edges.iter().for_each(|&(from, to)| successors[from as usize].push(to as usize));
    let mut closure = vec![0u64; node_count * words];
    for u in (0..node_count).rev() {
        for &v in &successors[u] {
            let (upper, lower) = closure.split_at_mut(v * words);
            let row = &mut upper[u * words..][..words];
            row.iter_mut().zip(&lower[..words]).for_each(|(word, more)| *word |= more);
            row[v / 64] |= 1 << (v % 64);
        }
    }
    let reaches = |u: usize, v: usize| closure[u * words + v / 64] >> (v % 64) & 1 == 1;
    let is_kept = |&(from, to): &(u32, u32)| !successors[from as usize].iter().any(|&w| reaches(w, to as usize));
    edges.iter().map(is_kept).collect()
}
