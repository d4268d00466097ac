#!/bin/sh
# Do the libraries offer what the header declares and nothing else, need nothing but a C library, and load?
#
#   symbols.sh LIBRARY.so LIBRARY.a
set -u
shared=$1 static=$2
here=$(dirname "$0")
. "$here/report.sh"
header=$here/../include/aether.h
abi=$(sed -n 's/^#define AETHER_ABI_VERSION //p' "$header")

# All that an object without a runtime may ask of the C library, and what the compiler's own start files refer to.
allowed="abort memcmp memcpy memmove memset"
start_files="_ITM_deregisterTMCloneTable _ITM_registerTMCloneTable __cxa_finalize __gmon_start__"

# Without comments and macros, whatever is followed by a parenthesis is a function.
cc -E -P "$header" | tr '\n' ' ' | grep -oE 'aether_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u >"$work/declared"

# Files of names; a symbol version is kept apart. The weak symbol lets the archive stand beside other Rust archives.
nm -D --defined-only "$shared" | awk '$2 != "A" { print $3 }' >"$work/exported-with-version"
sed 's/@.*//' "$work/exported-with-version" | sort -u >"$work/exported"
nm -g --defined-only "$static" | awk 'NF == 3 && !($2 == "W" && $3 == "rust_eh_personality") { print $3 }' |
  sort -u >"$work/global"
nm -D --undefined-only "$shared" | awk 'NF == 2 { sub(/@.*/, "", $2); print $2 }' | sort -u >"$work/undefined-shared"
nm -g --undefined-only "$static" | awk 'NF == 2 { print $2 }' | sort -u >"$work/undefined-static"
readelf -dW "$shared" >"$work/dynamic"
sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$work/dynamic" >"$work/needed"

# none WHAT: passes if it reads no line; else prints each, preceded by what is wrong with it.
none() {
  sed "s/^/$1: /" >"$work/lines"
  cat "$work/lines"
  [ ! -s "$work/lines" ]
}
same_as_declared() {
  comm -23 "$work/declared" "$1" | none "declared but missing" &&
    comm -13 "$work/declared" "$1" | none "not declared"
}
only() {
  names=$1
  shift
  printf '%s\n' "$@" | sort -u | comm -23 "$names" - | none "undefined"
}
versioned() { grep -v "@@AETHER_$abi\$" "$work/exported-with-version" | none "version"; }
no_formatting() { nm -C "$shared" "$static" | grep -E 'core::fmt|core\.\.fmt|4core3fmt' | none "formatting"; }
only_libc() { grep -v '^libc\.' "$work/needed" | none "needed"; }
has_soname() {
  grep '(SONAME)' "$work/dynamic" | grep -v "\[libaether\.so\.$abi\]" | none "soname" &&
    grep -q '(SONAME)' "$work/dynamic"
}
hidden_personality() {
  readelf -sW "$static" | awk '$NF == "rust_eh_personality" && $6 != "HIDDEN"' | none "not hidden"
}
loads() {
  cc -I "$here/../include" "$here/consumers/dlopen.c" -o "$work/dlopen" -ldl &&
    [ "$("$work/dlopen" "$(cd "$(dirname "$shared")" && pwd)/$(basename "$shared")")" = "arena 180" ]
}

check "the header declares functions" [ -s "$work/declared" ]
check "the shared library exports the functions of the header" same_as_declared "$work/exported"
check "the archive defines the functions of the header" same_as_declared "$work/global"
check "each export has the version AETHER_$abi" versioned
check "the soname is libaether.so.$abi" has_soname
check "the archive's personality symbol is hidden" hidden_personality
check "the shared library asks only for $allowed" only "$work/undefined-shared" $allowed $start_files
check "the archive asks only for $allowed" only "$work/undefined-static" $allowed
check "no code formats text" no_formatting
check "no library is needed but that of C" only_libc
check "the shared library loads with RTLD_NOW and plans" loads
finish
