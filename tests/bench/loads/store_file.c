/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The store: the bytes of files; and what nothing calls.
 */
#include "store_log.h"

/* ---- files: a block has the number of the next, then bytes ---- */

enum { ROOM = BLOCK_SIZE - UNIT };

int store_open(struct file *file, const char *path, int may_create) {
  uint32_t number = lookup(path);
  if (number == FILES) {
    int error = STORE_NOT_THERE;
    if (may_create)
      error = create(path, STORE_FILE, &number);
    if (error)
      return error;
  }
  file->number = (uint8_t)number;
  return store_seek(file, 0);
}

int store_seek(struct file *file, uint32_t position) {
  const struct entry *entry = &entries[file->number];
  if (position > entry->size)
    position = entry->size;
  uint32_t block = entry->first, begin = 0;
  while (begin + ROOM < position) {
    block = next_of(block);
    begin += ROOM;
  }
  file->block = (uint8_t)block;
  file->block_begin = begin;
  file->position = position;
  return STORE_OK;
}

/* To the block that the position is in; its end belongs to the next one. */
static int advance(struct file *file, int grow) {
  struct entry *entry = &entries[file->number];
  if (file->block != NO_BLOCK && file->position < file->block_begin + ROOM)
    return STORE_OK;
  uint32_t next = file->block == NO_BLOCK ? entry->first : next_of(file->block);
  if (next == NO_BLOCK) {
    if (!grow)
      return STORE_CORRUPT;
    int error = allocate(&next);
    if (error)
      return error;
    uint8_t link = (uint8_t)next;
    if (file->block == NO_BLOCK)
      entry->first = link;
    else if ((error = program(file->block, 0, &link, 1)))
      return error;
  }
  if (file->block != NO_BLOCK)
    file->block_begin += ROOM;
  file->block = (uint8_t)next;
  return STORE_OK;
}

static uint32_t part(const struct file *file, uint32_t size) {
  uint32_t room = file->block_begin + ROOM - file->position;
  return size < room ? size : room;
}

int store_write(struct file *file, const void *bytes, uint32_t size) {
  const uint8_t *from = bytes;
  for (uint32_t left = size, now; left; left -= now, from += now) {
    int error = advance(file, 1);
    if (error)
      return error;
    now = part(file, left);
    error = program(file->block, UNIT + file->position - file->block_begin,
                    from, now);
    if (error)
      return error;
    file->position += now;
  }
  if (file->position > entries[file->number].size)
    entries[file->number].size = file->position;
  return (int)size;
}

int store_read(struct file *file, void *bytes, uint32_t size) {
  uint8_t *to = bytes;
  uint32_t left = entries[file->number].size - file->position;
  if (size > left)
    size = left;
  for (uint32_t rest = size, now; rest; rest -= now, to += now) {
    int error = advance(file, 0);
    if (error)
      return error;
    now = part(file, rest);
    error =
        fetch(file->block, UNIT + file->position - file->block_begin, to, now);
    if (error)
      return error;
    file->position += now;
  }
  return (int)size;
}

/* The blocks behind stay with the file, until it is removed. */
int store_truncate(struct file *file, uint32_t size) {
  if (size < entries[file->number].size)
    entries[file->number].size = size;
  return store_seek(file, size);
}

int store_close(struct file *file) { return commit(file->number); }

/* ---- what nothing calls ---- */

int store_repair(void) {
  for (uint32_t i = 0; i < FILES; i++)
    if (entries[i].kind && !valid(&entries[i]))
      entries[i].kind = 0;
  return compact();
}

int store_dump(void (*line)(const char *)) {
  for (uint32_t i = 0; i < FILES; i++)
    if (entries[i].kind)
      line(entries[i].name);
  return STORE_OK;
}
