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
#include "../base/ways.h"
#include "cfg.h"
#include "differences.h"
#include "flags.h"
#include "intrinsic.h"
#include "quiet.h"

enum { FLAGS_MOST = 1 << 30 };

static const char flags_unknown[] =
    "its counters are in a form that is not known; compile with clang 14 to "
    "22, or without --counters=flags";

struct reader {
  struct flags *flags;
  FILE *out;
  const char *end;
  bool keeps;       /* flags that follow from others, too */
  struct quiet quiet;
  struct map known; /* functions, by the MD5 of @__profn_f */
  struct differences list;
  struct buffer lines; /* struct text: the function's body */
  struct text block;   /* that its last line is in; empty: the first */
  struct buffer steps; /* struct step: of this body */
  size_t bodies;       /* that have begun */
  long group;          /* of attributes, of the last one: as of a function */
  struct map copied;   /* groups of functions that others may have a copy of */
  unsigned raw;
  bool declared; /* the intrinsic: its bitcode has flags already */
};

/* An increment by a value, 0 or 1: a choice without a jump. It becomes one with
 * jumps, so that the block goes on under another name. */
struct step {
  struct text block;
  char *lines;
  size_t number;
};

/* Where a flag may be stored. */
struct flag_place {
  size_t line; /* before it; SIZE_MAX: on an edge */
  size_t edge;
  bool own; /* the line is clang's increment */
  struct call call;
  struct differences_of *function;
  size_t from, last; /* of the body's list, if the place's flag is dropped: the
                        places that it follows from */
  bool dropped;
  uint64_t number; /* of its flag; FLAG_NONE: no region needs it */
};
#define FLAG_NONE UINT64_MAX

/* A counter of the mapping counts at a place. */
struct flag_use {
  size_t place;
  uint64_t index;
};

struct flag_store {
  size_t line, edge;
  const struct call *call;
  uint64_t count, index;
};

struct body {
  struct reader *reader;
  struct cfg cfg;
  struct map known; /* places, by function, line and edge: from 1 on */
  struct buffer in; /* size_t: edges, by the blocks that they lead to */
  struct map numbers; /* where they are, by number and shape */
  size_t tries;       /* of sums */
  struct buffer places, uses;
  struct buffer from;   /* size_t: places */
  struct buffer drops;  /* size_t: places, in the order of their dropping */
  struct buffer stores; /* struct flag_store, in the order of lines */
  size_t splits;
};

static inline struct flag_place *body_places(const struct body *body) {
  return (struct flag_place *)body->places.data;
}

static inline size_t body_place_count(const struct body *body) {
  return body->places.size / sizeof(struct flag_place);
}

enum { COUNTERS_MOST = 1 << 20 };

/* The function that a call counts; NULL: it has no name. */
static inline struct differences_of *
flags_function_of(const struct reader *reader, const struct call *call) {
  const uint64_t *number =
      map_find(&reader->known, differences_key(call->function), 0, 0);
  return number ? differences_at(&reader->list, (size_t)*number) : NULL;
}

/* Finds the places of all flags. Returns NULL or the error. */
const char *flags_place(struct body *body);

/* The graph of a body in steps (flags_ways.c): places of flags, calls, and the
 * begins and ends of blocks. Returns NULL or the error. The caller calls
 * ways_free in both cases. */
const char *ways_make(struct ways *ways, const struct body *body);

/* Drops flags that follow from others. Returns NULL or the error. */
const char *flags_follow(struct body *body);

/* Numbers the flags that are left, writes the mappings that say how the others
 * follow, and lists the stores. Returns NULL or the error. */
const char *flags_number(struct body *body);

#endif
