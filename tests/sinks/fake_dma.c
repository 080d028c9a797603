/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A DMA engine for dma.c: the timer's interrupt moves a few bytes at a time,
 * so that bytes which change too early leave wrong. It sits behind a cache:
 * a line that was not cleaned since the last transfer leaves as 0xee.
 */
#include "fakes.h"

#define DMA_CACHE_LINE 32
#define DMA_CLEAN(line) fake_clean(line)
#define DMA_LONGEST 100
static void fake_clean(uintptr_t line);
#include "../../examples/sinks/dma.c"

enum { AT_ONCE = 24, LINES = DMA_LONGEST / DMA_CACHE_LINE + 2 };

static struct dma_engine engine;
static unsigned char buffers[2][DMA_BUFFER];
static uintptr_t cleaned[LINES];
static unsigned cleaned_lines;
static uint32_t moved, transfers, breaks_at, stops_at, too_long;

static void fake_clean(uintptr_t line) {
  if (cleaned_lines < LINES)
    cleaned[cleaned_lines++] = line & ~(uintptr_t)(DMA_CACHE_LINE - 1);
}

static int is_clean(uintptr_t address) {
  for (unsigned i = 0; i < cleaned_lines; ++i)
    if (address - cleaned[i] < DMA_CACHE_LINE)
      return 1;
  return 0;
}

static void end_transfer(uint32_t control) {
  engine.control = control;
  cleaned_lines = 0;
  moved = 0;
}

static void move(void) {
  static const unsigned char stale = 0xee;
  if (!(engine.control & DMA_BUSY) || transfers == stops_at)
    return;
  too_long |= engine.length > DMA_LONGEST;
  for (unsigned i = 0; i < AT_ONCE && moved < engine.length; ++i, ++moved) {
    uintptr_t address = engine.address + moved;
    capture(is_clean(address) ? (const void *)address : &stale, 1);
  }
  if (moved < engine.length)
    return;
  ++transfers;
  end_transfer(transfers == breaks_at ? DMA_ERROR : 0);
}

/* One dump, in which a transfer breaks, stops for good, or neither: 0. */
static int run(int (*write)(void *, const void *, size_t), uint32_t breaks,
               uint32_t stops, uint32_t polls) {
  struct dma_sink to = {&engine, {polls, idle}, buffers, 0, 0};
  end_transfer(0);
  transfers = too_long = idle_calls = 0;
  breaks_at = breaks;
  stops_at = stops ? stops : ~0u;
  int code = dump(write, &to);
  return code ? code : dma_finish(&to);
}

void test_dma(void) {
  board_timer_start(TIMER_HZ / 10000, move);
  capture_begin("dma-wait.profraw");
  expect("dma: waits", 0, (uint32_t)run(dma_write_wait, 0, 0, POLLS));
  capture_end();
  expect("dma: no transfer is too long", 0, too_long);
  uint32_t one_by_one = transfers;
  capture_begin("dma-copy.profraw");
  expect("dma: copies", 0, (uint32_t)run(dma_write_copy, 0, 0, POLLS));
  capture_end();
  expect("dma: copies into whole buffers",
         (uint32_t)(bareprof_size() + DMA_BUFFER - 1) / DMA_BUFFER, transfers);
  report("dma: each call waits for a transfer of its own",
         one_by_one > transfers, one_by_one);
  report("dma: idle is called", idle_calls > 0, idle_calls);
  capture_begin("dma-errors");
  expect("dma: waits, an error", SINK_FAULT,
         (uint32_t)run(dma_write_wait, 2, 0, POLLS));
  expect("dma: copies, an error", SINK_FAULT,
         (uint32_t)run(dma_write_copy, 2, 0, POLLS));
  expect("dma: waits, never ends", SINK_TIMEOUT,
         (uint32_t)run(dma_write_wait, 0, 2, 100000));
  expect("dma: and is stopped", 0, engine.control);
  expect("dma: copies, never ends", SINK_TIMEOUT,
         (uint32_t)run(dma_write_copy, 0, 2, 100000));
  report("dma: polls as often as told", idle_calls >= 100000, idle_calls);
  board_timer_stop();
  capture_end();
}
