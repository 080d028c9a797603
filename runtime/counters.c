/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The initial value of counters and bitmaps, at start and later. Does not
 * look at records: they may be in the ELF only.
 */
#include "image.h"

/* With bareprof.ld (the guard tells) a piece begins at a multiple of 8 and
 * the bytes up to the next one are its own: it is written in whole 64-bit
 * words, as RAM with ECC demands that has never been written. Volatile keeps
 * the compiler from calling memset, which may go byte by byte. */
static void fill(const struct bareprof_image *image,
                 const struct bareprof_span *span, int value) {
  uintptr_t at = (uintptr_t)span->begin;
  uintptr_t end = (uintptr_t)span->end;
  if (image->guard) {
    for (; at < end; at += 8)
      *(volatile uint64_t *)at = (uint64_t)(int64_t)value;
  } else {
    for (; at < end; at++)
      *(volatile unsigned char *)at = (unsigned char)value;
  }
}

void bareprof_fill_counts(const struct bareprof_image *image) {
  fill(image, &image->counters, bareprof_counter_shift(image) ? 0 : -1);
  fill(image, &image->bitmap, 0);
}

/* Weak: with values, values_reset.c has one that clears these too. */
__attribute__((weak, alias("bareprof_fill_counts"))) void
bareprof_fill_image(const struct bareprof_image *image);
__attribute__((weak, alias("bareprof_fill_counts"))) void
bareprof_refill_image(const struct bareprof_image *image);

/* Weak: where retain/retain.c is linked, its own are taken. */
__attribute__((weak)) void
bareprof_reset_image(const struct bareprof_image *image) {
  bareprof_refill_image(image);
}

__attribute__((weak)) void bareprof_init(void) {
  const struct bareprof_image *image = &bareprof_running;
  bareprof_fill_image(image);
  if (image->guard)
    *(volatile uint64_t *)image->guard = bareprof_guard_word(image);
}
