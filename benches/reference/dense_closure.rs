//! The reduction by a full closure, in a form faithful to its cost: every row is n bits and every edge is merged,
//! redundant or not. Written from the description of the algorithm.
//!
//! Source: the contract of tensorflow/tensorflow#124410, without its scan of pairs.

/// For each edge of a topological numbering, whether it is in the reduction; of equal edges the first.
pub fn reduce(node_count: usize, edges: &[(u32, u32)]) -> Vec<bool> {
    let words = node_count.div_ceil(64);
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by_key(|&edge| edges[edge]);
    let mut closure = vec![0u64; node_count * words];
    let mut keep = vec![false; edges.len()];
    let mut end = order.len();
    while end > 0 {
        let u = edges[order[end - 1]].0 as usize;
        let begin = order[..end].partition_point(|&edge| (edges[edge].0 as usize) < u);
        for &edge in &order[begin..end] {
            let v = edges[edge].1 as usize;
            keep[edge] = closure[u * words + v / 64] >> (v % 64) & 1 == 0;
            let (upper, lower) = closure.split_at_mut(v * words);
            for (word, more) in upper[u * words..][..words].iter_mut().zip(&lower[..words]) {
                *word |= more;
            }
            upper[u * words + v / 64] |= 1 << (v % 64);
        }
        end = begin;
    }
    keep
}
