/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * tools/base/inflate and zlib on the same bytes, for the test and for the
 * fuzz target.
 */
#ifndef VERSUS_H
#define VERSUS_H

#include <stdbool.h>
#include <stddef.h>

/* The most that either unpacks. */
#define VERSUS_ROOM (1 << 17)

/* Whether both unpack the same into room bytes, or both refuse, and ours
 * stays within the room. *good: they unpack. */
bool versus_zlib(const unsigned char *packed, size_t size, size_t room,
                 bool *good);

/* Most damage shows in the checksum if in nothing else: this makes it right
 * where zlib can unpack what is before it, and returns the size up to its
 * end. packed has room for 4 bytes behind size. */
size_t versus_mend(unsigned char *packed, size_t size);

#endif
