/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For firmware that has SEGGER's RTT code: a channel next to the log's.
 *
 *     static char ring[512], requests[64];
 *     SEGGER_RTT_ConfigUpBuffer(1, "bareprof", ring, sizeof ring,
 *                               SEGGER_RTT_MODE_NO_BLOCK_TRIM);
 *     SEGGER_RTT_ConfigDownBuffer(1, "bareprof", requests, sizeof requests,
 *                                 SEGGER_RTT_MODE_NO_BLOCK_SKIP);
 *
 *     struct segger_rtt_sink to = {1, {0, kick_watchdog}};
 *     struct bareprof_sink sink = {segger_rtt_write, &to};
 *     int status = bareprof_send(&sink, BAREPROF_TEXT);
 *     if (!status) status = segger_rtt_finish(&to);
 *
 * Host: bareprof receive --port rtt:1@localhost --request -o out.profraw
 *
 * Needs: SEGGER_RTT.h of SEGGER's package, on the include path. Channel 0 works
 *   too, with TEXT: the dump's lines stand between those of the log.
 * Costs: the ring.
 * Context: that of SEGGER_RTT_Write, which masks interrupts while it copies.
 *   Call the sink below the priority that the mask leaves enabled.
 * Problems:
 * - Another mode of the up-buffer: with NO_BLOCK_SKIP a piece that is longer
 *   than the ring never fits, and with BLOCK_IF_FIFO_FULL the wait is in
 *   SEGGER's code, where no watchdog is kicked.
 * - No probe reads: as in rtt.c.
 */
#include "sinks.h"

#include "SEGGER_RTT.h"

int segger_rtt_write(void *segger_rtt_sink, const void *bytes, size_t size) {
  const struct segger_rtt_sink *sink = segger_rtt_sink;
  const unsigned char *from = bytes;
  uint32_t polls = 0;
  while (size > 0) {
    unsigned taken = SEGGER_RTT_Write(sink->channel, from, (unsigned)size);
    from += taken;
    size -= taken;
    if (taken)
      polls = 0;
    else if (sink_gives_up(&sink->wait, &polls))
      return SINK_TIMEOUT;
  }
  return 0;
}

/* A sink does not see the end: waits until the host has taken all. */
int segger_rtt_finish(const struct segger_rtt_sink *sink) {
  uint32_t polls = 0;
  unsigned before = SEGGER_RTT_GetBytesInBuffer(sink->channel), left;
  while ((left = SEGGER_RTT_GetBytesInBuffer(sink->channel)) > 0) {
    if (left != before)
      polls = 0;
    before = left;
    if (sink_gives_up(&sink->wait, &polls))
      return SINK_TIMEOUT;
  }
  return 0;
}

int segger_rtt_read(unsigned channel) {
  unsigned char byte;
  return SEGGER_RTT_Read(channel, &byte, 1) ? byte : -1;
}
