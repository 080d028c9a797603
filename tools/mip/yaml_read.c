/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Profiles as YAML, read: a line is `key: value`, or an item of a list. A
 * function is added when the next one begins.
 */
#include <string.h>

#include "files.h"
#include "yaml_words.h"
#include "yaml.h"

static const char unknown[] = "this line is not understood; correct it";
static const char bad_number[] =
    "here should be a number, and not so large a one; correct it";

struct reading {
  struct mip_profile *profile;
  bool revised, typed, listed; /* what has been seen */
  bool open;                   /* a function is being read */
  struct mip_function function;
  struct buffer name, blocks;
};

/* ---- functions ---- */

static const char *close_function(struct reading *reading) {
  struct mip_function *added;
  struct bytes name = {reading->name.data, reading->name.size};
  if (!reading->open)
    return NULL;
  reading->open = false;
  reading->function.blocks = (struct mip_block *)(void *)reading->blocks.data;
  reading->function.block_count =
      (uint32_t)(reading->blocks.size / sizeof(struct mip_block));
  return mip_add_function(reading->profile, &reading->function, name, &added);
}

static const char *open_function(struct reading *reading, struct words *words) {
  const char *error = close_function(reading);
  if (error)
    return error;
  reading->function = (struct mip_function){0};
  reading->blocks.size = 0;
  reading->open = true;
  return words_take_name(words, &reading->name);
}

static const char *take_block(struct reading *reading, struct words *words) {
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

static const char *take_edge(struct reading *reading, struct words *words) {
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

static const char *take_field(struct reading *reading, struct words *words) {
  struct mip_function *function = &reading->function;
  uint64_t value = 0;
  bool good = true;
  if (words_take_text(words, "raw:"))
    good = words_take_number(words, UINT64_MAX, &function->raw);
  else if (words_take_text(words, "address:"))
    good = words_take_signed(words, &function->address);
  else if (words_take_text(words, "calls:"))
    good = words_take_number(words, UINT64_MAX, &function->calls);
  else if (words_take_text(words, "order:"))
    good = words_take_number(words, UINT64_MAX, &function->order);
  else if (words_take_text(words, "size:")) {
    good = words_take_number(words, UINT32_MAX, &value);
    function->size = (uint32_t)value;
  } else if (words_take_text(words, "cfg:")) {
    good = words_take_number(words, UINT32_MAX, &value);
    function->cfg = (uint32_t)value;
  } else if (words_take_text(words, "runs:")) {
    good = words_take_number(words, UINT32_MAX, &value);
    function->runs = (uint32_t)value;
  } else if (!words_take_text(words, "blocks:") &&
             !words_take_text(words, "edges:"))
    return unknown;
  return good ? NULL : bad_number;
}

static const char *take_of_function(struct reading *reading,
                                    struct words *words) {
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

static const char *take_type(struct words *words, uint32_t *type) {
  static const char *const names[] = {"coverage", "blocks", "times", "calls",
                                      "returns"};
  uint64_t bits;
  *type = 0;
  if (!words_take_text(words, "["))
    return unknown;
  while (!words_take_text(words, "]")) {
    unsigned i = 0;
    while (i < sizeof names / sizeof *names &&
           !words_take_text(words, names[i]))
      i++;
    if (i < sizeof names / sizeof *names)
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
                                 struct words *words) {
  bool later = words_take_text(words, "B");
  profile->revision = later ? MIP_B : MIP_A;
  return later || words_take_text(words, "A") ? NULL : unknown;
}

static const char *take_bits(struct mip_profile *profile, struct words *words) {
  profile->wide = words_take_text(words, "64");
  if (profile->wide && profile->revision == MIP_A)
    return "revision A has no bits; leave this line out, or move it behind "
           "revision";
  return profile->wide || words_take_text(words, "32") ? NULL : unknown;
}

static const char *take_top(struct reading *reading, struct words *words) {
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
  if (words_take_text(words, "hash:")) {
    bool good = words_take_number(words, UINT32_MAX, &value);
    profile->hash = (uint32_t)value;
    return good ? NULL : bad_number;
  }
  if (words_take_text(words, "build:")) {
    bool good = words_take_number(words, UINT32_MAX, &value);
    profile->build = (uint32_t)value;
    return good ? NULL : bad_number;
  }
  if (words_take_text(words, "lost:"))
    return words_take_number(words, UINT64_MAX, &profile->lost) ? NULL
                                                                : bad_number;
  return unknown;
}

static const char *take_line(struct reading *reading, struct words words) {
  if (words.at != words.end && words.end[-1] == '\r')
    words.end--;
  words_skip(&words);
  if (words.at == words.end || *words.at == '#')
    return NULL;
  const char *error = reading->listed ? take_of_function(reading, &words)
                                      : take_top(reading, &words);
  return !error && words.at != words.end && *words.at != '#' ? unknown : error;
}

static const char *finish(struct reading *reading) {
  const char *error = close_function(reading);
  if (!error && (!reading->revised || !reading->typed || !reading->listed))
    error = "it has no revision, type or functions; make it by `bareprof mip "
            "to-yaml`";
  mip_settle_edges(reading->profile);
  return error ? error : mip_settle(reading->profile);
}

const char *mip_yaml_read(struct mip_profile *profile, struct bytes text,
                          size_t *line) {
  struct reading reading = {.profile = profile,
                            .name = {.limit = 1 << 20},
                            .blocks = {.limit = (size_t)1 << 31}};
  const char *at = (const char *)text.data, *error = NULL;
  size_t left = text.size;
  mip_new(profile);
  for (*line = 1; left && !error; ++*line) {
    const char *end = memchr(at, '\n', left);
    size_t size = end ? (size_t)(end - at) : left;
    error = take_line(&reading, (struct words){at, at + size});
    if (error)
      break;
    at += size + (end != NULL);
    left -= size + (end != NULL);
  }
  if (!error)
    error = finish(&reading);
  buffer_free(&reading.name);
  buffer_free(&reading.blocks);
  return error;
}
