/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module writes the HTML pages of a report. Callers begin with pages_write
 * (pages.c). page.c writes the page of a source, index.c the index, assets.c
 * the style and the script. All these files write through writer.c.
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
#include "../coverage/mcdc/mcdc.h"
#include "../coverage/model/coverage_model.h"
#include "../coverage/model/view.h"
#include "../coverage/out/out.h"
#include "../coverage/tests/tests.h"
#include "../coverage/whole/expected.h"

/* ---- pages.c ----
 *
 * A report has an index, a page of all functions, and a page for each source.
 * No page needs a network or a script; script.js adds search and sorting.
 */

/* Writes the pages into the report's folder. Ends the command after an error,
 * as most functions of this module. */
void pages_write(const struct output_contents *data);

/* The style and the script of the pages, which the pages of `live` also use. A
 * NULL ends the texts. */
extern const char *const html_style[], *const html_script[];

/* ---- marks ----
 *
 * Marks are notes on lines, from other parts of the report. The pages show the
 * marks next to the code.
 */

enum mark_kind {
  MARK_EXCLUDED,   /* The line need not be covered; the text is the reason. */
  MARK_BRANCHES,   /* Branches need not be covered; the text is the reason. */
  MARK_DECISION,   /* MC/DC need not be covered; the text is the reason. */
  MARK_CHANGED,    /* The diff adds or changes the line. */
  MARK_UNMEASURED, /* MC/DC leaves out a decision on the line. */
  MARK_NOT_KNOWN,  /* A number is not known; the text is the reason. */
  MARK_DIFFERS,    /* llvm-cov has another count; the text is that count. */
  MARK_TEST        /* Tests reached the line; the text lists them. */
};

/* A note on one or more lines of a source. */
struct line_mark {
  const char *file;    /* the compiler's name of the source */
  uint32_t line, last; /* first and last line of the mark */
  enum mark_kind kind;
  const char *text; /* text of the note; may be NULL */
};

/* All marks of a report. Initialise as {0}. */
struct line_marks {
  struct line_mark *list; /* sorted by file and line */
  size_t count;
  struct arena texts;
};

/* Returns the first mark of a file. Sets *count to the number of its marks. */
const struct line_mark *marks_find_for_file(const struct line_marks *marks,
                                            const char *file, size_t *count);

/* ---- writer.c ----
 *
 * This file writes one HTML page. Markup is written as it is; text of sources
 * and names is escaped.
 */

/* A page that is being written. */
struct html_writer {
  struct text_stream text;
  char *path;
};

/* writer_open opens a page in a folder, writer_close completes the page. */
void writer_open(struct html_writer *writer, const char *folder,
                 const char *name);
void writer_close(struct html_writer *writer);

/* Writes markup. */
static inline void html_print(struct html_writer *writer, const char *markup) {
  text_put_string(&writer->text, markup);
}

static inline void html_print_number(struct html_writer *writer,
                                     uint64_t number) {
  text_put_decimal(&writer->text, number, 0);
}

/* Writes a text, which may contain any bytes. Characters that are markup in
 * HTML are escaped. A control character becomes its picture (from U+2400 on),
 * another invisible character becomes \uNNNN, and bytes that are not UTF-8
 * become U+FFFD. Tabs and line ends stay. */
void html_print_text(struct html_writer *writer, struct bytes text);

/* html_print_code writes code, which browsers may break into lines, but not
 * inside ->. html_print_name writes a name and replaces tabs and line ends in
 * it. */
void html_print_code(struct html_writer *writer, struct bytes code);
void html_print_name(struct html_writer *writer, const char *name, size_t size);

/* Writes markup that contains values, with the formats of text_put_format. The
 * value of %s is escaped as a name. */
void html_printf(struct html_writer *writer, const char *format, ...)
    PRINTS_AS(2, 3);

/* Begins a cell of a table. If `bad` is set, the cell shows a problem. */
static inline void html_begin_cell(struct html_writer *writer, bool bad) {
  html_print(writer, bad ? "<td class=\"bad\">" : "<td>");
}

/* Writes a count; counts from 10,000 on are shortened. */
void html_print_count(struct html_writer *writer, uint64_t count);

/* Writes a question mark instead of a count, and why the count is unknown. */
void html_print_unknown_count(struct html_writer *writer, const char *why);

/* Writes a count and its noun, such as "1 line" or "2 lines". */
void html_print_quantity(struct html_writer *writer, uint64_t count,
                         const char *what, const char *more);

/* Writes a percentage with a bar. `element` is a cell of a table, or a span. */
void html_print_score(struct html_writer *writer, const char *element,
                      const struct score *score);

/* html_print_page_head writes the beginning of a page, up to <body>.
 * html_print_page_foot writes the end of the page. */
void html_print_page_head(struct html_writer *writer, const char *title);
void html_print_page_foot(struct html_writer *writer);

/* The page of a source file. */
struct source_page {
  const char *shown; /* name of the source below the common folder */
  const char *file;  /* file name of the page */
  char *here;        /* name of the source on this machine */
  bool changed;      /* The source has changed since the build. */
  bool missing;      /* The source is not on this machine. */
};

/* All pages of a report. */
struct html_site {
  const struct coverage *coverage;
  const struct line_marks *marks;
  char *folder; /* name of the folder for the pages */
  FILE *stream; /* receives a source's page; may be NULL */
  struct model_view view;
  struct volatile_words declared; /* volatile words in the page's source */
  struct source_page *pages;      /* one page for each row of the summary */
  size_t common; /* length of the folder's name that all sources share */
  bool has_mcdc;
};

/* The metrics that pages show, and the number of these metrics in a report. */
extern const enum metric site_metrics[];
static inline unsigned site_metric_count(const struct html_site *site) {
  return site->has_mcdc ? 4 : 3;
}

/* ---- pages.c ---- */

/* site_begin makes the view and the names of the pages; site_list_pages makes
 * only the names. Both set has_mcdc. site_end frees the view and the names. The
 * caller has set `coverage`, `marks`, and `folder` or `stream`. */
void site_begin(struct html_site *site);
void site_list_pages(struct html_site *site);
void site_end(struct html_site *site);

/* ---- writer.c ---- */

/* html_begin_line_link begins a link to a line on the page of a row.
 * html_print_line_link writes a complete link, whose text is the position. */
void html_begin_line_link(struct html_writer *writer,
                          const struct html_site *site, uint32_t row,
                          uint32_t line);
void html_print_line_link(struct html_writer *writer,
                          const struct html_site *site, uint32_t row,
                          uint32_t line);

/* Writes the heads of the columns with bars, and the bars of a file or a folder
 * as cells of a table. */
void html_print_score_heads(struct html_writer *writer,
                            const struct html_site *site);
void html_print_score_cells(struct html_writer *writer,
                            const struct html_site *site,
                            const struct file_row *row);
/* Writes the legend: colours, signs, MC/DC and keys. */
void html_print_legend(struct html_writer *writer);
/* Writes the scores of a source or of the report at the top of its page. */
void html_end_header_with_totals(struct html_writer *writer,
                                 const struct html_site *site,
                                 const struct file_row *row);

/* ---- page.c ---- */

/* Writes the page of a row's source, and finds the next step for each function
 * of the source. Returns 0, or reports that the source cannot be read and
 * returns 1. */
int site_write_source_page(struct html_site *site, size_t row);

/* ---- index.c ---- */

/* Writes index.html and functions.html. Call this function after all sources
 * have pages. */
void site_write_index(struct html_site *site);

/* ---- assets.c ---- */

/* Writes style.css and script.js. */
void site_write_assets(const struct html_site *site);

#endif
