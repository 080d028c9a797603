/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is written of object code: a table, and lcov's form.
 */
#include <inttypes.h>

#include "objectcode.h"

double object_percent(size_t part, size_t all) {
  return all ? 100.0 * (double)part / (double)all : 100;
}

struct object_function object_total(const struct objectcode *of) {
  struct object_function total = {.name = "TOTAL"};
  for (size_t i = 0; i < of->function_count; i++) {
    const struct object_function *one = &of->functions[i];
    total.count += one->count;
    total.functions += i && one->count;
    total.entered += i && one->entered;
    total.ran += one->ran;
    total.branches += one->branches;
    total.both += one->both;
    total.unknown += one->unknown;
    total.predicated += one->predicated;
  }
  return total;
}

static void put_row(FILE *out, const struct object_function *row) {
  fprintf(out, "%-30.30s %6zu %6zu %6.1f%% %6zu %6zu %6.1f%%\n", row->name,
          row->count, row->ran, object_percent(row->ran, row->count),
          row->branches, row->both, object_percent(row->both, row->branches));
}

static void put_lines(FILE *out, const struct object_lines *lines) {
  const struct object_line *list = (const void *)lines->list.data;
  size_t count = object_lines_count(lines, false);
  size_t ran = object_lines_count(lines, true), classes[3] = {0};
  for (size_t i = 0; i < count; i++)
    classes[list[i].class]++;
  fprintf(out,
          "Lines by debug information: %zu of %zu ran (%.1f%%). %zu have only "
          "pieces of code, in which no statement begins; %zu have no code of "
          "their own.\n",
          ran, count, object_percent(ran, count), classes[LINE_PIECES],
          classes[LINE_PLACE]);
}

void object_table(FILE *out, const struct objectcode *of,
                  const struct object_lines *lines) {
  struct object_function total = object_total(of);
  fprintf(out, "%-30s %6s %6s %7s %6s %6s %7s\n", "Function", "Instr.", "Ran",
          "", "Branch", "Both", "");
  for (size_t i = 0; i < of->function_count; i++)
    if (of->functions[i].count)
      put_row(out, &of->functions[i]);
  put_row(out, &total);
  fputs("\nInstr., Ran: instructions, and those that ran. Branch, Both: branch "
        "instructions\nwith a condition, and those that went both ways.\n",
        out);
  if (lines)
    put_lines(out, lines);
  if (total.unknown)
    fprintf(out, "Of %zu branch instructions the outcomes are not known.\n",
            total.unknown);
  for (size_t i = 0; i < of->function_count; i++)
    if (of->functions[i].refused)
      fprintf(out,
              "%s: the outcomes of its branches contradict its counts, so they "
              "are not known.\n",
              of->functions[i].name);
  if (total.predicated)
    fprintf(out,
            "%zu instructions are predicated: whether they acted is not "
            "known.\n",
            total.predicated);
  if (of->outside)
    fprintf(out, "Code ran at %" PRIu64 " addresses outside of the ELF.\n",
            of->outside);
  if (of->varied)
    fprintf(out,
            "The code at %" PRIu64 " addresses changed while it ran: overlays, "
            "or self-modified code.\n",
            of->varied);
}

static void put_functions(FILE *out, const struct objectcode *of,
                          const struct object_lines *lines, uint32_t file) {
  const struct line_of *places = (const void *)lines->of.data;
  for (size_t i = 1; i < of->function_count; i++) {
    const struct object_function *one = &of->functions[i];
    if (one->count && places[one->first].file == file)
      fprintf(out, "FN:%" PRIu32 ",%s\nFNDA:%" PRIu64 ",%s\n",
              places[one->first].line, one->name, one->entered, one->name);
  }
}

/* The block of a branch is its address, without what is not known. */
static void put_branches(FILE *out, const struct objectcode *of,
                         const struct object_lines *lines, uint32_t file) {
  const struct line_of *places = (const void *)lines->of.data;
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    if (!one->conditional || places[i].file != file ||
        (one->count &&
         (!one->known[GOES] || of->functions[one->symbol].refused)))
      continue;
    for (unsigned way = 0; way < BRANCH_WAYS; way++) {
      fprintf(out, "BRDA:%" PRIu32 ",%" PRIu64 ",%u,", places[i].line,
              one->address, way);
      if (one->count)
        fprintf(out, "%" PRIu64 "\n", one->outcomes[way]);
      else
        fputs("-\n", out);
    }
  }
}

void object_lcov(FILE *out, const struct objectcode *of,
                 const struct object_lines *lines) {
  const char *const *files = (const void *)lines->files.data;
  const struct object_line *list = (const void *)lines->list.data;
  size_t count = lines->list.size / sizeof *list;
  for (size_t i = 0; i < count;) {
    uint32_t file = list[i].file;
    size_t found = 0, hit = 0;
    fprintf(out, "SF:%s\n", files[file]);
    put_functions(out, of, lines, file);
    put_branches(out, of, lines, file);
    for (; i < count && list[i].file == file; i++) {
      found++;
      hit += list[i].count != 0;
      fprintf(out, "DA:%" PRIu32 ",%" PRIu64 "\n", list[i].line, list[i].count);
    }
    fprintf(out, "LF:%zu\nLH:%zu\nend_of_record\n", found, hit);
  }
}
