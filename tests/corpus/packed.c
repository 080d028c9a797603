/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * In the place of a profile runtime, for programs whose counters have 4 bytes,
 * as no runtime of this machine writes these: leaves the memory of counters and
 * bitmaps in the file `memory` when the program ends, for `bareprof join`, and
 * their address in the file `address`.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BOUND extern const char __attribute__((weak, visibility("hidden")))

BOUND __start___llvm_prf_cnt4[], __stop___llvm_prf_cnt4[];
BOUND __start___llvm_prf_bits[], __stop___llvm_prf_bits[];

int __llvm_profile_runtime;

/* As the runtime refers to it. */
extern const uint64_t __llvm_profile_raw_version;
const uint64_t *const version_of_program __attribute__((used, retain)) =
    &__llvm_profile_raw_version;

/* Nothing keeps values here. */
void __llvm_profile_instrument_target(uint64_t value, void *data, uint32_t at) {
  (void)value, (void)data, (void)at;
}

static void leave_memory(void) {
  const char *end = __stop___llvm_prf_bits ? __stop___llvm_prf_bits
                                           : __stop___llvm_prf_cnt4;
  FILE *memory = fopen("memory", "w"), *address = fopen("address", "w");
  if (!memory || !address || !__start___llvm_prf_cnt4)
    return;
  fwrite(__start___llvm_prf_cnt4, 1, (size_t)(end - __start___llvm_prf_cnt4),
         memory);
  fprintf(address, "%p\n", (const void *)__start___llvm_prf_cnt4);
  fclose(memory);
  fclose(address);
}

__attribute__((constructor)) static void begin(void) { atexit(leave_memory); }
