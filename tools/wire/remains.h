/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds remains of damaged frames in the console's text. The scanner returns
 * every byte outside frames to that text. Remains may be all that is left of a
 * dump.
 *
 * TEXT: characters of base64 behind "~{", or from "~" to "}"; 16 and more
 * random-looking ones behind "~", in front of "}" or of a line with "~"; 72
 * random-looking ones, the length of a line. BINARY: a begin mark, a frame's
 * head, and behind it many bytes that are not text. This also works if the line
 * has stripped the eighth bits, or a program has read the bytes as Latin-1 or
 * UTF-8.
 */
#ifndef BAREPROF_TOOLS_REMAINS_H
#define BAREPROF_TOOLS_REMAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All 0 at first. Only for remains.c. */
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
    bool colour; /* within the sequence of a terminal */
    bool flow;   /* XON or XOFF may stand in front of the sequence */
    unsigned strange;
    uint32_t mark, last; /* characters */
  } frame;
};

/* Takes the next text. Returns whether remains end in this text. */
bool remains_feed(struct remains *remains, const unsigned char *bytes,
                  size_t size);

/* Call behind the last text. Returns whether the text ends with remains. */
bool remains_end(struct remains *remains);

#endif
