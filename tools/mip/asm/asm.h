/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Instruments assembly in memory, for `bareprof mip instrument`.
 */
#ifndef ASM_ASM_H
#define ASM_ASM_H

#include "plan.h"

struct asm_job {
  struct asm_wish wish;
  struct asm_machine machine; /* ASM_UNKNOWN: detect the machine */
  FILE *out;
  /* Called for each function that is skipped, or gets no block coverage
   * although requested; may be NULL. */
  void (*tell)(void *context, struct bytes name, bool skipped, const char *why);
  void *context;
  uint32_t functions, instrumented; /* results */
};

/* Writes the instrumented assembly. After an error, some or all of the output
 * may be written. Text without functions is written unchanged. Returns NULL or
 * the error. */
const char *asm_instrument(struct asm_job *job, struct bytes bytes);

#endif
