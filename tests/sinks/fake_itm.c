/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An ITM for swo.c, as QEMU has none: each access to a register comes by
 * fake_itm(), which looks at what the access before has left in the port.
 * There a pattern waits that a write cannot leave as it is, since it differs
 * in each byte from those that come next. A write without room is lost, as
 * on the chip.
 */
#include "fakes.h"

#define SWO_ITM fake_itm()
#define SWO_DEMCR demcr
struct itm;
static struct itm *fake_itm(void);
static volatile uint32_t demcr;
#include "../../examples/sinks/swo.c"

enum { PORT = 5, SLOW = 3 };

static struct itm itm;
static unsigned char expected[8192];
static size_t taken, words;
static uint32_t pattern, ready, busy, off_at;

/* Where the sink writes bytes, the first of the four decides. */
static void look(void) {
  uint32_t now = itm.port[PORT].word;
  size_t size = (now ^ pattern) >> 8 ? 4 : 1;
  if (now == pattern)
    return;
  if (!ready)
    size = 0;
  capture(&now, size);
  taken += size;
  words += size == 4;
  busy = SLOW;
}

static struct itm *fake_itm(void) {
  look();
  if (taken >= off_at)
    busy = 1;
  ready = busy == 0;
  if (busy > 0)
    --busy;
  memcpy(&pattern, expected + taken, sizeof pattern);
  pattern = (~pattern & ~(uint32_t)FIFO_READY) | ready;
  itm.port[PORT].word = pattern;
  return &itm;
}

/* One dump with these settings of the three registers. */
static int run(uint32_t trace, uint32_t control, uint32_t ports,
               uint8_t only_bytes) {
  struct swo_sink to = {PORT, only_bytes, {1000, idle}};
  demcr = trace;
  itm.control = control;
  itm.enabled = ports;
  taken = words = busy = 0;
  int code = dump(swo_write, &to);
  fake_itm();
  return code;
}

static void run_off(void) {
  const uint32_t trace = TRACE_ENABLE, port = 1u << PORT;
  expect("swo: without trace", SINK_OFF, (uint32_t)run(0, 1, port, 0));
  expect("swo: without ITM", SINK_OFF, (uint32_t)run(trace, 0, port, 0));
  expect("swo: without the port", SINK_OFF, (uint32_t)run(trace, 1, ~port, 0));
  expect("swo: and nothing was written", 0, (uint32_t)taken);
  off_at = 200;
  idle_calls = 0;
  expect("swo: stops on the way", SINK_TIMEOUT,
         (uint32_t)run(trace, 1, port, 0));
  report("swo: polls as often as told", idle_calls >= 1000, idle_calls);
}

void test_swo(void) {
  struct bareprof_memory memory = {expected, expected + sizeof expected - 4};
  const uint32_t trace = TRACE_ENABLE, port = 1u << PORT;
  expect("swo: the profile fits", 0,
         (uint32_t)dump(bareprof_memory_write, &memory));
  off_at = ~0u;
  capture_begin("swo-words.profraw");
  expect("swo: by words", 0, (uint32_t)run(trace, 1, port, 0));
  capture_end();
  report("swo: most in words", words > taken / 5, (uint32_t)words);
  capture_begin("swo-bytes.profraw");
  expect("swo: by bytes", 0, (uint32_t)run(trace, ~0u, ~0u, 1));
  capture_end();
  expect("swo: none in words", 0, (uint32_t)words);
  capture_begin("swo-off");
  run_off();
  capture_end();
}
