/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The beginning of a raw profile, for all who read one.
 */
#ifndef BAREPROF_TOOLS_RAW_HEADER_H
#define BAREPROF_TOOLS_RAW_HEADER_H

#include "../base/bytes.h"

/* Whether there is a magic in the 8 bytes, in that byte order; *wide: of a
 * profile with pointers of 8 bytes. */
bool raw_magic(const unsigned char *at, bool big, bool *wide);

/* Whether the file begins as raw profiles do. */
bool raw_is(struct bytes file);

#endif
