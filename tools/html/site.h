/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The pages of a report, while they are written.
 */
#ifndef BAREPROF_TOOLS_SITE_H
#define BAREPROF_TOOLS_SITE_H

#include "../coverage/coverage.h"
#include "../coverage/inputs/source.h"
#include "../coverage/mcdc/ties.h"
#include "../coverage/model/view.h"
#include "marks.h"
#include "writer.h"

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

/* A function that ran, in the same file, and its line that would have called
 * this one, which never ran. NULL: none is seen. */
const struct view_function *site_caller(const struct html_site *site,
                                        const struct view_function *one,
                                        uint32_t *line);

/* The metrics of the pages, and how many a report has. */
extern const enum metric site_metrics[];
static inline unsigned site_metric_count(const struct html_site *site) {
  return site->has_mcdc ? 4 : 3;
}

/* The bars of a file or of all: as cells of a table; as the list on top. */
void put_scores(struct writer *writer, const struct html_site *site,
                const struct row *row);
void put_totals(struct writer *writer, const struct html_site *site,
                const struct row *row);

#endif
