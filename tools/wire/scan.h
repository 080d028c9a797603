/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds frames in console output. Frames in TEXT and BINARY encoding may be
 * mixed, and may be anywhere between and within lines of other output.
 * docs/reference/wire-format.md describes the format. frame.h parses the frames
 * that were found, and reassembly.h assembles them.
 *
 * The check decides whether bytes are a frame: a 32-bit CRC over at least 8
 * bytes, which may start from a seed (scan_add_seed). Bytes that only look like
 * a frame are returned as text. Foreign bytes between and in the lines of a
 * frame are returned as text too, before the frame. These bytes also belong to
 * a TEXT frame:
 * - The LF after it, and CRs and blanks before a LF. In a frame without LF, CR
 *   ends a line.
 * - Line breaks inside a line, which a terminal adds at its right margin.
 * - A log prefix before its second and later lines, if the shape of the text
 *   before the first line begins or ends with the prefix's shape. The shape
 *   omits colours and replaces each run of digits, with the blanks that pad it,
 *   by one #.
 * - The same prefix before its first line, if earlier frames had it before
 *   later lines, or if nothing else has come since the last frame and that
 *   frame had it too. Otherwise the prefix is text, so the first one is.
 * - Colours (ESC [ ... letter) at the ends of its lines; after the last line
 *   only if the colours before the first line belong to the frame.
 *
 * If the check fails, or a line does not have 72 characters, the scanner
 * assumes that an interrupt has spliced in whole lines: text up to a LF,
 * starting anywhere. The scanner tries at most 256 ways to remove these lines.
 * A frame found this way, or a frame without its end mark, is marked as
 * repaired (mended): accept such a frame only if it fits other frames. Two
 * interleaved frames, or a frame with a ~{ or 0xFA spliced in, cannot be
 * repaired, because those bytes begin another frame.
 *
 * A frame has less than 16,384 bytes, including its encoding and foreign bytes.
 * Only the tiny senders make frames of more than 500 bytes.
 */
#ifndef BAREPROF_TOOLS_SCAN_H
#define BAREPROF_TOOLS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scan_events {
  void *context;
  /* Receives console text: all bytes outside frames, unchanged and in order.
   * The bytes are valid during the call. */
  void (*text)(void *context, const unsigned char *bytes, size_t size);
  /* Receives a frame without its encoding, but with its CRC, which is correct.
   * size is at least 8. The bytes are valid during the call. */
  void (*frame)(void *context, const unsigned char *bytes, size_t size,
                bool mended);
};

struct frame_scanner;

/* Returns a new scanner, or NULL if memory runs out. A scanner takes a few
 * times the memory of the longest frame. `events` must live as long as the
 * scanner. */
struct frame_scanner *scan_new(const struct scan_events *events);

/* Scans the next bytes. The scanner may hold text back until it is certain that
 * no frame begins in the text and that the text is not a frame's log prefix. */
void scan_feed(struct frame_scanner *scan, const unsigned char *bytes,
               size_t size);

/* Announces a seed: the CRCs of later COUNTS frames of this dump may start from
 * the seed. */
void scan_add_seed(struct frame_scanner *scan, uint16_t dump, uint32_t seed);

/* Passes on text that was held back only as a possible log prefix, such as a
 * shell's prompt. Call it when no byte has come for a moment (0.1 s). Keeps
 * bytes that may be inside a frame until the tenth call in a row, which acts as
 * the end of input. */
void scan_note_idle(struct frame_scanner *scan);

/* Passes on the remaining text, and frees the scanner. Call it at the end of
 * input. */
void scan_end_and_free(struct frame_scanner *scan);

/* Returns how many candidates so far looked like complete frames but failed the
 * check. A candidate that may still be repaired counts, too. */
size_t scan_count_damaged_frames(const struct frame_scanner *scan);

#endif
