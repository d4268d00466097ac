/*
 * What a test driver needs, without a framework.
 *
 * A driver runs each test with TEST(name), which prints one line, and ends with `return tests_end();`. A check that
 * fails prints where it stands and what it found, and the test goes on.
 */

#ifndef AETHER_CHECK_H
#define AETHER_CHECK_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "aether.h"

/* An index or other that names no item. */
#define NONE SIZE_MAX

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define CHECK(condition) check_that((condition) ? 1 : 0, #condition, __FILE__, __LINE__)

/* Two numbers that must be equal; a negative one shows as a very large one. */
#define CHECK_EQ(got, want) check_equal((size_t)(got), (size_t)(want), #got, __FILE__, __LINE__)

/* A call that must fail: what it returned, the record, and each number that the record must have. */
#define CHECK_ERROR(returned, record, want_status, want_index, want_other, want_got, want_limit)                  \
  check_error(returned, record, (aether_error){want_status, 0, want_index, want_other, want_got, want_limit}, \
              __FILE__, __LINE__)

#define TEST(name) test_run(#name, name)

static size_t tests_passed, tests_failed, checks_failed;
static char checks_note[160];

/* Says what the next checks are about, for their messages: which step of a loop, which row of a table. */
#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
static inline void
note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(checks_note, sizeof checks_note, format, arguments);
  va_end(arguments);
}

/* Whether to print this failure: the first ones of a test tell enough. */
static inline int check_fails(const char *file, int line) {
  checks_failed++;
  if (checks_failed > 10) {
    return 0;
  }
  printf("  %s:%d: ", file, line);
  if (checks_note[0] != '\0') {
    printf("[%s] ", checks_note);
  }
  return 1;
}

static inline void check_that(int holds, const char *condition, const char *file, int line) {
  if (!holds && check_fails(file, line)) {
    printf("not so: %s\n", condition);
  }
}

static inline void check_equal(size_t got, size_t want, const char *what, const char *file, int line) {
  if (got != want && check_fails(file, line)) {
    printf("%s is %zu, not %zu\n", what, got, want);
  }
}

static inline void check_error(aether_status returned, const aether_error *got, aether_error want, const char *file,
                               int line) {
  check_equal((size_t)returned, (size_t)want.status, "returned status", file, line);
  check_equal((size_t)got->status, (size_t)want.status, "error.status", file, line);
  check_equal((size_t)got->reserved, 0, "error.reserved", file, line);
  check_equal(got->index, want.index, "error.index", file, line);
  check_equal(got->other, want.other, "error.other", file, line);
  check_equal(got->got, want.got, "error.got", file, line);
  check_equal(got->limit, want.limit, "error.limit", file, line);
}

static inline void test_run(const char *name, void (*test)(void)) {
  checks_failed = 0;
  checks_note[0] = '\0';
  test();
  if (checks_failed == 0) {
    tests_passed++;
  } else {
    tests_failed++;
  }
  printf("%s %s\n", checks_failed == 0 ? "ok  " : "FAIL", name);
  (void)fflush(stdout);
}

/* Prints the sum and returns what main must return. */
static inline int tests_end(void) {
  printf("%zu passed, %zu failed\n", tests_passed, tests_failed);
  return tests_failed == 0 && tests_passed > 0 ? 0 : 1;
}

#endif
