/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts what repeats in a candidate. It only puts the search's tries into a
 * better order.
 */
#include "scan_repeats.h"

#include <string.h>

enum { GRAM = 6, PROBES = 8 };

void repeats_clear(struct repeats *repeats) {
  memset(repeats, 0, sizeof *repeats);
}

/* FNV-1a, with all digits as one. */
static uint32_t hash(const unsigned char *gram) {
  uint32_t value = UINT32_C(0x811C9DC5);
  for (size_t i = 0; i < GRAM; i++) {
    unsigned byte = gram[i] >= '0' && gram[i] <= '9' ? '0' : gram[i];
    value = (value ^ byte) * UINT32_C(0x01000193);
  }
  return value;
}

/* The slot of what is at a place, or one that is free for it; REPEATS_SLOTS
 * if there is none near. */
static size_t find(const struct repeats *repeats, uint32_t value) {
  for (size_t i = 0; i < PROBES; i++) {
    size_t slot = (value + i) % REPEATS_SLOTS;
    if (repeats->slots[slot].count == 0 ||
        repeats->slots[slot].tag == value >> 16)
      return slot;
  }
  return REPEATS_SLOTS;
}

void repeats_add(struct repeats *repeats, const unsigned char *bytes,
                 size_t size, size_t begin, size_t end) {
  for (; begin < end && begin + GRAM <= size; begin++) {
    uint32_t value = hash(bytes + begin);
    size_t slot = find(repeats, value);
    if (slot == REPEATS_SLOTS || repeats->slots[slot].count == UINT8_MAX)
      continue;
    repeats->slots[slot].tag = (uint16_t)(value >> 16);
    repeats->slots[slot].count++;
  }
}

/* At least 1, for it is there. */
static unsigned seen(const struct repeats *repeats, const unsigned char *bytes,
                     size_t size, size_t at) {
  if (at + GRAM > size)
    return 1;
  size_t slot = find(repeats, hash(bytes + at));
  if (slot == REPEATS_SLOTS || repeats->slots[slot].count == 0)
    return 1;
  return repeats->slots[slot].count;
}

unsigned repeats_begin(const struct repeats *repeats,
                       const unsigned char *bytes, size_t size, size_t at) {
  unsigned here = seen(repeats, bytes, size, at);
  unsigned before = at ? seen(repeats, bytes, size, at - 1) : 1;
  return here > before ? here - before : 0;
}
