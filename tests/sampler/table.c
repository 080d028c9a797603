/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table on this machine against one that has room for all: counts of pairs
 * are exact while they fit, never above what was seen, and what is missing is
 * counted without LR or as lost. And the interval: its bounds, its mean, that
 * it varies.
 */
#include <stdbool.h>
#include <stdio.h>

#include "bareprof_sampler.h"

enum { PLACES = 8, PCS = 16, LRS = 4 };

BAREPROF_SAMPLER_TABLE(PLACES);

static unsigned wrong;
static uint64_t seen[PCS][LRS];
static uint32_t random_state = 1;

static uint32_t any(uint32_t below) {
  random_state = random_state * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)random_state * below >> 32);
}

static void fault(const char *what, uint64_t is, uint64_t shall) {
  if (wrong++ < 5)
    printf("%s: %llu, not %llu\n", what, (unsigned long long)is,
           (unsigned long long)shall);
}

static void clear(void) {
  bareprof_sampler_reset();
  for (unsigned i = 0; i < PCS * LRS; i++)
    seen[i / LRS][i % LRS] = 0;
}

static void take(unsigned pc, unsigned lr) {
  seen[pc][lr]++;
  bareprof_sampler_take(0x1000 + 2 * pc, lr ? 0x2000 + 32 * lr : 0, 0);
}

/* What goes out. */
struct file {
  struct bareprof_samples header;
  uintptr_t words[3 * (PLACES + BAREPROF_SAMPLER_WAYS)];
  size_t size;
};

static int collect(void *context, const void *bytes, size_t size) {
  struct file *file = context;
  const unsigned char *from = bytes;
  unsigned char *to = file->size ? (unsigned char *)file->words
                                 : (unsigned char *)&file->header;
  for (size_t i = 0; i < size; i++)
    to[i] = from[i];
  file->size += size;
  return 0;
}

/* Of a pair that has no place the PC counts, without LR: the sums of a PC are
 * exact while nothing is lost, and of pairs if there are few. */
static void judge_pc(const uint64_t *counts, const uint64_t *shall, bool lost,
                     bool few) {
  uint64_t sum = 0, all = 0;
  for (unsigned i = 0; i < LRS; i++) {
    sum += counts[i];
    all += shall[i];
    if ((i || few) && counts[i] > shall[i])
      fault("a count", counts[i], shall[i]);
  }
  if (sum > all || (!lost && sum != all))
    fault("of a PC", sum, all);
}

static bool are_few(void) {
  unsigned pairs = 0;
  for (unsigned i = 0; i < PCS * LRS; i++)
    pairs += seen[i / LRS][i % LRS] != 0;
  return pairs <= BAREPROF_SAMPLER_WAYS;
}

/* Returns what was lost. */
static uint32_t judge(uint64_t taken) {
  struct file file = {.size = 0};
  const struct bareprof_sink sink = {collect, &file};
  uint64_t counts[PCS][LRS] = {{0}}, sum = 0;
  if (bareprof_sampler_write(&sink))
    fault("write fails", 1, 0);
  for (uint32_t i = 0; i < file.header.entries; i++) {
    const uintptr_t *entry = &file.words[3 * i];
    if (entry[2] == 0)
      continue;
    unsigned pc = (unsigned)(entry[0] - 0x1000) / 2;
    unsigned lr = entry[1] ? (unsigned)(entry[1] - 0x2000) / 32 : 0;
    counts[pc][lr] += entry[2];
    sum += entry[2];
  }
  for (unsigned i = 0; i < PCS; i++)
    judge_pc(counts[i], seen[i], file.header.lost != 0, are_few());
  if (are_few() && file.header.lost)
    fault("lost of few", file.header.lost, 0);
  if (file.header.taken != taken)
    fault("taken", file.header.taken, taken);
  if (file.header.taken - file.header.lost != sum)
    fault("there are", sum, file.header.taken - file.header.lost);
  return file.header.lost;
}

static void intervals(uint32_t period) {
  enum { TIMES = 100000 };
  uint64_t sum = 0;
  uint32_t last = 0, least = UINT32_MAX, most = 0, same = 0;
  bareprof_sampler_start(period);
  for (unsigned i = 0; i < TIMES; i++) {
    uint32_t now = bareprof_sampler_interval();
    sum += now;
    same += now == last;
    last = now;
    least = now < least ? now : least;
    most = now > most ? now : most;
  }
  if (least < period - period / 4 || most > period + period / 4)
    fault("the least interval", least, period);
  if (period > 16 && (same > TIMES / 4 || most - least < period / 4))
    fault("equal intervals", same, 0);
  uint64_t mean = (sum + TIMES / 2) / TIMES;
  if (mean + period / 100 + 1 < period || mean > period + period / 100 + 1)
    fault("the mean", mean, period);
}

int main(void) {
  uint32_t lost = 0, whole = 0;
  bareprof_sampler_start(1000);
  for (unsigned round = 0; round < 20000; round++) {
    unsigned pcs = 1 + any(PCS), lrs = 1 + any(LRS);
    uint64_t taken = 1 + any(100);
    clear();
    for (uint64_t i = 0; i < taken; i++)
      take(any(pcs), any(lrs));
    uint32_t now = judge(taken);
    lost += now != 0;
    whole += now == 0;
  }
  for (uint32_t period = 1; period < 1u << 30; period += period / 3 + 1)
    intervals(period);
  printf("tables with losses %u, without %u\n", lost, whole);
  return wrong || lost < 1000 || whole < 1000;
}
