/*
 * One program, two Rust archives: libaether.a, and one that brings the whole standard library. The other one unwinds
 * from a panic, which it can do only if the personality function of its own runtime was linked, not the library's.
 * Prints "arena 180".
 */
#include "arena.h"

#include <stdio.h>

int other_rust_catches_a_panic(void);

int main(void) {
  if (other_rust_catches_a_panic() != 1) return 1;
  printf("arena %lu\n", (unsigned long)arena());
  return 0;
}
