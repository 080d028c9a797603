/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * 4-byte counters at their limits: a full profile is refused, a counter does
 * not change its neighbours, and with FOLD it saturates. The lean dump at the
 * end has 3 for shared(), or 2^31 for all where it stopped.
 */
#include "bareprof_options.h"
#include "board.h"
#include "common.h"
#include "profile/instr_prof_interface.h"

#define LEAST (UINT32_C(1) << 31)
#define NEIGHBOUR UINT32_C(0xFFFFFFFF)

static int failed;

static void expect(const char *what, uint64_t wanted, uint64_t seen) {
  if (wanted == seen)
    return;
  failed = 1;
  print_result(what, wanted, seen);
}

static volatile uint32_t *begin, *end, *counted;

static void put_all(uint32_t value) {
  for (volatile uint32_t *at = begin; at != end; at++)
    *at = value;
}

/* How many of the others have another value. */
static unsigned others_but(uint32_t value) {
  unsigned others = 0;
  for (volatile uint32_t *at = begin; at != end; at++)
    others += at != counted && *at != value;
  return others;
}

static void find(void) {
  begin = (volatile uint32_t *)(uintptr_t)bareprof_running.counters.begin;
  end = (volatile uint32_t *)(uintptr_t)bareprof_running.counters.end;
  put_all(NEIGHBOUR);
  bareprof_reset();
  shared();
  counted = begin;
  while (*counted != 1)
    counted++;
  expect("reset", 0, others_but(0));
}

static int never(void *context, const void *bytes, size_t size) {
  (void)context, (void)bytes, (void)size;
  failed = 1;
  return 1;
}

static void refuse(void) {
  static const struct bareprof_sink sink = {never, 0};
  static const uint64_t profile[4];
  unsigned packed = (unsigned)BAREPROF_E_PACKED;
  expect("write", packed, (unsigned)bareprof_write(&sink));
  expect("status", packed, (unsigned)bareprof_status());
  expect("merge", packed, (unsigned)bareprof_merge(profile, sizeof profile));
  expect("size", 0, bareprof_size());
  expect("entry", 4, __llvm_profile_counter_entry_size());
  expect("counters", (uint64_t)(end - begin),
         __llvm_profile_get_num_counters(__llvm_profile_begin_counters(),
                                         __llvm_profile_end_counters()));
}

/* A carry must not reach the next counter, nor the one before. */
static void wrap(void) {
  put_all(NEIGHBOUR);
  *counted = UINT32_MAX - 1;
  for (unsigned i = 0; i < 5; i++)
    shared();
  expect("wrapped", 3, *counted);
  expect("neighbours", 0, others_but(NEIGHBOUR));
}

#ifdef FOLD
static void folds(uint32_t from, uint32_t to) {
  put_all(LEAST - 1);
  *counted = from;
  bareprof_fold();
  expect("folded", to, *counted);
  expect("neighbours of folded", 0, others_but(LEAST - 1));
}

static void fold(void) {
  static const uint32_t above[] = {LEAST, LEAST + 1, LEAST + 5, UINT32_MAX};
  folds(0, 0);
  folds(7, 7);
  folds(LEAST - 1, LEAST - 1);
  for (unsigned i = 0; i < sizeof above / sizeof *above; i++)
    folds(above[i], LEAST);
  *counted = LEAST - 1;
  for (unsigned i = 0; i < 5; i++) {
    shared();
    bareprof_fold();
  }
  expect("stopped", LEAST, *counted);
  shared();
}
#else
static void fold(void) {}
#endif

int main(void) {
  find();
  refuse();
  wrap();
  fold();
  uint32_t last = *counted;
  put_all(last >= LEAST ? last : 1);
  *counted = last;
  print_result("calls", failed, 0);
  return failed ? failed : write_profile();
}
