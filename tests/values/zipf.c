/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Skewed streams of 1,000 values into 8 places of one site, ours and
 * compiler-rt's in the same run. A line for each row,
 *   EXPONENT LENGTH  THEIRS OURS  THEIRS OURS
 * with the part of the true top four that is reported at all, then that is
 * among the reported four with the highest counts; each a percentage of all
 * streams of the row.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bareprof_values.h"
#include "sites.h"

enum { VALUES = 1000, PLACES = 8, TOP = 4 };
BAREPROF_VALUES(PLACES, PLACES);

extern struct site_record first __asm__("__start___llvm_prf_data");

static double below[VALUES]; /* the probability of this value or one before */
static uint64_t name_of[VALUES];
static unsigned truth[VALUES];
static uint64_t state;

static uint64_t random_next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * UINT64_C(0x2545F4914F6CDD1D);
}

/* Values have the addresses of functions, in no order. */
static void prepare(double exponent, unsigned seed) {
  double sum = 0;
  state = UINT64_C(88172645463325252) + seed * UINT64_C(0x9E3779B97F4A7C15);
  for (unsigned i = 0; i < VALUES; i++) {
    below[i] = sum += pow(i + 1, -exponent);
    name_of[i] = 0x08000001 + 16 * i;
    truth[i] = 0;
  }
  for (unsigned i = 0; i < VALUES; i++) {
    unsigned other = (unsigned)(random_next() % VALUES);
    uint64_t name = name_of[i];
    name_of[i] = name_of[other];
    name_of[other] = name;
    below[i] /= sum;
  }
}

static unsigned draw(void) {
  double at = (double)(random_next() >> 11) / 9007199254740992.0;
  unsigned low = 0, high = VALUES - 1;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (below[middle] < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void clear(void) {
  memset(bareprof_values.slots, 0, PLACES * sizeof *bareprof_values.slots);
  first.values = NULL; /* it takes new ones */
}

static void stream(unsigned length) {
  hook_function *volatile theirs = __llvm_profile_instrument_target;
  hook_function *volatile ours = our_target;
  clear();
  for (; length; length--) {
    unsigned value = draw();
    truth[value]++;
    theirs(name_of[value], &first, CALL_SITE);
    ours(name_of[value], &first, CALL_SITE);
  }
}

struct report {
  uint64_t value[PLACES], count[PLACES];
  unsigned size;
};

static void add(struct report *report, uint64_t value, uint64_t count) {
  unsigned i = report->size++;
  if (i == PLACES)
    exit(1);
  for (; i && report->count[i - 1] < count; i--) {
    report->value[i] = report->value[i - 1];
    report->count[i] = report->count[i - 1];
  }
  report->value[i] = value;
  report->count[i] = count;
}

/* How many of the true top four are in the first most of the report. More
 * than four may be as frequent as the fourth. */
static unsigned found(const struct report *report, unsigned most) {
  unsigned hits = 0, fourth = ~0u;
  for (unsigned taken = 0; taken < TOP;) {
    unsigned next = 0, equals = 0;
    for (unsigned i = 0; i < VALUES; i++)
      if (truth[i] < fourth && truth[i] > next)
        next = truth[i];
    for (unsigned i = 0; i < VALUES; i++)
      equals += truth[i] == next;
    fourth = next;
    taken += equals;
  }
  for (unsigned j = 0; j < report->size && j < most; j++)
    for (unsigned i = 0; i < VALUES; i++)
      hits += name_of[i] == report->value[j] && truth[i] >= fourth;
  return hits < TOP ? hits : TOP;
}

static void row(double exponent, unsigned length, unsigned streams) {
  unsigned hits[4] = {0};
  for (unsigned seed = 1; seed <= streams; seed++) {
    struct report theirs = {.size = 0}, ours = {.size = 0};
    prepare(exponent, seed);
    stream(length);
    for (struct site_value *node = first.values[CALL_SITE]; node;
         node = node->next)
      add(&theirs, node->value, node->count);
    for (unsigned i = 0; i < PLACES; i++)
      if (bareprof_values.slots[i].owner)
        add(&ours, bareprof_values.slots[i].value,
            bareprof_values.slots[i].count);
    hits[0] += found(&theirs, PLACES);
    hits[1] += found(&ours, PLACES);
    hits[2] += found(&theirs, TOP);
    hits[3] += found(&ours, TOP);
  }
  printf("%.1f %7u", exponent, length);
  for (unsigned i = 0; i < 4; i++)
    printf(" %5.1f", 100.0 * hits[i] / (TOP * streams));
  printf("\n");
  fflush(stdout);
}

int main(void) {
  for (unsigned tenths = 6; tenths <= 20; tenths += 2)
    for (unsigned length = 1000; length <= 1000000; length *= 10)
      row(tenths / 10.0, length, length > 100000 ? 4 : 16);
  return 0;
}
