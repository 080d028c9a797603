/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The words of a line of YAML.
 */
#include "mip_model.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../base/number.h"
#include "../base/buffer.h"
#include "../base/text.h"
#include "files.h"

struct yaml_words {
  const char *at, *end; /* the rest of the line */
};

static void words_skip(struct yaml_words *words) {
  while (words->at != words->end && (*words->at == ' ' || *words->at == '\t'))
    words->at++;
}

/* spaces */
static bool words_take_text(struct yaml_words *words, const char *text) {
  size_t size = strlen(text);
  if ((size_t)(words->end - words->at) < size || memcmp(words->at, text, size))
    return false;
  words->at += size;
  words_skip(words);
  return true;
}

/* Decimal, or 0x and hexadecimal; a signed one may begin with a minus. */
static bool words_take_number(struct yaml_words *words, uint64_t most,
                              uint64_t *value) {
  unsigned base = 10;
  bool some = false;
  *value = 0;
  if (words->end - words->at > 2 && *words->at == '0' &&
      (words->at[1] | ('a' ^ 'A')) == 'x') {
    base = 16;
    words->at += 2;
  }
  for (; words->at != words->end; words->at++, some = true) {
    unsigned digit = digit_of_any((unsigned char)*words->at);
    if (digit >= base)
      break;
    if (*value > (most - digit) / base)
      return false;
    *value = *value * base + digit;
  }
  words_skip(words);
  return some && *value <= most;
}

static bool words_take_signed(struct yaml_words *words, int64_t *value) {
  bool negative = words_take_text(words, "-");
  uint64_t size;
  if (!words_take_number(words, (uint64_t)INT64_MAX + negative, &size))
    return false;
  *value = (int64_t)(negative ? 0 - size : size);
  return true;
}

static bool take_hex(struct yaml_words *words, unsigned digits,
                     unsigned *value) {
  *value = 0;
  if (words->end - words->at < (ptrdiff_t)digits)
    return false;
  for (unsigned i = 0; i < digits; i++) {
    unsigned digit = digit_of_any((unsigned char)*words->at++);
    if (digit == 16)
      return false;
    *value = *value * 16 + digit;
  }
  return true;
}

/* The byte behind a backslash. */
static bool take_escaped(struct yaml_words *words, unsigned char *byte) {
  unsigned value;
  if (words->at == words->end)
    return false;
  *byte = (unsigned char)*words->at++;
  if (*byte != 'u')
    return *byte == '"' || *byte == '\\';
  if (!take_hex(words, 4, &value) || value > 0xFF)
    return false;
  *byte = (unsigned char)value;
  return true;
}

/* A name in quotes, into the buffer; \u00NN is the byte NN. Returns NULL or the
 * error. */
static const char *words_take_name(struct yaml_words *words,
                                   struct buffer *name) {
  static const char wrong[] = "here should be a name in quotes; correct it";
  name->size = 0;
  if (words->at == words->end || *words->at++ != '"')
    return wrong;
  while (words->at != words->end && *words->at != '"') {
    unsigned char byte = (unsigned char)*words->at++;
    if (byte == '\\' && !take_escaped(words, &byte))
      return wrong;
    const char *error = buffer_append(name, &byte, 1);
    if (error)
      return error;
  }
  if (words->at++ == words->end)
    return wrong;
  words_skip(words);
  return NULL;
}

/* ==== Profiles as YAML, read: a line is `key: value`, or an item of a list. A
 * function is added when the next one begins. */

static const char unknown[] = "this line is not understood; correct it";
static const char bad_number[] =
    "here should be a number, and not so large a one; correct it";

struct yaml_reading {
  struct mip_profile *profile;
  bool revised, typed, listed; /* what has been seen */
  bool open;                   /* a function is being read */
  struct mip_function function;
  struct buffer name, blocks, follows;
};

static const char *const types[] = {"coverage", "blocks",  "times",  "calls",
                                    "returns",  "sampled", "follows"};
enum { TYPES = sizeof types / sizeof *types };

/* A line `name: number`, and where the number goes. */
struct field {
  const char *name;
  void *to;
  unsigned size; /* bytes: 4 or 8 */
};

static const char *take_one_of(const struct field *fields, size_t count,
                               struct yaml_words *words) {
  for (size_t i = 0; i < count; i++) {
    uint64_t value;
    if (!words_take_text(words, fields[i].name))
      continue;
    bool good = words_take_number(
        words, fields[i].size == 8 ? UINT64_MAX : UINT32_MAX, &value);
    if (fields[i].size == 8)
      *(uint64_t *)fields[i].to = value;
    else
      *(uint32_t *)fields[i].to = (uint32_t)value;
    return good ? NULL : bad_number;
  }
  return unknown;
}

/* ---- functions ---- */

static const char *close_function(struct yaml_reading *reading) {
  struct mip_function *added;
  struct bytes name = {reading->name.data, reading->name.size};
  if (!reading->open)
    return NULL;
  reading->open = false;
  reading->function.blocks = (struct mip_block *)(void *)reading->blocks.data;
  reading->function.block_count =
      (uint32_t)(reading->blocks.size / sizeof(struct mip_block));
  reading->function.follows.numbers =
      (const uint32_t *)(const void *)reading->follows.data;
  reading->function.follows.count =
      (uint32_t)(reading->follows.size / sizeof(uint32_t));
  return mip_add_function(reading->profile, &reading->function, name, &added);
}

static const char *open_function(struct yaml_reading *reading,
                                 struct yaml_words *words) {
  const char *error = close_function(reading);
  if (error)
    return error;
  reading->function = (struct mip_function){0};
  reading->blocks.size = reading->follows.size = 0;
  reading->open = true;
  return words_take_name(words, &reading->name);
}

static const char *take_block(struct yaml_reading *reading,
                              struct yaml_words *words) {
  struct mip_block block = {0};
  uint64_t offset;
  if (!words_take_number(words, UINT32_MAX, &offset))
    return bad_number;
  if (!words_take_text(words, ",") || !words_take_text(words, "covered:"))
    return unknown;
  block.covered = words_take_text(words, "true");
  block.offset = (uint32_t)offset;
  if ((!block.covered && !words_take_text(words, "false")) ||
      !words_take_text(words, "}"))
    return unknown;
  return buffer_append(&reading->blocks, &block, sizeof block);
}

static const char *take_edge(struct yaml_reading *reading,
                             struct yaml_words *words) {
  struct mip_edge edge = {.callee = (uint32_t)reading->profile->function_count};
  if (!words_take_signed(words, &edge.from))
    return bad_number;
  if (!words_take_text(words, ",") || !words_take_text(words, "count:"))
    return unknown;
  if (!words_take_number(words, UINT64_MAX, &edge.count))
    return bad_number;
  return words_take_text(words, "}") ? mip_add_edge(reading->profile, &edge)
                                     : unknown;
}

static const char *take_follows(struct yaml_reading *reading,
                                struct yaml_words *words) {
  const char *error = words_take_text(words, "[") ? NULL : unknown;
  uint64_t number;
  while (!error && !words_take_text(words, "]")) {
    if (!words_take_number(words, UINT32_MAX, &number))
      return bad_number;
    const uint32_t one = (uint32_t)number;
    error = buffer_append(&reading->follows, &one, sizeof one);
    words_take_text(words, ",");
  }
  return error;
}

static const char *take_field(struct yaml_reading *reading,
                              struct yaml_words *words) {
  struct mip_function *function = &reading->function;
  const struct field fields[] = {
      {"raw:", &function->raw, 8},     {"size:", &function->size, 4},
      {"cfg:", &function->cfg, 4},     {"runs:", &function->runs, 4},
      {"calls:", &function->calls, 8}, {"order:", &function->order, 8}};
  if (words_take_text(words, "address:"))
    return words_take_signed(words, &function->address) ? NULL : bad_number;
  if (words_take_text(words, "follows:"))
    return take_follows(reading, words);
  if (words_take_text(words, "blocks:") || words_take_text(words, "edges:"))
    return NULL;
  return take_one_of(fields, sizeof fields / sizeof *fields, words);
}

static const char *take_of_function(struct yaml_reading *reading,
                                    struct yaml_words *words) {
  if (words_take_text(words, "- name:"))
    return open_function(reading, words);
  if (!reading->open)
    return unknown;
  if (words_take_text(words, "- {offset:"))
    return take_block(reading, words);
  if (words_take_text(words, "- {from:"))
    return take_edge(reading, words);
  return take_field(reading, words);
}

/* ---- the top ---- */

static const char *take_type(struct yaml_words *words, uint32_t *type) {
  uint64_t bits;
  *type = 0;
  if (!words_take_text(words, "["))
    return unknown;
  while (!words_take_text(words, "]")) {
    unsigned i = 0;
    while (i < TYPES && !words_take_text(words, types[i]))
      i++;
    if (i < TYPES)
      *type |= UINT32_C(1) << i;
    else if (words_take_number(words, UINT32_MAX, &bits))
      *type |= (uint32_t)bits;
    else
      return unknown;
    words_take_text(words, ",");
  }
  return NULL;
}

static const char *take_revision(struct mip_profile *profile,
                                 struct yaml_words *words) {
  bool later = words_take_text(words, "B");
  profile->revision = later ? MIP_B : MIP_A;
  return later || words_take_text(words, "A") ? NULL : unknown;
}

static const char *take_bits(struct mip_profile *profile,
                             struct yaml_words *words) {
  profile->wide = words_take_text(words, "64");
  if (profile->wide && profile->revision == MIP_A)
    return "revision A has no bits; leave this line out, or move it behind "
           "revision";
  return profile->wide || words_take_text(words, "32") ? NULL : unknown;
}

static const char *take_top(struct yaml_reading *reading,
                            struct yaml_words *words) {
  struct mip_profile *profile = reading->profile;
  uint64_t value;
  if (words_take_text(words, "revision:")) {
    reading->revised = true;
    return take_revision(profile, words);
  }
  if (words_take_text(words, "type:")) {
    reading->typed = true;
    return take_type(words, &profile->type);
  }
  if (words_take_text(words, "functions:")) {
    reading->listed = true;
    return NULL;
  }
  if (words_take_text(words, "bits:"))
    return take_bits(profile, words);
  if (words_take_text(words, "version:")) {
    bool good = words_take_number(words, 8, &value);
    profile->version = (uint16_t)value;
    return good ? NULL : "the version is 8 or less; correct it";
  }
  const struct field fields[] = {{"hash:", &profile->hash, 4},
                                 {"build:", &profile->build, 4},
                                 {"lost:", &profile->lost, 8}};
  return take_one_of(fields, sizeof fields / sizeof *fields, words);
}

static const char *take_line(struct yaml_reading *reading,
                             struct yaml_words words) {
  if (words.at != words.end && words.end[-1] == '\r')
    words.end--;
  words_skip(&words);
  if (words.at == words.end || *words.at == '#')
    return NULL;
  const char *error = reading->listed ? take_of_function(reading, &words)
                                      : take_top(reading, &words);
  return !error && words.at != words.end && *words.at != '#' ? unknown : error;
}

static const char *finish(struct yaml_reading *reading) {
  const char *error = close_function(reading);
  if (!error && (!reading->revised || !reading->typed || !reading->listed))
    error = "it has no revision, type or functions; make it by `bareprof mip "
            "to-yaml`";
  mip_settle_edges(reading->profile);
  return error ? error : mip_settle(reading->profile);
}

const char *mip_yaml_read(struct mip_profile *profile, struct bytes text,
                          size_t *line) {
  struct yaml_reading reading = {.profile = profile,
                                 .name = {.limit = 1 << 20},
                                 .blocks = {.limit = (size_t)1 << 31},
                                 .follows = {.limit = (size_t)1 << 31}};
  const char *error = NULL;
  struct bytes one;
  mip_new(profile);
  for (*line = 1; bytes_line(&text, &one); ++*line) {
    const char *at = (const char *)one.data;
    error = take_line(&reading, (struct yaml_words){at, at + one.size});
    if (error)
      break;
  }
  if (!error)
    error = finish(&reading);
  buffer_free(&reading.name);
  buffer_free(&reading.blocks);
  buffer_free(&reading.follows);
  return error;
}

/* ==== Profiles as YAML, written. */

static void write_type(uint32_t type, FILE *stream) {
  const char *before = "";
  fputs("type: [", stream);
  for (unsigned i = 0; i < TYPES; i++)
    if (type >> i & 1) {
      fprintf(stream, "%s%s", before, types[i]);
      before = ", ";
    }
  /* Bits that have no name yet. */
  if (type >> TYPES)
    fprintf(stream, "%s0x%" PRIx32, before, type >> TYPES << TYPES);
  fputs("]\n", stream);
}

static void write_signed(int64_t value, FILE *stream) {
  uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  fprintf(stream, "%s0x%" PRIx64, value < 0 ? "-" : "", size);
}

static void write_function(const struct mip_function *function, FILE *stream) {
  fputs("- name: ", stream);
  json_put_string(stream, function->name);
  fprintf(stream, "\n  raw: 0x%" PRIx64 "\n  address: ", function->raw);
  write_signed(function->address, stream);
  fprintf(stream, "\n  size: 0x%" PRIx32 "\n  cfg: 0x%" PRIx32 "\n",
          function->size, function->cfg);
  fprintf(stream,
          "  runs: %" PRIu32 "\n  calls: %" PRIu64 "\n  order: %" PRIu64 "\n",
          function->runs, function->calls, function->order);
  const char *before = "  follows: [";
  for (uint32_t i = 0; i < function->follows.count; i++, before = ", ")
    fprintf(stream, "%s%" PRIu32, before, function->follows.numbers[i]);
  if (function->follows.count)
    fputs("]\n", stream);
  if (function->block_count)
    fputs("  blocks:\n", stream);
  for (uint32_t i = 0; i < function->block_count; i++)
    fprintf(stream, "  - {offset: 0x%" PRIx32 ", covered: %s}\n",
            function->blocks[i].offset,
            function->blocks[i].covered ? "true" : "false");
}

/* Writes the edges to a function, which begin at *next. */
static void write_edges(const struct mip_profile *profile, size_t function,
                        size_t *next, FILE *stream) {
  const char *title = "  edges:\n";
  for (; *next < profile->edge_count; ++*next, title = "") {
    const struct mip_edge *edge = &profile->edges[*next];
    if (edge->callee != function)
      break;
    fprintf(stream, "%s  - {from: ", title);
    write_signed(edge->from, stream);
    fprintf(stream, ", count: %" PRIu64 "}\n", edge->count);
  }
}

void mip_yaml_write(const struct mip_profile *profile, FILE *stream) {
  size_t edges = 0;
  fprintf(stream, "# MIP profile\nrevision: %s\n",
          profile->revision == MIP_A ? "A" : "B");
  if (profile->revision == MIP_B)
    fprintf(stream, "bits: %s\n", profile->wide ? "64" : "32");
  fprintf(stream, "version: %u\n", profile->version);
  write_type(profile->type, stream);
  fprintf(stream, "hash: 0x%" PRIx32 "\n", profile->hash);
  if (profile->build)
    fprintf(stream, "build: 0x%" PRIx32 "\n", profile->build);
  if (profile->lost)
    fprintf(stream, "lost: %" PRIu64 "\n", profile->lost);
  fputs("functions:\n", stream);
  for (size_t i = 0; i < profile->function_count; i++) {
    write_function(&profile->functions[i], stream);
    write_edges(profile, i, &edges, stream);
  }
}
