/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Coverage of a change in words.
 */
#include "change.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"
#include "../out/checks.h"

enum { UNKNOWN_MOST = 10, MESSAGE = 200 };

const char *const change_formats[] = {"text", "github", NULL};

/* ---- what is not covered ---- */

/* Adds up the points of one line, or of a file. Returns the next index. */
static size_t add_up(const struct change *change, size_t i, bool line,
                     struct file_row *row) {
  const struct point *first = &change->points[i];
  *row = (struct file_row){0};
  for (; i < change->count && change->points[i].file == first->file &&
         (!line || change->points[i].line == first->line);
       i++)
    change_count(row, &change->points[i]);
  return i;
}

/* How many decisions that MC/DC does not measure are among some points. */
static size_t count_unmeasured(const struct change *change, size_t begin,
                               size_t end) {
  size_t count = 0;
  for (; begin < end; begin++)
    count += change->points[begin].kind == POINT_UNMEASURED;
  return count;
}

/* Makes the message about a line. false: all is covered. */
static bool lacking(char message[MESSAGE], const struct file_row *row,
                    size_t unmeasured) {
  const struct score *scores = row->scores;
  uint64_t branches = scores[BRANCHES].count - scores[BRANCHES].covered;
  uint64_t conditions = scores[MCDC].count - scores[MCDC].covered;
  size_t size = 0;
  *message = 0;
  if (scores[LINES].covered < scores[LINES].count)
    size = (size_t)snprintf(message, MESSAGE, "not covered");
  if (branches)
    size +=
        (size_t)snprintf(message + size, MESSAGE - size,
                         "%s%" PRIu64 " of %" PRIu64 " branches not taken",
                         size ? ", " : "", branches, scores[BRANCHES].count);
  if (conditions)
    size += (size_t)snprintf(message + size, MESSAGE - size,
                             "%s%" PRIu64 " of %" PRIu64
                             " conditions not covered by MC/DC",
                             size ? ", " : "", conditions, scores[MCDC].count);
  if (unmeasured)
    size += (size_t)snprintf(message + size, MESSAGE - size,
                             "%s%zu decision%s not measured by MC/DC",
                             size ? ", " : "", unmeasured,
                             unmeasured == 1 ? "" : "s");
  return size != 0;
}

/* A value in a line for GitHub, which takes these for its own. */
static void put_property(const char *text) {
  for (; *text; text++)
    if (strchr("%\r\n:,", *text))
      printf("%%%02X", *text);
    else
      putchar(*text);
}

static void put_lines(const struct change *change, enum change_format format) {
  for (size_t i = 0; i < change->count;) {
    const struct point *point = &change->points[i];
    const char *name = change->diff.files[point->file].name;
    char message[MESSAGE], shown[1000];
    struct file_row row;
    size_t begin = i;
    i = add_up(change, i, true, &row);
    if (!lacking(message, &row, count_unmeasured(change, begin, i)))
      continue;
    if (format == CHANGE_GITHUB) {
      fputs("::warning file=", stdout);
      put_property(name);
      printf(",line=%" PRIu32 "::%s\n", point->line, message);
    } else {
      printf("%s:%" PRIu32 ": %s\n", printable(shown, sizeof shown, name),
             point->line, message);
    }
  }
}

/* ---- all ---- */

/* One row for each file that has something to cover. */
static int make_rows(const struct change *change,
                     struct scores_summary *summary) {
  summary->rows = calloc(change->diff.count + 1, sizeof *summary->rows);
  if (!summary->rows)
    return report_memory(change->file.name);
  for (size_t i = 0; i < change->count;) {
    struct file_row *row = &summary->rows[summary->count];
    const char *name = change->diff.files[change->points[i].file].name;
    i = add_up(change, i, false, row);
    row->name = strdup(name);
    if (!row->name)
      return report_memory(change->file.name);
    summary->count++;
  }
  return 0;
}

static void put_table(const struct scores_summary *summary) {
  struct column_table table;
  table_begin(&table, &summary, 1, 0);
  table.folder = 0;
  table.miss[FUNCTIONS] = table.miss[REGIONS] = 0;
  for (size_t i = 0; i < summary->count; i++)
    table_name(&table, summary->rows[i].name);
  table_head(&table);
  table_rule(&table);
  table_files(&table, summary);
  table_rule(&table);
  table_row(&table, 0, "change", &summary->total);
}

/* Lists the changed files that the report lacks. Returns their number. */
static size_t put_unknown(const struct change *change) {
  size_t count = 0;
  for (size_t i = 0; i < change->diff.count; i++) {
    char shown[1000];
    if (!change->diff.files[i].span_count || change->sources[i])
      continue;
    if (count++ == 0)
      puts("Not in the report, and not counted:");
    if (count <= UNKNOWN_MOST)
      printf("  %s\n",
             printable(shown, sizeof shown, change->diff.files[i].name));
  }
  if (count > UNKNOWN_MOST)
    printf("  and %zu more\n", count - UNKNOWN_MOST);
  return count;
}

int change_show(const struct change *change, enum change_format format) {
  struct scores_summary summary = {.total = change->total};
  size_t lines = 0, files = 0;
  for (size_t i = 0; i < change->diff.count; i++) {
    lines += change->diff.files[i].lines;
    files += change->diff.files[i].span_count != 0;
  }
  int status = make_rows(change, &summary);
  uint64_t code = summary.total.scores[LINES].count;
  size_t unmeasured = count_unmeasured(change, 0, change->count);
  printf("Changed: %zu line%s, %" PRIu64 " of code%s", lines,
         lines == 1 ? "" : "s", code, code ? "" : ", which counts as 100 %");
  if (unmeasured)
    printf(", %zu decision%s not measured by MC/DC", unmeasured,
           unmeasured == 1 ? "" : "s");
  putchar('\n');
  if (!status && summary.count) {
    putchar('\n');
    put_table(&summary);
    put_lines(change, format);
  }
  size_t unknown = put_unknown(change);
  putchar('\n');
  if (!status && files && unknown == files)
    report(change->file.name,
           "no file of it is in the report; if there should be one, run in its "
           "repository, or give --source-map");
  summary_free(&summary);
  return status;
}
