/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the functions and lines of a source without a mapping: in the line
 * tables of the ELFs, or else in its text. added.c gets the functions.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/file.h"
#include "../../base/map.h"
#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/part.h"
#include "../../object/digest.h"
#include "../exclude/exclude.h"
#include "whole.h"

enum { LINES_MOST = 1 << 30, WHOLE_TEXT_MOST = 1 << 28 };

ORDER_BY(by_line, struct line_at, x->line, x->function != NULL);

static void put_line(struct buffer *list, uint64_t line,
                     const char *function) {
  need_append(list, &(struct line_at){line, function}, sizeof(struct line_at));
}

static void find_lines(const struct seen_elf *from, size_t file,
                       struct buffer *list) {
  const struct elf *elf = from->elf;
  for (size_t i = 0; i < from->lines.row_count; i++) {
    const struct dwarf_row *row = &from->lines.rows[i];
    if (row->line && !(row->flags & DWARF_END) &&
        from->numbers[row->file] == file + 1)
      put_line(list, row->line, NULL);
  }
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t thumb = elf->machine == ELF_ARM;
    if (symbol.type != ELF_FUNCTION || !symbol.section)
      continue;
    const struct dwarf_row *row =
        dwarf_lines_find(&from->lines, symbol.value & ~thumb);
    if (row && row->line && from->numbers[row->file] == file + 1)
      put_line(list, row->line, symbol.name);
  }
}

/* ---- text ---- */

/* Returns a line without the blanks in front. */
static struct part trimmed(struct bytes line) {
  struct part text = {(const char *)line.data, line.size};
  part_skip_blanks(&text);
  return text;
}

/* Whether a line can be code. Also follows its directive: *off is how many #if
 * are open, from an #if 0 on. */
static bool is_compiled(struct bytes line, enum planned_kind kind,
                        unsigned *off) {
  struct part text = trimmed(line);
  if (!text.size ||
      (kind == PLANNED_ASSEMBLY && strchr("@;|", *text.at) != NULL))
    return false;
  if (!part_take(&text, "#"))
    return !*off;
  part_skip_blanks(&text);
  if (part_begins(text, "endif") && *off)
    --*off;
  else if (*off == 1 && part_begins(text, "el"))
    *off = 0;
  else if (part_take(&text, "if") && (*off || part_take(&text, " 0")))
    ++*off;
  return false;
}

const char *lines_of_text(const char *here, bool all, struct buffer *list) {
  struct exclusions none = {.no_markers = true};
  struct excluded_source source = {.name = NULL};
  struct bytes line;
  struct file file;
  bool found;
  unsigned off = 0;
  if (file_read_if(&file, here, WHOLE_TEXT_MOST, &found))
    return "a source cannot be read; check the path and the permissions";
  if (!found) { /* A missing source still has a function. */
    put_line(list, 1, NULL);
    return NULL;
  }
  struct bytes text = file.bytes;
  const char *error = markers_read(&none, &source, text);
  for (uint32_t i = 1; !error && bytes_line(&text, &line); i++)
    if ((is_compiled(line, planned_kind_of(here), &off) || all) &&
        source.contents[i] != LINE_EMPTY && !part_begins(trimmed(line), "#"))
      put_line(list, i, NULL);
  free(source.contents);
  file_close(&file);
  return error;
}

bool lines_are_linked(const struct seen *seen, const char *here) {
  struct file file;
  struct bytes line;
  bool found, linked = false;
  if (file_read_if(&file, here, WHOLE_TEXT_MOST, &found) || !found)
    return false;
  for (struct bytes text = file.bytes; bytes_line(&text, &line) && !linked;) {
    struct part label = trimmed(line), rest = label;
    linked = part_skip_to(&rest, ":") &&
             map_find(&seen->symbols,
                      md5_low64(label.at, (size_t)(rest.at - label.at) - 1), 0,
                      0);
  }
  file_close(&file);
  return linked;
}

/* ---- all ---- */

/* Adds functions. Each has the lines up to the next one, and the first one also
 * has the lines before it. If no function is known, all lines are one function
 * with the file's name. */
static void add_functions(struct whole *whole,
                          const struct whole_source *source,
                          const struct line_at *list, size_t count) {
  uint32_t *lines = need(malloc((count + 1) * sizeof *lines));
  for (size_t i = 0; i < count;) {
    struct absent_function function = {os_base(source->name), source->name,
                                      lines, 0};
    bool named = false;
    for (; i < count && !(named && list[i].function &&
                          list[i].line != lines[function.count - 1]);
         i++) {
      if (list[i].function && !named)
        function.name = list[i].function;
      named |= list[i].function != NULL;
      if (!function.count || lines[function.count - 1] != list[i].line)
        lines[function.count++] = (uint32_t)list[i].line;
    }
    added_function(&whole->added, &function);
  }
  free(lines);
}

const char *lines_add(struct whole *whole, struct whole_source *source) {
  struct seen *seen = &whole->seen;
  struct buffer list = {.limit = LINES_MOST};
  const char *error = NULL;
  source->way = WHOLE_LINES;
  for (size_t i = 0; i < seen->elf_count; i++)
    if (seen->elfs[i].numbers)
      find_lines(&seen->elfs[i], source->file, &list);
  if (!list.size) {
    source->way = WHOLE_TEXT;
    error = lines_of_text(seen->files[source->file].key, false, &list);
  }
  if (!list.size)
    source->way = WHOLE_NOT;
  size_t count = list.size / sizeof(struct line_at);
  sort(list.data, count, sizeof(struct line_at), by_line);
  if (!error)
    add_functions(whole, source, (struct line_at *)(void *)list.data, count);
  buffer_free(&list);
  return error;
}
