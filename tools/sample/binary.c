/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sections: a summary, names, contexts, functions, where these are, checksums
 * with attributes. Those that a profile has nothing for are empty.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/bytes.h"
#include "binary_inside.h"
#include "binary_order.h"
#include "frames.h"

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

void binary_put(struct writing *of, const void *bytes, size_t size) {
  if (!of->error)
    of->error = buffer_append(of->out, bytes, size);
}

void binary_put_uleb(struct writing *of, uint64_t value) {
  unsigned char bytes[10];
  size_t size = 0;
  for (; value > 0x7F; value >>= 7)
    bytes[size++] = (value & 0x7F) | 0x80;
  bytes[size++] = (unsigned char)value;
  binary_put(of, bytes, size);
}

static void put_name(struct writing *of, const char *name) {
  binary_put_uleb(of, binary_name(&of->names, name, strlen(name)));
}

static void put_site(struct writing *of, struct sampled_site site) {
  binary_put_uleb(of, site.line);
  binary_put_uleb(of, site.discriminator);
}

/* ---- names ---- */

static void put_names(struct writing *of) {
  const struct binary_name *list = (const void *)of->names.names.data;
  binary_put_uleb(of, of->names.name_count);
  for (size_t i = 0; i < of->names.name_count; i++) {
    binary_put(of, list[i].at, list[i].size);
    binary_put(of, "", 1);
  }
}

static void put_context(struct writing *of,
                        const struct sampled_function *function) {
  struct sampled_frame frame;
  size_t depth = 0;
  for (sampled_frames(&frame, function); sampled_next_frame(&frame);)
    depth++;
  binary_put_uleb(of, depth);
  for (sampled_frames(&frame, function); sampled_next_frame(&frame);) {
    binary_put_uleb(of, binary_name(&of->names, frame.name, frame.size));
    put_site(of, frame.site);
  }
}

static void put_contexts(struct writing *of) {
  binary_put_uleb(of, of->names.context_count);
  for (size_t i = 0; i < of->names.context_count; i++)
    put_context(of, of->names.contexts[i]);
}

/* ---- functions ---- */

/* What follows the name; as deep as functions are inlined. */
static void put_body(struct writing *of,
                     const struct sampled_function *function) {
  binary_put_uleb(of, function->total);
  binary_put_uleb(of, function->line_count);
  for (const struct sampled_line *line = function->lines; line;
       line = line->next) {
    put_site(of, line->site);
    binary_put_uleb(of, line->count);
    binary_put_uleb(of, line->target_count);
    for (const struct sampled_target *to = line->targets; to; to = to->next) {
      put_name(of, to->name);
      binary_put_uleb(of, to->count);
    }
  }
  binary_put_uleb(of, function->inlined_count);
  for (const struct sampled_function *inlined = function->inlined; inlined;
       inlined = inlined->next) {
    put_site(of, inlined->site);
    put_name(of, inlined->name);
    put_body(of, inlined);
  }
}

static void put_functions(struct writing *of) {
  size_t begin = of->out->size;
  for (const struct sampled_function *function = of->profile->functions;
       function; function = function->next) {
    uint64_t at = of->out->size - begin;
    if (!of->error)
      of->error = buffer_append(&of->offsets, &at, sizeof at);
    binary_put_uleb(of, function->head_count);
    binary_put_uleb(of, binary_function(&of->names, function));
    put_body(of, function);
  }
}

/* As functions come, or by ascending context. */
static void put_offsets(struct writing *of) {
  const uint64_t *offset = (const void *)of->offsets.data;
  size_t count = of->profile->function_count;
  uint64_t *list = calloc(count + 1, sizeof *list);
  if (!list && !of->error)
    of->error = "not enough memory; free some";
  binary_put_uleb(of, count);
  for (const struct sampled_function *function = of->profile->functions;
       function && !of->error; function = function->next) {
    size_t number = binary_function(&of->names, function);
    if (of->names.contexts) {
      list[number] = *offset++;
      continue;
    }
    binary_put_uleb(of, number);
    binary_put_uleb(of, *offset++);
  }
  for (size_t i = 0; i < of->names.context_count && !of->error; i++) {
    binary_put_uleb(of, i);
    binary_put_uleb(of, list[i]);
  }
  free(list);
}

/* ---- checksums and attributes ---- */

static void put_inlined_metadata(struct writing *of,
                                 const struct sampled_function *function);

/* What follows the name. */
static void put_metadata_of(struct writing *of,
                            const struct sampled_function *function) {
  if (of->probed)
    binary_put_uleb(of, function->hash);
  if (of->names.contexts || of->decided)
    binary_put_uleb(of, function->attributes);
  if (!of->names.contexts)
    put_inlined_metadata(of, function);
}

/* As deep as functions are inlined. */
static void put_inlined_metadata(struct writing *of,
                                 const struct sampled_function *function) {
  binary_put_uleb(of, function->inlined_count);
  for (const struct sampled_function *inlined = function->inlined; inlined;
       inlined = inlined->next) {
    put_site(of, inlined->site);
    put_name(of, inlined->name);
    put_metadata_of(of, inlined);
  }
}

static void put_metadata(struct writing *of) {
  if (!of->probed && !of->names.contexts && !of->decided)
    return;
  const struct sampled_function **order = binary_order(of->profile);
  if (!order && !of->error)
    of->error = "not enough memory; free some";
  for (uint32_t i = 0; i < of->profile->function_count && !of->error; i++) {
    binary_put_uleb(of, binary_function(&of->names, order[i]));
    put_metadata_of(of, order[i]);
  }
  free(order);
}

/* ---- the file ---- */

static bool is_decided(const struct sampled_function *function) {
  bool found = function->attributes & SHOULD_BE_INLINED;
  for (const struct sampled_function *inlined = function->inlined;
       inlined && !found; inlined = inlined->next)
    found = is_decided(inlined);
  return found;
}

static void put_section(struct writing *of, unsigned type) {
  if (type == SUMMARY)
    binary_put_summary(of);
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
static uint32_t flags_of(const struct writing *of, unsigned type) {
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

static void put_sections(struct writing *of, size_t begin, size_t table) {
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
  struct writing of = {
      .out = out, .profile = profile, .offsets = {.limit = (size_t)1 << 30}};
  size_t begin = out->size;
  of.error = binary_names_gather(&of.names, profile);
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next) {
    of.probed = of.probed || function->hashed;
    of.decided = of.decided || is_decided(function);
  }
  binary_put_uleb(&of, MAGIC);
  binary_put_uleb(&of, VERSION);
  store64(count, SECTIONS, false);
  binary_put(&of, count, sizeof count);
  size_t table = out->size;
  binary_put(&of, zeros, sizeof zeros);
  put_sections(&of, begin, table);
  binary_names_free(&of.names);
  buffer_free(&of.offsets);
  return of.error;
}
