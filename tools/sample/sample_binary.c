/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The binary form of a sample profile, as far as matching needs it. binary.c
 * writes it; here are also the parts that only llvm-profdata writes: sections
 * that are compressed, and names that are only their MD5. Sections are read in
 * the order in which they need each other: names, contexts, checksums, counts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/error.h"
#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/map.h"
#include "../object/inflate.h"
#include "../object/digest.h"
#include "make.h"

#define MAGIC UINT64_C(0x5350524F46343200) /* "SPROF42", 0; + form */

enum { FORM = 4, VERSION = 103, ROW = 32, ROWS_MOST = 64, DEPTH_MOST = 1024 };
enum { SUMMARY = 1, NAMES = 2, METADATA = 5, CONTEXTS = 6, FUNCTIONS = 32 };
/* A row's flags: those of any section, and those of one kind. */
enum { COMPRESSED = 1 };
enum { WITH_CONTEXTS = 2 };
enum { NUMBERED = 1, NUMBERS_FIXED = 2, SUFFIXED = 4 };
enum { PROBED = 1, WITH_ATTRIBUTES = 2 };

static const char damaged[] =
    "it is damaged; make it again, or write it with llvm-profdata merge "
    "--sample --extbinary";

struct name_index {
  struct bytes text;
  uint64_t reference;
};

/* Numbers up to an end. After one that is not there all are 0. */
struct numbers {
  const unsigned char *at, *end;
  bool bad;
};

/* Where a function is: inlined into another one, or not (0). */
struct inlined_in {
  uint64_t within, line, discriminator, name;
};

struct binary {
  struct sample_records *of;
  struct bytes file;
  bool contextual;        /* functions have contexts */
  struct buffer names;    /* struct name_index */
  struct buffer contexts; /* uint64_t: the number of the last frame's name */
  struct map places;      /* numbers, from 1 on */
  struct buffer hashes;   /* uint64_t: by such a number */
};

static uint64_t take(struct numbers *from) {
  uint64_t value = 0;
  if (!read_uleb128(&from->at, from->end, &value)) {
    from->at = from->end;
    from->bad = true;
  }
  return value;
}

static uint64_t take_word64(struct numbers *from) {
  uint64_t value = 0;
  from->bad = from->bad || from->end - from->at < 8;
  if (from->bad)
    return 0;
  value = load64(from->at, false);
  from->at += 8;
  return value;
}

/* ---- names ---- */

static bool take_name(struct binary *of, struct numbers *from, uint64_t flags,
                      struct name_index *name) {
  if (flags & NUMBERED) {
    char text[24];
    name->reference = flags & NUMBERS_FIXED ? take_word64(from) : take(from);
    int size = snprintf(text, sizeof text, "%" PRIu64, name->reference);
    name->text.size = (size_t)size;
    name->text.data =
        (void *)arena_copy(&of->of->match->names, text, (size_t)size);
    return name->text.data;
  }
  size_t left = (size_t)(from->end - from->at);
  const unsigned char *end = left ? memchr(from->at, '\0', left) : NULL;
  from->bad = from->bad || !end;
  if (from->bad)
    return true;
  name->text = (struct bytes){from->at, (size_t)(end - from->at)};
  name->reference = md5_low64(name->text.data, name->text.size);
  from->at = end + 1;
  return true;
}

static const char *read_names(struct binary *of, struct numbers *from,
                              uint64_t flags) {
  uint64_t count = take(from);
  of->of->suffixed = flags & SUFFIXED;
  for (uint64_t i = 0; i < count && !from->bad; i++) {
    struct name_index name;
    if (!take_name(of, from, flags, &name) ||
        (!from->bad && buffer_add(&of->names, &name, sizeof name)))
      return out_of_memory;
  }
  return NULL;
}

static const char *read_contexts(struct binary *of, struct numbers *from,
                                 uint64_t flags) {
  (void)flags;
  for (uint64_t count = take(from); count && !from->bad; count--) {
    uint64_t last = 0;
    for (uint64_t frames = take(from); frames && !from->bad; frames--) {
      last = take(from);
      take(from);
      take(from);
    }
    if (buffer_add(&of->contexts, &last, sizeof last))
      return out_of_memory;
  }
  return NULL;
}

/* Of a function that is not inlined: its context stands for it, if it has
 * one. NULL: there is no such name. */
static const struct name_index *name_of(const struct binary *of,
                                        const struct inlined_in *place) {
  const struct name_index *names = (const void *)of->names.data;
  uint64_t number = place->name;
  if (of->contextual && !place->within) {
    const uint64_t *contexts = (const void *)of->contexts.data;
    if (number >= of->contexts.size / sizeof *contexts)
      return NULL;
    number = contexts[number];
  }
  return number < of->names.size / sizeof *names ? &names[number] : NULL;
}

/* ---- checksums ---- */

static uint64_t site_of(const struct inlined_in *place) {
  return place->line << 32 ^ place->discriminator;
}

/* The number of what is inlined; its place follows. */
static struct inlined_in take_inlined(struct numbers *from, uint64_t within) {
  struct inlined_in place = {.within = within};
  place.line = take(from);
  place.discriminator = take(from);
  place.name = take(from);
  return place;
}

/* What is behind a function's name. As deep as functions are inlined. */
static const char *read_checksum(struct binary *of, struct numbers *from,
                                 uint64_t flags, const struct inlined_in *place,
                                 unsigned depth) {
  uint64_t hash = flags & PROBED ? take(from) : 0;
  uint64_t *number =
      map_at(&of->places, place->within, site_of(place), place->name);
  if (!number)
    return out_of_memory;
  if (!*number) {
    if (buffer_add(&of->hashes, &hash, sizeof hash))
      return out_of_memory;
    *number = of->hashes.size / sizeof hash;
  }
  uint64_t within = *number;
  if (flags & WITH_ATTRIBUTES)
    take(from);
  const char *error = NULL;
  for (uint64_t count = of->contextual ? 0 : take(from);
       count && !from->bad && !error; count--) {
    const struct inlined_in inlined = take_inlined(from, within);
    error = depth == DEPTH_MOST
                ? damaged
                : read_checksum(of, from, flags, &inlined, depth + 1);
  }
  return error;
}

static const char *read_checksums(struct binary *of, struct numbers *from,
                                  uint64_t flags) {
  const char *error = NULL;
  of->of->probed = of->of->probed || flags & PROBED;
  while (from->at != from->end && !error) {
    const struct inlined_in place = {.name = take(from)};
    error = read_checksum(of, from, flags, &place, 0);
  }
  return error;
}

/* ---- counts ---- */

static double take_lines(struct numbers *from) {
  double weight = 0;
  take(from);
  for (uint64_t count = take(from); count && !from->bad; count--) {
    take(from);
    take(from);
    weight += (double)take(from);
    for (uint64_t targets = take(from); targets && !from->bad; targets--) {
      take(from);
      take(from);
    }
  }
  return weight;
}

/* As deep as functions are inlined. */
static const char *read_function(struct binary *of, struct numbers *from,
                                 const struct inlined_in *place,
                                 unsigned depth) {
  const struct name_index *name = name_of(of, place);
  const uint64_t *number =
      map_find(&of->places, place->within, site_of(place), place->name);
  if (!name || depth == DEPTH_MOST)
    return damaged;
  const struct sample_body body = {
      .name = name->text,
      .reference = name->reference,
      .hash =
          number ? ((const uint64_t *)(void *)of->hashes.data)[*number - 1] : 0,
      .weight = take_lines(from)};
  const char *error = of->of->add(of->of, &body);
  for (uint64_t count = take(from); count && !from->bad && !error; count--) {
    /* In what has no checksum, nothing has one. */
    const struct inlined_in inlined =
        take_inlined(from, number ? *number : UINT64_MAX);
    error = read_function(of, from, &inlined, depth + 1);
  }
  return error;
}

static const char *read_functions(struct binary *of, struct numbers *from,
                                  uint64_t flags) {
  const char *error = NULL;
  (void)flags;
  while (from->at != from->end && !error) {
    take(from);
    const struct inlined_in place = {.name = take(from)};
    error = read_function(of, from, &place, 0);
  }
  return error;
}

/* ---- sections ---- */

/* Unpacked, it lives as long as the match. */
static const char *unpack(struct binary *of, struct bytes *section) {
  struct numbers from = {section->data, section->data + section->size, false};
  uint64_t size = take(&from), packed_size = take(&from);
  const struct bytes packed = {from.at, (size_t)(from.end - from.at)};
  if (from.bad || packed_size != packed.size ||
      size > inflate_most(packed.size))
    return damaged;
  unsigned char *to = arena_take(&of->of->match->names, (size_t)size);
  size_t room = (size_t)size;
  if (!to)
    return out_of_memory;
  const char *error = inflate_zlib(packed, to, &room);
  *section = (struct bytes){to, room};
  return error || room != size ? damaged : NULL;
}

typedef const char *section_reader(struct binary *of, struct numbers *from,
                                   uint64_t flags);

/* Reads one, of which the table of sections has that row. */
static const char *read_section(struct binary *of, const unsigned char *row,
                                section_reader *read) {
  uint64_t flags = load64(row + 8, false), offset = load64(row + 16, false);
  uint64_t size = load64(row + 24, false);
  if (offset > of->file.size || size > of->file.size - offset)
    return damaged;
  struct bytes bytes = {of->file.data + offset, (size_t)size};
  const char *error = flags & COMPRESSED && size ? unpack(of, &bytes) : NULL;
  struct numbers from = {bytes.data, bytes.data + bytes.size, false};
  if (!error && bytes.size)
    error = read(of, &from, flags >> 32);
  return !error && from.bad ? damaged : error;
}

static const char *read_sections(struct binary *of, const unsigned char *rows,
                                 uint64_t count) {
  static const struct {
    unsigned type;
    section_reader *read;
  } order[] = {{NAMES, read_names},
               {CONTEXTS, read_contexts},
               {METADATA, read_checksums},
               {FUNCTIONS, read_functions}};
  const char *error = NULL;
  for (uint64_t i = 0; i < count; i++)
    if (load64(rows + i * ROW, false) == SUMMARY)
      of->contextual = load64(rows + i * ROW + 8, false) >> 32 & WITH_CONTEXTS;
  for (size_t k = 0; k < sizeof order / sizeof *order; k++)
    for (uint64_t i = 0; i < count && !error; i++)
      if (load64(rows + i * ROW, false) == order[k].type)
        error = read_section(of, rows + i * ROW, order[k].read);
  return error;
}

bool sample_binary_is(struct bytes file) {
  struct numbers from = {file.data, file.data + file.size, false};
  return file.size && (take(&from) & ~UINT64_C(0xFF)) == MAGIC;
}

const char *sample_binary_read(struct sample_records *records,
                               struct bytes file) {
  struct numbers from = {file.data, file.data + file.size, false};
  struct binary of = {.of = records,
                      .file = file,
                      .names = {.limit = SIZE_MAX / 2},
                      .contexts = {.limit = SIZE_MAX / 2},
                      .places = {.limit = (size_t)1 << 26},
                      .hashes = {.limit = SIZE_MAX / 2}};
  if (take(&from) != MAGIC + FORM || take(&from) != VERSION)
    return "it is a binary form of another kind or version; write it with "
           "llvm-profdata merge --sample --extbinary";
  uint64_t count = take_word64(&from);
  if (from.bad || count > ROWS_MOST ||
      count > (size_t)(from.end - from.at) / ROW)
    return damaged;
  const char *error = read_sections(&of, from.at, count);
  buffer_free(&of.names);
  buffer_free(&of.contexts);
  map_free(&of.places);
  buffer_free(&of.hashes);
  return error;
}
