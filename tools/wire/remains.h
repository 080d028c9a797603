/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What damage leaves of frames, found in the console's text, to which the
 * scanner gives back all that is no frame. A dump may have nothing else left.
 *
 * TEXT: characters of base64 behind "~{", or from "~" to "}"; 16 and more that
 * look random behind "~", in front of "}" or of a line with "~"; 72 that do, as
 * a line has. BINARY: a begin mark, a frame's head, and behind it much that is
 * no text; also where the line has stripped the eighth bits, or a program has
 * taken bytes for characters of Latin-1 or UTF-8.
 */
#ifndef BAREPROF_TOOLS_REMAINS_H
#define BAREPROF_TOOLS_REMAINS_H

#include <stddef.h>
#include <stdint.h>

/* All 0 at first. Of use to remains.c only. */
struct remains {
  struct {
    unsigned before; /* characters of the mark in front */
    unsigned length, different, changes, kinds;
    unsigned char last; /* character */
    unsigned mark;      /* characters of a mark just read */
    unsigned line;      /* one that looks random has just ended, with a line */
  } run;
  struct {
    uint32_t value;  /* of a character of UTF-8 until now */
    uint32_t least;  /* that its form may have */
    unsigned wanted; /* bytes that it still lacks */
  } utf8;
  struct {
    unsigned at; /* characters behind the begin mark, 0: none */
    unsigned strange;
    uint32_t mark, last; /* characters */
  } frame;
};

/* Takes text as it comes. How many remains end in it. */
size_t remains_feed(struct remains *remains, const unsigned char *bytes,
                    size_t size);

/* Behind the last: 1 if the text ends with one. */
size_t remains_end(struct remains *remains);

#endif
