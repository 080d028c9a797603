/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The scanner's inside, for scan.c, which goes through the bytes, and
 * scan_candidate.c, which has the candidates judged and gives out what comes
 * of them.
 */
#ifndef BAREPROF_TOOLS_SCAN_INSIDE_H
#define BAREPROF_TOOLS_SCAN_INSIDE_H

#include "scan.h"
#include "scan_text.h"

enum { SCAN_WINDOW = 2 * CANDIDATE_MAX };
#define SCAN_NOWHERE SIZE_MAX

enum scan_mode { CONSOLE, IN_TEXT, IN_BINARY, IN_TAIL };

/* All places are offsets in bytes. */
struct scan {
  const struct scan_events *events;
  size_t damaged;
  unsigned idle; /* calls in a row */
  enum scan_mode mode;

  size_t given; /* out, up to here */
  size_t line;  /* begins here, or was cut here: too long for a prefix */
  bool line_cut;
  size_t at; /* gone through up to here */
  size_t size;

  struct {
    size_t at, line;
    bool line_cut;
  } tilde;         /* the last ~ if near, with its line */
  size_t unbroken; /* only whole marks before here */

  size_t open;   /* the candidate's mark */
  unsigned ends; /* of it that were tried */
  struct text_input input;

  struct shape shape;  /* the prefix of the last frame that had one */
  bool is_prefix;      /* and not just some text before it, for sure */
  bool adjacent;       /* no text since the last frame */
  bool prefix_dropped; /* the last frame's */

  struct search search;
  struct text text;
  unsigned char bytes[SCAN_WINDOW];
};

/* Out as text, up to a place: all; all but what may begin a mark. */
void scan_give_until(struct scan *scan, size_t end);
void scan_release(struct scan *scan, size_t end);

/* A candidate begins with a { or 0xFA. */
void scan_begin_text(struct scan *scan, size_t brace);
void scan_begin_binary(struct scan *scan, size_t mark);

/* Its end mark, before or at a place. false: it is none, or there is more to
 * come. */
bool scan_try_text(struct scan *scan, size_t end, bool ended);
bool scan_try_binary(struct scan *scan, size_t end, bool ended);

/* No end mark will come, which may be all that is missing. */
void scan_break_off(struct scan *scan, size_t end);

/* The candidate is none, but behind its mark there may be others. */
void scan_refuse(struct scan *scan);

/* The end of a TEXT frame's line, between the } and the LF. */
void scan_give_tail(struct scan *scan, size_t end);

#endif
