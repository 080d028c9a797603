/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parses the frames that the scanner has found, and their bodies: headers,
 * ends, answers. Also builds the frames that the host sends.
 * docs/reference/wire-format.md describes the format. The functions named parse
 * return NULL or the error. reassembly.h assembles dumps from the frames.
 */
#ifndef BAREPROF_TOOLS_FRAME_H
#define BAREPROF_TOOLS_FRAME_H

#include "../base/ere.h"
#include "../image/snapshot.h"
#include "wire.h"

struct dump_name;

/* The highest tag of a request. */
#define TAG_MOST INT32_MAX

struct frame {
  enum bareprof_frame_type type;
  unsigned piece; /* the number of the piece, below BAREPROF_PIECES */
  uint16_t dump;
  uint8_t sequence;
  uint32_t check;
  struct bytes body; /* the part of the frame between the 4-byte head and the
                        CRC */
};

/* Returns whether the frame's CRC is correct if the CRC starts from this seed.
 */
bool frame_crc_matches(const struct frame *frame, uint32_t seed);

/* Returns the seed for the CRCs of the COUNTS frames that follow a LEAN frame.
 * Returns 0 for another frame. */
uint32_t frame_seed(const struct frame *frame);

/* Returns whether a LEAN frame holds one bit for each coverage byte, instead of
 * coded numbers. A bit is 1 if the code ran. */
bool frame_has_coverage_bits(const struct frame *frame);

/* Parses a frame whose CRC is correct. */
const char *frame_parse(struct frame *frame, struct bytes bytes);

/* Parses the body of a HEADER or LEAN frame. The parsed sizes are multiples of
 * the element size and at most PIECE_LIMIT. */
const char *frame_parse_header(struct dump_header *header,
                               const struct frame *frame);

/* Returns whether the frame is the first one of a dump. */
static inline bool frame_begins_dump(const struct frame *frame) {
  return frame->type == BAREPROF_FRAME_HEADER ||
         frame->type == BAREPROF_FRAME_LEAN;
}

/* Parses a frame with counts. *place becomes the index in the dump of the
 * frame's first count. *coded becomes the coded numbers or the bits. */
const char *frame_parse_counts(const struct frame *frame, uint64_t *place,
                               struct bytes *coded);

/* Parses the body of an END frame. */
const char *frame_parse_end(struct bytes body, uint64_t *frames, uint32_t *sum);

/* The firmware's answer to a request. If the firmware could not send a dump
 * that nobody requested, it says so in an answer whose tag is 0. */
struct answer {
  unsigned core, image, boot;
  unsigned ordinal; /* the number of the answer, counted together with dumps;
                       see struct dump_header */
  uint32_t tag;
  unsigned command;
  int64_t error;
  struct bytes body; /* the body of the answer, inside the frame. For
                        BAREPROF_COMMAND_NAME, the body is the name of the next
                        dump */
};

/* Parses an ANSWER or REFUSED frame. */
const char *frame_parse_answer(struct answer *answer,
                               const struct frame *frame);

/* Builds a header frame as the target would send it in dump number `dump`.
 * Returns the size of the frame. */
enum { HEADER_FRAME = 256 };
size_t frame_build_header(unsigned char frame[HEADER_FRAME],
                          const struct dump_header *header, uint16_t dump);

struct request {
  uint32_t tag;  /* the tag of the request; never 0 */
  uint16_t boot; /* if the request has holes, the number of the boot that should
                    answer; otherwise a new number for a boot without a number,
                    or 0 */
  uint8_t command, options;
  /* the image and core that should answer; NULL: every image should answer */
  const struct dump_header *to;
  const struct snapshot_gap
      *holes;          /* the ranges to send; bitmap bytes are numbered
                               after the counters */
  unsigned hole_count; /* the number of holes, at most
                               BAREPROF_WIRE_RANGES */
};

/* Builds the TEXT line that sends the request. Returns the length of the line.
 */
enum { REQUEST_LINE = 80 };
size_t frame_build_request(char line[REQUEST_LINE],
                           const struct request *request);

/* ---- decode.c ----
 *
 * Decodes the bodies of data frames into elements. runtime/wire_frame.c is the
 * encoder. */

struct decoded_range {
  unsigned piece;
  uint32_t first; /* the index of the first element */
  uint32_t count; /* the number of elements; 0: none */
};

/* A frame holds elements of one piece, or counters and the bitmap after them.
 */
enum { DECODED_PIECES = 2 };

/* Decodes a LEAN, COUNTS or DATA frame of a dump with this header. Writes the
 * elements to their places in the pieces, in the target's byte order. to[]
 * points to the pieces, each of header->pieces[].size bytes. The pointer is
 * NULL if the dump lacks the piece. Returns NULL or the error. After an error
 * some elements may have been written, but never outside the pieces. */
const char *decode_frame(const struct frame *frame,
                         const struct dump_header *header,
                         unsigned char *const to[BAREPROF_PIECES],
                         struct decoded_range elements[DECODED_PIECES]);

/* Adds the elements of a LEAN, COUNTS or DATA frame to a snapshot. Returns NULL
 * or the error. Call snapshot_sort_and_join_ranges after the last frame. */
const char *decode_to_snapshot(struct snapshot *snapshot,
                               const struct frame *frame);

/* Returns the number of counts in the coded bytes of a frame, or 0 if the bytes
 * are damaged. */
uint32_t decode_number_of_counts(const struct frame *frame, struct bytes coded);

/* ---- dump_names.c ----
 *
 * Finds the names of the dumps in a log. A name comes in a frame
 * (bareprof_send_name), or in a line of text that matches a pattern, and
 * belongs to the next dump. A name in a frame is for the core and image that
 * sent the frame, a name in a line for every core and image.
 */

/* The limits for the names in a log. Further names are ignored. */
enum { NAMING_MOST = 1 << 16, NAMING_LINE = 1024, NAMING_SENDERS = 256 };

/* The names found in a log. Initialise as {.pattern = P}; P may be NULL. */
struct dump_names {
  const struct ere *pattern; /* the pattern; a name is the text that its first
                                group matches, or the whole match if the pattern
                                lacks a group */
  /* The other members are only for dump_names.c. */
  struct dump_name *list;
  size_t count;
  char line[NAMING_LINE]; /* the line of text that is not finished yet */
  size_t used;
  struct {
    size_t opened; /* the number of the sender's last dump */
    bool any;
  } senders[NAMING_SENDERS];
  bool no_memory;
};

/* Reads console text. `begun` is the number of dumps that have begun before
 * this text. */
void dump_names_add_text(struct dump_names *names, struct bytes text,
                         size_t begun);

/* Keeps the name in an answer. `begun` is the number of dumps that have begun
 * before the answer. */
void dump_names_add_answer(struct dump_names *names,
                           const struct answer *answer, size_t begun);

/* Returns the name of a dump, or NULL. Call this function once for each dump,
 * in order. The name is valid until dump_names_free. If a frame has named
 * another dump since the previous dump, that other dump is lost, and *skipped
 * becomes true. */
const char *dump_names_find_and_use(struct dump_names *names,
                                    const struct snapshot *dump, bool *skipped);

/* Returns name i if the name came in a frame and no dump has used it, otherwise
 * NULL. */
const char *dump_names_get_unused(const struct dump_names *names, size_t i);

void dump_names_free(struct dump_names *names);

#endif
