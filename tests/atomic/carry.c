/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A counter at 2^32-1 is read while an interrupt increments it, at each
 * instruction in turn: the result must be 2^32-1 or 2^32. Three readers:
 *   writer   bareprof_write in main, the interrupt increments
 *   plain    two loads in main, the interrupt increments: sees it torn
 *   inside   the interrupt reads, main runs counted code
 */
#include "bareprof.h"
#include "common.h"
#include "profile/instr_prof_interface.h"
#include "sweep.h"

enum { LOW = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ };

#define BEFORE UINT64_C(0xFFFFFFFF)
#define MARK UINT64_C(0x0123456789ABCDEF)

static union {
  uint64_t whole;
  uint32_t halves[2];
} volatile *counter;
static volatile uint64_t seen;

static void prepare(void) { counter->whole = BEFORE; }
static void increment(void) { counter->whole = counter->whole + 1; }
static int torn(void) { return seen != BEFORE && seen != BEFORE + 1; }

/* Low half first, then high: between them lies the carry. */
static void read_plain(void) {
  uint32_t low = counter->halves[LOW];
  uint32_t high = counter->halves[!LOW];
  seen = (uint64_t)high << 32 | low;
}

/* Finds the counter in the profile when its value is the mark, and takes it
 * from the same place later. */
struct place {
  unsigned call, wanted_call;
  size_t offset;
  int searching;
};

static int take(void *context, const void *bytes, size_t size) {
  struct place *place = context;
  const unsigned char *at = bytes;
  uint64_t value;
  ++place->call;
  for (size_t i = 0; place->searching && i + 8 <= size; i += 8) {
    __builtin_memcpy(&value, at + i, sizeof value);
    if (value == MARK) {
      place->wanted_call = place->call;
      place->offset = i;
    }
  }
  /* Byte by byte, as a driver may: what it gets must not change meanwhile. */
  if (place->call == place->wanted_call) {
    for (size_t i = 0; i < sizeof value; i++)
      ((volatile unsigned char *)&value)[i] = at[place->offset + i];
    seen = value;
  }
  return 0;
}

static struct place place = {0, 0, 0, 1};
static const struct bareprof_sink sink = {take, &place};

static void read_writer(void) {
  seen = 0;
  place.call = 0;
  bareprof_write(&sink);
}

static void run(const char *name, void (*code)(void), void (*tick)(void)) {
  const struct sweep all = {prepare, code, tick, torn};
  struct sweep_result result = sweep(&all);
  print_result(name, result.runs, result.wrong);
}

int main(void) {
  /* The counter of shared is the one that a call makes 1. */
  shared();
  void *at = (void *)__llvm_profile_begin_counters();
  for (counter = at; counter->whole != 1; counter++) {
  }
  counter->whole = MARK;
  read_writer();
  if (seen != MARK)
    return 1;
  place.searching = 0;

  run("writer", read_writer, increment);
  run("plain", read_plain, increment);
  run("inside", shared, read_plain);
  return 0;
}
