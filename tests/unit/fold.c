/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_fold on the running image of one instrumented function. What code
 * counts is added by hand to the lower half of a counter, or to all of it;
 * bareprof_write must say the exact sum. The oracle is a number of 64 bits that
 * is counted along. The processor's single step brings folds and counts into
 * each place of the runtime.
 */
#define _GNU_SOURCE
#include <string.h>

#include "bareprof_options.h"
#include "check.h"
#include "interrupted.h"
#include "weak_hooks.h"

int counted(int rounds);

uint64_t __bareprof_guard;

enum {
  LOW = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__,
  COUNTERS = 3,
  MARK = 0x12345678
};
#define MOST ((UINT64_C(1) << 62) - 1)
#define HALF UINT64_C(0x80000000)
#define WHOLE UINT64_C(0x100000000)

static unsigned char profile[4096] __attribute__((aligned(8)));
static unsigned char *in_profile; /* the counters in there */

static unsigned char *counter_at(unsigned i) {
  return (unsigned char *)(uintptr_t)bareprof_running.counters.begin + 8 * i;
}

static void put(unsigned i, uint64_t value) {
  memcpy(counter_at(i), &value, sizeof value);
}

static uint64_t word(unsigned i) {
  uint64_t value;
  memcpy(&value, counter_at(i), sizeof value);
  return value;
}

static size_t write_profile(void) {
  struct bareprof_memory memory = {profile, profile + sizeof profile};
  const struct bareprof_sink sink = {bareprof_memory_write, &memory};
  expect(0, bareprof_write(&sink));
  return (size_t)(memory.next - profile);
}

/* What a profile says of a counter. */
static uint64_t told(unsigned i) {
  uint64_t value;
  write_profile();
  memcpy(&value, in_profile + 8 * i, sizeof value);
  return value;
}

/* As code of --counters=32-atomic counts. */
static void count_low(unsigned i, uint32_t by) {
  uint32_t low;
  unsigned char *half = counter_at(i) + 4 * LOW;
  memcpy(&low, half, sizeof low);
  low += by;
  memcpy(half, &low, sizeof low);
}

/* As clang's own code does. */
static void count_all(unsigned i, uint64_t by) { put(i, word(i) + by); }

static void find_counters(void) {
  const uint64_t mark = MARK;
  put(0, mark);
  size_t size = write_profile();
  for (size_t at = 0; at < size; at += 8)
    if (!memcmp(profile + at, &mark, sizeof mark))
      in_profile = profile + at;
  expect_true(in_profile);
  bareprof_reset();
}

/* Where something can happen, in the lower half. */
static const uint64_t edges[] = {0,        1,           HALF - 2,  HALF - 1,
                                 HALF,     HALF + 1,    WHOLE - 2, WHOLE - 1,
                                 HALF / 2, HALF * 3 / 2};
enum { EDGES = sizeof edges / sizeof *edges };
static const uint64_t carries[] = {0, 1, 2, 5, MOST >> 33};
enum { CARRIES = sizeof carries / sizeof *carries };

/* Counters 0 and 1 hold a count, as a fold has left it; counter 2 is the one
 * that nobody counts. */
static void start_at(uint64_t count) {
  bareprof_reset();
  put(0, count);
  put(1, count);
  bareprof_fold();
}

static void expect_counts(uint64_t count) {
  expect(count, told(0));
  expect(count, told(1));
  expect(0, told(2));
}

#ifdef STEPS
static const char form[] = "in halves";
#else
static const char form[] = "whole";
#endif

static void test_steps(void) {
  static const uint32_t steps[] = {1, 3, 1 << 30, 1u << 31};
  check_begin("fold, counts go on beyond 2^32, by each step and edge, %s",
              form);
  for (unsigned at = 0; at < EDGES * CARRIES; at++)
    for (unsigned step = 0; step < 4; step++) {
      uint64_t count = carries[at / EDGES] << 32 | edges[at % EDGES];
      start_at(count);
      for (unsigned i = 0; i < 20; i++) {
        check_where("%llx by %x", (unsigned long long)count, steps[step]);
        expect_counts(count);
        count_low(0, steps[step]);
        count_all(1, steps[step]);
        count += steps[step];
        /* Before the fold, and after it, and after another. */
        expect_counts(count);
        bareprof_fold();
        if (i % 3 == 0)
          bareprof_fold();
      }
    }
  check_where("at the end");
  start_at(MOST);
  for (unsigned i = 0; i < 8; i++) {
    count_low(0, 1 << 30);
    bareprof_fold();
    expect_true(told(0) > MOST - WHOLE && told(0) <= MOST);
  }
  check_where("without a wrap, the upper half is not written");
  start_at(7);
  count_low(0, HALF - 8);
  bareprof_fold();
  expect(HALF - 1, word(0));
  check_end();
}

/* Plain 64-bit code carries between the folds. */
static void test_wide(void) {
  check_begin("fold, a counter that carries by itself is not carried twice, %s",
              form);
  for (unsigned at = 0; at < EDGES; at++) {
    uint64_t count = 3 * WHOLE + edges[at];
    start_at(count);
    for (unsigned i = 0; i < 40; i++) {
      uint32_t by = i % 7 ? 1u << 30 : 1;
      count_all(0, by);
      count_low(1, by);
      count += by;
      if (i % 2)
        bareprof_fold();
      expect_counts(count);
    }
  }
  check_end();
}

static void merge(uint64_t by) {
  write_profile();
  for (unsigned i = 0; i < COUNTERS; i++)
    memcpy(in_profile + 8 * i, &by, sizeof by);
  expect(0, bareprof_merge(profile, sizeof profile));
}

static void test_merge(void) {
  check_begin("fold, merged counts are carried, up to 2^62-1, %s", form);
  for (unsigned at = 0; at < EDGES * EDGES; at++) {
    uint64_t first = WHOLE + edges[at / EDGES], by = edges[at % EDGES];
    check_where("%llx and %llx", (unsigned long long)first,
                (unsigned long long)by);
    start_at(first);
    put(2, 0);
    merge(by + WHOLE);
    expect(first + by + WHOLE, told(0));
    expect(by + WHOLE, told(2));
    count_low(0, HALF);
    expect(first + by + WHOLE + HALF, told(0));
    bareprof_fold();
    count_low(0, HALF);
    bareprof_fold();
    expect(first + by + 2 * WHOLE, told(0));
  }
  start_at(MOST - 5);
  merge(5);
  expect(MOST, told(0));
  merge(1);
  expect(MOST, told(0));
  merge(UINT64_MAX);
  expect(MOST, told(0));
  expect(MOST, told(2));
  check_end();
}

/* ---- one in another ---- */

#ifdef STEPS

/* What the runtime makes of a counter. */
static uint64_t word_count(unsigned i) {
  uint64_t value = word(i);
  hook_unfold_counts(&value, 1);
  return value;
}

static uint32_t counted_by;
static void count_some(void) { count_low(0, counted_by); }
static void fold_and_count(void) {
  bareprof_fold();
  count_some();
}
static void count_and_fold(void) {
  count_some();
  bareprof_fold();
}
/* The part of bareprof_merge that writes. The rest takes too long to be
 * interrupted everywhere. */
static void merge_three(void) {
  static const uint64_t three[COUNTERS] = {3, 3, 3};
  hook_fold_add(NULL, counter_at(0), (const unsigned char *)three,
                sizeof three);
}

/* A count of 2^30 later, and maybe of one more: the edges. */
static const uint64_t before[] = {HALF / 2 - 1, HALF / 2, HALF * 3 / 2 - 1,
                                  HALF * 3 / 2};

static void within(const char *name, void (*code)(void), void (*action)(void),
                   uint64_t added) {
  uint64_t after = action == bareprof_fold ? 0 : counted_by;
  for (unsigned at = 0; at < 4; at++) {
    bool in_time = true;
    for (unsigned steps = 1; in_time; steps++) {
      uint64_t count = WHOLE + before[at];
      start_at(count);
      /* Not folded yet: something to do. */
      count_low(0, 1 << 30);
      count_low(1, 1 << 30);
      count += 1 << 30;
      in_time = interrupted(code, action, steps);
      check_where("%s, %llx, after %u", name, (unsigned long long)count, steps);
      count += added;
      expect(count, word_count(1));
      count += in_time ? after : 0;
      expect(count, word_count(0));
      bareprof_fold();
      count_low(0, 1 << 30);
      expect(count + (1 << 30), word_count(0));
    }
  }
}

static void test_interrupted(void) {
  check_begin("fold, in it, and where merge writes, interrupts anywhere, %s",
              form);
  for (unsigned i = 0; i < 2; i++) {
    counted_by = i ? 1 : 1u << 30;
    within("fold in fold", bareprof_fold, bareprof_fold, 0);
    within("counts in fold", bareprof_fold, count_some, 0);
    within("fold, counts in fold", bareprof_fold, fold_and_count, 0);
    within("counts, fold in fold", bareprof_fold, count_and_fold, 0);
  }
  within("fold in merge", merge_three, bareprof_fold, 3);
  check_end();
}

#endif

static void test_initialised(void) {
  check_begin("fold, nothing is written before bareprof_init, %s", form);
  bareprof_reset();
  put(0, HALF);
  __bareprof_guard ^= 1;
  bareprof_fold();
  expect(HALF, word(0));
  __bareprof_guard ^= 1;
  bareprof_fold();
  expect_true(word(0) != HALF);
  expect(HALF, told(0));
  bareprof_reset();
  expect(0, told(0));
  check_end();
}

int main(void) {
  bareprof_init();
  find_counters();
  test_steps();
  test_wide();
  test_merge();
#ifdef STEPS
  test_interrupted();
#endif
  test_initialised();
  counted(0);
  return 0;
}
