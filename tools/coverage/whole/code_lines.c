/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file finds lines with code: lines with a token that runs
 * (model/tokens.h), as with `--lines code`. If a source lacks a mapping and a
 * line table, only its text is known. The tokens also tell which of the lines
 * that #if skips have code.
 */
#include <string.h>

#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/text_part.h"
#include "../inputs/source.h"
#include "expected.h"

/* Updates *off, the number of open #if directives from an #if 0 on, after a
 * line that may be a directive. */
static void track_if_zero(struct text_part line, unsigned *off) {
  if (!part_skip_word(&line, "#"))
    return;
  part_skip_blanks(&line);
  if (part_starts_with(line, "endif") && *off)
    --*off;
  else if (*off == 1 && part_starts_with(line, "el"))
    *off = 0;
  else if (part_skip_word(&line, "if") && (*off || part_skip_word(&line, " 0")))
    ++*off;
}

void code_lines_read_text(struct expected_sources *expected,
                          struct expected_source *source) {
  struct code_line one = {.line = 1};
  struct source_text text;
  struct source_tokens tokens;
  unsigned off = 0;
  bool assembly = planned_source_kind(source->key) == PLANNED_ASSEMBLY;
  source->by_text = true;
  if (source_read(&text, source->key))
    expected->failed = true;
  else if (!text.found)
    need_append(&source->lines, &one, sizeof one);
  tokens_parse(&tokens, text.file.bytes);
  const struct source_token *token = (const void *)tokens.list.data;
  const struct source_token *end = token + tokens.list.size / sizeof *token;
  for (; one.line < text.count; one.line++) {
    struct bytes bytes = source_line_text(&text, (uint32_t)one.line);
    struct text_part line = {(const char *)bytes.data, bytes.size}, rest;
    bool runs = false;
    for (; token < end && token->place >> 32 <= one.line; token++)
      runs |= token->kind == TOKEN_CODE;
    part_skip_blanks(&line);
    rest = line;
    if (assembly && part_skip_past(&rest, ":"))
      source->labelled |=
          map_find(&expected->known,
                   md5_low64(line.at, line.size - rest.size - 1), 0,
                   KNOWN_SYMBOL) != NULL;
    track_if_zero(line, &off);
    if (runs && !off && !(assembly && strchr("@;|", *line.at)))
      need_append(&source->lines, &one, sizeof one);
  }
  tokens_free(&tokens);
  source_free(&text);
}

/* ---- variants ---- */

ORDER_BY(compare_variants, struct variant_lines, x->source, x->first);

/* Lists each line with code in a region that an ELF skips. `elf` is the bit of
 * the ELF. */
static void list_skipped_region(struct expected_sources *expected,
                                const char *name,
                                const struct source_span *span, uint64_t elf) {
  const struct source_tokens *tokens =
      token_store_get(expected->coverage->tokens, name);
  const struct source_token *list = tokens ? (void *)tokens->list.data : NULL;
  size_t count = tokens ? tokens->list.size / sizeof *list : 0;
  size_t source = expected_find_or_add_source(expected, name);
  uint64_t line = 0;
  for (size_t i = search_from(list, count, place, place_number(span->line, 0));
       i < count && list[i].place >> 32 <= span->end_line; i++) {
    if (list[i].kind != TOKEN_CODE || list[i].place >> 32 == line)
      continue;
    line = list[i].place >> 32;
    LIST_ADD(expected->variants, expected->variant_count,
             (struct variant_lines){source, line, line, 0, elf});
  }
}

static void list_skipped_lines(struct expected_sources *expected,
                               const struct model *model, uint64_t elf) {
  for (size_t i = 0; i < model_function_count(model); i++) {
    const struct model_function *one = &model_functions(model)[i];
    const struct model_region *regions = model_regions_of(model, one);
    for (uint32_t k = 0; k < one->regions.count; k++) {
      uint32_t file = model_files_of(model, one)[regions[k].file];
      if (regions[k].kind == MODEL_SKIPPED && !regions[k].added &&
          file < model->summary.count)
        list_skipped_region(expected, model->names[file], &regions[k].span,
                            elf);
    }
  }
}

/* Marks the listed lines that are code in an ELF. `elf` is the ELF's bit. */
static void mark_coded_lines(struct expected_sources *expected,
                             const struct model *model, uint64_t elf) {
  struct variant_lines *list = expected->variants;
  for (size_t row = 0; row < model->summary.count; row++) {
    size_t source = expected_find_or_add_source(expected, model->names[row]);
    struct source_lines lines = lines_make(model, row);
    for (size_t i = search_from(list, expected->variant_count, source, source);
         i < expected->variant_count && list[i].source == source; i++)
      if (list[i].first < lines.count && lines.list[list[i].first].counted)
        list[i].coded |= elf;
    lines_free(&lines);
  }
}

/* Joins adjacent lines of the same ELFs. Drops lines that are code in all ELFs
 * with their function. */
static void join_variants(struct expected_sources *expected) {
  struct variant_lines *list = expected->variants;
  size_t count = expected->variant_count, kept = 0;
  for (size_t i = 0; i < count; i++) {
    struct variant_lines one = list[i], *last = kept ? &list[kept - 1] : NULL;
    for (; i + 1 < count && !compare_variants(&one, &list[i + 1]); i++)
      one.skipped |= list[i + 1].skipped;
    if (!(one.skipped & ~one.coded))
      continue;
    if (last && last->source == one.source && last->last + 1 == one.first &&
        last->coded == one.coded && last->skipped == one.skipped)
      last->last = one.last;
    else
      list[kept++] = one;
  }
  expected->variant_count = kept;
}

void variants_list(struct expected_sources *expected) {
  const struct inputs *inputs = expected->coverage->inputs;
  const struct model *models = expected->coverage->elf_models;
  enum { ELFS_MOST = 64 /* one bit for each ELF */ };
  size_t count =
      inputs->object_code || inputs->count > ELFS_MOST ? 0 : inputs->count;
  for (size_t i = 0; i < count; i++)
    list_skipped_lines(expected, &models[i], UINT64_C(1) << i);
  sort_array(expected->variants, expected->variant_count,
             sizeof *expected->variants, compare_variants);
  for (size_t i = 0; i < count; i++)
    mark_coded_lines(expected, &models[i], UINT64_C(1) << i);
  join_variants(expected);
}
