/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A diff backwards: from a new file and its hunks to the old file.
 */
#include "change.h"
#include "../../base/buffer.h"

#include <string.h>

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
