/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Dumps that overlap in every way, on this machine. One begins or ends, and is
 * interrupted after any of its instructions by what another task, or core,
 * does then: the interrupted goes on while the other's dump is open. Each row
 * prints its runs and how many of them went wrong.
 */
#define _GNU_SOURCE /* the registers of a signal */
#include <stdio.h>

#ifndef __x86_64__
int main(void) {
  puts("skip values overlapping dumps: for x86-64");
  return 0;
}
#else
#include <pthread.h>

#include "../unit/interrupted.h"
#include "table.h"

enum { SLOTS = 6 };
BAREPROF_VALUES(SLOTS, 4);

static int mine, yours; /* what beginning came to; 1: not begun, or ended */

static void begin(int *dump) {
  *dump = bareprof_values_freeze(&bareprof_values);
}

static void end(int *dump) {
  if (*dump == 0)
    bareprof_values_thaw(&bareprof_values);
  *dump = 1;
}

static void begin_mine(void) { begin(&mine); }
static void end_mine(void) { end(&mine); }
static void begin_yours(void) { begin(&yours); }
static void end_yours(void) { end(&yours); }
static void all_yours(void) {
  begin_yours();
  end_yours();
}
static void all_mine(void) {
  begin_mine();
  end_mine();
}
static void nothing(void) {}
static void begin_both(void) {
  begin_mine();
  begin_yours();
}

/* Slots that can change while a dump is open, or cannot while none is. */
static unsigned faults(void) {
  unsigned found = 0;
  bool open = mine == 0 || yours == 0;
  for (unsigned i = 0; i < SLOTS; i++)
    if (open != !!(bareprof_values.slots[i].owner & BAREPROF_VALUE_FROZEN))
      found++;
  return found;
}

/* before; code, which action interrupts; then both end. */
struct row {
  const char *name;
  void (*before)(void), (*code)(void), (*action)(void);
};

static unsigned wrong_at(const struct row *row, unsigned after, bool *more) {
  unsigned wrong;
  table_clear();
  for (unsigned i = 0; i < 3; i++)
    see(0, 0, 0x1000 + i);
  mine = yours = 1;
  row->before();
  *more = interrupted(row->code, row->action, after);
  wrong = faults();
  end_yours();
  wrong += faults();
  end_mine();
  wrong += faults() + table_faults();
  see(1, 1, 0x2000);
  return wrong + (table_count(1, 1, 0x2000) != 1);
}

static void try(const struct row *row) {
  unsigned runs = 0, wrong = 0;
  for (bool more = true; more; runs++)
    wrong += wrong_at(row, runs + 1, &more) != 0;
  if (wrong || runs < 20)
    printf("not ok values overlapping dumps: %s: %u of %u\n", row->name, wrong,
           runs);
  else
    printf("ok values overlapping dumps: %s\n", row->name);
}

/* ---- Threads ---- */

enum { DUMPS = 20000 };

static void *dump_often(void *unused) {
  (void)unused;
  for (unsigned i = 0; i < DUMPS; i++)
    if (bareprof_values_freeze(&bareprof_values) == 0)
      bareprof_values_thaw(&bareprof_values);
  return NULL;
}

static void *see_often(void *unused) {
  (void)unused;
  for (unsigned i = 0; i < 10 * DUMPS; i++)
    see(0, i & 1, 0x1000 + i % 7);
  return NULL;
}

/* Two dump, two see values. */
static void threads(void) {
  pthread_t started[4];
  table_clear();
  for (unsigned i = 0; i < 4; i++)
    pthread_create(&started[i], NULL, i & 1 ? see_often : dump_often, NULL);
  for (unsigned i = 0; i < 4; i++)
    pthread_join(started[i], NULL);
  unsigned wrong = faults() + (bareprof_values.state->dumps != 0);
  if (wrong)
    printf("not ok values overlapping dumps: threads: %u slots frozen, dumps "
           "%ju\n",
           faults(), (uintmax_t)bareprof_values.state->dumps);
  else
    printf("ok values overlapping dumps: threads\n");
}

/* With an argument threads alone. */
int main(int count, char **arguments) {
  (void)arguments;
  static const struct row rows[] = {
      {"one begins while one begins", nothing, begin_mine, begin_yours},
      {"one comes and goes while one begins", nothing, begin_mine, all_yours},
      {"one begins while one ends", begin_mine, end_mine, begin_yours},
      {"one comes and goes while one ends", begin_mine, end_mine, all_yours},
      {"one ends while one begins", begin_yours, begin_mine, end_yours},
      {"one begins while one comes and goes", nothing, all_mine, begin_yours},
      {"one ends while one ends", begin_both, end_mine, end_yours}};
  for (unsigned i = 0; count < 2 && i < sizeof rows / sizeof *rows; i++)
    try(&rows[i]);
  threads();
  return 0;
}
#endif
