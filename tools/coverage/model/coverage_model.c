/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file reads a model from the JSON of an earlier report or of llvm-cov.
 * The file reads these parts, where `place` is the four numbers of a
 * source_span:
 *
 *   {"data":[{"files":[{"filename":N,"summary":S,"segments":[SEGMENT...]}...],
 *     "functions":[{"name":N,"count":N,"filenames":[N...],
 *       "regions":[REGION...],"branches":[BRANCH...],
 *       "mcdc_records":[DECISION...]}...],
 *     "totals":S}...],...}
 *   SEGMENT: [line, column, count, counted, entry, gap]
 *   REGION: [place, count, file, expanded file, kind]
 *   BRANCH: [place, true, false, file, expanded file, kind]
 *   DECISION: [place, numbers..., [covered...], [VECTOR...]]
 *   VECTOR: {"conditions":[true, false, null...],"executed":B,"result":B}
 */
#include "coverage_model.h"

#include <stdlib.h>

#include "../../base/map.h"
#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../object/digest.h"

enum { LIST_MOST = 1 << 30, NUMBERS_MOST = 9 };

static const char wrong_form[] =
    "the JSON is damaged or not a coverage report; export again with "
    "bareprof report --json, or with llvm-cov 13 or later";

/* ---- elements ---- */

static void append_element(struct json_reader *json, struct buffer *list,
                           const void *element, size_t size) {
  json->failed |= buffer_append(list, element, size) != NULL;
}

typedef void element_parser(struct json_reader *json, struct model *exported);

static void parse_each_element(struct json_reader *json, struct model *exported,
                               element_parser *parse) {
  json_enter_bracket(json, '[');
  while (json_next_element(json, ']'))
    parse(json, exported);
}

static uint32_t list_length(const struct buffer *list, size_t size) {
  return (uint32_t)(list->size / size);
}

static uint32_t limit_to_32_bits(uint64_t number) {
  return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

/* Reads a list of at least `least` numbers. Ignores numbers after the first
 * NUMBERS_MOST. */
static void parse_numbers(struct json_reader *json,
                          uint64_t numbers[NUMBERS_MOST], unsigned least) {
  unsigned count = 0;
  json_enter_bracket(json, '[');
  while (json_next_element(json, ']'))
    if (count < NUMBERS_MOST)
      numbers[count++] = json_parse_number(json);
    else
      json_skip_and_get_text(json);
  json->failed |= count < least;
}

static struct source_span make_span(const uint64_t numbers[4]) {
  return (struct source_span){
      limit_to_32_bits(numbers[0]), limit_to_32_bits(numbers[1]),
      limit_to_32_bits(numbers[2]), limit_to_32_bits(numbers[3])};
}

bool model_find_or_add_name(struct model *exported, const char *name,
                            uint32_t *number) {
  size_t size = strlen(name);
  const uint64_t key[3] = {md5_low64(name, size), size, 0};
  bool is_new;
  size_t found = map_find_or_assign_number(&exported->numbers, key, &is_new);
  *number = found ? (uint32_t)found - 1 : 0;
  if (!found || !is_new)
    return found;
  char *copy = arena_copy(&exported->texts, name, size);
  if (!copy || !list_make_room(&exported->names, exported->name_count,
                               sizeof *exported->names))
    return false;
  exported->names[exported->name_count++] = copy;
  return true;
}

static uint32_t parse_and_number_name(struct model *exported,
                                      struct json_reader *json) {
  char *name = json_parse_string(json);
  uint32_t number = 0;
  if (name)
    json->failed |= !model_find_or_add_name(exported, name, &number);
  free(name);
  return number;
}

/* ---- files ---- */

static void parse_segment(struct json_reader *json, struct model *exported) {
  uint64_t numbers[3] = {0};
  bool flags[3] = {false};
  unsigned i = 0;
  json_enter_bracket(json, '[');
  for (; json_next_element(json, ']'); i++)
    if (i < 3)
      numbers[i] = json_parse_number(json);
    else if (json_parse_bool(json) && i < 6)
      flags[i - 3] = true;
  json->failed |= i < 5;
  const struct segment segment = {limit_to_32_bits(numbers[0]),
                                  limit_to_32_bits(numbers[1]),
                                  numbers[2],
                                  flags[0],
                                  flags[1],
                                  flags[2],
                                  CAUSE_NONE};
  append_element(json, &exported->segment_list, &segment, sizeof segment);
}

static void append_file_row(struct json_reader *json, struct model *exported,
                            struct file_row *row, struct slice segments) {
  struct scores_summary *summary = &exported->summary;
  segments.count =
      list_length(&exported->segment_list, sizeof(struct segment)) -
      segments.begin;
  size_t count = summary->count;
  json->failed |= !row->name;
  if (!row->name)
    return;
  LIST_ADD(exported->segments, count, segments);
  LIST_ADD(summary->rows, summary->count, *row);
}

static void parse_file(struct json_reader *json, struct model *exported) {
  struct file_row row = {0};
  struct slice segments = {
      list_length(&exported->segment_list, sizeof(struct segment)), 0};
  char key[JSON_KEY];
  json_enter_bracket(json, '{');
  while (json_next_member(json, key))
    if (strcmp(key, "filename") == 0 && !row.name) {
      struct json_reader again = *json;
      row.name = json_parse_string(json);
      parse_and_number_name(exported, &again);
    } else if (strcmp(key, "summary") == 0) {
      summary_parse_scores(json, row.scores);
    } else if (strcmp(key, "segments") == 0) {
      parse_each_element(json, exported, parse_segment);
    } else {
      json_skip_and_get_text(json);
    }
  append_file_row(json, exported, &row, segments);
}

/* ---- functions ---- */

static void parse_region(struct json_reader *json, struct model *exported) {
  uint64_t n[NUMBERS_MOST] = {0};
  parse_numbers(json, n, 8);
  const struct model_region region = {.span = make_span(n),
                                      .count = n[4],
                                      .file = limit_to_32_bits(n[5]),
                                      .expanded = limit_to_32_bits(n[6]),
                                      .kind = limit_to_32_bits(n[7])};
  append_element(json, &exported->regions, &region, sizeof region);
}

static void parse_branch(struct json_reader *json, struct model *exported) {
  uint64_t n[NUMBERS_MOST] = {0};
  parse_numbers(json, n, 9);
  const struct model_branch branch = {.span = make_span(n),
                                      .counts = {n[4], n[5]},
                                      .file = limit_to_32_bits(n[6]),
                                      .kind = limit_to_32_bits(n[8])};
  append_element(json, &exported->branches, &branch, sizeof branch);
}

static void parse_conditions(struct json_reader *json, struct model *exported,
                             struct model_decision *decision) {
  json_enter_bracket(json, '[');
  while (json_next_element(json, ']')) {
    unsigned char covered = json_parse_bool(json);
    append_element(json, &exported->conditions, &covered, 1);
    decision->conditions.count++;
  }
}

static unsigned char parse_condition_value(struct json_reader *json) {
  struct bytes text = json_skip_and_get_text(json);
  if (text.size && *text.data == 't')
    return VALUE_TRUE;
  return text.size && *text.data == 'f' ? VALUE_FALSE : VALUE_NONE;
}

/* Reads a vector. Ignores a vector that did not run or has the wrong number of
 * conditions. */
static void parse_vector(struct json_reader *json, struct model *exported,
                         struct model_decision *decision) {
  size_t before = exported->values.size;
  unsigned char result = VALUE_NONE;
  bool ran = true;
  char key[JSON_KEY];
  json_enter_bracket(json, '{');
  while (json_next_member(json, key))
    if (strcmp(key, "conditions") == 0) {
      json_enter_bracket(json, '[');
      while (json_next_element(json, ']')) {
        unsigned char value = parse_condition_value(json);
        append_element(json, &exported->values, &value, 1);
      }
    } else if (strcmp(key, "result") == 0) {
      result = parse_condition_value(json);
    } else if (strcmp(key, "executed") == 0) {
      ran = json_parse_bool(json);
    } else {
      json_skip_and_get_text(json);
    }
  if (!ran || result == VALUE_NONE ||
      exported->values.size - before != decision->conditions.count) {
    exported->values.size = before;
    return;
  }
  append_element(json, &exported->values, &result, 1);
  decision->vectors++;
}

/* In a decision, two numbers follow the position up to release 21. They do not
 * say the file; find_decision_file in view.c finds it. In later releases, five
 * numbers follow, of which the third is the file. */
static void parse_decision(struct json_reader *json, struct model *exported) {
  struct model_decision decision = {
      .conditions.begin = list_length(&exported->conditions, 1),
      .values.begin = list_length(&exported->values, 1)};
  uint64_t numbers[NUMBERS_MOST] = {0};
  unsigned count = 0, lists = 0;
  json_enter_bracket(json, '[');
  while (json_next_element(json, ']')) {
    struct json_reader peek = *json;
    struct bytes text = json_skip_and_get_text(&peek);
    if (!text.size || *text.data != '[') {
      numbers[count < NUMBERS_MOST ? count++ : NUMBERS_MOST - 1] =
          json_parse_number(json);
      continue;
    }
    if (lists == 0) {
      parse_conditions(json, exported, &decision);
    } else if (lists == 1) {
      exported->has_vectors = true;
      json_enter_bracket(json, '[');
      while (json_next_element(json, ']'))
        parse_vector(json, exported, &decision);
    } else {
      json_skip_and_get_text(json);
    }
    lists++;
  }
  decision.span = make_span(numbers);
  decision.file = count == NUMBERS_MOST ? limit_to_32_bits(numbers[6]) : 0;
  decision.values.count =
      list_length(&exported->values, 1) - decision.values.begin;
  json->failed |= count < 4 || !lists;
  append_element(json, &exported->decisions, &decision, sizeof decision);
}

static void parse_file_name(struct json_reader *json, struct model *exported) {
  uint32_t number = parse_and_number_name(exported, json);
  append_element(json, &exported->files, &number, sizeof number);
}

static const char *parse_string_copy(struct json_reader *json,
                                     struct model *exported) {
  char *text = json_parse_string(json);
  char *copy = text ? arena_copy(&exported->texts, text, strlen(text)) : NULL;
  free(text);
  json->failed |= !copy;
  return copy;
}

void model_begin_or_end_ranges(const struct model *exported,
                               struct model_function *function, bool end) {
  struct slice *const ranges[] = {&function->files, &function->regions,
                                  &function->branches, &function->decisions};
  const uint32_t sizes[] = {
      list_length(&exported->files, sizeof(uint32_t)),
      list_length(&exported->regions, sizeof(struct model_region)),
      list_length(&exported->branches, sizeof(struct model_branch)),
      list_length(&exported->decisions, sizeof(struct model_decision))};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (end)
      ranges[i]->count = sizes[i] - ranges[i]->begin;
    else
      ranges[i]->begin = sizes[i];
}

static void parse_function(struct json_reader *json, struct model *exported) {
  struct model_function function = {0};
  char key[JSON_KEY];
  model_begin_or_end_ranges(exported, &function, false);
  json_enter_bracket(json, '{');
  while (json_next_member(json, key))
    if (strcmp(key, "name") == 0)
      function.name = parse_string_copy(json, exported);
    else if (strcmp(key, "count") == 0)
      function.count = json_parse_number(json);
    else if (strcmp(key, "filenames") == 0)
      parse_each_element(json, exported, parse_file_name);
    else if (strcmp(key, "regions") == 0)
      parse_each_element(json, exported, parse_region);
    else if (strcmp(key, "branches") == 0)
      parse_each_element(json, exported, parse_branch);
    else if (strcmp(key, "mcdc_records") == 0)
      parse_each_element(json, exported, parse_decision);
    else
      json_skip_and_get_text(json);
  model_begin_or_end_ranges(exported, &function, true);
  json->failed |= !function.name;
  append_element(json, &exported->functions, &function, sizeof function);
}

/* ---- the export ---- */

static void parse_export(struct json_reader *json, struct model *exported) {
  char key[JSON_KEY];
  json_enter_bracket(json, '{');
  while (json_next_member(json, key))
    if (strcmp(key, "files") == 0) {
      parse_each_element(json, exported, parse_file);
    } else if (strcmp(key, "functions") == 0) {
      exported->has_functions = true;
      parse_each_element(json, exported, parse_function);
    } else if (strcmp(key, "totals") == 0) {
      summary_parse_scores(json, exported->summary.total.scores);
    } else {
      json_skip_and_get_text(json);
    }
}

/* Returns whether all indexes in functions are valid, and the names of the rows
 * come before all other names. */
static bool has_valid_indexes(const struct model *exported) {
  const struct scores_summary *summary = &exported->summary;
  bool right = summary->count <= exported->name_count;
  for (size_t i = 0; i < summary->count && right; i++)
    right = strcmp(exported->names[i], summary->rows[i].name) == 0;
  for (size_t i = 0; i < model_function_count(exported); i++) {
    const struct model_function *one = &model_functions(exported)[i];
    const struct model_region *region = model_regions_of(exported, one);
    uint32_t files = one->files.count;
    for (uint32_t k = 0; k < one->regions.count; k++, region++)
      right &= region->file < files &&
               (region->kind != MODEL_EXPANSION || region->expanded < files);
    for (uint32_t k = 0; k < one->branches.count; k++)
      right &= model_branches_of(exported, one)[k].file < files;
    for (uint32_t k = 0; k < one->decisions.count; k++)
      right &= model_decisions_of(exported, one)[k].file < files;
  }
  return right;
}

void model_set_sites(struct model *exported) {
  size_t count = exported->files.size / sizeof(uint32_t);
  uint32_t *sites = need_memory(malloc((count + 1) * sizeof *sites));
  for (size_t i = 0; i < count; i++)
    sites[i] = NO_SITE;
  for (size_t i = 0; i < model_function_count(exported); i++) {
    const struct model_function *one = &model_functions(exported)[i];
    const struct model_region *regions = model_regions_of(exported, one);
    for (uint32_t k = 0; k < one->regions.count; k++)
      if (regions[k].kind == MODEL_EXPANSION &&
          regions[k].expanded != regions[k].file)
        sites[one->files.begin + regions[k].expanded] = k;
  }
  free(exported->sites);
  exported->sites = sites;
}

uint32_t model_move_to_macro_use(const struct model *exported,
                                 const struct model_function *function,
                                 uint32_t *file, struct source_span *span,
                                 uint64_t path[NESTED_MOST]) {
  const struct model_region *regions = model_regions_of(exported, function);
  uint32_t depth = 0;
  for (; depth < NESTED_MOST; depth++) {
    uint32_t site = exported->sites[function->files.begin + *file];
    if (site == NO_SITE)
      break;
    *span = regions[site].span;
    *file = regions[site].file;
    path[depth] = place_number(span->line, span->column);
  }
  for (uint32_t i = 0; i < depth / 2; i++) {
    uint64_t kept = path[i];
    path[i] = path[depth - 1 - i];
    path[depth - 1 - i] = kept;
  }
  return depth;
}

/* Limits the size of each list; a limit of 0 frees the lists. */
static void limit_or_free_lists(struct model *exported, size_t limit) {
  struct buffer *const lists[] = {&exported->segment_list, &exported->functions,
                                  &exported->files,        &exported->regions,
                                  &exported->branches,     &exported->decisions,
                                  &exported->conditions,   &exported->values,
                                  &exported->atoms,        &exported->differs};
  buffers_limit_or_free(lists, sizeof lists / sizeof *lists, limit);
}

void model_init(struct model *exported, size_t limit) {
  *exported = (struct model){0};
  limit_or_free_lists(exported, limit);
  exported->texts.limit = exported->numbers.limit = limit;
}

const char *model_parse(struct model *exported, struct bytes text) {
  struct json_reader json = json_make_reader(text);
  model_init(exported, LIST_MOST);
  parse_export(&json, exported);
  if (json.failed || !has_valid_indexes(exported))
    return wrong_form;
  model_set_sites(exported);
  return segments_check_order(exported);
}

void model_free(struct model *exported) {
  summary_free(&exported->summary);
  free(exported->segments);
  free(exported->names);
  free(exported->sites);
  limit_or_free_lists(exported, 0);
  free(exported->instantiations);
  arena_free(&exported->texts);
  map_free(&exported->numbers);
  *exported = (struct model){0};
}
