/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads text profiles twice: first to check all lines, then to add them. The
 * reader allocates memory only for lines that exist in the file. */
#include "proftext.h"

#include <string.h>

#include "../base/buffer.h"
#include "../base/number.h"
#include "../base/error.h"
#include "../base/llvm.h"
#include "raw.h"
#include "../object/digest.h"

struct proftext_reader {
  struct profile *profile;
  uint64_t weight;
  const struct addition_handler *events;
  bool adding; /* this is the second pass */
  enum profile_bitmaps bitmaps;
  unsigned flags;
  const char *error; /* the first error; after an error nothing is read */
  /* The next line, if there is one, and the rest of the text. `more` says
   * whether there is one. */
  bool more;
  struct bytes line;
  const unsigned char *at, *end;
  size_t next_number; /* number of the next line, from 1 on */
  size_t number;      /* number of the line that was read last */
  /* The members below describe the current record. */
  struct buffer counters; /* elements are uint64_t */
  struct buffer bitmap;
  struct record_sites sites;
  size_t first[VALUE_KINDS]; /* offset in bytes of the first value of each
                                kind */
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

static void set_error(struct proftext_reader *text, const char *error) {
  if (!text->error)
    text->error = error;
}

/* Returns the next line, and moves to the line after it. Returns an empty line
 * after an error. */
static struct bytes consume_line(struct proftext_reader *text) {
  const struct bytes line = text->line, none = {text->end, 0};
  if (!text->more)
    set_error(text, "the file is truncated; copy the file again");
  if (text->error)
    return none;
  text->number = text->next_number;
  advance_line(text);
  return line;
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

/* Returns the error for a line that is not a number from 0 to `most`. */
static const char *number_range_error(uint64_t most) {
  if (most > UINT32_MAX)
    return "expected a number below 2^64; correct the number";
  if (most > UINT8_MAX)
    return "expected a number below 2^32; correct the number";
  if (most > VALUE_KINDS)
    return "expected a number from 0 to 255; correct the number";
  return most == VALUE_KINDS
             ? "expected a number from 0 to 3; correct the number"
             : "expected a number from 0 to 2; correct the number";
}

/* Parses a line that must be a number, at most `most`. */
static uint64_t parse_number_line(struct proftext_reader *text, unsigned base,
                                  uint64_t most) {
  uint64_t value;
  if (!proftext_parse_number(consume_line(text), base, &value) || value > most)
    set_error(text, number_range_error(most));
  return value;
}

/* ---- records ---- */

static void append_or_set_error(struct proftext_reader *text, struct buffer *to,
                                const void *item, size_t size) {
  const char *error = text->error ? NULL : buffer_append(to, item, size);
  if (error)
    set_error(text, error);
}

/* Parses the number of lines in a list. A line takes at least two characters,
 * which limits the number. Returns 0 after an error. */
static uint32_t parse_list_length(struct proftext_reader *text, unsigned base) {
  uint64_t count = parse_number_line(text, base, UINT32_MAX);
  if (count > ((uint64_t)(text->end - text->line.data) + 1) / 2)
    set_error(text, "the number of lines is larger than the rest of the file; "
                    "correct the number");
  return text->error ? 0 : (uint32_t)count;
}

static void parse_counters(struct proftext_reader *text) {
  uint32_t count = parse_list_length(text, 10);
  if (count == 0)
    set_error(text, "a function has no counters; remove the function");
  text->counters.size = 0;
  for (uint32_t i = 0; i < count && !text->error; i++) {
    uint64_t counter = parse_number_line(text, 10, UINT64_MAX);
    append_or_set_error(text, &text->counters, &counter, sizeof counter);
  }
}

/* Parses a bitmap, if there is one. A function's name may begin with $, too. */
static void parse_bitmap(struct proftext_reader *text) {
  uint64_t number;
  text->bitmap.size = 0;
  struct bytes line = text->line;
  if (text->error || !text->more || *line.data != '$' ||
      !proftext_parse_number((struct bytes){line.data + 1, line.size - 1}, 0,
                             &number))
    return;
  text->line.data++;
  text->line.size--;
  uint32_t count = parse_list_length(text, 0);
  if (count)
    text->bitmaps = text->profile->bitmaps_by_user
                        ? text->profile->bitmaps_by_user
                        : BITMAPS_UNSAID;
  for (uint32_t i = 0; i < count && !text->error; i++) {
    unsigned char byte = (unsigned char)parse_number_line(text, 0, UINT8_MAX);
    append_or_set_error(text, &text->bitmap, &byte, 1);
  }
}

/* ---- values ---- */

/* Returns the value for a name: its hash, or 0 for an external symbol. */
static uint64_t hash_and_keep_name(struct proftext_reader *text,
                                   struct bytes name, unsigned kind) {
  static const char external[] = TEXT_EXTERNAL;
  if (name.size == sizeof external - 1 &&
      !memcmp(name.data, external, name.size))
    return 0;
  /* If a name cannot be in a list of names, only its reference is kept. */
  if (kind == VALUE_VTABLES && text->adding && name.size &&
      !memchr(name.data, 1, name.size) &&
      !profile_add_vtable(text->profile, (const char *)name.data, name.size))
    set_error(text, out_of_memory);
  return md5_low64(name.data, name.size);
}

static void parse_value_line(struct proftext_reader *text, unsigned kind) {
  struct bytes line = consume_line(text);
  struct profiled_value value;
  size_t colon = line.size;
  while (colon && line.data[colon - 1] != ':')
    colon--;
  const struct bytes count = {line.data + colon, line.size - colon};
  line.size = colon ? colon - 1 : 0;
  if (!colon || !proftext_parse_number(count, 10, &value.count) ||
      memchr(line.data, 0, line.size)) {
    set_error(text, "expected value:count; correct the line");
    return;
  }
  if (kind != VALUE_MEMOPS)
    value.value = hash_and_keep_name(text, line, kind);
  else if (!proftext_parse_number(line, 10, &value.value))
    set_error(text, "expected size:count; correct the line");
  append_or_set_error(text, &text->sites.values, &value, sizeof value);
}

static void parse_value_sites_of_kind(struct proftext_reader *text) {
  uint64_t kind = parse_number_line(text, 10, VALUE_KINDS - 1);
  uint32_t sites = parse_list_length(text, 10);
  if (text->error)
    return;
  if (text->sites.count[kind])
    set_error(text, "two value lists of this function have the same kind; "
                    "correct the number of the kind");
  text->sites.count[kind] = sites;
  text->first[kind] = text->sites.values.size;
  for (uint32_t i = 0; i < sites && !text->error; i++) {
    struct value_site site = {NULL, parse_list_length(text, 10), 0};
    for (uint32_t j = 0; j < site.count && !text->error; j++)
      parse_value_line(text, (unsigned)kind);
    append_or_set_error(text, &text->sites.lists[kind], &site, sizeof site);
  }
}

/* Sets the pointers to the values, which do not move any more. */
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

/* Parses values, if there are any. Values follow if the next line is a number,
 * because no function's name is a number. */
static void parse_value_lines(struct proftext_reader *text) {
  uint64_t kinds;
  text->sites.values.size = 0;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    text->sites.lists[kind].size = text->sites.count[kind] = 0;
  if (text->error || !text->more ||
      !proftext_parse_number(text->line, 10, &kinds))
    return;
  kinds = parse_number_line(text, 10, VALUE_KINDS);
  for (uint64_t i = 0; i < kinds && !text->error; i++)
    parse_value_sites_of_kind(text);
  for (unsigned kind = 0; kind < VALUE_KINDS && !text->error; kind++)
    set_value_pointers(text, kind);
}

/* ---- the record ---- */

static void add_parsed_record(struct proftext_reader *text, struct bytes name,
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
    set_error(text, out_of_memory);
  else
    profile_report_event(text->events, result, counts, &addition);
}

/* Parses a record. Adds the record if text->adding is true. */
static void parse_record_lines(struct proftext_reader *text) {
  struct bytes name = consume_line(text);
  if (memchr(name.data, 0, name.size))
    set_error(text,
              "a name has a zero byte; check that this is a text profile");
  uint64_t hash = parse_number_line(text, 0, UINT64_MAX);
  parse_counters(text);
  parse_bitmap(text);
  parse_value_lines(text);
  if (text->adding && !text->error)
    add_parsed_record(text, name, hash);
}

/* ==== Makes the two passes over the text. */

bool proftext_is_text_file(struct bytes file) {
  size_t size = file.size < 64 ? file.size : 64;
  for (size_t i = 0; i < size; i++) {
    unsigned char c = file.data[i];
    if (c < ' ' ? !(c >= '\t' && c <= '\r') : c == 0x7F || c == 0xFF)
      return false;
  }
  return size > 0;
}

/* ---- directives ---- */

static bool matches_directive(struct bytes line, const char *word) {
  if (line.size != strlen(word))
    return false;
  for (size_t i = 0; i < line.size; i++) {
    unsigned char c = line.data[i];
    if ((c >= 'A' && c <= 'Z' ? c | ('a' ^ 'A') : c) != (unsigned char)word[i])
      return false;
  }
  return true;
}

/* Parses the functions of a trace. A line has fewer names than characters. */
static void parse_trace_functions(struct proftext_reader *text,
                                  struct bytes line, uint64_t weight) {
  struct buffer *list = &text->counters;
  const unsigned char *at = line.data, *end = at + line.size;
  list->size = 0;
  while (at != end && !text->error) {
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
    append_or_set_error(text, list, &reference, sizeof reference);
  }
  const struct temporal_trace trace = {weight, (uint64_t *)(void *)list->data,
                                       list->size / sizeof(uint64_t), 0};
  if (!text->error && text->adding && !profile_add_trace(text->profile, &trace))
    set_error(text, out_of_memory);
}

static void parse_trace_lines(struct proftext_reader *text) {
  bool cut;
  uint64_t count = parse_number_line(text, 0, UINT64_MAX);
  uint64_t runs = parse_number_line(text, 0, UINT64_MAX);
  for (uint64_t i = 0; i < count && !text->error; i++) {
    uint64_t weight = parse_number_line(text, 0, UINT64_MAX);
    if (text->adding)
      weight = count_multiply_limited(weight, text->weight, &cut);
    parse_trace_functions(text, consume_line(text), weight);
  }
  if (!text->error && text->adding && runs > count)
    profile_add_runs_limit_traces(text->profile, runs - count);
}

static void parse_directive(struct proftext_reader *text, struct bytes line) {
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
    if (matches_directive(line, words[i].word)) {
      text->flags |= words[i].flags;
      if (matches_directive(line, ":fe"))
        text->flags &= ~(unsigned)(PROFILE_IR | PROFILE_CS);
      if (matches_directive(line, ":not_entry_first"))
        text->flags &= ~(unsigned)PROFILE_ENTRY_FIRST;
      if (words[i].flags & PROFILE_TEMPORAL)
        parse_trace_lines(text);
      return;
    }
  set_error(text, "unknown directive; upgrade bareprof if the file is from an "
                  "LLVM after " LLVM_LAST_TEXT);
}

/* ---- the file ---- */

/* Parses the whole file in one pass. Returns NULL or the error. */
static const char *parse_whole_text(struct proftext_reader *text,
                                    struct bytes file) {
  file = bytes_skip_byte_order_mark(file);
  text->at = file.data;
  text->end = file.data + file.size;
  text->number = text->next_number = 0;
  text->flags = 0;
  advance_line(text);
  while (!text->error && text->more && *text->line.data == ':')
    parse_directive(text, consume_line(text));
  while (!text->error && text->more)
    parse_record_lines(text);
  if (!(text->flags & PROFILE_IR))
    text->flags |= PROFILE_FRONT_END;
  return text->error;
}

const char *proftext_parse_into(struct profile *profile, struct bytes file,
                                uint64_t weight,
                                const struct addition_handler *events,
                                size_t *line) {
  struct proftext_reader text = {.profile = profile,
                                 .weight = weight,
                                 .events = events,
                                 .counters = {.limit = SIZE_MAX / 2},
                                 .bitmap = {.limit = SIZE_MAX / 2}};
  sites_init(&text.sites);
  const char *error = parse_whole_text(&text, file);
  *line = text.number;
  if (!error) {
    *line = 0;
    error = profile_join_kind(profile, text.flags, text.bitmaps);
  }
  text.adding = true;
  if (!error)
    error = parse_whole_text(&text, file);
  buffer_free(&text.counters);
  buffer_free(&text.bitmap);
  sites_free(&text.sites);
  return error;
}
