/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * TEXT candidates: bytes that may be a frame from "~{" to "}", including
 * everything that a console does to the lines and puts between and into them.
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

/* Makes the shape of the bytes from begin up to end. The shape is empty if it
 * is too long. */
void shape_of(struct shape *shape, const unsigned char *begin,
              const unsigned char *end);

bool shape_equal(const struct shape *a, const struct shape *b);

/* The bytes of the colour sequence (ESC [ ... letter) at a place; 0 if there
 * is none, or not all of it. */
size_t ansi_size(const unsigned char *at, const unsigned char *end);

/* Whether the bytes from at up to end can be the beginning of a colour
 * sequence. */
bool ansi_begun(const unsigned char *at, const unsigned char *end);

/* Returns the place behind all CRs and colour sequences. */
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

/* A line of the candidate, as offsets. In front of `at` there is only
 * decoration and the prefix of a mark. */
struct text_line {
  uint16_t start, begin; /* of the line; of what is behind a mark */
  uint16_t at, run;      /* characters of base64, how many */
  uint16_t end;          /* behind its LF */
  bool full;             /* nothing else is in it */
  bool mark;             /* has one */
  bool foreign;          /* Its mark does not belong to the frame. */
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

/* For scan_text.c: adds a zone of the lines from first up to end, with its
 * options. false: there are none, and no zone is added. */
bool text_add_zone(struct text *text, size_t first, size_t end);

/* Returns the end of the frame found in the candidate. The end is less than the
 * size if the end mark was lost. */
size_t text_end(const struct text *text);
bool text_mended(const struct text *text);

/* The prefix of the frame's last line, unless that is the first line; false if
 * there is none. */
bool text_further_prefix(const struct text *text, struct shape *prefix);

/* Gives out the bytes that do not belong to the frame, in order. */
typedef void text_give(void *context, const unsigned char *bytes, size_t size);
void text_foreign(const struct text *text, text_give *give, void *context);

#endif
