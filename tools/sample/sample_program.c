/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Opening and closing in the right order.
 */
#include "code.h"

static const char *open_debug(struct program *program) {
  const char *error = dwarf_open(&program->dwarf, &program->elf);
  if (!error)
    error = dwarf_lines_read(&program->lines, &program->dwarf);
  if (!error)
    error = dwarf_scopes_read(&program->scopes, &program->dwarf);
  program->lined = !error && program->lines.row_count;
  return error;
}

const char *program_open(struct program *program, struct bytes file,
                         unsigned encoding, enum program_part part) {
  *program = (struct program){0};
  listing_begin(&program->listing, &program->probes, &program->code);
  jumps_begin(&program->jumps, &program->listing);
  const char *error = elf_open(&program->elf, file);
  if (!error)
    error = part < PROGRAM_PROBES
                ? probes_read_symbols(&program->probes, &program->elf)
                : probes_read(&program->probes, &program->elf, encoding);
  if (!error)
    error = code_open(&program->code, &program->elf);
  if (!error && (part == PROGRAM_ALL || part == PROGRAM_NAMES))
    program->debug_error = open_debug(program);
  if (!error && part == PROGRAM_LINES)
    error = open_debug(program);
  if (!error && part == PROGRAM_LINES && !program->lined)
    error = "it has no lines; compile with -g1 -fdebug-info-for-profiling, and "
            "give the ELF before strip";
  return error;
}

void program_close(struct program *program) {
  dwarf_scopes_free(&program->scopes);
  dwarf_lines_free(&program->lines);
  dwarf_close(&program->dwarf);
  jumps_free(&program->jumps);
  listing_free(&program->listing);
  code_close(&program->code);
  probes_free(&program->probes);
}
