/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Instrumenting assembly: what `bareprof mip instrument` does with a file,
 * without the files.
 */
#ifndef ASM_ASM_H
#define ASM_ASM_H

#include "plan.h"

struct asm_job {
  struct asm_wish wish;
  struct asm_machine machine; /* ASM_UNKNOWN: find it out */
  FILE *out;
  /* Is told of each function that is skipped, or gets no block coverage
   * though asked for; may be NULL. */
  void (*tell)(void *context, struct bytes name, bool skipped, const char *why);
  void *context;
  uint32_t functions, instrumented; /* results */
};

/* Writes the instrumented assembly; all or part of it may be there after an
 * error too. Text without functions is written as it is. Returns NULL or the
 * error. */
const char *asm_instrument(struct asm_job *job, struct bytes bytes);

#endif
