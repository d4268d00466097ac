//! What the C artifact needs because it has no `std`: a panic handler that aborts, and a personality symbol.
//!
//! `core` is compiled to unwind, so an object without fat link-time optimisation may refer to `rust_eh_personality`;
//! a shared library would link without it and then fail to load. The symbol here is weak and hidden, so it clashes
//! with no other Rust archive of the program, and it traps, because nothing here unwinds.

#[cfg(all(feature = "abort-handler", not(feature = "std"), not(test)))]
mod artifact {
    #[cfg(not(panic = "abort"))]
    compile_error!("the artifact without `std` must be built with panic = \"abort\"");

    unsafe extern "C" {
        safe fn abort() -> !;
    }

    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo) -> ! {
        abort()
    }

    #[cfg(all(target_os = "linux", any(target_arch = "x86", target_arch = "x86_64")))]
    core::arch::global_asm!(
        ".pushsection .text.rust_eh_personality,\"ax\",@progbits",
        ".weak rust_eh_personality",
        ".hidden rust_eh_personality",
        ".type rust_eh_personality,@function",
        "rust_eh_personality:",
        "ud2",
        ".size rust_eh_personality, . - rust_eh_personality",
        ".popsection",
    );

    #[cfg(all(target_os = "linux", target_arch = "aarch64"))]
    core::arch::global_asm!(
        ".pushsection .text.rust_eh_personality,\"ax\",%progbits",
        ".weak rust_eh_personality",
        ".hidden rust_eh_personality",
        ".type rust_eh_personality,%function",
        "rust_eh_personality:",
        "udf #0",
        ".size rust_eh_personality, . - rust_eh_personality",
        ".popsection",
    );
}
