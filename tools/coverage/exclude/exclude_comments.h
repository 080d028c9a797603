/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Markers of exclusions in a source. Markers that begin with LCOV_ mean what
 * they mean to lcov 1.16: a section ends at the next STOP, or else at the end
 * of the file. Those that begin with GCOVR_, GCOV_ or LCOVR_ mean what they
 * mean to gcovr 5.2: sections nest, and one without STOP excludes nothing. As
 * in both, a marker counts anywhere in a line, also in a string.
 */
#ifndef BAREPROF_TOOLS_EXCLUDE_COMMENTS_H
#define BAREPROF_TOOLS_EXCLUDE_COMMENTS_H

#include "../../base/bytes.h"
#include "exclusion.h"

/* What a line has besides comments and blanks. */
enum line_contents { LINE_EMPTY, LINE_CLOSES /* brackets only */, LINE_CODE };

struct marker {
  enum exclusion_kind kind;
  uint32_t line;        /* of the marker */
  uint32_t first, last; /* what it excludes; last below first: nothing */
  struct bytes name;    /* both in the text */
  struct bytes reason;  /* what is behind it in its comment; may be empty */
};

/* Something that the author cannot have meant. */
struct marker_problem {
  uint32_t line;
  struct bytes name;
  const char *text; /* behind the name */
};

struct markers {
  struct marker *list;
  size_t count;
  struct marker_problem *problems;
  size_t problem_count;
  unsigned char *contents; /* enum line_contents, of each line from 1 on */
  uint32_t lines;          /* of the source */
};

/* Whether a text may have markers. */
bool markers_any(struct bytes text);

/* Reads a source, which must outlive *markers. Returns NULL or the error. The
 * caller frees *markers in both cases, and need not initialise it before. */
const char *markers_read(struct markers *markers, struct bytes text);
void markers_free(struct markers *markers);

#endif
