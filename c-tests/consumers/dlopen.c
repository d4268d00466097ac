/*
 * Loads the shared library named by the first argument with RTLD_NOW, so that a symbol that nobody defines shows at
 * once, and plans with it: prints "arena 180". Nothing of aether is linked.
 */
#include <aether.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef const char *version_function(void);
typedef aether_status plan_function(const aether_tensor *, size_t, size_t *, aether_plan *, void *, size_t,
                                    aether_error *);

static void *library;

/* Through memcpy, because C knows no cast from an object pointer to a function pointer. */
static int look_up(const char *name, void *function) {
  void *symbol = dlsym(library, name);
  if (symbol == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 0;
  }
  memcpy(function, &symbol, sizeof symbol);
  return 1;
}

int main(int argument_count, char **arguments) {
  static const aether_tensor tensors[3] = {{100, 1, 0, 1}, {80, 1, 1, 2}, {60, 1, 2, 3}};
  static uint64_t scratch[AETHER_PLAN_OFFSETS_SCRATCH_SIZE(3) / sizeof(uint64_t)];
  size_t offsets[3];
  aether_plan plan;
  version_function *version;
  plan_function *plan_offsets;

  if (argument_count != 2) return 2;
  library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  if (!look_up("aether_version", &version) || !look_up("aether_plan_offsets", &plan_offsets)) return 1;
  if (strcmp(version(), AETHER_VERSION) != 0) {
    fprintf(stderr, "library %s, header %s\n", version(), AETHER_VERSION);
    return 1;
  }
  if (plan_offsets(tensors, 3, offsets, &plan, scratch, sizeof scratch, NULL) != AETHER_OK) return 1;
  printf("arena %lu\n", (unsigned long)plan.arena_size);
  return dlclose(library);
}
