/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is asked of the lines once they are read.
 */
#include <string.h>

#include "dwarf_lines.h"

/* How many sequences begin at the address or before. */
static size_t sequences_until(const struct dwarf_lines *lines,
                              uint64_t address) {
  size_t low = 0, high = lines->sequence_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (lines->sequences[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static const struct dwarf_sequence *
find_sequence(const struct dwarf_lines *lines, uint64_t address) {
  size_t until = sequences_until(lines, address);
  return until && address < lines->sequences[until - 1].end
             ? &lines->sequences[until - 1]
             : NULL;
}

const struct dwarf_row *dwarf_lines_find(const struct dwarf_lines *lines,
                                         uint64_t address) {
  const struct dwarf_sequence *sequence = find_sequence(lines, address);
  if (!sequence)
    return NULL;
  const struct dwarf_row *rows = lines->rows + sequence->row;
  /* The first is at or before the address, the last behind it. */
  size_t low = 1, high = sequence->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (rows[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return &rows[low - 1];
}

const struct dwarf_row *dwarf_lines_in(const struct dwarf_lines *lines,
                                       struct dwarf_span span) {
  const struct dwarf_row *row = dwarf_lines_find(lines, span.begin);
  size_t next = sequences_until(lines, span.begin);
  if (!row && next < lines->sequence_count)
    row = &lines->rows[lines->sequences[next].row];
  for (; row && row->address < span.end && !(row->flags & DWARF_END); row++)
    if (row->line)
      return row;
  return NULL;
}

/* ---- paths ---- */

/* Of this system, or as Windows has them. */
static bool is_absolute(const char *path) {
  return *path == '/' || *path == '\\' ||
         (*path && path[1] == ':' && (path[2] == '/' || path[2] == '\\'));
}

/* Puts a part behind the path so far, which has room. */
static size_t put(char *path, size_t size, const char *part) {
  size_t length = strlen(part);
  if (length && size && path[size - 1] != '/' && path[size - 1] != '\\')
    path[size++] = '/';
  memcpy(path + size, part, length);
  return size + length;
}

static char *join(struct arena *arena, const struct dwarf_file *file) {
  const char *base = file->base, *directory = file->directory;
  if (is_absolute(file->name))
    base = directory = "";
  else if (is_absolute(directory))
    base = "";
  char *path = arena_take(arena, strlen(base) + strlen(directory) +
                                     strlen(file->name) + 3);
  if (!path)
    return NULL;
  size_t size = put(path, 0, base);
  size = put(path, size, directory);
  put(path, size, file->name);
  return path;
}

const char *dwarf_lines_path(struct dwarf_lines *lines, uint32_t file) {
  struct dwarf_file *files = (struct dwarf_file *)lines->files.data;
  if (file >= lines->files.size / sizeof *files || !files[file].name)
    return "";
  if (!files[file].path)
    files[file].path = join(&lines->paths, &files[file]);
  return files[file].path ? files[file].path : "";
}
