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

/* ---- Scenes ---- */

static void a_constraint_over_four_trees_is_a_chain_of_pairs(void) {
  const aether_incidence incidences[] = {{0, 1}, {1, 2}, {2, 3}};
  check_islands(4, incidences, COUNT(incidences), 1, (const int32_t[]){0, 0, 0, 0});
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
    dofs[tree] = (size_t)next_number(&at);
  }

  CHECK_EQ(find_islands(trees, incidences, count, labels), want_islands);
  CHECK_EQ(dofs_in_islands(labels, dofs, trees), want_dofs);
  check_labels(labels, want, trees);
  free(incidences);
  free(labels);
  free(want);
  free(dofs);
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
  size_t worlds = (size_t)header_number(line, "nworld="), begin = 0;
  aether_incidence *incidences = malloc((count + 1) * sizeof *incidences);
  size_t *world_of = malloc((count + 1) * sizeof *world_of);
  int32_t *labels = malloc((trees + 1) * sizeof *labels), *want = malloc((trees + 1) * sizeof *want);
  for (size_t i = 0; i < count; i++) {
    char *at = read_line(recorded, line, sizeof line);
    world_of[i] = (size_t)next_number(&at);
    incidences[i].a = next_number(&at);
    incidences[i].b = next_number(&at);
  }
  for (size_t world = 0; world < worlds; world++) {
    note("%s, world %zu", name, world);
    size_t end = begin;
    while (end < count && world_of[end] == world) {
      end++;
    }
    char *at = read_line(labelled, line, sizeof line);
    CHECK_EQ(next_number(&at), world);
    size_t want_islands = (size_t)next_number(&at), want_dofs = (size_t)next_number(&at);
    for (size_t tree = 0; tree < trees; tree++) {
      want[tree] = next_number(&at);
    }
    CHECK_EQ(find_islands(trees, incidences + begin, end - begin, labels), want_islands);
    check_labels(labels, want, trees);
    /* Every tree of these models is a free sphere of six degrees of freedom. */
    size_t in_islands = 0;
    for (size_t tree = 0; tree < trees; tree++) {
      in_islands += labels[tree] >= 0;
    }
    CHECK_EQ(6 * in_islands, want_dofs);
    begin = end;
  }
  CHECK_EQ(begin, count);
  free(incidences);
  free(world_of);
  free(labels);
  free(want);
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
