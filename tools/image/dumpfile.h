/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The file of a lean dump (.bpdump): counters and bitmap of an image. `bareprof
 * join` combines the file with its ELF. The format is bareprof's own:
 *
 *   bareprof dump 2
 *   kind 0                        as in a link header
 *   core 0
 *   image 0
 *   boot 0
 *   order little                  or big
 *   counter 8                     or 1: bytes
 *   pointer 4                     or 8, or - of a compact dump
 *   version 0x000000000000000a    the version word, or - with pointer -
 *   build-id 0123456789abcdef     hex, or -
 *   instant one                   or several
 *   piece 1 address 0x20000000 size 1576 known 0-100 120-197
 *   data 1600
 *
 * The lines end in LF and come in this order. There is a piece line for each
 * present piece, by its number (0 records, 1 counters, 2 bitmap, 3 names, 4
 * vtables, 5 vtable names, 6 value slots: see slots.h), with the ranges of
 * known elements (begin, end; the end is excluded). Then come the bytes of
 * these pieces in the target's byte order, one piece behind the other, `data`
 * bytes in total. Then come 4 bytes, little-endian: the CRC-32 of all bytes
 * before. Unknown elements did not run. A compact dump has its build id cut to
 * 8 bytes and its addresses 0, because the ELF has them.
 */
#ifndef BAREPROF_TOOLS_DUMPFILE_H
#define BAREPROF_TOOLS_DUMPFILE_H

#include <stdio.h>

#include "snapshot.h"

/* Writes the file to a stream. The caller checks the stream for errors. */
void dumpfile_write(const struct snapshot *snapshot, FILE *stream);

/* Whether the file begins like a dump file. */
bool dumpfile_is(struct bytes file);

/* Reads a file. Returns NULL or the error; after an error there is nothing to
 * free. */
const char *dumpfile_read(struct snapshot *snapshot, struct bytes file);

#endif
