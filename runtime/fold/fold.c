/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Carries of counters that count with 32 bits. Linked on request, by a call of
 * bareprof_fold; profraw_write.c, profraw_merge.c and wire_dump.c then
 * know it by weak_hooks.h. The wire sends counters as they stand, and says so;
 * the host does the rest.
 */
#include "bareprof_options.h"

#include "../image.h"
#include "../weak_hooks.h"
#include "../wire.h"
#include "fold.h"

/* For the host, in the ELF only: counters in memory are folded. */
__asm__(".pushsection .bareprof.counters,\"\",%progbits\n"
        ".asciz \"fold\"\n"
        ".popsection");

/* For wire_dump.c, and for the linker scripts: --gc-sections never removes an
 * absolute symbol. */
__asm__(".global bareprof_fold_width\n"
        ".set bareprof_fold_width, 128");
_Static_assert(BAREPROF_WIRE_FOLDED == 128, "one is the other");

/* Without bareprof.ld the link ends here: nothing would tell whether counters
 * are initialised, and bareprof_reset would clear them byte by byte, where a
 * fold takes half a counter for a carry. */
extern uint64_t __bareprof_guard;

enum { HIGH = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };

/* For profraw_write.c and profraw_merge.c. */
void bareprof_fold_counts(uint64_t *counts, size_t count);
void bareprof_fold_add(const struct bareprof_profile *profile,
                       unsigned char *to, const unsigned char *from,
                       size_t size);

/* Counters of 4 bytes have no half for a carry. From 2^31 on they say "at
 * least": each call sets them back to 2^31, and so they never wrap. A count
 * that this overwrites is lost, and changes nothing. */
static void saturate(const struct bareprof_image *image) {
  volatile bareprof_any32 *at =
      (volatile bareprof_any32 *)bareprof_written(image->counters.begin);
  volatile bareprof_any32 *end =
      (volatile bareprof_any32 *)(uintptr_t)image->counters.end;
  for (; at < end; at++)
    if (*at > BAREPROF_FOLD_LEAST)
      *at = BAREPROF_FOLD_LEAST;
}

/* The upper half is read first: the lower half may wrap in between, but then
 * the upper one still says that it was above 2^31 before. */
void bareprof_fold(void) {
  const struct bareprof_image *image = &bareprof_running;
  const void *guard = &__bareprof_guard; /* NULL if there are no counters */
  __asm__("" : "+r"(guard));
  if (bareprof_counter_shift(image) == 0 ||
      (guard && (uint32_t)*image->guard != bareprof_guard_word(image)))
    return;
  if (bareprof_packed(image)) {
    saturate(image);
    return;
  }
  volatile bareprof_any32 *at =
      (volatile bareprof_any32 *)bareprof_written(image->counters.begin);
  volatile bareprof_any32 *end =
      (volatile bareprof_any32 *)(uintptr_t)image->counters.end;
  for (; at < end; at += 2) {
    uint32_t high = at[HIGH], low = at[!HIGH];
    if ((high ^ low) >> 31)
      at[HIGH] = bareprof_fold_half(high, low);
  }
}

void bareprof_fold_counts(uint64_t *counts, size_t count) {
  for (; count; count--, counts++)
    *counts = bareprof_fold_count(*counts);
}

/* The lower half is written first: a fold in between changes the upper half at
 * most, which is then overwritten. */
void bareprof_fold_add(const struct bareprof_profile *profile,
                       unsigned char *to, const unsigned char *from,
                       size_t size) {
  (void)profile;
  for (; size; size -= 8, to += 8, from += 8) {
    volatile bareprof_any32 *halves = (volatile bareprof_any32 *)(uintptr_t)to;
    uint64_t count, sum = bareprof_fold_count(bareprof_read_counter(to));
    __builtin_memcpy(&count, from, sizeof count);
    sum = count > BAREPROF_FOLD_MOST - sum ? BAREPROF_FOLD_MOST : sum + count;
    halves[!HIGH] = (uint32_t)sum;
    halves[HIGH] = bareprof_fold_half((uint32_t)(sum >> 32), (uint32_t)sum);
  }
}
