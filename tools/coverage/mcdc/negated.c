/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file finds decisions in which a ! stands before several conditions. The
 * mapping of `!(a || b) && c` equals the mapping of `a || b || c`, so only the
 * source shows the difference. In decisions without such a !, the result is the
 * value of the last evaluated condition. Macros may hide the !.
 */
#include "mcdc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"

enum { LEAST = 3 /* number of conditions in such a decision */ };

struct negation_search {
  struct model *exported;
  const struct source_maps *paths;
  struct source_text source; /* the source that was read last */
  uint32_t name;             /* number of the name of that source */
};

/* Reads the source whose name has this number, unless it was read last. Returns
 * 0, or reports the error and returns 1. */
static int read_source(struct negation_search *reading, uint32_t name) {
  if (reading->name == name)
    return 0;
  reading->name = name;
  source_free(&reading->source);
  char *tidy = paths_copy_tidied(reading->exported->names[name]);
  char *here = paths_local_name(reading->paths, tidy);
  int status = source_read(&reading->source, here);
  free(here);
  free(tidy);
  return status;
}

static bool has_negated_exit(const struct logic_graph *logic) {
  for (uint32_t i = 0; i < logic->count; i++)
    if (logic->next[i][0] == LOGIC_TRUE || logic->next[i][1] == LOGIC_FALSE)
      return true;
  return false;
}

/* ---- macros ----
 *
 * If an argument of a macro contains a condition, the mapping has the condition
 * where the macro uses the parameter. The text of a macro from a system header
 * is not available; only the position of the macro's use is. The operators of
 * such a decision are still known if the decision's text and the arguments show
 * all of them, and if no ! or word stands before a bracket with operators.
 */

/* Counts the operators && and || in a text. If `inside` is set, the text is the
 * body of a macro, whose words are parameters. Returns false if a part of the
 * text may be negated, or if two arguments contain operators. */
static bool count_unnegated_operators(struct bytes text, bool inside,
                                      uint32_t *operators) {
  uint64_t doubts = 0; /* a bit for each open bracket that has a ! or a word
                          before it */
  size_t depth = 0;
  bool known = true, doubt = false, any = false, closed = false;
  struct bytes word;
  for (size_t end = 0; known && (word = token_find_next(text, &end)).size;) {
    size_t behind = end - word.size + 1;
    int here = *word.data, next = behind < text.size ? text.data[behind] : 0;
    bool negates = here == '!' && next != '=';
    if (here == '(') {
      known = !(doubts >> 63) && !(inside && doubt);
      doubts = doubts << 1 | doubt;
      depth++;
    } else if (here == ')') {
      doubts >>= 1;
      depth--;
    } else if ((here == '&' || here == '|') && next == here) {
      known = !doubts && !closed;
      any = true;
      ++*operators;
      end = behind + 1;
    }
    closed |= here == ',' && depth == 1 && any;
    known &= !(inside && negates);
    doubt = negates || isalnum(here) || here == '_';
  }
  return known;
}

static bool may_hide_negation(struct negation_search *reading,
                              const struct model_function *function,
                              const struct model_decision *decision) {
  const struct model *exported = reading->exported;
  struct bytes text = source_span_text(&reading->source, &decision->span);
  struct source_span place = decision->span;
  uint32_t file = decision->file, operators = 0;
  bool known = count_unnegated_operators(text, true, &operators);
  for (unsigned i = text.size != 0; known && i < NESTED_MOST; i++) {
    uint32_t site = exported->sites[function->files.begin + file];
    if (i && site == NO_SITE)
      break;
    if (i) { /* Index 0 stands for the decision's own text. */
      place = model_regions_of(exported, function)[site].span;
      file = model_regions_of(exported, function)[site].file;
      site = exported->sites[function->files.begin + file];
    }
    place.end_line = place.line;
    place.end_column = place.column + 1;
    known = !read_source(reading, model_files_of(exported, function)[file]);
    struct bytes all = reading->source.file.bytes;
    text = source_span_text(&reading->source, &place);
    if (!known || !text.size)
      return true;
    size_t at = token_find_end(all, (size_t)(text.data - all.data));
    text =
        (struct bytes){all.data + at, logic_find_arguments_end(all, at) - at};
    known = count_unnegated_operators(text, site != NO_SITE, &operators);
  }
  return !known || operators + 1 != decision->conditions.count;
}

/* ---- decisions of a model ---- */

static int set_decision_cause(struct negation_search *reading,
                              const struct model_function *function,
                              struct model_decision *from) {
  const struct model *exported = reading->exported;
  struct decision decision;
  if (read_source(reading, model_files_of(exported, function)[from->file]))
    return 1;
  if (!reading->source.found)
    return 0;
  decision_init(&decision, exported, function, from);
  decision.text = source_span_text(&reading->source, &from->span);
  decision_parse(&decision, &reading->source);
  if (!decision.unknown)
    from->cause =
        has_negated_exit(&decision.logic) ? CAUSE_NEGATED : CAUSE_NONE;
  else if (!exported->as_llvm_cov && may_hide_negation(reading, function, from))
    from->cause = CAUSE_MACRO;
  decision_free(&decision);
  return 0;
}

int negated_mark_and_clear(struct model *exported,
                           const struct source_maps *paths) {
  struct negation_search reading = {exported, paths, .name = UINT32_MAX};
  int status = 0;
  for (size_t i = 0; i < model_function_count(exported); i++) {
    const struct model_function *function = &model_functions(exported)[i];
    for (uint32_t k = 0; k < function->decisions.count && !status; k++) {
      struct model_decision *one = &model_decisions_of(exported, function)[k];
      if (one->cause || one->conditions.count < LEAST)
        continue;
      status = set_decision_cause(&reading, function, one);
      if (!one->cause || exported->as_llvm_cov)
        continue;
      memset(model_conditions(exported) + one->conditions.begin, 0,
             one->conditions.count);
      one->vectors = one->values.count = 0;
    }
  }
  source_free(&reading.source);
  return status;
}

void negated_append_decisions(struct buffer *list,
                              const struct model *exported) {
  for (size_t i = 0; i < model_function_count(exported); i++) {
    const struct model_function *function = &model_functions(exported)[i];
    for (uint32_t k = 0; k < function->decisions.count; k++) {
      const struct model_decision *one =
          &model_decisions_of(exported, function)[k];
      uint64_t path[NESTED_MOST];
      struct source_span span = one->span;
      uint32_t file = one->file;
      if (one->cause != CAUSE_NEGATED && one->cause != CAUSE_EMPTY)
        continue;
      model_move_to_macro_use(exported, function, &file, &span, path);
      uint32_t name = model_files_of(exported, function)[file];
      if (name < exported->summary.count)
        unmeasured_append(
            list, paths_copy_tidied(exported->names[name]),
            (struct source_position){span.line, span.column},
            (struct source_position){span.end_line, span.end_column});
    }
  }
}
