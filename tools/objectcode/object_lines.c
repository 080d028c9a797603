/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns counts of instructions into counts of lines; see objectcode.h.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../base/map.h"
#include "../object/digest.h"
#include "objectcode.h"

/* An instruction of a line, or the instruction where its statement begins. */
struct line_part {
  uint32_t file, line;
  uint64_t copy; /* hash of the copy; 0 for a statement */
  size_t number; /* index of the instruction */
  bool statement;
};

struct line_reading {
  const struct objectcode *of;
  struct object_lines *to;
  struct map known; /* numbers of paths, by hash */
};

ORDER_BY(compare_parts, struct line_part, x->file, x->line, x->copy);

/* Finds the index of a file. The files of several units with the same path
 * share one index. *number becomes UINT32_MAX if the file lacks a name. */
static const char *number_file(struct line_reading *reading, uint32_t file,
                               uint32_t *number) {
  const char *path = dwarf_lines_path(&reading->to->rows, file);
  *number = UINT32_MAX;
  if (!*path)
    return NULL;
  uint64_t *found =
      map_find_or_add(&reading->known, md5_low64(path, strlen(path)), 0, 0);
  if (!found)
    return out_of_memory;
  if (!*found) {
    const char *error =
        buffer_append_bytes(&reading->to->files, &path, sizeof path);
    if (error)
      return error;
    *found = reading->to->files.size / sizeof path;
  }
  *number = (uint32_t)*found - 1;
  return NULL;
}

/* Returns a hash that identifies a copy of inlined code: its function (parts
 * that were split off count as the function), and the calls through which the
 * code was inlined. Never 0. */
static uint64_t hash_copy(const struct objectcode *of,
                          const struct object_instruction *one,
                          const struct dwarf_frame *frames, size_t depth) {
  uint64_t hash = of->functions[one->symbol].owner + UINT64_C(1);
  for (size_t i = 1; i < depth; i++) {
    const uint64_t call[] = {hash, frames[i].file, frames[i].line,
                             frames[i].column};
    hash = md5_low64(call, sizeof call);
  }
  return hash ? hash : 1;
}

static const char *add_instruction_line(struct line_reading *reading,
                                        const struct object_instruction *one) {
  struct dwarf_frame frames[DWARF_FRAMES];
  struct object_lines *to = reading->to;
  size_t depth =
      dwarf_find_frames(&to->scopes, &to->rows, one->address, frames);
  struct instruction_line place = {UINT32_MAX, 0, depth > 1};
  const char *error = NULL;
  if (depth && frames[0].line) {
    error = number_file(reading, frames[0].file, &place.file);
    place.line = frames[0].line;
  }
  if (!error)
    error = buffer_append(&to->of, &place, sizeof place);
  if (error || place.file == UINT32_MAX)
    return error;
  const struct line_part part = {.file = place.file,
                                 .line = place.line,
                                 .copy =
                                     hash_copy(reading->of, one, frames, depth),
                                 .number = (size_t)(one - reading->of->list)};
  return buffer_append(&to->parts, &part, sizeof part);
}

/* Adds a row of the line table at which a statement begins. A row whose address
 * equals the next row's has no code, but shows where its statement was. */
static const char *add_statement_row(struct line_reading *reading,
                                     size_t number) {
  const struct dwarf_lines *rows = &reading->to->rows;
  const struct dwarf_row *row = &rows->rows[number];
  size_t at = objectcode_find(reading->of, row->address);
  struct line_part part = {.line = row->line, .statement = true};
  if (row->flags & DWARF_END || !(row->flags & DWARF_STATEMENT) || !row->line ||
      at == SIZE_MAX ||
      (number + 1 < rows->row_count && row[1].address == row->address &&
       row[1].flags & DWARF_END))
    return NULL;
  const char *error = number_file(reading, row->file, &part.file);
  part.number = at;
  return error || part.file == UINT32_MAX
             ? error
             : buffer_append(&reading->to->parts, &part, sizeof part);
}

/* Adds the line whose parts begin at *first, and moves *first to the parts of
 * the next line. */
static const char *add_line(struct object_lines *lines,
                            const struct objectcode *of, size_t *first) {
  const struct line_part *list = (const void *)lines->parts.data;
  size_t count = lines->parts.size / sizeof *list, i = *first;
  struct object_line line = {.file = list[i].file, .line = list[i].line};
  uint64_t stated = 0, most = 0, sum = 0, copy = 0;
  bool has_statement = false;
  for (; i < count && list[i].file == line.file && list[i].line == line.line;
       i++) {
    const struct line_part *part = &list[i];
    uint64_t ran = of->list[part->number].count;
    if (part->statement) {
      has_statement = true;
      stated = ran > stated ? ran : stated;
      continue;
    }
    line.instructions++;
    line.ran += ran != 0;
    if (part->copy != copy)
      most = 0;
    copy = part->copy;
    if (ran > most) {
      sum += ran - most;
      most = ran;
    }
  }
  line.class = !line.instructions ? LINE_PLACE
               : has_statement    ? LINE_CODED
                                  : LINE_PIECES;
  line.count = line.class == LINE_PLACE              ? stated
               : line.class == LINE_CODED && !stated ? 0
                                                     : sum;
  *first = i;
  return buffer_append(&lines->list, &line, sizeof line);
}

const char *object_lines_count(struct object_lines *lines,
                               const struct objectcode *of) {
  const char *error = NULL;
  lines->list.size = 0;
  size_t count = lines->parts.size / sizeof(struct line_part);
  for (size_t i = 0; !error && i < count;)
    error = add_line(lines, of, &i);
  return error;
}

const char *object_lines_read(struct object_lines *lines,
                              const struct objectcode *of) {
  const size_t limit = (size_t)1 << 31;
  *lines = (struct object_lines){.list = {.limit = limit},
                                 .files = {.limit = limit},
                                 .of.limit = limit,
                                 .parts.limit = limit};
  struct line_reading reading = {
      .of = of, .to = lines, .known.limit = (size_t)1 << 24};
  const char *error = dwarf_open(&lines->dwarf, of->elf);
  if (!error)
    error = dwarf_lines_read(&lines->rows, &lines->dwarf);
  if (!error)
    error = dwarf_scopes_read(&lines->scopes, &lines->dwarf);
  for (size_t i = 0; !error && i < of->count; i++)
    error = add_instruction_line(&reading, &of->list[i]);
  for (size_t i = 0; !error && i < lines->rows.row_count; i++)
    error = add_statement_row(&reading, i);
  sort_array(lines->parts.data, lines->parts.size / sizeof(struct line_part),
             sizeof(struct line_part), compare_parts);
  map_free(&reading.known);
  return error ? error : object_lines_count(lines, of);
}

void object_lines_free(struct object_lines *lines) {
  buffer_free(&lines->list);
  buffer_free(&lines->files);
  buffer_free(&lines->of);
  buffer_free(&lines->parts);
  dwarf_scopes_free(&lines->scopes);
  dwarf_lines_free(&lines->rows);
  dwarf_close(&lines->dwarf);
}
