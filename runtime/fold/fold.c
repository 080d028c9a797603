/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds carries to 8-byte counters if code increments only their lower 4 bytes.
 * A program that calls bareprof_fold links this file; profraw_write.c and
 * profraw_merge.c then call its functions through weak_hooks.h. wire_dump.c
 * sends counters as they are in memory, with a flag, and the host computes the
 * counts. fold.h describes a counter in memory.
 */
#include "bareprof_options.h"

#include "../image.h"
#include "../weak_hooks.h"
#include "../wire.h"
#include "fold.h"

/* This section of the ELF file tells the host that counters in memory have the
 * bits that bareprof_fold sets (fold.h). */
__asm__(".pushsection .bareprof.counters,\"\",%progbits\n"
        ".asciz \"fold\"\n"
        ".popsection");

/* The value of this symbol is the flag BAREPROF_WIRE_FOLDED, which wire_dump.c
 * sends in each dump. Linker scripts test the symbol, too; --gc-sections never
 * removes an absolute symbol. */
__asm__(".global bareprof_fold_width\n"
        ".set bareprof_fold_width, 128");
_Static_assert(BAREPROF_WIRE_FOLDED == 128, "one is the other");

/* bareprof_fold refers to this symbol, so that a link without bareprof.ld
 * fails: without a guard word, counters might not be initialised, and
 * bareprof_reset would clear them byte by byte. If bareprof_fold ran meanwhile,
 * it could see a carry in a half-cleared counter. */
extern uint64_t __bareprof_guard;

enum { HIGH = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };

/* profraw_write.c and profraw_merge.c call these two functions. */
void bareprof_unfold_counts(uint64_t *counts, size_t count);
void bareprof_fold_add(const struct bareprof_profile *profile,
                       unsigned char *to, const unsigned char *from,
                       size_t size);

/* A 4-byte counter lacks an upper half for a carry. So bareprof_fold sets each
 * counter above 2^31 back to 2^31, which means "2^31 or more", and the counter
 * never wraps. If an interrupt counts between load and store, that count is
 * lost, which does not matter at this value. */
static void saturate_counters(const struct bareprof_image *image) {
  volatile bareprof_any32 *at =
      (volatile bareprof_any32 *)bareprof_writable_address(
          image->counters.begin);
  volatile bareprof_any32 *end =
      (volatile bareprof_any32 *)(uintptr_t)image->counters.end;
  for (; at < end; at++)
    if (*at > BAREPROF_FOLD_LEAST)
      *at = BAREPROF_FOLD_LEAST;
}

/* Reads a counter's upper half before its lower half. If the lower half wraps
 * between the two reads, the upper half still says that the lower one was at or
 * above 2^31. The image lacks a guard word if it lacks counters, and before
 * bareprof_relocate. */
void bareprof_fold(void) {
  const struct bareprof_image *image = &bareprof_running;
  const uint64_t *guard = image->guard;
  __asm__ volatile("" : : "r"(&__bareprof_guard));
  if (bareprof_counter_shift(image) == 0 ||
      (guard && (uint32_t)*guard != bareprof_expected_guard_half(image)))
    return;
  if (bareprof_is_packed(image)) {
    saturate_counters(image);
    return;
  }
  volatile bareprof_any32 *at =
      (volatile bareprof_any32 *)bareprof_writable_address(
          image->counters.begin);
  volatile bareprof_any32 *end =
      (volatile bareprof_any32 *)(uintptr_t)image->counters.end;
  for (; at < end; at += 2) {
    uint32_t high = at[HIGH], low = at[!HIGH];
    if ((high ^ low) >> 31)
      at[HIGH] = bareprof_fold_upper_half(high, low);
  }
}

void bareprof_unfold_counts(uint64_t *counts, size_t count) {
  for (; count; count--, counts++)
    *counts = bareprof_unfold_count(*counts);
}

/* Writes a counter's lower half before its upper half. If bareprof_fold runs
 * between the two writes, it changes only the upper half, which the second
 * write replaces. */
void bareprof_fold_add(const struct bareprof_profile *profile,
                       unsigned char *to, const unsigned char *from,
                       size_t size) {
  (void)profile;
  for (; size; size -= 8, to += 8, from += 8) {
    volatile bareprof_any32 *halves = (volatile bareprof_any32 *)(uintptr_t)to;
    uint64_t count, sum = bareprof_unfold_count(bareprof_read_counter(to));
    __builtin_memcpy(&count, from, sizeof count);
    sum = count > BAREPROF_FOLD_MOST - sum ? BAREPROF_FOLD_MOST : sum + count;
    halves[!HIGH] = (uint32_t)sum;
    halves[HIGH] =
        bareprof_fold_upper_half((uint32_t)(sum >> 32), (uint32_t)sum);
  }
}
