#!/bin/sh
# Can every C and C++ program include aether.h? Compiles it without a warning in each language and dialect, twice in one
# file, and in two files that are linked together.
#
#   header-matrix.sh [HEADER]
set -u
here=$(dirname "$0")
. "$here/report.sh"
cp "${1:-$here/../include/aether.h}" "$work/aether.h" && cd "$work" || exit 1

# What C89 and C++98 have in common, with each kind of thing that the header defines.
cat >uses.c <<'END'
#include "aether.h"
#include "aether.h"
size_t uses(const aether_tensor *tensors, size_t *offsets, aether_plan *plan, void *scratch, aether_error *error);
size_t uses(const aether_tensor *tensors, size_t *offsets, aether_plan *plan, void *scratch, aether_error *error) {
  size_t need = AETHER_PLAN_OFFSETS_SCRATCH_SIZE(3);
  aether_status status = aether_plan_offsets(tensors, 3, offsets, plan, scratch, need, error);
  if (status != AETHER_OK) return SIZE_MAX;
  return plan->arena_size + AETHER_CHECK_OFFSETS_SCRATCH_SIZE(3) + AETHER_PEAK_LIVE_BYTES_SCRATCH_SIZE(3) +
         AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(3, 2) + AETHER_TRANSITIVE_REDUCTION_RANKED_SCRATCH_SIZE(3, 2) +
         AETHER_TOPOLOGICAL_RANKS_SCRATCH_SIZE(3, 2) + AETHER_REACHABILITY_MATRIX_SIZE(3) +
         AETHER_REACHABILITY_SCRATCH_SIZE(3);
}
END
cp uses.c uses.cpp
for language in c cpp; do
  printf '#include "aether.h"\nint main(void) { return AETHER_OK; }\n' >"main.$language"
  printf '#include "aether.h"\n' >"other.$language"
done

# compiles COMPILER FLAG...: in C or C++, after the compiler's name.
compiles() {
  case $1 in
    *++) source=uses.cpp ;;
    *) source=uses.c ;;
  esac
  check "$*" "$@" -Werror -c $source -o uses.o
}

all="-Wall -Wextra -Wpedantic"
compiles gcc -std=c89 -pedantic $all
compiles gcc -std=c99 $all
compiles gcc -std=c11 -Wc++-compat $all
if command -v g++ >/dev/null; then
  compiles g++ -std=c++98 -D__STDC_LIMIT_MACROS $all # before C++11, SIZE_MAX is there only on request
  compiles g++ -std=c++11 $all
  compiles g++ -std=c++20 $all
  check "two C++ files, linked together" g++ $all -Werror -std=c++11 main.cpp other.cpp -o linked
else
  echo "skipped g++: not installed"
fi
if command -v clang >/dev/null; then
  compiles clang -std=c99 -Weverything
  compiles clang++ -std=c++17 -Weverything
else
  echo "skipped clang and clang++: not installed"
fi

# The header defines nothing, or the second object would define it again.
check "two C files, linked together" gcc $all -Werror -std=c99 main.c other.c -o linked
finish
