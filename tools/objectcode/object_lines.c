/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns counts of instructions into counts of lines (see objectcode.h).
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../base/number.h"
#include "../object/digest.h"
#include "objectcode.h"

ORDER_BY(compare_parts, struct line_instruction, x->file, x->line,
         x->of->list[x->number].address);

/* Returns the number of a hash, from 1 on. */
static size_t find_or_assign_hash_number(struct map *known, uint64_t hash,
                                         bool *is_new) {
  const uint64_t key[3] = {hash};
  known->limit = (size_t)1 << 28;
  size_t number = map_find_or_assign_number(known, key, is_new);
  need_memory(number ? known : NULL);
  return number;
}

/* Returns the index of a file; NO_LINE_FILE if the file lacks a name. The files
 * of several units with the same path share one index. */
static uint32_t assign_file_index(struct object_lines *lines,
                                  struct objectcode *of, uint32_t file) {
  const char *path = dwarf_lines_path(&of->rows, file);
  bool is_new;
  if (!*path)
    return NO_LINE_FILE;
  size_t number = find_or_assign_hash_number(
      &lines->paths, md5_low64(path, strlen(path)), &is_new);
  if (is_new)
    LIST_ADD(lines->files, lines->file_count, path);
  return (uint32_t)number - 1;
}

/* Returns the number of a copy of inlined code, which its function (parts that
 * were split off count as the function) and the calls through which the code
 * was inlined identify. */
static size_t number_inlined_copy(struct object_lines *lines,
                                  const struct objectcode *of,
                                  const struct object_instruction *one,
                                  const struct dwarf_frame *frames,
                                  size_t depth) {
  uint64_t hash = of->functions[one->symbol].owner + UINT64_C(1);
  bool is_new;
  for (size_t i = 1; i < depth; i++) {
    const uint64_t call[] = {hash, frames[i].file, frames[i].line,
                             frames[i].column};
    hash = md5_low64(call, sizeof call);
  }
  return find_or_assign_hash_number(&lines->copies, hash, &is_new);
}

static void add_instruction_line(struct object_lines *lines,
                                 struct objectcode *of, size_t number) {
  struct dwarf_frame frames[DWARF_FRAMES];
  struct object_instruction *one = &of->list[number];
  size_t depth =
      dwarf_find_frames(&of->scopes, &of->rows, one->address, frames);
  one->inlined = depth > 1;
  if (!depth || !frames[0].line)
    return;
  one->file = assign_file_index(lines, of, frames[0].file);
  one->line = frames[0].line;
  if (one->file != NO_LINE_FILE)
    LIST_ADD(lines->parts, lines->part_count,
             (struct line_instruction){
                 one->file, one->line,
                 number_inlined_copy(lines, of, one, frames, depth), of,
                 number});
}

/* Adds a row of the line table at which a statement begins. A row with the
 * address of the next row is without code, but shows where its statement
 * was. */
static void add_statement_row(struct object_lines *lines, struct objectcode *of,
                              size_t number) {
  const struct dwarf_row *row = &of->rows.rows[number];
  size_t at = objectcode_find_index(of, row->address);
  if (row->flags & DWARF_END || !(row->flags & DWARF_STATEMENT) || !row->line ||
      at == SIZE_MAX ||
      (number + 1 < of->rows.row_count && row[1].address == row->address &&
       row[1].flags & DWARF_END))
    return;
  uint32_t file = assign_file_index(lines, of, row->file);
  if (file != NO_LINE_FILE)
    LIST_ADD(lines->parts, lines->part_count,
             (struct line_instruction){file, row->line, 0, of, at});
}

/* Adds the line that begins at *part to lines->list, as far as one ELF has it.
 * most[N] is the highest count in copy N. most[0] is the highest count where a
 * statement of the line begins. All are 0 before and after the call. A coded
 * line whose statements never began counts as not run, even if pieces of it
 * ran. */
static void add_line_of_elf(struct object_lines *lines,
                            const struct line_instruction *part,
                            const struct line_instruction *end,
                            const struct objectcode *of, uint64_t *most) {
  struct object_line line = {.file = part->file, .line = part->line};
  bool states = false;
  uint64_t sum = 0;
  for (const struct line_instruction *at = part; at < end; at++) {
    if (at->of != of)
      continue;
    uint64_t ran = of->list[at->number].count, *known = &most[at->copy];
    uint64_t more = ran > *known ? ran - *known : 0;
    *known += more;
    states |= !at->copy;
    sum += at->copy ? more : 0;
    line.instructions += at->copy != 0;
    line.ran += at->copy && ran;
  }
  line.class = !line.instructions ? LINE_PLACE
               : states           ? LINE_CODED
                                  : LINE_PIECES;
  line.count = line.class == LINE_PLACE             ? *most
               : line.class == LINE_CODED && !*most ? 0
                                                    : sum;
  for (const struct line_instruction *at = part; at < end; at++)
    most[at->copy] = 0;
  struct object_line *last = lines->list + lines->count - !!lines->count;
  if (lines->count && last->file == line.file && last->line == line.line) {
    last->count = add_saturated(last->count, line.count);
    last->instructions += line.instructions;
    last->ran += line.ran;
  } else if (line.instructions || states) {
    LIST_ADD(lines->list, lines->count, line);
  }
}

void object_lines_compute_counts(struct object_lines *lines,
                                 const struct objectcode *only) {
  uint64_t *most = need_memory(calloc(lines->copies.count + 1, sizeof *most));
  const struct line_instruction *at = lines->parts, *next = at;
  const struct line_instruction *end = at + lines->part_count;
  lines->count = 0;
  for (; at < end; at = next) {
    while (next < end && next->file == at->file && next->line == at->line)
      next++;
    for (size_t k = 0; k < lines->elf_count; k++)
      if (!only || &lines->elfs[k] == only)
        add_line_of_elf(lines, at, next, &lines->elfs[k], most);
  }
  free(most);
}

const char *object_lines_add_elf(struct object_lines *lines,
                                 struct objectcode *of) {
  struct elf_section debug;
  if (!of->several && !elf_find_section(of->elf, ".debug_line", &debug) &&
      !elf_find_section(of->elf, ".debug_info", &debug))
    return NULL;
  const char *error = dwarf_open(&of->dwarf, of->elf);
  if (!error)
    error = dwarf_lines_read(&of->rows, &of->dwarf);
  if (!error)
    error = dwarf_scopes_read(&of->scopes, &of->dwarf);
  if (error)
    return error;
  for (size_t i = 0; i < of->count; i++)
    add_instruction_line(lines, of, i);
  for (size_t i = 0; i < of->rows.row_count; i++)
    add_statement_row(lines, of, i);
  sort_array(lines->parts, lines->part_count, sizeof *lines->parts,
             compare_parts);
  return NULL;
}

void object_lines_free(struct object_lines *lines) {
  for (size_t i = 0; i < lines->elf_count; i++)
    objectcode_close(&lines->elfs[i]);
  free(lines->list);
  free(lines->files);
  free(lines->parts);
  free(lines->elfs);
  map_free(&lines->paths);
  map_free(&lines->copies);
}
