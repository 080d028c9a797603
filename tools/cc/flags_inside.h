/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of flags share. Only they include this.
 */
#ifndef CC_FLAGS_INSIDE_H
#define CC_FLAGS_INSIDE_H

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/map.h"
#include "cfg.h"
#include "differences.h"
#include "flags.h"

enum { FLAGS_MOST = 1 << 30 };

extern const char flags_unknown[];

/* A call: what is before the number of counters, and its last number. */
struct call {
  struct text before, function; /* the name of its name: @__profn_f */
  uint64_t counters, index;
  struct text rest;
};

struct reader {
  struct flags *flags;
  FILE *out;
  const char *end;
  struct map known; /* functions, by the MD5 of @__profn_f */
  struct differences list;
  struct buffer lines; /* struct text: the function's body */
  struct text block;   /* that its last line is in; empty: the first */
  struct buffer steps; /* struct step: of this body */
  unsigned raw;
};

/* An increment by a value, 0 or 1: a choice without a jump. It becomes one with
 * jumps, so that the block goes on under another name. */
struct step {
  struct text block;
  char *lines;
  size_t number;
};

struct flag_place {
  size_t line; /* before it; SIZE_MAX: an edge */
  size_t edge;
  struct call call;
};

struct body {
  struct reader *reader;
  struct cfg cfg;
  struct buffer places;
  size_t splits;
};

/* Moves behind a word. */
bool flags_skip_to(struct text *text, const char *word);
bool flags_read_call(struct text line, struct call *call);
struct differences_of *flags_function_of(const struct reader *reader,
                                         const struct call *call);

/* Finds the places of all flags for differences. Returns NULL or the error. */
const char *flags_place(struct body *body);

#endif
