/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Indexed profiles (.profdata), as llvm-profdata merge writes them: versions
 * 1 to 13.
 */
#ifndef BAREPROF_TOOLS_INDEXED_READ_H
#define BAREPROF_TOOLS_INDEXED_READ_H

#include "model.h"

enum { INDEXED_VERSION_LAST = 13 };

/* Whether the file begins like an indexed profile. */
bool indexed_is(struct bytes file);

/* Adds the file's content; counts are multiplied by weight, 1 or more. events
 * may be NULL. Returns NULL or the error. After an error nothing was added,
 * unless memory ran out midway, or profile->lost_on_error is set. */
const char *indexed_read(struct profile *profile, struct bytes file,
                         uint64_t weight, const struct read_events *events);

#endif
