/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Value slots for the server, so many that they take several frames, and 90
 * values in them, by the hook that instrumented code calls. Nobody asks whose
 * records these are: only lean dumps are sent.
 */
#include "bareprof_values.h"
#include "parts.h"

BAREPROF_VALUES(500, 20);

/* clang drops calls of the hook by its own name. */
void hook(uint64_t value, void *record, uint32_t site)
    __asm__("__llvm_profile_instrument_target");

void record_values(void) {
  static uint64_t records[10][6];
  for (uint32_t i = 0; i < 900; i++)
    hook(0x08000001 + i % 90 * 52, records[i % 10], i % 3);
}
