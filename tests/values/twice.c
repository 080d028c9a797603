/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A second dump beside one that runs, by the calls that programs make: from
 * the sink of the first, while another core lets go of the slots, and from
 * two harts at one time. Prints
 *   nested  what the two of the first kind came to, and whether they differ
 *   write, send  what each came to of the second kind, and bytes sent
 *   dumps, busy  of both harts: done; refused
 *   frozen  slots that are so at the end; and dumps that are not through
 *   counted what a hook then counts
 */
#include "bareprof_wire.h"
#include "print.h"
#include "table.h"

BAREPROF_VALUES(16, 4);

enum { ROUNDS = 1000, HOLDS = 50000, REPEATS = 3 };

struct sent {
  uint32_t bytes, sum;
};

static int add(void *context, const void *bytes, size_t size) {
  struct sent *sent = context;
  const unsigned char *at = bytes;
  sent->bytes += (uint32_t)size;
  while (size--)
    sent->sum = sent->sum * 31 + *at++;
  return 0;
}

static int inner_result = 1;
static struct sent inner;

static int within(void *context, const void *bytes, size_t size) {
  const struct bareprof_sink sink = {add, &inner};
  if (inner.bytes == 0)
    inner_result = bareprof_write(&sink);
  return add(context, bytes, size);
}

static void print_signed(const char *what, int value) {
  print(value < 0 ? what : "not-refused", (uint64_t)(value < 0 ? -value : 0));
}

static void nested(void) {
  struct sent outer = {0, 0};
  const struct bareprof_sink sink = {within, &outer};
  int error = bareprof_write(&sink);
  print("nested",
        error || inner_result || !outer.bytes || outer.sum != inner.sum);
}

static void busy(void) {
  struct sent sent = {0, 0};
  const struct bareprof_sink sink = {add, &sent};
  bareprof_values.state->dumps = UINTPTR_MAX; /* as the other core has it */
  print_signed("write", bareprof_write(&sink));
  print("write-bytes", sent.bytes);
  print_signed("send", bareprof_send(&sink, BAREPROF_BINARY));
  print_signed("send-lean",
               bareprof_send(&sink, BAREPROF_BINARY | BAREPROF_LEAN));
  bareprof_values.state->dumps = 0;
}

static volatile uint32_t ready, through;
static volatile uint32_t dumps[2], refused[2];

static void dump_often(unsigned hart) {
  __atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) != 2) {
  }
  for (unsigned i = 0; i < ROUNDS;) {
    struct sent sent = {0, 0};
    const struct bareprof_sink sink = {add, &sent};
    int error = bareprof_write(&sink);
    i += error != BAREPROF_E_BUSY;
    dumps[hart] += error == 0;
    refused[hart] += error == BAREPROF_E_BUSY;
  }
  /* What two dumps share, far more often than their bytes allow. */
  for (unsigned i = 0; i < HOLDS; i++)
    if (bareprof_values_freeze(&bareprof_values) == 0)
      bareprof_values_thaw(&bareprof_values);
    else
      refused[hart]++;
  __atomic_add_fetch(&through, 1, __ATOMIC_SEQ_CST);
}

void board_secondary(unsigned hart) {
  if (hart == 1)
    dump_often(1);
}

int main(void) {
  uint32_t frozen = 0;
  nested();
  busy();
  dump_often(0);
  while (__atomic_load_n(&through, __ATOMIC_SEQ_CST) != 2) {
  }
  for (uint32_t i = 0; i < bareprof_values.count; i++)
    frozen += !!(bareprof_values.slots[i].owner & BAREPROF_VALUE_FROZEN);
  print("dumps", dumps[0] + dumps[1]);
  print("busy", refused[0] + refused[1]);
  print("frozen", frozen + bareprof_values.state->dumps);
  for (unsigned i = 0; i < REPEATS; i++)
    see(0, 0, 0x1234);
  print("counted", table_count(0, 0, 0x1234));
  return 0;
}
