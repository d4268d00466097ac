#!/bin/sh
# Can other projects build, install, find and link aether, whatever their build system? Each consumer plans three
# tensors and prints "arena 180". Everything happens in a temporary copy of the sources and in temporary directories.
#
#   run.sh [PREFIX]     temporary files go below PREFIX instead of $TMPDIR or /tmp
set -u
if [ $# -gt 0 ]; then
  TMPDIR=$(mkdir -p "$1" && cd "$1" && pwd) || exit 1
  export TMPDIR
fi
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
. "$here/../report.sh"

# Only what the library is built of, and a space in the name.
source="$work/the source"
mkdir -p "$source/c-tests"
cp -r "$top/CMakeLists.txt" "$top/cmake" "$top/include" "$top/src" "$source" || exit 1
cp "$top/c-tests/CMakeLists.txt" "$source/c-tests" || exit 1
cp "$top"/LICENSE-* "$source" || exit 1
listing() { find "$source" -exec ls -ld --time-style=full-iso {} + | sort; }
listing >"$work/before"

prints_arena() { [ "$("$@")" = "arena 180" ]; }

# fails_with PATTERN COMMAND...: the command must fail and say so.
fails_with() {
  pattern=$1
  shift
  if "$@" >"$work/said" 2>&1; then
    echo "succeeded"
    return 1
  fi
  tr -s ' \n' ' ' <"$work/said" >"$work/said-in-one-line"
  grep -q "$pattern" "$work/said-in-one-line" || { cat "$work/said"; return 1; }
}

# ---- As a subdirectory, with each generator

# What does not look into the object is asked of the checked profile, which compiles in a third of the time.
subdirectory() {
  build="$work/subdirectory $1" configuration=$2
  cmake -S "$here/add-subdirectory" -B "$build" -G "$1" "-DAETHER_SOURCE=$source" "-DAETHER_PROFILE=$3" &&
    cmake --build "$build" --parallel 2 &&
    for kind in static shared aether; do
      prints_arena "$build/${configuration}plan-$kind" || return 1
    done
}
# The object is gone, or everything is: the next build makes it again. A build with nothing to do leaves it alone.
builds_again() {
  object="$build/aether/cargo/aether.o"
  touch "$work/earlier" && cmake --build "$build" && [ ! "$object" -nt "$work/earlier" ] || return 1
  rm "$object" && cmake --build "$build" && [ -e "$object" ] || return 1
  cmake --build "$build" --target clean && [ ! -e "$object" ] || return 1
  cmake --build "$build" && prints_arena "$build/${configuration}plan-static"
}
builds_after_an_edit() {
  touch "$work/earlier" && cmake --build "$build" && [ ! "$object" -nt "$work/earlier" ] || return 1
  touch "$source/src/lib.rs" && cmake --build "$build" && [ "$object" -nt "$work/earlier" ]
}
installs_nothing_of_aether() {
  cmake --install "$build" --prefix "$work/parent" --config Release &&
    [ "$(cd "$work/parent" && find . -type f)" = ./bin/plan-aether ]
}

check "add_subdirectory, Ninja" subdirectory Ninja "" release
mv "$work/subdirectory Ninja/aether/cargo/aether.o" "$work/aether.o"
check "  another profile is compiled" subdirectory Ninja "" checked
check "  the object is built again when it is gone, and only then" builds_again
check "  the parent installs nothing of aether" installs_nothing_of_aether
check "add_subdirectory, Ninja Multi-Config" subdirectory "Ninja Multi-Config" Debug/ checked
check "  the object is built again when it is gone, and only then" builds_again
check "add_subdirectory, Unix Makefiles" subdirectory "Unix Makefiles" "" checked
check "  the object is built again when it is gone, and only then" builds_again
listing >"$work/after"
check "the source tree is untouched" cmp "$work/before" "$work/after"
check "an edited source is compiled again" builds_after_an_edit

# ---- Installed, and then moved

# With an empty CARGO_HOME, and with Rust settings, by variables and by a file, that would break the build if heeded.
install_it() {
  mkdir "$work/cargo-home" "$work/elsewhere" "$work/.cargo" || return 1
  printf '[build]\nrustflags = ["--no-such-flag"]\ntarget = "no-such-target"\n' >"$work/.cargo/config.toml"
  env "CARGO_HOME=$work/cargo-home" "CARGO_TARGET_DIR=$work/elsewhere" CARGO_BUILD_TARGET=no-such-target \
    RUSTFLAGS=--no-such-flag CARGO_BUILD_RUSTFLAGS=--no-such-flag CARGO_PROFILE_RELEASE_LTO=off \
    CARGO_PROFILE_RELEASE_PANIC=unwind CARGO_INCREMENTAL=1 \
    sh -c 'cmake -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Release -DAETHER_BUILD_TESTS=OFF && cmake --build "$2"' \
    sh "$source" "$work/build" &&
    cmake --install "$work/build" --prefix "$work/installed" &&
    [ -z "$(ls -A "$work/elsewhere")" ] &&
    rm -r "$work/.cargo" &&
    mv "$work/installed" "$work/moved" &&
    ! grep -rF "$work" --include=*.cmake --include=*.pc "$work/moved"
}
moved="$work/moved"
check "install, with an empty CARGO_HOME and hostile Rust settings" install_it
check "  the object is the same, byte for byte" \
  cmp "$work/build/cargo/aether.o" "$work/aether.o"
if [ ! -d "$moved" ]; then
  echo "the rest needs the installation"
  finish
  exit 1
fi
lib=$(dirname "$(find "$moved" -name libaether.a)")
abi=$(sed -n 's/^#define AETHER_ABI_VERSION //p' "$top/include/aether.h")
version=$(sed -n 's/^#define AETHER_VERSION "\(.*\)"/\1/p' "$top/include/aether.h")
major=${version%%.*} minor=${version#*.}
minor=${minor%.*}

installed_files() {
  (cd "$moved" && find . ! -type d) | sed "s|^\./${lib#"$moved"/}/|lib/|; s|^\./||" | sort >"$work/files"
  sort >"$work/expected" <<END
include/aether.h
lib/cmake/aether/aether-config-version.cmake
lib/cmake/aether/aether-config.cmake
lib/cmake/aether/aether-targets-release.cmake
lib/cmake/aether/aether-targets.cmake
lib/libaether.a
lib/libaether.so
lib/libaether.so.$abi
lib/libaether.so.$version
lib/pkgconfig/aether.pc
share/doc/aether/LICENSE-APACHE
share/doc/aether/LICENSE-MIT
END
  diff "$work/expected" "$work/files"
}
check "  these files are installed, and no other" installed_files
export PKG_CONFIG_PATH="$lib/pkgconfig"

found() {
  rm -rf "$work/found"
  cmake -S "$here/find-package" -B "$work/found" "-DCMAKE_PREFIX_PATH=$moved" "-DAETHER_REQUEST=$1" \
    "-DBUILD_SHARED_LIBS=$2" &&
    cmake --build "$work/found" &&
    for kind in static shared aether; do
      prints_arena "$work/found/plan-$kind" || return 1
    done
}
# links_shared PROGRAM yes|no: whether the program needs libaether.so.
links_shared() {
  if readelf -d "$work/found/$1" | grep -q 'NEEDED.*libaether\.so'; then [ "$2" = yes ]; else [ "$2" = no ]; fi
}

check "find_package $major.$minor, moved prefix, C++17 alone" found "$major.$minor" OFF
check "  aether::aether is the static library" links_shared plan-aether no
check "find_package $version, BUILD_SHARED_LIBS" found "$version" ON
check "  aether::aether is the shared library" links_shared plan-aether yes
check "  aether::static is the static library" links_shared plan-static no
check "find_package refuses version $major.$((minor + 1))" \
  fails_with "compatible with requested version \"$major.$((minor + 1))\"" found "$major.$((minor + 1))" OFF
check "find_package refuses version $((major + 1)).0" \
  fails_with "compatible with requested version \"$((major + 1)).0\"" found "$((major + 1)).0" OFF

# ---- By the compiler alone

shared_by_pkg_config() {
  cc "$here/plan.c" $(pkg-config --cflags --libs aether) -o "$work/plan" &&
    readelf -d "$work/plan" | grep -q 'NEEDED.*libaether\.so' &&
    prints_arena env "LD_LIBRARY_PATH=$lib" "$work/plan"
}
static_by_pkg_config() {
  cc -static "$here/plan.c" $(pkg-config --static --cflags --libs aether) -o "$work/plan" && prints_arena "$work/plan"
}
only_include_and_library() {
  flags=$(pkg-config --static --cflags --libs aether)
  [ "$(printf '%s\n' $flags | sed 's/^-I.*/-I/; s/^-L.*/-L/' | tr '\n' ' ')" = "-I -L -laether " ]
}
archive_by_path() {
  cc "-I$moved/include" "$here/plan.c" "$lib/libaether.a" -o "$work/plan" && prints_arena "$work/plan"
}
loaded() {
  cc "-I$moved/include" "$here/dlopen.c" -o "$work/dlopen" -ldl &&
    prints_arena "$work/dlopen" "$lib/libaether.so"
}
plugin() {
  cc -shared -fPIC "-I$moved/include" "$here/plugin.c" "$lib/libaether.a" -Wl,--exclude-libs,libaether.a \
    -o "$work/plugin.so" &&
    cc "$here/plugin_host.c" -o "$work/plugin_host" -ldl &&
    prints_arena "$work/plugin_host" "$work/plugin.so" &&
    [ "$(nm -D --defined-only "$work/plugin.so" | awk '{ print $3 }')" = plugin_arena ]
}
check "pkg-config tells the version" pkg-config --exact-version="$version" aether
check "pkg-config adds no flag but -I, -L and -laether, also for static linking" only_include_and_library
check "pkg-config, shared" shared_by_pkg_config
check "pkg-config, fully static" static_by_pkg_config
check "libaether.a by its path, with nothing else" archive_by_path
check "dlopen with RTLD_NOW" loaded
check "a plugin that links libaether.a and does not export it" plugin

# ---- Beside another Rust archive

cargo rustc --quiet --release --locked --offline --manifest-path "$here/other-rust/Cargo.toml" \
  --target-dir "$work/other-rust" || exit 1
beside() { cc "-I$moved/include" "$here/two_rusts.c" "$@" -o "$work/two" && prints_arena "$work/two"; }
other="$work/other-rust/release/libother_rust.a"
check "libaether.a before another Rust archive" beside "$lib/libaether.a" "$other"
check "libaether.a after another Rust archive" beside "$other" "$lib/libaether.a"

# ---- From Rust

check "a Rust crate without the standard library" cargo build --quiet --locked --offline \
  --manifest-path "$here/rust-without-std/Cargo.toml" --target-dir "$work/rust-without-std"

# ---- Without a fit cargo

# Nothing but a C toolchain, so that no cargo is found wherever the machine has it.
mkdir "$work/tools" "$work/old" "$work/old-rustc" || exit 1
for tool in cc as ld ar ranlib make; do ln -s "$(command -v $tool)" "$work/tools/$tool" || exit 1; done
printf '#!/bin/sh\necho "cargo 1.60.0 (0123456789 2022-04-07)"\n' >"$work/old/cargo"
printf '#!/bin/sh\necho "rustc 1.60.0 (0123456789 2022-04-07)"\n' >"$work/old-rustc/rustc"
printf '#!/bin/sh\necho "cargo 9.9.9 (0123456789 2022-04-07)"\n' >"$work/old-rustc/cargo"
chmod +x "$work"/old*/*
need=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$top/cmake/artifact/Cargo.toml")
configure() {
  rm -rf "$work/configured"
  env -i "PATH=$work/tools" HOME=/nonexistent "$(command -v cmake)" -S "$source" -B "$work/configured" \
    -G "Unix Makefiles" -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF "$@"
}
remedy="aether needs cargo and rustc $need or newer. Set AETHER_CARGO"
check "no cargo: configuring says what to do" fails_with "No cargo was found. $remedy" configure
check "an old cargo: configuring says what to do" \
  fails_with "old/cargo is version 1.60.0. $remedy" configure "-DAETHER_CARGO=$work/old/cargo"
check "an old rustc beside it: configuring says what to do" \
  fails_with "old-rustc/rustc is version 1.60.0. $remedy" configure "-DAETHER_CARGO=$work/old-rustc/cargo"
check "an unknown profile: configuring says which there are" \
  fails_with "must be release or checked" configure -DAETHER_PROFILE=debug
check "cross-compiling without a Rust target: configuring says what to set" \
  fails_with "set AETHER_RUST_TARGET" cmake -S "$source" -B "$work/crossed" -DCMAKE_SYSTEM_NAME=Linux
finish
