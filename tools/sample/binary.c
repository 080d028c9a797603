/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sections: a summary, names, functions, where these are, checksums.
 */
#include "binary.h"

#include <stdlib.h>
#include <string.h>

#include "../base/bytes.h"

#define MAGIC UINT64_C(0x5350524F46343204) /* "SPROF42", 4 */

enum { VERSION = 103, SECTIONS = 7, TABLE_ROW = 32 };
enum {
  SUMMARY = 1,
  NAMES = 2,
  CONTEXTS = 6,
  OFFSETS = 4,
  FUNCTIONS = 32,
  SYMBOLS = 3,
  METADATA = 5
};

struct writing {
  struct buffer *out;
  const char **names; /* ascending, each once */
  size_t name_count;
  const char *error;
  struct buffer counts;  /* uint64_t: of all lines */
  struct buffer offsets; /* uint64_t: of functions in their section */
  uint64_t total, most, most_entries;
};

static void put(struct writing *of, const void *bytes, size_t size) {
  if (!of->error)
    of->error = buffer_append(of->out, bytes, size);
}

static void put_uleb(struct writing *of, uint64_t value) {
  do {
    unsigned char byte = (value & 0x7F) | (value > 0x7F ? 0x80 : 0);
    put(of, &byte, 1);
    value >>= 7;
  } while (value);
}

/* ---- names ---- */

static int compare_names(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void gather(struct writing *of, struct buffer *names,
                   const struct sampled_function *function) {
  if (!of->error)
    of->error = buffer_append(names, &function->name, sizeof(char *));
  for (const struct sampled_line *line = function->lines; line && !of->error;
       line = line->next) {
    of->error = buffer_append(&of->counts, &line->count, 8);
    of->total += line->count;
    of->most = line->count > of->most ? line->count : of->most;
    for (const struct sampled_target *to = line->targets; to && !of->error;
         to = to->next)
      of->error = buffer_append(names, &to->name, sizeof(char *));
  }
  for (const struct sampled_function *inlined = function->inlined; inlined;
       inlined = inlined->next)
    gather(of, names, inlined);
}

static void gather_all(struct writing *of, struct buffer *names,
                       const struct sampled *profile) {
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next) {
    gather(of, names, function);
    if (function->head_count > of->most_entries)
      of->most_entries = function->head_count;
  }
  const char **list = (void *)names->data;
  size_t count = names->size / sizeof *list;
  if (count)
    qsort(list, count, sizeof *list, compare_names);
  for (size_t i = 0; i < count; i++)
    if (!i || strcmp(list[i], of->names[of->name_count - 1]) != 0) {
      of->names = list;
      of->names[of->name_count++] = list[i];
    }
}

static void put_name(struct writing *of, const char *name) {
  const char **found = bsearch(&name, of->names, of->name_count,
                               sizeof *of->names, compare_names);
  put_uleb(of, found ? (uint64_t)(found - of->names) : 0);
}

/* ---- sections ---- */

static int falling(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a > b ? -1 : a < b;
}

/* How many of the largest counts make up how many millionths of all, and the
 * least of these; equal ones are taken together. */
static void put_summary(struct writing *of, uint32_t functions) {
  static const uint32_t parts[] = {
      10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
      800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999};
  uint64_t *counts = (void *)of->counts.data, sum = 0, least = 0;
  size_t count = of->counts.size / sizeof *counts, seen = 0;
  if (count)
    qsort(counts, count, sizeof *counts, falling);
  put_uleb(of, of->total);
  put_uleb(of, of->most);
  put_uleb(of, of->most_entries);
  put_uleb(of, count);
  put_uleb(of, functions);
  put_uleb(of, sizeof parts / sizeof *parts);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    uint64_t wanted = of->total / 1000000 * parts[i] +
                      of->total % 1000000 * parts[i] / 1000000;
    while (sum < wanted && seen < count) {
      least = counts[seen];
      for (; seen < count && counts[seen] == least; seen++)
        sum += least;
    }
    put_uleb(of, parts[i]);
    put_uleb(of, least);
    put_uleb(of, seen);
  }
}

static void put_site(struct writing *of, struct sampled_site site) {
  put_uleb(of, site.line);
  put_uleb(of, site.discriminator);
}

static void put_function(struct writing *of,
                         const struct sampled_function *function) {
  put_name(of, function->name);
  put_uleb(of, function->total);
  put_uleb(of, function->line_count);
  for (const struct sampled_line *line = function->lines; line;
       line = line->next) {
    put_site(of, line->site);
    put_uleb(of, line->count);
    put_uleb(of, line->target_count);
    for (const struct sampled_target *to = line->targets; to; to = to->next) {
      put_name(of, to->name);
      put_uleb(of, to->count);
    }
  }
  put_uleb(of, function->inlined_count);
  for (const struct sampled_function *inlined = function->inlined; inlined;
       inlined = inlined->next) {
    put_site(of, inlined->site);
    put_function(of, inlined);
  }
}

static void put_checksum(struct writing *of,
                         const struct sampled_function *function) {
  put_name(of, function->name);
  put_uleb(of, function->hash);
  put_uleb(of, function->inlined_count);
  for (const struct sampled_function *inlined = function->inlined; inlined;
       inlined = inlined->next) {
    put_site(of, inlined->site);
    put_checksum(of, inlined);
  }
}

static void put_functions(struct writing *of, const struct sampled *profile) {
  size_t begin = of->out->size;
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next) {
    uint64_t at = of->out->size - begin;
    if (!of->error)
      of->error = buffer_append(&of->offsets, &at, sizeof at);
    put_uleb(of, function->head_count);
    put_function(of, function);
  }
}

static void put_offsets(struct writing *of, const struct sampled *profile) {
  const uint64_t *offset = (const void *)of->offsets.data;
  put_uleb(of, profile->function_count);
  for (const struct sampled_function *function = profile->functions;
       function && !of->error; function = function->next) {
    put_name(of, function->name);
    put_uleb(of, *offset++);
  }
}

static void put_section(struct writing *of, const struct sampled *profile,
                        unsigned type) {
  if (type == SUMMARY)
    put_summary(of, profile->function_count);
  else if (type == NAMES) {
    put_uleb(of, of->name_count);
    for (size_t i = 0; i < of->name_count; i++)
      put(of, of->names[i], strlen(of->names[i]) + 1);
  } else if (type == CONTEXTS)
    put_uleb(of, 0);
  else if (type == FUNCTIONS)
    put_functions(of, profile);
  else if (type == OFFSETS)
    put_offsets(of, profile);
  else if (type == METADATA)
    for (const struct sampled_function *function = profile->functions; function;
         function = function->next)
      put_checksum(of, function);
}

/* ---- the file ---- */

static void put_sections(struct writing *of, const struct sampled *profile,
                         size_t begin, size_t table) {
  /* The table has another order than the file. */
  static const struct {
    unsigned type, row;
    uint64_t flags;
  } order[SECTIONS] = {{SUMMARY, 0, 0},
                       {NAMES, 1, UINT64_C(4) << 32}, /* each once */
                       {CONTEXTS, 2, 0},
                       {FUNCTIONS, 4, 0},
                       {SYMBOLS, 5, 0},
                       {OFFSETS, 3, 0},
                       {METADATA, 6, UINT64_C(1) << 32}}; /* of probes */
  for (size_t i = 0; i < SECTIONS && !of->error; i++) {
    size_t at = of->out->size;
    put_section(of, profile, order[i].type);
    unsigned char *row = of->out->data + table + order[i].row * TABLE_ROW;
    store64(row, order[i].type, false);
    store64(row + 8, order[i].flags, false);
    store64(row + 16, at - begin, false);
    store64(row + 24, of->out->size - at, false);
  }
}

const char *sampled_put_binary(struct buffer *out,
                               const struct sampled *profile) {
  const unsigned char zeros[SECTIONS * TABLE_ROW] = {0};
  unsigned char count[8];
  struct buffer names = {.limit = (size_t)1 << 30};
  struct writing of = {.out = out,
                       .counts = {.limit = (size_t)1 << 30},
                       .offsets = {.limit = (size_t)1 << 30}};
  size_t begin = out->size;
  gather_all(&of, &names, profile);
  put_uleb(&of, MAGIC);
  put_uleb(&of, VERSION);
  store64(count, SECTIONS, false);
  put(&of, count, sizeof count);
  size_t table = out->size;
  put(&of, zeros, sizeof zeros);
  put_sections(&of, profile, begin, table);
  buffer_free(&names);
  buffer_free(&of.counts);
  buffer_free(&of.offsets);
  return of.error;
}
