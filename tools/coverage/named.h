/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm-cov finds functions by the names in the ELF. One that was compiled with
 * -profile-correlate=debug-info has none: llvm-cov gets a copy of it that has.
 */
#ifndef BAREPROF_TOOLS_NAMED_H
#define BAREPROF_TOOLS_NAMED_H

#include "folder.h"
#include "inputs.h"

/* Makes the copy in the folder, where the ELF needs one: subject->named. What
 * is wrong is printed, and 1 returned. */
int named_make(struct subject *subject, const struct folder *folder);

#endif
