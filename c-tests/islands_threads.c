/*
 * Many threads merge into one forest: the labels are those of one call, for every number of threads. The memory is plain
 * int32_t that this program writes before and reads after the threads run, so a thread sanitizer can watch it.
 */

#include <pthread.h>
#include <stdlib.h>

#include "check.h"

enum { GRAPHS = 200, MOST_NODES = 3000, MOST_INCIDENCES = 3 * MOST_NODES, MOST_THREADS = 4, PIECE = 64 };

static uint32_t random_state = 1;

static int32_t random_below(int32_t limit) {
  random_state = random_state * 1664525u + 1013904223u;
  return (int32_t)((random_state >> 8) % (uint32_t)limit);
}

static size_t node_count, incidence_count, thread_count;
static aether_incidence incidences[MOST_INCIDENCES];
static int32_t parents[MOST_NODES], want[MOST_NODES];
static uint8_t marks[MOST_NODES], *wanted_marks;
static aether_status results[MOST_THREADS];

/* Every thread_count-th piece, from that of the thread on; every other piece as constraints over two nodes. */
static void *merge(void *number) {
  const size_t thread = (size_t)((aether_status *)number - results);
  size_t pair_offsets[PIECE + 1];
  for (size_t i = 0; i <= PIECE; i++) {
    pair_offsets[i] = 2 * i;
  }
  for (size_t begin = thread * PIECE; begin < incidence_count; begin += thread_count * PIECE) {
    const size_t size = incidence_count - begin < PIECE ? incidence_count - begin : PIECE;
    aether_status status;
    if (begin / PIECE % 2 == 0) {
      status = aether_islands_concurrent_merge(node_count, parents, wanted_marks, incidences + begin, size, NULL, 0, NULL);
    } else {
      int32_t members[2 * PIECE];
      for (size_t i = 0; i < size; i++) {
        members[2 * i] = incidences[begin + i].a;
        members[2 * i + 1] = incidences[begin + i].b;
      }
      status = aether_islands_concurrent_merge_many(node_count, parents, wanted_marks, pair_offsets, size, members,
                                                    2 * size, NULL, 0, NULL);
    }
    if (status != AETHER_OK) {
      *(aether_status *)number = status;
    }
  }
  return NULL;
}

static void check_graph(void) {
  size_t want_islands, islands = NONE;
  CHECK_EQ(aether_islands(node_count, incidences, incidence_count, want, &want_islands, NULL), AETHER_OK);
  for (thread_count = 1; thread_count <= MOST_THREADS; thread_count++) {
    pthread_t threads[MOST_THREADS];
    wanted_marks = thread_count % 2 == 0 ? marks : NULL;
    CHECK_EQ(aether_islands_begin(node_count, parents, wanted_marks, NULL), AETHER_OK);
    for (size_t t = 0; t < thread_count; t++) {
      results[t] = AETHER_OK;
      CHECK_EQ(pthread_create(&threads[t], NULL, merge, &results[t]), 0);
    }
    for (size_t t = 0; t < thread_count; t++) {
      CHECK_EQ(pthread_join(threads[t], NULL), 0);
      CHECK_EQ(results[t], AETHER_OK);
    }
    CHECK_EQ(aether_islands_finish(node_count, parents, wanted_marks, NULL, NULL, &islands, NULL, NULL), AETHER_OK);
    CHECK_EQ(islands, want_islands);
    CHECK(memcmp(parents, want, node_count * sizeof *want) == 0);
  }
}

static void random_graphs_have_the_labels_of_one_call(void) {
  for (size_t graph = 0; graph < GRAPHS; graph++) {
    note("graph %zu", graph);
    node_count = (size_t)(1 + random_below(graph % 8 == 0 ? MOST_NODES : 200));
    incidence_count = (size_t)random_below(3 * (int32_t)node_count);
    for (size_t i = 0; i < incidence_count; i++) {
      const int32_t a = random_below((int32_t)node_count), b = random_below((int32_t)node_count);
      incidences[i] = (aether_incidence){a, random_below(4) == 0 ? -1 : b};
    }
    check_graph();
  }
}

static void chains_and_stars_have_the_labels_of_one_call(void) {
  for (size_t round = 0; round < 10; round++) {
    note("round %zu", round);
    node_count = MOST_NODES;
    incidence_count = MOST_NODES - 1;
    for (size_t i = 0; i < incidence_count; i++) {
      const int32_t x = (int32_t)(MOST_NODES - 1 - i);
      incidences[i] = (aether_incidence){x, round % 2 == 0 ? x - 1 : 0};
    }
    check_graph();
  }
}

int main(void) {
  TEST(random_graphs_have_the_labels_of_one_call);
  TEST(chains_and_stars_have_the_labels_of_one_call);
  return tests_end();
}
