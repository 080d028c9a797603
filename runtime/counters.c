/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sets counters and bitmaps to their initial value, at boot and when the
 * program resets them, and sets the guard word. This code does not read
 * records, because a lean image has its records in the ELF file only. image.h
 * describes the guard word.
 */
#include "image.h"
#include "weak_hooks.h"

/* Writes the initial value at an address, and returns how many bytes were
 * written. An image with a guard word was linked with bareprof.ld, where each
 * piece consists of whole 8-byte words. A core without 64-bit stores writes the
 * upper half of a counter last. So if bareprof_fold interrupts between the two
 * stores, the second store replaces the upper half that bareprof_fold wrote. */
static inline unsigned fill_initial_value(uintptr_t at, uint32_t value,
                                          const void *guard) {
  enum { HIGH = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };
  if (guard) {
    fill_word(at, value, value, HIGH);
    return 8;
  }
  *(volatile unsigned char *)at = (unsigned char)value;
  return 1;
}

void bareprof_counters_init(const struct bareprof_image *image, bool boot) {
  const void *guard = image->guard;
  uint32_t value = bareprof_counter_shift(image) ? 0 : UINT32_MAX;
  const struct bareprof_span *piece = &image->pieces[BAREPROF_PIECE_COUNTERS];
  for (; piece <= &image->pieces[BAREPROF_PIECE_BITMAP]; piece++, value = 0) {
    uintptr_t at = bareprof_writable_address(piece->begin);
    uintptr_t end = (uintptr_t)piece->end;
    while (at < end)
      at += fill_initial_value(at, value, guard);
  }
  if (hook_values_clear)
    hook_values_clear(image->values, boot);
}

void bareprof_reset_image(const struct bareprof_image *image) {
  if (hook_retain_reset && image->guard)
    hook_retain_reset(image);
  else
    bareprof_counters_init(image, false);
}

void bareprof_reset(void) { bareprof_reset_image(&bareprof_running); }

void bareprof_init(void) {
  const struct bareprof_image *image = &bareprof_running;
  BAREPROF_KEEP(image);
  uint32_t upper =
      hook_retain_boot && image->guard ? hook_retain_boot(image) : 0;
  if (!(upper & BAREPROF_KEPT)) {
    bareprof_counters_init(image, true);
    if (hook_boot_number)
      upper |= hook_boot_number();
  }
  if (image->guard)
    *(volatile uint64_t *)image->guard =
        bareprof_expected_guard_half(image) | (uint64_t)upper << 32;
}
