/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One interrupt at each place of a count, a fold, a write, a merge, a reset:
 * the interrupt counts, or folds. The counter is at one of its edges. Wrong is
 * each count that is not the exact one.
 */
#include "bareprof_options.h"
#include "fold.h"
#include "sweep.h"

void bareprof_unfold_counts(uint64_t *counts, size_t count);

enum { EDGES = 4, PROFILE_ROOM = 2048, ADDED = 3 };
static const uint64_t edges[EDGES] = {
    UINT64_C(0x17FFFFFFF), UINT64_C(0x180000000), UINT64_C(0x1FFFFFFFF),
    UINT64_C(0x2C0000000)};

static counter *counted;
static unsigned edge;
static uint64_t expected;
static unsigned char profile[PROFILE_ROOM] __attribute__((aligned(8)));
static size_t in_profile; /* where the counter is */

/* As folds leave a count that is some way behind the edge by now. */
static void prepare(void) {
  counted->whole = edges[edge] - (UINT32_C(1) << 30);
  bareprof_fold();
  counted->halves[LOWER] = counted->halves[LOWER] + (UINT32_C(1) << 30);
  expected = edges[edge];
}

static void count(void) {
  shared();
  expected++;
}

static void count_and_fold(void) {
  count();
  bareprof_fold();
}

static int wrong(void) {
  uint64_t now = counted->whole;
  bareprof_unfold_counts(&now, 1);
  return now != expected;
}

static void write(void) {
  struct bareprof_memory memory = {profile, profile + sizeof profile};
  const struct bareprof_sink sink = {bareprof_memory_write, &memory};
  bareprof_write(&sink);
}

/* Before the interrupt's count, or with it. */
static int written_wrong(void) {
  uint64_t told = *(uint64_t *)(uintptr_t)(profile + in_profile);
  return wrong() || (told != expected && told != expected - 1);
}

static void merge(void) {
  bareprof_merge(profile, sizeof profile);
  expected += ADDED;
}

static void reset(void) {
  bareprof_reset();
  expected = 0;
}

static void find_place(void) {
  counted->whole = 0x12345678;
  write();
  for (size_t at = 0; at < sizeof profile; at += 8)
    if (*(uint64_t *)(uintptr_t)(profile + at) == 0x12345678)
      in_profile = at;
}

static void run(const char *name, void (*code)(void), void (*tick)(void),
                int (*is_wrong)(void)) {
  const struct sweep all = {prepare, code, tick, is_wrong};
  struct sweep_result sum = {0, 0};
  for (edge = 0; edge < EDGES; edge++) {
    struct sweep_result result = sweep(&all);
    sum.runs += result.runs;
    sum.wrong += result.wrong;
  }
  print_result(name, sum.runs, sum.wrong);
}

int main(void) {
  counted = counter_of_shared();
  find_place();
  run("counts-in-fold", bareprof_fold, count, wrong);
  run("fold-in-count", count, bareprof_fold, wrong);
  run("fold-in-fold", bareprof_fold, bareprof_fold, wrong);
  run("folds-in-fold", bareprof_fold, count_and_fold, wrong);
#ifdef LONG
  run("in-write", write, count_and_fold, written_wrong);
#endif
  run("in-reset", reset, bareprof_fold, wrong);
  write();
  *(uint64_t *)(uintptr_t)(profile + in_profile) = ADDED;
#ifdef LONG
  run("in-merge", merge, bareprof_fold, wrong);
#endif
  return 0;
}
