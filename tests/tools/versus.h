/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compares tools/object/inflate.c with zlib on the same bytes, for the test and
 * for the fuzz target.
 */
#ifndef VERSUS_H
#define VERSUS_H

#include <stdbool.h>
#include <stddef.h>

/* The limit for the unpacked size. */
#define VERSUS_ROOM (1 << 17)

/* Returns whether both unpack the same bytes, or both refuse, and ours writes
 * at most `room` bytes. *good becomes true if zlib unpacks them. */
bool versus_zlib(const unsigned char *packed, size_t size, size_t room,
                 bool *good);

/* Corrects the checksum at the end, if zlib can unpack the bytes before it.
 * Without this, nearly all damaged inputs would only fail at the checksum.
 * Returns the size including the checksum. `packed` must have room for 4 more
 * bytes. */
size_t versus_mend(unsigned char *packed, size_t size);

#endif
