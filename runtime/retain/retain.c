/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts that survive a reset. Linked on request: bareprof_init and
 * bareprof_reset_image, in counters.c, then call these functions.
 *
 * The seal is the guard and half the word behind it. The guard's lower half is
 * bareprof_guard_word; image.h says what is above it, which a boot that keeps
 * counts keeps. The half word is a hash that identifies this build. The seal
 * is broken while all counts change: a reset in between must not find some of
 * them new and some old.
 */
#include "bareprof_options.h"

#include "../image.h"
#include "../weak_hooks.h"

/* For counters.c. */
uint32_t bareprof_retain_boot(const struct bareprof_image *image);
void bareprof_retain_reset(const struct bareprof_image *image);

BAREPROF_LINKS_DATA(bareprof_boot_word);

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

/* The image consists of addresses, including those of its ends. The version and
 * everything else they point to is covered by the build id. */
static uint32_t build_of(const struct bareprof_image *image) {
  uint32_t value = hash(0, image, image + 1);
  return hash(value, image->build_id.begin, image->build_id.end);
}

/* Whether these may be counts: decayed or overwritten RAM does not pass. The
 * top byte of a counter is 0, or 0xFF if merges have brought it to its maximum;
 * its two highest bits are bareprof_fold's, and free. A counter of one byte is
 * 0 or 0xFF. Timestamps, which may stand among the latter, have any value. So
 * have counters of 4 bytes: the seal alone stands for these. */
static bool plausible(const struct bareprof_image *image) {
  unsigned shift = bareprof_counter_shift(image), step = 1u << shift;
  unsigned free = shift << 6; /* the two highest bits, or none */
  const unsigned char *at = image->counters.begin;
  if ((int32_t)((uint32_t)*image->version | *image->version >> 32) < 0)
    return true;
  if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    at += step - 1;
  for (; at < image->counters.end; at += step)
    if ((*at | free) != free && (*at | free) != 0xFF)
      return false;
  return true;
}

/* The upper half of this boot's guard, without a new number. */
uint32_t bareprof_retain_boot(const struct bareprof_image *image) {
  volatile uint64_t *guard = image->guard;
  volatile bareprof_any64 *seal = guard + 1;
  uint64_t found = *guard;
  uint32_t build = build_of(image);
  if ((uint32_t)found != bareprof_guard_word(image) || *seal >> 32 != build ||
      image->build_id.begin == image->build_id.end || !plausible(image)) {
    /* Without a count to keep it reads nothing that was never written. */
    uint64_t count = hook_boot_number ? (uint32_t)*seal : 0;
    *guard = 0;
    *seal = (uint64_t)build << 32 | count;
    return 0;
  }
  if (hook_values_wake)
    hook_values_wake(image->values);
  return (uint32_t)(found >> 32) | BAREPROF_KEPT;
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
  return guard && (*guard >> 32 & BAREPROF_KEPT) != 0;
}

void bareprof_retain_forget(void) { put_guard(&bareprof_running, 0); }
