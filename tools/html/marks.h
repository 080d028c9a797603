/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What else is known of lines: notes of other parts of the report, which the
 * pages show beside the code.
 */
#ifndef BAREPROF_TOOLS_MARKS_H
#define BAREPROF_TOOLS_MARKS_H

#include <stdint.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "pages.h"

enum mark_kind {
  MARK_EXCLUDED,   /* Need not be covered; text: the reason. */
  MARK_BRANCHES,   /* Its branches need not be covered; text: the reason. */
  MARK_DECISION,   /* Its decisions of MC/DC need not; text: the reason. */
  MARK_CHANGED,    /* The diff adds or changes it. */
  MARK_UNMEASURED, /* A decision that MC/DC leaves out. */
  MARK_TEST        /* text: a test that reached it. */
};

struct mark {
  const char *file;    /* as an export has it */
  uint32_t line, last; /* from this line to that one */
  enum mark_kind kind;
  const char *text; /* or NULL */
};

/* Begins as {0}. */
struct marks {
  struct mark *list; /* sorted by file and line from marks_sort on */
  size_t count;
  struct arena texts;
};

/* Copies a mark. false: out of memory. */
bool marks_add(struct marks *marks, const struct mark *mark);
void marks_sort(struct marks *marks);

/* The first mark of a file; *count: how many there are. */
const struct mark *marks_of(const struct marks *marks, const char *file,
                            size_t *count);
void marks_free(struct marks *marks);

/* Gathers exclusions with their reasons, decisions that MC/DC leaves out, the
 * lines of the change, and the tests that reached a line. Sorts the marks.
 * Returns 0, or reports the error and returns 1. */
int notes_gather(struct marks *marks, const struct paged *paged);

#endif
