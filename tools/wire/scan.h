/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds frames in console output: TEXT and BINARY encoding, mixed, at any
 * place, between and within lines of other output. The format is described in
 * docs/wire-format.md.
 *
 * The check decides what a frame is: a CRC of 32 bits over at least 8 bytes,
 * which may begin with a seed (scan_seed).
 * Bytes that only look like a frame go back into the text. Foreign bytes
 * between and in the lines of a frame go back too, in front of the frame. These
 * bytes also belong to a TEXT frame: - The LF behind it, and CRs before a LF. -
 * New lines within a line, as a terminal makes at its right margin. - A log
 * prefix in front of its further lines: what is there has the shape
 *   of the end of what is in front of its first line. Shape: the colours
 *   left out, each run of digits with the blanks that pad it as one #.
 * - The same in front of its first line, if the frames before had it in
 *   front of further lines, or if it is all that came since the last frame
 *   and that one had it, too. Else it is text: so the first one is.
 * - Colours (ESC [ ... letter) at the ends of its lines; behind the last
 *   one, if those in front of the first are the frame's.
 *
 * Where the check fails, or the lines do not have their 72 characters, the
 * scanner looks for whole lines that were spliced in, by an interrupt: text up
 * to a LF, from anywhere on. The scanner tries at most 256 ways. A frame found
 * this way, or a frame without its end mark, is marked as repaired (mended):
 * accept the frame only if it fits other frames. The scanner cannot repair two
 * interleaved frames, or a frame with a ~{ or 0xFA spliced in: those bytes
 * begin another frame.
 *
 * A frame has less than 4096 bytes, including its encoding and foreign bytes.
 */
#ifndef BAREPROF_TOOLS_SCAN_H
#define BAREPROF_TOOLS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scan_events {
  void *context;
  /* Console text: all bytes that belong to no frame, unchanged and in order.
   * Valid during the call. */
  void (*text)(void *context, const unsigned char *bytes, size_t size);
  /* A frame without encoding, including its check, which is correct. size is at
   * least 8. Valid during the call. */
  void (*frame)(void *context, const unsigned char *bytes, size_t size,
                bool mended);
};

struct scan;

/* The scanner's memory is bounded: a few times the longest frame. NULL: out
 * of memory. events must live as long as the scanner. */
struct scan *scan_new(const struct scan_events *events);

/* Takes the next bytes. The scanner may hold back text until it is clear that
 * no frame begins there, and that the text is no log prefix of a frame. */
void scan_feed(struct scan *scan, const unsigned char *bytes, size_t size);

/* The checks of the COUNTS frames of a dump that follow may begin with a
 * seed. */
void scan_seed(struct scan *scan, uint16_t dump, uint32_t seed);

/* Nothing has come for a moment (0.1 s): gives out held-back text that may only
 * be a prefix (a shell's prompt). Keeps bytes that may be inside a frame until
 * the tenth call in a row, which acts as the end of input. */
void scan_idle(struct scan *scan);

/* Call at the end of input. Gives out the remaining text, and frees the
 * scanner. */
void scan_end(struct scan *scan);

/* Returns how many candidates until now looked like frames up to their end and
 * failed the check. Includes a candidate that may still be repaired. */
size_t scan_damaged(const struct scan *scan);

#endif
