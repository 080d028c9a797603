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
#include "../../base/map.h"
#include "../../base/need.h"
#include "../../base/text_part.h"
#include "expected.h"

enum { SOURCE_MOST = 1 << 28 }; /* the largest source, in bytes */

/* Returns a line without the blanks at its beginning. */
static struct text_part trim_line_start(struct bytes line) {
  struct text_part text = {(const char *)line.data, line.size};
  part_skip_blanks(&text);
  return text;
}

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

const char *code_lines_append_source(const struct expected_sources *expected,
                                     size_t source, bool all,
                                     struct buffer *list) {
  const char *here = expected->sources[source].key;
  const char *comments =
      planned_source_kind(here) == PLANNED_ASSEMBLY ? "@;|" : "";
  struct exclusions none = {.no_markers = true};
  struct excluded_source text = {.name = NULL};
  struct code_line one = {.source = source, .line = 1};
  struct bytes line;
  struct file file;
  bool found;
  unsigned off = 0;
  if (file_read_if_exists(&file, here, SOURCE_MOST, &found))
    return "a source cannot be read; check the path and the permissions";
  if (!found) { /* Even a missing source has one function. */
    need_append(list, &one, sizeof one);
    return NULL;
  }
  struct bytes rest = file.bytes;
  const char *error = markers_parse(&none, &text, rest);
  for (; !error && bytes_next_line(&rest, &line); one.line++) {
    struct text_part trimmed = trim_line_start(line);
    if (!track_if_zero_directive(trimmed, &off) && (all || !off) &&
        text.contents[one.line] != LINE_EMPTY &&
        (all || !strchr(comments, *trimmed.at)))
      need_append(list, &one, sizeof one);
  }
  free(text.contents);
  file_close(&file);
  return error;
}

bool code_lines_have_known_label(const char *here, const struct map *known,
                                 unsigned kind) {
  struct file file;
  struct bytes line;
  bool found, has = false;
  if (file_read_if_exists(&file, here, SOURCE_MOST, &found) || !found)
    return false;
  for (struct bytes text = file.bytes; bytes_next_line(&text, &line) && !has;) {
    struct text_part label = trim_line_start(line), rest = label;
    has = part_skip_past(&rest, ":") &&
          map_find(known, md5_low64(label.at, label.size - rest.size - 1), 0,
                   kind);
  }
  file_close(&file);
  return has;
}

/* ---- variants ---- */

ORDER_BY(compare_variants, struct variant_line, x->source, x->line);

/* Adds each line from one.line to `last`. */
static void append_variant_lines(struct expected_sources *expected,
                                 struct variant_line one, uint32_t last) {
  for (; one.line <= last; one.line++)
    need_append(&expected->variants, &one, sizeof one);
}

/* Adds the lines of an ELF's model, which is a bit: code, or skipped. */
static void append_elf_variants(struct expected_sources *expected,
                                const struct model *model, uint64_t elf) {
  for (size_t i = 0; i < model_function_count(model); i++) {
    const struct model_function *one = &model_functions(model)[i];
    const uint32_t *files = model_files_of(model, one);
    for (uint32_t k = 0; k < one->regions.count; k++) {
      const struct model_region *region = &model_regions_of(model, one)[k];
      uint32_t file = files[region->file];
      if (region->kind == MODEL_SKIPPED && file < model->summary.count)
        append_variant_lines(
            expected,
            (struct variant_line){.skipped = elf,
                                  .line = region->span.line,
                                  .source = expected_find_or_add_source(
                                      expected, model->names[file])},
            region->span.end_line);
    }
  }
  for (size_t row = 0; row < model->summary.count; row++) {
    struct variant_line coded = {
        .coded = elf,
        .source = expected_find_or_add_source(expected, model->names[row])};
    struct source_lines lines = lines_make(model, row);
    for (coded.line = 1; coded.line < lines.count; coded.line++)
      if (lines.list[coded.line].counted)
        append_variant_lines(expected, coded, coded.line);
    lines_free(&lines);
  }
}

/* Merges the states that a line has in different ELFs. Keeps a line if its text
 * is code and if an ELF skips it while another ELF has it, or if all ELFs skip
 * it. */
static const char *merge_variant_lines(struct expected_sources *expected) {
  struct variant_line *list = (void *)expected->variants.data;
  size_t count = expected->variants.size / sizeof *list, kept = 0;
  size_t source = SIZE_MAX;
  struct buffer text = {.limit = SIZE_MAX};
  const struct code_line *at = NULL, *end = NULL;
  const char *error = NULL;
  sort_array(list, count, sizeof *list, compare_variants);
  for (size_t i = 0; i < count && !error;) {
    struct variant_line one = list[i];
    if (one.source != source) {
      source = one.source;
      text.size = 0;
      error = code_lines_append_source(expected, source, true, &text);
      at = (const void *)text.data;
      end = at + text.size / sizeof *at;
    }
    for (; i < count && !compare_variants(&list[i], &one); i++) {
      one.coded |= list[i].coded;
      one.skipped |= list[i].skipped;
    }
    while (at < end && at->line < one.line)
      at++;
    if (at == end || at->line != one.line || !(one.skipped & ~one.coded))
      continue;
    struct variant_line *last = kept ? &list[kept - 1] : list;
    one.last = one.line;
    if (kept && last->source == source && last->last + 1 == one.line &&
        last->coded == one.coded && last->skipped == one.skipped)
      last->last = one.line;
    else
      list[kept++] = one;
  }
  expected->variants.size = kept * sizeof *list;
  buffer_free(&text);
  return error;
}

const char *variants_list(struct expected_sources *expected) {
  const struct coverage *coverage = expected->coverage;
  for (size_t i = 0; i < coverage->inputs->count; i++)
    if (!coverage->inputs->object_code)
      append_elf_variants(expected, &coverage->elf_models[i],
                          i < 64 ? UINT64_C(1) << i : 0);
  return merge_variant_lines(expected);
}
