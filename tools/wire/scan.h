/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds frames in what a console has sent: TEXT and BINARY encoding, mixed, at
 * any place, between and within lines of other output. The format is
 * described in docs/wire-format.md.
 *
 * What a frame is, its check decides: 32 bits of CRC, which 8 bytes and more
 * must have. What looks like one and is none goes back into the text. So does
 * all that comes between and in the lines of a frame and is not part of it,
 * in front of the frame. What belongs to a TEXT frame besides its own:
 * - The LF behind it, and CRs before a LF.
 * - New lines within a line, as a terminal makes at its right margin.
 * - A log prefix in front of its further lines: what is there has the shape
 *   of the end of what is in front of its first line. Shape: the colours
 *   left out, each run of digits with the blanks that pad it as one #.
 * - The same in front of its first line, if the frames before had it in
 *   front of further lines, or if it is all that came since the last frame
 *   and that one had it, too. Else it is text: so the first one is.
 * - Colours (ESC [ ... letter) at the ends of its lines; behind the last
 *   one, if those in front of the first are the frame's.
 *
 * Where the check fails, or the lines do not have their 72 characters, the
 * scanner looks for whole lines that were spliced in, by an interrupt: text
 * up to a LF, from anywhere on. It tries at most 256 ways. A frame found so
 * is marked as mended, and one that has lost its end mark: take it only if
 * it fits to others. It cannot mend frames of which two are interleaved, nor
 * those with a ~{ or 0xFA spliced in: these begin another frame.
 *
 * A frame with its encoding and what is in it has less than 4096 bytes.
 */
#ifndef BAREPROF_TOOLS_SCAN_H
#define BAREPROF_TOOLS_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct scan_events {
  void *context;
  /* Console text, untouched: all bytes that belong to no frame, in order.
   * Valid during the call. */
  void (*text)(void *context, const unsigned char *bytes, size_t size);
  /* A frame without encoding, its check included and found right; size is at
   * least 8. Valid during the call. */
  void (*frame)(void *context, const unsigned char *bytes, size_t size,
                bool mended);
};

struct scan;

/* The scanner's memory is bounded: a few times the longest frame. NULL: out
 * of memory. events must live as long as the scanner. */
struct scan *scan_new(const struct scan_events *events);

/* Takes the next bytes. Text may be held back until it is clear that no
 * frame begins in it, or that it is no log prefix of one. */
void scan_feed(struct scan *scan, const unsigned char *bytes, size_t size);

/* Nothing has come for a moment (0.1 s): text held back that may only be a
 * prefix (a shell's prompt) is given out. What may be the inside of a frame is
 * kept until the tenth call in a row: then it is as if the end had come. */
void scan_idle(struct scan *scan);

/* Nothing will come any more: gives out what is left; frees the scanner. */
void scan_end(struct scan *scan);

/* Candidates that looked like frames to the end and failed their check: how
 * many until now, with one that may still be mended. */
size_t scan_damaged(const struct scan *scan);

#endif
