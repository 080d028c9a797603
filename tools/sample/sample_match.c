/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The text of a sample profile, as far as matching needs it:
 *   NAME:TOTAL:HEAD, or [CALLER:SITE @ NAME]:TOTAL:HEAD
 *    SITE: COUNT [TARGET:COUNT...]
 *    SITE: NAME:TOTAL, of which deeper lines follow
 *    !CFGChecksum: NUMBER
 * A line with N blanks before is of the function whose head has N - 1.
 */
#include "sample_match.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/map.h"
#include "../base/number.h"
#include "../object/md5.h"
#include "../probe/probe.h"

enum { DEPTH_MOST = 1024 };

static const char no_head[] =
    "here should be a function, NAME:TOTAL:HEAD, as llvm-profdata merge "
    "--sample --text writes it; correct it";
static const char no_count[] =
    "here should be the count of a probe, SITE: COUNT; correct it";
static const char by_lines[] =
    "it has no checksums, so it is a profile of lines; match reads those of "
    "pseudo probes";

/* A function whose lines come. */
struct body {
  struct bytes name;
  uint64_t hash;
  double weight;
};

struct reading {
  struct match *match;
  struct map known; /* of records, by name and checksum */
  size_t depth;     /* bodies that are open */
  bool any_hash;
  struct body bodies[DEPTH_MOST];
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

static struct bytes next_line(struct bytes *file) {
  const unsigned char *end =
      file->size ? memchr(file->data, '\n', file->size) : NULL;
  size_t size = end ? (size_t)(end - file->data) : file->size;
  struct bytes line = {file->data, size};
  size += end ? 1 : 0;
  *file = (struct bytes){file->data + size, file->size - size};
  if (line.size && line.data[line.size - 1] == '\r')
    line.size--;
  return line;
}

/* Empty, or a comment. */
static bool says_nothing(struct bytes line) {
  return !line.size || line.data[0] == '#';
}

bool sample_match_is(struct bytes file) {
  struct bytes line = {0}, name;
  while (file.size && says_nothing(line))
    line = next_line(&file);
  return line.size && line.data[0] != ' ' && take_head(line, &name);
}

/* ---- bodies ---- */

/* Functions of one block have no edge in their checksum. */
static uint32_t edges_of(uint64_t hash) {
  return hash >> 32 & 0xFFFF ? 2 : 1;
}

static const char *close_body(struct reading *of) {
  const struct body *body = &of->bodies[--of->depth];
  struct buffer *list = &of->match->records;
  struct match_function one = {
      .reference = md5_low64(body->name.data, body->name.size),
      .hash = body->hash,
      .counters = edges_of(body->hash)};
  uint64_t *number = map_at(&of->known, one.reference, one.hash, 0);
  if (!number)
    return out_of_memory;
  if (!*number) {
    one.name = arena_copy(&of->match->names, body->name.data, body->name.size);
    if (!one.name || buffer_add(list, &one, sizeof one))
      return out_of_memory;
    *number = list->size / sizeof one;
  }
  ((struct match_function *)(void *)list->data)[*number - 1].weight +=
      body->weight;
  return NULL;
}

static const char *close_to(struct reading *of, size_t depth) {
  const char *error = NULL;
  while (of->depth > depth && !error)
    error = close_body(of);
  return error;
}

/* ---- lines ---- */

/* SITE: COUNT, or the head of what is inlined there. */
static const char *take_site(struct reading *of, struct bytes line) {
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
  of->bodies[of->depth++] = (struct body){.name = name};
  return NULL;
}

static const char *take_line(struct reading *of, struct bytes line) {
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
    of->bodies[of->depth++] = (struct body){.name = name};
  } else if (take_word(&at, end, "!CFGChecksum: ")) {
    if (!number_in((struct bytes){at, (size_t)(end - at)}, 10,
                   &of->bodies[of->depth - 1].hash))
      return "here should be a checksum; correct it";
    of->any_hash = true;
  } else if (!rest.size || *rest.data != '!') {
    return take_site(of, rest);
  }
  return NULL;
}

const char *sample_match_read(struct match *match, struct bytes file,
                              size_t *line) {
  struct reading *of = calloc(1, sizeof *of);
  const char *error = of ? NULL : out_of_memory;
  *line = 0;
  if (error)
    return error;
  of->match = match;
  of->known.limit = (size_t)1 << 26;
  while (file.size && !error) {
    const struct bytes one = next_line(&file);
    ++*line;
    error = says_nothing(one) ? NULL : take_line(of, one);
  }
  if (!error) {
    *line = 0;
    error = close_to(of, 0);
  }
  if (!error && !of->any_hash)
    error = by_lines;
  map_free(&of->known);
  free(of);
  return error;
}

/* ---- both ---- */

const char *sample_match_find(struct match *match, struct bytes file,
                              const struct elf *elf,
                              struct sample_match_wrong *wrong) {
  struct probes probes;
  struct elf_section section;
  bool probed = elf_find_section(elf, ".pseudo_probe_desc", &section);
  *wrong = (struct sample_match_wrong){0};
  match_begin(match);
  const char *error = sample_match_read(match, file, &wrong->line);
  if (error)
    return error;
  error = probed ? probes_read(&probes, elf, PROBE_AUTO) : NULL;
  wrong->of_elf = error;
  for (size_t i = 0; probed && i < probes.function_count && !error; i++) {
    const struct probe_function *function = &probes.functions[i];
    const struct match_function one = {.name = function->name,
                                       .reference = function->guid,
                                       .hash = function->hash,
                                       .counters = edges_of(function->hash)};
    error = buffer_add(&match->build, &one, sizeof one);
  }
  if (!error)
    error = match_settle(match, probed);
  /* Names of the build live as long as its probes. */
  struct match_function *records = (void *)match->records.data;
  for (size_t i = 0; i < match->records.size / sizeof *records && !error; i++)
    if (records[i].now) {
      records[i].now = arena_copy(&match->names, records[i].now,
                                  strlen(records[i].now));
      error = records[i].now ? NULL : out_of_memory;
    }
  if (probed)
    probes_free(&probes);
  return error;
}
