/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends a dump from a FreeRTOS task into a stream buffer, which another task
 * empties to a UART or socket. The dumping task sleeps while the buffer is
 * full.
 *
 *     StreamBufferHandle_t stream = xStreamBufferCreate(256, 1);
 *     struct rtos_sink to = {stream, pdMS_TO_TICKS(5000), kick_watchdog};
 *     int status = rtos_dump(&to);                  in a task
 *
 *     for (;;) {                                    in the other task
 *       char bytes[64];
 *       uart_write(bytes, xStreamBufferReceive(stream, bytes, sizeof bytes,
 *                                              portMAX_DELAY));
 *     }
 *
 * Needs: FreeRTOS 10 or 11 with stream_buffer.c in the build,
 *   configTICK_TYPE_WIDTH_IN_BITS of 32 bits, vTaskDelay. For the tests, the
 *   file also compiles without FreeRTOS' headers.
 * Costs: the stream buffer. The task's stack: 320 bytes for bareprof, plus the
 *   stack of FreeRTOS to sleep and to switch. Seen: 512 in all.
 * Context: a task, the scheduler running. Not an interrupt, not a fault
 *   handler, not a critical section: it sleeps. For those, poll a UART.
 * Problems:
 * - Other tasks go on counting while it sleeps: the counters are not of one
 *   instant. Compile them with -fprofile-update=atomic, or counts are lost,
 *   with and without a dump.
 * - The reader has ended or gets no time: SINK_TIMEOUT after ticks.
 * - Two writers: a stream buffer is for one writer and one reader. Send log
 *   lines elsewhere, or all through the task that dumps.
 * - A trigger level above 1: the last bytes wait for more bytes.
 * - The dumping task sleeps on its notification 0: do not use that meanwhile.
 */
#include "sinks.h"

#include "bareprof.h"

#if __has_include("FreeRTOS.h")
#include "FreeRTOS.h"
#include "stream_buffer.h"
#include "task.h"
#else
size_t xStreamBufferSend(struct StreamBufferDef_t *stream, const void *bytes,
                         size_t size, uint32_t ticks);
size_t xStreamBufferBytesAvailable(struct StreamBufferDef_t *stream);
void vTaskDelay(uint32_t ticks);
#endif

/* The longest sleep at a time, so that the watchdog is kicked. */
#define SLICE 10

/* Returns true once `ticks` have passed without progress. */
static int slice_gone(const struct rtos_sink *sink, uint32_t *waited) {
  *waited += SLICE;
  return sink->ticks && *waited >= sink->ticks;
}

int rtos_write(void *rtos_sink, const void *bytes, size_t size) {
  const struct rtos_sink *sink = rtos_sink;
  const unsigned char *from = bytes;
  uint32_t waited = 0;
  while (size > 0) {
    /* Takes only a part of the bytes if the time is over. */
    size_t sent = xStreamBufferSend(sink->stream, from, size, SLICE);
    if (sink->kick)
      sink->kick();
    if (sent > 0)
      waited = 0;
    else if (slice_gone(sink, &waited))
      return SINK_TIMEOUT;
    from += sent;
    size -= sent;
  }
  return 0;
}

/* Sends a complete dump, and waits until the other task has taken the last
 * byte, because a sink does not see the end of a dump. */
int rtos_dump(struct rtos_sink *sink) {
  const struct bareprof_sink to = {rtos_write, sink};
  uint32_t waited = 0;
  size_t left, before = 0;
  int status = bareprof_write(&to);
  while (!status && (left = xStreamBufferBytesAvailable(sink->stream)) > 0) {
    vTaskDelay(SLICE);
    if (sink->kick)
      sink->kick();
    if (left != before)
      waited = 0;
    else if (slice_gone(sink, &waited))
      return SINK_TIMEOUT;
    before = left;
  }
  return status;
}
