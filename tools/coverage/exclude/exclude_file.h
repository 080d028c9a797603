/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The file of exclusions, for code that may not be touched. docs/report.md
 * describes it.
 */
#ifndef BAREPROF_TOOLS_EXCLUDE_FILE_H
#define BAREPROF_TOOLS_EXCLUDE_FILE_H

#include "../../base/arena.h"
#include "../../base/bytes.h"
#include "../../base/ere.h"
#include "exclusion.h"

enum { RULES_MOST = 1 << 14 };

/* A line of the file. */
struct rule {
  enum exclusion_kind kind;
  uint32_t line;           /* of the file */
  const char *path;        /* a pattern, of the end of a source's name */
  const char *function;    /* a pattern of its name, or NULL */
  const char *text;        /* in each line that is meant; NULL: any */
  struct ere *regex;       /* matches each line that is meant; NULL: any */
  uint32_t first, last;    /* lines; 0: any */
  uint32_t column;         /* of a decision; 0: any */
  const char *reason, *by; /* "" if not given */
};

struct rules {
  struct rule *list;
  size_t count;
  struct arena arena;
};

/* Something that is wrong with a line. */
typedef void rules_wrong(void *context, uint32_t line, const char *what);

/* Reads the file's text. Calls wrong for each line that is wrong. Returns
 * whether all are right. The caller frees *rules in both cases, and need not
 * initialise it before. */
bool rules_read(struct rules *rules, struct bytes text, rules_wrong *wrong,
                void *context);
void rules_free(struct rules *rules);

/* Whether a pattern matches a text: * is any text, ? a character. */
bool pattern_matches(const char *pattern, const char *text);

/* Whether a pattern matches a file's name, or the end of the name behind a
 * slash. */
bool pattern_matches_file(const char *pattern, const char *name);

#endif
