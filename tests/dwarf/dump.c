/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints the DWARF reader's results, to be compared with other tools' text:
 *   dump rows ELF         each row of each unit, also of dropped code
 *   dump places ELF       of each address on standard input the line
 *   dump frames ELF       the same with the functions inlined there
 *   dump unwind ELF       of each address how registers are restored
 *   dump exidx ELF        the same at calls, from Arm's .ARM.exidx
 *   dump sources ELF      the MD5 and path of each file that has one
 *   dump counters ELF     functions of -profile-correlate=debug-info
 *   dump all ELF          how many of everything there are
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"
#include "base/buffer.h"
#include "dwarf_internal.h"
#include "file.h"
#include "unwind.h"

static struct dwarf dwarf;
static struct dwarf_lines lines;
static struct dwarf_scopes scopes;

static const char *print_row(void *context, const struct dwarf_row *row) {
  static const char *const flags[] = {"is_stmt", "basic_block", "prologue_end",
                                      "epilogue_begin", "end_sequence"};
  (void)context;
  printf("0x%016" PRIx64 " %u %u %u %u", row->address, row->line, row->column,
         row->file, row->discriminator);
  for (unsigned i = 0; i < 5; i++)
    if (row->flags >> i & 1)
      printf(" %s", flags[i]);
  putchar('\n');
  return NULL;
}

static const char *print_rows(void) {
  const char *error = NULL;
  for (uint64_t at = 0; !error && at < dwarf.sections[DWARF_LINE].size;) {
    struct dwarf_line_program program;
    error = dwarf_program_open(&program, &dwarf, &at);
    if (!error)
      error = dwarf_program_run(&program, print_row, NULL);
  }
  return error;
}

static const char *load(void) {
  const char *error = dwarf_lines_read(&lines, &dwarf);
  return error ? error : dwarf_scopes_read(&scopes, &dwarf);
}

static void print_place(uint64_t address) {
  const struct dwarf_row *row = dwarf_lines_find_row(&lines, address);
  if (row)
    printf("0x%" PRIx64 " %s:%u:%u:%u\n", address,
           dwarf_lines_path(&lines, row->file), row->line, row->column,
           row->discriminator);
  else
    printf("0x%" PRIx64 " none\n", address);
}

static void print_frames(uint64_t address) {
  struct dwarf_frame frames[DWARF_FRAMES];
  size_t count = dwarf_find_frames(&scopes, &lines, address, frames);
  for (size_t i = 0; i < count; i++)
    printf("0x%" PRIx64 " %s %s:%u:%u:%u %s:%u\n", address,
           *frames[i].name ? frames[i].name : "-",
           dwarf_lines_path(&lines, frames[i].file), frames[i].line,
           frames[i].column, frames[i].discriminator,
           dwarf_lines_path(&lines, frames[i].declared_in), frames[i].declared);
  if (!count)
    printf("0x%" PRIx64 " none\n", address);
}

static struct unwind_tables unwind;

static void print_unwind_row(uint64_t address, const struct unwind_row *row) {
  static const char *const how[] = {[UNWIND_AT] = "at",
                                    [UNWIND_IS] = "is",
                                    [UNWIND_REGISTER] = "in",
                                    [UNWIND_LOST] = "lost"};
  printf("0x%" PRIx64, address);
  if (row)
    printf(" %u%+" PRId64, row->base, row->offset);
  else
    printf(" none");
  for (unsigned i = 0; row && i < UNWIND_REGISTERS; i++)
    if (row->rules[i].how)
      printf(" %u=%s%+" PRId64, i, how[row->rules[i].how],
             row->rules[i].number);
  putchar('\n');
}

static void print_unwind(uint64_t address) {
  struct unwind_row row;
  bool found = unwind_find_row(&unwind, address, &row);
  print_unwind_row(address, found ? &row : NULL);
}

static void print_exidx(uint64_t address) {
  struct unwind_row row;
  struct elf_symbol function = elf_find_function(unwind.elf, address);
  bool found = function.name &&
               unwind_find_row_at_call(&unwind, address, &function, &row);
  print_unwind_row(address, found ? &row : NULL);
}

static const char *ask(void (*print)(uint64_t)) {
  char line[64];
  const char *error = print == print_exidx ? NULL : load();
  while (!error && fgets(line, sizeof line, stdin))
    print(strtoull(line, NULL, 16));
  return error;
}

static const char *print_counters(const struct elf *elf) {
  struct elf_section section;
  struct buffer list;
  elf_find_section(elf, "__llvm_prf_cnts", &section);
  const struct dwarf_span span = {section.address,
                                  section.address + section.size};
  const char *error = dwarf_counters_read(&dwarf, span, &list);
  const struct dwarf_function_counters *functions =
      (struct dwarf_function_counters *)list.data;
  for (size_t i = 0; !error && i < list.size / sizeof *functions; i++)
    printf("%s 0x%" PRIx64 " %" PRIu64 " %" PRIu64 "\n", functions[i].name,
           functions[i].hash, (functions[i].address - section.address) / 8,
           functions[i].count);
  buffer_free(&list);
  return error;
}

static const char *print_sources(void) {
  struct dwarf_sources sources;
  const char *error = dwarf_sources_read(&sources, &dwarf);
  const struct dwarf_source *list =
      (const struct dwarf_source *)sources.list.data;
  for (size_t i = 0; !error && i < sources.list.size / sizeof *list; i++) {
    for (unsigned k = 0; k < 16; k++)
      printf("%02x", list[i].md5[k]);
    printf("  %s\n", list[i].path);
  }
  dwarf_sources_free(&sources);
  return error;
}

static const char *print_all(void) {
  const char *error = load();
  if (!error)
    printf("%zu units, %zu rows in %zu sequences, %zu segments\n",
           dwarf.unit_count, lines.row_count, lines.sequence_count,
           scopes.segment_count);
  return error;
}

int main(int argc, char **argv) {
  struct file file;
  struct elf elf;
  if (argc != 3 || file_map(&file, argv[2], (size_t)1 << 32))
    return 2;
  const char *error = elf_open(&elf, file.bytes), *what = argv[1];
  if (!error && strcmp(what, "exidx"))
    error = dwarf_open(&dwarf, &elf);
  if (!error)
    error = unwind_open(&unwind, &elf);
  if (!error)
    error = !strcmp(what, "rows")       ? print_rows()
            : !strcmp(what, "places")   ? ask(print_place)
            : !strcmp(what, "frames")   ? ask(print_frames)
            : !strcmp(what, "unwind")   ? ask(print_unwind)
            : !strcmp(what, "exidx")    ? ask(print_exidx)
            : !strcmp(what, "sources")  ? print_sources()
            : !strcmp(what, "counters") ? print_counters(&elf)
                                        : print_all();
  if (error)
    printf("error: %s\n", error);
  dwarf_scopes_free(&scopes);
  dwarf_lines_free(&lines);
  dwarf_close(&dwarf);
  unwind_close(&unwind);
  file_close(&file);
  return error != NULL;
}
