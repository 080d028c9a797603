/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lines that interrupts splice into a frame are often alike: "tick 17",
 * "tick 18". So where something begins that is in the candidate several
 * times, but for its digits, a line is likely to begin.
 */
#ifndef BAREPROF_TOOLS_SCAN_REPEATS_H
#define BAREPROF_TOOLS_SCAN_REPEATS_H

#include <stddef.h>
#include <stdint.h>

enum { REPEATS_SLOTS = 4096 };

/* How often each six bytes were seen, by their hash. */
struct repeats {
  struct {
    uint16_t tag;
    uint8_t count;
  } slots[REPEATS_SLOTS];
};

void repeats_clear(struct repeats *repeats);

/* The six bytes at each place from begin up to end; size is that of all. */
void repeats_add(struct repeats *repeats, const unsigned char *bytes,
                 size_t size, size_t begin, size_t end);

/* How much oftener the six bytes at a place were seen than those one byte
 * before, each at least once: 0 if nothing begins there. */
unsigned repeats_begin(const struct repeats *repeats,
                       const unsigned char *bytes, size_t size, size_t at);

#endif
