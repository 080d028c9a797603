/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file reads a unified diff for change.c. Each changed file has
 *   --- OLD, +++ NEW, then hunks: @@ -LINE,COUNT +LINE,COUNT @@ and their lines
 * Git writes `diff --git OLD NEW` before these lines, and `rename to NAME`.
 */
#include "change.h"

#include <limits.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/number.h"
#include "../../base/source_name.h"

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

/* Reads a line of a hunk. */
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

/* Reads a line outside of hunks. */
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
  struct diff_reader reader = {.diff = diff, .text = text};
  const unsigned char *end = text.data + text.size;
  const char *error = NULL;
  bool blank = true;
  *diff = (struct unified_diff){0};
  if (text.size)
    skip_prefix(&reader.text.data, end, "\xEF\xBB\xBF"); /* a byte order mark */
  const unsigned char *wide = reader.text.data;
  if (text.size && (skip_prefix(&wide, end, "\xFF\xFE") ||
                    skip_prefix(&wide, end, "\xFE\xFF")))
    return "the diff is UTF-16, written by a shell; make the diff with `git "
           "diff -U0 --output=FILE`";
  reader.text.size = text.size ? (size_t)(end - reader.text.data) : 0;
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
