/*
 * The transitive reduction as TensorFlow's collective ordering needs it (tensorflow/tensorflow#124410).
 *
 * A device must start its collectives in one order everywhere. For each two collectives of a device that no data path
 * orders, the one with the higher instance key gets an edge to the other, and the reduction says which of these edges
 * are needed. Keys descend along every edge, so minus the key is the rank of a node, and the ids stay as discovered.
 */

#include <stdlib.h>

#include "check.h"

/* Reduces into `keep` and returns the number of kept edges. */
static size_t reduce(size_t node_count, const aether_edge *edges, size_t edge_count, uint8_t *keep) {
  size_t need = aether_transitive_reduction_scratch_size(node_count, edge_count);
  void *scratch = malloc(need);
  size_t kept = NONE;
  CHECK_EQ(aether_transitive_reduction(node_count, edges, edge_count, keep, &kept, scratch, need, NULL), AETHER_OK);
  free(scratch);
  size_t ones = 0;
  for (size_t i = 0; i < edge_count; i++) {
    CHECK(keep[i] <= 1);
    ones += keep[i];
  }
  CHECK_EQ(kept, ones);
  return kept;
}

static void check_reduction(size_t node_count, const aether_edge *edges, size_t edge_count, const uint8_t *want) {
  uint8_t keep[32];
  reduce(node_count, edges, edge_count, keep);
  for (size_t i = 0; i < edge_count; i++) {
    note("edge %zu", i);
    CHECK_EQ(keep[i], want[i]);
  }
  note("%s", "");
}

/* ---- Collective ordering ---- */

typedef struct collective {
  int device;
  int32_t key; /* the instance key, unique on its device */
} collective;

/* The output of one collective reaches the other on the same device. */
typedef struct data_path {
  int device;
  int32_t from, to;
} data_path;

/* "On this device, `first` must start before `second`." */
typedef struct ordering {
  int device;
  int32_t first, second;
} ordering;

enum { MOST_COLLECTIVES = 8, MOST_ORDERINGS = 32 };

static int joined(const data_path *paths, size_t path_count, const collective *a, const collective *b) {
  for (size_t i = 0; i < path_count; i++) {
    int forth = paths[i].from == a->key && paths[i].to == b->key;
    int back = paths[i].from == b->key && paths[i].to == a->key;
    if (paths[i].device == a->device && (forth || back)) {
      return 1;
    }
  }
  return 0;
}

/* The orderings that the collectives need, in any order of discovery; returns how many. */
static size_t order_collectives(const collective *nodes, size_t count, const data_path *paths, size_t path_count,
                                ordering *needed) {
  static uint64_t
      scratch[AETHER_TRANSITIVE_REDUCTION_RANKED_SCRATCH_SIZE(MOST_COLLECTIVES, MOST_ORDERINGS) / sizeof(uint64_t)];
  int64_t ranks[MOST_COLLECTIVES] = {0};
  aether_edge edges[MOST_ORDERINGS] = {{0, 0}};
  uint8_t keep[MOST_ORDERINGS];
  size_t edge_count = 0, needed_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    ranks[i] = -(int64_t)nodes[i].key;
    for (uint32_t j = 0; j < i; j++) {
      if (nodes[i].device == nodes[j].device && !joined(paths, path_count, &nodes[i], &nodes[j])) {
        edges[edge_count++] = nodes[i].key > nodes[j].key ? (aether_edge){i, j} : (aether_edge){j, i};
      }
    }
  }
  CHECK_EQ(aether_transitive_reduction_ranked(count, ranks, edges, edge_count, NULL, keep, NULL, scratch,
                                              sizeof scratch, NULL),
           AETHER_OK);
  for (size_t i = 0; i < edge_count; i++) {
    if (keep[i]) {
      const collective *first = &nodes[edges[i].from], *second = &nodes[edges[i].to];
      needed[needed_count++] = (ordering){first->device, first->key, second->key};
    }
  }
  return needed_count;
}

/* Exactly these orderings come out, whatever order they come in. */
static void check_orderings(const ordering *got, size_t got_count, const ordering *want, size_t want_count) {
  CHECK_EQ(got_count, want_count);
  for (size_t i = 0; i < want_count; i++) {
    size_t found = 0;
    for (size_t j = 0; j < got_count; j++) {
      found += got[j].device == want[i].device && got[j].first == want[i].first && got[j].second == want[i].second;
    }
    note("device %d, %d -> %d", want[i].device, (int)want[i].first, (int)want[i].second);
    CHECK_EQ(found, 1);
  }
  note("%s", "");
}

/* The inverted form: the keys that a collective waits for. Exactly `want`, `want_count` of them. */
static void check_wait_for(const ordering *needed, size_t needed_count, collective waiting, const int32_t *want,
                           size_t want_count) {
  int32_t wait_for[MOST_ORDERINGS];
  size_t count = 0;
  for (size_t i = 0; i < needed_count; i++) {
    if (needed[i].device == waiting.device && needed[i].second == waiting.key) {
      wait_for[count++] = needed[i].first;
    }
  }
  note("device %d, key %d", waiting.device, (int)waiting.key);
  CHECK_EQ(count, want_count);
  for (size_t i = 0; i < count && i < want_count; i++) {
    CHECK_EQ(wait_for[i], want[i]);
  }
  note("%s", "");
}

/* Key 1 feeds keys 2 and 3, on each of two devices. */
static const collective simple_nodes[] = {{0, 1}, {0, 2}, {1, 3}, {0, 3}, {1, 1}, {1, 2}};
static const data_path simple_paths[] = {{0, 1, 2}, {0, 1, 3}, {1, 1, 2}, {1, 1, 3}};

static void simple_order_as_edges(void) {
  ordering needed[MOST_ORDERINGS];
  size_t count = order_collectives(simple_nodes, COUNT(simple_nodes), simple_paths, COUNT(simple_paths), needed);
  const ordering want[] = {{0, 3, 2}, {1, 3, 2}};
  check_orderings(needed, count, want, COUNT(want));
}

static void simple_order_as_wait_for(void) {
  ordering needed[MOST_ORDERINGS];
  size_t count = order_collectives(simple_nodes, COUNT(simple_nodes), simple_paths, COUNT(simple_paths), needed);
  for (int device = 0; device < 2; device++) {
    check_wait_for(needed, count, (collective){device, 1}, NULL, 0);
    check_wait_for(needed, count, (collective){device, 2}, (const int32_t[]){3}, 1);
    check_wait_for(needed, count, (collective){device, 3}, NULL, 0);
  }
}

static void the_reduction_is_exact_where_the_other_path_has_three_edges(void) {
  const collective nodes[] = {{0, 2}, {0, 4}, {0, 1}, {0, 3}};
  const data_path paths[] = {{0, 3, 1}, {0, 4, 2}};
  ordering needed[MOST_ORDERINGS];
  size_t count = order_collectives(nodes, COUNT(nodes), paths, COUNT(paths), needed);
  /* Created: 4 -> 3, 4 -> 1, 3 -> 2, 2 -> 1. 4 -> 3 -> 2 -> 1 makes 4 -> 1 redundant. */
  const ordering want[] = {{0, 4, 3}, {0, 3, 2}, {0, 2, 1}};
  check_orderings(needed, count, want, COUNT(want));
}

static void simple_order_behind_an_identity(void) {
  const collective nodes[] = {{0, 1}, {0, 4}, {0, 3}, {0, 2}};
  const data_path paths[] = {{0, 1, 4}, {0, 1, 2}, {0, 1, 3}};
  ordering needed[MOST_ORDERINGS];
  size_t count = order_collectives(nodes, COUNT(nodes), paths, COUNT(paths), needed);
  /* 4 -> 2 goes: 4 -> 3 -> 2. */
  const ordering want[] = {{0, 4, 3}, {0, 3, 2}};
  check_orderings(needed, count, want, COUNT(want));
}

static void pruning_leaves_each_collective_one_to_wait_for(void) {
  const collective nodes[] = {{0, 3}, {0, 1}, {0, 2}, {0, 4}};
  ordering needed[MOST_ORDERINGS];
  size_t count = order_collectives(nodes, COUNT(nodes), NULL, 0, needed);
  CHECK_EQ(count, 3);
  check_wait_for(needed, count, (collective){0, 4}, NULL, 0);
  check_wait_for(needed, count, (collective){0, 3}, (const int32_t[]){4}, 1);
  check_wait_for(needed, count, (collective){0, 2}, (const int32_t[]){3}, 1);
  check_wait_for(needed, count, (collective){0, 1}, (const int32_t[]){2}, 1);
}

static void a_collective_can_wait_for_several(void) {
  /* 4 feeds 3, and 2 feeds 1: created are 4 -> 2, 4 -> 1, 3 -> 2, 3 -> 1, and none is redundant. */
  const collective nodes[] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}};
  const data_path paths[] = {{0, 4, 3}, {0, 2, 1}};
  ordering needed[MOST_ORDERINGS];
  size_t count = order_collectives(nodes, COUNT(nodes), paths, COUNT(paths), needed);
  CHECK_EQ(count, 4);
  check_wait_for(needed, count, (collective){0, 2}, (const int32_t[]){3, 4}, 2);
  check_wait_for(needed, count, (collective){0, 1}, (const int32_t[]){3, 4}, 2);
}

static void a_chain_of_data_or_a_lone_collective_needs_no_ordering(void) {
  const collective nodes[] = {{0, 7}, {0, -7}, {0, INT32_MIN}, {1, 7}};
  const data_path paths[] = {{0, 7, -7}, {0, 7, INT32_MIN}, {0, -7, INT32_MIN}};
  ordering needed[MOST_ORDERINGS];
  CHECK_EQ(order_collectives(nodes, COUNT(nodes), paths, COUNT(paths), needed), 0);
  CHECK_EQ(order_collectives(nodes, 1, NULL, 0, needed), 0);
  CHECK_EQ(order_collectives(NULL, 0, NULL, 0, needed), 0);
}

/* ---- The reduction itself ---- */

static void the_exact_case_comes_out_the_same_in_all_24_edge_orders(void) {
  const aether_edge edges[] = {{0, 1}, {0, 3}, {1, 2}, {2, 3}};
  const uint8_t want[] = {1, 0, 1, 1};
  size_t orders = 0;
  for (size_t code = 0; code < 256; code++) {
    size_t order[] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
    if ((1u << order[0] | 1u << order[1] | 1u << order[2] | 1u << order[3]) != 15) {
      continue;
    }
    aether_edge permuted[4];
    uint8_t permuted_want[4];
    for (size_t i = 0; i < 4; i++) {
      permuted[i] = edges[order[i]];
      permuted_want[i] = want[order[i]];
    }
    check_reduction(4, permuted, 4, permuted_want);
    orders++;
  }
  CHECK_EQ(orders, 24);
}

static void unordered_collectives_reduce_to_the_chain_of_their_numbers(void) {
  const uint32_t counts[] = {2, 3, 5, 8, 1024};
  for (size_t c = 0; c < COUNT(counts); c++) {
    uint32_t n = counts[c];
    size_t edge_count = (size_t)n * (n - 1) / 2, e = 0, wrong = 0;
    aether_edge *edges = malloc(edge_count * sizeof *edges);
    uint8_t *keep = malloc(edge_count);
    for (uint32_t from = 0; from < n; from++) {
      for (uint32_t to = from + 1; to < n; to++) {
        edges[e++] = (aether_edge){from, to};
      }
    }
    note("%u collectives", (unsigned)n);
    CHECK_EQ(reduce(n, edges, edge_count, keep), n - 1);
    for (e = 0; e < edge_count; e++) {
      wrong += keep[e] != (edges[e].to == edges[e].from + 1);
    }
    CHECK_EQ(wrong, 0);
    free(edges);
    free(keep);
  }
}

static void of_equal_edges_the_first_is_kept(void) {
  const aether_edge edges[] = {{0, 1}, {0, 1}, {1, 2}, {0, 2}, {2, 3}, {2, 3}, {0, 2}};
  check_reduction(4, edges, COUNT(edges), (const uint8_t[]){1, 0, 1, 0, 1, 0, 0});
  const aether_edge apart[] = {{2, 3}, {0, 1}, {2, 3}, {0, 1}};
  check_reduction(4, apart, COUNT(apart), (const uint8_t[]){1, 1, 0, 0});
}

static void isolated_nodes_change_nothing(void) {
  const aether_edge edge = {0, 1};
  check_reduction(3, &edge, 1, (const uint8_t[]){1});
  const aether_edge edges[] = {{700, 1999}, {3, 700}, {3, 1999}};
  check_reduction(2000, edges, COUNT(edges), (const uint8_t[]){1, 1, 0});
}

static void without_edges_nothing_is_kept_and_no_scratch_is_needed(void) {
  CHECK_EQ(reduce(0, NULL, 0, NULL), 0);
  CHECK_EQ(reduce(1, NULL, 0, NULL), 0);
  CHECK_EQ(reduce(UINT32_MAX, NULL, 0, NULL), 0);
  CHECK_EQ(aether_transitive_reduction_scratch_size(UINT32_MAX, 0), 0);
}

static void a_chain_of_200000_nodes_is_kept_whole(void) {
  const uint32_t n = 200000;
  aether_edge *edges = malloc(n * sizeof *edges);
  uint8_t *keep = malloc(n);
  for (uint32_t i = 0; i < n - 1; i++) {
    edges[i] = (aether_edge){i, i + 1};
  }
  CHECK_EQ(reduce(n, edges, n - 1, keep), n - 1);
  free(edges);
  free(keep);
}

/* ---- Random graphs ---- */

/* Too many nodes for a row of a few machine words or one cache line of bits. */
enum { NODES = 1100, EDGES = 2500 };

static uint32_t random_state;

static uint32_t random_below(uint32_t limit) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % limit;
}

/* Short edges and long ones, some of them repeated. */
static void random_edges(aether_edge *edges) {
  for (size_t i = 0; i < EDGES; i++) {
    uint32_t from = random_below(NODES - 1), room = NODES - 1 - from;
    uint32_t length = 1 + random_below(i % 2 == 0 && room > 8 ? 8 : room);
    edges[i] = i % 50 == 49 ? edges[random_below((uint32_t)i)] : (aether_edge){from, from + length};
  }
}

/* reach[u][v]: a path leads from u to v. */
static unsigned char reach[NODES][NODES];

/* Whether the definition keeps edge i: it is the first of its equals, and no path leads by another successor. */
static int kept_by_definition(const aether_edge *edges, size_t i) {
  for (size_t j = 0; j < EDGES; j++) {
    if (edges[j].from == edges[i].from && edges[j].to == edges[i].to) {
      if (j < i) {
        return 0;
      }
    } else if (edges[j].from == edges[i].from && reach[edges[j].to][edges[i].to]) {
      return 0;
    }
  }
  return 1;
}

static void close_over(const aether_edge *edges) {
  memset(reach, 0, sizeof reach);
  for (size_t from = NODES; from-- > 0;) {
    for (size_t i = 0; i < EDGES; i++) {
      if (edges[i].from == from) {
        reach[from][edges[i].to] = 1;
        for (size_t to = 0; to < NODES; to++) {
          reach[from][to] |= reach[edges[i].to][to];
        }
      }
    }
  }
}

static void a_random_graph_reduces_as_the_definition_says(void) {
  static aether_edge edges[EDGES];
  static uint8_t keep[EDGES];
  random_state = 3;
  random_edges(edges);
  close_over(edges);
  size_t kept = reduce(NODES, edges, EDGES, keep);
  CHECK(kept > EDGES / 10);
  CHECK(kept < EDGES * 9 / 10);
  for (size_t i = 0; i < EDGES; i++) {
    note("edge %zu", i);
    CHECK_EQ(keep[i], kept_by_definition(edges, i));
  }
}

/* Counts what is kept for each pair, by its edges; 1 or 0 for every pair. */
static void kept_pairs(const aether_edge *edges, size_t edge_count, const uint8_t *keep) {
  memset(reach, 0, sizeof reach);
  for (size_t i = 0; i < edge_count; i++) {
    reach[edges[i].from][edges[i].to] = (unsigned char)(reach[edges[i].from][edges[i].to] + keep[i]);
  }
}

static void the_same_set_in_another_order_keeps_the_same_set(void) {
  static aether_edge edges[EDGES], shuffled[EDGES];
  static uint8_t keep[EDGES], keep_shuffled[EDGES];
  static unsigned char pairs[NODES][NODES];
  random_state = 4;
  random_edges(edges);
  memcpy(shuffled, edges, sizeof edges);
  for (uint32_t i = EDGES; i-- > 1;) {
    uint32_t j = random_below(i + 1);
    aether_edge swapped = shuffled[i];
    shuffled[i] = shuffled[j];
    shuffled[j] = swapped;
  }
  CHECK(memcmp(shuffled, edges, sizeof edges) != 0);
  CHECK_EQ(reduce(NODES, edges, EDGES, keep), reduce(NODES, shuffled, EDGES, keep_shuffled));
  kept_pairs(edges, EDGES, keep);
  memcpy(pairs, reach, sizeof reach);
  kept_pairs(shuffled, EDGES, keep_shuffled);
  CHECK(memcmp(pairs, reach, sizeof reach) == 0);
}

static void a_reduction_of_a_reduction_changes_nothing(void) {
  static aether_edge edges[EDGES];
  static uint8_t keep[EDGES];
  random_state = 5;
  random_edges(edges);
  size_t kept = reduce(NODES, edges, EDGES, keep), n = 0;
  CHECK(kept < EDGES);
  for (size_t i = 0; i < EDGES; i++) {
    if (keep[i]) {
      edges[n++] = edges[i];
    }
  }
  CHECK_EQ(n, kept);
  CHECK_EQ(reduce(NODES, edges, n, keep), kept);
}

int main(void) {
  TEST(simple_order_as_edges);
  TEST(simple_order_as_wait_for);
  TEST(the_reduction_is_exact_where_the_other_path_has_three_edges);
  TEST(simple_order_behind_an_identity);
  TEST(pruning_leaves_each_collective_one_to_wait_for);
  TEST(a_collective_can_wait_for_several);
  TEST(a_chain_of_data_or_a_lone_collective_needs_no_ordering);
  TEST(the_exact_case_comes_out_the_same_in_all_24_edge_orders);
  TEST(unordered_collectives_reduce_to_the_chain_of_their_numbers);
  TEST(of_equal_edges_the_first_is_kept);
  TEST(isolated_nodes_change_nothing);
  TEST(without_edges_nothing_is_kept_and_no_scratch_is_needed);
  TEST(a_chain_of_200000_nodes_is_kept_whole);
  TEST(a_random_graph_reduces_as_the_definition_says);
  TEST(the_same_set_in_another_order_keeps_the_same_set);
  TEST(a_reduction_of_a_reduction_changes_nothing);
  return tests_end();
}
