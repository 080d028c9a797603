/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What all pages have.
 */
#include "site.h"

#include <string.h>

void put_line_href(struct writer *writer, const struct html_site *site,
                   uint32_t row, uint32_t line) {
  put(writer, "<a href=\"");
  put(writer, site->pages[row].file);
  put(writer, "#L");
  put_number(writer, line);
  put(writer, "\">");
}

void put_line_link(struct writer *writer, const struct html_site *site,
                   uint32_t row, uint32_t line) {
  const struct site_page *page = &site->pages[row];
  const char *slash = strrchr(page->shown, '/');
  put_line_href(writer, site, row, line);
  put_string(writer, slash ? slash + 1 : page->shown);
  put(writer, ":");
  put_number(writer, line);
  put(writer, "</a>");
}

const enum metric site_metrics[] = {FUNCTIONS, LINES, BRANCHES, MCDC};

void put_scores(struct writer *writer, const struct html_site *site,
                const struct file_row *row) {
  for (unsigned i = 0; i < site_metric_count(site); i++)
    put_score(writer, "td", &row->scores[site_metrics[i]]);
}

void put_totals(struct writer *writer, const struct html_site *site,
                const struct file_row *row) {
  put(writer, "<ul class=\"totals\">\n");
  for (unsigned i = 0; i < site_metric_count(site); i++) {
    put(writer, "<li><span class=\"label\">");
    put(writer, metric_titles[site_metrics[i]]);
    put(writer, "</span>");
    put_score(writer, "span", &row->scores[site_metrics[i]]);
    put(writer, "</li>\n");
  }
  put(writer, "</ul>\n</header>\n");
}
