/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counts of an ELF as a profile.
 */
#ifndef BAREPROF_TOOLS_COUNTED_H
#define BAREPROF_TOOLS_COUNTED_H

#include "inputs.h"

/* The highest release of clang that the ELF names (.comment, debug information)
 * and that writes this raw version. 0: the ELF names none. */
unsigned counted_release(const struct elf *elf, unsigned raw);

/* Writes the subject's raw profile, and the indexed one that its compiler's
 * llvm-cov reads; reads the counts into subject->profile, and the names of its
 * functions. Returns 0, or reports the error and returns 1. */
int counted_write(struct subject *subject, const char *raw,
                  const char *indexed);

/* Reads the subject's counts as they are now. Returns 0, or reports the error
 * and returns 1. The caller frees the profile in both cases. */
int counted_read(const struct subject *subject, struct profile *profile);

#endif
