//! libFuzzer on the target that AETHER_FUZZ names.
#![no_main]

use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("AETHER_FUZZ").expect("AETHER_FUZZ names a target");
    aether_fuzz::TARGETS.iter().find(|target| target.name == name).expect("AETHER_FUZZ names a target").run
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| TARGET(data));
