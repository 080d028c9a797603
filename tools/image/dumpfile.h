/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The file of a lean dump (.bpdump): counters and bitmap of an image, which
 * `bareprof join` puts together with its ELF. The format is ours:
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
 * in lines that end in LF, in this order; a piece line for each piece that is
 * there, by its number (0 records, 1 counters, 2 bitmap, 3 names, 4 vtables,
 * 5 vtable names, 6 value slots: see slots.h), with the elements that are
 * known, from and up to, not including; then the bytes of these pieces in the
 * target's byte order, one behind the other, `data` bytes in all; then 4 bytes,
 * little-endian: the CRC-32 of all before them. What is not known did not run.
 * Of a compact dump the ELF knows more: its build id is cut to 8 bytes, its
 * addresses are 0.
 */
#ifndef BAREPROF_TOOLS_DUMPFILE_H
#define BAREPROF_TOOLS_DUMPFILE_H

#include <stdio.h>

#include "snapshot.h"

/* Writes the file to a stream, whose errors are the caller's to find. */
void dumpfile_write(const struct snapshot *snapshot, FILE *stream);

/* Whether the file begins like one. */
bool dumpfile_is(struct bytes file);

/* Reads a file. NULL, or what is wrong; then there is nothing to free. */
const char *dumpfile_read(struct snapshot *snapshot, struct bytes file);

#endif
