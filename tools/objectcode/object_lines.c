/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns counts of instructions into counts of lines (see objectcode.h), and
 * prints both: a table of functions, address ranges, notes, and a list of
 * instructions.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../object/digest.h"
#include "objectcode.h"

/* An instruction of a line, or the instruction where its statement begins. */
struct line_instruction {
  uint32_t file, line;
  uint64_t copy; /* hash of the copy; 0 for a statement */
  size_t number; /* index of the instruction */
  bool statement;
};

struct object_line_reader {
  const struct objectcode *of;
  struct object_lines *to;
  struct map known; /* numbers of paths, by hash */
};

ORDER_BY(compare_parts, struct line_instruction, x->file, x->line, x->copy);

/* Returns the index of a file; UINT32_MAX if the file lacks a name. The files
 * of several units with the same path share one index. */
static uint32_t assign_file_index(struct object_line_reader *reading,
                                  uint32_t file) {
  const char *path = dwarf_lines_path(&reading->to->rows, file);
  if (!*path)
    return UINT32_MAX;
  uint64_t *number = need_memory(
      map_find_or_add(&reading->known, md5_low64(path, strlen(path)), 0, 0));
  if (!*number) {
    need_append(&reading->to->files, &path, sizeof path);
    *number = reading->to->files.size / sizeof path;
  }
  return (uint32_t)*number - 1;
}

/* Returns a hash that identifies a copy of inlined code: its function (parts
 * that were split off count as the function), and the calls through which the
 * code was inlined. Never 0. */
static uint64_t hash_inlined_copy(const struct objectcode *of,
                                  const struct object_instruction *one,
                                  const struct dwarf_frame *frames,
                                  size_t depth) {
  uint64_t hash = of->functions[one->symbol].owner + UINT64_C(1);
  for (size_t i = 1; i < depth; i++) {
    const uint64_t call[] = {hash, frames[i].file, frames[i].line,
                             frames[i].column};
    hash = md5_low64(call, sizeof call);
  }
  return hash ? hash : 1;
}

static void add_instruction_line(struct object_line_reader *reading,
                                 const struct object_instruction *one) {
  struct dwarf_frame frames[DWARF_FRAMES];
  struct object_lines *to = reading->to;
  size_t depth =
      dwarf_find_frames(&to->scopes, &to->rows, one->address, frames);
  struct instruction_source_line place = {UINT32_MAX, 0, depth > 1};
  if (depth && frames[0].line) {
    place.file = assign_file_index(reading, frames[0].file);
    place.line = frames[0].line;
  }
  need_append(&to->of, &place, sizeof place);
  if (place.file != UINT32_MAX)
    need_append(&to->parts,
                &(struct line_instruction){
                    .file = place.file,
                    .line = place.line,
                    .copy = hash_inlined_copy(reading->of, one, frames, depth),
                    .number = (size_t)(one - reading->of->list)},
                sizeof(struct line_instruction));
}

/* Adds a row of the line table at which a statement begins. A row with the
 * address of the next row is without code, but shows where its statement
 * was. */
static void add_statement_row(struct object_line_reader *reading,
                              size_t number) {
  const struct dwarf_lines *rows = &reading->to->rows;
  const struct dwarf_row *row = &rows->rows[number];
  struct line_instruction part = {
      .line = row->line,
      .number = objectcode_find_index(reading->of, row->address),
      .statement = true};
  if (row->flags & DWARF_END || !(row->flags & DWARF_STATEMENT) || !row->line ||
      part.number == SIZE_MAX ||
      (number + 1 < rows->row_count && row[1].address == row->address &&
       row[1].flags & DWARF_END))
    return;
  part.file = assign_file_index(reading, row->file);
  if (part.file != UINT32_MAX)
    need_append(&reading->to->parts, &part, sizeof part);
}

/* Adds the line whose parts begin at *first, and moves *first to the parts of
 * the next line. */
static void append_object_line(struct object_lines *lines,
                               const struct objectcode *of, size_t *first) {
  const struct line_instruction *list = (const void *)lines->parts.data;
  size_t count = lines->parts.size / sizeof *list, i = *first;
  struct object_line line = {.file = list[i].file, .line = list[i].line};
  uint64_t stated = 0, most = 0, sum = 0, copy = 0;
  bool has_statement = false;
  for (; i < count && list[i].file == line.file && list[i].line == line.line;
       i++) {
    const struct line_instruction *part = &list[i];
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
  need_append(&lines->list, &line, sizeof line);
}

void object_lines_compute_counts(struct object_lines *lines,
                                 const struct objectcode *of) {
  lines->list.size = 0;
  size_t count = lines->parts.size / sizeof(struct line_instruction);
  for (size_t i = 0; i < count;)
    append_object_line(lines, of, &i);
}

const char *object_lines_read(struct object_lines *lines,
                              const struct objectcode *of) {
  const struct buffer empty = {.limit = (size_t)1 << 31};
  *lines = (struct object_lines){
      .list = empty, .files = empty, .of = empty, .parts = empty};
  struct object_line_reader reading = {
      .of = of, .to = lines, .known.limit = (size_t)1 << 24};
  const char *error = dwarf_open(&lines->dwarf, of->elf);
  if (!error)
    error = dwarf_lines_read(&lines->rows, &lines->dwarf);
  if (!error)
    error = dwarf_scopes_read(&lines->scopes, &lines->dwarf);
  if (error)
    return error;
  for (size_t i = 0; i < of->count; i++)
    add_instruction_line(&reading, &of->list[i]);
  for (size_t i = 0; i < lines->rows.row_count; i++)
    add_statement_row(&reading, i);
  sort_array(lines->parts.data,
             lines->parts.size / sizeof(struct line_instruction),
             sizeof(struct line_instruction), compare_parts);
  map_free(&reading.known);
  object_lines_compute_counts(lines, of);
  return NULL;
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

/* ---- output ---- */

/* Returns part as a percentage of all; 100 if all is 0. */
static double compute_percent(size_t part, size_t all) {
  return all ? 100.0 * (double)part / (double)all : 100;
}

struct object_function object_sum_functions(const struct objectcode *of) {
  struct object_function total = {.name = "TOTAL"};
  for (size_t i = 0; i < of->function_count; i++) {
    const struct object_function *one = &of->functions[i];
    total.count += one->count;
    total.functions += i && one->count && one->owner == i;
    total.entered += i && one->owner == i && one->entered;
    total.ran += one->ran;
    total.branches += one->branches;
    total.both += one->both;
    total.outcomes += one->outcomes;
    total.unknown += one->unknown;
    total.predicated += one->predicated;
  }
  return total;
}

static void print_symbol_row(FILE *out, const struct object_function *row) {
  fprintf(out, "%-30.30s %6zu %6zu %6.1f%% %6zu %6zu %6.1f%%\n", row->name,
          row->count, row->ran, compute_percent(row->ran, row->count),
          row->branches, row->both, compute_percent(row->both, row->branches));
}

static void print_line_classes(FILE *out, const struct object_lines *lines) {
  const struct object_line *list = (const void *)lines->list.data;
  size_t count = lines->list.size / sizeof *list, classes[3] = {0};
  for (size_t i = 0; i < count; i++)
    classes[list[i].class]++;
  fprintf(out,
          "Lines are by debug information: of %zu, %zu have only pieces of "
          "code, in which no statement begins, and %zu no code of their own.\n",
          count, classes[LINE_PIECES], classes[LINE_PLACE]);
}

void object_print_functions(FILE *out, const struct objectcode *of) {
  struct object_function total = object_sum_functions(of);
  fprintf(out, "%-30s %6s %6s %7s %6s %6s %7s\n", "Function", "Instr.", "Ran",
          "", "Branch", "Both", "");
  for (size_t i = 0; i < of->function_count; i++)
    if (of->functions[i].count)
      print_symbol_row(out, &of->functions[i]);
  print_symbol_row(out, &total);
  fputs("\nInstr., Ran: instructions, and those that ran. Branch, Both: branch "
        "instructions\nwith a condition, and those that went both ways.\n",
        out);
}

void object_print_executed_ranges(FILE *out, const struct objectcode *of) {
  for (size_t i = 0; i < of->count;) {
    size_t first = i;
    uint64_t end = of->list[i].address;
    for (; i < of->count && of->list[i].address <= end; i++)
      end = of->list[i].address + of->list[i].length;
    fprintf(out, "  0x%08" PRIx64 "-0x%08" PRIx64 " %6zu instruction%s\n",
            of->list[first].address, end - 1, i - first,
            i - first == 1 ? "" : "s");
  }
  fprintf(out, "%zu instructions ran.\n", of->count);
}

void object_print_summary(FILE *out, const struct objectcode *of,
                          const struct object_lines *lines) {
  struct object_function total = object_sum_functions(of);
  fprintf(out,
          "All code: %zu of %zu instructions ran (%.1f%%); %zu of %zu branch "
          "instructions with a condition went both ways.\n",
          total.ran, total.count, compute_percent(total.ran, total.count),
          total.both, total.branches);
  if (lines)
    print_line_classes(out, lines);
  if (of->counts_are_0_or_1)
    fprintf(out, "A list says only what ran%s: counts are 1.\n",
            of->least ? ", and that not whole" : "");
  if (total.unknown)
    fprintf(out, "Of %zu branch instructions the outcomes are not known.\n",
            total.unknown);
  for (size_t i = 0; i < of->function_count; i++)
    if (of->functions[i].refused && of->functions[i].branches)
      fprintf(out,
              "%s: the outcomes of its branches contradict its counts, so they "
              "are not known.\n",
              of->functions[i].name);
  if (total.predicated)
    fprintf(out,
            "%zu instructions are predicated: whether they acted is not "
            "known.\n",
            total.predicated);
  if (of->shift)
    fprintf(out,
            "The code of 0x%" PRIx64 " ran at 0x%" PRIx64 ", as its bytes "
            "show. --moved 0x%" PRIx64 "=0x%" PRIx64 " in run also counts the "
            "outcomes that do not follow from counts.\n",
            of->list->address, of->list->address + of->shift, of->list->address,
            of->list->address + of->shift);
  if (of->outside)
    fprintf(out, "Code ran at %" PRIu64 " addresses outside of the ELF.\n",
            of->outside);
  if (of->varied)
    fprintf(out,
            "The code at %" PRIu64 " addresses changed while it ran: overlays, "
            "or self-modified code.\n",
            of->varied);
}

void object_print_instructions(FILE *out, const struct objectcode *of,
                               const struct object_lines *lines) {
  const struct instruction_source_line *places = (const void *)lines->of.data;
  const char *const *files = (const void *)lines->files.data;
  fputs("address\tlength\tcount\tgoes\tfalls\tfunction\tline\tfile\n", out);
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    const struct object_function *function = &of->functions[one->symbol];
    if (!one->symbol && !one->count)
      continue;
    fprintf(out, "%" PRIx64 "\t%u\t%" PRIu64, one->address, one->length,
            one->count);
    if (one->conditional && one->known && !function->refused)
      fprintf(out, "\t%" PRIu64 "\t%" PRIu64, one->outcomes[GOES],
              one->outcomes[FALLS_THROUGH]);
    else
      fputs(one->conditional && one->count ? "\t?\t?" : "\t\t", out);
    fprintf(out, "\t%s\t%" PRIu32 "\t%s\n", one->symbol ? function->name : "",
            places[i].line,
            places[i].file == UINT32_MAX ? "" : files[places[i].file]);
  }
}
