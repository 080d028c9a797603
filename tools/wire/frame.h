/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The content of frames that the scanner has found: head, header, end, answer.
 * Also frames that the host makes itself. docs/wire-format.md describes the
 * format. Functions that read return NULL or the error.
 */
#ifndef BAREPROF_TOOLS_FRAME_H
#define BAREPROF_TOOLS_FRAME_H

#include "../base/ere.h"
#include "../image/snapshot.h"
#include "wire.h"

struct naming_one;

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
  struct bytes body; /* in the frame's memory; of BAREPROF_COMMAND_NAME the
                        next dump's name */
};

/* Reads an ANSWER or REFUSED frame. */
const char *answer_read(struct answer *answer, const struct frame *frame);

/* Makes a header's frame, as the target would send it in dump number `dump`.
 * Returns the size. */
enum { HEADER_FRAME = 256 };
size_t header_frame(unsigned char frame[HEADER_FRAME],
                    const struct header *header, uint16_t dump);

struct request {
  uint32_t tag;  /* not 0 */
  uint16_t name; /* for a start that has no number; with holes, of the start
                    that is asked; 0: none */
  uint8_t command, options;
  const struct header *to;  /* NULL: to every image */
  const struct hole *holes; /* bytes of the bitmap as counts: behind counters */
  unsigned hole_count;      /* at most BAREPROF_WIRE_RANGES */
};

/* Makes the line of TEXT that sends the request. Returns the length. */
enum { REQUEST_LINE = 80 };
size_t request_line(char line[REQUEST_LINE], const struct request *request);

/* ---- decode.c ----
 *
 * Decodes the payload of data frames into elements; runtime/wire_frame.c is the
 * encoder.
 */

struct elements {
  unsigned piece;
  uint32_t first; /* index of the first element */
  uint32_t count; /* 0: none */
};

/* A frame has elements of one piece, or counters and bytes of the bitmap. */
enum { DECODED_PIECES = 2 };

/* Decodes a LEAN, COUNTS or DATA frame of a dump with that header. Writes the
 * elements in the target's byte order to their places in the pieces. to[]
 * points to the pieces, each with header->pieces[].size bytes; NULL: the dump
 * does not have the piece. Returns NULL or the error. After an error some
 * elements may have been written, inside the pieces. */
const char *decode(const struct frame *frame, const struct header *header,
                   unsigned char *const to[BAREPROF_PIECES],
                   struct elements elements[DECODED_PIECES]);

/* Adds the elements of a LEAN, COUNTS or DATA frame to a snapshot. Returns NULL
 * or the error. Settle the snapshot after the last frame. */
const char *decode_into(struct snapshot *snapshot, const struct frame *frame);

/* Returns how many counts are coded in a frame, whose coded bytes counts_read
 * has found; 0: these are damaged. */
uint32_t decode_count(const struct frame *frame, struct bytes coded);

/* ---- naming.c ----
 *
 * The names of the dumps in a log. A name comes in a frame
 * (bareprof_send_name), or in a line of text that a pattern matches. It is the
 * name of the next dump: of the core and image that sent the frame, or, for a
 * line, of each core and image.
 */

/* A log has at most this many names; further ones are passed over. */
enum { NAMING_MOST = 1 << 16, NAMING_LINE = 1024, NAMING_SENDERS = 256 };

/* Begins as {.pattern = P}, P may be NULL. */
struct naming {
  const struct ere *pattern; /* its first group is the name, or all of it is */
  /* Only for naming.c. */
  struct naming_one *list;
  size_t count;
  char line[NAMING_LINE]; /* of text, as far as it has come */
  size_t used;
  struct {
    size_t opened; /* of the sender's last dump */
    bool any;
  } senders[NAMING_SENDERS];
  bool no_memory;
};

/* Takes console text. begun: how many dumps have begun before it. */
void naming_text(struct naming *naming, struct bytes text, size_t begun);

/* Takes the answer that is a name. */
void naming_answer(struct naming *naming, const struct answer *answer,
                   size_t begun);

/* Returns the name of a dump, or NULL. Ask once for each dump, in their order.
 * Valid until naming_free. skipped: there is another name from a frame since
 * the dump before, so that its dump is lost. */
const char *naming_of(struct naming *naming, const struct snapshot *dump,
                      bool *skipped);

/* Returns name number i if it came in a frame and is of no dump, else NULL. */
const char *naming_unused(const struct naming *naming, size_t i);

void naming_free(struct naming *naming);

#endif
