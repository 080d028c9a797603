/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counts of a raw profile (.profraw), of this runtime or another, as a
 * lean dump: without records and names, which the ELF has.
 */
#ifndef BAREPROF_TOOLS_RAWFILE_H
#define BAREPROF_TOOLS_RAWFILE_H

#include "../image/snapshot.h"
#include "../profile/raw.h" /* raw_is: whether a file is one */

/* Reads the file, all of it whole. Its pieces have no addresses: it does not
 * tell them. NULL, or what is wrong; then there is nothing to free. */
const char *rawfile_read(struct snapshot *snapshot, struct bytes file);

#endif
