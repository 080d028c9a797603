/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Opening and closing in the right order.
 */
#include "program.h"

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
                         unsigned encoding, bool debug) {
  *program = (struct program){.links = {.limit = (size_t)1 << 24},
                              .live = {.limit = (size_t)1 << 30}};
  const char *error = elf_open(&program->elf, file);
  if (!error)
    error = probes_read(&program->probes, &program->elf, encoding);
  if (!error)
    error = code_open(&program->code, &program->elf);
  if (!error && debug)
    program->debug_error = open_debug(program);
  return error;
}

const char *program_open_symbols(struct program *program, struct bytes file) {
  *program = (struct program){.links = {.limit = (size_t)1 << 24},
                              .live = {.limit = (size_t)1 << 30}};
  const char *error = elf_open(&program->elf, file);
  if (!error)
    error = probes_read_symbols(&program->probes, &program->elf);
  if (!error)
    error = code_open(&program->code, &program->elf);
  return error;
}

const char *program_open_lines(struct program *program, struct bytes file) {
  const char *error = program_open_symbols(program, file);
  if (!error)
    error = open_debug(program);
  if (!error && !program->lined)
    error = "it has no lines; compile with -g1 -fdebug-info-for-profiling, and "
            "give the ELF before strip";
  return error;
}

void program_close(struct program *program) {
  dwarf_scopes_free(&program->scopes);
  dwarf_lines_free(&program->lines);
  dwarf_close(&program->dwarf);
  map_free(&program->links);
  buffer_free(&program->live);
  code_close(&program->code);
  probes_free(&program->probes);
}
