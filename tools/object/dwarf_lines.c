/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The rows of all units in one table. Sequences are sorted, rows stay as they
 * come: they ascend within a sequence.
 */
#include "dwarf_lines.h"

#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "dwarf_program.h"

/* Where a unit of .debug_info says its lines are. */
struct origin {
  uint64_t lines;
  const struct dwarf_unit *unit;
};

struct collection {
  struct dwarf_lines *lines;
  const struct dwarf *dwarf;
  struct origin *origins; /* ascending */
  size_t origin_count;
  size_t first_row;               /* of the sequence that is coming */
  struct dwarf_unit_files *files; /* of the unit at hand */
  bool assembler;
};

/* ---- origins ---- */

static int by_lines(const void *left, const void *right) {
  const struct origin *a = left, *b = right;
  if (a->lines != b->lines)
    return a->lines < b->lines ? -1 : 1;
  return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static bool find_origins(struct collection *collection) {
  const struct dwarf *dwarf = collection->dwarf;
  collection->origins =
      malloc((dwarf->unit_count + 1) * sizeof *collection->origins);
  if (!collection->origins)
    return false;
  for (size_t i = 0; i < dwarf->unit_count; i++)
    if (dwarf->units[i].lines != UINT64_MAX)
      collection->origins[collection->origin_count++] =
          (struct origin){dwarf->units[i].lines, &dwarf->units[i]};
  qsort(collection->origins, collection->origin_count,
        sizeof *collection->origins, by_lines);
  return true;
}

/* The unit whose lines they are, or NULL. */
static const struct dwarf_unit *origin_of(const struct collection *collection,
                                          uint64_t lines) {
  size_t low =
      search_from(collection->origins, collection->origin_count, lines, lines);
  return low < collection->origin_count &&
                 collection->origins[low].lines == lines
             ? collection->origins[low].unit
             : NULL;
}

/* ---- rows ---- */

/* At address 0 there may be a function, and what has been dropped. */
static bool may_be_first(const struct collection *collection) {
  return collection->dwarf->first_size || collection->assembler;
}

static const char *end_sequence(struct collection *collection) {
  struct dwarf_lines *lines = collection->lines;
  struct buffer *rows = &lines->row_buffer;
  size_t first = collection->first_row;
  const struct dwarf_row *list = (const struct dwarf_row *)rows->data;
  size_t count = rows->size / sizeof *list - first;
  struct dwarf_sequence sequence = {
      list[first].address, list[first + count - 1].address, first, count};
  if (!dwarf_is_code(collection->dwarf, sequence.begin, sequence.end) ||
      (!sequence.begin && !may_be_first(collection))) {
    rows->size = first * sizeof *list;
    return NULL;
  }
  collection->first_row += count;
  return buffer_append(&lines->sequence_buffer, &sequence, sizeof sequence)
             ? dwarf_no_memory
             : NULL;
}

static const char *take_row(void *context, const struct dwarf_row *row) {
  struct collection *collection = context;
  struct dwarf_row kept = *row;
  kept.file = row->file < collection->files->count
                  ? (uint32_t)collection->files->first + row->file
                  : 0;
  if (buffer_append(&collection->lines->row_buffer, &kept, sizeof kept))
    return dwarf_no_memory;
  return row->flags & DWARF_END ? end_sequence(collection) : NULL;
}

static const char *read_unit(struct collection *collection,
                             const struct dwarf_program *program) {
  struct dwarf_lines *lines = collection->lines;
  const struct dwarf_unit *unit = origin_of(collection, program->offset);
  struct dwarf_unit_files files = {
      program->offset, lines->files.size / sizeof(struct dwarf_file), 0};
  const char *error =
      dwarf_program_files(program, unit ? unit->directory : "", &lines->files);
  size_t count = lines->files.size / sizeof(struct dwarf_file);
  files.count = (uint32_t)(count - files.first);
  if (!error && buffer_append(&lines->units, &files, sizeof files))
    error = dwarf_no_memory;
  collection->files = &files;
  collection->assembler = unit && unit->assembler;
  collection->first_row = lines->row_buffer.size / sizeof(struct dwarf_row);
  if (!error)
    error = dwarf_program_run(program, take_row, collection);
  /* What does not end is not known to be anywhere. */
  lines->row_buffer.size = collection->first_row * sizeof(struct dwarf_row);
  return error;
}

/* ---- sequences ---- */

static int by_begin(const void *left, const void *right) {
  const struct dwarf_sequence *a = left, *b = right;
  if (a->begin != b->begin)
    return a->begin < b->begin ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

/* Of those at address 0 the one that is as long as the function there; or
 * all, if none is: without -ffunction-sections a sequence has several. */
static void choose_first(struct dwarf_lines *lines, uint64_t size) {
  struct dwarf_sequence *list = lines->sequences;
  size_t count = 0, right = SIZE_MAX;
  for (; count < lines->sequence_count && !list[count].begin; count++)
    if (list[count].end == size)
      right = count;
  if (count < 2 || right == SIZE_MAX)
    return;
  list[count - 1] = list[right];
  lines->sequences += count - 1;
  lines->sequence_count -= count - 1;
}

static void put_in_order(struct dwarf_lines *lines, const struct dwarf *dwarf) {
  lines->rows = (struct dwarf_row *)lines->row_buffer.data;
  lines->row_count = lines->row_buffer.size / sizeof *lines->rows;
  lines->sequences = (struct dwarf_sequence *)lines->sequence_buffer.data;
  lines->sequence_count =
      lines->sequence_buffer.size / sizeof *lines->sequences;
  if (lines->sequence_count)
    qsort(lines->sequences, lines->sequence_count, sizeof *lines->sequences,
          by_begin);
  choose_first(lines, dwarf->first_size);
}

const char *dwarf_lines_read(struct dwarf_lines *lines,
                             const struct dwarf *dwarf) {
  static const struct dwarf_file none = {.name = NULL};
  struct collection collection = {.lines = lines, .dwarf = dwarf};
  size_t most = dwarf->arena.limit;
  *lines = (struct dwarf_lines){.row_buffer = {.limit = most},
                                .sequence_buffer = {.limit = most},
                                .files = {.limit = most},
                                .units = {.limit = most},
                                .paths = {.limit = most}};
  const char *error = NULL;
  if (!find_origins(&collection) ||
      buffer_append(&lines->files, &none, sizeof none))
    error = dwarf_no_memory;
  for (uint64_t at = 0; !error && at < dwarf->sections[DWARF_LINE].size;) {
    struct dwarf_program program;
    error = dwarf_program_open(&program, dwarf, &at);
    if (!error)
      error = read_unit(&collection, &program);
  }
  free(collection.origins);
  if (!error)
    put_in_order(lines, dwarf);
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

/* ==== The files of a unit's lines: up to DWARF 4 strings and numbers in a
 * fixed order, from 5 on by formats that the header tells. */

enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2, FORMATS_MOST = 255 };

struct tables {
  const struct dwarf_program *program;
  struct dwarf_reader reader;
  const char *base;
  struct buffer directories; /* const char * */
  struct buffer *files;
};

static const char *add(struct buffer *buffer, const void *bytes, size_t size) {
  return buffer_append(buffer, bytes, size) ? dwarf_no_memory : NULL;
}

static const char *add_file(struct tables *tables, const char *name,
                            uint64_t directory) {
  size_t count = tables->directories.size / sizeof(const char *);
  struct dwarf_file file = {.name = name, .directory = "", .base = ""};
  if (directory < count)
    memcpy(&file.directory,
           tables->directories.data + directory * sizeof(const char *),
           sizeof file.directory);
  /* In DWARF 5 number 0 is where it was compiled. */
  if (tables->program->unit.version < 5 || directory)
    file.base = tables->base;
  return add(tables->files, &file, sizeof file);
}

/* ---- DWARF 2 to 4 ---- */

/* NULL: there is none. */
static const char *read_text(struct dwarf_reader *reader) {
  const unsigned char *begin = reader->at;
  const unsigned char *zero =
      dwarf_left(reader) ? memchr(begin, 0, dwarf_left(reader)) : NULL;
  if (zero)
    reader->at = zero + 1;
  return zero ? (const char *)begin : NULL;
}

/* Lists end with an empty string. */
static const char *read_old(struct tables *tables) {
  struct dwarf_reader *reader = &tables->reader;
  const char *text = "", *error;
  uint64_t directory, time, size;
  error = add(&tables->directories, &text, sizeof text);
  while (!error && (text = read_text(reader)) && *text)
    error = add(&tables->directories, &text, sizeof text);
  if (!error && text)
    error = add_file(tables, NULL, 0);
  while (!error && text && (text = read_text(reader)) && *text) {
    if (!dwarf_uleb(reader, &directory) || !dwarf_uleb(reader, &time) ||
        !dwarf_uleb(reader, &size))
      return dwarf_damaged;
    error = add_file(tables, text, directory);
  }
  return error ? error : text ? NULL : dwarf_damaged;
}

/* ---- DWARF 5 ---- */

/* Of entries, whose forms are like those of attributes. */
struct format {
  struct dwarf_attribute parts[FORMATS_MOST];
  unsigned count;
};

static bool read_format(struct dwarf_reader *reader, struct format *format) {
  uint64_t count, name, form;
  if (!dwarf_number(reader, 1, &count))
    return false;
  format->count = (unsigned)count;
  for (unsigned i = 0; i < count; i++) {
    if (!dwarf_uleb(reader, &name) || !dwarf_uleb(reader, &form) ||
        name > UINT16_MAX || !dwarf_form_known(form))
      return false;
    format->parts[i] =
        (struct dwarf_attribute){(uint16_t)name, (uint16_t)form, 0};
  }
  return true;
}

static const char *read_entry(struct tables *tables,
                              const struct format *format, bool files) {
  const struct dwarf_program *program = tables->program;
  const char *path = NULL;
  uint64_t directory = 0;
  for (unsigned i = 0; i < format->count; i++) {
    struct dwarf_value value = {0};
    if (!dwarf_value_read(&program->unit, &tables->reader, &format->parts[i],
                          &value))
      return dwarf_damaged;
    if (format->parts[i].name == CONTENT_PATH)
      path = dwarf_string(program->dwarf, &program->unit, &value);
    else if (format->parts[i].name == CONTENT_DIRECTORY)
      directory = value.number;
  }
  if (!path)
    path = "";
  return files ? add_file(tables, path, directory)
               : add(&tables->directories, &path, sizeof path);
}

/* An entry takes a byte at least: what claims more is damaged. */
static const char *read_list(struct tables *tables, bool files) {
  struct dwarf_reader *reader = &tables->reader;
  struct format format;
  uint64_t count;
  const char *error = NULL;
  if (!read_format(reader, &format) || !dwarf_uleb(reader, &count) ||
      count > dwarf_left(reader))
    return dwarf_damaged;
  for (; count && !error; count--)
    error = read_entry(tables, &format, files);
  return error;
}

const char *dwarf_program_files(const struct dwarf_program *program,
                                const char *base, struct buffer *files) {
  struct tables tables = {.program = program,
                          .reader = program->tables,
                          .base = base,
                          .directories = {.limit = files->limit},
                          .files = files};
  const char *error;
  if (program->unit.version < 5) {
    error = read_old(&tables);
  } else {
    error = read_list(&tables, false);
    if (!error)
      error = read_list(&tables, true);
  }
  buffer_free(&tables.directories);
  return error;
}

/* ==== What is asked of the lines once they are read. */

/* How many sequences begin at the address or before. */
static size_t sequences_until(const struct dwarf_lines *lines,
                              uint64_t address) {
  return search_behind(lines->sequences, lines->sequence_count, begin, address);
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
  return rows + search_behind(rows + 1, sequence->count - 1, address, address);
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
