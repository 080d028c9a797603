/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The hooks on this machine, call by call: what the table was before says
 * what it must be after, by the rules of bareprof_values.h. SLOTS and WAYS
 * come from the outside.
 */
#include <math.h>
#include <string.h>

#include "../unit/check.h"
#include "table.h"

#define TOGETHER __attribute__((section("together")))
static unsigned char before_slots[64] TOGETHER = {1};
BAREPROF_VALUES_AT(TOGETHER, SLOTS, WAYS);
static unsigned char behind_slots[64] TOGETHER = {1};

enum { RECORDS = 8, SITES = 3, VALUES = 32 };
static uint64_t truth[RECORDS][SITES][VALUES];
static uint32_t state;

typedef struct bareprof_value_slot slot_t;
static slot_t before[SLOTS];

/* Replacements that there were, and that are to be expected. */
static double replaced, expected_replaced;

static unsigned random_below(unsigned limit) {
  state = state * 1664525u + 1013904223u;
  return (unsigned)((uint64_t)state * limit >> 32);
}

static slot_t *slots(void) { return bareprof_values.slots; }

static slot_t *window_of(unsigned record, uint32_t site) {
  return bareprof_value_find_window_begin(
      &bareprof_values, (uintptr_t)&records[record] + 1, site);
}

static int is(const slot_t *slot, const slot_t *wanted) {
  return slot->owner == wanted->owner && slot->value == wanted->value &&
         slot->site == wanted->site;
}

/* The slot of the window that the value has; else a free one; else the one
 * with the least count and rank. The first of them, in each case. */
static size_t place_of(const slot_t *wanted, size_t home) {
  size_t least = home;
  for (size_t i = 0; i < SLOTS; i++)
    if (is(&before[i], wanted))
      return i;
  for (size_t i = home; i < home + WAYS; i++)
    if (before[i].owner == 0)
      return i;
  for (size_t i = home; i < home + WAYS; i++)
    if (before[i].count + before[i].rank <
        before[least].count + before[least].rank)
      least = i;
  return least;
}

static void one_event(unsigned record, uint32_t site, unsigned value) {
  slot_t wanted = {(uintptr_t)&records[record] + 1, 0x1000 + value, 1,
                   (bareprof_value_half)site, 0};
  size_t home = (size_t)(window_of(record, site) - slots());
  memcpy(before, slots(), sizeof before);
  size_t place = place_of(&wanted, home);
  see(record, site, 0x1000 + value);
  truth[record][site][value]++;

  expect_true(place >= home && place < home + WAYS);
  const slot_t *old = &before[place];
  if (is(old, &wanted)) {
    wanted = *old;
    wanted.count++;
  } else if (old->owner) {
    wanted.rank = (bareprof_value_half)(old->count + old->rank);
    expected_replaced += 1.0 / wanted.rank;
    int taken = is(&slots()[place], &wanted);
    replaced += taken;
    if (!taken)
      wanted = *old;
  }
  before[place] = wanted;
  expect(0, memcmp(before, slots(), sizeof before));
}

/* Small numbers more often than large ones. */
static unsigned skewed(unsigned limit) {
  return random_below(random_below(limit) + 1);
}

static void clear(uint32_t seed) {
  table_clear();
  memset(truth, 0, sizeof truth);
  state = seed;
}

static void each_truth(int exact) {
  for (unsigned record = 0; record < RECORDS; record++)
    for (uint32_t site = 0; site < SITES; site++)
      for (unsigned value = 0; value < VALUES; value++) {
        uint64_t count = table_count(record, site, 0x1000 + value);
        if (exact)
          expect(truth[record][site][value], count);
        expect_true(count <= truth[record][site][value]);
      }
  expect(0, table_faults());
}

static void test_any(void) {
  check_begin("%d slots, %d ways: each call does what it must", SLOTS, WAYS);
  for (uint32_t seed = 1; seed < 4; seed++) {
    clear(seed);
    for (unsigned i = 0; i < 4000; i++)
      one_event(random_below(RECORDS), random_below(SITES), skewed(VALUES));
    each_truth(0);
  }
  check_end();
}

/* As many different values as a window has places. */
static void test_exact(void) {
  check_begin("%d slots, %d ways: exact while slots last", SLOTS, WAYS);
  for (uint32_t seed = 1; seed < 4; seed++) {
    clear(seed);
    unsigned values = WAYS < 200 ? WAYS : 200;
    for (unsigned i = 0; i < 2000; i++) {
      unsigned which = skewed(values);
      one_event(which % RECORDS, which / RECORDS % SITES,
                which / RECORDS / SITES);
    }
    each_truth(1);
    expect(2000, table_sum());
  }
  check_end();
}

static void test_chance(void) {
  check_begin("%d slots, %d ways: 1 in its rank of the newcomers gets in",
              SLOTS, WAYS);
  /* Enough of them, and not all. */
  expect_true(WAYS > 32 || expected_replaced > 200);
  expect_true(fabs(replaced - expected_replaced) <=
              2 + 3 * sqrt(expected_replaced));
  check_end();
}

/* Exact to 8, powers of two to 512; between two of them 1 more than the lower
 * one; 513 for all above 512. */
static uint64_t size_in_profile(uint64_t size) {
  uint64_t power = 1;
  if (size <= 8)
    return size;
  if (size > 512)
    return 513;
  while (power * 2 <= size)
    power *= 2;
  return power == size ? size : power + 1;
}

static void one_size(uint64_t size) {
  void (*volatile hook)(uint64_t, void *, uint32_t) =
      __llvm_profile_instrument_memop;
  table_clear();
  check_where("size %llu", (unsigned long long)size);
  hook(size, &records[3], 2);
  expect(1, table_count(3, 2, size_in_profile(size)));
  expect(1, table_sum());
}

static void test_sizes(void) {
  check_begin("%d slots, %d ways: sizes as LLVM has them", SLOTS, WAYS);
  for (uint64_t size = 0; size <= 600; size++)
    one_size(size);
  for (unsigned bit = 1; bit <= 40; bit++)
    for (uint64_t more = 0; more < 3; more++)
      one_size((UINT64_C(1) << bit) - 1 + more);
  one_size(UINT64_MAX);
  check_end();
}

/* What a hook may be called with. */
static void test_extremes(void) {
  check_begin("%d slots, %d ways: the largest site and value", SLOTS, WAYS);
  table_clear();
  see(7, UINT32_MAX, UINT64_MAX);
  expect(1, table_count(7, UINT32_MAX, UINT64_MAX));
  expect(0, table_faults());
  check_end();
}

static void test_bounds(void) {
  check_begin("%d slots, %d ways: nothing is written beside", SLOTS, WAYS);
  for (unsigned i = 0; i < sizeof before_slots; i++) {
    expect(i == 0, before_slots[i]);
    expect(i == 0, behind_slots[i]);
  }
  check_end();
}

int main(void) {
  test_any();
  test_exact();
  test_chance();
  test_sizes();
  test_extremes();
  test_bounds();
  return 0;
}
