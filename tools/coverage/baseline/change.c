/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file reads a diff, finds the coverage of the change (`--diff`), and
 * prints it.
 */
#include "change.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/number.h"
#include "../../base/os.h"
#include "../../base/source_name.h"
#include "../out/out.h"

/* ==== This part reads a unified diff. Each changed file has
 *   --- OLD, +++ NEW, then hunks: @@ -LINE,COUNT +LINE,COUNT @@ and their lines
 * Git writes `diff --git OLD NEW` before these lines, and `rename to NAME`. */

static const char damaged[] = "the number of lines in this hunk does not match "
                              "its header; make the diff again";
static const char unmarked[] =
    "this hunk adds and removes no line; make the diff without --word-diff";
static const char wrong_name[] =
    "a file name is not quoted as in git's diffs; make the diff again with git";

/* The state while a diff is read. */
struct diff_reader {
  struct unified_diff *diff;
  struct bytes text, line;     /* the remaining text; the current line */
  struct bytes git, renamed;   /* the names in git's lines; may be empty */
  struct bytes old;            /* name in a --- line just before, or empty */
  bool found;                  /* The text contains a diff. */
  bool file;                   /* A file was named, so hunks may follow. */
  bool kept;                   /* The file is the last one in the list. */
  bool changes;                /* The current hunk adds or removes a line. */
  bool after_hunk;             /* The previous line ended a hunk. */
  uint64_t old_left, new_left; /* lines of the hunk that remain to be read */
  uint64_t next;               /* number of the next line in the new file */
};

/* Returns whether the current line begins with a word, and sets *rest to the
 * text after the word. */
static bool match_line_prefix(const struct diff_reader *reader,
                              const char *word, struct bytes *rest) {
  const unsigned char *at = reader->line.data, *end = at + reader->line.size;
  if (!skip_prefix(&at, end, word))
    return false;
  *rest = (struct bytes){at, (size_t)(end - at)};
  return true;
}

/* ---- names ---- */

/* Parses the escape sequence after a backslash. Returns the character that the
 * sequence stands for, or 0 if the sequence is not valid. */
static unsigned parse_escape_sequence(const unsigned char **at,
                                      const unsigned char *end) {
  static const char names[] = "abtnvfr\"\\", bytes[] = "\a\b\t\n\v\f\r\"\\";
  const char *found = *at != end && **at ? strchr(names, **at) : NULL;
  unsigned value = 0;
  if (found) {
    ++*at;
    return (unsigned char)bytes[found - names];
  }
  for (int i = 0; i < 3; i++, ++*at) {
    if (*at == end || digit_value(**at) >= 8)
      return 0;
    value = value << 3 | digit_value(**at);
  }
  return value < 256 ? value : 0;
}

/* Returns the name of a file. In the diff, the name is quoted, or ends at a
 * tab, which a date follows. The caller frees the result. Returns NULL if the
 * name is damaged. */
static char *parse_file_name(struct bytes raw) {
  const unsigned char *at = raw.data, *end = at + raw.size;
  bool quoted = skip_prefix(&at, end, "\""), right = true;
  char *name = need_memory(malloc(raw.size + 1));
  size_t size = 0;
  while (right && at != end && *at != (quoted ? '"' : '\t')) {
    unsigned byte = *at++;
    if (quoted && byte == '\\')
      byte = parse_escape_sequence(&at, end);
    right = byte != 0;
    name[size++] = (char)byte;
  }
  name[size] = 0;
  if (right && size && !(quoted && at == end))
    return source_name_normalise(name);
  free(name);
  return NULL;
}

/* Returns the part of a name after the first slash. Returns NULL if the name
 * has only one component or begins with a slash. */
static const char *skip_first_folder(const char *name) {
  const char *slash = strchr(name, '/');
  return slash && slash != name && slash[1] ? slash + 1 : NULL;
}

static struct bytes cut_at_tab(struct bytes raw) {
  const unsigned char *tab = raw.size ? memchr(raw.data, '\t', raw.size) : NULL;
  return (struct bytes){raw.data, tab ? (size_t)(tab - raw.data) : raw.size};
}

/* Returns whether a new name has a prefix, such as b/. Git writes prefixes,
 * unless both names in its line are the same. Without git, the old name shows
 * whether there are prefixes, because diff -r compares two folders. Sets *wrong
 * if the old name is damaged. */
static bool has_folder_prefix(const struct diff_reader *reader,
                              struct bytes raw, const char *name, bool *wrong) {
  struct bytes git = reader->git, word = cut_at_tab(raw);
  const char *rest = skip_first_folder(name);
  if (!rest)
    return false;
  if (git.size)
    return git.size != 2 * word.size + 1 || git.data[word.size] != ' ' ||
           memcmp(git.data, word.data, word.size) != 0 ||
           memcmp(git.data + word.size + 1, word.data, word.size) != 0;
  char *old = parse_file_name(reader->old);
  const char *old_rest = old ? skip_first_folder(old) : NULL;
  *wrong = !old;
  bool prefix = old && strcmp(old, "/dev/null") == 0
                    ? strncmp(name, "b/", 2) == 0
                    : old_rest && !strcmp(old_rest, rest) && strcmp(old, name);
  free(old);
  return prefix;
}

/* ---- files ---- */

static const char *parse_new_file_line(struct diff_reader *reader,
                                       struct bytes raw) {
  struct unified_diff *diff = reader->diff;
  struct bytes word = cut_at_tab(raw);
  bool wrong = false;
  reader->found = reader->file = true;
  reader->kept = compare_bytes(word.data, word.size, "/dev/null",
                               strlen("/dev/null")) != 0;
  diff->others |= !reader->kept;
  if (!reader->kept)
    return NULL;
  char *name = parse_file_name(reader->renamed.size ? reader->renamed : raw);
  if (!name)
    return wrong_name;
  if (!reader->renamed.size && has_folder_prefix(reader, raw, name, &wrong))
    memmove(name, skip_first_folder(name), strlen(skip_first_folder(name)) + 1);
  paths_tidy(name);
  LIST_ADD(diff->files, diff->count,
           (struct unified_file){.name = name,
                                 .first_span = diff->span_count,
                                 .first_hunk = diff->hunk_count});
  return wrong ? wrong_name : NULL;
}

/* Parses a range of the form LINE or LINE,COUNT. */
static bool parse_line_range(const unsigned char **at, const unsigned char *end,
                             uint64_t *line, uint64_t *count) {
  const unsigned char *begin = *at;
  *line = parse_decimal(at, end);
  *count = 1;
  if (*at == begin || *line > INT_MAX)
    return false;
  if (!skip_prefix(at, end, ","))
    return true;
  begin = *at;
  *count = parse_decimal(at, end);
  return *at != begin && *count <= INT_MAX - *line;
}

static const char *parse_hunk_header(struct diff_reader *reader,
                                     struct bytes header) {
  const unsigned char *at = header.data, *end = at + header.size;
  struct unified_diff *diff = reader->diff;
  uint64_t old;
  if (!reader->file || !parse_line_range(&at, end, &old, &reader->old_left) ||
      !skip_prefix(&at, end, " +") ||
      !parse_line_range(&at, end, &reader->next, &reader->new_left) ||
      !skip_prefix(&at, end, " @@") ||
      (reader->new_left && (reader->next == 0 || !reader->kept)))
    return "the hunk header is not valid; make the diff again";
  reader->changes = false;
  reader->after_hunk = !reader->old_left && !reader->new_left;
  if (!reader->kept)
    return NULL;
  LIST_ADD(diff->hunks, diff->hunk_count,
           (struct unified_hunk){
               (uint32_t)old, (uint32_t)reader->next, {reader->text.data, 0}});
  diff->files[diff->count - 1].hunk_count++;
  return NULL;
}

/* Adds the current line to the last hunk. */
static void extend_hunk(struct diff_reader *reader) {
  struct unified_hunk *hunk = reader->diff->hunks + reader->diff->hunk_count;
  if (reader->kept && reader->diff->hunk_count)
    hunk[-1].lines.size = (size_t)(reader->text.data - hunk[-1].lines.data);
}

static const char *add_changed_line(struct unified_diff *diff, uint32_t line) {
  struct unified_file *file = &diff->files[diff->count - 1];
  struct unified_line_span *last =
      file->span_count ? &diff->spans[diff->span_count - 1] : NULL;
  file->lines++;
  /* The context of two hunks may overlap (git diff -W), but their added lines
   * may not. */
  if (last && line <= last->last)
    return "the hunks are not in order; make the diff again";
  if (last && line == last->last + 1) {
    last->last = line;
    return NULL;
  }
  LIST_ADD(diff->spans, diff->span_count,
           (struct unified_line_span){line, line});
  file->span_count++;
  return NULL;
}

static const char *parse_hunk_line(struct diff_reader *reader) {
  /* Some programs omit the blank at the beginning of an empty line. */
  int mark = reader->line.size ? reader->line.data[0] : ' ';
  bool is_old = mark == '-' || mark == ' ', is_new = mark == '+' || mark == ' ';
  extend_hunk(reader);
  if (mark == '\\') /* \ No newline at end of file */
    return NULL;
  if ((!is_old && !is_new) || (is_old && !reader->old_left) ||
      (is_new && !reader->new_left))
    return damaged;
  const char *error =
      mark == '+' ? add_changed_line(reader->diff, (uint32_t)reader->next)
                  : NULL;
  reader->next += is_new;
  reader->old_left -= is_old;
  reader->new_left -= is_new;
  reader->changes |= !is_old || !is_new;
  reader->after_hunk = !reader->old_left && !reader->new_left;
  return reader->after_hunk && !reader->changes ? unmarked : error;
}

static const char *parse_line_outside_hunk(struct diff_reader *reader) {
  struct bytes rest, old = reader->old;
  bool behind = reader->after_hunk;
  reader->old = (struct bytes){NULL, 0};
  reader->after_hunk = false;
  if (match_line_prefix(reader, "diff --cc ", &rest) ||
      match_line_prefix(reader, "diff --combined ", &rest) ||
      match_line_prefix(reader, "@@@ ", &rest))
    return "combined diffs are not supported; compare with one commit: `git "
           "diff -U0 COMMIT`";
  if (match_line_prefix(reader, "diff ", &rest)) {
    reader->diff->others |= reader->git.size && !reader->file;
    reader->git = reader->renamed = (struct bytes){NULL, 0};
    reader->found |= match_line_prefix(reader, "diff --git ", &reader->git);
    reader->file = false;
  } else if (reader->git.size && !reader->file &&
             (match_line_prefix(reader, "rename to ", &rest) ||
              match_line_prefix(reader, "copy to ", &rest))) {
    reader->renamed = rest;
  } else if (match_line_prefix(reader, "--- ", &rest)) {
    reader->old = rest;
  } else if (old.size && match_line_prefix(reader, "+++ ", &rest)) {
    /* Without a new `diff --git` line, the names in the last such line belong
     * to another file. */
    if (reader->file)
      reader->git = reader->renamed = (struct bytes){NULL, 0};
    reader->old = old;
    const char *error = parse_new_file_line(reader, rest);
    reader->old = (struct bytes){NULL, 0};
    return error;
  } else if (match_line_prefix(reader, "@@ -", &rest)) {
    return parse_hunk_header(reader, rest);
  } else if (behind && match_line_prefix(reader, "+", &rest)) {
    return damaged;
  } else {
    /* A line with a backslash may follow the last line of a hunk. */
    reader->after_hunk = behind && match_line_prefix(reader, "\\", &rest);
    if (reader->after_hunk)
      extend_hunk(reader);
    reader->diff->others |= match_line_prefix(reader, "Binary files ", &rest) ||
                            match_line_prefix(reader, "Only in ", &rest);
  }
  return NULL;
}

static int compare_file_names(const void *a, const void *b) {
  const struct unified_file *x = a, *y = b;
  return strcmp(x->name, y->name);
}

static const char *sort_and_check_diff_files(struct unified_diff *diff) {
  for (size_t i = 0; i < diff->count; i++) {
    struct unified_file *file = &diff->files[i];
    file->spans = file->span_count ? diff->spans + file->first_span : NULL;
    file->hunks = file->hunk_count ? diff->hunks + file->first_hunk : NULL;
  }
  sort_array(diff->files, diff->count, sizeof *diff->files, compare_file_names);
  diff->line = 0;
  for (size_t i = 1; i < diff->count; i++)
    if (strcmp(diff->files[i - 1].name, diff->files[i].name) == 0)
      return "the diff changes a file twice, so its line numbers are "
             "ambiguous; make one diff from the base to the sources that ran";
  return NULL;
}

const char *unified_parse(struct unified_diff *diff, struct bytes text) {
  struct diff_reader reader = {.diff = diff,
                               .text = bytes_skip_byte_order_mark(text)};
  const char *error = NULL;
  bool blank = true;
  *diff = (struct unified_diff){0};
  const unsigned char *wide = reader.text.data, *end = wide + reader.text.size;
  if (reader.text.size && (skip_prefix(&wide, end, "\xFF\xFE") ||
                           skip_prefix(&wide, end, "\xFE\xFF")))
    return "the diff is UTF-16, written by a shell; make the diff with `git "
           "diff -U0 --output=FILE`";
  while (!error && bytes_next_line(&reader.text, &reader.line)) {
    /* The diff or the source may have CRLF line ends. */
    reader.line.size -=
        reader.line.size && reader.line.data[reader.line.size - 1] == '\r';
    diff->line++;
    blank &= reader.line.size == 0;
    error = reader.old_left || reader.new_left
                ? parse_hunk_line(&reader)
                : parse_line_outside_hunk(&reader);
  }
  if (!error && (reader.old_left || reader.new_left))
    error = damaged;
  if (error)
    return error;
  diff->others |= reader.git.size && !reader.file;
  if (reader.found || blank)
    return sort_and_check_diff_files(diff);
  diff->line = 0;
  return "no unified diff found; make the diff with `git diff -U0 --no-color`";
}

void unified_free(struct unified_diff *diff) {
  for (size_t i = 0; i < diff->count; i++)
    free(diff->files[i].name);
  free(diff->files);
  free(diff->spans);
  free(diff->hunks);
  *diff = (struct unified_diff){0};
}

const struct unified_file *unified_find_file(const struct unified_diff *diff,
                                             const char *name) {
  const struct unified_file key = {.name = (char *)(uintptr_t)name};
  return diff->count ? bsearch(&key, diff->files, diff->count,
                               sizeof *diff->files, compare_file_names)
                     : NULL;
}

bool unified_find_changed_line(const struct unified_file *file, uint32_t first,
                               uint32_t last, uint32_t *line) {
  /* Finds the first span that ends at `first` or later. */
  size_t from = search_from(file->spans, file->span_count, last, first);
  if (from == file->span_count || file->spans[from].first > last)
    return false;
  *line = file->spans[from].first > first ? file->spans[from].first : first;
  return true;
}

/* ---- from a new file and its hunks to the old file ---- */

/* Returns the next line of a hunk without its mark. If a line with a backslash
 * follows, the returned line does not have a line end in the file. */
static struct bytes parse_next_hunk_line(struct bytes *lines, int *mark) {
  struct bytes line = bytes_next_full_line(lines);
  *mark = line.size ? line.data[0] : ' ';
  if (*mark == '\n' || *mark == '\r')
    *mark = ' '; /* The line is empty, and its blank is missing. */
  else if (line.size)
    line = (struct bytes){line.data + 1, line.size - 1};
  if (lines->size && lines->data[0] == '\\') {
    bytes_next_full_line(lines);
    line.size -= line.size && line.data[line.size - 1] == '\n';
  }
  return line;
}

bool unified_restore_old_file(const struct unified_file *file,
                              struct bytes text, struct buffer *old) {
  uint32_t number = 1; /* number of the first line in `text` */
  bool failed = false;
  for (size_t i = 0; i < file->hunk_count && !failed; i++) {
    const struct unified_hunk *hunk = &file->hunks[i];
    int mark = '-';
    for (struct bytes lines = hunk->lines; lines.size && mark == '-';)
      parse_next_hunk_line(&lines, &mark);
    /* A hunk that only removes lines has the number of the previous line. */
    uint32_t until = hunk->now + (mark == '-');
    for (; number < until && text.size; number++) {
      struct bytes line = bytes_next_full_line(&text);
      failed |= buffer_append_bytes(old, line.data, line.size) != NULL;
    }
    failed |= number != until;
    for (struct bytes lines = hunk->lines; lines.size && !failed;) {
      struct bytes line = parse_next_hunk_line(&lines, &mark), there;
      if (mark != '-') {
        there = bytes_next_full_line(&text);
        failed |= compare_bytes(there.data, there.size, line.data, line.size);
        number++;
      }
      if (mark != '+')
        failed |= buffer_append_bytes(old, line.data, line.size) != NULL;
    }
  }
  return !buffer_append_bytes(old, text.data, text.size) && !failed;
}

/* ==== This part matches the files of the diff with the report's sources. Each
 * line, branch and condition on a changed line becomes a point in a list. The
 * list has each place once. */

enum { DIFF_LIMIT = 1 << 27 };

void change_read(struct change_coverage *change, const char *name) {
  exit_if_failed(file_read(&change->file, name, DIFF_LIMIT));
  const char *error = unified_parse(&change->diff, change->file.bytes);
  if (error && change->diff.line)
    exit_if_failed(report(name, "line %zu: %s", change->diff.line, error));
  exit_on_error(name, error);
}

/* ---- pairs of names ---- */

/* The state while sources are matched with the files of the diff. Many places
 * in a row have the same source, so the last result is kept. */
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
find_diff_file(const struct diff_match_state *matching, const char *source) {
  const struct unified_diff *diff = &matching->change->diff;
  const char *root = matching->root;
  const char *below =
      root ? paths_find_part_below(source, root, strlen(root)) : NULL;
  const struct unified_file *file = unified_find_file(diff, source);
  if (below)
    return file ? file : unified_find_file(diff, below + 1);
  for (const char *at = source; !file && (at = strchr(at, '/'));)
    file = unified_find_file(diff, ++at);
  return file;
}

/* Stores that matching->file of the diff is this source. Takes over `source`.
 * `compiled` is the compiler's name of the source. */
static void set_source_or_warn(struct diff_match_state *matching, char *source,
                               const char *compiled) {
  const struct change_coverage *change = matching->change;
  const struct unified_file *file = matching->file;
  char **before = &change->sources[file - change->diff.files];
  char name[1000], shown[1000], other[1000];
  if (!*before) {
    *before = source;
    change->names[file - change->diff.files] = need_memory(strdup(compiled));
    return;
  }
  if (strcmp(*before, source) != 0 && file->span_count) {
    matching->ambiguous = true;
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
match_source_to_diff(struct diff_match_state *matching, const char *name) {
  const struct source_maps *paths = matching->paths;
  if (matching->name && strcmp(matching->name, name) == 0)
    return matching->file;
  matching->name = name;
  matching->file = NULL;
  const struct source_maps maps = {paths->maps, paths->count, NULL};
  char *source = paths_local_name(&maps, name);
  if (!source_name_is_absolute(source) && matching->root) {
    char *whole = paths_join(paths->here, source);
    paths_tidy(whole);
    matching->file = find_diff_file(matching, whole);
    free(whole);
  }
  paths_tidy(source);
  if (!matching->file)
    matching->file = find_diff_file(matching, source);
  if (matching->file)
    set_source_or_warn(matching, source, name);
  else
    free(source);
  return matching->file;
}

/* ---- points ---- */

static void add_change_point(struct diff_match_state *matching,
                             struct change_point point) {
  struct change_coverage *change = matching->change;
  point.file = (uint32_t)(matching->file - change->diff.files);
  LIST_ADD(change->points, change->count, point);
}

/* Adds a line, or the outcomes of a branch. */
static void add_points_of_place(struct diff_match_state *matching,
                                const struct place *place, uint32_t line) {
  for (uint32_t side = 0; side < 2; side++)
    if (place_has_outcome(place, side))
      add_change_point(matching,
                       (struct change_point){.line = line,
                                             .metric = place->metric,
                                             .number = place->number,
                                             .from = side,
                                             .hits = place->hits[side]});
}

static void add_points_of_places(struct diff_match_state *matching,
                                 const struct places *places) {
  for (size_t i = 0; i < places->file_count; i++) {
    const struct place_file *file = &places->files[i];
    /* Functions come first, so lines would follow the last function. */
    if (places->list[file->end - 1].metric == FUNCTIONS ||
        !match_source_to_diff(matching, file->name))
      continue;
    for (size_t k = file->begin; k < file->end; k++) {
      const struct place *place = &places->list[k];
      uint32_t line;
      if (place->metric != FUNCTIONS &&
          unified_find_changed_line(matching->file, place->line, place->line,
                                    &line))
        add_points_of_place(matching, place, line);
    }
  }
}

/* Adds the conditions of each decision to the decision's first changed line. */
static void add_points_of_decisions(struct diff_match_state *matching,
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
          !match_source_to_diff(matching,
                                exported->names[files[decision->file]]) ||
          span->line > span->end_line || span->end_line > INT_MAX ||
          !unified_find_changed_line(matching->file, span->line, span->end_line,
                                     &point.line))
        continue;
      for (; point.number < decision->conditions.count; point.number++) {
        uint32_t at = decision->conditions.begin + point.number;
        point.hits = model_conditions(exported)[at];
        if (model_condition_counts(exported, at))
          add_change_point(matching, point);
      }
    }
  }
}

/* Adds each decision that clang does not measure at the first changed line of
 * the decision. */
static void add_unmeasured_points(struct diff_match_state *matching,
                                  const struct buffer *list) {
  for (size_t i = 0; i < unmeasured_count(list); i++) {
    const struct unmeasured_decision *one = &unmeasured_list(list)[i];
    struct change_point point = {.metric = METRICS,
                                 .from = (uint64_t)one->begin.line << 32 |
                                         one->begin.column};
    if (match_source_to_diff(matching, one->file) &&
        unified_find_changed_line(matching->file, one->begin.line,
                                  one->end.line, &point.line))
      add_change_point(matching, point);
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
  struct diff_match_state matching = {
      .change = change, .paths = paths, .root = find_repository(paths->here)};
  size_t count = change->diff.count;
  change->sources = need_memory(calloc(count + 1, sizeof *change->sources));
  change->names = need_memory(calloc(count + 1, sizeof *change->names));
  add_points_of_places(&matching, places);
  add_unmeasured_points(&matching, unmeasured);
  add_points_of_decisions(&matching, exported);
  merge_and_score_points(change);
  free(matching.root);
  return !matching.ambiguous;
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
      table_widen_for_name(&table, table_short_name(0, summary.rows[i].name));
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
         "no file of this diff is in the report; if the diff changes measured "
         "sources, run the command in their repository, or use --source-map");
  summary_free(&summary);
}
