//! The call that plans over several spaces.

use aether::arena::{FREE, NO_SPACE, Plan, Space, SpaceReport, Tensor};
use aether::capi::*;

use crate::bytes::Bytes;
use crate::stage::Stage;

pub fn plan_spaces(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let is_wild = bytes.one_in(4);
    let number = |bytes: &mut Bytes| if is_wild { bytes.number() } else { bytes.below(40) };
    let tensors = bytes.list(16, |bytes| {
        let first_use = number(bytes);
        let (size, alignment) = (number(bytes), [0, 1, 2, 4][bytes.below(4)]);
        let last_use = first_use.saturating_add(bytes.below(20));
        Tensor { size, alignment: if is_wild { bytes.number() } else { alignment }, first_use, last_use }
    });
    let spaces = bytes.list(if is_wild { 34 } else { 4 }, |bytes| {
        let capacity = [1 + number(bytes) % 100, number(bytes), usize::MAX][bytes.below(3)];
        let cost = if is_wild { bytes.number() } else { bytes.below(4) };
        Space { capacity, base_alignment: [0, 1, 2, 8][bytes.below(4)], cost }
    });
    let n = tensors.len();
    let all = 1u64.checked_shl(spaces.len() as u32).unwrap_or(0).wrapping_sub(1) as u32;
    let space =
        |bytes: &mut Bytes| if is_wild { bytes.number() as u32 } else { bytes.below(spaces.len().max(1)) as u32 };
    let pins: Vec<u32> = tensors.iter().map(|_| if bytes.one_in(6) { space(&mut bytes) } else { NO_SPACE }).collect();
    let mut allowed = Vec::with_capacity(n);
    let (mut fixed, mut weights) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for (tensor, &pin) in tensors.iter().zip(&pins) {
        let mask = if bytes.one_in(3) { bytes.word() as u32 & all } else { all };
        let own = if pin == NO_SPACE { 0 } else { 1u32.checked_shl(pin).unwrap_or(0) };
        allowed.push(if is_wild { mask } else { (mask | own).max(1) });
        let is_fixed = bytes.one_in(3) && (is_wild || pin != NO_SPACE);
        let step = if is_wild { 1 } else { tensor.alignment.max(1) };
        fixed.push(if is_fixed { number(&mut bytes).saturating_mul(step) } else { FREE });
        weights.push(number(&mut bytes));
    }
    let struct_size = if bytes.one_in(32) { bytes.number() } else { size_of::<SpacesRecord>() };
    let (work_limit, seed) = (bytes.below(400) as u64, bytes.seed());
    let mut stage = Stage::default();
    let (given, memories) = (stage.input(&tensors), stage.input(&spaces));
    let (masks, pinned) = (stage.nullable(&allowed), stage.nullable(&pins));
    let (offsets, prices) = (stage.nullable(&fixed), stage.nullable(&weights));
    for place in [masks, pinned, offsets, prices] {
        if bytes.one_in(3) {
            stage.leave_out(place);
        }
    }
    let (homes, placed) = (stage.output::<u32>(n), stage.output::<usize>(n));
    let reports = stage.optional_items::<SpaceReport>(spaces.len());
    let outcome = stage.optional::<SpacesOutcomeRecord>();
    let need = aether_plan_spaces_scratch_size(n, spaces.len());
    let scratch = stage.scratch(need, &mut bytes);
    if struct_size != size_of::<SpacesRecord>() {
        stage.expect_nothing();
    }
    let done = stage.play(need, &mut bytes, super::never, |a| unsafe {
        let record = super::long(SpacesRecord {
            struct_size,
            tensors: a.at(given),
            tensor_count: n,
            spaces: a.at(memories),
            space_count: spaces.len(),
            allowed: a.at(masks),
            pinned_spaces: a.at(pinned),
            fixed_offsets: a.at(offsets),
            weights: a.at(prices),
        });
        let (problem, homes, placed) = (record.as_ptr().cast(), a.at(homes), a.at(placed));
        let (reports, outcome, scratch, size) = (a.at(reports), a.at(outcome), a.at(scratch), a.scratch_size);
        aether_plan_spaces(problem, work_limit, seed, homes, placed, reports, outcome, scratch, size, a.error)
    });
    if !done.is_ok() || struct_size < size_of::<SpacesRecord>() {
        return;
    }
    let (homes, placed) = (done.read::<u32>(homes), done.read::<usize>(placed));
    let is_in = |i: usize, k: usize| homes[i] as usize == k && tensors[i].size > 0;
    for (k, space) in spaces.iter().enumerate() {
        let end = |i: usize| placed[i].checked_add(tensors[i].size).expect("an end in the space");
        let members: Vec<usize> = (0..n).filter(|&i| is_in(i, k)).collect();
        for (at, &i) in members.iter().enumerate() {
            assert!(end(i) <= space.capacity && placed[i].is_multiple_of(tensors[i].alignment.max(1)));
            assert!(done.is_null(masks) || allowed[i] >> k & 1 == 1);
            assert!(done.is_null(offsets) || fixed[i] == FREE || fixed[i] == placed[i]);
            for &j in &members[..at] {
                let meet = tensors[i].first_use <= tensors[j].last_use && tensors[j].first_use <= tensors[i].last_use;
                assert!(!meet || end(i) <= placed[j] || end(j) <= placed[i], "{i} and {j} clash in space {k}");
            }
        }
        if let Some(SpaceReport { plan: Plan { arena_size, .. }, .. }) = done.read::<SpaceReport>(reports).get(k) {
            assert_eq!(*arena_size, members.iter().map(|&i| end(i)).max().unwrap_or(0));
        }
    }
    for i in (0..n).filter(|&i| homes[i] != NO_SPACE) {
        assert!((homes[i] as usize) < spaces.len());
        assert!(done.is_null(pinned) || pins[i] == NO_SPACE || pins[i] == homes[i]);
    }
    if let [found] = done.read::<SpacesOutcomeRecord>(outcome)[..] {
        let left = (0..n).filter(|&i| homes[i] == NO_SPACE && tensors[i].size > 0).count();
        assert_eq!(found.left_out, left);
        assert!(found.cost_bound <= found.cost || left > 0);
    }
}
