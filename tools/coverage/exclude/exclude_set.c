/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file fills the set of exclusions. For each source, it adds the source's
 * markers (exclude_comments.c), then the lines of the exclusions file that
 * match the source. exclude_mask.c and exclude_apply.c use the result.
 */
#include "exclude.h"

#include <limits.h>

#include "../../base/compare.h"
#include "../../base/need.h"
#include "../inputs/paths.h"

enum {
  FILE_LIMIT = 1 << 24,
  SOURCE_LIMIT = 1 << 30,
  ARENA_LIMIT = 1 << 28,
  TEXT_MOST = 4096
};

static const char no_source[] =
    "no source of the report has this path; correct or remove the exclusion";
static const char no_match[] =
    "the text is not in the source any more; correct or remove the exclusion";
static const char not_here[] =
    "the source is missing, so its text cannot be searched; use --source-map";

const char *exclusions_copy_text(struct exclusions *set, struct bytes text) {
  return need_memory(arena_copy(&set->arena, text.data, text.size));
}

static void report_and_clear_problems(struct exclusions *set) {
  for (size_t i = 0; i < set->problem_count; i++) {
    const struct exclusion_problem *one = &set->problems[i];
    report(one->file, "line %u: %s%s%s", one->line, one->name,
           *one->name ? " " : "", one->text);
  }
  free(set->problems);
  set->problems = NULL;
  set->problem_count = 0;
}

void exclusions_read_file(struct exclusions *set) {
  set->arena = (struct arena){.limit = ARENA_LIMIT};
  if (!set->name)
    return;
  exit_if_failed(file_read(&set->file, set->name, FILE_LIMIT));
  bool right = rules_parse(set, set->file.bytes);
  report_and_clear_problems(set);
  for (size_t i = 0; i < set->count; i++)
    set->list[i].stale = no_source;
  exit_if_failed(!right);
}

void exclusions_free(struct exclusions *set) {
  for (size_t i = 0; i < set->source_count; i++) {
    free(set->sources[i].contents);
    free(set->sources[i].ranges);
    free(set->sources[i].spans[0]);
    free(set->sources[i].spans[1]);
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

/* Returns the index of a tidied name in the sorted sources, or the index where
 * the name belongs. Sets *found to whether the source is in the list. */
static size_t find_source_index(const struct exclusions *set, const char *name,
                                bool *found) {
  size_t at = search_text(set->sources, set->source_count, name, name);
  *found = at < set->source_count && !strcmp(set->sources[at].name, name);
  return at;
}

struct excluded_source *exclusions_find_source(const struct exclusions *set,
                                               const char *name) {
  char tidy[4096];
  bool found;
  if (*name == '/' && strlen(name) < sizeof tidy) {
    paths_tidy(strcpy(tidy, name));
    name = tidy;
  }
  size_t at = find_source_index(set, name, &found);
  return found ? &set->sources[at] : NULL;
}

const struct line_span *exclusions_get_line_spans(const struct exclusions *set,
                                                  const char *name,
                                                  size_t *count) {
  const struct excluded_source *source =
      set ? exclusions_find_source(set, name) : NULL;
  *count = source ? source->span_count[EXCLUDED_LINES] : 0;
  return source ? source->spans[EXCLUDED_LINES] : NULL;
}

void exclusions_add_range(struct excluded_source *source,
                          struct excluded_range range) {
  if (range.first <= range.last)
    LIST_ADD(source->ranges, source->range_count, range);
}

static bool rule_matches_line(const struct exclusion *rule, struct bytes line) {
  char text[TEXT_MOST];
  size_t size = line.size < sizeof text ? line.size : sizeof text - 1;
  size -= size && line.data[size - 1] == '\r';
  memcpy(text, line.data, size);
  text[size] = 0;
  return (!rule->text || strstr(text, rule->text)) &&
         (!rule->regex || ere_matches(rule->regex, text));
}

/* Adds the ranges that a line of the exclusions file has in a source. `text` is
 * NULL if the source is not on this machine. */
static void apply_rule_to_source(struct excluded_source *source,
                                 struct exclusion *rule, uint32_t number,
                                 const struct bytes *text) {
  size_t before = source->range_count;
  struct excluded_range range = {.kind = rule->kind,
                                 .first = rule->first ? rule->first : 1,
                                 .last = rule->first ? rule->last : INT_MAX,
                                 .column = rule->column,
                                 .function = rule->function,
                                 .exclusion = number};
  if (!pattern_matches_file(rule->path, source->name) &&
      !pattern_matches_file(rule->path, source->here))
    return;
  if (rule->stale == no_source)
    rule->stale = no_match;
  if (!rule->text && !rule->regex) {
    exclusions_add_range(source, range);
  } else if (text) {
    struct bytes left = *text, line;
    for (uint32_t i = 1; bytes_next_line(&left, &line); i++) {
      if ((rule->first && i != rule->first) || !rule_matches_line(rule, line))
        continue;
      range.first = i;
      range.last = rule->first ? rule->last : i;
      exclusions_add_range(source, range);
    }
  } else if (rule->stale) {
    rule->stale = not_here;
  }
  if (source->range_count != before)
    rule->stale = NULL;
}

void exclusions_add_source(struct exclusions *set, const char *name,
                           const char *here) {
  struct file file;
  bool found;
  size_t at = find_source_index(set, name, &found);
  if (found)
    return;
  exit_if_failed(file_read_if_exists(&file, here, SOURCE_LIMIT, &found));
  const struct bytes *text = found ? &file.bytes : NULL;
  struct excluded_source source = {
      .name = exclusions_copy_text(set, bytes_of_text(name)),
      .here = exclusions_copy_text(set, bytes_of_text(here))};
  /* Lines are classified only if the source may have exclusions. */
  const char *error = text && (set->rule_count || markers_may_exist(*text))
                          ? markers_parse(set, &source, *text)
                          : NULL;
  report_and_clear_problems(set);
  for (uint32_t i = 0; i < set->rule_count && !error; i++)
    apply_rule_to_source(&source, &set->list[i], i, text);
  LIST_ADD(set->sources, set->source_count, source);
  memmove(&set->sources[at + 1], &set->sources[at],
          (set->source_count - 1 - at) * sizeof source);
  set->sources[at] = source;
  if (found)
    file_close(&file);
  exit_on_error(here, error);
}

/* ---- spans ---- */

ORDER_BY(by_first, struct line_span, x->first, x->last);

void exclusions_make_spans(struct exclusions *set) {
  for (size_t i = 0; i < 2 * set->source_count; i++) {
    struct excluded_source *source = &set->sources[i / 2];
    enum exclusion_kind kind = i % 2 ? EXCLUDED_BRANCHES : EXCLUDED_LINES;
    struct line_span *spans =
        need_memory(calloc(source->range_count + 1, sizeof *spans));
    size_t count = 0, kept = 0;
    for (size_t k = 0; k < source->range_count; k++)
      if (source->ranges[k].kind == kind)
        spans[count++] =
            (struct line_span){source->ranges[k].first, source->ranges[k].last};
    sort_array(spans, count, sizeof *spans, by_first);
    for (size_t k = 0; k < count; k++) {
      struct line_span *last = kept ? &spans[kept - 1] : NULL;
      if (!last || spans[k].first > (uint64_t)last->last + 1)
        spans[kept++] = spans[k];
      else if (spans[k].last > last->last)
        last->last = spans[k].last;
    }
    free(source->spans[kind]);
    source->spans[kind] = spans;
    source->span_count[kind] = kept;
  }
}

const struct line_span *
exclusions_find_span(const struct excluded_source *source, bool branches,
                     uint32_t line) {
  const struct line_span *spans = source->spans[branches];
  size_t at = search_after(spans, source->span_count[branches], first, line);
  return at && line <= spans[at - 1].last ? &spans[at - 1] : NULL;
}

int64_t exclusions_find_for_decision(const struct excluded_source *source,
                                     uint32_t line, uint32_t column) {
  for (size_t i = 0; i < source->range_count; i++) {
    const struct excluded_range *range = &source->ranges[i];
    if (range->kind != EXCLUDED_FUNCTION && range->first <= line &&
        line <= range->last && (!range->column || range->column == column))
      return range->exclusion;
  }
  return -1;
}
