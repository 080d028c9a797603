/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A form of a text is one way in which it is compiled: files compile a header
 * with different macros, a template has different constants, a function
 * includes a text. Code that one form skips may run in another form, so regions
 * of two forms do not nest. This file numbers the forms. segments.c then makes
 * the segments of each form, which are added up.
 */
#include "model_inside.h"

#include "../../base/buffer.h"
#include "../../base/compare.h"

/* A function's own text, or a text that the function includes. */
struct form_text {
  uint64_t source; /* the row and the ELF */
  uint64_t begin, end;
  uint64_t shape;        /* hash of its regions without their counts */
  uint32_t first, count; /* its regions */
  bool own;
};

ORDER_BY(by_shape, struct form_text, x->source, x->begin, x->shape, x->first);

static uint64_t mixed(uint64_t shape, uint64_t number) {
  shape = (shape ^ number) * UINT64_C(0x9E3779B97F4A7C15);
  return shape ^ shape >> 29;
}

static struct form_text text_of(const struct exported_region *all,
                                uint32_t first, uint32_t count) {
  struct form_text text = {.begin = UINT64_MAX, .first = first, .count = count};
  for (uint32_t i = first; i < first + count; i++) {
    uint64_t begin = span_begin(&all[i].span), end = span_end(&all[i].span);
    text.begin = begin < text.begin ? begin : text.begin;
    text.end = end > text.end ? end : text.end;
    text.shape = mixed(mixed(mixed(text.shape, begin), end), all[i].kind);
  }
  return text;
}

/* Whether a function's regions in one file are a text with forms. A macro has
 * only one form, without skipped regions. */
static bool is_text(const struct exported_region *all, uint32_t count,
                    bool own) {
  for (uint32_t i = 0; i < count && !own; i++)
    own = all[i].kind == EXPORTED_SKIPPED;
  return own;
}

static void find_texts(struct evaluation *evaluation, struct buffer *texts) {
  const struct exported *out = evaluation->out;
  const struct exported_region *all = exported_regions(out);
  for (size_t i = 0; i < exported_function_count(out); i++) {
    const struct exported_function *one = &exported_functions(out)[i];
    uint32_t at = one->regions.begin, end = at + one->regions.count, next;
    for (; at < end; at = next) {
      for (next = at + 1; next < end && all[next].file == all[at].file;)
        next++;
      bool own = all[at].file == one->main;
      if (!is_text(&all[at], next - at, own))
        continue;
      struct form_text text = text_of(all, at, next - at);
      text.source = place_number(exported_files_of(out, one)[all[at].file],
                                 one->instance);
      text.own = own;
      evaluation_put(evaluation, texts, &text, sizeof text);
    }
  }
}

/* Makes holes for functions inside a text, such as lambdas. Such functions have
 * forms of their own; in another form of the outer text nothing is counted
 * there. */
static void make_holes(struct evaluation *evaluation,
                       const struct form_text *text,
                       const struct form_text *end, uint32_t form) {
  for (const struct form_text *in = text + 1;
       in != end && in->source == text->source && in->begin < text->end; in++) {
    if (!evaluation_step(evaluation, 1))
      return;
    if (!in->own || in->begin == text->begin || in->end >= text->end)
      continue;
    const struct form_hole hole = {
        .row = (uint32_t)(in->source >> 32),
        .instance = (uint32_t)in->source,
        .region = {.span = {(uint32_t)(in->begin >> 32), (uint32_t)in->begin,
                            (uint32_t)(in->end >> 32), (uint32_t)in->end},
                   .kind = EXPORTED_SKIPPED,
                   .form = form}};
    evaluation_put(evaluation, &evaluation->holes, &hole, sizeof hole);
  }
}

static void number(struct evaluation *evaluation, const struct form_text *text,
                   uint32_t form) {
  for (uint32_t i = 0; i < text->count; i++)
    exported_regions(evaluation->out)[text->first + i].form = form;
}

/* Numbers the texts that begin at one position. open: of the texts around them
 * the one that ends last, by source and end; its forms are below next_form. */
void forms_find(struct evaluation *evaluation) {
  struct buffer *texts = &evaluation->segments;
  struct form_text open = {.source = UINT64_MAX};
  uint32_t next_form = 0;
  texts->size = 0;
  if (!evaluation->out->as_llvm_cov)
    find_texts(evaluation, texts);
  const struct form_text *list = (struct form_text *)(void *)texts->data;
  size_t count = texts->size / sizeof *list, next;
  if (count)
    sort(texts->data, count, sizeof *list, by_shape);
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
      number(evaluation, &list[k], form);
      if (form && (k == i || list[k].shape != list[k - 1].shape))
        make_holes(evaluation, &list[k], list + count, form);
    }
    if (nested)
      continue;
    open.end = inside && open.end > end ? open.end : end;
    open.source = list[i].source;
    next_form = form + 1;
  }
}
