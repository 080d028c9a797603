/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The pages of a report, while they are written.
 */
#ifndef BAREPROF_TOOLS_SITE_H
#define BAREPROF_TOOLS_SITE_H

#include <stdint.h>

#include "../base/storage.h"
#include "../base/bytes.h"
#include "../base/text.h"
#include "../coverage/baseline/change.h"
#include "../coverage/coverage.h"
#include "../coverage/inputs/source.h"
#include "../coverage/mcdc/solver.h"
#include "../coverage/model/exported.h"
#include "../coverage/model/view.h"
#include "../coverage/tests/by_test.h"
#include "../coverage/whole/whole.h"

/* ---- pages.c ----
 *
 * The report's own HTML: an index, a page of all functions, a page for each
 * source. No page needs a network or a script; script.js adds search and
 * sorting.
 */

/* What the pages show. change and tests: or NULL. */
struct paged {
  const struct coverage *coverage;
  const struct change *change;
  const struct tests *tests;
};

/* Writes the pages into the report's folder. Returns 0, or reports the error
 * and returns 1. */
int pages_make(const struct paged *paged);

/* Writes the style of the pages, for others that look like them. */
void pages_style(FILE *stream);

/* ---- marks ----
 *
 * What else is known of lines: notes of other parts of the report, which the
 * pages show beside the code.
 */

enum mark_kind {
  MARK_EXCLUDED,   /* Need not be covered; text: the reason. */
  MARK_BRANCHES,   /* Its branches need not be covered; text: the reason. */
  MARK_DECISION,   /* Its decisions of MC/DC need not; text: the reason. */
  MARK_CHANGED,    /* The diff adds or changes it. */
  MARK_UNMEASURED, /* A decision that MC/DC leaves out. */
  MARK_NOT_KNOWN,  /* A number of it is not known; text: why. */
  MARK_DIFFERS,    /* llvm-cov has another count; text: it. */
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

/* Copies a mark. */
void marks_add(struct marks *marks, struct mark one);
void marks_sort(struct marks *marks);

/* The first mark of a file; *count: how many there are. */
const struct mark *marks_of(const struct marks *marks, const char *file,
                            size_t *count);
void marks_free(struct marks *marks);

/* ---- writer.c ----
 *
 * Writes one page of HTML: markup as it is, text of sources and names escaped.
 */

struct writer {
  struct text text;
  char *path;
};

/* Opens a file of a folder. Returns 0, or reports the error and returns 1. */
int writer_open(struct writer *writer, const char *folder, const char *name);

/* Returns 0, or reports the error and returns 1. */
int writer_close(struct writer *writer);

/* Markup. */
static inline void put(struct writer *writer, const char *markup) {
  text_put(&writer->text, markup);
}

static inline void put_number(struct writer *writer, uint64_t number) {
  text_decimal(&writer->text, number, 0);
}

/* Text, which may hold any bytes: what HTML would read as markup is escaped, a
 * control character becomes its picture (U+2400 on), another one that does not
 * show \uNNNN, what is not UTF-8 U+FFFD. A tab stays, and so does a line end,
 * but not in a name. */
void put_text(struct writer *writer, struct bytes text);

/* The same of code that browsers may break into lines, but not within ->. */
void put_code_text(struct writer *writer, struct bytes code);
void put_sized(struct writer *writer, const char *name, size_t size);

/* Markup with values in it, as text_values: %s is text as of put_sized. */
void put_as(struct writer *writer, const char *format, ...) PRINTS_AS(2, 3);

/* The beginning of a cell, which something is wrong in or not. */
static inline void put_cell(struct writer *writer, bool bad) {
  put(writer, bad ? "<td class=\"bad\">" : "<td>");
}

/* A count, shortened from 10,000 on. */
void put_count(struct writer *writer, uint64_t count);

/* A question mark in the place of a count, and why. */
void put_unknown(struct writer *writer, const char *why);

/* "1 line", "2 lines". */
void put_some(struct writer *writer, uint64_t count, const char *what,
              const char *more);

/* A percentage with a bar, as the cell of a table or a span. */
void put_score(struct writer *writer, const char *element,
               const struct score *score);

/* The beginning of a page up to <body>, and the end. */
void put_head(struct writer *writer, const char *title);
void put_foot(struct writer *writer);

/* A file of the report. */
struct site_page {
  const char *shown; /* its name below the common folder */
  const char *file;  /* of the page */
  char *here;        /* of the source on this machine */
  bool changed;      /* since the build */
  bool missing;      /* There is no source. */
};

struct html_site {
  const struct coverage *coverage;
  const struct marks *marks;
  char *folder; /* of the pages */
  struct view view;
  struct declared declared; /* of the source at hand */
  struct site_page *pages;  /* of each row */
  size_t common;            /* bytes of the folder that all names begin with */
  bool has_mcdc;
};

/* Writes the page of a source, and finds what each of its functions needs.
 * These return 0, or report the error and return 1. */
int site_source(struct html_site *site, size_t row);

/* Writes index.html and functions.html, once all sources have pages. */
int site_index(struct html_site *site);

/* Writes style.css and script.js. */
int site_assets(const struct html_site *site);

/* The branches and decisions of a line, as a panel below it. */
void site_panel(struct writer *writer, struct html_site *site,
                const struct source_text *source, const struct view_item *items,
                size_t count);

/* A link to a line of a row's page: its beginning; with the place as text. */
void put_line_href(struct writer *writer, const struct html_site *site,
                   uint32_t row, uint32_t line);
void put_line_link(struct writer *writer, const struct html_site *site,
                   uint32_t row, uint32_t line);

/* The metrics of the pages, and how many a report has. */
extern const enum metric site_metrics[];
static inline unsigned site_metric_count(const struct html_site *site) {
  return site->has_mcdc ? 4 : 3;
}

/* The bars of a file or of all: as cells of a table; as the list on top. */
void put_scores(struct writer *writer, const struct html_site *site,
                const struct file_row *row);
/* Explains colours, signs, MC/DC and keys. */
void put_legend(struct writer *writer);
void put_totals(struct writer *writer, const struct html_site *site,
                const struct file_row *row);

#endif
