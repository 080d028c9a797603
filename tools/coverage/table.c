/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Columns: the name, then 13 characters a metric.
 */
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"

enum { NAME_LEAST = 20, TABLE_MOST = 100, COLUMN = 13, SHOWN_MOST = 1000 };

/* Returns the columns of a text: one for each UTF-8 character. */
static int width_of(const char *text) {
  int width = 0;
  for (; *text; text++)
    width += ((unsigned char)*text >> 6) != 2;
  return width;
}

double table_percent(const struct score *score) {
  double percent =
      score->count ? 100.0 * (double)score->covered / (double)score->count : 0;
  return score->covered < score->count && percent > 99.99 ? 99.99 : percent;
}

/* The names' common beginning, up to a slash. */
static size_t common_folder(const struct summary *const *summaries,
                            size_t count) {
  const char *first = NULL;
  size_t folder = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < summaries[i]->count; k++) {
      const char *name = summaries[i]->rows[k].name;
      if (row_empty(&summaries[i]->rows[k]))
        continue;
      if (!first) {
        const char *slash = strrchr(name, '/');
        first = name;
        folder = slash ? (size_t)(slash - name) + 1 : 0;
      }
      while (folder &&
             (strncmp(name, first, folder) != 0 || first[folder - 1] != '/'))
        folder--;
    }
  return folder;
}

void table_name(struct table *table, const char *name) {
  char shown[SHOWN_MOST];
  int width = width_of(printable(shown, sizeof shown, name)) + table->indent;
  int most = TABLE_MOST;
  for (unsigned i = 0; i < METRICS; i++)
    most -= table->shown[i] ? COLUMN : 0;
  if (width > most)
    width = most;
  if (width > table->width)
    table->width = width;
}

void table_begin(struct table *table, const struct summary *const *summaries,
                 size_t count, int indent) {
  *table = (struct table){.width = NAME_LEAST, .indent = indent};
  for (size_t i = 0; i < count; i++)
    for (unsigned metric = 0; metric < METRICS; metric++)
      table->shown[metric] |=
          metric != MCDC || summaries[i]->total.scores[MCDC].count;
  table->folder = common_folder(summaries, count);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < summaries[i]->count; k++)
      if (!row_empty(&summaries[i]->rows[k]))
        table_name(table, summaries[i]->rows[k].name + table->folder);
}

void table_head(const struct table *table) {
  printf("%*s", table->width, "");
  for (unsigned i = 0; i < METRICS; i++)
    if (table->shown[i])
      printf("  %11s", i == MCDC ? "MC/DC" : metric_names[i]);
  printf("\n%*s", table->width, "");
  for (unsigned i = 0; i < METRICS; i++)
    if (table->shown[i])
      printf("%8s%5s", "%", "miss");
  putchar('\n');
}

void table_rule(const struct table *table) {
  int width = table->width;
  for (unsigned i = 0; i < METRICS; i++)
    width += table->shown[i] ? COLUMN : 0;
  while (width--)
    putchar('-');
  putchar('\n');
}

/* The colours of llvm-cov's tables. */
static enum paint colour_of(const struct score *score) {
  double percent = table_percent(score);
  return percent >= 100  ? PAINT_GREEN
         : percent >= 80 ? PAINT_YELLOW
                         : PAINT_RED;
}

void table_row(const struct table *table, int indent, const char *name,
               const struct row *row) {
  char shown[SHOWN_MOST];
  const char *at = printable(shown, sizeof shown, name);
  int width = width_of(at), room = table->width - indent;
  printf("%*s", indent, "");
  /* If a name is too long, its end tells more. */
  if (width > room) {
    for (; width > room - 3; width--)
      do
        at++;
      while (((unsigned char)*at >> 6) == 2);
    printf("...%s", at);
  } else {
    printf("%s%*s", at, room - width, "");
  }
  for (unsigned i = 0; i < METRICS; i++) {
    const struct score *score = &row->scores[i];
    if (!table->shown[i])
      continue;
    if (score->count)
      printf(" %s%7.2f%s%5" PRIu64, paint(stdout, colour_of(score)),
             table_percent(score), paint(stdout, PAINT_END),
             score->count - score->covered);
    else
      printf(" %7s%5s", "-", "-");
  }
  putchar('\n');
}

void table_files(const struct table *table, const struct summary *summary) {
  for (size_t i = 0; i < summary->count; i++)
    if (!row_empty(&summary->rows[i]))
      table_row(table, table->indent, summary->rows[i].name + table->folder,
                &summary->rows[i]);
}
