/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts that survive a reset. Linked on request: bareprof_init and
 * bareprof_reset_image, in counters.c, then call what is here.
 *
 * The seal is the guard: its lower half is bareprof_guard_word, which is all
 * that others look at. Above it are the number of the start, 16 bits, a hash of
 * what tells this build from others, 15 bits, and one bit that says whether the
 * last start kept the counts, and so its number. It is
 * broken while the counts are changed as a whole: a reset in between must not
 * find some of them new and some old.
 */
#include "bareprof_retain.h"

#include "../image.h"
#include "../seams.h"

/* For counters.c. */
void bareprof_retain_fill(const struct bareprof_image *image, bool start);

#define KEPT (UINT64_C(1) << 63)
#define NUMBER (UINT64_C(0xFFFF) << BAREPROF_START_AT)
enum { HASH_AT = 48, HASH_DROPPED = 17 /* bits of 32 */ };

static void put_guard(const struct bareprof_image *image, uint64_t guard) {
  if (image->guard)
    *(volatile uint64_t *)image->guard = guard;
}

/* FNV-1a. */
static uint32_t hash(uint32_t value, const void *begin, const void *end) {
  const unsigned char *at = begin;
  while (at != end)
    value = (value ^ *at++) * UINT32_C(0x01000193);
  return value;
}

/* The image is made of addresses, those of its ends included; the version and
 * all else that they point to is the build id's business. */
static uint64_t seal_of(const struct bareprof_image *image) {
  uint32_t value = hash(0, image, image + 1);
  value = hash(value, image->build_id.begin, image->build_id.end);
  return (uint64_t)(value >> HASH_DROPPED) << HASH_AT |
         bareprof_guard_word(image);
}

/* Whether these may be counts: RAM that has faded, or that was written to by
 * mistake, does not look like it. The top byte of a counter is 0, or 0xFF
 * where merges have brought it to its end; a counter of one byte is 0 or 0xFF.
 * Timestamps, which may stand among the latter, are anything. */
static bool plausible(const struct bareprof_image *image) {
  unsigned step = 1u << bareprof_counter_shift(image);
  const unsigned char *at = image->counters.begin;
  if (*image->version & BAREPROF_TEMPORAL)
    return true;
  if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    at += step - 1;
  for (; at < image->counters.end; at += step)
    if (*at != 0 && *at != 0xFF)
      return false;
  return true;
}

void bareprof_retain_fill(const struct bareprof_image *image, bool start) {
  uint64_t none = 0;
  volatile uint64_t *guard = image->guard ? image->guard : &none;
  uint64_t found = *guard;
  uint64_t seal = start ? seal_of(image) : found;
  if (start && (found & ~(KEPT | NUMBER)) == seal &&
      image->build_id.begin != image->build_id.end && plausible(image)) {
    seal |= KEPT | (found & NUMBER);
    if (seam_values_wake)
      seam_values_wake(image->values);
  } else {
    *guard = 0;
    bareprof_fill_image(image, start);
    seal |= *guard & NUMBER;
  }
  *guard = seal;
}

int bareprof_retained(void) {
  const struct bareprof_image *image = &bareprof_running;
  return image->guard && *image->guard & KEPT;
}

void bareprof_retain_forget(void) { put_guard(&bareprof_running, 0); }
