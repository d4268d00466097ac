#!/bin/sh
# Does symbols.sh notice what it is there for? Breaks the libraries in one way at a time, each of which it must name.
#
#   symbols-alive.sh LIBRARY.so LIBRARY.a
set -u
shared=$1 static=$2
here=$(dirname "$0")
. "$here/report.sh"
abi=$(sed -n 's/^#define AETHER_ABI_VERSION //p' "$here/../include/aether.h")

# What each broken library brings beyond the real one.
cat >"$work/extra_export.c" <<'END'
int aether_extra(void);
int aether_extra(void) { return 0; }
END
cat >"$work/extra_undefined.c" <<'END'
int puts(const char *text);
int aether_islands_twice(void);
__attribute__((visibility("hidden"))) int aether_islands_twice(void) { return puts("twice"); }
END
cat >"$work/unresolved.c" <<'END'
int nobody_defines_this(void);
int aether_islands_twice(void);
__attribute__((visibility("hidden"))) int aether_islands_twice(void) { return nobody_defines_this(); }
END
cat >"$work/formatting.c" <<'END'
void aether_format(void) __asm__("_ZN4core3fmt5write17h0123456789abcdefE");
__attribute__((visibility("hidden"))) void aether_format(void) {}
END
printf 'AETHER_%s { global: aether_*; local: *; };\n' "$abi" >"$work/right.map"
printf 'AETHER_%s { global: aether_*; local: aether_islands; *; };\n' "$abi" >"$work/missing.map"
printf 'OTHER_1 { global: aether_*; local: *; };\n' >"$work/other.map"

# link OUTPUT FLAG...: the shared library over again, with the flags.
link() {
  output=$1
  shift
  cc -shared -fPIC -o "$work/$output.so" -Wl,--whole-archive "$static" -Wl,--no-whole-archive "$@"
}
# archive OUTPUT: the archive with one more object.
archive() {
  cc -c -fPIC "$work/$1.c" -o "$work/$1.o" && cp "$static" "$work/$1.a" && ar q "$work/$1.a" "$work/$1.o"
}
# refuses LINE SHARED STATIC: symbols.sh fails, and prints the line.
refuses() {
  if sh "$here/symbols.sh" "$2" "$3" >"$work/verdict" 2>&1; then
    echo "accepted"
    return 1
  fi
  cat "$work/verdict"
  grep -q "$1" "$work/verdict"
}
soname="-Wl,-soname,libaether.so.$abi"
right="-Wl,--version-script,$work/right.map"
{
  link extra_export "$work/extra_export.c" "$soname" "$right" &&
    link extra_undefined "$work/extra_undefined.c" "$soname" "$right" &&
    link unresolved "$work/unresolved.c" "$soname" "$right" &&
    link missing "$soname" "-Wl,--version-script,$work/missing.map" &&
    link version "$soname" "-Wl,--version-script,$work/other.map" &&
    link soname -Wl,-soname,libaether.so "$right" &&
    link needed "$soname" "$right" -Wl,--no-as-needed -lm &&
    archive extra_export && archive extra_undefined && archive formatting
} || exit 1

check "an export too many is named" refuses "^not declared: aether_extra" "$work/extra_export.so" "$static"
check "a missing export is named" refuses "^declared but missing: aether_islands$" "$work/missing.so" "$static"
check "an undefined symbol is named" refuses "^undefined: puts" "$work/extra_undefined.so" "$static"
check "a library that cannot load is refused" \
  refuses "undefined symbol: nobody_defines_this" "$work/unresolved.so" "$static"
check "a wrong version is named" refuses "^version: aether_islands@@OTHER_1" "$work/version.so" "$static"
check "a wrong soname is named" refuses "^soname: .*libaether.so]" "$work/soname.so" "$static"
check "a library too many is named" refuses "^needed: libm.so" "$work/needed.so" "$static"
check "a global symbol too many in the archive is named" \
  refuses "^not declared: aether_extra" "$shared" "$work/extra_export.a"
check "an undefined symbol of the archive is named" refuses "^undefined: puts" "$shared" "$work/extra_undefined.a"
check "formatting in the archive is named" refuses "^formatting: .*core::fmt" "$shared" "$work/formatting.a"
check "the libraries themselves are accepted" sh "$here/symbols.sh" "$shared" "$static"
finish
