/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The names of files in the coverage mapping: the compiler's folder, then names
 * that are in it or absolute.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/os.h"
#include "../base/search.h"
#include "../base/source_name.h"
#include "inflate.h"
#include "mapping_inside.h"
#include "md5.h"

enum { NAMES_MOST = 1 << 26 };

/* The names of a part, while they are read. The first one, the folder that the
 * compiler was in, has been. */
struct list {
  struct cursor at;
  uint64_t count; /* with the folder */
  struct bytes folder;
  unsigned char *memory;
};

/* ---- reading ---- */

/* Sets list->at to the strings of a part. */
static const char *unpack(struct list *list, struct cursor from,
                          uint64_t packed, uint64_t size) {
  size_t left = (size_t)(from.end - from.at), got = (size_t)size;
  if ((packed ? packed : size) > left)
    return mapping_damaged;
  list->at = (struct cursor){from.at, from.at + size};
  if (!packed)
    return NULL;
  if (size > NAMES_MOST || size > inflate_most((size_t)packed))
    return mapping_damaged;
  list->memory = malloc((size_t)size + 1);
  if (!list->memory)
    return out_of_memory;
  const char *error =
      inflate_zlib((struct bytes){from.at, (size_t)packed}, list->memory, &got);
  list->at = (struct cursor){list->memory, list->memory + got};
  return error;
}

static bool next_name(struct list *list, struct bytes *name) {
  struct cursor *at = &list->at;
  uint64_t size;
  if (!mapping_number(at, (uint64_t)(at->end - at->at), &size) ||
      size > (uint64_t)(at->end - at->at))
    return false;
  *name = (struct bytes){at->at, (size_t)size};
  at->at += size;
  return true;
}

/* The caller frees list->memory in both cases. */
static const char *open_list(struct list *list, const struct part *part) {
  uint64_t size, packed;
  struct cursor cursor = {part->bytes.data,
                          part->bytes.data + part->bytes.size};
  *list = (struct list){.memory = NULL};
  if (!mapping_number(&cursor, UINT32_MAX, &list->count) ||
      !mapping_number(&cursor, UINT32_MAX, &size) ||
      !mapping_number(&cursor, UINT32_MAX, &packed))
    return mapping_damaged;
  const char *error = unpack(list, cursor, packed, size);
  if (!error && list->count && !next_name(list, &list->folder))
    error = mapping_damaged;
  return error;
}

/* ---- one name ---- */

static bool begins_with_slash(struct bytes name) {
  return name.size && *name.data == '/';
}

static bool is_windows(struct bytes name) {
  return source_is_windows((const char *)name.data, name.size);
}

/* Joins a folder and a name. */
static const char *join(struct bytes folder, struct bytes name, char **joined) {
  if (begins_with_slash(name) || is_windows(name))
    folder.size = 0;
  *joined = malloc(folder.size + name.size + 2);
  if (!*joined)
    return out_of_memory;
  if (folder.size)
    memcpy(*joined, folder.data, folder.size);
  if (folder.size)
    (*joined)[folder.size++] = '/';
  if (name.size)
    memcpy(*joined + folder.size, name.data, name.size);
  (*joined)[folder.size + name.size] = 0;
  source_name(*joined);
  return NULL;
}

const char *mapping_file(const struct mapping *mapping, uint32_t file,
                         char **name) {
  const struct part *part = mapping_part(mapping);
  struct list list;
  uint64_t index;
  *name = NULL;
  if (!part || file >= mapping->file_count)
    return mapping_damaged;
  memcpy(&index, mapping->files.data + file * sizeof index, sizeof index);
  const char *error = open_list(&list, part);
  if (!error && index >= list.count)
    error = mapping_damaged;
  struct bytes found = list.folder, none = {NULL, 0};
  for (uint64_t i = 0; i < index && !error; i++)
    if (!next_name(&list, &found))
      error = mapping_damaged;
  if (!error)
    error = join(index ? list.folder : none, found, name);
  free(list.memory);
  return error;
}

/* ---- other names ---- */

/* Whether llvm-cov on this system takes another file from a name. */
static bool is_foreign(struct bytes folder, struct bytes name) {
  bool absolute = begins_with_slash(name) || is_windows(name);
  struct bytes first = absolute ? name : folder;
  return is_windows(first) ||
         (os_is_separator('\\') && begins_with_slash(first));
}

static const char *find_foreign(const struct part *part, bool *found) {
  struct list list;
  struct bytes name;
  const char *error = open_list(&list, part);
  for (uint64_t i = 1; i < list.count && !error && !*found; i++)
    if (next_name(&list, &name))
      *found = is_foreign(list.folder, name);
    else
      error = mapping_damaged;
  free(list.memory);
  return error;
}

/* Adds the names of a part, in no folder. */
static const char *add_names(struct buffer *to, const struct part *part) {
  struct list list;
  struct bytes name;
  const char *error = open_list(&list, part);
  if (!error && list.count)
    error = mapping_put_number(to, 0);
  for (uint64_t i = 1; i < list.count && !error; i++) {
    char *joined = NULL;
    error = next_name(&list, &name) ? join(list.folder, name, &joined)
                                    : mapping_damaged;
    if (!error)
      error = mapping_put_number(to, strlen(joined));
    if (!error)
      error = buffer_append(to, joined, strlen(joined));
    free(joined);
  }
  free(list.memory);
  return error;
}

/* Adds a part, with its header, to the section; and its new reference. */
static const char *add_part(const struct mapping *mapping,
                            const struct part *part, struct buffer *section,
                            uint64_t *reference) {
  static const unsigned char zeros[NAMES_HEADER];
  struct buffer names = {.limit = NAMES_MOST};
  struct list list;
  size_t begin = section->size;
  const char *error = open_list(&list, part);
  free(list.memory);
  if (!error)
    error = add_names(&names, part);
  if (!error)
    error =
        buffer_append(section, part->bytes.data - NAMES_HEADER, NAMES_HEADER);
  const uint64_t head[] = {list.count, names.size, 0};
  for (unsigned i = 0; i < 3 && !error; i++)
    error = mapping_put_number(section, head[i]);
  if (!error)
    error = buffer_append(section, names.data, names.size);
  size_t size = section->size - begin;
  if (!error)
    error = buffer_append(section, zeros, mapping_aligned(size) - size);
  if (!error) {
    unsigned char *at = section->data + begin;
    store32(at + 4, (uint32_t)(size - NAMES_HEADER), mapping->big);
    store32(at + 8, 0, mapping->big);
    *reference = md5_low64(at + NAMES_HEADER, size - NAMES_HEADER);
  }
  buffer_free(&names);
  return error;
}

/* Copies the functions, which refer to other names now. */
static const char *refer(const struct mapping *mapping,
                         const uint64_t *references, struct buffer *records) {
  const struct part *parts = (const struct part *)mapping->parts.data;
  size_t count = mapping->parts.size / sizeof *parts;
  const char *error =
      buffer_append(records, mapping->records.data, mapping->records.size);
  for (size_t at = 0; !error && records->size - at >= RECORD_HEADER;) {
    unsigned char *record = records->data + at;
    size_t size = load32(record + 8, mapping->big);
    uint64_t old = load64(record + REFERENCE_AT, mapping->big);
    size_t part = search_from(parts, count, reference, old);
    if (size > records->size - at - RECORD_HEADER)
      return mapping_damaged;
    if (part < count && parts[part].reference == old)
      store64(record + REFERENCE_AT, references[part], mapping->big);
    at = mapping_aligned(at + RECORD_HEADER + size);
    at = at < records->size ? at : records->size;
  }
  return error;
}

const char *mapping_rename(const struct mapping *mapping, struct buffer *names,
                           struct buffer *records) {
  const struct part *parts = (const struct part *)mapping->parts.data;
  size_t count = mapping->parts.size / sizeof *parts;
  const char *error = NULL;
  bool foreign = false;
  for (size_t i = 0; i < count && !error && !foreign; i++)
    error = find_foreign(&parts[i], &foreign);
  if (error || !foreign)
    return error;
  uint64_t *references = calloc(count, sizeof *references);
  if (!references)
    return out_of_memory;
  for (size_t i = 0; i < count && !error; i++)
    error = add_part(mapping, &parts[i], names, &references[i]);
  if (!error)
    error = refer(mapping, references, records);
  free(references);
  return error;
}
