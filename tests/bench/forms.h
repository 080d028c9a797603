/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of the wire bench's programs: all link forms.c, and define
 * work.
 */
#ifndef FORMS_H
#define FORMS_H

#include "bareprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Prints `NAME FORM BYTES` for each form of a dump that the image has:
 * lean-binary, lean-text, full-binary, full-text. Writes counters and bitmaps
 * to NAME.raw. Returns 0 or the error. */
int forms(const char *name, const struct bareprof_image *image);

/* The instrumented workload. It returns, or calls finish, which reports and
 * ends the program. */
void work(void);
__attribute__((noreturn)) void finish(void);

/* Returns a result of work that is the same in all builds, for rebuilt.c. Not
 * all workloads define it. */
uint32_t work_result(void);

#ifdef __cplusplus
}
#endif
#endif
