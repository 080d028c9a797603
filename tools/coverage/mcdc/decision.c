/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file puts the conditions and vectors of a decision into the order of the
 * source; the model has them in the order of clang's numbers, and has the
 * vectors from ../model/decisions.c. logic.c parses the operators, coupled.c
 * finds conditions with dependent values, and pairs.c finds missing vectors.
 * ../../html/page.c shows the result.
 */
#include "mcdc.h"

#include <stdlib.h>

#include "../../base/compare.h"
#include "../../base/need.h"

static const char in_macro[] = "a macro hides the operators";
static const char not_given[] = "the vectors do not match the operators";

/* ---- conditions ---- */

/* Sets the place of a condition in the file of the decision. For a condition in
 * a macro, this is the place where the macro is used. Returns false if the
 * condition is in another file. */
static bool set_condition_place(const struct model *exported,
                                const struct model_function *function,
                                const struct model_decision *from,
                                uint32_t file, struct condition *condition) {
  const struct model_region *regions = model_regions_of(exported, function);
  for (unsigned i = 0; file != from->file && i < NESTED_MOST; i++) {
    uint32_t site = exported->sites[function->files.begin + file];
    if (site == NO_SITE)
      return false;
    condition->place = regions[site].span;
    condition->inside = true;
    file = regions[site].file;
  }
  return file == from->file && span_contains(&from->span, &condition->place);
}

static void make_conditions(struct decision *decision,
                            const struct model *exported,
                            const struct model_function *function,
                            const struct model_decision *from) {
  size_t begin = from->conditions.begin;
  for (uint32_t i = 0; i < decision->count; i++) {
    const struct model_condition *atom = &model_atoms(exported)[begin + i];
    struct condition *one = &decision->conditions[i];
    *one = (struct condition){.place = atom->span,
                              .number = i,
                              .shown = model_conditions(exported)[begin + i],
                              .constant =
                                  atom->constant == TRUE_SIDE    ? VALUE_FALSE
                                  : atom->constant == FALSE_SIDE ? VALUE_TRUE
                                                                 : VALUE_NONE,
                              .fixed = atom->constant != 0};
    if (!set_condition_place(exported, function, from, atom->file, one))
      decision->unknown = "the conditions are unknown";
  }
}

ORDER_BY(by_place, struct condition,
         place_number(x->place.line, x->place.column), x->number);

static void sort_and_count_conditions(struct decision *decision) {
  struct condition *list = decision->conditions;
  if (decision->count && !decision->unknown)
    qsort(list, decision->count, sizeof *list, by_place);
  for (uint32_t i = 0; i < decision->count; i++) {
    decision->missing += !list[i].shown && !list[i].fixed;
    decision->known[i].constant = list[i].constant;
  }
}

void decision_init(struct decision *decision, const struct model *exported,
                   const struct model_function *function,
                   const struct model_decision *from) {
  size_t room = (size_t)from->conditions.count + 1;
  *decision = (struct decision){.count = from->conditions.count};
  decision->conditions =
      need_memory(calloc(room, sizeof *decision->conditions));
  decision->known = need_memory(calloc(room, sizeof *decision->known));
  decision->atoms = need_memory(calloc(room, sizeof *decision->atoms));
  make_conditions(decision, exported, function, from);
  sort_and_count_conditions(decision);
}

/* ---- the source ---- */

/* Finds a source position in the text of the decision. Returns false if the
 * position is outside of the text. */
static bool locate_condition_text(const struct decision *decision,
                                  const struct source_text *source,
                                  const struct source_span *place,
                                  struct condition_text_span *atom) {
  struct bytes piece = source_span_text(source, place);
  if (!piece.size || piece.data < decision->text.data)
    return false;
  atom->begin = (size_t)(piece.data - decision->text.data);
  atom->end = atom->begin + piece.size;
  return atom->end <= decision->text.size;
}

/* Finds each condition in the text of the decision. Returns false if the text
 * lacks a condition, or two conditions are in one macro. Then conditions in
 * macros do not get a text. */
static bool set_condition_texts(struct decision *decision,
                                const struct source_text *source) {
  struct condition_text_span *atoms = decision->atoms;
  bool apart = true;
  for (uint32_t i = 0; i < decision->count; i++) {
    struct condition *one = &decision->conditions[i];
    if (!locate_condition_text(decision, source, &one->place, &atoms[i]))
      return false;
    atoms[i].macro = one->inside;
    if (one->inside)
      atoms[i].end = logic_find_arguments_end(decision->text, atoms[i].end);
    one->text = (struct bytes){decision->text.data + atoms[i].begin,
                               atoms[i].end - atoms[i].begin};
    apart &= !i || atoms[i].begin >= atoms[i - 1].end;
  }
  for (uint32_t i = 0; i < decision->count && !apart; i++)
    if (decision->conditions[i].inside)
      decision->conditions[i].text.size = 0;
  return apart;
}

void decision_parse(struct decision *decision,
                    const struct source_text *source) {
  if (decision->unknown)
    return;
  if (!decision->text.size)
    decision->unknown = "the source is missing";
  else if (!set_condition_texts(decision, source))
    decision->unknown = in_macro;
  else if (!logic_parse(&decision->logic, decision->text, decision->atoms,
                        decision->count))
    decision->unknown = "the decision has more than && || ! () in it";
}

/* ---- vectors ---- */

static unsigned char *
copy_reordered_vectors(const struct decision *decision,
                       const struct model *exported,
                       const struct model_decision *from) {
  const unsigned char *values = model_values(exported) + from->values.begin;
  size_t width = (size_t)decision->count + 1;
  unsigned char *copy = need_memory(malloc(width * from->vectors + 1));
  for (size_t i = 0; i < from->vectors; i++) {
    for (uint32_t k = 0; k < decision->count; k++)
      copy[i * width + k] = values[i * width + decision->conditions[k].number];
    copy[i * width + width - 1] = values[i * width + width - 1];
  }
  return copy;
}

/* Up to release 19, the mapping says that a condition is constant, but not
 * which value it has. A vector that ran shows the value. */
static void set_constant_values(struct decision *decision,
                                const unsigned char *ran, uint32_t vectors) {
  size_t width = (size_t)decision->count + 1;
  for (uint32_t i = 0; i < decision->count; i++) {
    struct condition *one = &decision->conditions[i];
    for (uint32_t k = 0;
         k < vectors && one->fixed && one->constant == VALUE_NONE; k++)
      one->constant = ran[k * width + i];
    decision->known[i].constant = one->constant;
    if (one->fixed && one->constant == VALUE_NONE && !decision->unknown)
      decision->unknown = "the value of a constant is unknown";
  }
}

/* Compares the vectors that ran, and the pairs in the bitmap, with the
 * operators and groups that the text shows. Returns NULL, or the reason why
 * these operators or groups must be wrong. */
static const char *find_vector_contradiction(const struct decision *decision) {
  const struct decision_pairs *pairs = &decision->pairs;
  size_t width = (size_t)decision->count + 1;
  for (uint32_t i = 0; i < pairs->ran; i++) {
    const unsigned char *vector = pairs->vectors.data + i * width;
    if (!logic_allows_vector(&decision->logic, vector))
      return not_given;
    if (!pairs_vector_fits(decision->known, decision->count, vector))
      return "conditions with the same text had two values";
  }
  for (uint32_t i = 0; i < decision->count && pairs->ran; i++)
    if (pairs->pairs[i].state == PAIR_RAN && !decision->conditions[i].shown &&
        !decision->conditions[i].fixed)
      return not_given;
  return NULL;
}

/* Keeps only the vectors that ran, because the operators are unknown. */
static void keep_only_ran_vectors(struct decision *decision,
                                  const unsigned char *ran, uint32_t count) {
  pairs_free(&decision->pairs);
  decision->pairs = (struct decision_pairs){
      .vectors.limit = UINT32_MAX, .ran = count, .count = count};
  need_append(&decision->pairs.vectors, ran,
              (size_t)count * (decision->count + 1));
}

void decision_find_pairs(struct decision *decision,
                         const struct model *exported,
                         const struct model_decision *from,
                         const struct source_text *source,
                         struct volatile_words *declared) {
  unsigned char *ran = copy_reordered_vectors(decision, exported, from);
  set_constant_values(decision, ran, from->vectors);
  decision_parse(decision, source);
  if (!decision->unknown)
    decision->unknown =
        coupled_set_groups(decision->known, decision->text, decision->atoms,
                           decision->count, declared);
  if (!decision->unknown) {
    pairs_find(&decision->pairs, &decision->logic, ran, from->vectors,
               decision->known);
    decision->unknown = find_vector_contradiction(decision);
  }
  if (decision->unknown)
    keep_only_ran_vectors(decision, ran, from->vectors);
  free(ran);
}

void decision_free(struct decision *decision) {
  free(decision->conditions);
  free(decision->known);
  free(decision->atoms);
  logic_free(&decision->logic);
  pairs_free(&decision->pairs);
  *decision = (struct decision){0};
}
