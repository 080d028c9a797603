/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each changed file is
 *   --- OLD, +++ NEW, then hunks: @@ -LINE,COUNT +LINE,COUNT @@ and their lines
 * Git puts `diff --git OLD NEW` in front, and `rename to NAME`.
 */
#include "change.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/storage.h"
#include "../../base/compare.h"
#include "../../base/error.h"
#include "../../base/number.h"
#include "../../base/source_name.h"
#include "../inputs/paths.h"

static const char none[] = "there is no unified diff in it; make it with "
                           "`git diff -U0 --no-color`";
static const char damaged[] =
    "a hunk's lines are not as many as its header says; make the diff again";
static const char unmarked[] =
    "a hunk ends here that adds and removes no line; make the diff without "
    "--word-diff";
static const char wrong_hunk[] =
    "this is no header of a hunk; make the diff again";
static const char wrong_order[] =
    "this line comes before one that the diff has already; make the diff again";
static const char wrong_name[] =
    "a file's name is not quoted as git does it; make the diff again";
static const char combined[] = "a combined diff has several old files; compare "
                               "with one commit: `git diff -U0 COMMIT`";
static const char twice[] =
    "it changes a file twice, so line numbers are of several versions; make "
    "one diff from the base to the sources that ran";

struct diff_reader {
  const unsigned char *at, *end; /* of the text that is left */
  struct bytes line;             /* without its end */
  struct bytes git, renamed;     /* what git says of names; or empty */
  struct bytes old;              /* the name behind --- in the line before */
  bool found;                    /* a diff */
  bool file;                     /* a file that hunks may follow */
  bool kept;                     /* it is the last one of the list */
  bool changes;                  /* The hunk does. */
  bool behind;                   /* the line before ended a hunk */
  uint64_t old_left, new_left;   /* lines of the hunk */
  uint64_t next;                 /* line of the new file */
};

static bool next_line(struct diff_reader *reader, struct unified *diff) {
  struct bytes left = {reader->at, (size_t)(reader->end - reader->at)};
  if (!bytes_line(&left, &reader->line))
    return false;
  reader->at = left.data;
  /* Of a diff or a source with CRLF. */
  if (reader->line.size && reader->line.data[reader->line.size - 1] == '\r')
    reader->line.size--;
  diff->line++;
  return true;
}

/* Whether the line begins with a word. *rest: what is behind it. */
static bool begins(const struct diff_reader *reader, const char *word,
                   struct bytes *rest) {
  const unsigned char *at = reader->line.data, *end = at + reader->line.size;
  if (!take_word(&at, end, word))
    return false;
  *rest = (struct bytes){at, (size_t)(end - at)};
  return true;
}

/* ---- names ---- */

static bool same(struct bytes a, struct bytes b) {
  return compare_bytes(a.data, a.size, b.data, b.size) == 0;
}

static bool is(struct bytes name, const char *text) {
  return same(name, (struct bytes){(const unsigned char *)text, strlen(text)});
}

/* Takes what stands for one character behind a backslash. 0: nothing does. */
static unsigned take_escaped(const unsigned char **at,
                             const unsigned char *end) {
  static const char names[] = "abtnvfr\"\\", bytes[] = "\a\b\t\n\v\f\r\"\\";
  const char *found = *at != end && **at ? strchr(names, **at) : NULL;
  unsigned value = 0;
  if (found) {
    ++*at;
    return (unsigned char)bytes[found - names];
  }
  for (int i = 0; i < 3; i++, ++*at) {
    if (*at == end || digit_of(**at) >= 8)
      return 0;
    value = value << 3 | digit_of(**at);
  }
  return value < 256 ? value : 0;
}

/* Returns a name as text: quoted, or up to a tab with a date behind it. NULL:
 * it is damaged, or there is no memory, as *error says. */
static char *plain_path(struct bytes raw, const char **error) {
  const unsigned char *at = raw.data, *end = at + raw.size;
  bool quoted = take_word(&at, end, "\"");
  char *name = malloc(raw.size + 1);
  size_t size = 0;
  *error = name ? NULL : out_of_memory;
  for (; name && !*error && at != end && *at != (quoted ? '"' : '\t');) {
    unsigned byte = *at++;
    if (quoted && byte == '\\')
      byte = take_escaped(&at, end);
    if (!byte)
      *error = wrong_name;
    name[size++] = (char)byte;
  }
  if (name && !*error && (size == 0 || (quoted && at == end)))
    *error = wrong_name;
  if (!*error) {
    name[size] = 0;
    return source_name(name);
  }
  free(name);
  return NULL;
}

/* Returns what is behind the first slash; NULL: the name has one component, or
 * begins at the root. */
static const char *below_first(const char *name) {
  const char *slash = strchr(name, '/');
  return slash && slash != name && slash[1] ? slash + 1 : NULL;
}

/* Whether git wrote both names alike, without prefixes. */
static bool no_prefix(struct bytes git, struct bytes name) {
  return git.size == 2 * name.size + 1 && git.data[name.size] == ' ' &&
         memcmp(git.data, name.data, name.size) == 0 &&
         memcmp(git.data + name.size + 1, name.data, name.size) == 0;
}

/* Takes the prefix off a new name, if the old one shows that it has one. Git
 * has it unless both names are the same; diff -r compares two folders. */
static const char *take_prefix(struct diff_reader *reader, struct bytes raw,
                               const char **error, char *name) {
  const char *rest = below_first(name);
  if (!rest)
    return name;
  if (reader->git.size) {
    size_t size = raw.size;
    const unsigned char *tab = memchr(raw.data, '\t', raw.size);
    if (tab)
      size = (size_t)(tab - raw.data);
    return no_prefix(reader->git, (struct bytes){raw.data, size}) ? name : rest;
  }
  char *old = plain_path(reader->old, error);
  const char *old_rest = old ? below_first(old) : NULL;
  bool prefix = old && strcmp(old, "/dev/null") == 0
                    ? strncmp(name, "b/", 2) == 0
                    : old_rest && strcmp(old_rest, rest) == 0;
  if (prefix && old_rest && strcmp(old, name) == 0)
    prefix = false;
  free(old);
  return prefix ? rest : name;
}

/* Returns the name of the new file whose header has raw. */
static char *file_name(struct diff_reader *reader, struct bytes raw,
                       const char **error) {
  char *name = plain_path(reader->renamed.size ? reader->renamed : raw, error);
  if (!name)
    return NULL;
  const char *rest =
      reader->renamed.size ? name : take_prefix(reader, raw, error, name);
  memmove(name, rest, strlen(rest) + 1);
  paths_tidy(name);
  if (!*error)
    return name;
  free(name);
  return NULL;
}

/* ---- files ---- */

static const char *begin_file(struct unified *diff, struct diff_reader *reader,
                              struct bytes raw) {
  const char *error = NULL;
  const unsigned char *tab = raw.size ? memchr(raw.data, '\t', raw.size) : NULL;
  struct bytes word = {raw.data, tab ? (size_t)(tab - raw.data) : raw.size};
  reader->found = reader->file = true;
  reader->kept = !is(word, "/dev/null");
  diff->others |= !reader->kept;
  if (!reader->kept)
    return NULL;
  char *name = file_name(reader, raw, &error);
  if (name && !list_more(&diff->files, diff->count, sizeof *diff->files)) {
    free(name);
    return out_of_memory;
  }
  if (name)
    diff->files[diff->count++] =
        (struct unified_file){.name = name,
                              .first_span = diff->span_count,
                              .first_hunk = diff->hunk_count};
  return error;
}

/* LINE or LINE,COUNT */
static bool take_range(const unsigned char **at, const unsigned char *end,
                       uint64_t *line, uint64_t *count) {
  const unsigned char *begin = *at;
  *line = take_decimal(at, end);
  *count = 1;
  if (*at == begin || *line > INT_MAX)
    return false;
  if (!take_word(at, end, ","))
    return true;
  begin = *at;
  *count = take_decimal(at, end);
  return *at != begin && *count <= INT_MAX - *line;
}

static const char *add_hunk(struct unified *diff,
                            const struct diff_reader *reader, uint64_t old) {
  if (!list_more(&diff->hunks, diff->hunk_count, sizeof *diff->hunks))
    return out_of_memory;
  diff->hunks[diff->hunk_count++] = (struct unified_hunk){
      (uint32_t)old, (uint32_t)reader->next, {reader->at, 0}};
  diff->files[diff->count - 1].hunk_count++;
  return NULL;
}

/* The line belongs to the last hunk. */
static void extend_hunk(struct unified *diff,
                        const struct diff_reader *reader) {
  struct unified_hunk *hunk = diff->hunks + diff->hunk_count;
  if (reader->kept && diff->hunk_count)
    hunk[-1].lines.size = (size_t)(reader->at - hunk[-1].lines.data);
}

static const char *begin_hunk(struct unified *diff, struct diff_reader *reader,
                              struct bytes header) {
  const unsigned char *at = header.data, *end = at + header.size;
  uint64_t old, line;
  if (!reader->file || !take_range(&at, end, &old, &reader->old_left) ||
      !take_word(&at, end, " +") ||
      !take_range(&at, end, &line, &reader->new_left) ||
      !take_word(&at, end, " @@") ||
      (reader->new_left && (line == 0 || !reader->kept)))
    return wrong_hunk;
  reader->next = line;
  reader->changes = false;
  reader->behind = !reader->old_left && !reader->new_left;
  return reader->kept ? add_hunk(diff, reader, old) : NULL;
}

static const char *add_line(struct unified *diff, uint32_t line) {
  struct unified_file *file = &diff->files[diff->count - 1];
  struct unified_span *last =
      file->span_count ? &diff->spans[diff->span_count - 1] : NULL;
  file->lines++;
  /* The context of hunks may overlap: git's -W writes such. */
  if (last && line <= last->last)
    return wrong_order;
  if (last && line == last->last + 1) {
    last->last = line;
    return NULL;
  }
  if (!list_more(&diff->spans, diff->span_count, sizeof *diff->spans))
    return out_of_memory;
  diff->spans[diff->span_count++] = (struct unified_span){line, line};
  file->span_count++;
  return NULL;
}

/* A line of a hunk. */
static const char *in_hunk(struct unified *diff, struct diff_reader *reader) {
  /* Some programs leave the blank of an empty line out. */
  int mark = reader->line.size ? reader->line.data[0] : ' ';
  bool is_old = mark == '-' || mark == ' ', is_new = mark == '+' || mark == ' ';
  const char *error = NULL;
  extend_hunk(diff, reader);
  if (mark == '\\') /* No newline at end of file */
    return NULL;
  if ((!is_old && !is_new) || (is_old && !reader->old_left) ||
      (is_new && !reader->new_left))
    return damaged;
  if (mark == '+')
    error = add_line(diff, (uint32_t)reader->next);
  reader->next += is_new;
  reader->old_left -= is_old;
  reader->new_left -= is_new;
  reader->changes |= !is_old || !is_new;
  reader->behind = !reader->old_left && !reader->new_left;
  return reader->behind && !reader->changes ? unmarked : error;
}

/* Any other line. */
static const char *outside(struct unified *diff, struct diff_reader *reader) {
  struct bytes rest, old = reader->old;
  bool behind = reader->behind;
  reader->old = (struct bytes){NULL, 0};
  reader->behind = false;
  if (begins(reader, "diff --cc ", &rest) ||
      begins(reader, "diff --combined ", &rest) ||
      begins(reader, "@@@ ", &rest))
    return combined;
  if (begins(reader, "diff ", &rest)) {
    diff->others |= reader->git.size && !reader->file;
    reader->git = reader->renamed = (struct bytes){NULL, 0};
    reader->found |= begins(reader, "diff --git ", &reader->git);
    reader->file = false;
  } else if (reader->git.size && !reader->file &&
             (begins(reader, "rename to ", &rest) ||
              begins(reader, "copy to ", &rest))) {
    reader->renamed = rest;
  } else if (begins(reader, "--- ", &rest)) {
    reader->old = rest;
  } else if (old.size && begins(reader, "+++ ", &rest)) {
    /* Without a line of git's in front, what it said was of another file. */
    if (reader->file)
      reader->git = reader->renamed = (struct bytes){NULL, 0};
    reader->old = old;
    const char *error = begin_file(diff, reader, rest);
    reader->old = (struct bytes){NULL, 0};
    return error;
  } else if (begins(reader, "@@ -", &rest)) {
    return begin_hunk(diff, reader, rest);
  } else if (behind && begins(reader, "+", &rest)) {
    return damaged;
  } else {
    /* Behind the last hunk's last line. */
    reader->behind = behind && begins(reader, "\\", &rest);
    if (reader->behind)
      extend_hunk(diff, reader);
    diff->others |= begins(reader, "Binary files ", &rest) ||
                    begins(reader, "Only in ", &rest);
  }
  return NULL;
}

static int by_name(const void *a, const void *b) {
  const struct unified_file *x = a, *y = b;
  return strcmp(x->name, y->name);
}

static const char *settle(struct unified *diff) {
  for (size_t i = 0; i < diff->count; i++) {
    struct unified_file *file = &diff->files[i];
    if (file->span_count)
      file->spans = diff->spans + file->first_span;
    if (file->hunk_count)
      file->hunks = diff->hunks + file->first_hunk;
  }
  sort(diff->files, diff->count, sizeof *diff->files, by_name);
  for (size_t i = 1; i < diff->count; i++)
    if (strcmp(diff->files[i - 1].name, diff->files[i].name) == 0) {
      diff->line = 0;
      return twice;
    }
  return NULL;
}

/* Skips a byte order mark. */
static const char *take_mark(struct diff_reader *reader) {
  take_word(&reader->at, reader->end, "\xEF\xBB\xBF");
  if (take_word(&reader->at, reader->end, "\xFF\xFE") ||
      take_word(&reader->at, reader->end, "\xFE\xFF"))
    return "it is UTF-16, which a shell made of it; write it with `git diff "
           "-U0 --output=FILE`";
  return NULL;
}

const char *unified_read(struct unified *diff, struct bytes text) {
  struct diff_reader reader = {.at = text.data, .end = text.data + text.size};
  bool blank = true;
  *diff = (struct unified){0};
  const char *error = text.size ? take_mark(&reader) : NULL;
  while (!error && next_line(&reader, diff)) {
    blank &= reader.line.size == 0;
    error = reader.old_left || reader.new_left ? in_hunk(diff, &reader)
                                               : outside(diff, &reader);
  }
  if (!error && (reader.old_left || reader.new_left))
    error = damaged;
  if (error)
    return error;
  diff->others |= reader.git.size && !reader.file;
  if (!reader.found && !blank) {
    diff->line = 0;
    return none;
  }
  return settle(diff);
}

void unified_free(struct unified *diff) {
  for (size_t i = 0; i < diff->count; i++)
    free(diff->files[i].name);
  free(diff->files);
  free(diff->spans);
  free(diff->hunks);
  *diff = (struct unified){0};
}

const struct unified_file *unified_find(const struct unified *diff,
                                        const char *name) {
  const struct unified_file key = {.name = (char *)(uintptr_t)name};
  return diff->count ? bsearch(&key, diff->files, diff->count,
                               sizeof *diff->files, by_name)
                     : NULL;
}

bool unified_has(const struct unified_file *file, uint32_t first, uint32_t last,
                 uint32_t *line) {
  /* The last span that begins up to last ends behind all before it. */
  size_t from = search_from(file->spans, file->span_count, last, first);
  if (from == file->span_count || file->spans[from].first > last)
    return false;
  *line = file->spans[from].first > first ? file->spans[from].first : first;
  return true;
}

/* ---- restoring ----
 *
 * A diff backwards: from a new file and its hunks to the old file.
 */

struct restoring {
  struct bytes text; /* of the new file that is left */
  uint32_t line;     /* its first line */
  struct buffer *old;
  bool failed;
};

static void put(struct restoring *restoring, struct bytes line) {
  restoring->failed |=
      buffer_append(restoring->old, line.data, line.size) != NULL;
}

/* Takes a line of the new file; it must be this one. */
static struct bytes take_same(struct restoring *restoring, struct bytes line) {
  struct bytes taken = bytes_whole_line(&restoring->text);
  restoring->line++;
  restoring->failed |= taken.size != line.size ||
                       (line.size && memcmp(taken.data, line.data, line.size));
  return taken;
}

/* A line of a hunk behind its mark. Whether the file has an end behind its last
 * line is in the line after that. */
static struct bytes take_marked(struct bytes *lines, int *mark) {
  struct bytes line = bytes_whole_line(lines);
  *mark = line.size ? line.data[0] : ' ';
  if (*mark == '\n' || *mark == '\r')
    *mark = ' '; /* without its blank */
  else if (line.size) {
    line.data++;
    line.size--;
  }
  if (lines->size && lines->data[0] == '\\') {
    bytes_whole_line(lines);
    line.size -= line.size && line.data[line.size - 1] == '\n';
  }
  return line;
}

static void restore_hunk(struct restoring *restoring,
                         const struct unified_hunk *hunk) {
  struct bytes lines = hunk->lines;
  while (lines.size && !restoring->failed) {
    int mark;
    struct bytes line = take_marked(&lines, &mark);
    if (mark == '-')
      put(restoring, line);
    else if (mark == '+')
      take_same(restoring, line);
    else
      put(restoring, take_same(restoring, line));
  }
}

bool unified_restore(const struct unified_file *file, struct bytes text,
                     struct buffer *old) {
  struct restoring restoring = {text, 1, old, false};
  for (size_t i = 0; i < file->hunk_count && !restoring.failed; i++) {
    const struct unified_hunk *hunk = &file->hunks[i];
    int mark = 0;
    bool has_new = false;
    for (struct bytes lines = hunk->lines; lines.size && !has_new;) {
      take_marked(&lines, &mark);
      has_new = mark != '-';
    }
    /* A hunk that only removes names the line before. */
    uint32_t until = hunk->now + !has_new;
    while (restoring.line < until && restoring.text.size) {
      put(&restoring, bytes_whole_line(&restoring.text));
      restoring.line++;
    }
    restoring.failed |= restoring.line != until;
    restore_hunk(&restoring, hunk);
  }
  put(&restoring, restoring.text);
  return !restoring.failed;
}
