/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * TEXT candidates: what may be a frame from "~{" to "}", with all that a
 * console does to its lines and puts between and into them.
 */
#ifndef BAREPROF_TOOLS_SCAN_TEXT_H
#define BAREPROF_TOOLS_SCAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "scan_search.h"

enum { SHAPE_MAX = 128 };

/* A prefix without colours, each run of digits, with the blanks that pad it,
 * one #. */
struct shape {
  unsigned char bytes[SHAPE_MAX];
  size_t size;
};

/* The shape of what is from begin up to end. Empty if it is too long. */
void shape_of(struct shape *shape, const unsigned char *begin,
              const unsigned char *end);

bool shape_equal(const struct shape *a, const struct shape *b);

/* The bytes of the colour sequence (ESC [ ... letter) at a place; 0 if there
 * is none, or not all of it. */
size_t ansi_size(const unsigned char *at, const unsigned char *end);

/* Whether all from at up to end can be the beginning of one. */
bool ansi_begun(const unsigned char *at, const unsigned char *end);

/* Behind all CRs and colour sequences at a place. */
const unsigned char *skip_decoration(const unsigned char *at,
                                     const unsigned char *end);

struct text_input {
  const unsigned char *bytes; /* from the mark on */
  size_t size;
  size_t brace;              /* 1; more if something came between ~ and { */
  bool ended;                /* the last byte is }; else the end was lost */
  struct shape prefix;       /* in front of the mark */
  const struct shape *known; /* of the frames before */
};

/* A line of the candidate: offsets. In front of at there is only decoration,
 * and what a mark has in front. */
struct text_line {
  uint16_t start, begin; /* of the line; of what is behind a mark */
  uint16_t at, run;      /* characters of base64, how many */
  uint16_t end;          /* behind its LF */
  bool full;             /* nothing else is in it */
  bool mark;             /* has one */
  bool foreign;          /* its mark is none of the frame's */
};

enum { TEXT_LINES = 512 };

/* A candidate, as last tried. */
struct text {
  const struct text_input *input;
  struct search *search;
  size_t count;
  struct text_line lines[TEXT_LINES];
  uint16_t zone_lines[SEARCH_ZONES + 1]; /* first lines of the zones */
};

/* Whether the search finds a frame. */
bool text_try(struct text *text, struct search *search,
              const struct text_input *input);

/* About the frame found. Its end in the candidate; less than the size if its
 * end mark was lost. */
size_t text_end(const struct text *text);
bool text_mended(const struct text *text);

/* The prefix of its last line but the first: false if there is none. */
bool text_further_prefix(const struct text *text, struct shape *prefix);

/* What is not the frame's, in order. */
typedef void text_give(void *context, const unsigned char *bytes, size_t size);
void text_foreign(const struct text *text, text_give *give, void *context);

#endif
