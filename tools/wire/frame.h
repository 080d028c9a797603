/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What frames say, once the scanner has found them: head, header, end,
 * answer. The format is described in
 * docs/wire-format.md. Functions return NULL, or what is wrong.
 */
#ifndef BAREPROF_TOOLS_FRAME_H
#define BAREPROF_TOOLS_FRAME_H

#include "../base/bytes.h"
#include "wire.h"

/* No piece of firmware's profile is larger; what says so is not believed. */
#define PIECE_LIMIT (UINT64_C(1) << 24)

/* The most that a request's tag can be. */
#define TAG_MOST INT32_MAX

/* A value slot, of whatever target: four numbers of 64 bits, see slots.h. */
enum { SLOT_BYTES = 32 };

struct frame {
  enum bareprof_frame_type type;
  unsigned piece; /* below BAREPROF_PIECES */
  uint16_t dump;
  uint8_t sequence;
  uint32_t check;
  struct bytes body;
};

/* Takes a frame apart, whose check is right. */
const char *frame_read(struct frame *frame, struct bytes bytes);

/* Whether a piece changes as code runs; the others are in the ELF, too. */
static inline bool piece_changes(unsigned piece) {
  return piece == BAREPROF_PIECE_COUNTERS || piece == BAREPROF_PIECE_BITMAP ||
         piece == BAREPROF_PIECE_SLOTS;
}

struct piece {
  uint64_t size; /* bytes; 0: the image has none */
  uint64_t address;
  bool left_out; /* of this dump */
};

struct header {
  bool big_endian, wide, lean;
  bool part; /* only what request `tag` named */
  /* Of a compact dump: version has its byte mode alone, wide and addresses are
   * not known, the build id is cut to 8 bytes. */
  bool cut;
  unsigned kind, core, image, boot;
  uint32_t tag;
  uint64_t version;
  unsigned char build_id[64];
  size_t build_id_size;
  struct piece pieces[BAREPROF_PIECES];
};

static inline struct bytes header_id(const struct header *header) {
  return (struct bytes){header->build_id, header->build_id_size};
}

/* Reads the body of a HEADER frame, or of a LEAN one. Sizes are whole numbers
 * of elements, and no larger than PIECE_LIMIT. */
const char *header_read(struct header *header, const struct frame *frame);

/* Whether a dump begins with the frame. */
static inline bool frame_begins(const struct frame *frame) {
  return frame->type == BAREPROF_FRAME_HEADER ||
         frame->type == BAREPROF_FRAME_LEAN;
}

/* Elements of a piece; those of counters and bitmap, as one row. */
uint32_t header_elements(const struct header *header, unsigned piece);
uint32_t header_counts(const struct header *header);

/* Of a frame whose numbers are counts: the place of the first in that row, and
 * the coded numbers. */
const char *counts_read(const struct frame *frame, uint64_t *place,
                        struct bytes *coded);

/* Whether two dumps are of the same image, start and layout, so that pieces of
 * one can stand for those of the other. Lean or not does not matter. */
bool header_same(const struct header *a, const struct header *b);

/* Bytes of an element of a piece: 1, 4, 8, SLOT_BYTES, of samples an entry. */
unsigned header_element(const struct header *header, unsigned piece);

/* A header of samples: words of an entry, and whether the last is a count.
 * Their counters. */
unsigned samples_words(const struct header *header);
bool samples_folded(const struct header *header);
enum { SAMPLES_PERIOD, SAMPLES_LOST, SAMPLES_TAKEN, SAMPLES_NUMBERS };
enum { SAMPLES_CHAIN_MOST = 64 };

/* Reads an end's body. */
const char *end_read(struct bytes body, uint64_t *frames, uint32_t *sum);

/* What became of a request; of a dump that nobody asked for and that was
 * refused, tag is 0. */
struct answer {
  unsigned core, image, boot;
  uint32_t tag;
  unsigned command;
  int64_t error;
};

/* Reads an ANSWER or REFUSED frame. */
const char *answer_read(struct answer *answer, const struct frame *frame);

/* Elements of a piece, from first on. */
struct hole {
  unsigned piece;
  uint32_t first, count;
};

#endif
