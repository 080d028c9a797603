/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a patched ELF was before is in a section of its own, which is not
 * loaded, all little-endian:
 *   "bareprof", u32 1, u32 0, u64 size of the file, its MD5;
 *   u64 offset, u64 size, the bytes that were there, of each change.
 * The changes are undone from the last to the first one, and then the file is
 * cut back. The MD5 finds what another tool has changed since.
 */
#include <stdlib.h>
#include <string.h>

#include "../object/md5.h"
#include "patch.h"

enum { MAGIC = 8, HEADER = 40, CHANGE = 16 };

static const char magic[] = "bareprof";
static const char changed[] =
    "it was changed since it was patched, as by strip or objcopy; patch the "
    "ELF as it was linked";

const char patch_undo_section[] = ".bareprof_mip_plain";

/* ---- writing ---- */

const char *patch_undo_begin(struct patch *patch) {
  unsigned char header[HEADER] = {0};
  memcpy(header, magic, MAGIC);
  store32(header + 8, 1, false);
  store64(header + 16, patch->input.size, false);
  md5(header + 24, patch->input.data, patch->input.size);
  return buffer_append(&patch->undo, header, sizeof header);
}

const char *patch_edit(struct patch *patch, uint64_t offset,
                       const unsigned char *bytes, size_t size) {
  unsigned char change[CHANGE];
  unsigned char *at = patch->file.data + offset;
  store64(change, offset, false);
  store64(change + 8, size, false);
  const char *error = buffer_append(&patch->undo, change, sizeof change);
  if (!error)
    error = buffer_append(&patch->undo, at, size);
  if (!error)
    memcpy(at, bytes, size);
  return error;
}

/* ---- reading ---- */

/* The changes, checked, as their places in the section; *count of them. */
static const char *read_changes(struct bytes undo, uint64_t file_size,
                                size_t **list, size_t *count) {
  *count = 0;
  *list = malloc(undo.size / CHANGE * sizeof **list + 1);
  if (!*list)
    return "not enough memory; free some";
  for (size_t at = HEADER; at < undo.size;) {
    if (undo.size - at < CHANGE)
      return changed;
    uint64_t offset = load64(undo.data + at, false);
    uint64_t size = load64(undo.data + at + 8, false);
    if (size > undo.size - at - CHANGE || offset > file_size ||
        size > file_size - offset)
      return changed;
    (*list)[(*count)++] = at;
    at += CHANGE + (size_t)size;
  }
  return NULL;
}

static const char *apply(struct buffer *file, struct bytes undo) {
  unsigned char digest[16];
  size_t *list, count;
  if (undo.size < HEADER || memcmp(undo.data, magic, MAGIC) ||
      load32(undo.data + 8, false) != 1)
    return changed;
  uint64_t size = load64(undo.data + 16, false);
  /* It was behind the file. */
  if (size > (size_t)(undo.data - file->data))
    return changed;
  const char *error = read_changes(undo, size, &list, &count);
  while (!error && count--) {
    const unsigned char *change = undo.data + list[count];
    memcpy(file->data + load64(change, false), change + CHANGE,
           (size_t)load64(change + 8, false));
  }
  free(list);
  if (error)
    return error;
  md5(digest, file->data, (size_t)size);
  if (memcmp(digest, undo.data + 24, sizeof digest))
    return changed;
  file->size = (size_t)size;
  return NULL;
}

const char *patch_undo(struct buffer *file) {
  struct elf elf;
  struct elf_section section;
  const char *error = elf_open(&elf, (struct bytes){file->data, file->size});
  if (error || !elf_find_section(&elf, patch_undo_section, &section))
    return error;
  struct bytes undo = {section.bytes, (size_t)section.size};
  return section.bytes ? apply(file, undo) : changed;
}
