/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The helpers of x86-64, as hosted tests of instrumented code use them:
 * without a linker script of ours. Threads call the same functions.
 */
#include "target.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

BAREPROF_MIP_ROOM(ROOM);
BAREPROF_MIP_EDGES(8);

enum { REGISTERS = 16, THREADS = 4, CALLS = 200000 };

void registers_around(void (*function)(void), const uintptr_t *before,
                      uintptr_t *after);

static void keeps(void (*function)(void), unsigned which, uintptr_t flags) {
  uintptr_t before[REGISTERS], after[REGISTERS];
  for (unsigned i = 0; i < REGISTERS; i++)
    before[i] = 0x9E3779B97F4A7C15u + 0x01010101u * (i + which);
  before[15] = flags | 0x202; /* what a program always has */
  registers_around(function, before, after);
  if (memcmp(before, after, sizeof before))
    printf("wrong: registers of %u\n", which);
}

static void *calls(void *nothing) {
  for (unsigned i = 0; i < CALLS; i++) {
    shared_address();
    shared_index();
    shared_edge();
  }
  return nothing;
}

static void expect(const char *what, unsigned offset, uint32_t count) {
  if (raw_words(offset)[0] != count)
    printf("wrong: %s %u\n", what, raw_words(offset)[0]);
}

static int to_file(void *context, const void *bytes, size_t size) {
  return fwrite(bytes, 1, size, context) != size;
}

int main(int argc, char **argv) {
  static void (*const functions[])(void) = {
      plain,     cover_address, cover_index,  count_address,
      count_far, count_index,   edge_address, edge_index};
  pthread_t threads[THREADS];
  const struct bareprof_sink sink = {to_file, fopen(argv[argc - 1], "wb")};
  bareprof_mip_init();
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
    keeps(functions[i], i, 0x8D5); /* O, S, Z, A, P, C */
    keeps(functions[i], i, 0);
    keeps(functions[i], i, 0x8D5);
  }
  expect("far", COUNT_FAR, 3);
  expect("edge", EDGE_ADDRESS, 3);
  bareprof_mip_reset();
  count_far();
  last();
  for (unsigned i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, calls, NULL);
  for (unsigned i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  expect("address", SHARED_ADDRESS, THREADS * CALLS);
  expect("index", SHARED_INDEX, THREADS * CALLS);
  expect("shared edge", SHARED_EDGE, THREADS * CALLS);
  if (raw_words(COUNT_FAR)[1] != 1 || raw_words(LAST)[1] != 2)
    printf("wrong: times\n");
  return !sink.context || bareprof_mip_write(&sink) || fclose(sink.context);
}
