/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the coverage of a change (`--diff`), and prints it. unified.c reads the
 * diff, whose files are paired with the report's sources. What lies on changed
 * lines becomes a list of points, with each place once.
 */
#include "change.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/number.h"
#include "../../base/os.h"
#include "../../base/source_name.h"
#include "../out/out.h"

enum { DIFF_LIMIT = 1 << 27 };

int change_read(struct change *change, const char *name) {
  if (file_read(&change->file, name, DIFF_LIMIT))
    return 1;
  const char *error = unified_read(&change->diff, change->file.bytes);
  if (error && change->diff.line)
    return report(name, "line %zu: %s", change->diff.line, error);
  return error ? report(name, "%s", error) : 0;
}

/* ---- pairs of names ---- */

/* The state while sources are searched in the diff. */
struct change_measuring {
  struct change *change;
  const struct paths *paths;
  char *root;       /* the folder of the repository, or NULL */
  const char *name; /* the source that was asked for last */
  const struct unified_file *file; /* file of `name` in the diff; or NULL */
  bool ambiguous;
};

/* Returns the closest folder, from the current one upwards, that git manages;
 * or NULL. The caller frees it. */
static char *find_root(const char *here) {
  size_t size = here ? strlen(here) : 0;
  char *root = need(malloc(size + sizeof "/.git"));
  memcpy(root, size ? here : "", size);
  for (; size; size--) {
    if (here[size] && here[size] != '/')
      continue;
    strcpy(root + size, "/.git");
    bool found = os_exists(root);
    root[size] = 0;
    if (found)
      return root;
  }
  free(root);
  return NULL;
}

/* Finds a source in the diff. In the repository, names are exact. Elsewhere (a
 * build on another machine), it takes the longest end of the source's name that
 * is a name in the diff. */
static const struct unified_file *
find_file(const struct change_measuring *measuring, const char *source) {
  const struct unified *diff = &measuring->change->diff;
  const char *root = measuring->root;
  const char *below = root ? paths_below(source, root, strlen(root)) : NULL;
  const struct unified_file *file = unified_find(diff, source);
  if (below)
    return file ? file : unified_find(diff, below + 1);
  for (const char *at = source; !file && (at = strchr(at, '/'));)
    file = unified_find(diff, ++at);
  return file;
}

/* Notes that measuring->file of the diff is this source. Takes over `source`.
 * compiled: the compiler's name for it. */
static void settle(struct change_measuring *measuring, char *source,
                   const char *compiled) {
  const struct change *change = measuring->change;
  const struct unified_file *file = measuring->file;
  char **before = &change->sources[file - change->diff.files];
  char name[1000], shown[1000], other[1000];
  if (!*before) {
    *before = source;
    change->names[file - change->diff.files] = need(strdup(compiled));
    return;
  }
  if (strcmp(*before, source) != 0 && file->span_count) {
    measuring->ambiguous = true;
    warn(change->file.name,
         "%s is both %s and %s in the report; run the command in the "
         "repository of the sources, or use --source-map",
         printable(name, sizeof name, file->name),
         printable(shown, sizeof shown, *before),
         printable(other, sizeof other, source));
  }
  free(source);
}

/* Returns the file of the diff that is this source of the report, or NULL. */
static const struct unified_file *file_of(struct change_measuring *measuring,
                                          const char *name) {
  const struct paths *paths = measuring->paths;
  if (measuring->name && strcmp(measuring->name, name) == 0)
    return measuring->file;
  measuring->name = name;
  measuring->file = NULL;
  const struct paths maps = {paths->maps, paths->count, NULL};
  char *source = paths_name(&maps, name);
  if (!source_is_absolute(source) && measuring->root) {
    char *whole = need(malloc(strlen(paths->here) + strlen(source) + 2));
    strcpy(whole, paths->here);
    strcat(strcat(whole, "/"), source);
    paths_tidy(whole);
    measuring->file = find_file(measuring, whole);
    free(whole);
  }
  paths_tidy(source);
  if (!measuring->file)
    measuring->file = find_file(measuring, source);
  if (measuring->file)
    settle(measuring, source, name);
  else
    free(source);
  return measuring->file;
}

/* ---- points ---- */

static void add(struct change_measuring *measuring, struct point point) {
  struct change *change = measuring->change;
  point.file = (uint32_t)(measuring->file - change->diff.files);
  LIST_ADD(change->points, change->count, point);
}

static void add_lcov(struct change_measuring *measuring,
                     const struct lcov *lcov) {
  for (size_t i = 0; i < lcov->count; i++) {
    const struct lcov_entry *entry = &lcov->entries[i];
    struct point point = {.kind = entry->kind == LCOV_LINE ? POINT_LINE
                                                           : POINT_BRANCH,
                          .number = entry->branch / 2,
                          .from = entry->branch,
                          .hits = entry->hits};
    if (entry->kind != LCOV_FUNCTION && file_of(measuring, entry->file) &&
        unified_has(measuring->file, entry->line, entry->line, &point.line))
      add(measuring, point);
  }
}

/* ---- MC/DC ---- */

/* Adds the conditions of a decision to its first changed line. */
static void add_decision(struct change_measuring *measuring,
                         const struct exported *exported,
                         const struct exported_decision *decision) {
  const struct source_span *span = &decision->span;
  struct point point = {.kind = POINT_CONDITION,
                        .from = place_number(span->line, span->column),
                        .to = place_number(span->end_line, span->end_column)};
  if (span->line > span->end_line || span->end_line > INT_MAX ||
      !unified_has(measuring->file, span->line, span->end_line, &point.line))
    return;
  for (; point.number < decision->conditions.count; point.number++) {
    point.hits = exported_conditions(
        exported)[decision->conditions.begin + point.number];
    add(measuring, point);
  }
}

static void add_decisions(struct change_measuring *measuring,
                          const struct exported *exported) {
  measuring->name = NULL;
  for (size_t i = 0; i < exported_function_count(exported); i++) {
    const struct exported_function *one = &exported_functions(exported)[i];
    const uint32_t *files = exported_files_of(exported, one);
    for (uint32_t k = 0; k < one->decisions.count; k++) {
      const struct exported_decision *decision =
          &exported_decisions_of(exported, one)[k];
      if (files[decision->file] < exported->summary.count &&
          file_of(measuring, exported->names[files[decision->file]]))
        add_decision(measuring, exported, decision);
    }
  }
}

/* A decision that clang left out belongs to its first changed line, too. */
static void add_unmeasured(struct change_measuring *measuring,
                           const struct buffer *list) {
  for (size_t i = 0; i < unmeasured_count(list); i++) {
    const struct unmeasured *one = &unmeasured_list(list)[i];
    struct point point = {.kind = POINT_UNMEASURED,
                          .from = (uint64_t)one->begin.line << 32 |
                                  one->begin.column};
    measuring->name = NULL;
    if (file_of(measuring, one->file) &&
        unified_has(measuring->file, one->begin.line, one->end.line,
                    &point.line))
      add(measuring, point);
  }
  measuring->name = NULL;
}

/* ---- all ---- */

ORDER_BY(by_place, struct point, (uint64_t)x->file << 32 | x->line,
         (uint64_t)x->kind << 32 | x->number, x->from, x->to);

static const enum metric metrics[] = {
    [POINT_LINE] = LINES, [POINT_BRANCH] = BRANCHES, [POINT_CONDITION] = MCDC};

void change_count(struct file_row *row, const struct point *point) {
  if (point->kind == POINT_UNMEASURED)
    return;
  struct score *score = &row->scores[metrics[point->kind]];
  score->count++;
  score->covered += point->hits != 0;
}

static void unite(struct change *change) {
  size_t kept = 0;
  sort(change->points, change->count, sizeof *change->points, by_place);
  for (size_t i = 0; i < change->count; i++) {
    struct point *point = &change->points[i];
    struct point *last = kept ? &change->points[kept - 1] : NULL;
    if (last && by_place(last, point) == 0)
      last->hits = sum_limited(last->hits, point->hits);
    else
      change->points[kept++] = *point;
  }
  change->count = kept;
  for (size_t i = 0; i < kept; i++)
    change_count(&change->total, &change->points[i]);
}

int change_measure(struct change *change, const struct lcov *lcov,
                   const struct exported *exported,
                   const struct buffer *unmeasured, const struct paths *paths) {
  struct change_measuring measuring = {
      .change = change, .paths = paths, .root = find_root(paths->here)};
  size_t count = change->diff.count;
  change->sources = need(calloc(count + 1, sizeof *change->sources));
  change->names = need(calloc(count + 1, sizeof *change->names));
  add_lcov(&measuring, lcov);
  measuring.name = NULL;
  add_unmeasured(&measuring, unmeasured);
  add_decisions(&measuring, exported);
  unite(change);
  free(measuring.root);
  return measuring.ambiguous;
}

void change_free(struct change *change) {
  for (size_t i = 0; change->sources && i < change->diff.count; i++)
    free(change->sources[i]);
  for (size_t i = 0; change->names && i < change->diff.count; i++)
    free(change->names[i]);
  free(change->sources);
  free(change->names);
  free(change->points);
  unified_free(&change->diff);
  file_close(&change->file);
  *change = (struct change){0};
}

/* ---- what is shown ----
 *
 * Prints the coverage of a change.
 */

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

/* Counts the decisions among some points that MC/DC does not measure. */
static size_t count_unmeasured(const struct change *change, size_t begin,
                               size_t end) {
  size_t count = 0;
  for (; begin < end; begin++)
    count += change->points[begin].kind == POINT_UNMEASURED;
  return count;
}

/* Makes the message about a line. Returns false if all is covered. */
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

/* Prints a value in a command for GitHub, where some characters have a meaning.
 * GitHub's log is a terminal's text, so control characters are escaped, too. */
static void put_property(const char *text) {
  for (; *text; text++)
    if (strchr("%:,\177", *text) || (unsigned char)*text < ' ')
      printf("%%%02X", (unsigned char)*text);
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

/* Makes a row for each file that has something to cover. */
static void make_rows(const struct change *change,
                      struct scores_summary *summary) {
  summary->rows = need(calloc(change->diff.count + 1, sizeof *summary->rows));
  for (size_t i = 0; i < change->count;) {
    struct file_row *row = &summary->rows[summary->count];
    const char *name = change->diff.files[change->points[i].file].name;
    i = add_up(change, i, false, row);
    row->name = need(strdup(name));
    summary->count++;
  }
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

void change_show(const struct change *change, enum change_format format) {
  struct scores_summary summary = {.total = change->total};
  size_t lines = 0, files = 0;
  for (size_t i = 0; i < change->diff.count; i++) {
    lines += change->diff.files[i].lines;
    files += change->diff.files[i].span_count != 0;
  }
  make_rows(change, &summary);
  uint64_t code = summary.total.scores[LINES].count;
  size_t unmeasured = count_unmeasured(change, 0, change->count);
  printf("Changed: %zu line%s, %" PRIu64 " of code%s", lines,
         lines == 1 ? "" : "s", code, code ? "" : ", which counts as 100 %");
  if (unmeasured)
    printf(", %zu decision%s not measured by MC/DC", unmeasured,
           unmeasured == 1 ? "" : "s");
  putchar('\n');
  if (summary.count) {
    putchar('\n');
    put_table(&summary);
    put_lines(change, format);
  }
  size_t unknown = put_unknown(change);
  putchar('\n');
  if (files && unknown == files)
    warn(change->file.name,
         "no file of this diff is in the report; run the command in the "
         "repository of the sources, or use --source-map");
  summary_free(&summary);
}
