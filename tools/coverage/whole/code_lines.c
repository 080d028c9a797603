/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the lines with code in the text of a source: all lines except blank
 * lines, comments and directives. For a source without a mapping, the text is
 * all that is known. The text also tells which of the lines that #if skips have
 * code.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/text_part.h"
#include "expected.h"

enum { SOURCE_MOST = 1 << 28 }; /* the largest source, in bytes */

/* Returns whether a line is a directive, and follows it: *off is the number of
 * open #if directives since an #if 0. */
static bool track_if_zero_directive(struct text_part line, unsigned *off) {
  if (!part_skip_word(&line, "#"))
    return false;
  part_skip_blanks(&line);
  if (part_starts_with(line, "endif") && *off)
    --*off;
  else if (*off == 1 && part_starts_with(line, "el"))
    *off = 0;
  else if (part_skip_word(&line, "if") && (*off || part_skip_word(&line, " 0")))
    ++*off;
  return true;
}

static void parse_text(struct expected_sources *expected,
                       struct expected_source *source, struct bytes text) {
  struct exclusions none = {.no_markers = true};
  struct excluded_source lines = {.name = NULL};
  struct code_line one = {.line = 1};
  struct bytes line;
  unsigned off = 0;
  bool assembly = planned_source_kind(source->key) == PLANNED_ASSEMBLY;
  if (markers_parse(&none, &lines, text))
    return; /* A text of SOURCE_MOST bytes does not have too many lines. */
  for (; bytes_next_line(&text, &line); one.line++) {
    struct text_part trimmed = {(const char *)line.data, line.size}, rest;
    part_skip_blanks(&trimmed);
    rest = trimmed;
    if (assembly && part_skip_past(&rest, ":"))
      source->labelled |= expected_has_symbol(
          expected,
          (struct text_part){trimmed.at, trimmed.size - rest.size - 1});
    if (track_if_zero_directive(trimmed, &off) ||
        lines.contents[one.line] == LINE_EMPTY)
      continue;
    one.off = off || (assembly && strchr("@;|", *trimmed.at));
    need_append(&source->text, &one, sizeof one);
    source->has_code |= !one.off;
  }
  free(lines.contents);
}

void code_lines_read_text(struct expected_sources *expected,
                          struct expected_source *source) {
  const struct code_line first = {.line = 1};
  struct file file;
  bool found;
  if (source->read)
    return;
  source->read = true;
  if (file_read_if_exists(&file, source->key, SOURCE_MOST, &found)) {
    expected->failed = true;
  } else if (found) {
    parse_text(expected, source, file.bytes);
    file_close(&file);
  } else {
    need_append(&source->text, &first, sizeof first);
    source->has_code = true;
  }
}

/* ---- variants ---- */

/* Returns the lines in the text of a source in a model. Sets *count to their
 * number. *number is the index of the source + 1; or 0 until the first call. */
static struct code_line *find_text_lines(struct expected_sources *expected,
                                         size_t *number, const char *name,
                                         size_t *count) {
  if (!*number)
    *number = expected_find_or_add_source(expected, name) + 1;
  struct expected_source *source = &expected->sources[*number - 1];
  code_lines_read_text(expected, source);
  *count = source->text.size / sizeof(struct code_line);
  return (void *)source->text.data;
}

/* Marks the lines of an ELF's model, which is a bit: code, or skipped. */
static void mark_elf_lines(struct expected_sources *expected,
                           const struct model *model, uint64_t elf) {
  size_t count, rows = model->summary.count;
  size_t *numbers = need_memory(calloc(rows + 1, sizeof *numbers));
  for (size_t i = 0; i < model_function_count(model); i++) {
    const struct model_function *one = &model_functions(model)[i];
    const struct model_region *regions = model_regions_of(model, one);
    for (uint32_t k = 0; k < one->regions.count; k++) {
      uint32_t file = model_files_of(model, one)[regions[k].file];
      if (regions[k].kind != MODEL_SKIPPED || file >= rows)
        continue;
      struct code_line *list =
          find_text_lines(expected, &numbers[file], model->names[file], &count);
      for (size_t at = search_from(list, count, line, regions[k].span.line);
           at < count && list[at].line <= regions[k].span.end_line; at++)
        list[at].skipped |= elf;
    }
  }
  for (size_t row = 0; row < rows; row++) {
    struct code_line *list =
        find_text_lines(expected, &numbers[row], model->names[row], &count);
    struct source_lines lines = lines_make(model, row);
    for (size_t i = 0; i < count && list[i].line < lines.count; i++)
      if (lines.list[list[i].line].counted)
        list[i].coded |= elf;
    lines_free(&lines);
  }
  free(numbers);
}

/* Lists the lines of a source that an ELF skips while another ELF has them, or
 * that all ELFs skip. */
static void list_source_variants(struct expected_sources *expected,
                                 size_t source) {
  const struct buffer *text = &expected->sources[source].text;
  const struct code_line *one = (const void *)text->data;
  for (size_t i = 0; i < text->size / sizeof *one; i++, one++) {
    struct variant_lines *last =
        expected->variants + expected->variant_count - 1;
    if (!(one->skipped & ~one->coded))
      continue;
    if (expected->variant_count && last->source == source &&
        last->last + 1 == one->line && last->coded == one->coded &&
        last->skipped == one->skipped)
      last->last = one->line;
    else
      LIST_ADD(expected->variants, expected->variant_count,
               (struct variant_lines){source, one->line, one->line, one->coded,
                                      one->skipped});
  }
}

void variants_list(struct expected_sources *expected) {
  const struct inputs *inputs = expected->coverage->inputs;
  const struct model *models = expected->coverage->elf_models;
  for (size_t i = 0; i < inputs->count && i < 64 && !inputs->object_code; i++)
    mark_elf_lines(expected, &models[i], UINT64_C(1) << i);
  for (size_t i = 0; i < expected->source_count; i++)
    list_source_variants(expected, i);
}
