/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The files of all units: the headers of .debug_line, without the programs
 * behind them.
 */
#include "dwarf_inside.h"
#include "../base/arena.h"
#include "../base/buffer.h"

/* Takes those of one unit, whose names are whole in DWARF 5. */
static const char *take_files(struct dwarf_sources *sources,
                              const struct buffer *files) {
  const struct dwarf_file *list = (const struct dwarf_file *)files->data;
  const char *error = NULL;
  for (size_t i = 0; !error && i < files->size / sizeof *list; i++) {
    struct dwarf_source source = {NULL, list[i].md5};
    if (!list[i].md5 || !list[i].name)
      continue;
    source.path = dwarf_path(&sources->paths, &list[i]);
    error = source.path ? dwarf_add(&sources->list, &source, sizeof source)
                        : out_of_memory;
  }
  return error;
}

const char *dwarf_sources_read(struct dwarf_sources *sources,
                               const struct dwarf *dwarf) {
  size_t most = dwarf->arena.limit;
  struct buffer files = {.limit = most};
  const char *error = NULL;
  *sources =
      (struct dwarf_sources){.list = {.limit = most}, .paths = {.limit = most}};
  for (uint64_t at = 0; !error && at < dwarf->sections[DWARF_LINE].size;) {
    struct dwarf_program program;
    files.size = 0;
    error = dwarf_program_open(&program, dwarf, &at);
    if (!error)
      error = dwarf_program_files(&program, "", &files);
    if (!error)
      error = take_files(sources, &files);
  }
  buffer_free(&files);
  return error;
}

void dwarf_sources_free(struct dwarf_sources *sources) {
  buffer_free(&sources->list);
  arena_free(&sources->paths);
  *sources = (struct dwarf_sources){.list = {.data = NULL}};
}
