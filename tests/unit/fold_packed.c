/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_fold of counters of 4 bytes, on an image of an array. A plain
 * increment that a fold interrupts writes back what it had loaded. As often in
 * a row as bareprof_options.h says, the counter still says "at least".
 * Controls: once more often, or with the period of atomic increments, it wraps.
 */
#include "bareprof_options.h"
#include "check.h"
#include "../../runtime/image.h"

static const uint64_t version =
    (uint32_t)BAREPROF_RAW_VERSION | (uint64_t)BAREPROF_PACKED;
static uint32_t counters[4];
uint64_t __bareprof_guard;
const struct bareprof_image bareprof_running = {
    .version = &version,
    .guard = &__bareprof_guard,
    .counters = {(const unsigned char *)counters,
                 (const unsigned char *)(counters + 4)}};

#define LEAST (UINT32_C(1) << 31)
static const uint32_t plain_period = UINT32_C(1) << 27;
static const uint32_t atomic_period = UINT32_C(1) << 31;
enum { SURVIVED = 14, ROUNDS = 5 };

/* The last count of each period is load, fold, store. */
static void count_interrupted(uint32_t period) {
  counters[1] += period - 1;
  uint32_t loaded = counters[1];
  bareprof_fold();
  counters[1] = loaded + 1;
}

static void count_atomic(uint32_t period) {
  counters[1] += period;
  bareprof_fold();
}

/* Whether a counter that has reached 2^31 still says so after periods of which
 * so many in a row are undone. */
static bool survives(uint32_t period, unsigned undone) {
  counters[1] = LEAST;
  for (unsigned round = 0; round < ROUNDS; round++) {
    for (unsigned i = 0; i < undone; i++) {
      count_interrupted(period);
      if (counters[1] < LEAST)
        return false;
    }
    count_atomic(period - 1);
    if (counters[1] != LEAST)
      return false;
  }
  return true;
}

int main(void) {
  bareprof_init();
  check_begin("fold of 4 bytes: 14 undone calls in a row lose no mark");
  for (unsigned undone = 0; undone <= SURVIVED; undone++)
    expect_true(survives(plain_period, undone));
  expect_true(survives(atomic_period, 0));
  check_end();
  check_begin("fold of 4 bytes: control, more undone calls lose it");
  expect_true(!survives(plain_period, SURVIVED + 2));
  expect_true(!survives(atomic_period, 1));
  check_end();
  check_begin("fold of 4 bytes: others are as they were");
  counters[0] = 0, counters[2] = LEAST - 1, counters[3] = 7;
  counters[1] = UINT32_MAX;
  bareprof_fold();
  expect(0, counters[0]);
  expect(LEAST, counters[1]);
  expect(LEAST - 1, counters[2]);
  expect(7, counters[3]);
  check_end();
  return 0;
}
