/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The files of a unit's lines: up to DWARF 4 strings and numbers in a fixed
 * order, from 5 on by formats that the header tells.
 */
#include <string.h>

#include "dwarf_program.h"

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
