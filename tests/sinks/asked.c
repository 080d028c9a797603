/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A firmware that is asked for dumps over RTT, and never ends: by rtt.c, or on
 * the second channel of SEGGER's code.
 */
#include "bareprof_wire.h"
#include "fakes.h"

static unsigned char ring[300], requests[40];

#ifdef TEST_SEGGER
#include "segger/SEGGER_RTT.h"

static struct segger_rtt_sink to = {1, {0, idle}};
static const struct bareprof_sink sink = {segger_rtt_write, &to};

static void begin(void) {
  static char log[64];
  SEGGER_RTT_ConfigUpBuffer(0, "Terminal", log, sizeof log,
                            SEGGER_RTT_MODE_NO_BLOCK_SKIP);
  SEGGER_RTT_ConfigUpBuffer(1, "bareprof", ring, sizeof ring,
                            SEGGER_RTT_MODE_NO_BLOCK_TRIM);
  SEGGER_RTT_ConfigDownBuffer(1, "bareprof", requests, sizeof requests,
                              SEGGER_RTT_MODE_NO_BLOCK_SKIP);
}

static int next(void) { return segger_rtt_read(1); }
static int finish(void) { return segger_rtt_finish(&to); }
#else
struct rtt _SEGGER_RTT;
static struct rtt_sink to = {&_SEGGER_RTT, {0, idle}};
static const struct bareprof_sink sink = {rtt_write, &to};

static void begin(void) {
  rtt_begin(&_SEGGER_RTT, &(struct rtt_room){ring, sizeof ring},
            &(struct rtt_room){requests, sizeof requests});
}

static int next(void) { return rtt_read(&_SEGGER_RTT); }
static int finish(void) { return rtt_finish(&to); }
#endif

volatile uint32_t idle_calls;
void idle(void) { ++idle_calls; }

int main(void) {
  static struct bareprof_wire wire = {.out = &sink, .options = BAREPROF_TEXT};
  feed();
  begin();
  for (;;) {
    int byte = next();
    if (byte >= 0 && bareprof_wire_feed(&wire, (uint8_t)byte)) {
      bareprof_wire_serve(&wire);
      finish();
    }
  }
}
