/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A counter at 2^32-1 is counted two times with 32 bits, and sent: TEXT, lean;
 * TEXT, full; BINARY, lean. What bareprof_write makes of it is in 1.profraw,
 * and what a debugger would read of the counters in counters.memory. The
 * program folds or not. PACKED: counters have 4 bytes, and there are lean dumps
 * only; with SLOTS these have headers, because they have slots of values. The
 * tiny sender, which does not fold, sends 4-byte counters, too.
 */
#include "bareprof_options.h"
#include "bareprof_semihosting.h"
#include "bareprof_tiny.h"
#include "bareprof_values.h"
#include "bareprof_wire.h"
#include "parts.h"

void shared(void);

#ifdef PACKED
enum { LOW = 0, WORDS = 1, SENT = BAREPROF_LEAN };
#else
enum { LOW = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__, WORDS = 2, SENT = 0 };
#endif
#ifdef SLOTS
BAREPROF_VALUES(4, 2);
#endif

static void fold(void) {
#ifdef FOLD
  bareprof_fold();
#endif
}

/* All counters, of which those of functions that never ran stay 0. */
static void begin_below(void) {
  uint32_t *at = (uint32_t *)(uintptr_t)bareprof_running.counters.begin;
  uint32_t *end = (uint32_t *)(uintptr_t)bareprof_running.counters.end;
  bareprof_reset();
  shared();
  for (; at != end; at += WORDS)
    if (at[LOW])
      at[LOW] = UINT32_MAX;
}

static int write_memory(const char *name) {
  struct bareprof_semihosting file;
  const struct bareprof_span *counters = &bareprof_running.counters;
  if (bareprof_semihosting_open(&file, name))
    return 1;
  int error = bareprof_semihosting_write(
      &file, counters->begin, (size_t)(counters->end - counters->begin));
  return bareprof_semihosting_close(&file) || error;
}

#if defined PACKED && !defined FOLD
static int put(void *context, unsigned char byte) {
  return to_uart(context, &byte, 1);
}
static int send_tiny(void) { return bareprof_tiny_send_text(put, "uart"); }
#else
static int send_tiny(void) { return 0; }
#endif

int main(void) {
  static const unsigned options[] = {BAREPROF_TEXT | BAREPROF_LEAN,
                                     BAREPROF_TEXT | SENT,
                                     BAREPROF_BINARY | BAREPROF_LEAN};
  const struct bareprof_sink uart = {to_uart, "uart"};
  int error = 0;
  begin_below();
  fold();
  shared();
  shared();
#ifdef FOLD_TWICE
  fold();
#endif
  for (unsigned i = 0; i < 3; i++)
    error |= bareprof_send(&uart, options[i]);
  error |= send_tiny();
  if (!SENT)
    error |= write_reference("1.profraw");
  return error | write_memory("counters.memory");
}
