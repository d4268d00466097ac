/* A program that links the library, one way or another: prints "arena 180". */
#include "arena.h"

#include <stdio.h>

int main(void) {
  printf("arena %lu\n", (unsigned long)arena());
  return 0;
}
