/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Texts from files, and names of files, may hold any bytes. All outputs take
 * them apart here, and each escapes in its form what is no character, and what
 * does not show as it is: controls, separators of lines, marks of direction.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct utf8 {
  uint32_t code;
  unsigned size; /* bytes; 1 if it is broken */
  bool broken;   /* It is no character: code is the byte. */
  bool hidden;   /* It does not show as it is. */
};

/* How many bytes from `at` on show as they are, up to room: ASCII without
 * controls, and without " and \, which some outputs escape. Most texts are
 * nothing else. */
size_t utf8_plain(const void *at, size_t room);

/* Reads a character; room: bytes from `at` on, at least 1. */
struct utf8 utf8_read(const void *at, size_t room);

/* Writes a character, of at most 4 bytes; returns how many. */
size_t utf8_put(char *to, unsigned long code);

#endif
