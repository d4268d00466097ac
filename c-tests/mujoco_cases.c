/*
 * The islands as MuJoCo needs them: the cases of its disjoint set and of its flood fill, and recorded scenes with the
 * labels that MuJoCo itself gave.
 *
 * Nodes are kinematic trees, an incidence is a constraint's touch of two of them. Where a case of MuJoCo starts from a
 * parent array, the pairs (x, parent[x]) are fed here. Degrees of freedom are summed from the labels, as nidof is.
 *
 * The recorded scenes lie in the folder `mujoco` of the directory that the environment names in AETHER_DATA, else of
 * the first argument, else of ../shared/traces. Without them the program says so and ends with 77.
 */

#include <stdlib.h>

#include "check.h"

/* Finds the islands in an array that begins with garbage, and returns their number. */
static size_t find_islands(size_t node_count, const aether_incidence *incidences, size_t incidence_count,
                           int32_t *labels) {
  size_t island_count = NONE;
  for (size_t i = 0; i < node_count; i++) {
    labels[i] = 1234567;
  }
  CHECK_EQ(aether_islands(node_count, incidences, incidence_count, labels, &island_count, NULL), AETHER_OK);
  return island_count;
}

static void check_labels(const int32_t *got, const int32_t *want, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (got[i] != want[i]) {
      note("label of %zu: %d, want %d", i, (int)got[i], (int)want[i]);
      CHECK(got[i] == want[i]);
    }
  }
}

/* The degrees of freedom of all trees that are in an island. */
static size_t dofs_in_islands(const int32_t *labels, const size_t *dofs, size_t count) {
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += labels[i] >= 0 ? dofs[i] : 0;
  }
  return sum;
}

static void check_islands(size_t node_count, const aether_incidence *incidences, size_t incidence_count,
                          size_t want_count, const int32_t *want_labels) {
  int32_t labels[16];
  CHECK_EQ(find_islands(node_count, incidences, incidence_count, labels), want_count);
  check_labels(labels, want_labels, node_count);
}

/* ---- The disjoint set ---- */

static void a_static_end_joins_nothing(void) {
  const aether_incidence incidences[] = {{-1, 4}, {3, -1}, {5, 2}, {4, 5}, {3, 4}};
  check_islands(6, incidences, COUNT(incidences), 1, (const int32_t[]){-1, -1, 0, 0, 0, 0});
  /* Before the last three there is nothing between 3 and 4. */
  check_islands(6, incidences, 2, 2, (const int32_t[]){-1, -1, -1, 0, 1, -1});
}

static void what_is_already_joined_changes_nothing(void) {
  const aether_incidence incidences[] = {{3, 1}, {2, 1}, {1, 3}, {3, 1}, {2, 2}, {-1, 2}};
  for (size_t count = 2; count <= COUNT(incidences); count++) {
    check_islands(4, incidences, count, 1, (const int32_t[]){-1, 0, 0, 0});
  }
}

static void a_node_is_activated_by_itself_or_by_a_static_end_on_either_side(void) {
  check_islands(3, &(aether_incidence){1, 1}, 1, 1, (const int32_t[]){-1, 0, -1});
  check_islands(3, &(aether_incidence){-1, 2}, 1, 1, (const int32_t[]){-1, -1, 0});
  check_islands(3, &(aether_incidence){0, -1}, 1, 1, (const int32_t[]){0, -1, -1});
}

static void two_triangles_are_two_islands_until_a_bridge_joins_them(void) {
  const aether_incidence incidences[] = {{0, 1}, {1, 2}, {2, 0}, {0, 2}, {3, 4}, {4, 5}, {5, 0}};
  check_islands(6, incidences, 6, 2, (const int32_t[]){0, 0, 0, 1, 1, 1});
  check_islands(6, incidences, 7, 1, (const int32_t[]){0, 0, 0, 0, 0, 0});
}

static void no_trees_or_no_incidences_make_no_islands(void) {
  CHECK_EQ(find_islands(0, NULL, 0, NULL), 0);
  check_islands(1, NULL, 0, 0, (const int32_t[]){-1});
}

/* Feeds each (x, parent[x]); an untouched x has the parent -1 and is not fed. */
static void check_forest(const int32_t *parents, const size_t *dofs, size_t count, size_t want_count, size_t want_dofs,
                         const int32_t *want_labels) {
  aether_incidence incidences[16];
  int32_t labels[16];
  size_t incidence_count = 0;
  for (int32_t x = 0; x < (int32_t)count; x++) {
    if (parents[x] >= 0) {
      incidences[incidence_count++] = (aether_incidence){x, parents[x]};
    }
  }
  CHECK_EQ(find_islands(count, incidences, incidence_count, labels), want_count);
  check_labels(labels, want_labels, count);
  CHECK_EQ(dofs_in_islands(labels, dofs, count), want_dofs);
}

static void a_forest_of_three_sets_has_39_dofs(void) {
  check_forest((const int32_t[]){-1, 1, 1, 2, 4, 4, 6}, (const size_t[]){1000, 0, 3, 5, 7, 11, 13}, 7, 3, 39,
               (const int32_t[]){-1, 0, 0, 0, 1, 1, 2});
}

static void a_deeper_forest_of_three_sets_has_41_dofs(void) {
  check_forest((const int32_t[]){-1, 1, 1, 2, 4, 4, 5, 7, 7, 8}, (const size_t[]){99, 0, 2, 3, 0, 5, 7, 11, 0, 13}, 10,
               3, 41, (const int32_t[]){-1, 0, 0, 0, 1, 1, 1, 2, 2, 2});
}

enum { CHAIN = 4096 };

static void check_chain(const aether_incidence *incidences, size_t incidence_count, size_t period, size_t want_dofs) {
  static int32_t labels[CHAIN];
  static size_t dofs[CHAIN];
  size_t nonzero = 0;
  for (size_t i = 0; i < CHAIN; i++) {
    dofs[i] = i % period;
  }
  CHECK_EQ(find_islands(CHAIN, incidences, incidence_count, labels), 1);
  for (size_t i = 0; i < CHAIN; i++) {
    nonzero += labels[i] != 0;
  }
  CHECK_EQ(nonzero, 0);
  CHECK_EQ(dofs_in_islands(labels, dofs, CHAIN), want_dofs);
}

static void a_chain_that_ascends_is_one_island(void) {
  static aether_incidence incidences[CHAIN];
  for (int32_t i = 0; i < CHAIN; i++) {
    incidences[i] = (aether_incidence){i, i == 0 ? 0 : i - 1};
  }
  /* 819 times 0 + 1 + 2 + 3 + 4, and the last has 4095 % 5 = 0. */
  check_chain(incidences, CHAIN, 5, 8190);
}

static void a_chain_that_descends_is_one_island(void) {
  static aether_incidence incidences[CHAIN - 1];
  for (int32_t i = 0; i < CHAIN - 1; i++) {
    incidences[i] = (aether_incidence){CHAIN - 1 - i, CHAIN - 2 - i};
  }
  /* 585 times 0 + 1 + ... + 6, and the last has 4095 % 7 = 0. */
  check_chain(incidences, CHAIN - 1, 7, 12285);
}

/* ---- Random trials against a graph traversal ---- */

static uint32_t random_state;

static int32_t random_below(int32_t limit) {
  random_state = random_state * 1664525u + 1013904223u;
  return (int32_t)((random_state >> 8) % (uint32_t)limit);
}

/* Labels by walking the graph from each node, smallest first, over all incidences again and again. */
static size_t traverse(int32_t node_count, const aether_incidence *incidences, size_t incidence_count,
                       int32_t *labels) {
  size_t islands = 0;
  int32_t touched[64] = {0}, stack[64];
  for (size_t i = 0; i < incidence_count; i++) {
    const int32_t ends[] = {incidences[i].a, incidences[i].b};
    for (size_t e = 0; e < 2; e++) {
      if (ends[e] >= 0) {
        touched[ends[e]] = 1;
      }
    }
  }
  for (int32_t x = 0; x < node_count; x++) {
    labels[x] = -1;
  }
  for (int32_t x = 0; x < node_count; x++) {
    if (!touched[x] || labels[x] >= 0) {
      continue;
    }
    size_t depth = 0;
    labels[x] = (int32_t)islands;
    stack[depth++] = x;
    while (depth > 0) {
      int32_t y = stack[--depth];
      for (size_t i = 0; i < incidence_count; i++) {
        aether_incidence at = incidences[i];
        int32_t next = at.a == y ? at.b : at.b == y ? at.a : -1;
        if (next >= 0 && labels[next] < 0) {
          labels[next] = (int32_t)islands;
          stack[depth++] = next;
        }
      }
    }
    islands++;
  }
  return islands;
}

static void random_incidences_are_labelled_as_a_graph_traversal_does(void) {
  enum { TRIALS = 2000, MOST = 191 };
  size_t islands_seen = 0;
  random_state = 0x5eed3396u;
  for (size_t trial = 0; trial < TRIALS; trial++) {
    aether_incidence incidences[MOST];
    int32_t labels[64], want[64];
    size_t dofs[64], count = 0;
    int32_t node_count = 1 + random_below(64), incidence_count = random_below(MOST + 1);
    for (int32_t x = 0; x < node_count; x++) {
      dofs[x] = (size_t)random_below(7);
    }
    for (; count < (size_t)incidence_count; count++) {
      int32_t x = random_below(node_count), y = random_below(node_count);
      aether_incidence earlier = count == 0 ? (aether_incidence){x, y}
                                            : incidences[random_below((int32_t)count)];
      switch (random_below(8)) {
      case 0: incidences[count] = (aether_incidence){-1, x}; break;
      case 1: incidences[count] = (aether_incidence){x, -1}; break;
      case 2: incidences[count] = (aether_incidence){x, x}; break;
      case 3: incidences[count] = earlier; break;
      case 4: incidences[count] = (aether_incidence){earlier.b, earlier.a}; break;
      default: incidences[count] = (aether_incidence){x, y}; break;
      }
    }
    note("trial %zu", trial);
    size_t islands = traverse(node_count, incidences, count, want);
    CHECK_EQ(find_islands((size_t)node_count, incidences, count, labels), islands);
    check_labels(labels, want, (size_t)node_count);
    CHECK_EQ(dofs_in_islands(labels, dofs, (size_t)node_count), dofs_in_islands(want, dofs, (size_t)node_count));
    islands_seen += islands;
  }
  CHECK(islands_seen > TRIALS);
}

/* ---- The flood fill ---- */

static void self_edges_are_islands_of_one(void) {
  const aether_incidence incidences[] = {{0, 0}, {2, 2}};
  check_islands(3, incidences, COUNT(incidences), 2, (const int32_t[]){0, -1, 1});
}

static void a_path_is_one_island(void) {
  const aether_incidence incidences[] = {{0, 1}, {1, 2}};
  check_islands(3, incidences, COUNT(incidences), 1, (const int32_t[]){0, 0, 0});
}

static void two_interleaved_paths_are_numbered_by_their_smallest_members(void) {
  const aether_incidence incidences[] = {{6, 1}, {1, 4}, {0, 3}, {3, 5}, {5, 2}};
  check_islands(7, incidences, COUNT(incidences), 2, (const int32_t[]){0, 1, 0, 0, 1, 0, 1});
}

static void an_isolated_node_is_in_no_island(void) {
  const aether_incidence incidences[] = {{2, 2}, {1, 3}};
  check_islands(4, incidences, COUNT(incidences), 2, (const int32_t[]){-1, 0, 1, 0});
}

static void three_kinds_of_node_side_by_side(void) {
  const aether_incidence incidences[] = {{1, 1}, {1, 2}, {0, 4}, {4, 5}, {5, 6}, {6, 0}};
  check_islands(7, incidences, COUNT(incidences), 2, (const int32_t[]){0, 1, 1, -1, 0, 0, 0});
}

/* ---- The parents between merges, which MuJoCo's tests look at ---- */

static void check_parents(int32_t *parents, size_t node_count, const aether_incidence *incidences, size_t count,
                          const int32_t *want) {
  CHECK_EQ(aether_islands_merge(node_count, parents, NULL, incidences, count, NULL, AETHER_MERGE_FULL_COMPRESSION,
                                NULL),
           AETHER_OK);
  check_labels(parents, want, node_count);
}

static void a_root_compresses_the_path_to_it(void) {
  int32_t parents[] = {0, 0, 1, 2, 3}, root = 9;
  CHECK_EQ(aether_islands_root(5, parents, 0, &root, NULL), AETHER_OK);
  CHECK_EQ(root, 0);
  CHECK_EQ(aether_islands_root(5, parents, 4, &root, NULL), AETHER_OK);
  CHECK_EQ(root, 0);
  check_labels(parents, (const int32_t[]){0, 0, 0, 0, 0}, 5);
}

static void parents_that_are_no_roots_are_climbed_past(void) {
  check_parents((int32_t[]){0, 0, 2, 2}, 4, &(aether_incidence){1, 3}, 1, (const int32_t[]){0, 0, 0, 2});
  check_parents((int32_t[]){0, 0, 0, 3}, 4, &(aether_incidence){1, 2}, 1, (const int32_t[]){0, 0, 0, 3});
  check_parents((int32_t[]){0, 0, 1, 3, 3, 4}, 6, &(aether_incidence){2, 5}, 1, (const int32_t[]){0, 0, 0, 0, 3, 3});
}

static void a_bridge_hooks_the_larger_root_under_the_smaller(void) {
  const aether_incidence incidences[] = {{0, 1}, {1, 2}, {2, 0}, {0, 2}, {3, 4}, {4, 5}};
  int32_t parents[] = {-1, -1, -1, -1, -1, -1};
  check_parents(parents, 6, incidences, COUNT(incidences), (const int32_t[]){0, 0, 0, 3, 3, 3});
  check_parents(parents, 6, &(aether_incidence){5, 0}, 1, (const int32_t[]){0, 0, 0, 0, 3, 3});
}

static void static_ends_alone_change_no_parent(void) {
  int32_t parents[] = {-1, 1, 1, 3};
  aether_error error;
  for (uint32_t flags = 0; flags <= AETHER_MERGE_FULL_COMPRESSION; flags += AETHER_MERGE_FULL_COMPRESSION) {
    aether_status status =
        aether_islands_merge(4, parents, NULL, &(aether_incidence){-1, -1}, 1, NULL, flags, &error);
    CHECK_ERROR(status, &error, AETHER_ERROR_STATIC_INCIDENCE, 0, NONE, 0, 0);
    status = aether_islands_merge(4, parents, NULL, &(aether_incidence){-1, -1}, 1, NULL,
                                  flags | AETHER_MERGE_IGNORE_STATIC, &error);
    CHECK_ERROR(status, &error, AETHER_OK, NONE, NONE, 0, 0);
    check_labels(parents, (const int32_t[]){-1, 1, 1, 3}, 4);
  }
}

/* ---- What is bad, and what it leaves as it was ---- */

static void an_unknown_flag_is_refused(void) {
  int32_t parents[] = {-1, -1};
  aether_error error;
  aether_status status = aether_islands_merge(2, parents, NULL, &(aether_incidence){0, 1}, 1, NULL, 8, &error);
  CHECK_ERROR(status, &error, AETHER_ERROR_FLAGS, NONE, NONE, 8, 7);
  check_labels(parents, (const int32_t[]){-1, -1}, 2);
}

static void parents_of_no_merge_are_named(void) {
  int32_t parents[] = {0, 1, 7}, labels[] = {5, 5, 5};
  aether_error error;
  aether_status status = aether_islands_finish(3, parents, NULL, labels, NULL, NULL, NULL, &error);
  CHECK_ERROR(status, &error, AETHER_ERROR_PARENT, 2, NONE, 7, 2);
}

static void a_bad_stride_writes_nothing(void) {
  const aether_incidence incidences[] = {{0, 1}, {0, 1}};
  const size_t counts[] = {1, 2};
  int32_t labels[] = {9, 9, 9, 9};
  size_t islands[] = {9, 9};
  aether_error error;
  aether_status status = aether_islands_batch(2, 3, incidences, 1, counts, labels, 2, NULL, 0, islands, &error);
  CHECK_ERROR(status, &error, AETHER_ERROR_STRIDE, NONE, NONE, 2, 3);
  status = aether_islands_batch(2, 2, incidences, 1, counts, labels, 2, NULL, 0, islands, &error);
  CHECK_ERROR(status, &error, AETHER_ERROR_STRIDE, 1, NONE, 2, 1);
  status = aether_islands_batch(2, 2, incidences, 1, counts, labels, 2, NULL, 8, islands, &error);
  CHECK_ERROR(status, &error, AETHER_ERROR_FLAGS, NONE, NONE, 8, 7);
  check_labels(labels, (const int32_t[]){9, 9, 9, 9}, 4);
  CHECK_EQ(islands[0] + islands[1], 18);
}

static void a_bad_world_is_named_and_later_ones_are_untouched(void) {
  const aether_incidence incidences[] = {{0, 1}, {0, 2}, {0, 0}};
  const size_t counts[] = {1, 1, 1};
  int32_t labels[] = {9, 9, 9, 9, 9, 9, 9, 9, 9};
  size_t islands[] = {9, 9, 9};
  aether_error error;
  aether_status status = aether_islands_batch(3, 2, incidences, 1, counts, labels, 3, NULL, 0, islands, &error);
  CHECK_ERROR(status, &error, AETHER_ERROR_INCIDENCE_NODE, 0, 1, 2, 2);
  labels[3] = labels[4] = 9;
  check_labels(labels, (const int32_t[]){0, 0, 9, 9, 9, 9, 9, 9, 9}, 9);
  CHECK(islands[0] == 1 && islands[1] == 9 && islands[2] == 9);
}

static void a_bad_label_writes_nothing(void) {
  const int32_t labels[] = {0, 1, 2};
  int32_t counts[] = {9, 9}, starts[] = {9, 9}, order[] = {9, 9, 9};
  aether_error error;
  aether_status status = aether_group_by_label(labels, 3, 2, counts, starts, order, NULL, NULL, &error);
  CHECK_ERROR(status, &error, AETHER_ERROR_LABEL, 2, NONE, 2, 2);
  check_labels(order, (const int32_t[]){9, 9, 9}, 3);
  CHECK(counts[0] == 9 && counts[1] == 9 && starts[0] == 9 && starts[1] == 9);
}

/* ---- Scenes ---- */

/*
 * An abacus: three beads of one, one and two degrees of freedom, of which the second touches nothing. The maps are those
 * of MuJoCo: dofs by island, and rows by island.
 */
static void the_maps_of_an_abacus_are_those_of_mujoco(void) {
  const int32_t dof_island[] = {0, -1, 1, 1}, row_island[] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  int32_t counts[2], starts[2], order[12], inverse[12];
  size_t labelled;
  CHECK_EQ(aether_group_by_label(dof_island, 4, 2, counts, starts, order, inverse, &labelled, NULL), AETHER_OK);
  check_labels(order, (const int32_t[]){0, 2, 3, 1}, 4);
  check_labels(inverse, (const int32_t[]){0, 3, 1, 2}, 4);
  check_labels(starts, (const int32_t[]){0, 1}, 2);
  CHECK_EQ(labelled, 3);
  CHECK_EQ(aether_group_by_label(row_island, 12, 2, counts, starts, order, inverse, &labelled, NULL), AETHER_OK);
  check_labels(counts, (const int32_t[]){4, 8}, 2);
  CHECK_EQ(labelled, 12);
}

static void a_constraint_over_four_trees_is_a_chain_of_pairs(void) {
  const aether_incidence incidences[] = {{0, 1}, {1, 2}, {2, 3}};
  check_islands(4, incidences, COUNT(incidences), 1, (const int32_t[]){0, 0, 0, 0});
  const size_t offsets[] = {0, 4};
  const int32_t members[] = {0, 1, 2, 3};
  int32_t labels[4], label;
  size_t islands;
  CHECK_EQ(aether_islands_begin(4, labels, NULL, NULL), AETHER_OK);
  CHECK_EQ(aether_islands_merge_many(4, labels, NULL, offsets, 1, members, 4, NULL, 0, NULL), AETHER_OK);
  CHECK_EQ(aether_islands_finish(4, labels, NULL, NULL, NULL, &islands, NULL, NULL), AETHER_OK);
  check_labels(labels, (const int32_t[]){0, 0, 0, 0}, 4);
  CHECK_EQ(islands, 1);
  CHECK_EQ(aether_islands_constraint_labels(4, labels, offsets, 1, members, 4, &label, NULL), AETHER_OK);
  CHECK_EQ(label, 0);
}

static void the_order_and_orientation_of_incidences_do_not_matter(void) {
  const aether_incidence one[] = {{2, 3}, {0, 1}, {3, 2}}, other[] = {{1, 0}, {2, 3}};
  check_islands(4, one, COUNT(one), 2, (const int32_t[]){0, 0, 1, 1});
  check_islands(4, other, COUNT(other), 2, (const int32_t[]){0, 0, 1, 1});
}

static const char *data_directory = "../shared";

/* From the folder of traces, which is the data directory or `traces` in it. */
static FILE *open_data(const char *name, const char *suffix) {
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/mujoco/%s%s", data_directory, name, suffix);
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    (void)snprintf(path, sizeof path, "%s/traces/mujoco/%s%s", data_directory, name, suffix);
    file = fopen(path, "r");
  }
  return file;
}

/* The next line, which must be there. */
static char *read_line(FILE *file, char *line, size_t capacity) {
  line[0] = '\0';
  CHECK(fgets(line, (int)capacity, file) != NULL);
  return line;
}

static int32_t next_number(char **text) {
  char *end;
  long number = strtol(*text, &end, 10);
  CHECK(end != *text);
  *text = *end == ',' ? end + 1 : end;
  return (int32_t)number;
}

/* The number behind `key` in a first line such as "# ntree=4,nisland=2". */
static int32_t header_number(const char *line, const char *key) {
  const char *at = strstr(line, key);
  CHECK(at != NULL);
  return at == NULL ? 0 : (int32_t)strtol(at + strlen(key), NULL, 10);
}

/* In pieces of 256 as from a buffer on the stack, with and without marks, in either method; dofs are the weights. */
static void check_pieces(size_t trees, const aether_incidence *incidences, size_t count, const int32_t *want,
                         size_t want_islands, const int32_t *dofs, size_t want_dofs) {
  enum { PIECE = 256 };
  int32_t *parents = malloc((trees + 1) * sizeof *parents), *labels = malloc((trees + 1) * sizeof *labels);
  uint8_t *marks = malloc(trees + 1);
  for (size_t form = 0; form < 4; form++) {
    uint8_t *wanted = form % 2 == 0 ? NULL : marks;
    CHECK_EQ(aether_islands_begin(trees, parents, wanted, NULL), AETHER_OK);
    for (size_t begin = 0; begin < count; begin += PIECE) {
      size_t size = count - begin < PIECE ? count - begin : PIECE;
      CHECK_EQ(aether_islands_merge(trees, parents, wanted, incidences + begin, size, NULL,
                                    form < 2 ? 0 : AETHER_MERGE_FULL_COMPRESSION, NULL),
               AETHER_OK);
    }
    size_t islands = NONE;
    int64_t weight = -1;
    CHECK_EQ(aether_islands_finish(trees, parents, wanted, labels, dofs, &islands, &weight, NULL), AETHER_OK);
    CHECK_EQ(islands, want_islands);
    CHECK_EQ(weight, want_dofs);
    check_labels(labels, want, trees);
    /* Once more, in place. */
    CHECK_EQ(aether_islands_finish(trees, parents, wanted, NULL, NULL, &islands, NULL, NULL), AETHER_OK);
    CHECK_EQ(islands, want_islands);
    check_labels(parents, want, trees);
  }
  free(parents);
  free(labels);
  free(marks);
}

static void check_scene(const char *name) {
  char line[512];
  note("%s", name);
  FILE *recorded = open_data(name, ".inc.csv"), *labelled = open_data(name, ".labels.csv");
  if (recorded == NULL || labelled == NULL) {
    CHECK(recorded != NULL);
    CHECK(labelled != NULL);
    return;
  }
  read_line(recorded, line, sizeof line);
  size_t trees = (size_t)header_number(line, "ntree="), count = (size_t)header_number(line, "ninc=");
  aether_incidence *incidences = malloc((count + 1) * sizeof *incidences);
  int32_t *labels = malloc((trees + 1) * sizeof *labels), *want = malloc((trees + 1) * sizeof *want);
  size_t *dofs = malloc((trees + 1) * sizeof *dofs);
  int32_t *weights = malloc((trees + 1) * sizeof *weights);
  for (size_t i = 0; i < count; i++) {
    char *at = read_line(recorded, line, sizeof line);
    incidences[i].a = next_number(&at);
    incidences[i].b = next_number(&at);
  }
  CHECK(fgets(line, sizeof line, recorded) == NULL);

  read_line(labelled, line, sizeof line);
  size_t want_islands = (size_t)header_number(line, "nisland="), want_dofs = (size_t)header_number(line, "nidof=");
  for (size_t tree = 0; tree < trees; tree++) {
    char *at = read_line(labelled, line, sizeof line);
    CHECK_EQ(next_number(&at), tree);
    want[tree] = next_number(&at);
    weights[tree] = next_number(&at);
    dofs[tree] = (size_t)weights[tree];
  }

  CHECK_EQ(find_islands(trees, incidences, count, labels), want_islands);
  CHECK_EQ(dofs_in_islands(labels, dofs, trees), want_dofs);
  check_labels(labels, want, trees);
  check_pieces(trees, incidences, count, want, want_islands, weights, want_dofs);
  free(incidences);
  free(labels);
  free(want);
  free(dofs);
  free(weights);
  (void)fclose(recorded);
  (void)fclose(labelled);
}

static void the_90_recorded_scenes_have_the_labels_of_mujoco(void) {
  char line[512];
  size_t scenes = 0;
  FILE *manifest = open_data("manifest", ".csv");
  read_line(manifest, line, sizeof line);
  while (fgets(line, sizeof line, manifest) != NULL) {
    line[strcspn(line, ",\n")] = '\0';
    check_scene(line);
    scenes++;
  }
  (void)fclose(manifest);
  note("%s", "");
  CHECK_EQ(scenes, 90);
}

/* Many worlds of one model: incidences are recorded as world, tree, tree, world after world. */
static size_t check_batch(const char *name) {
  static char line[1024];
  note("%s", name);
  FILE *recorded = open_data(name, ".inc.csv"), *labelled = open_data(name, ".labels.csv");
  if (recorded == NULL || labelled == NULL) {
    CHECK(recorded != NULL);
    CHECK(labelled != NULL);
    return 0;
  }
  read_line(labelled, line, sizeof line);
  read_line(recorded, line, sizeof line);
  size_t trees = (size_t)header_number(line, "ntree="), count = (size_t)header_number(line, "ninc=");
  size_t worlds = (size_t)header_number(line, "nworld=");
  /* As many incidences a world as the largest has, and garbage behind those of the others. */
  size_t *counts = calloc(worlds + 1, sizeof *counts), stride = 0;
  const long rows = ftell(recorded);
  for (size_t i = 0; i < count; i++) {
    char *at = read_line(recorded, line, sizeof line);
    size_t world = (size_t)next_number(&at);
    if (world < worlds && ++counts[world] > stride) {
      stride = counts[world];
    }
  }
  CHECK_EQ(fseek(recorded, rows, SEEK_SET), 0);
  aether_incidence *incidences = malloc((worlds * stride + 1) * sizeof *incidences);
  memset(incidences, 0x7b, (worlds * stride + 1) * sizeof *incidences);
  memset(counts, 0, worlds * sizeof *counts);
  for (size_t i = 0; i < count; i++) {
    char *at = read_line(recorded, line, sizeof line);
    size_t world = (size_t)next_number(&at);
    if (world < worlds) {
      aether_incidence *to = incidences + world * stride + counts[world]++;
      to->a = next_number(&at);
      to->b = next_number(&at);
    }
  }
  const size_t label_stride = trees + 3;
  int32_t *labels = malloc((worlds * label_stride + 1) * sizeof *labels), *want = malloc((trees + 1) * sizeof *want);
  size_t *islands = malloc((worlds + 1) * sizeof *islands);
  memset(labels, 0x7b, worlds * label_stride * sizeof *labels);
  CHECK_EQ(aether_islands_batch(worlds, trees, incidences, stride, counts, labels, label_stride, NULL, 0, islands,
                                NULL),
           AETHER_OK);
  for (size_t world = 0; world < worlds; world++) {
    note("%s, world %zu", name, world);
    char *at = read_line(labelled, line, sizeof line);
    CHECK_EQ(next_number(&at), world);
    size_t want_islands = (size_t)next_number(&at), want_dofs = (size_t)next_number(&at), in_islands = 0;
    const int32_t *of_world = labels + world * label_stride;
    for (size_t tree = 0; tree < trees; tree++) {
      want[tree] = next_number(&at);
      in_islands += of_world[tree] >= 0;
    }
    CHECK_EQ(islands[world], want_islands);
    check_labels(of_world, want, trees);
    /* Every tree of these models is a free sphere of six degrees of freedom. */
    CHECK_EQ(6 * in_islands, want_dofs);
    check_labels(of_world + trees, (const int32_t[]){0x7b7b7b7b, 0x7b7b7b7b, 0x7b7b7b7b}, 3);
  }
  free(counts);
  free(incidences);
  free(labels);
  free(want);
  free(islands);
  (void)fclose(recorded);
  (void)fclose(labelled);
  return worlds;
}

static void the_208_worlds_of_the_batches_have_the_labels_of_mujoco(void) {
  size_t worlds = check_batch("warp_batch16_spheres100");
  worlds += check_batch("warp_batch64_spheres40");
  worlds += check_batch("warp_batch128_spheres24");
  note("%s", "");
  CHECK_EQ(worlds, 208);
}

int main(int argc, char **argv) {
  TEST(a_static_end_joins_nothing);
  TEST(what_is_already_joined_changes_nothing);
  TEST(a_node_is_activated_by_itself_or_by_a_static_end_on_either_side);
  TEST(two_triangles_are_two_islands_until_a_bridge_joins_them);
  TEST(no_trees_or_no_incidences_make_no_islands);
  TEST(a_forest_of_three_sets_has_39_dofs);
  TEST(a_deeper_forest_of_three_sets_has_41_dofs);
  TEST(a_chain_that_ascends_is_one_island);
  TEST(a_chain_that_descends_is_one_island);
  TEST(random_incidences_are_labelled_as_a_graph_traversal_does);
  TEST(self_edges_are_islands_of_one);
  TEST(a_path_is_one_island);
  TEST(two_interleaved_paths_are_numbered_by_their_smallest_members);
  TEST(an_isolated_node_is_in_no_island);
  TEST(three_kinds_of_node_side_by_side);
  TEST(a_constraint_over_four_trees_is_a_chain_of_pairs);
  TEST(the_order_and_orientation_of_incidences_do_not_matter);
  TEST(a_root_compresses_the_path_to_it);
  TEST(parents_that_are_no_roots_are_climbed_past);
  TEST(a_bridge_hooks_the_larger_root_under_the_smaller);
  TEST(static_ends_alone_change_no_parent);
  TEST(an_unknown_flag_is_refused);
  TEST(parents_of_no_merge_are_named);
  TEST(a_bad_stride_writes_nothing);
  TEST(a_bad_world_is_named_and_later_ones_are_untouched);
  TEST(a_bad_label_writes_nothing);
  TEST(the_maps_of_an_abacus_are_those_of_mujoco);

  const char *named = getenv("AETHER_DATA");
  data_directory = named != NULL && named[0] != '\0' ? named : argc > 1 ? argv[1] : data_directory;
  FILE *manifest = open_data("manifest", ".csv");
  if (manifest == NULL) {
    printf("skipped: the recorded scenes, there is no mujoco/manifest.csv in %s\n", data_directory);
    return tests_end() == 0 ? 77 : 1;
  }
  (void)fclose(manifest);
  TEST(the_90_recorded_scenes_have_the_labels_of_mujoco);
  TEST(the_208_worlds_of_the_batches_have_the_labels_of_mujoco);
  return tests_end();
}
