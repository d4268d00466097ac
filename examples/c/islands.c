/* Finds what can be solved apart. Build: cc islands.c libaether.a */

#include <stdio.h>

#include <aether.h>

int main(void) {
  /* Bodies 0 and 3 touch, 3 and 4 too; 2 stands on the ground, which is -1; nothing touches 1. */
  const aether_incidence contacts[] = {{0, 3}, {3, 4}, {2, -1}};
  int32_t labels[5];
  size_t island_count;
  aether_error error;

  /* It needs no scratch: the labels are its memory. */
  if (aether_islands(5, contacts, 3, labels, &island_count, &error) != AETHER_OK) {
    char text[256];
    aether_error_message(&error, text, sizeof text);
    fprintf(stderr, "islands: %s\n", text);
    return 1;
  }

  for (int body = 0; body < 5; body++) {
    printf("body %d: island %d\n", body, (int)labels[body]);
  }
  printf("%zu islands; -1 is in none\n", island_count);
  return 0;
}
