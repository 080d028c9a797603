/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds lines of functions that are code in one ELF and skipped by #if in
 * another, or skipped in all. coverage.c notes the lines of each ELF's model;
 * expected_show.c prints the result with the states.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/arena.h"
#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/error.h"
#include "../../base/text.h"
#include "../coverage.h"
#include "expected.h"

enum { VARIANTS_MOST = 1 << 28, VARIANTS_SHOWN = 20 };

ORDER_BY(compare_lines, struct variant_line, x->file, x->line);

/* Adds each line from first to last, as code of one ELF or as skipped there. */
static const char *add_line_range(struct expected_sources *whole,
                                  uint32_t first, uint32_t last,
                                  struct variant_line one) {
  const char *error = NULL;
  for (one.line = first; one.line <= last && !error; one.line++)
    error = buffer_append_bytes(&whole->variants, &one, sizeof one);
  return error;
}

static const char *add_skipped_lines(struct expected_sources *whole,
                                     const struct model *exported,
                                     const struct model_function *function,
                                     uint64_t elf) {
  const uint32_t *files = model_files_of(exported, function);
  const char *error = NULL;
  for (uint32_t i = 0; i < function->regions.count && !error; i++) {
    const struct model_region *region =
        &model_regions_of(exported, function)[i];
    if (region->kind == MODEL_SKIPPED &&
        files[region->file] < exported->summary.count)
      error = add_line_range(
          whole, region->span.line, region->span.end_line,
          (struct variant_line){
              .skipped = elf,
              .file = seen_file_number(&whole->seen,
                                       exported->names[files[region->file]])});
  }
  return error;
}

const char *variants_add_elf(struct expected_sources *whole, size_t which,
                             const struct model *exported) {
  uint64_t elf = which < 64 ? UINT64_C(1) << which : 0;
  const char *error = NULL;
  if (whole->settled)
    return NULL;
  whole->variants.limit = VARIANTS_MOST;
  if (!which)
    whole->variants.size = 0; /* All models are made again. */
  for (size_t i = 0; i < model_function_count(exported) && !error; i++)
    error =
        add_skipped_lines(whole, exported, &model_functions(exported)[i], elf);
  for (size_t row = 0; row < exported->summary.count && !error; row++) {
    const struct variant_line one = {
        .coded = elf,
        .file = seen_file_number(&whole->seen, exported->names[row])};
    struct source_lines lines = lines_make(exported, row);
    for (uint32_t i = 1; i < lines.count && !error; i++)
      if (lines.list[i].counted)
        error = add_line_range(whole, i, i, one);
    lines_free(&lines);
  }
  return error;
}

/* Merges what all ELFs have of each line. Returns the number of lines. */
static size_t merge_lines(struct variant_line *list, size_t count) {
  size_t kept = 0;
  sort_array(list, count, sizeof *list, compare_lines);
  for (size_t i = 0; i < count; i++)
    if (kept && !compare_lines(&list[kept - 1], &list[i])) {
      list[kept - 1].coded |= list[i].coded;
      list[kept - 1].skipped |= list[i].skipped;
    } else {
      list[kept++] = list[i];
    }
  return kept;
}

/* Notes on which of the lines the source's text has code. */
static const char *mark_code_lines(const struct expected_sources *whole,
                                   struct variant_line *list, size_t count) {
  struct buffer text = {.limit = VARIANTS_MOST};
  const char *error =
      expected_text_lines(whole->seen.files[list->file].key, true, &text);
  const struct code_line *at = (const void *)text.data;
  const struct code_line *end = at + text.size / sizeof *at;
  for (size_t i = 0; i < count && !error; i++) {
    while (at < end && at->line < list[i].line)
      at++;
    list[i].code = at < end && at->line == list[i].line;
  }
  buffer_free(&text);
  return error;
}

const char *variants_finish(struct expected_sources *whole) {
  struct variant_line *list = (void *)whole->variants.data;
  size_t count = merge_lines(list, whole->variants.size / sizeof *list);
  size_t kept = 0;
  const char *error = NULL;
  whole->settled = true;
  for (size_t i = 0, end; i < count && !error; i = end) {
    for (end = i; end < count && list[end].file == list[i].file;)
      end++;
    error = mark_code_lines(whole, list + i, end - i);
  }
  /* Keeps lines that some ELF has and another skips, or that all skip. */
  for (size_t i = 0; i < count; i++) {
    const struct variant_line one = list[i];
    struct variant_line *last = kept ? &list[kept - 1] : NULL;
    if (!one.code || !(one.skipped & ~one.coded))
      continue;
    if (last && last->file == one.file && last->last + 1 == one.line &&
        last->coded == one.coded && last->skipped == one.skipped) {
      last->last = one.line;
      continue;
    }
    list[kept] = one;
    list[kept++].last = one.line;
  }
  whole->variants.size = kept * sizeof *list;
  return error;
}

/* ---- what is shown ---- */

static void put_elf_names(FILE *stream, const struct inputs *inputs,
                          uint64_t set, bool json) {
  char shown[1000];
  size_t put = 0;
  for (size_t i = 0; i < inputs->count && i < 64; i++)
    if (set >> i & 1 && json)
      json_printf(stream, put++ ? ",%s" : "%s", inputs->subjects[i].name);
    else if (set >> i & 1)
      fprintf(stream, "%s%s", put++ ? ", " : "",
              make_printable(shown, sizeof shown, inputs->subjects[i].name));
}

void variants_print(const struct coverage *coverage,
                    const struct source_maps *paths) {
  const struct expected_sources *whole = coverage->whole;
  const struct variant_line *list = (const void *)whole->variants.data;
  size_t count = whole->variants.size / sizeof *list;
  char shown[1000];
  for (size_t i = 0; i < count && i < VARIANTS_SHOWN; i++) {
    const char *name = whole->seen.files[list[i].file].name;
    printf("%s    %s:%u-%u: %s", i ? "" : "  code that #if skips:\n",
           make_printable(shown, sizeof shown, paths_shown_name(paths, name)),
           list[i].line, list[i].last,
           list[i].coded ? "only in " : "no build compiles these lines");
    put_elf_names(stdout, coverage->inputs, list[i].coded, false);
    putchar('\n');
  }
  if (count > VARIANTS_SHOWN)
    printf("    and %zu more, in evidence.json\n", count - VARIANTS_SHOWN);
}

void variants_write_json(const struct coverage *coverage, FILE *stream) {
  const struct expected_sources *whole = coverage->whole;
  const struct variant_line *list = (const void *)whole->variants.data;
  for (size_t i = 0; i < whole->variants.size / sizeof *list; i++) {
    fputs(i ? ",\n{" : "\n{", stream);
    json_printf(stream, "\"compiled_as\":%s,\"first\":%u,\"last\":%u,\"in\":[",
                whole->seen.files[list[i].file].name, list[i].line,
                list[i].last);
    put_elf_names(stream, coverage->inputs, list[i].coded, true);
    fputs("],\"skipped_in\":[", stream);
    put_elf_names(stream, coverage->inputs, list[i].skipped & ~list[i].coded,
                  true);
    fputs("]}", stream);
  }
}
