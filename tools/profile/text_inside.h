/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the parts of the reader of text profiles know of each other.
 */
#ifndef BAREPROF_TOOLS_TEXT_INSIDE_H
#define BAREPROF_TOOLS_TEXT_INSIDE_H

#include "sites_read.h"
#include "text.h"

#define TEXT_EXTERNAL "** External Symbol **"

struct text {
  struct profile *profile;
  uint64_t weight;
  const struct read_events *events;
  bool adding; /* the second time */
  unsigned flags;
  /* The next line, if there is one, and what is behind it. */
  bool more;
  struct bytes line;
  const unsigned char *at, *end;
  size_t next_number; /* of that line, from 1 */
  size_t number;      /* of the line before */
  /* Of the record at hand. */
  struct buffer counters; /* uint64_t */
  struct buffer bitmap;
  struct sites sites;
  size_t first[VALUE_KINDS]; /* where a kind's values begin, in bytes */
};

extern const char text_no_memory[];

/* Takes the next line. NULL, or what is wrong. */
const char *text_line(struct text *text, struct bytes *line);

/* A number, of base 10, or 0: as C has it. false: it is none, or too large. */
bool text_number(struct bytes line, unsigned base, uint64_t *value);

/* The next line, which is to be a number up to most. */
const char *text_take(struct text *text, unsigned base, uint64_t most,
                      uint64_t *value);

/* What text cannot say to that release, or NULL. */
const char *text_refuses(const struct profile *profile, unsigned llvm);

/* Reads a record, and adds it if text->adding. */
const char *text_record(struct text *text);

#endif
