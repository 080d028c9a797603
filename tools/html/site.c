/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What all pages have.
 */
#include "site.h"

#include <string.h>

void put_line_href(struct writer *writer, const struct html_site *site,
                   uint32_t row, uint32_t line) {
  put_as(writer, "<a href=\"%s#L%u\">", site->pages[row].file, line);
}

void put_line_link(struct writer *writer, const struct html_site *site,
                   uint32_t row, uint32_t line) {
  const struct site_page *page = &site->pages[row];
  const char *slash = strrchr(page->shown, '/');
  put_line_href(writer, site, row, line);
  put_as(writer, "%s:%u</a>", slash ? slash + 1 : page->shown, line);
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
    put_as(writer, "<li><span class=\"label\">%s</span>",
           metric_titles[site_metrics[i]]);
    put_score(writer, "span", &row->scores[site_metrics[i]]);
    put(writer, "</li>\n");
  }
  put(writer, "</ul>\n</header>\n");
}
