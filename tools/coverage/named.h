/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm-cov finds functions by the names in the ELF. An ELF compiled with
 * -profile-correlate=debug-info has no names, so llvm-cov gets a copy with
 * names. It also gets a copy if the compiler ran on another system than
 * llvm-cov, which takes the names of files for its own.
 */
#ifndef BAREPROF_TOOLS_NAMED_H
#define BAREPROF_TOOLS_NAMED_H

#include "folder.h"
#include "inputs.h"

/* Makes the copy in the folder if the ELF needs one, and sets subject->named.
 * Returns 0, or reports the error and returns 1. */
int named_make(struct subject *subject, const struct folder *folder);

#endif
