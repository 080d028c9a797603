/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A UART fed by DMA. A sink's bytes are valid during the call only, but DMA
 * reads them later: wait for DMA, or copy the bytes first.
 *
 *     struct dma_sink to = {&my_engine, {1000000, kick_watchdog}, 0, 0, 0};
 *     struct bareprof_sink sink = {dma_write_wait, &to};
 *
 *     static unsigned char buffers[2][DMA_BUFFER];
 *     struct dma_sink to = {&my_engine, {1000000, NULL}, buffers, 0, 0};
 *     struct bareprof_sink sink = {dma_write_copy, &to};
 *
 *     int status = bareprof_write(&sink);
 *     int finished = dma_finish(&to);               in both cases
 *
 * Use dma_write_wait in a fault handler, with interrupts off, and if RAM is
 *   short: it needs none. DMA must reach all memory of the profile: the stack,
 *   the counters, and the flash. Each call is a separate transfer, some of 8
 *   bytes, with silence in between.
 * Use dma_write_copy in a task, where other code can run during a transfer (let
 *   idle sleep), on a fast line, and if DMA reaches only some memory: put the
 *   buffers there (not the CCM of an STM32F4, nor the DTCM of an STM32H7 for
 *   DMA1; in RAM on an nRF). It costs 2 buffers.
 *
 * Needs: an engine of yours in struct dma_engine, set up for the UART.
 * Context: any; polled, no interrupt. One dump at a time, with no other user
 *   of the channel.
 * Problems:
 * - A write-back data cache (Cortex-M7): DMA reads memory that is older than
 *   the cache. Define DMA_CACHE_LINE, 32 there: the lines are cleaned before
 *   each transfer. Cleaning does not harm neighbours on a line.
 * - The engine reports an error: SINK_FAULT. The transfer never ends (no clock,
 *   flow control): SINK_TIMEOUT, and the engine is stopped. Here polls are for
 *   a whole transfer: 1,000,000 is plenty for 64 bytes, not for 64 KB.
 */
#include "sinks.h"

#include <stdatomic.h>

#ifndef DMA_LONGEST
#define DMA_LONGEST 65535 /* what the engine's register of length holds */
#endif

#ifdef DMA_CACHE_LINE
#ifndef DMA_CLEAN /* DCCMVAC of ARMv7-M and v8-M */
#define DMA_CLEAN(line) (*(volatile uint32_t *)0xe000ef68 = (line))
#endif
static void clean(const void *bytes, size_t size) {
  uintptr_t end = (uintptr_t)bytes + size;
  uintptr_t line = (uintptr_t)bytes & ~(uintptr_t)(DMA_CACHE_LINE - 1);
  atomic_thread_fence(memory_order_seq_cst);
  for (; line < end; line += DMA_CACHE_LINE)
    DMA_CLEAN(line);
#ifdef __arm__
  __asm__ volatile("dsb" ::: "memory"); /* waits until cleaning is done */
#endif
}
#else
static void clean(const void *bytes, size_t size) { (void)bytes, (void)size; }
#endif

static int wait_for(const struct dma_sink *sink) {
  uint32_t polls = 0;
  int code = 0;
  while (!code && (sink->engine->control & DMA_BUSY))
    if (sink_gives_up(&sink->wait, &polls))
      code = SINK_TIMEOUT;
  if (sink->engine->control & DMA_ERROR)
    code = SINK_FAULT;
  if (code)
    sink->engine->control = 0; /* DMA must not go on after the call. */
  return code;
}

static void start(struct dma_engine *engine, const void *bytes, size_t size) {
  clean(bytes, size);
  engine->address = (uint32_t)(uintptr_t)bytes;
  engine->length = (uint32_t)size;
  atomic_thread_fence(memory_order_seq_cst);
  engine->control = DMA_BUSY;
}

int dma_write_wait(void *dma_sink, const void *bytes, size_t size) {
  struct dma_sink *sink = dma_sink;
  const unsigned char *from = bytes;
  int code = 0;
  while (size > 0 && !code) {
    size_t piece = size < DMA_LONGEST ? size : DMA_LONGEST;
    start(sink->engine, from, piece);
    code = wait_for(sink);
    from += piece;
    size -= piece;
  }
  return code;
}

/* Waits until DMA has sent the other buffer, and starts to send the current
 * buffer. The other buffer is then free to be filled. */
static int swap(struct dma_sink *sink) {
  int code = wait_for(sink);
  if (code) {
    sink->filled = 0; /* The rest of a failed dump does not begin the next. */
    return code;
  }
  start(sink->engine, sink->buffers[sink->current], sink->filled);
  sink->current ^= 1;
  sink->filled = 0;
  return 0;
}

int dma_write_copy(void *dma_sink, const void *bytes, size_t size) {
  struct dma_sink *sink = dma_sink;
  const unsigned char *from = bytes;
  while (size > 0) {
    size_t piece = DMA_BUFFER - sink->filled;
    if (piece > size)
      piece = size;
    memcpy(sink->buffers[sink->current] + sink->filled, from, piece);
    sink->filled += (uint32_t)piece;
    from += piece;
    size -= piece;
    int code = sink->filled == DMA_BUFFER ? swap(sink) : 0;
    if (code)
      return code;
  }
  return 0;
}

/* A sink does not see the end: sends the remaining bytes, and waits. */
int dma_finish(struct dma_sink *sink) {
  int code = sink->filled ? swap(sink) : 0;
  return code ? code : wait_for(sink);
}
