/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program for tests/hosted/kills.sh that adds one to each of its counters,
 * sees values, and is ended while it writes its profile:
 *
 *   pool VALUES [write N | page N | after MICROSECONDS]
 *
 * VALUES is how many functions each site calls. It is ended before its Nth
 * write or truncation, or in the middle of it, at the end of a page; or so
 * long after main has ended. Status 1 if there were fewer.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* What differs from run to run is not counted. */
#define UNCOUNTED __attribute__((noinline, no_profile_instrument_function))

static long left = -1;
static int in_page;

/* Whether this is the call to end at. */
UNCOUNTED static int is_last(int file) {
  return file > 2 && left >= 0 && left-- == 1;
}

UNCOUNTED static void end(void) { kill(getpid(), SIGKILL); }

UNCOUNTED ssize_t write(int file, const void *bytes, size_t size) {
  if (is_last(file)) {
    if (in_page)
      syscall(SYS_write, file, bytes, size / 2);
    end();
  }
  return syscall(SYS_write, file, bytes, size);
}

UNCOUNTED ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
  if (is_last(file)) {
    size_t part = (size_t)(PAGE - at % PAGE);
    if (in_page && part < size)
      syscall(SYS_pwrite64, file, bytes, part, at);
    end();
  }
  return syscall(SYS_pwrite64, file, bytes, size, at);
}

UNCOUNTED int ftruncate(int file, off_t size) {
  if (is_last(file))
    end();
  return (int)syscall(SYS_ftruncate, file, size);
}

#define FUNCTION(n)                                   \
  __attribute__((noinline)) static int f##n(int of) { \
    __asm__ volatile("");                             \
    return of + n;                                    \
  }
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3) FUNCTION(4) FUNCTION(5)
    FUNCTION(6) static int (*const callees[])(int) = {f0, f1, f2, f3,
                                                      f4, f5, f6};

/* Each with counters and a site of its own. */
#define CALLER(n)                                        \
  __attribute__((noinline)) static int c##n(int times) { \
    int sum = 0;                                         \
    for (int i = 0; i < times; i++)                      \
      sum += callees[i % 7](sum);                        \
    return sum;                                          \
  }
#define CALLERS(n)                                                 \
  CALLER(n##0)                                                     \
  CALLER(n##1)                                                     \
  CALLER(n##2) CALLER(n##3) CALLER(n##4) CALLER(n##5) CALLER(n##6) \
      CALLER(n##7) CALLER(n##8) CALLER(n##9)
#define NAMES(n)                                                          \
  c##n##0, c##n##1, c##n##2, c##n##3, c##n##4, c##n##5, c##n##6, c##n##7, \
      c##n##8, c##n##9
CALLERS(1)
CALLERS(2)
CALLERS(3) CALLERS(4) CALLERS(5)
    CALLERS(6) static int (*const callers[])(int) = {
        NAMES(1), NAMES(2), NAMES(3), NAMES(4), NAMES(5), NAMES(6)};

UNCOUNTED static void arm(int count, char **arguments) {
  if (count <= 3)
    return;
  struct itimerval timer = {{0, 0}, {0, atol(arguments[3])}};
  if (!strcmp(arguments[2], "after")) {
    setitimer(ITIMER_REAL, &timer, NULL);
    return;
  }
  left = atol(arguments[3]);
  in_page = !strcmp(arguments[2], "page");
}

/* When all is written. */
UNCOUNTED __attribute__((destructor)) static void look(void) {
  if (left > 0)
    _exit(1);
}

int main(int count, char **arguments) {
  int sum = 0;
  for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
    sum += callers[i](count > 1 ? atoi(arguments[1]) : 0);
  arm(count, arguments);
  return sum == -1;
}
