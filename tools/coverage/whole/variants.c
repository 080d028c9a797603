/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds lines of functions that are code in one ELF and skipped by #if in
 * another, or skipped in all. coverage.c notes the lines of each ELF's model;
 * whole_show.c prints the result with the states.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/arena.h"
#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/error.h"
#include "../../base/text.h"
#include "../coverage.h"
#include "whole.h"

enum { VARIANTS_MOST = 1 << 28, VARIANTS_SHOWN = 20 };

ORDER_BY(by_line, struct variant_line, x->file, x->line);

/* Adds each line from first to last, as code of one ELF or as skipped there. */
static const char *add_lines(struct whole *whole, uint32_t first,
                             uint32_t last, struct variant_line one) {
  const char *error = NULL;
  for (one.line = first; one.line <= last && !error; one.line++)
    error = buffer_append(&whole->variants, &one, sizeof one);
  return error;
}

static const char *add_skipped(struct whole *whole,
                               const struct exported *exported,
                               const struct exported_function *function,
                               uint64_t elf) {
  const uint32_t *files = exported_files_of(exported, function);
  const char *error = NULL;
  for (uint32_t i = 0; i < function->regions.count && !error; i++) {
    const struct exported_region *region =
        &exported_regions_of(exported, function)[i];
    if (region->kind == EXPORTED_SKIPPED &&
        files[region->file] < exported->summary.count)
      error = add_lines(
          whole, region->span.line, region->span.end_line,
          (struct variant_line){
              .skipped = elf,
              .file = seen_number(&whole->seen,
                                  exported->names[files[region->file]])});
  }
  return error;
}

const char *variants_note(struct whole *whole, size_t which,
                          const struct exported *exported) {
  uint64_t elf = which < 64 ? UINT64_C(1) << which : 0;
  const char *error = NULL;
  if (whole->settled)
    return NULL;
  whole->variants.limit = VARIANTS_MOST;
  if (!which)
    whole->variants.size = 0; /* All models are made again. */
  for (size_t i = 0; i < exported_function_count(exported) && !error; i++)
    error = add_skipped(whole, exported, &exported_functions(exported)[i], elf);
  for (size_t row = 0; row < exported->summary.count && !error; row++) {
    const struct variant_line one = {
        .coded = elf, .file = seen_number(&whole->seen, exported->names[row])};
    struct lines lines = lines_count(exported, row);
    for (uint32_t i = 1; i < lines.count && !error; i++)
      if (lines.list[i].counted)
        error = add_lines(whole, i, i, one);
    lines_free(&lines);
  }
  return error;
}

/* Merges what all ELFs have of each line. Returns the number of lines. */
static size_t unite_lines(struct variant_line *list, size_t count) {
  size_t kept = 0;
  sort(list, count, sizeof *list, by_line);
  for (size_t i = 0; i < count; i++)
    if (kept && !by_line(&list[kept - 1], &list[i])) {
      list[kept - 1].coded |= list[i].coded;
      list[kept - 1].skipped |= list[i].skipped;
    } else {
      list[kept++] = list[i];
    }
  return kept;
}

/* Notes on which of the lines the source's text has code. */
static const char *find_code(const struct whole *whole,
                             struct variant_line *list, size_t count) {
  struct buffer text = {.limit = VARIANTS_MOST};
  const char *error =
      lines_of_text(whole->seen.files[list->file].key, true, &text);
  const struct line_at *at = (const void *)text.data;
  const struct line_at *end = at + text.size / sizeof *at;
  for (size_t i = 0; i < count && !error; i++) {
    while (at < end && at->line < list[i].line)
      at++;
    list[i].code = at < end && at->line == list[i].line;
  }
  buffer_free(&text);
  return error;
}

const char *variants_settle(struct whole *whole) {
  struct variant_line *list = (void *)whole->variants.data;
  size_t count = unite_lines(list, whole->variants.size / sizeof *list);
  size_t kept = 0;
  const char *error = NULL;
  whole->settled = true;
  for (size_t i = 0, end; i < count && !error; i = end) {
    for (end = i; end < count && list[end].file == list[i].file;)
      end++;
    error = find_code(whole, list + i, end - i);
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

static void put_elfs(FILE *stream, const struct inputs *inputs, uint64_t set,
                     bool json) {
  char shown[1000];
  size_t put = 0;
  for (size_t i = 0; i < inputs->count && i < 64; i++)
    if (set >> i & 1 && json)
      json_print(stream, put++ ? ",%s" : "%s", inputs->subjects[i].name);
    else if (set >> i & 1)
      fprintf(stream, "%s%s", put++ ? ", " : "",
              printable(shown, sizeof shown, inputs->subjects[i].name));
}

void variants_print(const struct coverage *coverage,
                    const struct paths *paths) {
  const struct whole *whole = coverage->whole;
  const struct variant_line *list = (const void *)whole->variants.data;
  size_t count = whole->variants.size / sizeof *list;
  char shown[1000];
  for (size_t i = 0; i < count && i < VARIANTS_SHOWN; i++) {
    const char *name = whole->seen.files[list[i].file].name;
    printf("%s    %s:%u-%u: %s", i ? "" : "  code that #if skips:\n",
           printable(shown, sizeof shown, paths_shown(paths, name)),
           list[i].line, list[i].last,
           list[i].coded ? "only in " : "no build compiles these lines");
    put_elfs(stdout, coverage->inputs, list[i].coded, false);
    putchar('\n');
  }
  if (count > VARIANTS_SHOWN)
    printf("    and %zu more, in evidence.json\n", count - VARIANTS_SHOWN);
}

void variants_json(const struct coverage *coverage, FILE *stream) {
  const struct whole *whole = coverage->whole;
  const struct variant_line *list = (const void *)whole->variants.data;
  for (size_t i = 0; i < whole->variants.size / sizeof *list; i++) {
    fputs(i ? ",\n{" : "\n{", stream);
    json_print(stream, "\"compiled_as\":%s,\"first\":%u,\"last\":%u,\"in\":[",
               whole->seen.files[list[i].file].name, list[i].line,
               list[i].last);
    put_elfs(stream, coverage->inputs, list[i].coded, true);
    fputs("],\"skipped_in\":[", stream);
    put_elfs(stream, coverage->inputs, list[i].skipped & ~list[i].coded, true);
    fputs("]}", stream);
  }
}
