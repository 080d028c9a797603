/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints the coverage of object code: a table of functions, address ranges,
 * notes, and a list of instructions.
 */
#include <inttypes.h>

#include "objectcode.h"

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
    total.entered += one->owner == i && one->entered;
    total.ran += one->ran;
    total.branches += one->branches;
    total.both += one->both;
    total.outcomes += one->outcomes;
    total.unknown += one->unknown;
    total.predicated += one->predicated;
  }
  return total;
}

static void put_row(FILE *out, const struct object_function *row) {
  fprintf(out, "%-30.30s %6zu %6zu %6.1f%% %6zu %6zu %6.1f%%\n", row->name,
          row->count, row->ran, compute_percent(row->ran, row->count),
          row->branches, row->both, compute_percent(row->both, row->branches));
}

static void put_line_classes(FILE *out, const struct object_lines *lines) {
  const struct object_line *list = (const void *)lines->list.data;
  size_t count = lines->list.size / sizeof *list, classes[3] = {0};
  for (size_t i = 0; i < count; i++)
    classes[list[i].class]++;
  fprintf(out,
          "Lines are by debug information: of %zu, %zu have only pieces of "
          "code, in which no statement begins, and %zu no code of their own.\n",
          count, classes[LINE_PIECES], classes[LINE_PLACE]);
}

void object_print_table(FILE *out, const struct objectcode *of) {
  struct object_function total = object_sum_functions(of);
  fprintf(out, "%-30s %6s %6s %7s %6s %6s %7s\n", "Function", "Instr.", "Ran",
          "", "Branch", "Both", "");
  for (size_t i = 0; i < of->function_count; i++)
    if (of->functions[i].count)
      put_row(out, &of->functions[i]);
  put_row(out, &total);
  fputs("\nInstr., Ran: instructions, and those that ran. Branch, Both: branch "
        "instructions\nwith a condition, and those that went both ways.\n",
        out);
}

void object_print_ranges(FILE *out, const struct objectcode *of) {
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

void object_print_notes(FILE *out, const struct objectcode *of,
                        const struct object_lines *lines) {
  struct object_function total = object_sum_functions(of);
  fprintf(out,
          "All code: %zu of %zu instructions ran (%.1f%%); %zu of %zu branch "
          "instructions with a condition went both ways.\n",
          total.ran, total.count, compute_percent(total.ran, total.count),
          total.both, total.branches);
  if (lines)
    put_line_classes(out, lines);
  if (of->sets)
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
  if (of->outside)
    fprintf(out, "Code ran at %" PRIu64 " addresses outside of the ELF.",
            of->outside);
  if (of->varied)
    fprintf(out,
            "The code at %" PRIu64 " addresses changed while it ran: overlays, "
            "or self-modified code.\n",
            of->varied);
}

void object_print_list(FILE *out, const struct objectcode *of,
                       const struct object_lines *lines) {
  const struct instruction_line *places = (const void *)lines->of.data;
  const char *const *files = (const void *)lines->files.data;
  fputs("address\tlength\tcount\tgoes\tfalls\tfunction\tline\tfile\n", out);
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    const struct object_function *function = &of->functions[one->symbol];
    if (!one->symbol && !one->count)
      continue;
    fprintf(out, "%" PRIx64 "\t%u\t%" PRIu64, one->address, one->length,
            one->count);
    if (one->conditional && one->known[GOES] && !function->refused)
      fprintf(out, "\t%" PRIu64 "\t%" PRIu64, one->outcomes[GOES],
              one->outcomes[FALLS_THROUGH]);
    else
      fputs(one->conditional && one->count ? "\t?\t?" : "\t\t", out);
    fprintf(out, "\t%s\t%" PRIu32 "\t%s\n", one->symbol ? function->name : "",
            places[i].line,
            places[i].file == UINT32_MAX ? "" : files[places[i].file]);
  }
}
