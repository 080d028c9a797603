/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A dump while its frames come in: which have come, and whether they belong
 * together.
 */
#ifndef BAREPROF_TOOLS_DUMPS_H
#define BAREPROF_TOOLS_DUMPS_H

#include "frame.h"

struct kept {
  uint64_t sequence; /* in the dump, not modulo 256 */
  uint32_t counts;   /* counters and bytes of bitmap in it */
  struct bytes bytes;
};

struct dump {
  uint16_t number;
  size_t order;   /* how many the collector had opened before it */
  bool overtaken; /* its sender has begun another one since its last frame */
  bool has_header, ended;
  struct header header; /* if has_header */
  uint64_t total;       /* the sequence of the last frame; if ended */
  uint32_t sum;         /* of the checks before it; if ended by an END */
  uint64_t last;        /* the sequence of the frame that came last */
  uint64_t counts;      /* in the frames until now */
  struct kept *frames;  /* by ascending sequence */
  size_t count;
};

/* NULL: out of memory. */
struct dump *dump_new(uint16_t number);
void dump_free(struct dump *dump);

enum dump_fit {
  DUMP_OTHER, /* the frame is of another dump */
  DUMP_HAS,   /* the dump has it already: it was repeated on the wire */
  DUMP_FITS
};

enum dump_fit dump_fit(const struct dump *dump, const struct frame *frame);

/* Adds a frame that fits. NULL, or what is wrong; then it is not added. */
const char *dump_add(struct dump *dump, const struct frame *frame,
                     struct bytes bytes);

/* Whether all frames have come, from the header to the end. */
bool dump_whole(const struct dump *dump);

/* Whether the end's sum agrees with the frames of a dump that is whole. */
bool dump_holds(const struct dump *dump);

/* The checks of a dump's frames: frames that are repeated on the wire behind
 * its end are known by them. All 0 at first; the owner frees checks. */
struct echo {
  uint32_t *checks;
  size_t count;
};

void echo_remember(struct echo *echo, const struct dump *dump);

/* Whether all frames of the dump are those remembered. */
bool echo_has(const struct echo *echo, const struct dump *dump);

/* Of a dump that lacks nothing but its header: tries whether it was that of
 * another dump but for the number, which the end's sum proves. */
void dump_guess_header(struct dump *dump, const struct header *header);

#endif
