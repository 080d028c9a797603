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
uint32_t bareprof_retain_start(const struct bareprof_image *image);
void bareprof_retain_reset(const struct bareprof_image *image);

enum { HASH_AT = 16, HASH_DROPPED = 17 /* bits of 32 */ };

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
static uint32_t build_of(const struct bareprof_image *image) {
  uint32_t value = hash(0, image, image + 1);
  value = hash(value, image->build_id.begin, image->build_id.end);
  return value >> HASH_DROPPED << HASH_AT;
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

/* Of the guard of this start the upper half, without a number that is new. */
uint32_t bareprof_retain_start(const struct bareprof_image *image) {
  volatile uint64_t *guard = image->guard;
  uint64_t found = *guard;
  uint32_t high = (uint32_t)(found >> 32), build = build_of(image);
  if ((uint32_t)found != bareprof_guard_word(image) ||
      (high ^ build) << 1 >> HASH_DROPPED ||
      image->build_id.begin == image->build_id.end || !plausible(image)) {
    *guard = 0;
    return build;
  }
  if (seam_values_wake)
    seam_values_wake(image->values);
  return high | BAREPROF_KEPT;
}

void bareprof_retain_reset(const struct bareprof_image *image) {
  volatile uint64_t *guard = image->guard;
  uint64_t found = *guard;
  *guard = 0;
  bareprof_counters_init(image, false);
  *guard = found;
}

int bareprof_retained(void) {
  const uint64_t *guard = bareprof_running.guard;
  return guard && *guard >> 63;
}

void bareprof_retain_forget(void) { put_guard(&bareprof_running, 0); }
