/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The store: names, and what changes no file's bytes. See store.h.
 */
#include "store_log.h"

/* ---- names ---- */

static int same_name(const char *name, const char *path, uint32_t length) {
  for (uint32_t i = 0; i < length; i++)
    if (name[i] != path[i])
      return 0;
  return length == NAME_SIZE || name[length] == 0;
}

static int compare(const struct entry *a, const struct entry *b) {
  for (uint32_t i = 0; i < NAME_SIZE; i++)
    if (a->name[i] != b->name[i])
      return a->name[i] < b->name[i] ? -1 : 1;
  return 0;
}

static uint32_t child(uint32_t parent, const char *name, uint32_t length) {
  for (uint32_t i = 0; i < FILES; i++)
    if (entries[i].kind && entries[i].parent == parent &&
        same_name(entries[i].name, name, length))
      return i;
  return FILES;
}

/* The entry of path, or FILES; then *parent is what it would be in, and *name
 * the last part. */
static uint32_t find(const char *path, uint32_t *parent, const char **name) {
  uint32_t at = ROOT;
  for (;;) {
    uint32_t length = 0;
    while (path[length] && path[length] != '/')
      length++;
    *parent = at;
    *name = path;
    at = child(at, path, length);
    if (at == FILES && path[length])
      *name = 0;
    if (at == FILES || !path[length])
      return at;
    path += length + 1;
  }
}

uint32_t lookup(const char *path) {
  uint32_t parent;
  const char *name;
  return find(path, &parent, &name);
}

int create(const char *path, uint8_t kind, uint32_t *number) {
  uint32_t parent, i = 0;
  const char *name;
  if (find(path, &parent, &name) != FILES)
    return STORE_EXISTS;
  if (!name)
    return STORE_NOT_THERE;
  while (i < FILES && entries[i].kind)
    i++;
  if (i == FILES)
    return STORE_FULL;
  struct entry *entry = &entries[ *number = i];
  entry->kind = kind;
  entry->parent = (uint8_t)parent;
  entry->first = NO_BLOCK;
  entry->size = entry->attribute = 0;
  for (uint32_t k = 0; k < NAME_SIZE; k++)
    entry->name[k] = *name ? *name++ : 0;
  return commit(i);
}

/* ---- as a whole ---- */

int store_format(void) {
  for (uint32_t i = 0; i < FILES; i++)
    entries[i].kind = 0;
  for (uint32_t i = 0; i < BLOCKS; i++)
    used[i] = i < 2;
  return empty_log();
}

int store_mount(void) {
  for (uint32_t i = 0; i < FILES; i++)
    entries[i].kind = 0;
  if (newest_log())
    return STORE_CORRUPT;
  for (uint32_t i = 0; i < BLOCKS; i++)
    used[i] = i < 2;
  for (uint32_t i = 0; i < FILES; i++)
    if (entries[i].kind == STORE_FILE)
      mark(entries[i].first, 1);
  return STORE_OK;
}

int store_make_folder(const char *path) {
  uint32_t number;
  return create(path, STORE_FOLDER, &number);
}

int store_remove(const char *path) {
  uint32_t number = lookup(path);
  if (number == FILES)
    return STORE_NOT_THERE;
  for (uint32_t i = 0; i < FILES; i++)
    if (entries[i].kind && entries[i].parent == number)
      return STORE_NOT_EMPTY;
  if (entries[number].kind == STORE_FILE)
    mark(entries[number].first, 0);
  entries[number].kind = 0;
  return commit(number);
}

int store_rename(const char *from, const char *to) {
  uint32_t number = lookup(from), parent;
  const char *name;
  if (number == FILES)
    return STORE_NOT_THERE;
  if (find(to, &parent, &name) != FILES)
    return STORE_EXISTS;
  if (!name)
    return STORE_NOT_THERE;
  entries[number].parent = (uint8_t)parent;
  for (uint32_t k = 0; k < NAME_SIZE; k++)
    entries[number].name[k] = *name ? *name++ : 0;
  return commit(number);
}

int store_set_attribute(const char *path, uint32_t value) {
  uint32_t number = lookup(path);
  if (number == FILES)
    return STORE_NOT_THERE;
  entries[number].attribute = value;
  return commit(number);
}

int store_attribute(const char *path, uint32_t *value) {
  uint32_t number = lookup(path);
  if (number == FILES)
    return STORE_NOT_THERE;
  *value = entries[number].attribute;
  return STORE_OK;
}

int store_size(const char *path) {
  uint32_t number = lookup(path);
  return number == FILES ? STORE_NOT_THERE : (int)entries[number].size;
}

int store_used(void) {
  int count = 0;
  for (uint32_t i = 0; i < BLOCKS; i++)
    count += used[i];
  return count;
}

/* Sorted by insertion: folders are small. */
int store_list(const char *path, void (*visit)(const struct entry *)) {
  uint32_t folder = *path ? lookup(path) : (uint32_t)ROOT, count = 0;
  const struct entry *found[FILES];
  if (folder == FILES)
    return STORE_NOT_THERE;
  for (uint32_t i = 0; i < FILES; i++) {
    if (!entries[i].kind || entries[i].parent != folder)
      continue;
    uint32_t at = count++;
    for (; at && compare(&entries[i], found[at - 1]) < 0; at--)
      found[at] = found[at - 1];
    found[at] = &entries[i];
  }
  for (uint32_t i = 0; i < count; i++)
    visit(found[i]);
  return (int)count;
}
