/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Value data in the raw profile of this program, which has instrumented code
 * (work.c) and no other runtime: dumps whose sink calls hooks, dumps within
 * dumps, resets, merges of what was written and of what was damaged.
 *   dump FILE    leaves the profile of one call of work() there
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/check.h"
#include "bareprof_wire.h"
#include "values.h"
#include "work.h"

BAREPROF_VALUES(32, 8);

enum { ROOM = 1 << 14, KNOWN_TIMES = 100 };
struct profile {
  unsigned char bytes[ROOM];
  size_t size;
};
static struct profile plain, other, inner;
static struct bareprof_value_slot saved[32];

/* What the sink does in the middle of the value data. */
static unsigned meddled;
static void (*meddle)(void);

static int take(void *context, const void *bytes, size_t size) {
  struct profile *profile = context;
  if (size > ROOM - profile->size)
    return 1;
  memcpy(profile->bytes + profile->size, bytes, size);
  profile->size += size;
  if (meddle && bareprof_values.state->dumps == 1) {
    meddled++;
    meddle();
  }
  return 0;
}

static int write_to(struct profile *profile, void (*action)(void)) {
  const struct bareprof_sink sink = {take, profile};
  void (*before)(void) = meddle;
  profile->size = 0;
  meddle = action;
  int error = bareprof_write(&sink);
  meddle = before;
  return error;
}

static bool same(const struct profile *a, const struct profile *b) {
  return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

static void save(void) { memcpy(saved, bareprof_values.slots, sizeof saved); }
static bool unchanged(void) {
  return !memcmp(saved, bareprof_values.slots, sizeof saved);
}

static uint64_t sum(void) {
  uint64_t total = 0;
  for (unsigned i = 0; i < 32; i++)
    if (bareprof_values.slots[i].owner)
      total += bareprof_values.slots[i].count;
  return total;
}

/* From the instrumented code only values: its counters may stand still. */
static void (*volatile hook)(uint64_t, void *,
                             uint32_t) = __llvm_profile_instrument_target;

/* Where work() was seen to call the first target. */
static struct bareprof_value_slot place;

static void find_place(void) {
  for (unsigned i = 0; i < 32; i++)
    if (bareprof_values.slots[i].value == (uintptr_t)targets[0])
      place = bareprof_values.slots[i];
}

static void see(uint64_t value) {
  hook(value, (void *)(place.owner - 1), place.site);
}

static void prepare(void) {
  bareprof_init();
  work();
  find_place();
  for (unsigned i = 0; i < KNOWN_TIMES; i++)
    see((uintptr_t)targets[0]);
  expect(0, write_to(&plain, NULL));
  save();
}

static void see_known_and_new(void) {
  see((uintptr_t)targets[0]);
  see(meddled);
}

static void test_hooks_within(void) {
  check_begin("a sink that calls hooks: nothing is lost, nothing changes");
  prepare();
  meddled = 0;
  expect(0, write_to(&other, see_known_and_new));
  expect_true(meddled > 8);
  expect_true(same(&plain, &other));
  expect_true(unchanged());
  uint64_t before = sum();
  see((uintptr_t)targets[0]);
  see(12345);
  expect(before + 2, sum());
  check_end();
}

static void dump_inside(void) {
  expect(0, write_to(&inner, NULL));
  expect_true(same(&plain, &inner));
  see_known_and_new();
}

static void test_nested(void) {
  check_begin("a sink that dumps: both are right, hooks wait for the outer");
  prepare();
  meddled = 0;
  expect(0, write_to(&other, dump_inside));
  expect_true(meddled > 8);
  expect_true(same(&plain, &other));
  expect_true(unchanged());
  uint64_t before = sum();
  see(12345);
  expect(before + 1, sum());
  check_end();
}

static void reset_once(void) {
  if (meddled == 5)
    bareprof_reset();
}

static void test_reset(void) {
  check_begin("reset: no value is left; within a dump, hooks go on later");
  prepare();
  bareprof_reset();
  expect(0, sum());
  expect(0, write_to(&other, NULL));
  expect_true(other.size <= plain.size);
  prepare();
  meddled = 0;
  write_to(&other, reset_once);
  see(1);
  expect(1, sum());
  expect(0, write_to(&other, NULL));
  see(1);
  expect(2, sum());
  check_end();
}

/* ---- sinks that fail, or never return ---- */

static size_t calls, last_call; /* of the sink; the one that is the last */
static jmp_buf left;
static bool leaves;

static int stop(void *context, const void *bytes, size_t size) {
  (void)context, (void)bytes, (void)size;
  if (++calls != last_call)
    return 0;
  if (leaves)
    longjmp(left, 1);
  return 7;
}

enum { DUMPS = 3 };
static int dump(unsigned which) {
  const struct bareprof_sink sink = {stop, NULL};
  calls = 0;
  return which == 0 ? bareprof_write(&sink)
                    : bareprof_send(&sink, which == 1 ? BAREPROF_TEXT
                                                      : BAREPROF_BINARY);
}

/* Whether hooks count. */
static bool is_open(void) {
  uint64_t before = sum();
  see(12345);
  return sum() == before + 1;
}

static void test_failing(void) {
  check_begin("a sink that fails at any call: hooks go on");
  for (unsigned which = 0; which < DUMPS; which++) {
    prepare();
    last_call = 0;
    expect(0, dump(which));
    expect_true(calls > 20 - 10 * (which != 0));
    for (size_t end = calls; end; end--) {
      last_call = end;
      expect(7, dump(which));
      expect(end, calls);
      expect(0, bareprof_values.state->dumps);
      expect_true(is_open());
    }
  }
  check_end();
}

/* As bareprof.h says: the dump stays open. */
static void test_left(void) {
  check_begin("a sink that is left at any call: dumps are right, init opens");
  leaves = true;
  for (unsigned which = 0; which < DUMPS; which++) {
    prepare();
    last_call = 0;
    dump(which);
    for (volatile size_t end = calls; end; end--) {
      prepare();
      last_call = end;
      if (!setjmp(left))
        expect_true(!dump(which));
      expect(0, write_to(&other, NULL));
      expect_true(same(&plain, &other));
      expect_true(is_open() == (bareprof_values.state->dumps == 0));
      prepare();
      expect_true(is_open());
    }
  }
  leaves = false;
  check_end();
}

/* Where the value data of the profile begin: all that follows. */
static size_t values_at(void) {
  bareprof_reset();
  size_t none = bareprof_size();
  size_t at = plain.size;
  /* Entries: their sizes add up, backwards from the end. */
  write_to(&other, NULL);
  expect(none, other.size);
  while (at && memcmp(plain.bytes, other.bytes, at))
    at--;
  return at;
}

static void test_merge(void) {
  check_begin("merge: values and counts add up");
  prepare();
  uint64_t seen = sum();
  bareprof_reset();
  expect(0, bareprof_merge(plain.bytes, plain.size));
  expect(0, write_to(&other, NULL));
  expect_true(same(&plain, &other));
  expect(0, bareprof_merge(plain.bytes, plain.size));
  expect(2 * seen, sum());
  expect(0, write_to(&other, NULL));
  expect(plain.size, other.size);
  check_end();
}

/* A merge of bytes behind which is nothing: the sanitizer would tell. */
static int merge_cut(size_t size) {
  unsigned char *cut = malloc(size);
  memcpy(cut, plain.bytes, size);
  int error = bareprof_merge(cut, size);
  free(cut);
  return error;
}

static void test_truncated(void) {
  check_begin("merge: cut at any byte it is refused, and nothing changes");
  prepare();
  for (size_t size = 1; size < plain.size; size++) {
    expect(size < 8 ? BAREPROF_E_NOT_PROFILE : BAREPROF_E_TRUNCATED,
           merge_cut(size));
    expect_true(unchanged());
  }
  check_end();
}

/* A count is the last word of the file. */
static void test_largest(void) {
  check_begin("merge: counts of 2^64-1 end where counts end");
  prepare();
  bareprof_reset();
  expect(0, bareprof_merge(plain.bytes, plain.size));
  memset(plain.bytes + plain.size - 8, 0xFF, 8);
  for (unsigned i = 0; i < 3; i++) {
    uint64_t count;
    expect(0, bareprof_merge(plain.bytes, plain.size));
    expect(0, write_to(&other, NULL));
    memcpy(&count, other.bytes + other.size - 8, 8);
    expect_true(count >= UINT64_MAX / 2);
  }
  check_end();
}

/* Sizes and numbers may be anything: refused, or a table like any other. */
static void test_damaged(void) {
  check_begin("merge: with any byte changed the table stays a table");
  prepare();
  size_t from = values_at();
  expect_true(from > 200 && from + 100 < plain.size);
  for (size_t at = from - from % 8; at < plain.size; at++)
    for (unsigned bit = 0; bit < 8; bit++) {
      bareprof_reset();
      plain.bytes[at] ^= (unsigned char)(1u << bit);
      int error = merge_cut(plain.size);
      expect_true(!error || sum() == 0);
      plain.bytes[at] ^= (unsigned char)(1u << bit);
      expect(0, write_to(&other, NULL));
    }
  check_end();
}

int main(int count, char **arguments) {
  bareprof_init();
  work();
  FILE *file = count > 1 ? fopen(arguments[1], "wb") : NULL;
  if (!file || write_to(&plain, NULL) ||
      fwrite(plain.bytes, 1, plain.size, file) != plain.size || fclose(file))
    return 1;
  test_hooks_within();
  test_nested();
  test_failing();
  test_left();
  test_reset();
  test_merge();
  test_truncated();
  test_largest();
  test_damaged();
  return 0;
}
