/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whether sources are as they were when an ELF was built. A report shows counts
 * by line numbers of the build: in a file that has changed since, they stand
 * beside other lines. The line table of DWARF 5 has the MD5 of each file.
 */
#ifndef BAREPROF_TOOLS_SOURCE_DIGEST_H
#define BAREPROF_TOOLS_SOURCE_DIGEST_H

#include "../coverage.h"

/* Compares the sources in the subject's summary, and fills subject->sources.
 * Returns 0, or reports the error and returns 1: there is no memory, a source
 * cannot be read, or has changed and the user does not allow that. */
int built_compare(struct subject *subject, const struct wishes *wishes);
void built_free(struct subject *subject);

/* Prints how an ELF's sources compare, if there is anything to say. */
void built_print(const struct subject *subject);

#endif
