/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rings in RAM that a debug probe reads and writes while the core runs, in the
 * layout of RTT: J-Link, OpenOCD, probe-rs and pyOCD find its id in RAM.
 *
 *     struct rtt _SEGGER_RTT;
 *     static unsigned char ring[512], requests[64];
 *     rtt_begin(&_SEGGER_RTT, &(struct rtt_room){ring, sizeof ring},
 *               &(struct rtt_room){requests, sizeof requests});  after reset
 *
 *     struct rtt_sink to = {&_SEGGER_RTT, {0, kick_watchdog}};  wait for ever
 *     struct bareprof_sink sink = {rtt_write, &to};
 *     int status = bareprof_write(&sink);
 *     if (!status) status = rtt_finish(&to);
 *
 * For requests of the host, as often as there is time:
 *     while ((byte = rtt_read(&_SEGGER_RTT)) >= 0)
 *       if (bareprof_wire_feed(&wire, (uint8_t)byte))
 *         bareprof_wire_serve(&wire);
 *
 * Host: `bareprof receive --rtt fw.elf` prints the lines for OpenOCD, J-Link
 * and probe-rs; docs/how-to/debug-probes.md has more.
 *
 * Needs: a probe that reads memory of a running core (SWD does; many RISC-V
 *   debug modules do). No pin, no clock, no driver.
 * Costs: 72 bytes of RAM and the rings. A larger ring only saves waiting. A
 *   ring larger than the profile never waits, and a debugger can save it after
 *   a crash.
 * Context: any: interrupts off, a fault handler. One writer at a time.
 * Problems:
 * - No probe reads: with polls = 0 the sink waits forever, otherwise it returns
 *   SINK_TIMEOUT. The ring then holds the beginning of the profile: rtt_begin
 *   empties it.
 * - A data cache: the probe reads RAM, not the cache. Put block and ring into
 *   uncached memory, for example the DTCM of a Cortex-M7.
 * - Sleep: many chips disconnect the probe. Do not sleep in idle.
 * - The firmware contains SEGGER's own code: two blocks with one id. Use
 *   segger_rtt.c instead of this file.
 * - The host sees bytes without an end. Send frames, or wait for
 *   bareprof_size() bytes.
 */
#include "sinks.h"

#include <stdatomic.h>

_Static_assert(sizeof(struct rtt) == 72, "the layout of 32-bit targets");

enum { MODE_BLOCK = 2 }; /* for the host's information */

static void ring_begin(struct rtt_ring *ring, const struct rtt_room *room) {
  ring->name = "bareprof";
  ring->buffer = room->bytes;
  ring->size = room->size;
  ring->written = 0;
  ring->taken = 0;
  ring->mode = MODE_BLOCK;
}

void rtt_begin(struct rtt *rtt, const struct rtt_room *up,
               const struct rtt_room *down) {
  /* Written backwards, so that only the block in RAM contains the id. */
  static const char id[] = "TTR REGGES";
  rtt->id[0] = 0; /* After a warm reset the host may be reading. */
  atomic_thread_fence(memory_order_seq_cst);
  rtt->up_buffers = 1;
  rtt->down_buffers = down != NULL;
  ring_begin(&rtt->up, up);
  if (down)
    ring_begin(&rtt->down, down);
  atomic_thread_fence(memory_order_seq_cst);
  for (size_t i = sizeof rtt->id; i-- > 0;)
    rtt->id[i] = i < sizeof id - 1 ? id[sizeof id - 2 - i] : 0;
}

/* Returns how many bytes can be written in one piece. One byte stays empty, so
 * that a full ring differs from an empty one. Returns 0 if the host's index is
 * wrong. */
static uint32_t room(const struct rtt_ring *ring) {
  uint32_t written = ring->written, taken = ring->taken;
  if (taken >= ring->size)
    return 0;
  return taken > written ? taken - written - 1
                         : ring->size - written - (taken == 0);
}

int rtt_write(void *rtt_sink, const void *bytes, size_t size) {
  const struct rtt_sink *sink = rtt_sink;
  struct rtt_ring *ring = &sink->rtt->up;
  const unsigned char *from = bytes;
  uint32_t polls = 0;
  while (size > 0) {
    uint32_t piece = room(ring);
    if (piece == 0) {
      if (sink_gives_up(&sink->wait, &polls))
        return SINK_TIMEOUT;
      continue;
    }
    if (piece > size)
      piece = (uint32_t)size;
    uint32_t written = ring->written;
    memcpy(ring->buffer + written, from, piece);
    written += piece;
    /* The bytes must be in RAM before the index that the host reads. */
    atomic_thread_fence(memory_order_seq_cst);
    ring->written = written == ring->size ? 0 : written;
    from += piece;
    size -= piece;
    polls = 0;
  }
  return 0;
}

/* A sink does not see the end: waits until the host has taken all. */
int rtt_finish(const struct rtt_sink *sink) {
  const struct rtt_ring *ring = &sink->rtt->up;
  uint32_t polls = 0, before = ring->taken;
  while (ring->taken != ring->written) {
    if (ring->taken != before)
      polls = 0;
    before = ring->taken;
    if (sink_gives_up(&sink->wait, &polls))
      return SINK_TIMEOUT;
  }
  return 0;
}

/* The host writes bytes first, then its index. If the index is outside the
 * ring, there is no byte. */
int rtt_read(struct rtt *rtt) {
  struct rtt_ring *ring = &rtt->down;
  uint32_t taken = ring->taken, written = ring->written;
  if (!rtt->down_buffers || taken == written || written >= ring->size)
    return -1;
  atomic_thread_fence(memory_order_seq_cst);
  unsigned char byte = ring->buffer[taken];
  atomic_thread_fence(memory_order_seq_cst);
  ring->taken = taken + 1 == ring->size ? 0 : taken + 1;
  return byte;
}
