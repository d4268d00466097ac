#!/bin/sh
# Does ThreadSanitizer find no race in the concurrent islands, and does it find one that is planted? Both the library
# and the driver are instrumented, which needs a nightly Rust with its source, and clang. Ends with 77 without them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/report.sh"

skip() {
  echo "skipped: ThreadSanitizer: $1"
  exit 77
}
command -v clang >/dev/null 2>&1 || skip "there is no clang"
cargo +nightly --version >/dev/null 2>&1 || skip "there is no nightly Rust"
[ -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library" ] || skip "the nightly has no rust-src"
target=$(rustc +nightly -vV | sed -n 's/^host: //p')

# The core of Rust is built with the sanitizer as well.
RUSTFLAGS="-Zsanitizer=thread" cargo +nightly rustc --quiet --offline -Zbuild-std=core \
  --manifest-path "$here/../cmake/artifact/Cargo.toml" --target-dir "$work/cargo" --lib --profile checked \
  --target "$target" --features abort-handler -- --emit=obj="$work/aether.o" 2>"$work/log" ||
  skip "the nightly does not build the library: $(tail -1 "$work/log")"
# An older runtime has the C functions of the same meaning only.
cat >"$work/older.c" <<'END'
#include <string.h>
__attribute__((weak)) void *__tsan_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }
__attribute__((weak)) void *__tsan_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }
__attribute__((weak)) void *__tsan_memset(void *to, int value, size_t size) { return memset(to, value, size); }
END
compile() {
  clang -fsanitize=thread -g -O1 -I "$here/../include" "$@" "$work/older.c" "$work/aether.o" -lpthread 2>"$work/log"
}
# The fault: one thread at a time is meant to use aether_islands_merge.
sed 's/aether_islands_concurrent_merge/aether_islands_merge/' "$here/islands_threads.c" >"$work/racy.c"
compile "$here/islands_threads.c" -o "$work/threads" && compile -I "$here" "$work/racy.c" -o "$work/racy" ||
  skip "clang does not link with the sanitizer: $(tail -1 "$work/log")"
# Where the kernel gives addresses that the sanitizer cannot use, without randomisation it can.
run() { setarch "$(uname -m)" -R env TSAN_OPTIONS="halt_on_error=1 exitcode=66" "$@" >"$work/out" 2>&1; }
has_race() {
  run "$1"
  [ $? -eq 66 ] && grep -q "data race" "$work/out"
}

check "no race between threads that merge concurrently" run "$work/threads"
check "a race is found where they merge as one thread should" has_race "$work/racy"
finish
