/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The serial wire output of a Cortex-M3, M4, M7, M33 and up: a stimulus port
 * of the ITM, read by a debug probe.
 *
 *     struct swo_sink to = {1, 0, {100000, kick_watchdog}};    port 1
 *     struct bareprof_sink sink = {swo_write, &to};
 *     int status = bareprof_write(&sink);
 *
 * Host: a decoder of ITM packets that keeps the payload of one port in order,
 * without other ports and timestamps. OpenOCD with `itm ports on` writes the
 * packets to a file, and orbuculum extracts ports from them. Some viewers
 * accept single bytes only: set only_bytes. Each byte then takes 2 bytes on the
 * pin; otherwise 4 bytes take 5.
 *
 * Needs: the SWO pin, and a debugger that has set up ITM, TPIU and the baud
 *   rate. This file only checks that setup: DEMCR.TRCENA, ITM_TCR.ITMENA and
 *   the port's bit in ITM_TER. Cortex-M0, M0+ and M23 have no ITM.
 * Costs: no RAM.
 * Context: privileged; interrupts off, a fault handler. All ports share the
 *   FIFO: if an interrupt writes to any port between our check and our write,
 *   our write is lost. Mask these interrupts, or send frames.
 * Problems:
 * - No debugger: SINK_OFF, nothing was sent. If SWO is set up and no probe
 *   reads the pin, the bytes are lost without a sign.
 * - SWO or its clock is switched off during the dump: SINK_TIMEOUT. Set
 *   polls.
 * - DWT traces (PC samples, exceptions) fill the same wire: overflow packets.
 *   Switch them off for the dump.
 * - The last bytes are still on the way when bareprof_write returns. Wait
 *   until bit 23 of ITM_TCR (BUSY) is 0 before you sleep or reset.
 */
#include "sinks.h"

struct itm {
  union {
    volatile uint8_t byte;
    volatile uint32_t word; /* read: bit 0 is 1 when there is room */
  } port[32];
  uint32_t none[0xd80 / 4];
  volatile uint32_t enabled; /* TER, 0xe00: a bit a port */
  uint32_t other[0x7c / 4];
  volatile uint32_t control; /* TCR, 0xe80 */
};
_Static_assert(offsetof(struct itm, enabled) == 0xe00, "ITM_TER");
_Static_assert(offsetof(struct itm, control) == 0xe80, "ITM_TCR");

#ifndef SWO_ITM
#define SWO_ITM ((struct itm *)0xe0000000)
#define SWO_DEMCR (*(volatile uint32_t *)0xe000edfc)
#endif

enum { FIFO_READY = 1, ITM_ENABLE = 1, TRACE_ENABLE = 1 << 24 };

/* Reads DEMCR first: while it is off, the other registers have no valid value.
 */
static int enabled(unsigned port) {
  return (SWO_DEMCR & TRACE_ENABLE) && (SWO_ITM->control & ITM_ENABLE) &&
         (SWO_ITM->enabled >> port & 1);
}

int swo_write(void *swo_sink, const void *bytes, size_t size) {
  const struct swo_sink *sink = swo_sink;
  const unsigned char *from = bytes;
  uint32_t word, polls = 0;
  if (!enabled(sink->port))
    return SINK_OFF;
  while (size > 0) {
    if (!(SWO_ITM->port[sink->port].word & FIFO_READY)) {
      if (sink_gives_up(&sink->wait, &polls))
        return SINK_TIMEOUT;
      continue;
    }
    polls = 0;
    size_t piece = sink->only_bytes || size < sizeof word ? 1 : sizeof word;
    if (piece == sizeof word) {
      memcpy(&word, from, sizeof word);
      SWO_ITM->port[sink->port].word = word;
    } else {
      SWO_ITM->port[sink->port].byte = *from;
    }
    from += piece;
    size -= piece;
  }
  return 0;
}
