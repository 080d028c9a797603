/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Replaces SEGGER's code: two channels each way, one of them for a log.
 */
#include <stdint.h>

#include "SEGGER_RTT.h"

enum { CHANNELS = 2 };

struct ring {
  const char *name;
  unsigned char *buffer;
  uint32_t size;
  volatile uint32_t written, taken;
  uint32_t mode;
};

struct {
  char id[16];
  int32_t ups, downs;
  struct ring up[CHANNELS], down[CHANNELS];
} _SEGGER_RTT;

static int config(struct ring *ring, const char *name, void *buffer,
                  unsigned size) {
  static const char id[] = "TTR REGGES";
  ring->name = name;
  ring->buffer = buffer;
  ring->size = size;
  ring->written = ring->taken = 0;
  _SEGGER_RTT.ups = _SEGGER_RTT.downs = CHANNELS;
  for (unsigned i = 0; i < sizeof id - 1; i++)
    _SEGGER_RTT.id[i] = id[sizeof id - 2 - i];
  return 0;
}

int SEGGER_RTT_ConfigUpBuffer(unsigned channel, const char *name, void *buffer,
                              unsigned size, unsigned flags) {
  _SEGGER_RTT.up[channel].mode = flags;
  return config(&_SEGGER_RTT.up[channel], name, buffer, size);
}

int SEGGER_RTT_ConfigDownBuffer(unsigned channel, const char *name,
                                void *buffer, unsigned size, unsigned flags) {
  _SEGGER_RTT.down[channel].mode = flags;
  return config(&_SEGGER_RTT.down[channel], name, buffer, size);
}

/* As much as there is room for. */
unsigned SEGGER_RTT_Write(unsigned channel, const void *bytes, unsigned size) {
  struct ring *ring = &_SEGGER_RTT.up[channel];
  const unsigned char *from = bytes;
  unsigned count = 0;
  for (; count < size; count++) {
    uint32_t next = ring->written + 1 == ring->size ? 0 : ring->written + 1;
    if (next == ring->taken)
      break;
    ring->buffer[ring->written] = from[count];
    ring->written = next;
  }
  return count;
}

unsigned SEGGER_RTT_Read(unsigned channel, void *bytes, unsigned size) {
  struct ring *ring = &_SEGGER_RTT.down[channel];
  unsigned char *to = bytes;
  unsigned count = 0;
  for (; count < size && ring->taken != ring->written; count++) {
    to[count] = ring->buffer[ring->taken];
    ring->taken = ring->taken + 1 == ring->size ? 0 : ring->taken + 1;
  }
  return count;
}

unsigned SEGGER_RTT_GetBytesInBuffer(unsigned channel) {
  const struct ring *ring = &_SEGGER_RTT.up[channel];
  uint32_t written = ring->written, taken = ring->taken;
  return written >= taken ? written - taken : ring->size - taken + written;
}
