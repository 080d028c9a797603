/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A dump while its frames come in: the received frames, and whether they belong
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
  size_t order;   /* dumps that the collector had opened before */
  bool overtaken; /* Its sender has begun another dump since its last frame. */
  bool has_header, ended;
  struct header header; /* if has_header */
  uint64_t total;       /* the sequence of the last frame; if ended */
  uint32_t sum;         /* of the checks before it; if ended by an END */
  uint64_t last;        /* the sequence of the frame that came last */
  uint64_t counts;      /* in the frames received until now */
  struct kept *frames;  /* by ascending sequence */
  size_t count;
};

/* NULL: out of memory. */
struct dump *dump_new(uint16_t number);
void dump_free(struct dump *dump);

enum dump_fit {
  DUMP_OTHER, /* the frame is of another dump */
  DUMP_HAS,   /* The dump has the frame already: the wire repeated it. */
  DUMP_FITS
};

enum dump_fit dump_fit(const struct dump *dump, const struct frame *frame);

/* Adds a frame that fits. Returns NULL or the error; after an error the frame
 * is not added. */
const char *dump_add(struct dump *dump, const struct frame *frame,
                     struct bytes bytes);

/* Whether all frames have come, from the header to the end. */
bool dump_whole(const struct dump *dump);

/* Whether the end's sum agrees with the frames of a complete dump. */
bool dump_holds(const struct dump *dump);

/* The check of the frame at place i. */
uint32_t dump_check(const struct dump *dump, size_t i);

/* The checks of a dump's frames. They identify frames that the wire repeats
 * behind the dump's end. All 0 at first; the owner frees checks. */
struct echo {
  uint32_t *checks;
  size_t count;
};

void echo_remember(struct echo *echo, const struct dump *dump);

/* Whether all frames of the dump are remembered frames. */
bool echo_has(const struct echo *echo, const struct dump *dump);

/* For a dump that lacks only its header: tries the header of another dump with
 * this dump's number. The end's sum proves a match. */
void dump_guess_header(struct dump *dump, const struct header *header);

#endif
