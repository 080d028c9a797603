/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A ring in RAM that a debug probe reads while the core runs: the layout is
 * that of RTT, so J-Link, OpenOCD, probe-rs and pyOCD find it by its id.
 *
 *     static struct rtt rtt;
 *     static unsigned char ring[512];
 *     rtt_begin(&rtt, ring, sizeof ring);                  after reset
 *
 *     struct rtt_sink to = {&rtt, {0, kick_watchdog}};     wait for ever
 *     struct bareprof_sink sink = {rtt_write, &to};
 *     int status = bareprof_write(&sink);
 *     if (!status) status = rtt_finish(&to);
 *
 * Host: JLinkRTTLogger -RTTChannel 0; or in OpenOCD `rtt setup ADDRESS SIZE
 * "SEGGER RTT"`, `rtt start`, `rtt server start 9090 0`, and read that port.
 *
 * Needs: a probe that reads memory of a running core (SWD does; many RISC-V
 *   debug modules do). No pin, no clock, no driver.
 * Costs: 48 bytes of RAM and the ring. A larger ring only saves waiting. A
 *   ring larger than the profile never waits, and a debugger can save it after
 *   a crash.
 * Context: any: interrupts off, a fault handler. One writer at a time.
 * Problems:
 * - No probe reads: with polls = 0 the sink waits forever, otherwise it returns
 *   SINK_TIMEOUT. The ring then holds the beginning of the profile: rtt_begin
 *   empties it.
 * - A data cache: the probe reads memory behind it. Put block and ring into
 *   uncached memory, for example the DTCM of a Cortex-M7.
 * - Sleep: many chips disconnect the probe. Do not sleep in idle.
 * - The firmware contains SEGGER's own code: two blocks with one id. Use
 *   SEGGER's block, with a sink that calls SEGGER_RTT_Write on its own
 *   up-buffer.
 * - The host sees bytes without an end. Send frames, or wait for
 *   bareprof_size() bytes.
 */
#include "sinks.h"

#include <stdatomic.h>

_Static_assert(sizeof(struct rtt) == 48, "the layout of 32-bit targets");

enum { MODE_BLOCK = 2 }; /* for the host's information */

void rtt_begin(struct rtt *rtt, unsigned char *buffer, uint32_t size) {
  /* Backwards: the id as such must be nowhere but in the block. */
  static const char id[] = "TTR REGGES";
  rtt->id[0] = 0; /* After a warm reset the host may be reading. */
  atomic_thread_fence(memory_order_seq_cst);
  rtt->up_buffers = 1;
  rtt->down_buffers = 0;
  rtt->name = "bareprof";
  rtt->buffer = buffer;
  rtt->size = size;
  rtt->written = 0;
  rtt->taken = 0;
  rtt->mode = MODE_BLOCK;
  atomic_thread_fence(memory_order_seq_cst);
  for (size_t i = sizeof rtt->id; i-- > 0;)
    rtt->id[i] = i < sizeof id - 1 ? id[sizeof id - 2 - i] : 0;
}

/* Bytes that can be written in one piece. One place stays empty, to tell full
 * from empty. An index that the host got wrong is no room at all. */
static uint32_t room(const struct rtt *rtt) {
  uint32_t written = rtt->written, taken = rtt->taken;
  if (taken >= rtt->size)
    return 0;
  return taken > written ? taken - written - 1
                         : rtt->size - written - (taken == 0);
}

int rtt_write(void *rtt_sink, const void *bytes, size_t size) {
  const struct rtt_sink *sink = rtt_sink;
  struct rtt *rtt = sink->rtt;
  const unsigned char *from = bytes;
  uint32_t polls = 0;
  while (size > 0) {
    uint32_t piece = room(rtt);
    if (piece == 0) {
      if (sink_gives_up(&sink->wait, &polls))
        return SINK_TIMEOUT;
      continue;
    }
    if (piece > size)
      piece = (uint32_t)size;
    uint32_t written = rtt->written;
    memcpy(rtt->buffer + written, from, piece);
    written += piece;
    /* The bytes are there before the host hears of them. */
    atomic_thread_fence(memory_order_seq_cst);
    rtt->written = written == rtt->size ? 0 : written;
    from += piece;
    size -= piece;
    polls = 0;
  }
  return 0;
}

/* A sink is not told of the end: waits until the host has taken all. */
int rtt_finish(const struct rtt_sink *sink) {
  uint32_t polls = 0, before = sink->rtt->taken;
  while (sink->rtt->taken != sink->rtt->written) {
    if (sink->rtt->taken != before)
      polls = 0;
    before = sink->rtt->taken;
    if (sink_gives_up(&sink->wait, &polls))
      return SINK_TIMEOUT;
  }
  return 0;
}
