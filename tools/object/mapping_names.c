/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The names of files in the coverage mapping: the compiler's folder, then names
 * that are in it or absolute.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/source_name.h"
#include "inflate.h"
#include "mapping_inside.h"

enum { NAMES_MOST = 1 << 26 };

/* The names of a part, while they are read. The first one, the folder that the
 * compiler was in, has been. */
struct name_list {
  struct mapping_cursor at;
  uint64_t count; /* with the folder */
  struct bytes folder;
};

/* ---- reading ---- */

/* Unpacks strings, unless they are those of the last time: the files of a
 * function have their names in one list. */
static const char *unpack(struct mapping *mapping, struct bytes packed,
                          uint64_t size) {
  size_t got = (size_t)size;
  if (mapping->unpacked_of == packed.data)
    return NULL;
  if (size > NAMES_MOST || size > inflate_most(packed.size))
    return mapping_damaged;
  free(mapping->memory[2]);
  mapping->unpacked_of = NULL;
  mapping->memory[2] = malloc((size_t)size + 1);
  if (!mapping->memory[2])
    return out_of_memory;
  const char *error = inflate_zlib(packed, mapping->memory[2], &got);
  mapping->unpacked = (struct bytes){mapping->memory[2], got};
  if (!error)
    mapping->unpacked_of = packed.data;
  return error;
}

static bool next_name(struct name_list *list, struct bytes *name) {
  struct mapping_cursor *at = &list->at;
  uint64_t size;
  if (!mapping_number(at, (uint64_t)(at->end - at->at), &size) ||
      size > (uint64_t)(at->end - at->at))
    return false;
  *name = (struct bytes){at->at, (size_t)size};
  at->at += size;
  return true;
}

static const char *open_list(struct name_list *list, struct mapping *mapping,
                             const struct object_names *part) {
  const char *error = NULL;
  uint64_t size, packed;
  struct mapping_cursor cursor = {part->bytes.data,
                                  part->bytes.data + part->bytes.size};
  *list = (struct name_list){.count = 0};
  if (!mapping_number(&cursor, UINT32_MAX, &list->count) ||
      !mapping_number(&cursor, UINT32_MAX, &size) ||
      !mapping_number(&cursor, UINT32_MAX, &packed))
    return mapping_damaged;
  if ((packed ? packed : size) > (uint64_t)(cursor.end - cursor.at))
    return mapping_damaged;
  struct bytes strings = {cursor.at, (size_t)(packed ? packed : size)};
  if (packed) {
    error = unpack(mapping, strings, size);
    strings = mapping->unpacked;
  }
  list->at = (struct mapping_cursor){strings.data, strings.data + strings.size};
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

/* Joins a folder and a name. A name from there may lead out of the folder
 * again: without that, one header would be a file for each way to it. An
 * absolute name stays as it is. llvm-cov does both. */
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
  if (folder.size)
    (*joined)[source_tidy(*joined, strlen(*joined), **joined == '/')] = 0;
  return NULL;
}

const char *mapping_file(struct mapping *mapping, uint32_t file, char **name) {
  const struct object_names *part = mapping_part(mapping);
  struct name_list list;
  uint64_t index;
  *name = NULL;
  if (!part || file >= mapping->file_count)
    return mapping_damaged;
  memcpy(&index, mapping->files.data + file * sizeof index, sizeof index);
  const char *error = open_list(&list, mapping, part);
  if (!error && index >= list.count)
    error = mapping_damaged;
  struct bytes found = list.folder, none = {NULL, 0};
  for (uint64_t i = 0; i < index && !error; i++)
    if (!next_name(&list, &found))
      error = mapping_damaged;
  if (!error)
    error = join(index ? list.folder : none, found, name);
  return error;
}
