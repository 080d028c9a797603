/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the names of a profile (names.h): unpacks all parts into one text,
 * replaces the separators with zeros, and sorts an index of the names' offsets.
 */
#include "names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/number.h"
#include "digest.h"
#include "inflate.h"

struct indexed_name {
  uint64_t reference;
  size_t at; /* offset of the name in the text */
};

static const char damaged[] =
    "the function names are damaged; link the ELF again";

static const char *unpack_text(struct buffer *text, struct bytes packed,
                               uint64_t size) {
  if (size > inflate_size_limit(packed.size) || size > NAMES_BYTES_MOST)
    return damaged;
  /* 1 is for the separator. */
  const char *error = buffer_reserve(text, (size_t)size + 1);
  size_t got = (size_t)size;
  if (!error)
    error = inflate_zlib(packed, text->data + text->size, &got);
  if (!error && got != size)
    return damaged;
  if (!error)
    text->size += got;
  return error;
}

/* Names wait in a batch, because the MD5 of many names at once is faster. */
enum { WAITING_MOST = 64 };
struct name_batch {
  struct bytes names[WAITING_MOST];
  size_t count;
};

static const char *index_name_batch(struct name_table *names,
                                    struct name_batch *waiting) {
  uint64_t sums[WAITING_MOST];
  const char *error = NULL;
  md5_low64_all(waiting->names, waiting->count, sums);
  for (size_t i = 0; i < waiting->count && !error; i++) {
    const struct indexed_name entry = {
        sums[i], (size_t)(waiting->names[i].data - names->text.data)};
    error = buffer_append(&names->index, &entry, sizeof entry);
  }
  waiting->count = 0;
  return error;
}

/* Splits the text from offset `from` into names, which separators end. */
static const char *split_and_index_names(struct name_table *names,
                                         size_t from) {
  unsigned char *at = names->text.data + from;
  unsigned char *end = names->text.data + names->text.size;
  struct name_batch waiting = {.count = 0};
  const char *error = NULL;
  if (memchr(at, 0, (size_t)(end - at)))
    return damaged;
  for (unsigned char *next; at != end && !error; at = next + 1) {
    next = memchr(at, 1, (size_t)(end - at));
    *next = 0;
    if (next == at)
      continue;
    waiting.names[waiting.count++] = (struct bytes){at, (size_t)(next - at)};
    if (waiting.count == WAITING_MOST)
      error = index_name_batch(names, &waiting);
  }
  return error ? error : index_name_batch(names, &waiting);
}

/* Reads the part of one object, and advances *at past the part. */
static const char *read_object_names(struct name_table *names,
                                     const unsigned char **at,
                                     const unsigned char *end) {
  uint64_t size, packed;
  if (!read_uleb128(at, end, &size) || !read_uleb128(at, end, &packed))
    return damaged;
  uint64_t stored = packed ? packed : size;
  if (stored > (uint64_t)(end - *at))
    return damaged;
  size_t from = names->text.size;
  struct bytes bytes = {*at, (size_t)stored};
  const char *error =
      packed ? unpack_text(&names->text, bytes, size)
             : buffer_append_bytes(&names->text, bytes.data, bytes.size);
  if (!error)
    error = buffer_append_bytes(&names->text, "\1", 1);
  *at += stored;
  return error ? error : split_and_index_names(names, from);
}

bool names_count_object_parts(struct bytes section, size_t *count) {
  const unsigned char *at = section.data, *end = at + section.size;
  *count = 0;
  while (at != end) {
    uint64_t size, packed;
    if (*at == 0) {
      at++;
      continue;
    }
    if (!read_uleb128(&at, end, &size) || !read_uleb128(&at, end, &packed))
      return false;
    if (packed)
      size = packed;
    if (size > (uint64_t)(end - at))
      return false;
    at += size;
    ++*count;
  }
  return true;
}

ORDER_BY(by_reference, struct indexed_name, x->reference, (uintptr_t)x->at);

const char *names_read_in_order(struct name_table *names,
                                struct bytes section) {
  *names = (struct name_table){
      .text = {.limit = NAMES_BYTES_MOST},
      .index = {.limit = NAMES_COUNT_MOST * sizeof(struct indexed_name)}};
  const unsigned char *at = section.data, *end = at + section.size;
  const char *error = NULL;
  while (!error && at != end) {
    if (*at)
      error = read_object_names(names, &at, end);
    else
      at++;
  }
  return error;
}

void names_sort(struct name_table *names) {
  if (names->index.size)
    qsort(names->index.data, names_count(names), sizeof(struct indexed_name),
          by_reference);
}

const char *names_read(struct name_table *names, struct bytes section) {
  const char *error = names_read_in_order(names, section);
  names_sort(names);
  return error;
}

size_t names_count(const struct name_table *names) {
  return names->index.size / sizeof(struct indexed_name);
}

const char *names_at(const struct name_table *names, size_t i) {
  const struct indexed_name *index = (const void *)names->index.data;
  return (const char *)names->text.data + index[i].at;
}

const char *names_find_next(const struct name_table *names, size_t *next,
                            uint64_t reference) {
  const struct indexed_name *index = (const void *)names->index.data;
  for (size_t i = *next; i < names_count(names); i++)
    if (index[i].reference == reference) {
      *next = i + 1;
      return (const char *)names->text.data + index[i].at;
    }
  return NULL;
}

const char *names_find(const struct name_table *names, uint64_t reference) {
  const struct indexed_name *index = (const void *)names->index.data;
  size_t low = search_from(index, names_count(names), reference, reference);
  if (low == names_count(names) || index[low].reference != reference)
    return NULL;
  return names_at(names, low);
}

size_t names_count_occurrences(const struct name_table *names,
                               uint64_t reference) {
  const struct indexed_name *index = (const void *)names->index.data;
  size_t count = names_count(names);
  return search_after(index, count, reference, reference) -
         search_from(index, count, reference, reference);
}

void names_free(struct name_table *names) {
  buffer_free(&names->text);
  buffer_free(&names->index);
}

/* ---- plain names ---- */

struct bytes names_source_name(const char *name) {
  static const char *const ends[] = {".__uniq.", ".llvm.", ".cold",
                                     ".part.",   ".isra.", ".constprop."};
  size_t size = strlen(name);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    const char *end = strstr(name, ends[i]);
    if (end && end != name && (size_t)(end - name) < size)
      size = (size_t)(end - name);
  }
  if (size > 3 && memcmp(name, "_ZL", 3) == 0) {
    size_t at = 3, length = 0;
    for (; at < size && isdigit((unsigned char)name[at]) && length < size; at++)
      length = length * 10 + (size_t)(name[at] - '0');
    if (length && length <= size - at)
      return (struct bytes){(const unsigned char *)name + at, length};
  }
  return (struct bytes){(const unsigned char *)name, size};
}

struct bytes names_uniq_digits(struct bytes name) {
  static const char mark[] = ".__uniq.";
  const unsigned char *at = name.data, *end = at + name.size;
  while (at != end && !skip_prefix(&at, end, mark))
    at++;
  const unsigned char *first = at;
  while (at != end && digit_value(*at) < 10)
    at++;
  return (struct bytes){first, (size_t)(at - first)};
}
