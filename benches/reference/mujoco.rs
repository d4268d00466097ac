//! MuJoCo's disjoint set, in a form faithful to its cost: a find compresses its whole path, a merge runs two of them
//! after the check for equal parents, and one ascending sweep assigns labels. Without bounds checks, as in C. Written
//! from the description of the algorithm. In MuJoCo 4.0.0 the walk over the constraints calls an exported function for
//! each incidence, through the table that lets another library replace it, so no compiler inlines it; the sweep is
//! inlined. [`merge_each`] has that cost. [`merge_all`] grants it that the merge is inlined too.
//!
//! Source: google-deepmind/mujoco#3396.

/// Labels in one array, as MuJoCo has them in another than the parents; returns the number of islands.
pub fn islands(incidences: &[(i32, i32)], parents: &mut [i32], labels: &mut [i32]) -> usize {
    parents.fill(-1);
    assert_eq!(parents.len(), labels.len());
    let count = parents.len() as i32;
    assert!(incidences.iter().all(|&(a, b)| a.max(b) >= 0 && a.min(b) >= -1 && a.max(b) < count));
    merge_all(incidences, parents);
    assign(parents, labels)
}

/// The part that is timed with [`assign`]: the nodes of the incidences exist, and each has one that moves.
pub fn merge_all(incidences: &[(i32, i32)], parents: &mut [i32]) {
    for &(a, b) in incidences {
        // SAFETY: the nodes exist, and parents are nodes.
        unsafe { merge(parents.as_mut_ptr(), a, b) }
    }
}

/// As [`merge_all`], with a call for each.
pub fn merge_each(incidences: &[(i32, i32)], parents: &mut [i32]) {
    let merge = std::hint::black_box(merge as unsafe fn(*mut i32, i32, i32));
    for &(a, b) in incidences {
        // SAFETY: as of `merge_all`.
        unsafe { merge(parents.as_mut_ptr(), a, b) }
    }
}

unsafe fn merge(parents: *mut i32, a: i32, b: i32) {
    let (a, b) = match (a, b) {
        (-1, -1) => panic!("a self-incidence of the static tree"),
        (-1, b) => (b, b),
        (a, -1) => (a, a),
        ends => ends,
    };
    // SAFETY: of `merge_all`.
    unsafe {
        for x in [a, b] {
            if *parents.add(x as usize) == -1 {
                *parents.add(x as usize) = x;
            }
        }
        if *parents.add(a as usize) == *parents.add(b as usize) {
            return;
        }
        let (a, b) = (root(parents, a), root(parents, b));
        if a != b {
            *parents.add(a.max(b) as usize) = a.min(b);
        }
    }
}

unsafe fn root(parents: *mut i32, node: i32) -> i32 {
    let mut root = node;
    // SAFETY: of `merge_all`.
    unsafe {
        while *parents.add(root as usize) != root {
            root = *parents.add(root as usize);
        }
        let mut x = node;
        while x != root {
            x = std::mem::replace(&mut *parents.add(x as usize), root);
        }
    }
    root
}

pub fn assign(parents: &mut [i32], labels: &mut [i32]) -> usize {
    // So that no label is checked, as in C.
    let labels = &mut labels[..parents.len()];
    let mut count = 0;
    for x in 0..parents.len() {
        let parent = parents[x];
        if parent == -1 {
            labels[x] = -1;
        } else if parent == x as i32 {
            labels[x] = count;
            count += 1;
        } else {
            // SAFETY: a parent is a smaller node.
            unsafe {
                parents[x] = *parents.get_unchecked(parent as usize);
                labels[x] = *labels.get_unchecked(parent as usize);
            }
        }
    }
    count as usize
}
