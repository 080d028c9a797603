/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counts of a raw profile (.profraw), of this runtime or another, as a lean
 * dump. The dump has no records and names, because the ELF has them.
 */
#ifndef BAREPROF_TOOLS_RAWFILE_H
#define BAREPROF_TOOLS_RAWFILE_H

#include "../../image/snapshot.h"
#include "../../profile/raw.h" /* raw_is: whether a file is one */

/* Reads the complete file. The pieces have no addresses, because the file does
 * not hold them. Returns NULL or the error; after an error there is nothing to
 * free. */
const char *rawfile_read(struct snapshot *snapshot, struct bytes file);

#endif
