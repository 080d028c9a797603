/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The helpers, called by the functions of sleds.S: what they write, and what
 * they leave as it was. Prints a line for each thing that is wrong, then
 * leaves the raw section in files: as it is in memory, and as
 * bareprof_mip_write sends it; and sends it as frames.
 */
#include "target.h"

#include "bareprof_wire.h"
#include "bareprof_semihosting.h"
#include "board.h"
#include "../uart_sink.h"

BAREPROF_MIP_ROOM(ROOM);
BAREPROF_MIP_EDGES(8);

/* As registers.S knows them; FLAGS: those of the last word that count. */
#if defined(__arm__)
#define FLAGS 0xF0000000u
enum { REGISTERS = 13 };
#elif defined(__aarch64__)
#define FLAGS 0xF0000000u
enum { REGISTERS = 29 };
#elif defined(__riscv)
#define FLAGS UINTPTR_MAX
enum { REGISTERS = 25 };
#endif

/* Where helpers of counts stop. */
#if defined(__riscv_atomic)
#define COUNT_MOST 0xFFFF0000u
#else
#define COUNT_MOST (UINT32_MAX - 1)
#endif

void registers_around(void (*function)(void), const uintptr_t *before,
                      uintptr_t *after);

static void wrong(const char *what, unsigned which) {
  board_puts("wrong: ");
  board_puts(what);
  board_putc(' ');
  board_put_number(which);
  board_putc('\n');
}

static void expect(const char *what, unsigned offset, uint32_t count,
                   uint32_t time) {
  if (raw_words(offset)[0] != count)
    wrong(what, raw_words(offset)[0]);
  if (raw_words(offset)[1] != time)
    wrong("time of", raw_words(offset)[1]), wrong(what, offset);
}

/* ---- registers ---- */

static void keeps(void (*function)(void), unsigned which, uint32_t flags) {
  uintptr_t before[REGISTERS], after[REGISTERS];
  for (unsigned i = 0; i < REGISTERS; i++)
    before[i] = (uintptr_t)0x9E3779B97F4A7C15u + 0x01010101u * (i + which);
  if (FLAGS != UINTPTR_MAX)
    before[REGISTERS - 1] = flags;
  registers_around(function, before, after);
  after[REGISTERS - 1] &= FLAGS;
  for (unsigned i = 0; i < REGISTERS; i++)
    if (before[i] != after[i])
      wrong("register of", which), wrong("register", i);
}

static void all_keep(void) {
  static void (*const functions[])(void) = {
    plain,
    cover_address,
    cover_index,
    count_address,
    count_far,
    count_index,
    edge_address,
    edge_index,
#if defined(__riscv_atomic)
    count_inline,
    sample_inline,
#endif
    step_address,
    step_index
  };
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
    keeps(functions[i], i, 0x60000000);
    keeps(functions[i], i, 0x90000000);
    keeps(functions[i], i, 0xF0000000);
    keeps(functions[i], i, 0);
  }
}

/* ---- what is counted ---- */

static void nothing_but(unsigned from, unsigned end) {
  for (unsigned i = from; i < end; i++)
    if (bareprof_mip_room[24 + i] != 0xFF)
      wrong("written", i);
}

static void covers(void) {
  bareprof_mip_init();
  nothing_but(0, ROOM);
  cover_address();
  cover_far();
  nothing_but(1, COVER_FAR);
  nothing_but(COVER_FAR + 1, ROOM);
  cover_index();
  cover_index();
  nothing_but(2, COVER_FAR);
  if (bareprof_mip_room[24] || bareprof_mip_room[25] ||
      bareprof_mip_room[24 + COVER_FAR])
    wrong("coverage", 0);
}

/* most: where counts stop. */
static void saturates(void (*function)(void), unsigned offset, uint32_t most) {
  bareprof_mip_reset();
  function();
  expect("first count", offset, 1, 1);
  function();
  expect("second count", offset, 2, 1);
  raw_words(offset)[0] = 0x7FFFFFFF;
  function();
  function();
  expect("half of all", offset, 0x80000001, 1);
  raw_words(offset)[0] = most - 2;
  function();
  expect("count", offset, most - 1, 1);
  function();
  expect("count", offset, most, 1);
  function();
  expect("last count", offset, most, 1);
}

/* Samples: of how often the function was called, nothing is lost. */
static void samples(void (*function)(void), unsigned offset) {
  volatile uint32_t *raw = raw_words(offset);
  bareprof_mip_reset();
  for (unsigned i = 1; i <= 3000; i++) {
    function();
    if (raw[0] - raw[2] != i)
      wrong("sampled", i), wrong("as", raw[0] - raw[2]);
    if ((int32_t)raw[2] > 2 * 16 * 64)
      wrong("samples are far apart", raw[2]);
  }
  if (raw[1] != 1)
    wrong("time of samples", raw[1]);
  raw[0] = 0xFFF00001;
  raw[2] = 0;
  function();
  if (raw[0] != 0xFFF00001 || (int32_t)raw[2] < 1 << 20)
    wrong("samples have no end", offset);
}

static void counts(void) {
  saturates(count_address, COUNT_ADDRESS, COUNT_MOST);
  saturates(count_index, COUNT_INDEX, COUNT_MOST);
  saturates(edge_address, EDGE_ADDRESS, UINT32_MAX - 1);
  saturates(edge_index, EDGE_INDEX, UINT32_MAX - 1);
  samples(step_address, STEP_ADDRESS);
  samples(step_index, STEP_INDEX);
#if defined(__riscv_atomic)
  saturates(count_inline, COUNT_INLINE, COUNT_MOST);
#endif
#if defined(__riscv_atomic) || defined(__thumb2__)
  samples(sample_inline, SAMPLE_INLINE);
#endif
  bareprof_mip_reset();
  count_far();
  nothing_but(0, COUNT_FAR);
  for (unsigned i = 0; i < 70000; i++)
    count_index();
  expect("far", COUNT_FAR, 1, 1);
  expect("many", COUNT_INDEX, 70000, 2);
}

/* Edges in the order of edges.awk; more than there is room for. */
static void final(void) {
  uint32_t sum = 0;
  bareprof_mip_reset();
  /* As if the reset had interrupted counts of edges. */
  for (unsigned i = 0; i < bareprof_mip_edges.count; i++)
    bareprof_mip_edges.table[i].count = 7;
  edge_index();
  for (unsigned i = 0; i < bareprof_mip_edges.count; i++)
    sum += bareprof_mip_edges.table[i].count;
  if (sum != 7 * (bareprof_mip_edges.count - 1) + 1)
    wrong("edges after a reset", sum);
  bareprof_mip_reset();
  edge_index();
  last();
  count_far();
  call_1();
  for (unsigned i = 0; i < 5; i++)
    call_2();
  call_3();
  call_3();
  call_4();
  count_far();
  expect("edge index", EDGE_INDEX, 3, 1);
  expect("last", LAST, 1, 2);
  expect("far", COUNT_FAR, 2, 3);
  expect("edge address", EDGE_ADDRESS, 6, 4);
  expect("shared edge", SHARED_EDGE, 1, 5);
  /* Five are taken. */
  edge_address();
  edge_address();
  edge_address();
  edge_address();
  edge_address();
  edge_address();
  edge_address();
}

/* ---- out ---- */

static int to_file(const char *name, int (*put)(const struct bareprof_sink *)) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  if (bareprof_semihosting_open(&file, name))
    return 1;
  int error = put(&sink);
  return error ? error : bareprof_semihosting_close(&file);
}

static int put_memory(const struct bareprof_sink *sink) {
  return sink->write(sink->context, __bareprof_mip_begin,
                     (size_t)(__bareprof_mip_end - __bareprof_mip_begin));
}

static int put_size(const struct bareprof_sink *sink) {
  uint32_t size = (uint32_t)bareprof_mip_size();
  return sink->write(sink->context, &size, sizeof size);
}

int main(void) {
  const struct bareprof_sink uart = {to_uart, NULL};
  bareprof_mip_room[0] = 0;
  if (bareprof_mip_write(&uart) != BAREPROF_E_NOT_INIT ||
      bareprof_mip_send(&uart, BAREPROF_TEXT) != BAREPROF_E_NOT_INIT)
    wrong("not initialised", 0);
  bareprof_mip_init();
  all_keep();
  covers();
  counts();
  final();
  if (to_file("memory", put_memory) || to_file("size", put_size) ||
      to_file("written.mipraw", bareprof_mip_write) ||
      bareprof_mip_send(&uart, BAREPROF_TEXT) ||
      bareprof_mip_send(&uart, BAREPROF_BINARY | BAREPROF_CORE(1)))
    wrong("output", 0);
  return 0;
}
