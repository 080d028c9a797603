/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The mapping of `!(a || b) && c` is that of `a || b || c`: only the source
 * tells them apart.
 */
#include "solver.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"

struct negated_reading {
  struct buffer *list;
  const struct exported *exported;
  const struct paths *paths;
  struct source_text source; /* the one that was read last, */
  uint32_t name;             /* by its number */
  bool reported;             /* why it was not read */
};

/* Reads a source by its number, unless it is the last one. */
static const char *read_source(struct negated_reading *reading, uint32_t name) {
  if (reading->name == name)
    return NULL;
  reading->name = name;
  source_free(&reading->source);
  char *tidy = paths_tidied(reading->exported->names[name]);
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

/* Adds a decision where it stands in the source, outside of macros, if the
 * report has that source. */
static const char *add(struct negated_reading *reading,
                       const struct exported_function *function,
                       const struct exported_decision *decision) {
  const struct exported *exported = reading->exported;
  uint64_t path[NESTED_MOST];
  uint32_t file = decision->file;
  struct source_span span = decision->span;
  exported_use(exported, function, &file, &span, path);
  uint32_t name = exported_files_of(exported, function)[file];
  return name < exported->summary.count
             ? unmeasured_add(
                   reading->list, paths_tidied(exported->names[name]),
                   (struct source_position){span.line, span.column},
                   (struct source_position){span.end_line, span.end_column})
             : NULL;
}

static const char *read_decision(struct negated_reading *reading,
                                 const struct exported_function *function,
                                 const struct exported_decision *from) {
  const struct exported *exported = reading->exported;
  struct decision decision = {.count = 0};
  if (from->conditions.count < 2 ||
      from->conditions.count > LOGIC_CONDITIONS_MOST)
    return NULL;
  const char *error =
      read_source(reading, exported_files_of(exported, function)[from->file]);
  if (!error && reading->source.found) {
    error = decision_begin(&decision, exported, function, from);
    decision.text = source_piece(&reading->source, &from->span);
  }
  if (!error && decision.text.size) {
    decision_parse(&decision, &reading->source);
    if (!decision.unknown && is_contrary(&decision.logic))
      error = add(reading, function, from);
  }
  decision_free(&decision);
  return error;
}

int negated_find(struct buffer *list, const struct exported *exported,
                 const struct paths *paths) {
  struct negated_reading reading = {list, exported, paths, .name = UINT32_MAX};
  const char *error = NULL;
  list->limit = UNMEASURED_MOST;
  for (size_t i = 0; i < exported_function_count(exported); i++) {
    const struct exported_function *one = &exported_functions(exported)[i];
    for (uint32_t k = 0; k < one->decisions.count && !error; k++)
      error = read_decision(&reading, one,
                            &exported_decisions_of(exported, one)[k]);
  }
  source_free(&reading.source);
  if (error && !reading.reported)
    report(NULL, "report: %s", error);
  return error ? 1 : 0;
}
