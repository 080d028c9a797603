/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads text profiles twice: first to check all lines, then to add them. Memory
 * is allocated only for lines that exist.
 */
#include "proftext.h"

#include <string.h>

#include "../base/buffer.h"
#include "../base/number.h"
#include "../base/error.h"
#include "raw.h"
#include "../object/digest.h"

struct proftext_reader {
  struct profile *profile;
  uint64_t weight;
  const struct addition_handler *events;
  bool adding; /* the second pass */
  enum profile_bitmaps bitmaps;
  unsigned flags;
  /* The next line, if there is one, and the rest of the text. */
  bool more;
  struct bytes line;
  const unsigned char *at, *end;
  size_t next_number; /* line number of that line, from 1 */
  size_t number;      /* line number of the line before */
  /* The current record. */
  struct buffer counters; /* uint64_t */
  struct buffer bitmap;
  struct record_sites sites;
  size_t first[VALUE_KINDS]; /* offset of each kind's first value, in bytes */
};

/* ---- lines ---- */

static void advance_line(struct proftext_reader *text) {
  text->more = false;
  while (!text->more && text->at != text->end) {
    const unsigned char *begin = text->at;
    const unsigned char *end = memchr(begin, '\n', (size_t)(text->end - begin));
    text->at = end ? end + 1 : text->end;
    end = end ? end : text->end;
    if (end != begin && end[-1] == '\r')
      end--;
    text->line = (struct bytes){begin, (size_t)(end - begin)};
    text->more = end != begin && *begin != '#';
    text->next_number++;
  }
}

/* Takes the next line. Returns NULL or the error. */
static const char *read_line(struct proftext_reader *text, struct bytes *line) {
  if (!text->more)
    return "the file is truncated; copy the file again";
  *line = text->line;
  text->number = text->next_number;
  advance_line(text);
  return NULL;
}

/* ---- numbers ---- */

bool proftext_parse_number(struct bytes line, unsigned base, uint64_t *value) {
  if (base)
    return parse_number_in_base(line, base, value);
  base = 10;
  if (line.size > 1 && *line.data == '0') {
    unsigned char kind = line.data[1] | ('a' ^ 'A');
    size_t prefix = kind == 'x' || kind == 'b' || kind == 'o' ? 2 : 1;
    base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
    line = (struct bytes){line.data + prefix, line.size - prefix};
  }
  return parse_number_in_base(line, base, value);
}

/* Takes the next line, which must be a number up to most. */
static const char *read_number(struct proftext_reader *text, unsigned base,
                               uint64_t most, uint64_t *value) {
  struct bytes line;
  const char *error = read_line(text, &line);
  if (!error && (!proftext_parse_number(line, base, value) || *value > most))
    return "expected a number in the range of this field; correct the number";
  return error;
}

/* ---- records ---- */

/* Takes the number of lines in a list. A line takes at least two characters,
 * which limits the number. */
static const char *read_list_length(struct proftext_reader *text, unsigned base,
                                    uint64_t *count) {
  const char *error = read_number(text, base, UINT32_MAX, count);
  if (!error && *count > ((uint64_t)(text->end - text->line.data) + 1) / 2)
    return "the number of lines is larger than the rest of the file; correct "
           "the number";
  return error;
}

static const char *read_counters(struct proftext_reader *text) {
  uint64_t count = 0, counter;
  const char *error = read_list_length(text, 10, &count);
  if (!error && count == 0)
    return "a function has no counters; remove the function";
  text->counters.size = 0;
  for (uint64_t i = 0; i < count && !error; i++) {
    error = read_number(text, 10, UINT64_MAX, &counter);
    if (!error)
      error = buffer_append_bytes(&text->counters, &counter, sizeof counter);
  }
  return error;
}

/* A function's name may begin with $ too. */
static const char *read_bitmap(struct proftext_reader *text) {
  uint64_t count, number;
  text->bitmap.size = 0;
  struct bytes line = text->line;
  if (!text->more || *line.data != '$' ||
      !proftext_parse_number((struct bytes){line.data + 1, line.size - 1}, 0,
                             &count))
    return NULL;
  text->line.data++;
  text->line.size--;
  const char *error = read_list_length(text, 0, &count);
  if (count)
    text->bitmaps = text->profile->told ? text->profile->told : BITMAPS_UNSAID;
  for (uint64_t i = 0; i < count && !error; i++) {
    error = read_number(text, 0, UINT8_MAX, &number);
    unsigned char byte = (unsigned char)number;
    if (!error)
      error = buffer_append_bytes(&text->bitmap, &byte, 1);
  }
  return error;
}

/* ---- values ---- */

/* Returns the value that a name stands for. */
static const char *resolve_name(struct proftext_reader *text, struct bytes name,
                                unsigned kind, uint64_t *value) {
  static const char external[] = TEXT_EXTERNAL;
  *value = 0;
  if (name.size == sizeof external - 1 &&
      !memcmp(name.data, external, name.size))
    return NULL;
  *value = md5_low64(name.data, name.size);
  /* A name that cannot be in a list of names is kept only as a reference. */
  if (kind == VALUE_VTABLES && text->adding && name.size &&
      !memchr(name.data, 1, name.size) &&
      !profile_add_vtable(text->profile, (const char *)name.data, name.size))
    return out_of_memory;
  return NULL;
}

static const char *read_value(struct proftext_reader *text, unsigned kind) {
  struct bytes line;
  struct profiled_value value;
  const char *error = read_line(text, &line);
  if (error)
    return error;
  size_t colon = line.size;
  while (colon && line.data[colon - 1] != ':')
    colon--;
  const struct bytes count = {line.data + colon, line.size - colon};
  line.size = colon ? colon - 1 : 0;
  if (!colon || !proftext_parse_number(count, 10, &value.count) ||
      memchr(line.data, 0, line.size))
    return "expected value:count; correct the line";
  if (kind != VALUE_MEMOPS)
    error = resolve_name(text, line, kind, &value.value);
  else if (!proftext_parse_number(line, 10, &value.value))
    error = "expected size:count; correct the line";
  if (!error)
    error = buffer_append_bytes(&text->sites.values, &value, sizeof value);
  return error;
}

static const char *read_value_kind(struct proftext_reader *text) {
  uint64_t kind, sites, count;
  const char *error = read_number(text, 10, VALUE_KINDS - 1, &kind);
  if (!error)
    error = read_list_length(text, 10, &sites);
  if (error)
    return error;
  if (text->sites.count[kind])
    return "a kind of values is there twice; correct the number";
  text->sites.count[kind] = (uint32_t)sites;
  text->first[kind] = text->sites.values.size;
  for (uint64_t i = 0; i < sites && !error; i++) {
    error = read_list_length(text, 10, &count);
    struct value_site site = {NULL, error ? 0 : (uint32_t)count, 0};
    for (uint64_t j = 0; j < site.count && !error; j++)
      error = read_value(text, (unsigned)kind);
    if (!error)
      error = buffer_append_bytes(&text->sites.lists[kind], &site, sizeof site);
  }
  return error;
}

/* Sets the pointers to the values, which no longer move. */
static void set_value_pointers(struct proftext_reader *text, unsigned kind) {
  struct value_site *list = sites_of_kind(&text->sites, kind);
  size_t at = text->first[kind];
  for (uint32_t i = 0; i < text->sites.count[kind]; i++) {
    if (list[i].count)
      list[i].values =
          (struct profiled_value *)(void *)(text->sites.values.data + at);
    at += list[i].count * sizeof(struct profiled_value);
  }
}

/* Values follow if the next line is a number, since no function's name is a
 * number. */
static const char *read_values(struct proftext_reader *text) {
  uint64_t kinds;
  const char *error = NULL;
  text->sites.values.size = 0;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    text->sites.lists[kind].size = text->sites.count[kind] = 0;
  if (!text->more || !proftext_parse_number(text->line, 10, &kinds))
    return NULL;
  error = read_number(text, 10, VALUE_KINDS, &kinds);
  for (uint64_t i = 0; i < kinds && !error; i++)
    error = read_value_kind(text);
  for (unsigned kind = 0; kind < VALUE_KINDS && !error; kind++)
    set_value_pointers(text, kind);
  return error;
}

/* ---- the record ---- */

static const char *add_record(struct proftext_reader *text, struct bytes name,
                              uint64_t hash) {
  struct counts_addition addition = {
      .name = (const char *)name.data,
      .name_size = name.size,
      .hash = hash,
      .counters = (const uint64_t *)(const void *)text->counters.data,
      .bitmap = text->bitmap.data,
      .counter_count = (uint32_t)(text->counters.size / sizeof(uint64_t)),
      .bitmap_size = (uint32_t)text->bitmap.size,
      .weight = text->weight,
      .marks = true};
  struct record_counts *counts = NULL;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    addition.sites[kind] = sites_of_kind(&text->sites, kind);
    addition.site_count[kind] = text->sites.count[kind];
  }
  enum addition_result result =
      profile_add_counts(text->profile, &addition, &counts);
  if (result == REFUSED_MEMORY)
    return out_of_memory;
  profile_report_event(text->events, result, counts, &addition);
  return NULL;
}

/* Reads a record, and adds it if text->adding. */
static const char *read_record(struct proftext_reader *text) {
  struct bytes name;
  uint64_t hash;
  const char *error = read_line(text, &name);
  if (!error && memchr(name.data, 0, name.size))
    return "a name has a zero byte; check that this is a text profile";
  if (!error)
    error = read_number(text, 0, UINT64_MAX, &hash);
  if (!error)
    error = read_counters(text);
  if (!error)
    error = read_bitmap(text);
  if (!error)
    error = read_values(text);
  if (!error && text->adding)
    error = add_record(text, name, hash);
  return error;
}

/* ==== The two passes. */

bool proftext_is(struct bytes file) {
  size_t size = file.size < 64 ? file.size : 64;
  for (size_t i = 0; i < size; i++) {
    unsigned char c = file.data[i];
    if (c < ' ' ? !(c >= '\t' && c <= '\r') : c == 0x7F || c == 0xFF)
      return false;
  }
  return size > 0;
}

/* ---- directives ---- */

static bool is_directive(struct bytes line, const char *word) {
  if (line.size != strlen(word))
    return false;
  for (size_t i = 0; i < line.size; i++) {
    unsigned char c = line.data[i];
    if ((c >= 'A' && c <= 'Z' ? c | ('a' ^ 'A') : c) != (unsigned char)word[i])
      return false;
  }
  return true;
}

/* Reads the functions of a trace. A line has fewer names than characters. */
static const char *read_trace_functions(struct proftext_reader *text,
                                        struct bytes line, uint64_t weight) {
  struct buffer *list = &text->counters;
  const unsigned char *at = line.data, *end = at + line.size;
  const char *error = NULL;
  list->size = 0;
  while (at != end && !error) {
    const unsigned char *comma = memchr(at, ',', (size_t)(end - at));
    const unsigned char *first = at, *last = comma ? comma : end;
    at = comma ? comma + 1 : end;
    if (first == last)
      continue;
    while (first != last && (*first == ' ' || *first == '\t'))
      first++;
    while (first != last && (last[-1] == ' ' || last[-1] == '\t'))
      last--;
    uint64_t reference = md5_low64(first, (size_t)(last - first));
    error = buffer_append_bytes(list, &reference, sizeof reference);
  }
  const struct temporal_trace trace = {weight, (uint64_t *)(void *)list->data,
                                       list->size / sizeof(uint64_t), 0};
  if (!error && text->adding && !profile_add_trace(text->profile, &trace))
    error = out_of_memory;
  return error;
}

static const char *read_traces(struct proftext_reader *text) {
  uint64_t count = 0, runs = 0, weight = 0;
  bool cut;
  const char *error = read_number(text, 0, UINT64_MAX, &count);
  if (!error)
    error = read_number(text, 0, UINT64_MAX, &runs);
  for (uint64_t i = 0; i < count && !error; i++) {
    struct bytes line;
    error = read_number(text, 0, UINT64_MAX, &weight);
    if (!error)
      error = read_line(text, &line);
    if (!error)
      error = read_trace_functions(
          text, line,
          text->adding ? count_multiply_limited(weight, text->weight, &cut)
                       : weight);
  }
  if (!error && text->adding && runs > count)
    profile_add_dropped_runs(text->profile, runs - count);
  return error;
}

static const char *read_directive(struct proftext_reader *text,
                                  struct bytes line) {
  static const struct {
    const char *word;
    unsigned flags;
  } words[] = {{":ir", PROFILE_IR},
               {":fe", 0},
               {":csir", PROFILE_IR | PROFILE_CS},
               {":entry_first", PROFILE_ENTRY_FIRST},
               {":not_entry_first", 0},
               {":instrument_loop_entries", PROFILE_LOOP_ENTRIES},
               {":single_byte_coverage", PROFILE_BYTES},
               {":temporal_prof_traces", PROFILE_TEMPORAL}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (is_directive(line, words[i].word)) {
      text->flags |= words[i].flags;
      if (is_directive(line, ":fe"))
        text->flags &= ~(unsigned)(PROFILE_IR | PROFILE_CS);
      if (is_directive(line, ":not_entry_first"))
        text->flags &= ~(unsigned)PROFILE_ENTRY_FIRST;
      return words[i].flags & PROFILE_TEMPORAL ? read_traces(text) : NULL;
    }
  return "unknown directive; upgrade bareprof if the file is from an LLVM "
         "after 22";
}

/* ---- the file ---- */

static const char *read_pass(struct proftext_reader *text, struct bytes file) {
  const char *error = NULL;
  text->at = file.data;
  text->end = file.data + file.size;
  text->number = text->next_number = 0;
  text->flags = 0;
  advance_line(text);
  while (!error && text->more && *text->line.data == ':') {
    struct bytes line;
    error = read_line(text, &line);
    if (!error)
      error = read_directive(text, line);
  }
  while (!error && text->more)
    error = read_record(text);
  if (!(text->flags & PROFILE_IR))
    text->flags |= PROFILE_FRONT_END;
  return error;
}

const char *proftext_read(struct profile *profile, struct bytes file,
                          uint64_t weight,
                          const struct addition_handler *events, size_t *line) {
  struct proftext_reader text = {.profile = profile,
                                 .weight = weight,
                                 .events = events,
                                 .counters = {.limit = SIZE_MAX / 2},
                                 .bitmap = {.limit = SIZE_MAX / 2}};
  sites_new(&text.sites);
  const char *error = read_pass(&text, file);
  *line = text.number;
  if (!error) {
    *line = 0;
    error = profile_join_kind(profile, text.flags, text.bitmaps);
  }
  text.adding = true;
  if (!error)
    error = read_pass(&text, file);
  buffer_free(&text.counters);
  buffer_free(&text.bitmap);
  sites_free(&text.sites);
  return error;
}
