/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the functions and lines of a source without a mapping: in the line
 * tables of the ELFs, or else in its text. added_functions.c gets the
 * functions.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/file.h"
#include "../../base/map.h"
#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/text_part.h"
#include "../../object/digest.h"
#include "../exclude/exclude.h"
#include "expected.h"

enum { LINES_MOST = 1 << 30, EXPECTED_TEXT_MOST = 1 << 28 };

ORDER_BY(compare_lines, struct code_line, x->line, x->function != NULL);

static void append_line(struct buffer *list, uint64_t line,
                        const char *function) {
  need_append(list, &(struct code_line){line, function},
              sizeof(struct code_line));
}

static void append_table_lines(const struct seen_elf *from, size_t file,
                               struct buffer *list) {
  const struct elf *elf = from->elf;
  for (size_t i = 0; i < from->lines.row_count; i++) {
    const struct dwarf_row *row = &from->lines.rows[i];
    if (row->line && !(row->flags & DWARF_END) &&
        from->numbers[row->file] == file + 1)
      append_line(list, row->line, NULL);
  }
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t thumb = elf->machine == ELF_ARM;
    if (symbol.type != ELF_FUNCTION || !symbol.section)
      continue;
    const struct dwarf_row *row =
        dwarf_lines_find(&from->lines, symbol.value & ~thumb);
    if (row && row->line && from->numbers[row->file] == file + 1)
      append_line(list, row->line, symbol.name);
  }
}

/* ---- text ---- */

/* Returns a line without the blanks in front. */
static struct text_part trim_line(struct bytes line) {
  struct text_part text = {(const char *)line.data, line.size};
  part_skip_blanks(&text);
  return text;
}

/* Whether a line can be code. Also follows its directive: *off is how many #if
 * are open, from an #if 0 on. */
static bool is_code_line(struct bytes line, enum planned_kind kind,
                         unsigned *off) {
  struct text_part text = trim_line(line);
  if (!text.size ||
      (kind == PLANNED_ASSEMBLY && strchr("@;|", *text.at) != NULL))
    return false;
  if (!part_skip_word(&text, "#"))
    return !*off;
  part_skip_blanks(&text);
  if (part_starts_with(text, "endif") && *off)
    --*off;
  else if (*off == 1 && part_starts_with(text, "el"))
    *off = 0;
  else if (part_skip_word(&text, "if") && (*off || part_skip_word(&text, " 0")))
    ++*off;
  return false;
}

const char *expected_text_lines(const char *here, bool all,
                                struct buffer *list) {
  struct exclusions none = {.no_markers = true};
  struct excluded_source source = {.name = NULL};
  struct bytes line;
  struct file file;
  bool found;
  unsigned off = 0;
  if (file_read_if(&file, here, EXPECTED_TEXT_MOST, &found))
    return "a source cannot be read; check the path and the permissions";
  if (!found) { /* A missing source still has a function. */
    append_line(list, 1, NULL);
    return NULL;
  }
  struct bytes text = file.bytes;
  const char *error = markers_parse(&none, &source, text);
  for (uint32_t i = 1; !error && bytes_next_line(&text, &line); i++)
    if ((is_code_line(line, planned_source_kind(here), &off) || all) &&
        source.contents[i] != LINE_EMPTY &&
        !part_starts_with(trim_line(line), "#"))
      append_line(list, i, NULL);
  free(source.contents);
  file_close(&file);
  return error;
}

bool expected_has_linked_label(const struct seen_sources *seen,
                               const char *here) {
  struct file file;
  struct bytes line;
  bool found, linked = false;
  if (file_read_if(&file, here, EXPECTED_TEXT_MOST, &found) || !found)
    return false;
  for (struct bytes text = file.bytes;
       bytes_next_line(&text, &line) && !linked;) {
    struct text_part label = trim_line(line), rest = label;
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
static void add_line_functions(struct expected_sources *whole,
                               const struct expected_source *source,
                               const struct code_line *list, size_t count) {
  uint32_t *lines = need_memory(malloc((count + 1) * sizeof *lines));
  for (size_t i = 0; i < count;) {
    struct absent_function function = {os_base_name(source->name), source->name,
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
    added_add_function(&whole->added, &function);
  }
  free(lines);
}

const char *expected_add_lines(struct expected_sources *whole,
                               struct expected_source *source) {
  struct seen_sources *seen = &whole->seen;
  struct buffer list = {.limit = LINES_MOST};
  const char *error = NULL;
  source->way = COUNTED_BY_LINES;
  for (size_t i = 0; i < seen->elf_count; i++)
    if (seen->elfs[i].numbers)
      append_table_lines(&seen->elfs[i], source->file, &list);
  if (!list.size) {
    source->way = COUNTED_BY_TEXT;
    error = expected_text_lines(seen->files[source->file].key, false, &list);
  }
  if (!list.size)
    source->way = COUNTED_NOT;
  size_t count = list.size / sizeof(struct code_line);
  sort_array(list.data, count, sizeof(struct code_line), compare_lines);
  if (!error)
    add_line_functions(whole, source, (struct code_line *)(void *)list.data,
                       count);
  buffer_free(&list);
  return error;
}
