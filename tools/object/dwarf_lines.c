/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Collects the line table rows of all units into one table. Only the sequences
 * are sorted, because the rows of a sequence already ascend. The second half of
 * this file answers queries and builds paths.
 */
#include "dwarf_internal.h"

#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/source_name.h"

/* A unit of .debug_info, and the offset of its lines in .debug_line. */
struct line_unit {
  uint64_t lines;
  const struct dwarf_unit *unit;
};

struct line_collector {
  struct dwarf_lines *lines;
  const struct dwarf *dwarf;
  struct line_unit *origins; /* the units, sorted by offset */
  size_t origin_count;
  size_t first_row;               /* first row of the current sequence */
  struct dwarf_unit_files *files; /* files of the current unit */
  bool assembler;
};

/* ---- the units of .debug_info that lines belong to ---- */

ORDER_BY(by_lines, struct line_unit, x->lines, (uintptr_t)x->unit);

static bool list_line_units(struct line_collector *collection) {
  const struct dwarf *dwarf = collection->dwarf;
  collection->origins =
      malloc((dwarf->unit_count + 1) * sizeof *collection->origins);
  if (!collection->origins)
    return false;
  for (size_t i = 0; i < dwarf->unit_count; i++)
    if (dwarf->units[i].lines != UINT64_MAX)
      collection->origins[collection->origin_count++] =
          (struct line_unit){dwarf->units[i].lines, &dwarf->units[i]};
  qsort(collection->origins, collection->origin_count,
        sizeof *collection->origins, by_lines);
  return true;
}

/* Returns the unit that refers to the lines at an offset, or NULL. */
static const struct dwarf_unit *
find_line_unit(const struct line_collector *collection, uint64_t lines) {
  size_t low =
      search_from(collection->origins, collection->origin_count, lines, lines);
  return low < collection->origin_count &&
                 collection->origins[low].lines == lines
             ? collection->origins[low].unit
             : NULL;
}

/* ---- rows ---- */

/* Returns whether a sequence at address 0 may be code that was linked. */
static bool may_have_code_at_zero(const struct line_collector *collection) {
  return collection->dwarf->first_size || collection->assembler;
}

/* Removes the lines of rows whose code was not linked; marks their files. */
static void drop_rows(struct dwarf_lines *lines, size_t first, size_t count) {
  struct dwarf_file *files = (struct dwarf_file *)lines->files.data;
  struct dwarf_row *row = (struct dwarf_row *)lines->row_buffer.data + first;
  for (; count; count--, row++) {
    files[row->file].dropped |= row->line != 0;
    row->line = 0;
  }
}

static const char *keep_or_drop_sequence(struct line_collector *collection) {
  struct dwarf_lines *lines = collection->lines;
  struct buffer *rows = &lines->row_buffer;
  size_t first = collection->first_row;
  const struct dwarf_row *list = (const struct dwarf_row *)rows->data;
  size_t count = rows->size / sizeof *list - first;
  struct dwarf_sequence sequence = {
      list[first].address, list[first + count - 1].address, first, count};
  if (!dwarf_is_code_range(collection->dwarf, sequence.begin, sequence.end) ||
      (!sequence.begin && !may_have_code_at_zero(collection))) {
    drop_rows(lines, first, count);
    rows->size = first * sizeof *list;
    return NULL;
  }
  collection->first_row += count;
  return dwarf_append_bytes(&lines->sequence_buffer, &sequence,
                            sizeof sequence);
}

static const char *append_line_row(void *context, const struct dwarf_row *row) {
  struct line_collector *collection = context;
  struct dwarf_row kept = *row;
  kept.file = row->file < collection->files->count
                  ? (uint32_t)collection->files->first + row->file
                  : 0;
  if (buffer_append_bytes(&collection->lines->row_buffer, &kept, sizeof kept))
    return out_of_memory;
  return row->flags & DWARF_END ? keep_or_drop_sequence(collection) : NULL;
}

static const char *read_unit_rows(struct line_collector *collection,
                                  const struct dwarf_line_program *program) {
  struct dwarf_lines *lines = collection->lines;
  const struct dwarf_unit *unit = find_line_unit(collection, program->offset);
  struct dwarf_unit_files files = {
      program->offset, lines->files.size / sizeof(struct dwarf_file), 0};
  const char *error = dwarf_program_add_files(
      program, unit ? unit->directory : "", &lines->files);
  size_t count = lines->files.size / sizeof(struct dwarf_file);
  files.count = (uint32_t)(count - files.first);
  if (!error && buffer_append_bytes(&lines->units, &files, sizeof files))
    error = out_of_memory;
  collection->files = &files;
  collection->assembler = unit && unit->assembler;
  collection->first_row = lines->row_buffer.size / sizeof(struct dwarf_row);
  if (!error)
    error = dwarf_program_run(program, append_line_row, collection);
  /* An unfinished sequence is dropped, because its end is not known. */
  lines->row_buffer.size = collection->first_row * sizeof(struct dwarf_row);
  return error;
}

/* ---- sequences ---- */

ORDER_BY(by_begin, struct dwarf_sequence, x->begin, x->row);

/* Linkers place the sequences of dropped functions at address 0, too. Keeps the
 * sequence that is as long as the function at address 0. If no length matches,
 * keeps all longer sequences, because without -ffunction-sections a sequence
 * covers several functions. The rows of the others lose their lines. */
static void drop_false_zero_sequences(struct dwarf_lines *lines,
                                      uint64_t size) {
  struct dwarf_sequence *list = lines->sequences;
  size_t count = 0, right = SIZE_MAX;
  for (; count < lines->sequence_count && !list[count].begin; count++)
    if (list[count].end == size)
      right = count;
  size_t first = count;
  for (size_t i = count; i-- > 0;) {
    const struct dwarf_sequence one = list[i];
    if (right == SIZE_MAX ? one.end > size : i == right)
      list[--first] = one;
    else
      drop_rows(lines, one.row, one.count);
  }
  lines->sequences += first;
  lines->sequence_count -= first;
}

static void set_rows_and_sequences(struct dwarf_lines *lines,
                                   const struct dwarf *dwarf) {
  lines->rows = (struct dwarf_row *)lines->row_buffer.data;
  lines->row_count = lines->row_buffer.size / sizeof *lines->rows;
  lines->sequences = (struct dwarf_sequence *)lines->sequence_buffer.data;
  lines->sequence_count =
      lines->sequence_buffer.size / sizeof *lines->sequences;
  sort_array(lines->sequences, lines->sequence_count, sizeof *lines->sequences,
             by_begin);
  drop_false_zero_sequences(lines, dwarf->first_size);
}

const char *dwarf_lines_read(struct dwarf_lines *lines,
                             const struct dwarf *dwarf) {
  static const struct dwarf_file none = {.name = NULL};
  struct line_collector collection = {.lines = lines, .dwarf = dwarf};
  size_t most = dwarf->arena.limit;
  *lines = (struct dwarf_lines){.row_buffer = {.limit = most},
                                .sequence_buffer = {.limit = most},
                                .files = {.limit = most},
                                .units = {.limit = most},
                                .paths = {.limit = most}};
  const char *error = NULL;
  if (!list_line_units(&collection) ||
      buffer_append_bytes(&lines->files, &none, sizeof none))
    error = out_of_memory;
  for (uint64_t at = 0; !error && at < dwarf->sections[DWARF_LINE].size;) {
    struct dwarf_line_program program;
    error = dwarf_program_open(&program, dwarf, &at);
    if (!error)
      error = read_unit_rows(&collection, &program);
  }
  free(collection.origins);
  if (!error)
    set_rows_and_sequences(lines, dwarf);
  return error;
}

void dwarf_lines_free(struct dwarf_lines *lines) {
  buffer_free(&lines->row_buffer);
  buffer_free(&lines->sequence_buffer);
  buffer_free(&lines->files);
  buffer_free(&lines->units);
  arena_free(&lines->paths);
  *lines = (struct dwarf_lines){.rows = NULL};
}

/* ==== Answers queries about lines. */

/* Returns the number of sequences that begin at or before the address. */
static size_t count_sequences_until_address(const struct dwarf_lines *lines,
                                            uint64_t address) {
  return search_after(lines->sequences, lines->sequence_count, begin, address);
}

static const struct dwarf_sequence *
find_sequence(const struct dwarf_lines *lines, uint64_t address) {
  size_t until = count_sequences_until_address(lines, address);
  return until && address < lines->sequences[until - 1].end
             ? &lines->sequences[until - 1]
             : NULL;
}

const struct dwarf_row *dwarf_lines_find_row(const struct dwarf_lines *lines,
                                             uint64_t address) {
  const struct dwarf_sequence *sequence = find_sequence(lines, address);
  if (!sequence)
    return NULL;
  const struct dwarf_row *rows = lines->rows + sequence->row;
  /* The first row is at or before the address, the last row after it. */
  return rows + search_after(rows + 1, sequence->count - 1, address, address);
}

const struct dwarf_row *
dwarf_lines_first_row_in_span(const struct dwarf_lines *lines,
                              struct dwarf_span span) {
  const struct dwarf_row *row = dwarf_lines_find_row(lines, span.begin);
  size_t next = count_sequences_until_address(lines, span.begin);
  if (!row && next < lines->sequence_count)
    row = &lines->rows[lines->sequences[next].row];
  for (; row && row->address < span.end && !(row->flags & DWARF_END); row++)
    if (row->line)
      return row;
  return NULL;
}

/* ---- paths ---- */

/* Appends a part to a path, which has enough space. */
static size_t append_path_part(char *path, size_t size, const char *part) {
  size_t length = strlen(part);
  if (length && size && path[size - 1] != '/' && path[size - 1] != '\\')
    path[size++] = '/';
  memcpy(path + size, part, length);
  return size + length;
}

/* Joins the parts of a file's name. Returns NULL if memory runs out. */
static char *join_file_path(struct arena *arena,
                            const struct dwarf_file *file) {
  const char *base = file->base, *directory = file->directory;
  if (source_name_is_absolute(file->name))
    base = directory = "";
  else if (source_name_is_absolute(directory))
    base = "";
  char *path = arena_allocate(arena, strlen(base) + strlen(directory) +
                                         strlen(file->name) + 3);
  if (!path)
    return NULL;
  size_t size = append_path_part(path, 0, base);
  size = append_path_part(path, size, directory);
  append_path_part(path, size, file->name);
  return source_name_normalise(path);
}

const char *dwarf_lines_path(struct dwarf_lines *lines, uint32_t file) {
  struct dwarf_file *files = (struct dwarf_file *)lines->files.data;
  if (file >= lines->files.size / sizeof *files || !files[file].name)
    return "";
  if (!files[file].path)
    files[file].path = join_file_path(&lines->paths, &files[file]);
  return files[file].path ? files[file].path : "";
}

/* ---- sources ----
 *
 * Lists source files from the headers of .debug_line, and skips line programs.
 */

/* Adds the files of one unit. In DWARF 5 their directories are complete. */
static const char *add_source_files(struct dwarf_sources *sources,
                                    const struct buffer *files) {
  const struct dwarf_file *list = (const struct dwarf_file *)files->data;
  const char *error = NULL;
  for (size_t i = 0; !error && i < files->size / sizeof *list; i++) {
    struct dwarf_source source = {NULL, list[i].md5};
    if (!list[i].md5 || !list[i].name)
      continue;
    source.path = join_file_path(&sources->paths, &list[i]);
    error = source.path
                ? dwarf_append_bytes(&sources->list, &source, sizeof source)
                : out_of_memory;
  }
  return error;
}

const char *dwarf_sources_read(struct dwarf_sources *sources,
                               const struct dwarf *dwarf) {
  size_t most = dwarf->arena.limit;
  struct buffer files = {.limit = most};
  const char *error = NULL;
  *sources =
      (struct dwarf_sources){.list = {.limit = most}, .paths = {.limit = most}};
  for (uint64_t at = 0; !error && at < dwarf->sections[DWARF_LINE].size;) {
    struct dwarf_line_program program;
    files.size = 0;
    error = dwarf_program_open(&program, dwarf, &at);
    if (!error)
      error = dwarf_program_add_files(&program, "", &files);
    if (!error)
      error = add_source_files(sources, &files);
  }
  buffer_free(&files);
  return error;
}

void dwarf_sources_free(struct dwarf_sources *sources) {
  buffer_free(&sources->list);
  arena_free(&sources->paths);
  *sources = (struct dwarf_sources){.list = {.data = NULL}};
}
