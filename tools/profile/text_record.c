/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the records of text profiles. Nothing takes memory before the lines
 * that fill it are known to be there.
 */
#include <string.h>

#include "../object/md5.h"
#include "text_inside.h"

const char text_no_memory[] = "not enough memory; free some";

/* A list of so many lines: at most every second letter begins one. */
static const char *take_count(struct text *text, unsigned base,
                              uint64_t *count) {
  const char *error = text_take(text, base, UINT32_MAX, count);
  if (!error && *count > ((uint64_t)(text->end - text->line.data) + 1) / 2)
    return "it says more lines than there are; correct the number";
  return error;
}

static const char *read_counters(struct text *text) {
  uint64_t count, counter;
  const char *error = take_count(text, 10, &count);
  if (!error && count == 0)
    return "a function has no counters; take it out";
  text->counters.size = 0;
  for (uint64_t i = 0; i < count && !error; i++) {
    error = text_take(text, 10, UINT64_MAX, &counter);
    if (!error)
      error = buffer_append(&text->counters, &counter, sizeof counter);
  }
  return error;
}

/* A name may begin with $ too. */
static const char *read_bitmap(struct text *text) {
  uint64_t count, number;
  text->bitmap.size = 0;
  struct bytes line = text->line;
  if (!text->more || *line.data != '$' ||
      !text_number((struct bytes){line.data + 1, line.size - 1}, 0, &count))
    return NULL;
  text->line.data++;
  text->line.size--;
  const char *error = take_count(text, 0, &count);
  for (uint64_t i = 0; i < count && !error; i++) {
    error = text_take(text, 0, UINT8_MAX, &number);
    unsigned char byte = (unsigned char)number;
    if (!error)
      error = buffer_append(&text->bitmap, &byte, 1);
  }
  return error;
}

/* ---- values ---- */

/* The value that the name stands for. */
static const char *read_name(struct text *text, struct bytes name,
                             unsigned kind, uint64_t *value) {
  static const char external[] = TEXT_EXTERNAL;
  *value = 0;
  if (name.size == sizeof external - 1 &&
      !memcmp(name.data, external, name.size))
    return NULL;
  *value = md5_low64(name.data, name.size);
  /* Of what cannot be in a list of names, only the reference is kept. */
  if (kind == VALUE_VTABLES && text->adding && name.size &&
      !memchr(name.data, 1, name.size) &&
      !profile_add_vtable(text->profile, (const char *)name.data, name.size))
    return text_no_memory;
  return NULL;
}

static const char *read_value(struct text *text, unsigned kind) {
  struct bytes line;
  struct value value;
  const char *error = text_line(text, &line);
  if (error)
    return error;
  size_t colon = line.size;
  while (colon && line.data[colon - 1] != ':')
    colon--;
  const struct bytes count = {line.data + colon, line.size - colon};
  line.size = colon ? colon - 1 : 0;
  if (!colon || !text_number(count, 10, &value.count) ||
      memchr(line.data, 0, line.size))
    return "here should be value:count; correct the line";
  if (kind != VALUE_MEMOPS)
    error = read_name(text, line, kind, &value.value);
  else if (!text_number(line, 10, &value.value))
    error = "here should be size:count; correct the line";
  if (!error)
    error = buffer_append(&text->sites.values, &value, sizeof value);
  return error;
}

static const char *read_kind(struct text *text) {
  uint64_t kind, sites, count;
  const char *error = text_take(text, 10, VALUE_KINDS - 1, &kind);
  if (!error)
    error = take_count(text, 10, &sites);
  if (error)
    return error;
  if (text->sites.count[kind])
    return "a kind of values is there twice; correct the number";
  text->sites.count[kind] = (uint32_t)sites;
  text->first[kind] = text->sites.values.size;
  for (uint64_t i = 0; i < sites && !error; i++) {
    error = take_count(text, 10, &count);
    struct site site = {NULL, error ? 0 : (uint32_t)count, 0};
    for (uint64_t j = 0; j < site.count && !error; j++)
      error = read_value(text, (unsigned)kind);
    if (!error)
      error = buffer_append(&text->sites.lists[kind], &site, sizeof site);
  }
  return error;
}

/* Now that the values no longer move. */
static void place_values(struct text *text, unsigned kind) {
  struct site *list = sites_list(&text->sites, kind);
  size_t at = text->first[kind];
  for (uint32_t i = 0; i < text->sites.count[kind]; i++) {
    if (list[i].count)
      list[i].values = (struct value *)(void *)(text->sites.values.data + at);
    at += list[i].count * sizeof(struct value);
  }
}

/* They are there if a number follows: it is no function's name. */
static const char *read_values(struct text *text) {
  uint64_t kinds;
  const char *error = NULL;
  text->sites.values.size = 0;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    text->sites.lists[kind].size = text->sites.count[kind] = 0;
  if (!text->more || !text_number(text->line, 10, &kinds))
    return NULL;
  error = text_take(text, 10, VALUE_KINDS, &kinds);
  for (uint64_t i = 0; i < kinds && !error; i++)
    error = read_kind(text);
  for (unsigned kind = 0; kind < VALUE_KINDS && !error; kind++)
    place_values(text, kind);
  return error;
}

/* ---- the record ---- */

static const char *add(struct text *text, struct bytes name, uint64_t hash) {
  struct addition addition = {
      .name = (const char *)name.data,
      .name_size = name.size,
      .hash = hash,
      .counters = (const uint64_t *)(const void *)text->counters.data,
      .bitmap = text->bitmap.data,
      .counter_count = (uint32_t)(text->counters.size / sizeof(uint64_t)),
      .bitmap_size = (uint32_t)text->bitmap.size,
      .weight = text->weight,
      .marks = true};
  struct counts *counts = NULL;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    addition.sites[kind] = sites_list(&text->sites, kind);
    addition.site_count[kind] = text->sites.count[kind];
  }
  enum addition_result result = profile_add(text->profile, &addition, &counts);
  if (result == REFUSED_MEMORY)
    return text_no_memory;
  read_event(text->events, result, counts, &addition);
  return NULL;
}

const char *text_record(struct text *text) {
  struct bytes name;
  uint64_t hash;
  const char *error = text_line(text, &name);
  if (!error && memchr(name.data, 0, name.size))
    return "a name has a zero in it; is it a text profile?";
  if (!error)
    error = text_take(text, 0, UINT64_MAX, &hash);
  if (!error)
    error = read_counters(text);
  if (!error)
    error = read_bitmap(text);
  if (!error)
    error = read_values(text);
  if (!error && text->adding)
    error = add(text, name, hash);
  return error;
}
