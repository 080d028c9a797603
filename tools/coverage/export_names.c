/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rewrites the text in place: names only become shorter. In JSON they are
 *   "filename":NAME and "filenames":[NAME...]
 * and in lcov's form SF:NAME.
 */
#include "export_names.h"

#include <string.h>

#include "../base/error.h"
#include "../base/source_name.h"

/* A text that is read and written. */
struct rewriting {
  char *at, *end; /* what is left */
  char *to;
  char *name; /* room for a name */
};

static void take(struct rewriting *rewriting, size_t size) {
  memmove(rewriting->to, rewriting->at, size);
  rewriting->at += size;
  rewriting->to += size;
}

/* ---- JSON ---- */

/* The size of a string, up to its closing quote. */
static size_t string_size(const struct rewriting *rewriting) {
  const char *at = rewriting->at;
  while (at < rewriting->end && *at != '"')
    at += 1 + (*at == '\\' && at + 1 < rewriting->end);
  return (size_t)(at - rewriting->at);
}

/* Takes a name. One with other escapes than \\ is not of Windows. */
static void take_name(struct rewriting *rewriting, size_t size) {
  const char *at = rewriting->at, *end = at + size;
  size_t count = 0;
  for (; at < end; at++) {
    if (*at == '\\' && (at + 1 == end || *++at != '\\'))
      break;
    rewriting->name[count++] = *at;
  }
  if (at == end)
    count = source_name_sized(rewriting->name, count);
  if (at != end || memchr(rewriting->name, '\\', count)) {
    take(rewriting, size);
    return;
  }
  memcpy(rewriting->to, rewriting->name, count);
  rewriting->to += count;
  rewriting->at += size;
}

static bool is_key(const struct rewriting *rewriting, size_t size,
                   const char *key) {
  return size == strlen(key) && memcmp(rewriting->at, key, size) == 0;
}

static void rewrite_json(struct rewriting *rewriting) {
  enum { OTHER, NAME, NAMES } next = OTHER;
  while (rewriting->at < rewriting->end) {
    char first = *rewriting->at;
    take(rewriting, 1);
    if (first == ']')
      next = OTHER;
    if (first != '"')
      continue;
    size_t size = string_size(rewriting);
    const char *behind = rewriting->at + size + 1;
    if (behind < rewriting->end && *behind == ':') {
      next = is_key(rewriting, size, "filename")    ? NAME
             : is_key(rewriting, size, "filenames") ? NAMES
                                                    : OTHER;
      take(rewriting, size);
    } else if (next == OTHER) {
      take(rewriting, size);
    } else {
      take_name(rewriting, size);
      next = next == NAMES ? NAMES : OTHER;
    }
    if (rewriting->at < rewriting->end)
      take(rewriting, 1);
  }
}

/* ---- lcov ---- */

static void rewrite_lcov(struct rewriting *rewriting) {
  while (rewriting->at < rewriting->end) {
    size_t left = (size_t)(rewriting->end - rewriting->at);
    char *line = rewriting->at, *newline = memchr(line, '\n', left);
    size_t size = newline ? (size_t)(newline - line) : left;
    size_t kept = size;
    if (size > 3 && memcmp(line, "SF:", 3) == 0)
      kept = 3 + source_name_sized(line + 3, size - 3);
    memmove(rewriting->to, line, kept);
    rewriting->to += kept;
    rewriting->at += size;
    if (newline)
      take(rewriting, 1);
  }
}

/* ---- both ---- */

const char *export_names(struct buffer *text) {
  struct buffer room = {.limit = text->limit};
  char *begin = (char *)text->data;
  if (!text->size || !memchr(text->data, '\\', text->size))
    return NULL;
  const char *error = buffer_append(&room, text->data, text->size);
  if (error)
    return error;
  struct rewriting rewriting = {begin, begin + text->size, begin,
                                (char *)room.data};
  if (*begin == '{')
    rewrite_json(&rewriting);
  else
    rewrite_lcov(&rewriting);
  text->size = (size_t)(rewriting.to - begin);
  buffer_free(&room);
  return NULL;
}
