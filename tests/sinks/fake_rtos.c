/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Three functions of FreeRTOS for rtos.c: a stream buffer, and a reader that
 * takes some bytes in each tick in which the dumping task sleeps.
 */
#include "fakes.h"

struct StreamBufferDef_t {
  unsigned char bytes[48];
  size_t used;
  uint32_t ticks;
  uint32_t reads_until; /* the tick in which the reader dies */
  uint32_t each;        /* it reads in each so many ticks */
  uint32_t pause;
};

size_t xStreamBufferSend(struct StreamBufferDef_t *stream, const void *bytes,
                         size_t size, uint32_t ticks);
size_t xStreamBufferBytesAvailable(struct StreamBufferDef_t *stream);
void vTaskDelay(uint32_t ticks);

enum { A_TICK = 7 };
static struct StreamBufferDef_t stream;

static void tick(void) {
  size_t size = stream.used < A_TICK ? stream.used : A_TICK;
  if (stream.ticks++ >= stream.reads_until || ++stream.pause < stream.each)
    return;
  stream.pause = 0;
  if (size > 0)
    capture(stream.bytes, size);
  stream.used -= size;
  for (size_t i = 0; i < stream.used; ++i)
    stream.bytes[i] = stream.bytes[i + size];
}

void vTaskDelay(uint32_t ticks) {
  while (ticks-- > 0)
    tick();
}

size_t xStreamBufferBytesAvailable(struct StreamBufferDef_t *of) {
  return of->used;
}

/* As FreeRTOS: waits for room for all of it, or for the whole buffer; then
 * takes what fits. */
size_t xStreamBufferSend(struct StreamBufferDef_t *to, const void *bytes,
                         size_t size, uint32_t ticks) {
  size_t wanted = size < sizeof to->bytes ? size : sizeof to->bytes;
  while (sizeof to->bytes - to->used < wanted && ticks-- > 0)
    tick();
  size_t room = sizeof to->bytes - to->used;
  if (size > room)
    size = room;
  memcpy(to->bytes + to->used, bytes, size);
  to->used += size;
  return size;
}

static int run(uint32_t reads_until, uint32_t each, uint32_t ticks) {
  struct rtos_sink to = {&stream, ticks, idle};
  stream.used = 0;
  stream.ticks = 0;
  stream.reads_until = reads_until;
  stream.each = each;
  idle_calls = 0;
  return rtos_dump(&to);
}

void test_rtos(void) {
  capture_begin("rtos.profraw");
  expect("rtos: a dump", 0, (uint32_t)run(~0u, 1, 100));
  capture_end();
  uint32_t needed = stream.ticks;
  report("rtos: the watchdog is kicked in each slice",
         idle_calls * 10 >= needed, idle_calls);
  capture_begin("rtos-slow.profraw");
  expect("rtos: a reader that sleeps long", 0, (uint32_t)run(~0u, 25, 40));
  capture_end();
  capture_begin("rtos-dead");
  expect("rtos: the reader dies", SINK_TIMEOUT, (uint32_t)run(20, 1, 100));
  expect("rtos: after as many ticks as told", 1,
         stream.ticks >= 120 && stream.ticks < 150);
  expect("rtos: the reader dies at the end", SINK_TIMEOUT,
         (uint32_t)run(needed - 10, 1, 100));
  capture_end();
}
