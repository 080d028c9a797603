/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The mapping of `!(a || b) && c` is that of `a || b || c`: only the source
 * tells them apart. In a decision without a ! in front of several conditions
 * the last condition's value is the result.
 */
#include "solver.h"

#include <ctype.h>
#include <stdlib.h>

#include "../../base/buffer.h"
#include "../../base/error.h"
#include "../model/view.h"

enum { LEAST = 3 /* conditions, if one is beside a negated part */ };

struct negated_reading {
  struct exported *exported;
  const struct paths *paths;
  struct source_text source; /* the one that was read last, */
  uint32_t name;             /* by its number */
  bool reported;             /* why it was not read */
  /* Of the decision at hand. */
  const struct exported_function *function;
  const struct exported_decision *decision;
  uint32_t *conditions;   /* in each file, and in what it leads to */
  struct buffer expanded; /* files of macros that are to be read, uint32_t */
  struct buffer ends;     /* in a text: where what begins there ends, size_t */
};

/* Reads the source of a file of the function, unless it is the last one. */
static const char *read_source(struct negated_reading *reading, uint32_t file) {
  const struct exported *exported = reading->exported;
  uint32_t name = exported_files_of(exported, reading->function)[file];
  if (reading->name == name)
    return NULL;
  reading->name = name;
  source_free(&reading->source);
  char *tidy = paths_tidied(exported->names[name]);
  char *here = tidy ? paths_name(reading->paths, tidy) : NULL;
  reading->reported = here && source_read(&reading->source, here);
  const char *error = !here || reading->reported ? out_of_memory : NULL;
  free(here);
  free(tidy);
  return error;
}

/* Whether the last condition's value is not the result. */
static bool is_contrary(const struct logic *logic) {
  for (uint32_t i = 0; i < logic->count; i++)
    if (logic->next[i][0] == LOGIC_TRUE || logic->next[i][1] == LOGIC_FALSE)
      return true;
  return false;
}

/* ---- macros ----
 *
 * Conditions in the arguments of a macro stand in the mapping where the macro
 * has the parameter. What is in the source between the conditions, in the
 * bodies of macros too, may be brackets, && and || alone.
 */

static bool count_conditions(struct negated_reading *reading) {
  const struct exported *exported = reading->exported;
  const struct exported_function *function = reading->function;
  const struct exported_condition *atoms =
      exported_atoms(exported) + reading->decision->conditions.begin;
  free(reading->conditions);
  reading->conditions =
      calloc(function->files.count + 1, sizeof *reading->conditions);
  for (uint32_t i = 0;
       reading->conditions && i < reading->decision->conditions.count; i++) {
    uint32_t file = atoms[i].file, site = 0;
    for (unsigned k = 0; k < NESTED_MOST && site != NO_SITE; k++) {
      reading->conditions[file]++;
      site = exported->sites[function->files.begin + file];
      if (site != NO_SITE)
        file = exported_regions_of(exported, function)[site].file;
    }
  }
  return reading->conditions;
}

/* Whether a macro that is used in a file has several conditions. */
static bool has_parts(const struct negated_reading *reading, uint32_t file) {
  const struct exported_region *all =
      exported_regions_of(reading->exported, reading->function);
  for (uint32_t i = 0; i < reading->function->regions.count; i++)
    if (all[i].kind == EXPORTED_EXPANSION && all[i].file == file &&
        reading->conditions[all[i].expanded] > 1)
      return true;
  return false;
}

/* Whether a ! in a macro's arguments is in front of && or ||, or of a word that
 * may be a macro with such. parts: there are such macros. */
static bool negates(struct bytes text, bool parts) {
  for (size_t at = 0, end; at < text.size; at = end) {
    end = token_end(text, at);
    if (text.data[at] != '!' || end == text.size || text.data[end] == '=')
      continue;
    size_t behind = logic_behind_arguments(text, end);
    if (parts && behind == end)
      return true;
    for (; end < behind; end = token_end(text, end))
      if (parts || (text.data[end] == text.data[end - 1] &&
                    (text.data[end] == '&' || text.data[end] == '|')))
        return true;
  }
  return false;
}

/* Notes where a place in a text ends. Returns the place, or NULL. */
static size_t *put_end(struct negated_reading *reading, struct bytes text,
                       const struct source_span *span) {
  struct bytes piece = source_piece(&reading->source, span);
  size_t *ends = (size_t *)(void *)reading->ends.data;
  if (!piece.size || piece.data < text.data ||
      piece.data + piece.size > text.data + text.size)
    return NULL;
  size_t begin = (size_t)(piece.data - text.data);
  ends[begin] = begin + piece.size > ends[begin] ? begin + piece.size
                                                 : ends[begin];
  return &ends[begin];
}

/* Notes the conditions in a text of a file, and the macros that it uses; these
 * are to be read. false: the arguments of one may negate a part. */
static bool put_ends(struct negated_reading *reading, struct bytes text,
                     uint32_t file) {
  const struct exported *exported = reading->exported;
  const struct exported_region *all =
      exported_regions_of(exported, reading->function);
  const struct exported_condition *atoms =
      exported_atoms(exported) + reading->decision->conditions.begin;
  for (uint32_t i = 0; i < reading->decision->conditions.count; i++)
    if (atoms[i].file == file)
      put_end(reading, text, &atoms[i].span);
  for (uint32_t i = 0; i < reading->function->regions.count; i++) {
    const struct exported_region *one = &all[i];
    if (one->kind != EXPORTED_EXPANSION || one->file != file ||
        one->expanded <= file)
      continue;
    size_t *end = put_end(reading, text, &one->span);
    if (!end)
      continue;
    size_t behind = logic_behind_arguments(text, *end);
    if (reading->conditions[one->expanded] > 1 &&
        negates((struct bytes){text.data + *end, behind - *end},
                has_parts(reading, one->expanded)))
      return false;
    *end = behind;
    if (reading->conditions[one->expanded] != 1 &&
        buffer_append(&reading->expanded, &one->expanded,
                      sizeof one->expanded))
      return false;
  }
  return true;
}

/* Whether what is between the conditions in a place of a file is known. */
static bool is_plain(struct negated_reading *reading, uint32_t file,
                     const struct source_span *span) {
  if (read_source(reading, file))
    return false;
  struct bytes text = source_piece(&reading->source, span);
  reading->ends.size = 0;
  if (!text.size ||
      buffer_reserve(&reading->ends, (text.size + 1) * sizeof(size_t)))
    return false;
  size_t *ends = (size_t *)(void *)reading->ends.data;
  memset(ends, 0, (text.size + 1) * sizeof *ends);
  if (!put_ends(reading, text, file))
    return false;
  for (size_t at = 0, end; at < text.size; at = end) {
    end = ends[at] ? ends[at] : token_end(text, at);
    if (!ends[at] && !isspace(text.data[at]) && !strchr("()&|\\", text.data[at])
        && !token_is_comment(text, at, end))
      return false;
  }
  return true;
}

/* All that the regions of a file span. */
static struct source_span span_of(const struct negated_reading *reading,
                                  uint32_t file) {
  const struct exported_region *all =
      exported_regions_of(reading->exported, reading->function);
  struct source_span span = {0, 0, 0, 0};
  for (uint32_t i = 0; i < reading->function->regions.count; i++)
    if (all[i].file == file && (!span.line || span_holds(&all[i].span, &span)))
      span = all[i].span;
  return span;
}

/* Whether the arguments of the macros that a decision is in may negate a part
 * of it. */
static bool is_negated_outside(struct negated_reading *reading) {
  const struct exported *exported = reading->exported;
  uint32_t file = reading->decision->file;
  for (unsigned i = 0; i < NESTED_MOST; i++) {
    uint32_t site = exported->sites[reading->function->files.begin + file];
    if (site == NO_SITE)
      return false;
    const struct exported_region *use =
        &exported_regions_of(exported, reading->function)[site];
    bool parts = has_parts(reading, file);
    file = use->file;
    if (read_source(reading, file))
      return true;
    struct bytes all = reading->source.file.bytes;
    struct bytes name = source_piece(&reading->source, &use->span);
    size_t at = name.size ? (size_t)(name.data - all.data) + name.size : 0;
    size_t end = logic_behind_arguments(all, at);
    if (!name.size ||
        negates((struct bytes){all.data + at, end - at}, parts))
      return true;
  }
  return true;
}

/* Whether macros may hide a ! in front of several conditions. */
static bool may_hide(struct negated_reading *reading) {
  if (!count_conditions(reading) ||
      !is_plain(reading, reading->decision->file, &reading->decision->span) ||
      is_negated_outside(reading))
    return true;
  const struct buffer *list = &reading->expanded;
  for (size_t i = 0; i < list->size / sizeof(uint32_t); i++) {
    uint32_t file = ((const uint32_t *)(void *)list->data)[i];
    struct source_span span = span_of(reading, file);
    if (!is_plain(reading, file, &span))
      return true;
  }
  return false;
}

/* ---- all ---- */

static const char *judge(struct negated_reading *reading, uint32_t *cause) {
  const struct exported_decision *from = reading->decision;
  struct decision decision = {.count = 0};
  const char *error = read_source(reading, from->file);
  if (!error && reading->source.found) {
    error = decision_begin(&decision, reading->exported, reading->function,
                           from);
    decision.text = source_piece(&reading->source, &from->span);
  }
  if (!error && decision.text.size) {
    decision_parse(&decision, &reading->source);
    reading->expanded.size = 0;
    if (!decision.unknown)
      *cause = is_contrary(&decision.logic) ? CAUSE_NEGATED : CAUSE_NONE;
    else if (may_hide(reading))
      *cause = CAUSE_MACRO;
  }
  decision_free(&decision);
  return error;
}

/* Takes what is covered of a decision out of its function's score. */
static void take_out(struct exported *exported,
                     struct exported_function *function,
                     struct exported_decision *decision) {
  for (uint32_t i = 0; i < decision->conditions.count; i++) {
    unsigned char *covered =
        &exported_conditions(exported)[decision->conditions.begin + i];
    bool counts =
        !exported_atoms(exported)[decision->conditions.begin + i].constant;
    if (decision->file == function->main && counts)
      function->scores[MCDC].covered -= *covered;
    *covered = 0;
  }
  decision->vectors = decision->values.count = 0;
}

const char *negated_judge(struct exported *exported,
                          const struct paths *paths) {
  struct negated_reading reading = {.exported = exported,
                                    .paths = paths,
                                    .name = UINT32_MAX,
                                    .expanded.limit = UNMEASURED_MOST,
                                    .ends.limit = UNMEASURED_MOST};
  const char *error = NULL;
  for (size_t i = 0; i < exported_function_count(exported); i++) {
    struct exported_function *function = &exported_functions(exported)[i];
    reading.function = function;
    for (uint32_t k = 0; k < function->decisions.count && !error; k++) {
      struct exported_decision *one =
          &exported_decisions_of(exported, function)[k];
      reading.decision = one;
      if (one->cause || one->conditions.count < LEAST)
        continue;
      error = judge(&reading, &one->cause);
      if (one->cause && !exported->as_llvm_cov)
        take_out(exported, function, one);
    }
  }
  source_free(&reading.source);
  free(reading.conditions);
  buffer_free(&reading.expanded);
  buffer_free(&reading.ends);
  return error;
}

const char *negated_list(struct buffer *list, const struct exported *exported) {
  const char *error = NULL;
  for (size_t i = 0; i < exported_function_count(exported); i++) {
    const struct exported_function *function = &exported_functions(exported)[i];
    for (uint32_t k = 0; k < function->decisions.count && !error; k++) {
      const struct exported_decision *one =
          &exported_decisions_of(exported, function)[k];
      uint64_t path[NESTED_MOST];
      struct source_span span = one->span;
      uint32_t file = one->file;
      if (one->cause != CAUSE_NEGATED)
        continue;
      exported_use(exported, function, &file, &span, path);
      uint32_t name = exported_files_of(exported, function)[file];
      if (name < exported->summary.count)
        error = unmeasured_add(
            list, paths_tidied(exported->names[name]),
            (struct source_position){span.line, span.column},
            (struct source_position){span.end_line, span.end_column});
    }
  }
  return error;
}
