/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A text can be compiled in several variants: files compile a header with
 * different macros, a template has different constants, a function includes a
 * text. Code that one variant skips may run in another variant, so regions of
 * two variants do not nest. This file numbers the variants. Then segments.c
 * makes the segments of each variant, and adds them up.
 */
#include "evaluation.h"

#include "../../base/buffer.h"
#include "../../base/compare.h"

/* The text of a function itself, or a text that the function includes. */
struct variant_text {
  uint64_t source; /* number of the row and the ELF of the text */
  uint64_t begin, end;
  uint64_t shape;        /* hash of the regions without their counts */
  uint32_t first, count; /* range of the regions in the model */
  bool own;
};

ORDER_BY(by_shape, struct variant_text, x->source, x->begin, x->shape,
         x->first);

static uint64_t mix_hash(uint64_t shape, uint64_t number) {
  shape = (shape ^ number) * UINT64_C(0x9E3779B97F4A7C15);
  return shape ^ shape >> 29;
}

static struct variant_text make_variant_text(const struct model_region *all,
                                             uint32_t first, uint32_t count) {
  struct variant_text text = {
      .begin = UINT64_MAX, .first = first, .count = count};
  for (uint32_t i = first; i < first + count; i++) {
    uint64_t begin = span_begin(&all[i].span), end = span_end(&all[i].span);
    text.begin = begin < text.begin ? begin : text.begin;
    text.end = end > text.end ? end : text.end;
    text.shape =
        mix_hash(mix_hash(mix_hash(text.shape, begin), end), all[i].kind);
  }
  return text;
}

/* Returns whether the regions of a function in one file are a text that can
 * have variants. A macro always has one variant, without skipped regions. */
static bool can_have_variants(const struct model_region *all, uint32_t count,
                              bool own) {
  for (uint32_t i = 0; i < count && !own; i++)
    own = all[i].kind == MODEL_SKIPPED;
  return own;
}

static void list_variant_texts(struct evaluation *evaluation,
                               struct buffer *texts) {
  const struct model *out = evaluation->out;
  const struct model_region *all = model_regions(out);
  for (size_t i = 0; i < model_function_count(out); i++) {
    const struct model_function *one = &model_functions(out)[i];
    uint32_t at = one->regions.begin, end = at + one->regions.count, next;
    for (; at < end; at = next) {
      for (next = at + 1; next < end && all[next].file == all[at].file;)
        next++;
      bool own = all[at].file == one->main;
      if (!can_have_variants(&all[at], next - at, own))
        continue;
      struct variant_text text = make_variant_text(all, at, next - at);
      text.source =
          place_number(model_files_of(out, one)[all[at].file], one->instance);
      text.own = own;
      evaluation_append(evaluation, texts, &text, sizeof text);
    }
  }
}

/* Makes holes for functions inside a text, such as lambdas. Such a function has
 * its own variants, so another variant of the outer text does not count it. */
static void make_variant_holes(struct evaluation *evaluation,
                               const struct variant_text *text,
                               const struct variant_text *end, uint32_t form) {
  for (const struct variant_text *in = text + 1;
       in != end && in->source == text->source && in->begin < text->end; in++) {
    if (!evaluation_use_steps(evaluation, 1))
      return;
    if (!in->own || in->begin == text->begin || in->end >= text->end)
      continue;
    const struct variant_hole hole = {
        .row = (uint32_t)(in->source >> 32),
        .instance = (uint32_t)in->source,
        .region = {.span = {(uint32_t)(in->begin >> 32), (uint32_t)in->begin,
                            (uint32_t)(in->end >> 32), (uint32_t)in->end},
                   .kind = MODEL_SKIPPED,
                   .form = form}};
    evaluation_append(evaluation, &evaluation->holes, &hole, sizeof hole);
  }
}

static void set_variant_number(struct evaluation *evaluation,
                               const struct variant_text *text, uint32_t form) {
  for (uint32_t i = 0; i < text->count; i++)
    model_regions(evaluation->out)[text->first + i].form = form;
}

/* Numbers the variants of the texts that begin at one position. `open` is the
 * text around this position that ends last; its variants have numbers below
 * next_form. */
void variants_number_and_find_holes(struct evaluation *evaluation) {
  struct buffer *texts = &evaluation->segments;
  struct variant_text open = {.source = UINT64_MAX};
  uint32_t next_form = 0;
  texts->size = 0;
  if (!evaluation->out->as_llvm_cov)
    list_variant_texts(evaluation, texts);
  const struct variant_text *list = (struct variant_text *)(void *)texts->data;
  size_t count = texts->size / sizeof *list, next;
  if (count)
    sort_array(texts->data, count, sizeof *list, by_shape);
  for (size_t i = 0; i < count && !evaluation->error; i = next) {
    uint64_t end = 0;
    bool own = true;
    for (next = i; next < count && list[next].source == list[i].source &&
                   list[next].begin == list[i].begin;
         next++) {
      end = list[next].end > end ? list[next].end : end;
      own &= list[next].own;
    }
    bool inside = list[i].source == open.source && list[i].begin < open.end;
    bool nested = inside && own && end < open.end;
    uint32_t form = inside && !nested ? next_form : 0;
    for (size_t k = i; k < next && !evaluation->error; k++) {
      form += k > i && list[k].shape != list[k - 1].shape;
      set_variant_number(evaluation, &list[k], form);
      if (form && (k == i || list[k].shape != list[k - 1].shape))
        make_variant_holes(evaluation, &list[k], list + count, form);
    }
    if (nested)
      continue;
    open.end = inside && open.end > end ? open.end : end;
    open.source = list[i].source;
    next_form = form + 1;
  }
}
