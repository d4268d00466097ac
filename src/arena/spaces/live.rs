//! How many bytes are in use at the nodes of a tensor's life.
//!
//! They are most where the tensor begins to live, or where another one does; so it is told there and nowhere else.
//! Cost: that of sorting the blocks.

use super::offers::Offers;
use super::residents::Block;
use crate::arena::Tensor;
use crate::error::Error;
use crate::scratch::Scratch;
use crate::sort::by_key;

/// Tells `tell` the node and the bytes of the blocks at it, which must all live with `item`. A node is told more than
/// once, the last time with all its bytes.
pub(super) fn live_bytes(
    item: &Tensor,
    blocks: &[Block],
    offers: &Offers,
    mut scratch: Scratch,
    mut tell: impl FnMut(usize, usize),
) -> Result<(), Error> {
    let tensor = |b: u32| &offers.tensors[blocks[b as usize].tensor as usize];
    let all = 0..blocks.len() as u32;
    let by_first_use = by_key(all.clone(), blocks.len(), |b| tensor(b).first_use, &mut scratch)?;
    let by_last_use = by_key(all, blocks.len(), |b| tensor(b).last_use, &mut scratch)?;
    let (mut live, mut departed) = (0, 0);
    for &arriving in by_first_use.iter() {
        let node = tensor(arriving).first_use.max(item.first_use);
        while departed < by_last_use.len() && tensor(by_last_use[departed]).last_use < node {
            live -= tensor(by_last_use[departed]).size;
            departed += 1;
        }
        live += tensor(arriving).size;
        tell(node, live);
    }
    Ok(())
}
