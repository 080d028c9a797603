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
#define STEPS_MOST (UINT64_C(1) << 24)

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
  uint32_t operators;     /* that are in the source */
  uint64_t steps;
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
 * A condition in an argument of a macro stands in the mapping where the macro
 * has the parameter, and so does one of a macro in the argument. So a decision
 * is known if its text, the bodies of macros in it and their arguments have all
 * of its operators, and no ! or word is in front of a bracket with some.
 */

/* The region that leads to a file. NULL: none does. */
static const struct exported_region *
site_of(const struct negated_reading *reading, uint32_t file) {
  const struct exported *exported = reading->exported;
  uint32_t site = exported->sites[reading->function->files.begin + file];
  return site == NO_SITE
             ? NULL
             : &exported_regions_of(exported, reading->function)[site];
}

static const struct exported_condition *
atoms_of(const struct negated_reading *reading) {
  return exported_atoms(reading->exported) +
         reading->decision->conditions.begin;
}

static bool count_conditions(struct negated_reading *reading) {
  free(reading->conditions);
  reading->conditions = calloc(reading->function->files.count + 1,
                               sizeof *reading->conditions);
  for (uint32_t i = 0;
       reading->conditions && i < reading->decision->conditions.count; i++) {
    uint32_t file = atoms_of(reading)[i].file;
    const struct exported_region *site = NULL;
    for (unsigned k = 0; k < NESTED_MOST && (!k || site); k++) {
      file = site ? site->file : file;
      reading->conditions[file]++;
      site = site_of(reading, file);
    }
  }
  return reading->conditions;
}

static bool scan_arguments(struct negated_reading *reading, struct bytes text,
                           bool strict, bool one);

/* Where a condition or a macro ends that begins at an offset; there macros are
 * to be read. 0: none does. strict: see scan. */
static size_t end_of(struct negated_reading *reading, struct bytes text,
                     size_t at, uint32_t file, bool *known) {
  const struct exported_region *all =
      exported_regions_of(reading->exported, reading->function);
  uint32_t count = reading->decision->conditions.count;
  size_t end = 0;
  for (uint32_t i = 0; i < count + reading->function->regions.count; i++) {
    const struct exported_region *use = i < count ? NULL : &all[i - count];
    const struct source_span *span =
        use ? &use->span : &atoms_of(reading)[i].span;
    if (use ? use->kind != EXPORTED_EXPANSION || use->file != file || end
            : atoms_of(reading)[i].file != file)
      continue;
    struct bytes piece = source_piece(&reading->source, span);
    if (++reading->steps > STEPS_MOST || !piece.size ||
        piece.data != text.data + at || at + piece.size > text.size)
      continue;
    if (!use) {
      end = at + piece.size > end ? at + piece.size : end;
      continue;
    }
    size_t name = at + piece.size;
    end = logic_behind_arguments(text, name);
    if (reading->conditions[use->expanded] == 1)
      continue;
    const struct bytes arguments = {text.data + name, end - name};
    *known &= scan_arguments(reading, arguments, site_of(reading, file), false);
    *known &= !buffer_append(&reading->expanded, &use->expanded,
                             sizeof use->expanded);
  }
  return end;
}

/* Counts the operators in a text. file: that it is in, outside of arguments, or
 * NO_SITE. strict: of the body of a macro, where a word may be a parameter.
 * false: a part may be negated. */
static bool scan(struct negated_reading *reading, struct bytes text,
                 uint32_t file, bool strict) {
  uint64_t doubts = 0; /* a bit for each open bracket behind ! or a word */
  bool known = true, doubt = false;
  for (size_t at = 0, end; at < text.size && known; at = end) {
    int here = text.data[at];
    int next = at + 1 < text.size ? text.data[at + 1] : 0;
    end = file == NO_SITE ? 0 : end_of(reading, text, at, file, &known);
    if (end) {
      doubt = false;
      continue;
    }
    end = token_end(text, at);
    if (isspace(here) || here == '\\' || token_is_comment(text, at, end))
      continue;
    bool negates = here == '!' && next != '=';
    if (here == '(') {
      known = !(doubts >> 63) && !(doubt && strict);
      doubts = doubts << 1 | doubt;
    } else if (here == ')') {
      doubts >>= 1;
    } else if ((here == '&' || here == '|') && next == here) {
      known = !doubts;
      reading->operators++;
      end = at + 2;
    }
    known &= !(negates && (strict || file != NO_SITE));
    doubt = negates || isalnum(here) || here == '_';
  }
  return known && reading->steps <= STEPS_MOST;
}

/* The same for the arguments of a macro, which begin with a bracket. one: the
 * decision is in one of them, the others have no operators. */
static bool scan_arguments(struct negated_reading *reading, struct bytes text,
                           bool strict, bool one) {
  uint32_t before = reading->operators, with = 0;
  size_t begin = 0, depth = 0;
  bool known = true;
  for (size_t at = 0, end; at < text.size && known; at = end) {
    end = token_end(text, at);
    depth += text.data[at] == '(';
    depth -= text.data[at] == ')';
    if (depth == 1 && text.data[at] == '(') {
      begin = end;
    } else if (depth == 0 || (depth == 1 && text.data[at] == ',')) {
      const struct bytes argument = {text.data + begin, at - begin};
      known = scan(reading, argument, NO_SITE, strict);
      with += reading->operators != before;
      before = reading->operators;
      begin = end;
    }
  }
  return known && !(one && with > 1);
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

/* The same for the arguments of a macro that a decision is in. */
static bool scan_use(struct negated_reading *reading, uint32_t file,
                     struct source_span name) {
  name.end_line = name.line;
  name.end_column = name.column + 1;
  if (read_source(reading, file))
    return false;
  struct bytes all = reading->source.file.bytes;
  struct bytes first = source_piece(&reading->source, &name);
  if (!first.size)
    return false;
  size_t at = token_end(all, (size_t)(first.data - all.data));
  const struct bytes arguments = {all.data + at,
                                  logic_behind_arguments(all, at) - at};
  return scan_arguments(reading, arguments, site_of(reading, file), true);
}

/* Of a macro of a system header there is only the place. */
static bool scan_file(struct negated_reading *reading, uint32_t file,
                      const struct source_span *span) {
  if (read_source(reading, file))
    return false;
  struct bytes text = source_piece(&reading->source, span);
  return text.size ? scan(reading, text, file, site_of(reading, file))
                   : scan_use(reading, file, *span);
}

/* Whether macros may hide a ! in front of several conditions. */
static bool may_hide(struct negated_reading *reading) {
  const struct exported_decision *decision = reading->decision;
  const struct buffer *list = &reading->expanded;
  reading->expanded.size = reading->operators = 0;
  reading->steps = 0;
  bool known = count_conditions(reading) &&
               scan_file(reading, decision->file, &decision->span);
  const struct exported_region *use = site_of(reading, decision->file);
  for (unsigned i = 0; use && i < NESTED_MOST && known; i++) {
    known = scan_use(reading, use->file, use->span);
    use = site_of(reading, use->file);
  }
  for (size_t i = 0; i < list->size / sizeof(uint32_t) && known; i++) {
    uint32_t file = ((const uint32_t *)(void *)list->data)[i];
    struct source_span span = span_of(reading, file);
    known = scan_file(reading, file, &span);
  }
  return !known || reading->operators + 1 != decision->conditions.count;
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
  if (!error && reading->source.found) {
    decision_parse(&decision, &reading->source);
    if (!decision.unknown)
      *cause = is_contrary(&decision.logic) ? CAUSE_NEGATED : CAUSE_NONE;
    else if (!reading->exported->as_llvm_cov && may_hide(reading))
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
                                    .expanded.limit = UNMEASURED_MOST};
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
      if (one->cause != CAUSE_NEGATED && one->cause != CAUSE_EMPTY)
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
