/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers refer to names: of functions, of the callers in their contexts, of
 * targets, of inlined functions.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/buffer.h"
#include "../base/bytes.h"
#include "../base/error.h"
#include "sampled.h"

struct binary_name {
  const char *at; /* size bytes */
  size_t size;
};

/* All names of a profile, and the contexts of its functions, both ascending,
 * by their number. */
struct binary_names {
  struct buffer names; /* struct binary_name */
  size_t name_count;
  const struct sampled_function **contexts; /* NULL: they have none */
  size_t context_count;
  bool unique; /* a name is as -funique-internal-linkage-names makes it */
};

static const char *add_name(struct binary_names *names, const char *at,
                            size_t size) {
  struct binary_name name = {at, size};
  return buffer_append(&names->names, &name, sizeof name);
}

/* Gathers the names of one function. Recursion is as deep as inlining:
 * PROBE_DEPTH_MOST. */
static const char *gather_names(struct binary_names *names,
                                const struct sampled_function *function) {
  struct sampled_frame frame;
  const char *error = NULL;
  for (sampled_frames(&frame, function); !error && sampled_next_frame(&frame);)
    error = add_name(names, frame.name, frame.size);
  for (const struct sampled_line *line = function->lines; line && !error;
       line = line->next)
    for (const struct sampled_target *to = line->targets; to && !error;
         to = to->next)
      error = add_name(names, to->name, strlen(to->name));
  for (const struct sampled_function *inlined = function->inlined;
       inlined && !error; inlined = inlined->next)
    error = gather_names(names, inlined);
  return error;
}

static int compare_names(const void *left, const void *right) {
  const struct binary_name *a = left, *b = right;
  return compare_bytes(a->at, a->size, b->at, b->size);
}

static bool is_unique(const struct binary_name *name) {
  static const char mark[] = ".__uniq.";
  for (size_t i = 0; i + sizeof mark - 1 <= name->size; i++)
    if (memcmp(name->at + i, mark, sizeof mark - 1) == 0)
      return true;
  return false;
}

static void settle_names(struct binary_names *names) {
  struct binary_name *list = (void *)names->names.data;
  size_t count = names->names.size / sizeof *list;
  sort(list, count, sizeof *list, compare_names);
  for (size_t i = 0; i < count; i++) {
    if (i && compare_names(&list[names->name_count - 1], &list[i]) == 0)
      continue;
    list[names->name_count++] = list[i];
    names->unique = names->unique || is_unique(&list[i]);
  }
}

static int compare_contexts(const void *left, const void *right) {
  const struct sampled_function *const *a = left, *const *b = right;
  return sampled_compare(*a, *b);
}

static const char *sort_contexts(struct binary_names *names,
                                 const struct sampled *profile) {
  names->contexts = calloc(profile->function_count, sizeof(void *));
  if (!names->contexts)
    return out_of_memory;
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next)
    names->contexts[names->context_count++] = function;
  qsort(names->contexts, names->context_count, sizeof(void *),
        compare_contexts);
  return NULL;
}

static const char *names_gather(struct binary_names *names,
                                const struct sampled *profile) {
  const char *error = NULL;
  *names = (struct binary_names){.names = {.limit = (size_t)1 << 31}};
  for (const struct sampled_function *function = profile->functions;
       function && !error; function = function->next)
    error = gather_names(names, function);
  settle_names(names);
  if (!error && profile->functions && profile->functions->context)
    error = sort_contexts(names, profile);
  return error;
}

static void binary_names_free(struct binary_names *names) {
  buffer_free(&names->names);
  free(names->contexts);
  names->contexts = NULL;
}

/* The number of one that is there. */
static size_t number_of_name(const struct binary_names *names, const char *at,
                             size_t size) {
  const struct binary_name wanted = {at, size}, *found;
  const struct binary_name *list = (const void *)names->names.data;
  found =
      bsearch(&wanted, list, names->name_count, sizeof *list, compare_names);
  return found ? (size_t)(found - list) : 0;
}

/* Returns the number of a function that is not inlined: of its context if any,
 * otherwise of its name. */
static size_t number_of_function(const struct binary_names *names,
                                 const struct sampled_function *function) {
  if (!names->contexts)
    return number_of_name(names, function->name, strlen(function->name));
  const struct sampled_function **found =
      bsearch(&function, names->contexts, names->context_count, sizeof *found,
              compare_contexts);
  return found ? (size_t)(found - names->contexts) : 0;
}

/* ---- bytes ---- */

struct binary_writing {
  struct buffer *out;
  const struct sampled *profile;
  struct binary_names names;
  struct buffer offsets; /* uint64_t: of functions in their section */
  bool probed;           /* functions have checksums */
  bool decided;          /* an attribute decides about inlining */
  const char *error;     /* of the first that failed */
};

static void put_bytes(struct binary_writing *of, const void *bytes,
                      size_t size) {
  if (!of->error)
    of->error = buffer_append(of->out, bytes, size);
}

static void put_uleb(struct binary_writing *of, uint64_t value) {
  unsigned char bytes[10];
  size_t size = 0;
  for (; value > 0x7F; value >>= 7)
    bytes[size++] = (value & 0x7F) | 0x80;
  bytes[size++] = (unsigned char)value;
  put_bytes(of, bytes, size);
}

/* ==== How much was counted, and how many of the largest counts make up most of
 * it. The counts of all contexts of a function are one then. */

enum { DUPLICATED = 4 }; /* an attribute: it is counted elsewhere, too */

struct binary_sums {
  struct buffer counts; /* uint64_t: of all lines */
  uint64_t total, most, most_entries;
};

/* As deep as functions are inlined, PROBE_DEPTH_MOST. */
static const char *add_sums(struct binary_sums *sums,
                            const struct sampled_function *function) {
  const char *error = NULL;
  for (const struct sampled_line *line = function->lines; line && !error;
       line = line->next) {
    error = buffer_append(&sums->counts, &line->count, sizeof line->count);
    sums->total += line->count;
    sums->most = line->count > sums->most ? line->count : sums->most;
  }
  for (const struct sampled_function *inlined = function->inlined;
       inlined && !error; inlined = inlined->next)
    if (!(inlined->attributes & DUPLICATED))
      error = add_sums(sums, inlined);
  return error;
}

static const char *add_all_sums(struct binary_sums *sums,
                                const struct sampled *profile) {
  const char *error = NULL;
  for (const struct sampled_function *function = profile->functions;
       function && !error; function = function->next) {
    error = add_sums(sums, function);
    if (function->head_count > sums->most_entries)
      sums->most_entries = function->head_count;
  }
  return error;
}

ORDER_BY(counts_falling, uint64_t, ~*x);

/* Writes how many of the largest counts make up so many millionths of the
 * total, and the least of those counts. Equal counts stay together. */
static void put_parts(struct binary_writing *of, const struct binary_sums *sums,
                      uint32_t functions) {
  static const uint32_t parts[] = {
      10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
      800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999};
  uint64_t *counts = (void *)sums->counts.data, sum = 0, least = 0;
  size_t count = sums->counts.size / sizeof *counts, seen = 0;
  sort(counts, count, sizeof *counts, counts_falling);
  put_uleb(of, sums->total);
  put_uleb(of, sums->most);
  put_uleb(of, sums->most_entries);
  put_uleb(of, count);
  put_uleb(of, functions);
  put_uleb(of, sizeof parts / sizeof *parts);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    uint64_t wanted = sums->total / 1000000 * parts[i] +
                      sums->total % 1000000 * parts[i] / 1000000;
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

static void put_summary(struct binary_writing *of) {
  struct binary_sums sums = {.counts = {.limit = (size_t)1 << 31}};
  struct sampled together = {0};
  const struct sampled *profile = of->profile;
  const char *error = NULL;
  if (of->names.contexts) {
    error = sampled_flatten(&together, profile);
    profile = &together;
  }
  if (!error)
    error = add_all_sums(&sums, profile);
  if (!error)
    put_parts(of, &sums, profile->function_count);
  else if (!of->error)
    of->error = error;
  sampled_free(&together);
  buffer_free(&sums.counts);
}

/* ==== Sections: a summary, names, contexts, functions, where these are,
 * checksums with attributes. Those that a profile has nothing for are empty. */

#define MAGIC UINT64_C(0x5350524F46343204) /* "SPROF42", 4 */

enum { VERSION = 103, SECTIONS = 7, TABLE_ROW = 32 };
enum {
  SUMMARY = 1,
  NAMES = 2,
  SYMBOLS = 3,
  OFFSETS = 4,
  METADATA = 5,
  CONTEXTS = 6,
  FUNCTIONS = 32
};

enum { SHOULD_BE_INLINED = 2 }; /* an attribute */

static void put_name(struct binary_writing *of, const char *name) {
  put_uleb(of, number_of_name(&of->names, name, strlen(name)));
}

static void put_site(struct binary_writing *of, struct sampled_site site) {
  put_uleb(of, site.line);
  put_uleb(of, site.discriminator);
}

/* ---- names ---- */

static void put_names(struct binary_writing *of) {
  const struct binary_name *list = (const void *)of->names.names.data;
  put_uleb(of, of->names.name_count);
  for (size_t i = 0; i < of->names.name_count; i++) {
    put_bytes(of, list[i].at, list[i].size);
    put_bytes(of, "", 1);
  }
}

static void put_context(struct binary_writing *of,
                        const struct sampled_function *function) {
  struct sampled_frame frame;
  size_t depth = 0;
  for (sampled_frames(&frame, function); sampled_next_frame(&frame);)
    depth++;
  put_uleb(of, depth);
  for (sampled_frames(&frame, function); sampled_next_frame(&frame);) {
    put_uleb(of, number_of_name(&of->names, frame.name, frame.size));
    put_site(of, frame.site);
  }
}

static void put_contexts(struct binary_writing *of) {
  put_uleb(of, of->names.context_count);
  for (size_t i = 0; i < of->names.context_count; i++)
    put_context(of, of->names.contexts[i]);
}

/* ---- functions ---- */

/* Writes the part behind the name. Recursion is as deep as inlining. */
static void put_body(struct binary_writing *of,
                     const struct sampled_function *function) {
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
    put_name(of, inlined->name);
    put_body(of, inlined);
  }
}

static void put_functions(struct binary_writing *of) {
  size_t begin = of->out->size;
  for (const struct sampled_function *function = of->profile->functions;
       function; function = function->next) {
    uint64_t at = of->out->size - begin;
    if (!of->error)
      of->error = buffer_append(&of->offsets, &at, sizeof at);
    put_uleb(of, function->head_count);
    put_uleb(of, number_of_function(&of->names, function));
    put_body(of, function);
  }
}

/* As functions come, or by ascending context. */
static void put_offsets(struct binary_writing *of) {
  const uint64_t *offset = (const void *)of->offsets.data;
  size_t count = of->profile->function_count;
  uint64_t *list = calloc(count + 1, sizeof *list);
  if (!list && !of->error)
    of->error = out_of_memory;
  put_uleb(of, count);
  for (const struct sampled_function *function = of->profile->functions;
       function && !of->error; function = function->next) {
    size_t number = number_of_function(&of->names, function);
    if (of->names.contexts) {
      list[number] = *offset++;
      continue;
    }
    put_uleb(of, number);
    put_uleb(of, *offset++);
  }
  for (size_t i = 0; i < of->names.context_count && !of->error; i++) {
    put_uleb(of, i);
    put_uleb(of, list[i]);
  }
  free(list);
}

/* ---- checksums and attributes ---- */

static void put_inlined_metadata(struct binary_writing *of,
                                 const struct sampled_function *function);

/* Writes the part behind the name. */
static void put_metadata_of(struct binary_writing *of,
                            const struct sampled_function *function) {
  if (of->probed)
    put_uleb(of, function->hash);
  if (of->names.contexts || of->decided)
    put_uleb(of, function->attributes);
  if (!of->names.contexts)
    put_inlined_metadata(of, function);
}

/* As deep as functions are inlined. */
static void put_inlined_metadata(struct binary_writing *of,
                                 const struct sampled_function *function) {
  put_uleb(of, function->inlined_count);
  for (const struct sampled_function *inlined = function->inlined; inlined;
       inlined = inlined->next) {
    put_site(of, inlined->site);
    put_name(of, inlined->name);
    put_metadata_of(of, inlined);
  }
}

static void put_metadata(struct binary_writing *of) {
  if (!of->probed && !of->names.contexts && !of->decided)
    return;
  for (const struct sampled_function *function = of->profile->functions;
       function && !of->error; function = function->next) {
    put_uleb(of, number_of_function(&of->names, function));
    put_metadata_of(of, function);
  }
}

/* ---- the file ---- */

static bool is_decided(const struct sampled_function *function) {
  bool found = function->attributes & SHOULD_BE_INLINED;
  for (const struct sampled_function *inlined = function->inlined;
       inlined && !found; inlined = inlined->next)
    found = is_decided(inlined);
  return found;
}

static void put_section(struct binary_writing *of, unsigned type) {
  if (type == SUMMARY)
    put_summary(of);
  else if (type == NAMES)
    put_names(of);
  else if (type == CONTEXTS)
    put_contexts(of);
  else if (type == FUNCTIONS)
    put_functions(of);
  else if (type == OFFSETS)
    put_offsets(of);
  else if (type == METADATA)
    put_metadata(of);
}

/* The upper half of a section's flags: what it is like. */
static uint32_t flags_of(const struct binary_writing *of, unsigned type) {
  bool contexts = of->names.contexts != NULL;
  switch (type) {
  case SUMMARY:
    return (contexts ? 2 : 0) | (of->decided ? 16 : 0);
  case NAMES:
    return of->names.unique ? 4 : 0;
  case OFFSETS:
    return contexts ? 1 : 0;
  case METADATA:
    return (of->probed ? 1 : 0) | (contexts || of->decided ? 2 : 0);
  default:
    return 0;
  }
}

static void put_sections(struct binary_writing *of, size_t begin,
                         size_t table) {
  /* The table has another order than the file. */
  static const struct {
    unsigned type, row;
  } order[SECTIONS] = {{SUMMARY, 0},   {NAMES, 1},   {CONTEXTS, 2},
                       {FUNCTIONS, 4}, {SYMBOLS, 5}, {OFFSETS, 3},
                       {METADATA, 6}};
  for (size_t i = 0; i < SECTIONS && !of->error; i++) {
    size_t at = of->out->size;
    put_section(of, order[i].type);
    unsigned char *row = of->out->data + table + order[i].row * TABLE_ROW;
    store64(row, order[i].type, false);
    store64(row + 8, (uint64_t)flags_of(of, order[i].type) << 32, false);
    store64(row + 16, at - begin, false);
    store64(row + 24, of->out->size - at, false);
  }
}

const char *sampled_put_binary(struct buffer *out,
                               const struct sampled *profile) {
  const unsigned char zeros[SECTIONS * TABLE_ROW] = {0};
  unsigned char count[8];
  struct binary_writing of = {
      .out = out, .profile = profile, .offsets = {.limit = (size_t)1 << 30}};
  size_t begin = out->size;
  of.error = names_gather(&of.names, profile);
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next) {
    of.probed = of.probed || function->hashed;
    of.decided = of.decided || is_decided(function);
  }
  put_uleb(&of, MAGIC);
  put_uleb(&of, VERSION);
  store64(count, SECTIONS, false);
  put_bytes(&of, count, sizeof count);
  size_t table = out->size;
  put_bytes(&of, zeros, sizeof zeros);
  put_sections(&of, begin, table);
  binary_names_free(&of.names);
  buffer_free(&of.offsets);
  return of.error;
}
