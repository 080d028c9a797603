/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Keeps counts over a reset of the chip. The linker option -u
 * bareprof_retained, or a call of a function of this file, links the file;
 * bareprof_init and bareprof_reset_image in counters.c then call its functions.
 *
 * The seal shows that the counts in RAM are from this build. The seal is the
 * guard word, and the upper half of the next word, which is a hash of the
 * build. The guard word's lower half is bareprof_expected_guard_half; image.h
 * describes the upper half. bareprof_retain_reset breaks the seal while it
 * changes all counts, because a reset of the chip in between would leave some
 * counts new and some old.
 */
#include "bareprof_options.h"

#include "../image.h"
#include "../weak_hooks.h"

/* counters.c calls these two functions. */
uint32_t bareprof_retain_boot(const struct bareprof_image *image);
void bareprof_retain_reset(const struct bareprof_image *image);

BAREPROF_LINKS_DATA(bareprof_boot_word);

static uint32_t hash_bytes(uint32_t value, const void *begin, const void *end) {
  const unsigned char *at = begin;
  while (at != end)
    value = bareprof_build_hash_step(value, *at++);
  return value;
}

/* Returns a hash of the build. The image's struct has only addresses; the build
 * id, which is hashed too, stands for the bytes at these addresses. */
static uint32_t hash_build(const struct bareprof_image *image) {
  uint32_t value = hash_bytes(0, image, image + 1);
  return hash_bytes(value, image->build_id.begin, image->build_id.end);
}

/* Returns false if the contents cannot be counts, because RAM has decayed or
 * was overwritten. The top byte of an 8-byte counter is 0, or 0xFF if merges
 * have reached the maximum. The counter's two highest bits may have any value,
 * because bareprof_fold uses them. A byte counter is 0 or 0xFF. Timestamps and
 * 4-byte counters may have any value: in images that have them, the contents
 * are not checked, and only the seal protects the counts. */
static bool has_plausible_counts(const struct bareprof_image *image) {
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

/* Returns the upper half of the guard word if the counts are kept, or 0. */
uint32_t bareprof_retain_boot(const struct bareprof_image *image) {
  volatile uint64_t *guard = image->guard;
  volatile bareprof_any64 *seal = guard + 1;
  uint64_t found = *guard;
  uint32_t build = hash_build(image);
  if ((uint32_t)found != bareprof_expected_guard_half(image) ||
      *seal >> 32 != build || image->build_id.begin == image->build_id.end ||
      !has_plausible_counts(image)) {
    /* The number of boots is valid only if boot_number.c is linked; without
     * that file, the number may be random. */
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

void bareprof_retain_forget(void) {
  volatile uint64_t *guard = bareprof_running.guard;
  if (guard)
    *guard = 0;
}
