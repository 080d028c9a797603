/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file finds the coverage of a change (`--diff`), and prints it. unified.c
 * reads the diff, whose files are matched with the report's sources. Each line,
 * branch and condition on a changed line becomes a point in a list. The list
 * has each place once.
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

void change_read(struct change_coverage *change, const char *name) {
  exit_if_failed(file_read(&change->file, name, DIFF_LIMIT));
  const char *error = unified_parse(&change->diff, change->file.bytes);
  if (error && change->diff.line)
    exit_if_failed(report(name, "line %zu: %s", change->diff.line, error));
  exit_on_error(name, error);
}

/* ---- pairs of names ---- */

/* The state while the files of the diff are matched with sources. */
struct diff_match_state {
  struct change_coverage *change;
  const struct source_maps *paths;
  char *root;                      /* folder of the repository, or NULL */
  const char *name;                /* name of the source that was sought last */
  const struct unified_file *file; /* the diff's file for `name`; may be NULL */
  bool ambiguous;
};

/* Returns the nearest folder with a git repository, from the current folder
 * upwards, or NULL. The caller frees the result. */
static char *find_repository(const char *here) {
  size_t size = here ? strlen(here) : 0;
  char *root = need_memory(malloc(size + sizeof "/.git"));
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

/* Finds a source in the diff. In the repository, names must be equal. If the
 * build was made elsewhere, the longest end of the source's name that is a name
 * in the diff decides. */
static const struct unified_file *
find_diff_file(const struct diff_match_state *measuring, const char *source) {
  const struct unified_diff *diff = &measuring->change->diff;
  const char *root = measuring->root;
  const char *below =
      root ? paths_find_part_below(source, root, strlen(root)) : NULL;
  const struct unified_file *file = unified_find_file(diff, source);
  if (below)
    return file ? file : unified_find_file(diff, below + 1);
  for (const char *at = source; !file && (at = strchr(at, '/'));)
    file = unified_find_file(diff, ++at);
  return file;
}

/* Stores that measuring->file of the diff is this source. Takes over `source`.
 * `compiled` is the compiler's name of the source. */
static void set_source_or_warn(struct diff_match_state *measuring, char *source,
                               const char *compiled) {
  const struct change_coverage *change = measuring->change;
  const struct unified_file *file = measuring->file;
  char **before = &change->sources[file - change->diff.files];
  char name[1000], shown[1000], other[1000];
  if (!*before) {
    *before = source;
    change->names[file - change->diff.files] = need_memory(strdup(compiled));
    return;
  }
  if (strcmp(*before, source) != 0 && file->span_count) {
    measuring->ambiguous = true;
    warn(change->file.name,
         "%s may be %s or %s of the report; run the command in the repository "
         "of the sources, or use --source-map",
         make_printable(name, sizeof name, file->name),
         make_printable(shown, sizeof shown, *before),
         make_printable(other, sizeof other, source));
  }
  free(source);
}

/* Returns the diff's file for a source of the report, or NULL. */
static const struct unified_file *
match_source_to_diff(struct diff_match_state *measuring, const char *name) {
  const struct source_maps *paths = measuring->paths;
  if (measuring->name && strcmp(measuring->name, name) == 0)
    return measuring->file;
  measuring->name = name;
  measuring->file = NULL;
  const struct source_maps maps = {paths->maps, paths->count, NULL};
  char *source = paths_local_name(&maps, name);
  if (!source_name_is_absolute(source) && measuring->root) {
    char *whole = paths_join(paths->here, source);
    paths_tidy(whole);
    measuring->file = find_diff_file(measuring, whole);
    free(whole);
  }
  paths_tidy(source);
  if (!measuring->file)
    measuring->file = find_diff_file(measuring, source);
  if (measuring->file)
    set_source_or_warn(measuring, source, name);
  else
    free(source);
  return measuring->file;
}

/* ---- points ---- */

static void add_change_point(struct diff_match_state *measuring,
                             struct change_point point) {
  struct change_coverage *change = measuring->change;
  point.file = (uint32_t)(measuring->file - change->diff.files);
  LIST_ADD(change->points, change->count, point);
}

/* Adds a line, or the outcomes of a branch. */
static void add_points_of_place(struct diff_match_state *measuring,
                                const struct place *place, uint32_t line) {
  for (uint32_t side = 0; side <= (place->metric == BRANCHES); side++)
    if (!(place->constant >> side & 1))
      add_change_point(measuring,
                       (struct change_point){.line = line,
                                             .metric = place->metric,
                                             .number = place->number,
                                             .from = side,
                                             .hits = place->hits[side]});
}

static void add_points_of_places(struct diff_match_state *measuring,
                                 const struct places *places) {
  for (size_t i = 0; i < places->file_count; i++) {
    const struct place_file *file = &places->files[i];
    for (size_t k = file->begin; k < file->end; k++) {
      const struct place *place = &places->list[k];
      uint32_t line;
      if (place->metric != FUNCTIONS &&
          match_source_to_diff(measuring, file->name) &&
          unified_find_changed_line(measuring->file, place->line, place->line,
                                    &line))
        add_points_of_place(measuring, place, line);
    }
  }
}

/* Adds the conditions of each decision to the decision's first changed line. */
static void add_points_of_decisions(struct diff_match_state *measuring,
                                    const struct model *exported) {
  for (size_t i = 0; i < model_function_count(exported); i++) {
    const struct model_function *one = &model_functions(exported)[i];
    const uint32_t *files = model_files_of(exported, one);
    for (uint32_t k = 0; k < one->decisions.count; k++) {
      const struct model_decision *decision =
          &model_decisions_of(exported, one)[k];
      const struct source_span *span = &decision->span;
      struct change_point point = {
          .metric = MCDC,
          .from = place_number(span->line, span->column),
          .to = place_number(span->end_line, span->end_column)};
      if (files[decision->file] >= exported->summary.count ||
          !match_source_to_diff(measuring,
                                exported->names[files[decision->file]]) ||
          span->line > span->end_line || span->end_line > INT_MAX ||
          !unified_find_changed_line(measuring->file, span->line,
                                     span->end_line, &point.line))
        continue;
      for (; point.number < decision->conditions.count; point.number++) {
        point.hits = model_conditions(
            exported)[decision->conditions.begin + point.number];
        add_change_point(measuring, point);
      }
    }
  }
}

/* Adds each decision that clang does not measure at the first changed line of
 * the decision. */
static void add_unmeasured_points(struct diff_match_state *measuring,
                                  const struct buffer *list) {
  for (size_t i = 0; i < unmeasured_count(list); i++) {
    const struct unmeasured_decision *one = &unmeasured_list(list)[i];
    struct change_point point = {.metric = METRICS,
                                 .from = (uint64_t)one->begin.line << 32 |
                                         one->begin.column};
    if (match_source_to_diff(measuring, one->file) &&
        unified_find_changed_line(measuring->file, one->begin.line,
                                  one->end.line, &point.line))
      add_change_point(measuring, point);
  }
}

/* ---- the change ---- */

ORDER_BY(compare_points, struct change_point, (uint64_t)x->file << 32 | x->line,
         (uint64_t)x->metric << 32 | x->number, x->from, x->to);

/* Adds a point to the scores of a row, unless it is an unmeasured decision. */
static void score_change_point(struct file_row *row,
                               const struct change_point *point) {
  if (point->metric < METRICS)
    score_add(&row->scores[point->metric], true, point->hits);
}

static void merge_and_score_points(struct change_coverage *change) {
  size_t kept = 0;
  sort_array(change->points, change->count, sizeof *change->points,
             compare_points);
  for (size_t i = 0; i < change->count; i++) {
    struct change_point *point = &change->points[i];
    struct change_point *last = kept ? &change->points[kept - 1] : NULL;
    if (last && compare_points(last, point) == 0)
      last->hits = add_saturated(last->hits, point->hits);
    else
      change->points[kept++] = *point;
  }
  change->count = kept;
  for (size_t i = 0; i < kept; i++)
    score_change_point(&change->total, &change->points[i]);
}

bool change_collect_points(struct change_coverage *change,
                           const struct places *places,
                           const struct model *exported,
                           const struct buffer *unmeasured,
                           const struct source_maps *paths) {
  struct diff_match_state measuring = {
      .change = change, .paths = paths, .root = find_repository(paths->here)};
  size_t count = change->diff.count;
  change->sources = need_memory(calloc(count + 1, sizeof *change->sources));
  change->names = need_memory(calloc(count + 1, sizeof *change->names));
  add_points_of_places(&measuring, places);
  add_unmeasured_points(&measuring, unmeasured);
  add_points_of_decisions(&measuring, exported);
  merge_and_score_points(change);
  free(measuring.root);
  return !measuring.ambiguous;
}

void change_free(struct change_coverage *change) {
  for (size_t i = 0; change->sources && i < change->diff.count; i++)
    free(change->sources[i]);
  for (size_t i = 0; change->names && i < change->diff.count; i++)
    free(change->names[i]);
  free(change->sources);
  free(change->names);
  free(change->points);
  unified_free(&change->diff);
  file_close(&change->file);
  *change = (struct change_coverage){0};
}

/* ---- output ---- */

enum { UNKNOWN_MOST = 10, MESSAGE = 200 };

const char *const change_formats[] = {"text", "github", NULL};

/* Adds up the points of one line or of one file, from index `i` on. Returns the
 * index after the last of these points. */
static size_t sum_adjacent_points(const struct change_coverage *change,
                                  size_t i, bool line, struct file_row *row) {
  const struct change_point *first = &change->points[i];
  *row = (struct file_row){0};
  for (; i < change->count && change->points[i].file == first->file &&
         (!line || change->points[i].line == first->line);
       i++)
    score_change_point(row, &change->points[i]);
  return i;
}

/* Returns the number of unmeasured decisions in a range of points. */
static size_t count_unmeasured_points(const struct change_coverage *change,
                                      size_t begin, size_t end) {
  size_t count = 0;
  for (; begin < end; begin++)
    count += change->points[begin].metric == METRICS;
  return count;
}

/* Makes the message about a line. Returns false if the line is covered. */
static bool format_uncovered_message(char message[MESSAGE],
                                     const struct file_row *row,
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

/* Prints a value in a command for GitHub, where some characters have a special
 * meaning. GitHub's log is shown like a terminal, so control characters are
 * escaped, too. */
static void print_github_escaped(const char *text) {
  for (; *text; text++)
    if (strchr("%:,\177", *text) || (unsigned char)*text < ' ')
      printf("%%%02X", (unsigned char)*text);
    else
      putchar(*text);
}

static void print_uncovered_lines(const struct change_coverage *change,
                                  enum change_format format) {
  for (size_t i = 0; i < change->count;) {
    const struct change_point *point = &change->points[i];
    const char *name = change->diff.files[point->file].name;
    char message[MESSAGE], shown[1000];
    struct file_row row;
    size_t begin = i;
    i = sum_adjacent_points(change, i, true, &row);
    if (!format_uncovered_message(message, &row,
                                  count_unmeasured_points(change, begin, i)))
      continue;
    if (format == CHANGE_GITHUB) {
      fputs("::warning file=", stdout);
      print_github_escaped(name);
      printf(",line=%" PRIu32 "::%s\n", point->line, message);
    } else {
      printf("%s:%" PRIu32 ": %s\n", make_printable(shown, sizeof shown, name),
             point->line, message);
    }
  }
}

/* Makes a row for each file that has something to cover. */
static void make_file_rows(const struct change_coverage *change,
                           struct scores_summary *summary) {
  summary->rows =
      need_memory(calloc(change->diff.count + 1, sizeof *summary->rows));
  for (size_t i = 0; i < change->count;) {
    struct file_row *row = &summary->rows[summary->count];
    const char *name = change->diff.files[change->points[i].file].name;
    i = sum_adjacent_points(change, i, false, row);
    row->name = need_memory(strdup(name));
    summary->count++;
  }
}

/* Prints the changed files that the report lacks. Returns their number. */
static size_t print_files_not_in_report(const struct change_coverage *change) {
  size_t count = 0;
  for (size_t i = 0; i < change->diff.count; i++) {
    char shown[1000];
    if (!change->diff.files[i].span_count || change->sources[i])
      continue;
    if (count++ == 0)
      puts("Not in the report, and not counted:");
    if (count <= UNKNOWN_MOST)
      printf("  %s\n",
             make_printable(shown, sizeof shown, change->diff.files[i].name));
  }
  if (count > UNKNOWN_MOST)
    printf("  and %zu more\n", count - UNKNOWN_MOST);
  return count;
}

void change_print(const struct change_coverage *change,
                  enum change_format format) {
  struct scores_summary summary = {.total = change->total};
  size_t lines = 0, files = 0;
  for (size_t i = 0; i < change->diff.count; i++) {
    lines += change->diff.files[i].lines;
    files += change->diff.files[i].span_count != 0;
  }
  make_file_rows(change, &summary);
  uint64_t code = summary.total.scores[LINES].count;
  size_t unmeasured = count_unmeasured_points(change, 0, change->count);
  printf("Changed: %zu line%s, %" PRIu64 " of code%s", lines,
         lines == 1 ? "" : "s", code, code ? "" : ", which counts as 100 %");
  if (unmeasured)
    printf(", %zu decision%s not measured by MC/DC", unmeasured,
           unmeasured == 1 ? "" : "s");
  putchar('\n');
  if (summary.count) {
    putchar('\n');
    struct table_layout table;
    const struct scores_summary *const all = &summary;
    table_set_layout(&table, &all, 1, 0);
    table.folder = 0;
    table.miss[FUNCTIONS] = table.miss[REGIONS] = 0;
    for (size_t i = 0; i < summary.count; i++)
      table_widen_for_name(&table, summary.rows[i].name);
    table_print_head(&table);
    table_print_rule(&table);
    table_print_files(&table, &summary);
    table_print_rule(&table);
    table_print_row(&table, 0, "change", &summary.total);
    print_uncovered_lines(change, format);
  }
  size_t unknown = print_files_not_in_report(change);
  putchar('\n');
  if (files && unknown == files)
    warn(change->file.name,
         "no file of this diff is in the report; run the command in the "
         "repository of the sources, or use --source-map");
  summary_free(&summary);
}
