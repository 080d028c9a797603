/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two harts of RISC-V see the same values at the same sites, and so does the
 * timer's interrupt of the first, which under -icount also makes QEMU change
 * from one to the other, after any instruction. Values turn up for the first
 * time all along. ROUNDS comes from the outside: each clears the table, and
 * prints nothing but in the end:
 *   events  of all three
 *   wrong   values whose count was not that of the accounts
 *   faults  of the table
 */
#include "print.h"
#include "table.h"

BAREPROF_VALUES(64, 16);

/* Together no more than the ways; the times that each is seen in a round. */
enum { SITES = 2, VALUES = 8, EVENTS = 64, INTERVAL = TIMER_HZ / 40000 };

typedef volatile uint32_t account_t[SITES][VALUES];
static account_t accounts[3];
static volatile uint32_t round_of[2];
static volatile int at_rest;

static void event(uint32_t *state, account_t account) {
  *state = *state * 1664525u + 1013904223u;
  unsigned site = *state >> 30 & 1;
  unsigned value = *state >> 24 & 7;
  see(site, site, 0x1000 + value);
  account[site][value]++;
}

static void tick(void) {
  static uint32_t state = 1;
  if (!at_rest)
    event(&state, accounts[2]);
}

/* Both begin a round at one time; hart 0 has seen to the table before. */
static void meet(unsigned hart) {
  __atomic_add_fetch(&round_of[hart], 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&round_of[!hart], __ATOMIC_SEQ_CST) <
         __atomic_load_n(&round_of[hart], __ATOMIC_SEQ_CST)) {
  }
}

/* Both from the same state: they are after the same values. */
static void run(unsigned hart, uint32_t seed) {
  uint32_t state = seed * 2654435761u;
  meet(hart);
  for (unsigned i = 0; i < EVENTS; i++) {
    event(&state, accounts[hart]);
    for (unsigned wait = (seed >> hart) % 5; wait; wait--)
      __asm__ volatile("");
  }
  meet(hart);
}

void board_secondary(unsigned hart) {
  if (hart != 1)
    return;
  for (uint32_t i = 0; i < ROUNDS; i++)
    run(1, i);
}

static uint64_t events, wrong, over, faults;

static void look(void) {
  for (unsigned site = 0; site < SITES; site++)
    for (unsigned value = 0; value < VALUES; value++) {
      uint64_t account = 0;
      uint64_t count = table_count(site, site, 0x1000 + value);
      for (unsigned i = 0; i < 3; i++) {
        account += accounts[i][site][value];
        accounts[i][site][value] = 0;
      }
      events += account;
      wrong += count != account;
      over += count > account;
    }
  faults += table_faults();
}

int main(void) {
  at_rest = 1;
  board_timer_start(INTERVAL, tick);
  for (uint32_t i = 0; i < ROUNDS; i++) {
    table_clear();
    at_rest = 0;
    run(0, i);
    at_rest = 1;
    look();
  }
  board_timer_stop();
  print("events", events);
  print("wrong", wrong);
  print("over", over);
  print("faults", faults);
  return 0;
}
