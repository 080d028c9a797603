/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The set of what is excluded.
 */
#include "exclude_set.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/arena.h"
#include "../../base/compare.h"
#include "../../base/error.h"
#include "../inputs/paths.h"

enum {
  FILE_LIMIT = 1 << 24,
  SOURCE_LIMIT = 1 << 30,
  ARENA_LIMIT = 1 << 28,
  TEXT_MOST = 4096
};

static const char no_source[] =
    "no source of the report has this path; correct or remove it";
static const char no_match[] =
    "nothing in the source is like this any more; correct or remove it";
static const char not_here[] =
    "the source is not here to be searched; give --source-map";

bool exclusions_add(struct exclusions *set, const struct exclusion *one) {
  if (!list_more(&set->list, set->count, sizeof *one))
    return false;
  set->list[set->count++] = *one;
  return true;
}

/* ---- problems ---- */

bool exclusions_complain(struct exclusions *set,
                         const struct exclusion_problem *one) {
  if (!list_more(&set->problems, set->problem_count, sizeof *one))
    return false;
  set->problems[set->problem_count++] = *one;
  return true;
}

static void tell_problems(struct exclusions *set) {
  for (; set->told < set->problem_count; set->told++) {
    const struct exclusion_problem *one = &set->problems[set->told];
    report(one->file, "line %u: %s%s%s", one->line, one->name,
           *one->name ? " " : "", one->text);
  }
}

/* ---- all ---- */

int exclusions_begin(struct exclusions *set) {
  set->arena = (struct arena){.limit = ARENA_LIMIT};
  if (!set->name)
    return 0;
  if (file_read(&set->file, set->name, FILE_LIMIT))
    return 1;
  bool right = rules_read(set, set->file.bytes);
  tell_problems(set);
  for (size_t i = 0; i < set->count; i++)
    set->list[i].stale = no_source;
  return !right;
}

void exclusions_free(struct exclusions *set) {
  for (size_t i = 0; i < set->source_count; i++) {
    struct excluded_source *source = &set->sources[i];
    free(source->name);
    free(source->contents);
    free(source->ranges);
    free(source->spans[0]);
    free(source->spans[1]);
  }
  for (size_t i = 0; i < set->count; i++)
    if (set->list[i].regex)
      ere_free(set->list[i].regex);
  free(set->sources);
  free(set->list);
  free(set->problems);
  file_close(&set->file);
  arena_free(&set->arena);
}

/* ---- sources ---- */

struct excluded_source *exclusions_source(const struct exclusions *set,
                                          const char *name) {
  size_t at = search_text(set->sources, set->source_count, name, name);
  return at < set->source_count && strcmp(set->sources[at].name, name) == 0
             ? &set->sources[at]
             : NULL;
}

struct excluded_source *exclusions_source_of(const struct exclusions *set,
                                             const char *name) {
  char tidy[4096];
  size_t size = strlen(name);
  if (*name != '/' || size >= sizeof tidy)
    return exclusions_source(set, name);
  memcpy(tidy, name, size + 1);
  paths_tidy(tidy);
  return exclusions_source(set, tidy);
}

/* A source anew, in its place; NULL: out of memory. */
static struct excluded_source *insert(struct exclusions *set, const char *name,
                                      const char *here) {
  struct excluded_source source = {.name = strdup(name)};
  size_t at = search_text(set->sources, set->source_count, name, name);
  source.here = arena_copy(&set->arena, here, strlen(here));
  if (!source.name || !source.here ||
      !list_more(&set->sources, set->source_count, sizeof source)) {
    free(source.name);
    return NULL;
  }
  memmove(&set->sources[at + 1], &set->sources[at],
          (set->source_count - at) * sizeof source);
  set->sources[at] = source;
  set->source_count++;
  return &set->sources[at];
}

bool exclusions_add_range(struct excluded_source *source,
                          struct excluded_range range) {
  if (range.last < range.first)
    return true;
  if (!list_more(&source->ranges, source->range_count, sizeof range))
    return false;
  source->ranges[source->range_count++] = range;
  return true;
}

/* ---- lines of the file ---- */

/* Whether a line of the source is one that an rule means. */
static bool is_meant(const struct exclusion *rule, struct bytes line) {
  char text[TEXT_MOST];
  size_t size = line.size < sizeof text ? line.size : sizeof text - 1;
  size -= size && line.data[size - 1] == '\r';
  memcpy(text, line.data, size);
  text[size] = 0;
  return (!rule->text || strstr(text, rule->text)) &&
         (!rule->regex || ere_matches(rule->regex, text));
}

/* Adds the lines of a source that match. */
static bool add_matches(struct excluded_source *source,
                        const struct exclusion *rule, struct bytes text,
                        uint32_t exclusion) {
  struct excluded_range range = {
      .kind = rule->kind, .column = rule->column, .exclusion = exclusion};
  struct bytes line;
  for (uint32_t number = 1; bytes_line(&text, &line); number++) {
    if ((rule->first && number != rule->first) || !is_meant(rule, line))
      continue;
    range.first = number;
    range.last = rule->first ? rule->last : number;
    if (!exclusions_add_range(source, range))
      return false;
  }
  return true;
}

/* text: NULL if the source is not here. */
static bool add_rule(struct exclusions *set, struct excluded_source *source,
                     uint32_t number, const struct bytes *text) {
  struct exclusion *rule = &set->list[number];
  size_t before = source->range_count;
  bool done = true;
  if (!pattern_matches_file(rule->path, source->name) &&
      !pattern_matches_file(rule->path, source->here))
    return true;
  if (rule->stale == no_source)
    rule->stale = no_match;
  if (!rule->text && !rule->regex)
    done = exclusions_add_range(
        source,
        (struct excluded_range){.kind = rule->kind,
                                .first = rule->first ? rule->first : 1,
                                .last = rule->first ? rule->last : INT_MAX,
                                .column = rule->column,
                                .function = rule->function,
                                .exclusion = number});
  else if (text)
    done = add_matches(source, rule, *text, number);
  else if (rule->stale)
    rule->stale = not_here;
  if (source->range_count != before)
    rule->stale = NULL;
  return done;
}

static int fill(struct exclusions *set, struct excluded_source *source,
                const struct bytes *text) {
  /* Without an exclusion nobody asks what lines contain. */
  bool asked = text && (set->rule_count || markers_any(*text));
  const char *error = asked ? markers_read(set, source, *text) : NULL;
  tell_problems(set);
  for (uint32_t i = 0; i < set->rule_count && !error; i++)
    if (!add_rule(set, source, i, text))
      error = out_of_memory;
  return error ? report(source->here, "%s", error) : 0;
}

int exclusions_add_source(struct exclusions *set, const char *name,
                          const char *here) {
  struct file file;
  bool found;
  if (exclusions_source(set, name))
    return 0;
  struct excluded_source *source = insert(set, name, here);
  if (!source)
    return report_memory(here);
  if (file_read_if(&file, here, SOURCE_LIMIT, &found))
    return 1;
  if (!found)
    return fill(set, source, NULL);
  int failed = fill(set, source, &file.bytes);
  file_close(&file);
  return failed;
}

/* ---- spans ---- */

ORDER_BY(by_first, struct line_span, x->first, x->last);

static const char *settle_one(struct excluded_source *source,
                              enum exclusion_kind kind) {
  struct line_span *spans = calloc(source->range_count + 1, sizeof *spans);
  size_t count = 0, kept = 0;
  if (!spans)
    return out_of_memory;
  for (size_t i = 0; i < source->range_count; i++)
    if (source->ranges[i].kind == kind)
      spans[count++] =
          (struct line_span){source->ranges[i].first, source->ranges[i].last};
  sort(spans, count, sizeof *spans, by_first);
  for (size_t i = 0; i < count; i++) {
    struct line_span *last = kept ? &spans[kept - 1] : NULL;
    if (!last || spans[i].first > (uint64_t)last->last + 1)
      spans[kept++] = spans[i];
    else if (spans[i].last > last->last)
      last->last = spans[i].last;
  }
  free(source->spans[kind]);
  source->spans[kind] = spans;
  source->span_count[kind] = kept;
  return NULL;
}

const char *exclusions_settle(struct exclusions *set) {
  const char *error = NULL;
  for (size_t i = 0; i < set->source_count && !error; i++) {
    error = settle_one(&set->sources[i], EXCLUDED_LINES);
    if (!error)
      error = settle_one(&set->sources[i], EXCLUDED_BRANCHES);
  }
  return error;
}

const struct line_span *exclusions_span(const struct excluded_source *source,
                                        bool branches, uint32_t line) {
  const struct line_span *spans = source->spans[branches];
  size_t at = search_behind(spans, source->span_count[branches], first, line);
  return at && line <= spans[at - 1].last ? &spans[at - 1] : NULL;
}

/* ---- questions ---- */

int64_t exclusions_decision(const struct excluded_source *source, uint32_t line,
                            uint32_t column) {
  for (size_t i = 0; i < source->range_count; i++) {
    const struct excluded_range *range = &source->ranges[i];
    if (range->kind != EXCLUDED_FUNCTION && range->first <= line &&
        line <= range->last && (!range->column || range->column == column))
      return range->exclusion;
  }
  return -1;
}
