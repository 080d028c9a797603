/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of the wire bench's programs: all link forms.c; work is one
 * of the files in work/.
 */
#ifndef FORMS_H
#define FORMS_H

#include "bareprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Prints `NAME FORM BYTES` for each form of a dump that the image has:
 * lean-binary, lean-text, full-binary, full-text. Leaves counters and
 * bitmaps as they are in NAME.raw. 0, or what went wrong. */
int forms(const char *name, const struct bareprof_image *image);

/* The workload to be recorded, instrumented. It returns, or ends in finish,
 * which reports and does not return. */
void work(void);
__attribute__((noreturn)) void finish(void);

/* What work has left behind: the same number in all builds. For rebuilt.c;
 * not all workloads have it. */
uint32_t work_result(void);

#ifdef __cplusplus
}
#endif
#endif
