/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns counts of instructions into counts of lines (see objectcode.h), and
 * prints both: a table of functions, address ranges, notes, and a list of
 * instructions.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../base/number.h"
#include "../object/digest.h"
#include "objectcode.h"

/* An instruction of a line, or the instruction where its statement begins. */
struct line_instruction {
  uint32_t file, line;
  uint64_t copy; /* hash of the copy; 0 for a statement */
  const struct objectcode *of;
  size_t number; /* index of the instruction */
};

/* ELFs are in the order in which they are in memory. */
ORDER_BY(compare_parts, struct line_instruction, x->file, x->line,
         (uintptr_t)x->of, x->copy);

/* Returns the index of a file; UINT32_MAX if the file lacks a name. The files
 * of several units with the same path share one index. */
static uint32_t assign_file_index(struct object_lines *lines,
                                  struct objectcode *of, uint32_t file) {
  const char *path = dwarf_lines_path(&of->rows, file);
  const uint64_t key[3] = {md5_low64(path, strlen(path))};
  bool is_new;
  if (!*path)
    return UINT32_MAX;
  lines->known.limit = (size_t)1 << 28;
  size_t number = map_find_or_assign_number(&lines->known, key, &is_new);
  need_memory(number ? lines : NULL);
  if (is_new)
    LIST_ADD(lines->files, lines->file_count, path);
  return (uint32_t)number - 1;
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

static void add_instruction_line(struct object_lines *lines,
                                 struct objectcode *of, size_t number) {
  struct dwarf_frame frames[DWARF_FRAMES];
  const struct object_instruction *one = &of->list[number];
  struct instruction_source_line *place = &of->places[number];
  size_t depth =
      dwarf_find_frames(&of->scopes, &of->rows, one->address, frames);
  *place = (struct instruction_source_line){UINT32_MAX, 0, depth > 1};
  if (!depth || !frames[0].line)
    return;
  place->file = assign_file_index(lines, of, frames[0].file);
  place->line = frames[0].line;
  if (place->file != UINT32_MAX)
    LIST_ADD(lines->parts, lines->part_count,
             (struct line_instruction){
                 place->file, place->line,
                 hash_inlined_copy(of, one, frames, depth), of, number});
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
  if (file != UINT32_MAX)
    LIST_ADD(lines->parts, lines->part_count,
             (struct line_instruction){file, row->line, 0, of, at});
}

/* Returns the line of an ELF whose parts begin at *first, and moves *first to
 * the parts of the next one. */
static struct object_line sum_line_parts(const struct object_lines *lines,
                                         size_t *first) {
  const struct line_instruction *list = &lines->parts[*first], *part = list;
  const struct line_instruction *end = lines->parts + lines->part_count;
  struct object_line line = {.file = list->file, .line = list->line};
  uint64_t stated = 0, most = 0, sum = 0, copy = 0;
  for (; part < end && part->file == line.file && part->line == line.line &&
         part->of == list->of;
       part++) {
    uint64_t ran = part->of->list[part->number].count;
    if (!part->copy) {
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
               : !list->copy      ? LINE_CODED
                                  : LINE_PIECES;
  line.count = line.class == LINE_PLACE              ? stated
               : line.class == LINE_CODED && !stated ? 0
                                                     : sum;
  *first += (size_t)(part - list);
  return line;
}

void object_lines_compute_counts(struct object_lines *lines,
                                 const struct objectcode *only) {
  lines->count = 0;
  for (size_t i = 0; i < lines->part_count;) {
    bool wanted = !only || lines->parts[i].of == only;
    struct object_line line = sum_line_parts(lines, &i), *last = lines->list;
    last += lines->count ? lines->count - 1 : 0;
    if (wanted && lines->count && last->file == line.file &&
        last->line == line.line) {
      last->count = add_saturated(last->count, line.count);
      last->instructions += line.instructions;
      last->ran += line.ran;
    } else if (wanted)
      LIST_ADD(lines->list, lines->count, line);
  }
}

const char *object_lines_add_elf(struct object_lines *lines,
                                 struct objectcode *of) {
  const char *error = dwarf_open(&of->dwarf, of->elf);
  if (!error)
    error = dwarf_lines_read(&of->rows, &of->dwarf);
  if (!error)
    error = dwarf_scopes_read(&of->scopes, &of->dwarf);
  if (error && error != dwarf_missing)
    return error;
  of->places = need_memory(calloc(of->count + 1, sizeof *of->places));
  for (size_t i = 0; i < of->count; i++)
    if (error)
      of->places[i].file = UINT32_MAX;
    else
      add_instruction_line(lines, of, i);
  for (size_t i = 0; i < of->rows.row_count; i++)
    add_statement_row(lines, of, i);
  sort_array(lines->parts, lines->part_count, sizeof *lines->parts,
             compare_parts);
  return NULL;
}

void object_lines_free(struct object_lines *lines) {
  free(lines->list);
  free(lines->files);
  free(lines->parts);
  map_free(&lines->known);
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
  size_t classes[3] = {0};
  for (size_t i = 0; i < lines->count; i++)
    classes[lines->list[i].class]++;
  fprintf(out,
          "Lines are by debug information: of %zu, %zu have only pieces of "
          "code, in which no statement begins, and %zu no code of their own.\n",
          lines->count, classes[LINE_PIECES], classes[LINE_PLACE]);
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
    fprintf(out,
            "Code ran at %" PRIu64 " addresses outside of the ELF's code.\n",
            of->outside);
  if (of->varied)
    fprintf(out,
            "The code at %" PRIu64 " addresses changed while it ran: overlays, "
            "or self-modified code.\n",
            of->varied);
}

void object_print_instructions(FILE *out, const struct objectcode *of,
                               const struct object_lines *lines) {
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
            of->places[i].line,
            of->places[i].file == UINT32_MAX
                ? ""
                : lines->files[of->places[i].file]);
  }
}
