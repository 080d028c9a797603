/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Of many files only those that miss most lines: a summary is read, a list is
 * not.
 */
#include "formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/error.h"
#include "checks.h"

enum { FILES_MOST = 20 };

static uint64_t missed(const struct file_row *row) {
  return row->scores[LINES].count - row->scores[LINES].covered;
}

static int by_missed(const void *left, const void *right) {
  const struct file_row *a = *(const struct file_row *const *)left;
  const struct file_row *b = *(const struct file_row *const *)right;
  int order = compare_numbers(missed(b), missed(a));
  return order ? order : strcmp(a->name, b->name);
}

/* Characters that Markdown or HTML would take for marks. */
void markdown_text(FILE *stream, const char *name) {
  size_t taken;
  for (size_t left = strlen(name); left; left -= taken, name += taken) {
    char one[PRINTABLE_ROOM];
    size_t size = printable_character(one, name, left, &taken);
    for (size_t i = 0; i < size; i++)
      if (strchr("\\`*_{}[]<>()#+!|&~", one[i]))
        fprintf(stream, "&#%u;", (unsigned char)one[i]);
      else
        fputc(one[i], stream);
  }
}

static void put_row(FILE *stream, const char *name, const struct file_row *row,
                    const bool shown[METRICS]) {
  fputs("| ", stream);
  markdown_text(stream, name);
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

static void put_head(FILE *stream, const bool shown[METRICS]) {
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

static void put_files(FILE *stream, const struct file_row **rows, size_t count,
                      const struct paths *paths, const bool shown[METRICS]) {
  for (size_t i = 0; i < count && i < FILES_MOST; i++)
    put_row(stream, paths_shown(paths, rows[i]->name), rows[i], shown);
}

void markdown_write(const struct coverage *coverage, const struct paths *paths,
                    FILE *stream) {
  const struct scores_summary *summary = &coverage->exported.summary;
  bool shown[METRICS];
  size_t count = 0;
  for (unsigned i = 0; i < METRICS; i++)
    shown[i] = summary->total.scores[i].count != 0;
  const struct file_row **rows = malloc((summary->count + 1) * sizeof *rows);
  for (size_t i = 0; rows && i < summary->count; i++)
    if (!row_empty(&summary->rows[i]))
      rows[count++] = &summary->rows[i];
  if (rows)
    sort(rows, count, sizeof *rows, by_missed);
  fputs("### Coverage\n\n", stream);
  put_head(stream, shown);
  put_row(stream, "total", &summary->total, shown);
  put_files(stream, rows, count, paths, shown);
  if (count > FILES_MOST)
    fprintf(stream, "\nand %zu files that miss less\n", count - FILES_MOST);
  free(rows);
}
