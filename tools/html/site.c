/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What all pages have.
 */
#include "site.h"

#include <string.h>

void put_line_link(struct writer *writer, const struct html_site *site,
                   uint32_t row, uint32_t line) {
  const struct site_page *page = &site->pages[row];
  const char *slash = strrchr(page->shown, '/');
  put(writer, "<a href=\"");
  put(writer, page->file);
  put(writer, "#L");
  put_number(writer, line);
  put(writer, "\">");
  put_string(writer, slash ? slash + 1 : page->shown);
  put(writer, ":");
  put_number(writer, line);
  put(writer, "</a>");
}

void put_scores(struct writer *writer, const struct html_site *site,
                const char *element, const struct row *row) {
  static const enum metric shown[] = {FUNCTIONS, LINES, BRANCHES, MCDC};
  unsigned count = site->has_mcdc ? 4 : 3;
  for (unsigned i = 0; i < count; i++)
    put_score(writer, element, &row->scores[shown[i]]);
}
