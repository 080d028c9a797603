/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The beginning of a raw profile, for all who read one.
 */
#ifndef BAREPROF_TOOLS_RAW_HEADER_H
#define BAREPROF_TOOLS_RAW_HEADER_H

#include "../base/bytes.h"
#include "layout.h"

/* Whether there is a magic in the 8 bytes, in that byte order; *wide: of a
 * profile with pointers of 8 bytes. */
bool raw_magic(const unsigned char *at, bool big, bool *wide);

/* Whether the file begins as raw profiles do. */
bool raw_is(struct bytes file);

/* Reads the fields behind the version word that a header of this layout has,
 * from *at on, and moves *at behind them; the others stay. false: the file
 * ends before. */
bool raw_fields(struct bytes file, bool big,
                const struct bareprof_layout *layout, size_t *at,
                uint64_t fields[BAREPROF_FIELDS]);

#endif
