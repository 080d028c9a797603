/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The text of a sample profile, as far as matching needs it:
 *   NAME:TOTAL:HEAD, or [CALLER:SITE @ NAME]:TOTAL:HEAD
 *    SITE: COUNT [TARGET:COUNT...]
 *    SITE: NAME:TOTAL, of which deeper lines follow
 *    !CFGChecksum: NUMBER
 * A line with N blanks before is of the function whose head has N - 1.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/number.h"
#include "../object/digest.h"
#include "input.h"
#include "make.h"

enum { DEPTH_MOST = 1024 };

static const char no_head[] =
    "here should be a function, NAME:TOTAL:HEAD, as llvm-profdata merge "
    "--sample --text writes it; correct it";
static const char no_count[] =
    "here should be a count, SITE: COUNT; correct it";

struct text_reading {
  struct sample_records *of;
  size_t depth;                          /* bodies that are open */
  struct sample_body bodies[DEPTH_MOST]; /* functions whose lines come */
};

/* ---- words ---- */

/* The text before the last colon; a number stands behind. false: not so. */
static bool cut_number(struct bytes *text) {
  uint64_t value;
  for (size_t i = text->size; i-- > 0;)
    if (text->data[i] == ':') {
      const struct bytes behind = {text->data + i + 1, text->size - i - 1};
      text->size = i;
      return i && number_in(behind, 10, &value);
    }
  return false;
}

/* The innermost function of [CALLER:SITE @ NAME]; others are as they are. */
static struct bytes innermost(struct bytes name) {
  if (name.size < 3 || name.data[0] != '[' || name.data[name.size - 1] != ']')
    return name;
  name = (struct bytes){name.data + 1, name.size - 2};
  for (size_t i = name.size; i-- > 3;)
    if (memcmp(name.data + i - 3, " @ ", 3) == 0)
      return (struct bytes){name.data + i, name.size - i};
  return name;
}

static bool take_head(struct bytes line, struct bytes *name) {
  if (!cut_number(&line) || !cut_number(&line))
    return false;
  *name = innermost(line);
  return true;
}

/* Empty, or a comment. */
static bool says_nothing(struct bytes line) {
  return !line.size || line.data[0] == '#';
}

bool sample_text_is(struct bytes file) {
  struct bytes line = {0}, name;
  while (says_nothing(line) && samples_line(&file, &line))
    ;
  return line.size && line.data[0] != ' ' && take_head(line, &name);
}

/* ---- bodies ---- */

static const char *close_to(struct text_reading *of, size_t depth) {
  const char *error = NULL;
  while (of->depth > depth && !error) {
    struct sample_body *body = &of->bodies[--of->depth];
    body->reference = md5_low64(body->name.data, body->name.size);
    error = of->of->add(of->of, body);
  }
  return error;
}

/* ---- lines ---- */

/* SITE: COUNT, or the head of what is inlined there. */
static const char *take_site(struct text_reading *of, struct bytes line) {
  const unsigned char *at = line.data, *end = at + line.size;
  take_decimal(&at, end);
  if (at != end && *at == '.') {
    at++;
    take_decimal(&at, end);
  }
  if (at == line.data || !take_word(&at, end, ": ") || at == end)
    return no_count;
  const unsigned char *first = at;
  uint64_t count = take_decimal(&at, end);
  if (at != first && (at == end || *at == ' ')) {
    of->bodies[of->depth - 1].weight += (double)count;
    return NULL;
  }
  struct bytes name = {first, (size_t)(end - first)};
  if (!cut_number(&name))
    return no_count;
  if (of->depth == DEPTH_MOST)
    return "functions are inlined too deep; correct it";
  of->bodies[of->depth++] = (struct sample_body){.name = name};
  return NULL;
}

static const char *take_line(struct text_reading *of, struct bytes line) {
  size_t blanks = 0;
  while (blanks < line.size && line.data[blanks] == ' ')
    blanks++;
  const struct bytes rest = {line.data + blanks, line.size - blanks};
  const unsigned char *at = rest.data, *end = at + rest.size;
  if (blanks > of->depth)
    return no_head;
  const char *error = close_to(of, blanks);
  if (error)
    return error;
  struct bytes name;
  if (!blanks) {
    if (!take_head(rest, &name))
      return no_head;
    of->bodies[of->depth++] = (struct sample_body){.name = name};
  } else if (take_word(&at, end, "!CFGChecksum: ")) {
    if (!number_in((struct bytes){at, (size_t)(end - at)}, 10,
                   &of->bodies[of->depth - 1].hash))
      return "here should be a checksum; correct it";
    of->of->probed = true;
  } else if (!rest.size || *rest.data != '!') {
    return take_site(of, rest);
  }
  return NULL;
}

const char *sample_text_read(struct sample_records *records, struct bytes file,
                             size_t *line) {
  struct text_reading *of = calloc(1, sizeof *of);
  const char *error = !of ? out_of_memory
                      : file.size && memchr(file.data, 0, file.size)
                          ? "it is not text"
                          : NULL;
  *line = 0;
  if (error) {
    free(of);
    return error;
  }
  of->of = records;
  records->suffixed = true;
  for (struct bytes one; !error && samples_line(&file, &one);) {
    ++*line;
    error = says_nothing(one) ? NULL : take_line(of, one);
  }
  if (!error) {
    *line = 0;
    error = close_to(of, 0);
  }
  free(of);
  return error;
}
