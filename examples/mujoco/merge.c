/*
 * MuJoCo's merge of two trees, done by aether: preloaded before the released library, this takes the place of the
 * function that MuJoCo's own island pass calls for each incidence of a constraint. It also keeps what came in since
 * aether_recorded_count was last set to 0, for client.py.
 */

#include <stdio.h>
#include <stdlib.h>

#include <aether.h>

enum { MOST_RECORDED = 1 << 20 };
aether_incidence aether_recorded[MOST_RECORDED];
size_t aether_recorded_count, aether_merge_count;

void mj_dsuMerge(int *parent, int tree1, int tree2);

void mj_dsuMerge(int *parent, int tree1, int tree2) {
  const aether_incidence incidence = {tree1, tree2};
  /* A parent is never above its node, so the nodes beyond the larger end do not matter. */
  const int32_t largest = tree1 > tree2 ? tree1 : tree2;
  aether_error error;
  if (aether_islands_merge((size_t)largest + 1, parent, NULL, &incidence, 1, NULL, 0, &error) != AETHER_OK) {
    char text[256];
    aether_error_message(&error, text, sizeof text);
    fprintf(stderr, "merge: %s\n", text);
    abort();
  }
  aether_merge_count++;
  if (aether_recorded_count < MOST_RECORDED) {
    aether_recorded[aether_recorded_count++] = incidence;
  }
}
