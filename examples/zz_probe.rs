#[path = "../tests/common/conditions.rs"]
mod conditions;
use aether::arena::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t = conditions::read(std::path::Path::new(&a[1]));
    let kind: u32 = a[2].parse().unwrap();
    let nodes: u64 = a[3].parse().unwrap();
    let c = conditions::Conditioned::new(t, kind, 1);
    let p = c.problem();
    let pairs = p.compatible.len() + p.apart.len();
    let mut w: Vec<u64> =
        Vec::with_capacity(plan_search_scratch_size(p.tensors.len(), p.gaps.len(), pairs, p.reserved.len()) / 8);
    let (o, f) =
        plan_search(&p, Effort { work_limit: nodes, seed: 0 }, &mut |_| false, w.spare_capacity_mut()).unwrap();
    println!("{f:?} reserved {:?}", c.reserved);
    let mut v: Vec<_> = (0..p.tensors.len()).map(|i| (o[i] + p.tensors[i].size, o[i], p.tensors[i])).collect();
    v.sort_by_key(|x| std::cmp::Reverse(x.0));
    for x in v.iter().take(12) {
        println!("{x:?}");
    }
}
