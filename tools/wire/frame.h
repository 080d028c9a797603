/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The content of frames that the scanner has found: head, header, end, answer.
 * Also frames that the host makes itself. docs/wire-format.md describes the
 * format. Functions that read return NULL or the error.
 */
#ifndef BAREPROF_TOOLS_FRAME_H
#define BAREPROF_TOOLS_FRAME_H

#include "../image/snapshot.h"
#include "wire.h"

/* The highest tag of a request. */
#define TAG_MOST INT32_MAX

struct frame {
  enum bareprof_frame_type type;
  unsigned piece; /* below BAREPROF_PIECES */
  uint16_t dump;
  uint8_t sequence;
  uint32_t check;
  struct bytes body; /* in the frame, between 4 bytes and the check */
};

/* Whether the frame's check is right, if it begins with that seed. */
bool frame_holds(const struct frame *frame, uint32_t seed);

/* What the checks of the frames behind a LEAN frame begin with; 0 behind any
 * other frame. */
uint32_t frame_seed(const struct frame *frame);

/* Whether a LEAN frame has no numbers: a bit for each flag, 1: code ran. */
bool frame_has_bits(const struct frame *frame);

/* Parses a frame with a correct check. */
const char *frame_read(struct frame *frame, struct bytes bytes);

/* Reads the body of a HEADER frame, or of a LEAN one. Sizes are multiples of
 * the element size, at most PIECE_LIMIT. */
const char *header_read(struct header *header, const struct frame *frame);

/* Whether a dump begins with the frame. */
static inline bool frame_begins(const struct frame *frame) {
  return frame->type == BAREPROF_FRAME_HEADER ||
         frame->type == BAREPROF_FRAME_LEAN;
}

/* Reads a frame of counts: the index of the first count in the row, and the
 * coded numbers or the bits. */
const char *counts_read(const struct frame *frame, uint64_t *place,
                        struct bytes *coded);

/* Reads an end's body. */
const char *end_read(struct bytes body, uint64_t *frames, uint32_t *sum);

/* The result of a request. If the firmware refused a dump that nobody
 * requested, tag is 0. */
struct answer {
  unsigned core, image, boot;
  unsigned ordinal; /* as that of a header */
  uint32_t tag;
  unsigned command;
  int64_t error;
  struct bytes name; /* of BAREPROF_COMMAND_NAME: the next dump's, in the
                        frame's memory */
};

/* Reads an ANSWER or REFUSED frame. */
const char *answer_read(struct answer *answer, const struct frame *frame);

/* Makes a header's frame, as the target would send it in dump number `dump`.
 * Returns the size. */
enum { HEADER_FRAME = 256 };
size_t header_frame(unsigned char frame[HEADER_FRAME],
                    const struct header *header, uint16_t dump);

struct wish {
  uint32_t tag;  /* not 0 */
  uint16_t name; /* for a start that has no number; with holes, of the start
                    that is asked; 0: none */
  uint8_t command, options;
  const struct header *to;  /* NULL: to every image */
  const struct hole *holes; /* bytes of the bitmap as counts: behind counters */
  unsigned hole_count;      /* at most BAREPROF_WIRE_RANGES */
};

/* Makes the line of TEXT that sends the wish. Returns the length. */
enum { WISH_LINE = 80 };
size_t wish_line(char line[WISH_LINE], const struct wish *wish);

#endif
