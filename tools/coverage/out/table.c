/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file prints the scores as a table, and writes them in Markdown. A row
 * has the name, then 8 characters for the percentage of each metric and at
 * least 5 for the missed number. The table does not show regions, so that it
 * fits a terminal. For object code, the table shows instructions, but not
 * MC/DC, so it fits, too.
 */
#include "out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/os.h"

enum {
  NAME_LEAST = 20,
  TABLE_MOST = 80,
  PERCENT = 8,
  MISS_LEAST = 5,
  SHOWN_MOST = 1000
};

int table_measure_text(const char *text) {
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

size_t table_common_folder(const struct scores_summary *const *summaries,
                           size_t count) {
  const char *first = NULL;
  size_t folder = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < summaries[i]->count; k++) {
      const char *name = summaries[i]->rows[k].name;
      if (row_is_empty(&summaries[i]->rows[k]))
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

const char *table_short_name(size_t folder, const char *name) {
  char room[4096];
  if (folder > 1)
    return name + folder;
  const char *here = os_current_folder(room, sizeof room);
  const char *below =
      here ? paths_find_part_below(name, here, strlen(here)) : NULL;
  return below && below[1] ? below + 1 : name;
}

void table_widen_for_name(struct table_layout *table, const char *name) {
  char shown[SHOWN_MOST];
  int width = table_measure_text(make_printable(shown, sizeof shown, name)) +
              table->indent;
  int most = TABLE_MOST;
  for (unsigned i = 0; i < METRICS; i++)
    most -= table->miss[i] ? PERCENT + table->miss[i] : 0;
  if (width > most)
    width = most;
  if (width > table->width)
    table->width = width;
}

void table_set_layout(struct table_layout *table,
                      const struct scores_summary *const *summaries,
                      size_t count, int indent) {
  *table = (struct table_layout){.width = NAME_LEAST, .indent = indent};
  struct file_row total = {0};
  for (size_t i = 0; i < count; i++)
    row_add_scores(&total, &summaries[i]->total);
  for (unsigned i = 0; i < METRICS; i++) {
    const struct score *score = &total.scores[i];
    int width = 2;
    for (uint64_t left = score->count - score->covered; left > 9; left /= 10)
      width++;
    /* For object code, the metric REGIONS counts instructions. Only then does
     * it have a column. */
    if (i == REGIONS ? strcmp(metric_names[i], "instructions") == 0
                     : i != MCDC || score->count)
      table->miss[i] = width > MISS_LEAST ? width : MISS_LEAST;
  }
  table->folder = table_common_folder(summaries, count);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < summaries[i]->count; k++)
      if (!row_is_empty(&summaries[i]->rows[k]))
        table_widen_for_name(
            table,
            table_short_name(table->folder, summaries[i]->rows[k].name));
}

void table_print_head(const struct table_layout *table) {
  printf("%*s", table->width, "");
  for (unsigned i = 0; i < METRICS; i++)
    if (table->miss[i])
      printf("%*s", PERCENT + table->miss[i],
             i == MCDC ? "MC/DC" : metric_names[i]);
  printf("\n%*s", table->width, "");
  for (unsigned i = 0; i < METRICS; i++)
    if (table->miss[i])
      printf("%8s%*s", "%", table->miss[i], "miss");
  putchar('\n');
}

void table_print_rule(const struct table_layout *table) {
  int width = table->width;
  for (unsigned i = 0; i < METRICS; i++)
    width += table->miss[i] ? PERCENT + table->miss[i] : 0;
  while (width--)
    putchar('-');
  putchar('\n');
}

void table_print_row(const struct table_layout *table, int indent,
                     const char *name, const struct file_row *row) {
  char shown[SHOWN_MOST];
  const char *at = make_printable(shown, sizeof shown, name);
  int width = table_measure_text(at), room = table->width - indent;
  printf("%*s", indent, "");
  /* The end of a long name says more than its beginning. */
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
    if (!table->miss[i])
      continue;
    double percent = table_percent(score);
    enum paint_colour colour = percent >= 100  ? PAINT_GREEN
                               : percent >= 80 ? PAINT_YELLOW
                                               : PAINT_RED;
    if (score->count)
      printf(" %s%7.2f%s%*" PRIu64, paint_code(stdout, colour), percent,
             paint_code(stdout, PAINT_END), table->miss[i],
             score->count - score->covered);
    else
      printf("%8s%*s", "-", table->miss[i], "-");
  }
  putchar('\n');
}

static void print_file_rows(const struct table_layout *table,
                            const struct scores_summary *summary, bool added) {
  bool any = !added;
  for (size_t i = 0; i < summary->count; i++) {
    const struct file_row *row = &summary->rows[i];
    if (row_is_empty(row) || row->added != added)
      continue;
    if (!any) {
      table_print_rule(table);
      puts("in no measurement:");
    }
    any = true;
    table_print_row(table, table->indent,
                    table_short_name(table->folder, row->name), row);
  }
}

void table_print_files(const struct table_layout *table,
                       const struct scores_summary *summary) {
  print_file_rows(table, summary, false);
  print_file_rows(table, summary, true);
}

/* ---- Markdown ----
 *
 * A summary shows only the files with the most missed lines, because nobody
 * would read a long list there.
 */

enum { FILES_MOST = 20 };

static uint64_t count_missed_lines(const struct file_row *row) {
  return row->scores[LINES].count - row->scores[LINES].covered;
}

static int compare_missed_rows(const void *left, const void *right) {
  const struct file_row *a = *(const struct file_row *const *)left;
  const struct file_row *b = *(const struct file_row *const *)right;
  int order = compare_numbers(count_missed_lines(b), count_missed_lines(a));
  return order ? order : strcmp(a->name, b->name);
}

/* Escapes the characters that are markup in Markdown or HTML. */
void markdown_print_text(FILE *stream, const char *text) {
  size_t taken;
  for (size_t left = strlen(text); left; left -= taken, text += taken) {
    char one[PRINTABLE_ROOM];
    size_t size = write_printable_character(one, text, left, &taken);
    for (size_t i = 0; i < size; i++)
      if (strchr("\\`*_{}[]<>()#+!|&~", one[i]))
        fprintf(stream, "&#%u;", (unsigned char)one[i]);
      else
        fputc(one[i], stream);
  }
}

static void print_markdown_row(FILE *stream, const char *name,
                               const struct file_row *row,
                               const bool shown[METRICS]) {
  fputs("| ", stream);
  markdown_print_text(stream, name);
  for (unsigned i = 0; i < METRICS; i++) {
    const struct score *score = &row->scores[i];
    if (!shown[i])
      continue;
    if (!score->count)
      fputs(" | ", stream);
    else
      fprintf(stream, " | %.2f %% (%" PRIu64 " of %" PRIu64 ")",
              table_percent(score), score->covered, score->count);
  }
  fputs(" |\n", stream);
}

static void print_markdown_head(FILE *stream, const bool shown[METRICS]) {
  fputs("| |", stream);
  for (unsigned i = 0; i < METRICS; i++)
    if (shown[i])
      fprintf(stream, " %s |", metric_titles[i]);
  fputs("\n|---|", stream);
  for (unsigned i = 0; i < METRICS; i++)
    if (shown[i])
      fputs("---:|", stream);
  fputc('\n', stream);
}

void markdown_print_table(const struct coverage *coverage,
                          const struct source_maps *paths, FILE *stream) {
  const struct scores_summary *summary = &coverage->exported.summary;
  bool shown[METRICS];
  size_t count = 0;
  for (unsigned i = 0; i < METRICS; i++)
    shown[i] = summary->total.scores[i].count != 0;
  const struct file_row **rows =
      need_memory(malloc((summary->count + 1) * sizeof *rows));
  for (size_t i = 0; i < summary->count; i++)
    if (!row_is_empty(&summary->rows[i]))
      rows[count++] = &summary->rows[i];
  sort_array(rows, count, sizeof *rows, compare_missed_rows);
  fputs("### Coverage\n\n", stream);
  print_markdown_head(stream, shown);
  print_markdown_row(stream, "total", &summary->total, shown);
  for (size_t i = 0; i < count && i < FILES_MOST; i++)
    print_markdown_row(stream, paths_shown_name(paths, rows[i]->name), rows[i],
                       shown);
  if (count > FILES_MOST)
    fprintf(stream, "\nMore files, which miss less: %zu\n", count - FILES_MOST);
  free(rows);
}
