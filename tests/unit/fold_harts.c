/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Folds of two harts at one time: one reads a counter, and writes its upper
 * half much later, over what the other has written meanwhile. Exact, as long as
 * bareprof_options.h's rule holds: the period and the longest call are together
 * within 2^31 counts. A control: one that is longer is noticed here. The oracle
 * is a number of 64 bits that is counted along.
 */
#include "check.h"
#include "fold/fold.h"

enum { STEPS = 32, RUN = 300, RUNS = 20000 }; /* steps within 2^31 counts */

static uint64_t state;

static uint32_t pick(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % below;
}

/* A fold under way: what it has read, and when it will write. */
struct fold {
  bool reading;
  uint32_t high, low;
  int writes_at, begun_at;
};

static struct fold folds[2];
static uint32_t high, low;

/* bareprof_fold, of one counter. */
static void step_fold(struct fold *fold, int now, bool begins, int takes) {
  if (!fold->reading && begins)
    *fold = (struct fold){true, high, low, now + takes, now};
  if (!fold->reading || fold->writes_at > now)
    return;
  if ((fold->high ^ fold->low) >> 31)
    high = bareprof_fold_upper_half(fold->high, fold->low);
  fold->reading = false;
}

/* The first hart folds once in a period at least, the other at any time, and
 * takes its time. Whether a profile is right at any time. */
static bool is_exact(int period, int longest) {
  uint64_t truth = 0;
  high = low = 0;
  folds[0] = folds[1] = (struct fold){.begun_at = -1};
  for (int now = 0; now < RUN; now++) {
    uint32_t counts = pick(8) ? (UINT32_C(1) << 31) / STEPS : 0;
    bool due = now - folds[0].begun_at >= period - 1;
    truth += counts;
    low += counts;
    step_fold(&folds[0], now, due || pick((uint32_t)period) == 0, 0);
    step_fold(&folds[1], now, pick((uint32_t)period) == 0,
              (int)pick((uint32_t)longest));
    if (bareprof_unfold_count((uint64_t)high << 32 | low) != truth)
      return false;
  }
  return true;
}

static unsigned wrong_of(int period, int longest) {
  unsigned wrong = 0;
  for (unsigned i = 0; i < RUNS; i++)
    wrong += !is_exact(period, longest);
  return wrong;
}

int main(void) {
  check_begin("folds of two harts: exact, if period and call are within 2^31");
  for (int longest = 1; longest < STEPS; longest += 5)
    expect(0, wrong_of(STEPS - longest, longest));
  check_end();
  check_begin("folds of two harts: control, a longer call loses a carry");
  expect_true(wrong_of(STEPS, STEPS - 1) > 0);
  check_end();
  return 0;
}
