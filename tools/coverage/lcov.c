/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads lcov's records, of which llvm-cov writes
 *   SF:FILE, FN:LINE,NAME, FNDA:HITS,NAME, DA:LINE,HITS,
 *   BRDA:LINE,BLOCK,BRANCH,TAKEN (-: never came there), end_of_record
 * and sums, which follow from these.
 */
#include "lcov.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../base/number.h"
#include "../base/buffer.h"
#include "../base/compare.h"

/* A line of the text, while it is read. */
struct reader {
  const unsigned char *at, *end;
  size_t next; /* the function whose count comes next */
  bool failed;
};

static bool begins(struct reader *reader, const char *word) {
  return take_word(&reader->at, reader->end, word);
}

static uint64_t number(struct reader *reader) {
  const unsigned char *begin = reader->at;
  uint64_t value = take_decimal(&reader->at, reader->end);
  reader->failed |= reader->at == begin;
  return value;
}

/* A number in front of a comma. */
static unsigned field(struct reader *reader) {
  uint64_t value = number(reader);
  reader->failed |= value > INT_MAX || !begins(reader, ",");
  return (unsigned)value;
}

/* The rest of the line. */
static char *rest(struct reader *reader) {
  size_t size = (size_t)(reader->end - reader->at);
  char *text = malloc(size + 1);
  reader->failed |= !text;
  if (text) {
    if (size)
      memcpy(text, reader->at, size);
    text[size] = 0;
  }
  return text;
}

/* ---- records ---- */

static void add_file(struct lcov *lcov, struct reader *reader) {
  char *name = rest(reader);
  reader->failed |=
      !list_more(&lcov->files, lcov->file_count, sizeof *lcov->files);
  if (reader->failed)
    free(name);
  else
    lcov->files[lcov->file_count++] = name;
  reader->next = lcov->count;
}

static void add(struct lcov *lcov, struct reader *reader,
                struct lcov_entry entry) {
  reader->failed |= !list_more(&lcov->entries, lcov->count, sizeof entry);
  if (reader->failed)
    return;
  if (entry.kind == LCOV_FUNCTION)
    entry.name = rest(reader);
  entry.file = lcov->files[lcov->file_count - 1];
  if (!reader->failed)
    lcov->entries[lcov->count++] = entry;
}

/* Counts come in the order of the functions, behind all functions of the
 * file. */
static void add_calls(struct lcov *lcov, struct reader *reader) {
  uint64_t hits = number(reader);
  bool comma = begins(reader, ",");
  char *name = rest(reader);
  if (comma && name && reader->next < lcov->count &&
      lcov->entries[reader->next].kind == LCOV_FUNCTION &&
      strcmp(lcov->entries[reader->next].name, name) == 0)
    lcov->entries[reader->next++].hits = hits;
  else
    reader->failed = true;
  free(name);
}

static void add_record(struct lcov *lcov, struct reader *reader) {
  struct lcov_entry entry = {0};
  if (begins(reader, "SF:")) {
    add_file(lcov, reader);
  } else if (lcov->file_count == 0) {
    return;
  } else if (begins(reader, "FN:")) {
    entry.kind = LCOV_FUNCTION;
    entry.line = field(reader);
    add(lcov, reader, entry);
  } else if (begins(reader, "FNDA:")) {
    add_calls(lcov, reader);
  } else if (begins(reader, "DA:")) {
    entry.kind = LCOV_LINE;
    entry.line = field(reader);
    entry.hits = number(reader);
    add(lcov, reader, entry);
  } else if (begins(reader, "BRDA:")) {
    entry.kind = LCOV_BRANCH;
    entry.line = field(reader);
    entry.block = field(reader);
    entry.branch = field(reader);
    entry.hits = begins(reader, "-") ? 0 : number(reader);
    add(lcov, reader, entry);
  }
}

/* ---- order ---- */

size_t lcov_folder(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? (size_t)(slash - file) : 0;
}

static int file_order(const char *a, const char *b) {
  size_t size_a = lcov_folder(a), size_b = lcov_folder(b);
  if (a == b)
    return 0;
  int folders = compare_bytes(a, size_a, b, size_b);
  return folders ? folders : strcmp(a, b);
}

ORDER_BY(line_order, struct lcov_entry, x->kind != LCOV_FUNCTION, x->line,
         x->kind, (uint64_t)x->block << 32 | x->branch);

static int entry_order(const void *a, const void *b) {
  const struct lcov_entry *x = a, *y = b;
  int by = file_order(x->file, y->file);
  if (by == 0)
    by = line_order(x, y);
  return by == 0 && x->name && y->name ? strcmp(x->name, y->name) : by;
}

/* Sorts, and merges entries that occur twice. */
static void unite(struct lcov *lcov) {
  size_t kept = 0;
  sort(lcov->entries, lcov->count, sizeof *lcov->entries, entry_order);
  for (size_t i = 0; i < lcov->count; i++) {
    struct lcov_entry *entry = &lcov->entries[i];
    struct lcov_entry *last = kept ? &lcov->entries[kept - 1] : NULL;
    if (last && entry_order(last, entry) == 0) {
      last->hits = sum_limited(last->hits, entry->hits);
      free(entry->name);
    } else {
      lcov->entries[kept++] = *entry;
    }
  }
  lcov->count = kept;
}

const char *lcov_read(struct lcov *lcov, struct bytes text) {
  const unsigned char *at = text.data, *end = text.data + text.size;
  struct reader reader = {0};
  *lcov = (struct lcov){0};
  while (at != end && !reader.failed) {
    const unsigned char *line_end = memchr(at, '\n', (size_t)(end - at));
    reader.at = at;
    reader.end = line_end ? line_end : end;
    at = line_end ? line_end + 1 : end;
    add_record(lcov, &reader);
  }
  unite(lcov);
  return reader.failed ? "its lcov output is not what llvm-cov 13 to 22 "
                         "write; use one of these"
                       : NULL;
}

void lcov_free(struct lcov *lcov) {
  for (size_t i = 0; i < lcov->count; i++)
    free(lcov->entries[i].name);
  for (size_t i = 0; i < lcov->file_count; i++)
    free(lcov->files[i]);
  free(lcov->entries);
  free(lcov->files);
  *lcov = (struct lcov){0};
}
