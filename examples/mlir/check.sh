#!/bin/sh
# Does the plugin what it says? On the patterns, on types, with an arena from the caller, and on a network that is run
# before and after.
#
#   check.sh PLUGIN
set -u
plugin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

ok() {
  if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  [ "$1" -eq 0 ] && echo "ok   $2" || echo "FAIL $2"
}
# arena OPTIONS FILE...: the file after the pass.
arena() {
  options=$1
  shift
  mlir-opt-19 --load-pass-plugin="$plugin" --pass-pipeline="builtin.module(func.func(aether-arena{$options}))" "$@"
}
# attribute NAME OF: what the pass says of a function.
attribute() { sed -n "s/.*func.func.*@$2(.*aether.$1 = \([0-9]*\) .*/\1/p"; }
is() { [ "$1" = "$2" ]; ok $? "$3: $1, want $2"; }

# Every pattern is valid afterwards, and the library's rule of ownership holds: no dealloc is left of a view.
for mode in sound tight; do
  arena "mode=$mode" --split-input-file "$here/patterns.mlir" >"$work/patterns" 2>"$work/errors"
  ok $? "patterns, $mode"
  cat "$work/errors"
done
grep -c 'memref.view' "$work/patterns" >"$work/views"
[ "$(cat "$work/views")" -gt 60 ]
ok $? "patterns: $(cat "$work/views") views"
arena mode=compat --split-input-file "$here/patterns.mlir" 2>&1 >/dev/null |
  grep -c 'error: \(no dealloc\|it is freed\)' >"$work/errors"
is "$(cat "$work/errors")" 5 "patterns, compat: errors"

arena algorithm=sequential "$here/types.mlir" >"$work/types"
ok $? "types"
is "$(attribute arena_size bits <"$work/types")" 24 "bytes for bits"
# 32, 16 and 32 bytes.
is "$(attribute arena_size wide <"$work/types")" 80 "bytes for indices, 24 bits and vectors"
is "$(attribute arena_size apart <"$work/types")" 256 "bytes where two are left alone"
is "$(grep -c 'memref.alloc().*memref<64xf32, 1>\|memref.alloc().*strided' "$work/types")" 2 "left alone"
is "$(sed -n '/@exits/,$p' "$work/types" | grep -c 'memref.dealloc .*i8')" 2 "the arena is freed at each exit"

arena "arena-mode=arg" "$here/arena-argument.mlir" >"$work/argument"
ok $? "an arena from the caller"
is "$(grep -c 'memref.alloc\|memref.dealloc' "$work/argument")" 0 "nothing is allocated then"
for type in 12287xi8 '?xi8' 12288xf32; do
  sed "s/%arena: memref<12288xi8>/%arena: memref<$type>/" "$here/arena-argument.mlir" >"$work/short.mlir"
  arena "arena-mode=arg" "$work/short.mlir" 2>&1 | grep -q 'error: argument 0 must .*12288'
  ok $? "an arena of $type is refused"
done
sed 's/%arena: memref<12288xi8>//' "$here/arena-argument.mlir" >"$work/none.mlir"
arena "arena-mode=arg" "$work/none.mlir" 2>&1 | grep -q 'error: argument 0 must be a memref of i8'
ok $? "no arena is refused"

# A buffer that is returned stays; MLIR's own pass refuses the function.
cat >"$work/returned.mlir" <<'END'
func.func @returned() -> memref<16xi8> {
  %a = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<16xi8>
  return %a : memref<16xi8>
}
END
is "$(arena mode=sound "$work/returned.mlir" | grep -c 'memref.alloc().*memref<16xi8>')" 1 "a returned buffer stays"
arena mode=compat "$work/returned.mlir" 2>&1 | grep -q 'error: mode compat: a function that returns a memref'
ok $? "compat refuses to return a memref"

# The network, as MLIR's own passes bufferize it, run with and without an arena.
run() {
  mlir-opt-19 "$1" --convert-linalg-to-loops --convert-scf-to-cf --expand-strided-metadata --lower-affine \
    --convert-vector-to-llvm --finalize-memref-to-llvm --convert-arith-to-llvm --convert-index-to-llvm \
    --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts |
    mlir-cpu-runner-19 -e main --entry-point-result=void \
      --shared-libs=/usr/lib/llvm-19/lib/libmlir_c_runner_utils.so
}
bufferize="bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map"
mlir-opt-19 "$here/network.mlir" --one-shot-bufferize="$bufferize" \
  --buffer-results-to-out-params=hoist-static-allocs=true --buffer-deallocation-pipeline >"$work/network.mlir"
ok $? "the network is bufferized"
run "$work/network.mlir" >"$work/before"
ok $? "the network runs"
is "$(wc -l <"$work/before" | tr -d ' ')" 4 "numbers"
for mode in compat sound tight; do
  for algorithm in sequential first-use portfolio search; do
    arena "mode=$mode algorithm=$algorithm" "$work/network.mlir" >"$work/planned.mlir" &&
      run "$work/planned.mlir" >"$work/after" && cmp "$work/before" "$work/after"
    ok $? "the same numbers, $mode, $algorithm"
    size=$(attribute arena_size network <"$work/planned.mlir")
    echo "     $(attribute allocated network <"$work/planned.mlir") bytes allocated, an arena of ${size:-none}"
  done
done
[ "$size" -lt "$(attribute allocated network <"$work/planned.mlir")" ]
ok $? "the arena is smaller than what was allocated"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
