//! A panic that is caught: it needs the unwinder, and so the real personality function.

#[unsafe(no_mangle)]
pub extern "C" fn other_rust_catches_a_panic() -> i32 {
    std::panic::set_hook(Box::new(|_| ()));
    i32::from(std::panic::catch_unwind(|| panic!("caught")).is_err())
}
