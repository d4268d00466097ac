#!/bin/sh
# Do AddressSanitizer and UndefinedBehaviorSanitizer find nothing in the drivers and in the library under them, and do
# they find faults that are planted? The library is instrumented too, so that its own reads and writes are seen, which
# needs a nightly Rust with its source, and clang. Ends with 77 without them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/report.sh"
recorded=${1:-$here/../../shared}

skip() {
  echo "skipped: AddressSanitizer: $1"
  exit 77
}
command -v clang >/dev/null 2>&1 || skip "there is no clang"
cargo +nightly --version >/dev/null 2>&1 || skip "there is no nightly Rust"
[ -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library" ] || skip "the nightly has no rust-src"
target=$(rustc +nightly -vV | sed -n 's/^host: //p')

RUSTFLAGS="-Zsanitizer=address" cargo +nightly rustc --quiet --offline -Zbuild-std=core \
  --manifest-path "$here/../cmake/artifact/Cargo.toml" --target-dir "$work/cargo" --lib --profile checked \
  --target "$target" --features abort-handler -- --emit=obj="$work/aether.o" 2>"$work/log" ||
  skip "the nightly does not build the library: $(tail -1 "$work/log")"
compile() {
  clang -std=c11 -fsanitize=address,undefined -fno-sanitize-recover=all -g -O1 -I "$here/../include" -I "$here" "$@" \
    "$work/aether.o" -lpthread 2>"$work/log"
}
compile "$here/valgrind/one_byte.c" -o "$work/one_byte" ||
  skip "clang does not link with the sanitizer: $(tail -1 "$work/log")"

# Where the kernel gives addresses that the sanitizer cannot use, without randomisation it can.
run() {
  setarch "$(uname -m)" -R env AETHER_FEWER=1 ASAN_OPTIONS=exitcode=66:detect_stack_use_after_return=1 "$@" "$recorded" >"$work/out" 2>&1
  code=$?
  [ $code -eq 0 ] || [ $code -eq 77 ] || tail -30 "$work/out"
  [ $code -eq 0 ] || [ $code -eq 77 ]
}
is_seen() {
  compile "$1" -o "$work/planted" || return 1
  setarch "$(uname -m)" -R env ASAN_OPTIONS=exitcode=66 "$work/planted" >"$work/out" 2>&1
  [ $? -eq 66 ] && grep -q "heap-buffer-overflow" "$work/out" && grep -q "in aether_" "$work/out"
}

check "one byte beyond a buffer is seen" is_seen "$here/valgrind/one_byte.c"
check "one offset beyond a buffer is seen" is_seen "$here/valgrind/short_buffer.c"
for driver in "$here"/*.c "$here"/../examples/c/*.c; do
  name=$(basename "$driver" .c)
  case $name in
    # The first brings its own malloc, the second its own stack.
    no_alloc | stack) continue ;;
  esac
  check "$name compiles" compile "$driver" -o "$work/$name" || continue
  check "nothing is found in $name" run "$work/$name"
done
finish
