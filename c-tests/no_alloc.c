/*
 * Proves from outside that no call allocates: this program has its own malloc and relatives, which end the process with
 * a message while a call is in progress. A child process that does allocate within a "call" proves that the trap works.
 *
 * For POSIX systems. Where something else takes the place of malloc the trap is dead, and the test of the trap fails:
 * valgrind needs --soname-synonyms=somalloc=nouserintercepts, and an address sanitizer cannot be used here.
 */

#define _DEFAULT_SOURCE

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* ---- The trap ---- */

static volatile int call_in_progress;

static void trap(const char *name) {
  if (call_in_progress) {
    const char *const parts[] = {name, " was called during a call of the library\n"};
    for (size_t i = 0; i < 2; i++) {
      size_t length = strlen(parts[i]);
      if (write(STDERR_FILENO, parts[i], length) != (ssize_t)length) {
        break;
      }
    }
    abort();
  }
}

/* Between calls libc may allocate: from this heap, which is never given back. Each block knows its size. */
typedef union block_head {
  size_t size;
  max_align_t align;
} block_head;

static alignas(4096) unsigned char heap[1 << 20];
static size_t heap_used;

static void *allocate(size_t alignment, size_t size) {
  size_t at = heap_used + sizeof(block_head);
  at = (at + alignment - 1) / alignment * alignment;
  if (alignment > 4096 || at > sizeof heap || size > sizeof heap - at) {
    errno = ENOMEM;
    return NULL;
  }
  heap_used = at + (size + sizeof(block_head) - 1) / sizeof(block_head) * sizeof(block_head);
  memcpy(heap + at - sizeof(block_head), &size, sizeof size);
  return heap + at;
}

void *malloc(size_t size) {
  trap("malloc");
  return allocate(sizeof(block_head), size);
}

void *calloc(size_t count, size_t size) {
  trap("calloc");
  /* The heap begins as zeros and no byte is given out twice. */
  return size != 0 && count > SIZE_MAX / size ? NULL : allocate(sizeof(block_head), count * size);
}

void *realloc(void *block, size_t size) {
  trap("realloc");
  unsigned char *moved = allocate(sizeof(block_head), size);
  if (block != NULL && moved != NULL) {
    size_t old_size;
    memcpy(&old_size, (unsigned char *)block - sizeof(block_head), sizeof old_size);
    memcpy(moved, block, old_size < size ? old_size : size);
  }
  return moved;
}

void free(void *block) {
  trap("free");
  (void)block;
}

void *aligned_alloc(size_t alignment, size_t size) {
  trap("aligned_alloc");
  return allocate(alignment, size);
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size) {
  trap("memalign");
  return allocate(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  trap("posix_memalign");
  *block = allocate(alignment, size);
  return *block == NULL ? ENOMEM : 0;
}

/* Nobody needs these two between calls; libc has its own ways to them. */
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  trap("mmap");
  (void)address, (void)size, (void)protection, (void)flags, (void)file, (void)offset;
  errno = ENOMEM;
  return MAP_FAILED;
}

void *sbrk(intptr_t increment) {
  trap("sbrk");
  (void)increment;
  errno = ENOMEM;
  return MAP_FAILED;
}

/* ---- The trap works ---- */

/* Reached through pointers that the compiler cannot see through: it knows malloc, and may leave a call of it out. */
static void *(*volatile malloc_here)(size_t) = malloc;
static void *(*volatile calloc_here)(size_t, size_t) = calloc;
static void *(*volatile realloc_here)(void *, size_t) = realloc;
static void (*volatile free_here)(void *) = free;
static void *(*volatile aligned_alloc_here)(size_t, size_t) = aligned_alloc;
static void *(*volatile memalign_here)(size_t, size_t) = memalign;
static int (*volatile posix_memalign_here)(void **, size_t, size_t) = posix_memalign;
static void *(*volatile mmap_here)(void *, size_t, int, int, int, off_t) = mmap;
static void *(*volatile sbrk_here)(intptr_t) = sbrk;
static char *(*volatile strdup_here)(const char *) = strdup;

static void *block;

static void call_malloc(void) {
  block = malloc_here(8);
}

static void call_calloc(void) {
  block = calloc_here(2, 8);
}

static void call_realloc(void) {
  block = realloc_here(NULL, 16);
}

static void call_free(void) {
  free_here(NULL);
}

static void call_aligned_alloc(void) {
  block = aligned_alloc_here(64, 64);
}

static void call_memalign(void) {
  block = memalign_here(64, 64);
}

static void call_posix_memalign(void) {
  if (posix_memalign_here(&block, 64, 64) != 0) {
    block = NULL;
  }
}

static void call_mmap(void) {
  block = mmap_here(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void call_sbrk(void) {
  block = sbrk_here(16);
}

/* libc's own call of malloc goes the same way. */
static void call_strdup(void) {
  block = strdup_here("a string");
}

static void call_nothing(void) {
}

/* What a child process that does this within a call leaves behind: its wait status and its words. */
static int status_of_child(void (*within_call)(void), char *words, size_t capacity) {
  int ends[2], status = -1;
  ssize_t length = 0;
  if (pipe(ends) != 0) {
    CHECK_EQ(errno, 0);
    return -1;
  }
  pid_t child = fork();
  if (child == 0) {
    (void)dup2(ends[1], STDERR_FILENO);
    call_in_progress = 1;
    within_call();
    call_in_progress = 0;
    _exit(0);
  }
  (void)close(ends[1]);
  for (ssize_t more = 1; more > 0 && (size_t)length < capacity - 1; length += more > 0 ? more : 0) {
    more = read(ends[0], words + length, capacity - 1 - (size_t)length);
  }
  words[length] = '\0';
  (void)close(ends[0]);
  CHECK(child > 0);
  CHECK(waitpid(child, &status, 0) == child);
  return status;
}

static void an_allocation_during_a_call_ends_the_process(void) {
  const struct {
    const char *name;
    void (*call)(void);
  } allocators[] = {{"malloc", call_malloc},
                    {"calloc", call_calloc},
                    {"realloc", call_realloc},
                    {"free", call_free},
                    {"aligned_alloc", call_aligned_alloc},
                    {"memalign", call_memalign},
                    {"posix_memalign", call_posix_memalign},
                    {"mmap", call_mmap},
                    {"sbrk", call_sbrk},
                    {"malloc", call_strdup}};
  for (size_t i = 0; i < COUNT(allocators); i++) {
    char words[128], want[128];
    note("%s", allocators[i].name);
    (void)snprintf(want, sizeof want, "%s was called during a call of the library\n", allocators[i].name);
    int status = status_of_child(allocators[i].call, words, sizeof words);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK(strcmp(words, want) == 0);
  }
}

static void a_call_that_does_not_allocate_passes_the_trap(void) {
  char words[128];
  int status = status_of_child(call_nothing, words, sizeof words);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(words[0] == '\0');
}

static void between_calls_memory_can_be_had(void) {
  char *text = malloc_here(6);
  CHECK(text != NULL);
  if (text != NULL) {
    memcpy(text, "aether", 6);
    text = realloc_here(text, 600);
    CHECK(text != NULL && memcmp(text, "aether", 6) == 0);
  }
  free_here(text);
}

/* ---- No function allocates ---- */

#define DURING_CALL(result, call) (call_in_progress = 1, (result) = (call), call_in_progress = 0)

enum { TENSORS = 400, NODES = 3000, EDGES = 9000 };

static aether_tensor tensors[TENSORS];
static size_t offsets[TENSORS];
static aether_edge edges[EDGES];
static uint8_t keep[EDGES];
static aether_incidence incidences[EDGES];
static int32_t labels[NODES];
static aether_plan plan;
static aether_error error;
static uint64_t tensor_scratch[AETHER_PLAN_OFFSETS_SCRATCH_SIZE(TENSORS) / sizeof(uint64_t)];
static uint64_t edge_scratch[AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(NODES, EDGES) / sizeof(uint64_t)];

static uint32_t random_state;

static uint32_t random_below(uint32_t limit) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % limit;
}

static void write_inputs(void) {
  random_state = 1;
  for (size_t i = 0; i < TENSORS; i++) {
    size_t first = random_below(100);
    tensors[i] = (aether_tensor){random_below(5000), 4u << random_below(5), first, first + random_below(30)};
  }
  for (size_t i = 0; i < EDGES; i++) {
    uint32_t from = random_below(NODES - 1);
    edges[i] = (aether_edge){from, from + 1 + random_below(NODES - 1 - from)};
    incidences[i] = (aether_incidence){(int32_t)random_below(NODES), (int32_t)random_below(NODES)};
  }
}

static void planning_checking_and_measuring_do_not_allocate(void) {
  aether_status status;
  size_t peak = 0, node = 0, size_of_scratch;
  DURING_CALL(size_of_scratch, aether_plan_offsets_scratch_size(TENSORS));
  CHECK_EQ(size_of_scratch, sizeof tensor_scratch);
  DURING_CALL(status, aether_plan_offsets(tensors, TENSORS, offsets, &plan, tensor_scratch, sizeof tensor_scratch,
                                          &error));
  CHECK_EQ(status, AETHER_OK);
  CHECK(plan.lower_bound > plan.peak_live_bytes); /* so the padded bound was worked out too */
  DURING_CALL(size_of_scratch, aether_check_offsets_scratch_size(TENSORS));
  CHECK(size_of_scratch <= sizeof tensor_scratch);
  DURING_CALL(status, aether_check_offsets(tensors, TENSORS, offsets, &plan, tensor_scratch, sizeof tensor_scratch,
                                           &error));
  CHECK_EQ(status, AETHER_OK);
  DURING_CALL(size_of_scratch, aether_peak_live_bytes_scratch_size(TENSORS));
  CHECK(size_of_scratch <= sizeof tensor_scratch);
  DURING_CALL(status, aether_peak_live_bytes(tensors, TENSORS, &peak, &node, tensor_scratch, sizeof tensor_scratch,
                                             &error));
  CHECK_EQ(status, AETHER_OK);
  CHECK_EQ(peak, plan.peak_live_bytes);
}

static void reducing_does_not_allocate(void) {
  aether_status status;
  size_t kept = 0, size_of_scratch;
  DURING_CALL(size_of_scratch, aether_transitive_reduction_scratch_size(NODES, EDGES));
  CHECK_EQ(size_of_scratch, sizeof edge_scratch);
  DURING_CALL(status, aether_transitive_reduction(NODES, edges, EDGES, keep, &kept, edge_scratch, sizeof edge_scratch,
                                                  &error));
  CHECK_EQ(status, AETHER_OK);
  CHECK(kept > EDGES / 10 && kept < EDGES);
}

static void finding_islands_does_not_allocate(void) {
  aether_status status;
  size_t islands = 0;
  DURING_CALL(status, aether_islands(NODES, incidences, NODES / 2, labels, &islands, &error));
  CHECK_EQ(status, AETHER_OK);
  CHECK(islands > 100);
}

static void refusing_and_speaking_do_not_allocate(void) {
  aether_status status;
  const char *words;
  char text[256];
  size_t length;
  const aether_edge falling = {2, 1};
  DURING_CALL(status, aether_transitive_reduction(3, &falling, 1, keep, NULL, edge_scratch, sizeof edge_scratch,
                                                  &error));
  CHECK_EQ(status, AETHER_ERROR_NOT_TOPOLOGICAL);
  DURING_CALL(length, aether_error_message(&error, text, sizeof text));
  CHECK_EQ(length, strlen(text));
  offsets[0] = offsets[1] = 0;
  tensors[0] = tensors[1] = (aether_tensor){8, 1, 0, 9};
  DURING_CALL(status, aether_check_offsets(tensors, 2, offsets, NULL, tensor_scratch, sizeof tensor_scratch, &error));
  CHECK_EQ(status, AETHER_ERROR_CLASH);
  const aether_incidence fixed = {-1, -1};
  DURING_CALL(status, aether_islands(3, &fixed, 1, labels, NULL, &error));
  CHECK_EQ(status, AETHER_ERROR_STATIC_INCIDENCE);
  DURING_CALL(words, aether_status_string(status));
  CHECK(words[0] != '\0');
  DURING_CALL(words, aether_version());
  CHECK(words[0] != '\0');
}

int main(void) {
  static char output[BUFSIZ];
  (void)setvbuf(stdout, output, _IOLBF, sizeof output);
  TEST(an_allocation_during_a_call_ends_the_process);
  TEST(a_call_that_does_not_allocate_passes_the_trap);
  TEST(between_calls_memory_can_be_had);
  write_inputs();
  TEST(planning_checking_and_measuring_do_not_allocate);
  TEST(reducing_does_not_allocate);
  TEST(finding_islands_does_not_allocate);
  TEST(refusing_and_speaking_do_not_allocate);
  return tests_end();
}
