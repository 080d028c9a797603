/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads a model from JSON: an earlier report's or llvm-cov's. The reader uses
 * these parts, where `place` is the four numbers of a source_span:
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
#include "exported.h"

#include <stdlib.h>

#include "../../base/map.h"
#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../object/digest.h"
#include "../../base/json.h"

enum { LIST_MOST = 1 << 30, NUMBERS_MOST = 9 };

static const char wrong_form[] =
    "the JSON is not an export of llvm-cov 13 or later; export again with "
    "llvm-cov 13 or later";

/* ---- elements ---- */

static void add(struct json *json, struct buffer *list, const void *element,
                size_t size) {
  json->failed |= buffer_add(list, element, size) != NULL;
}

typedef void element_reader(struct json *json, struct exported *exported);

/* Reads all elements of a list. */
static void read_each(struct json *json, struct exported *exported,
                      element_reader *read) {
  json_open(json, '[');
  while (json_more(json, ']'))
    read(json, exported);
}

static uint32_t size_of(const struct buffer *list, size_t size) {
  return (uint32_t)(list->size / size);
}

static uint32_t narrow(uint64_t number) {
  return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

/* Reads a list of at least `least` numbers; ignores the numbers after
 * NUMBERS_MOST. */
static void read_numbers(struct json *json, uint64_t numbers[NUMBERS_MOST],
                         unsigned least) {
  unsigned count = 0;
  json_open(json, '[');
  while (json_more(json, ']'))
    if (count < NUMBERS_MOST)
      numbers[count++] = json_count(json);
    else
      json_skip(json);
  json->failed |= count < least;
}

static struct source_span span_of(const uint64_t numbers[4]) {
  return (struct source_span){narrow(numbers[0]), narrow(numbers[1]),
                              narrow(numbers[2]), narrow(numbers[3])};
}

bool exported_number(struct exported *exported, const char *name,
                     uint32_t *number) {
  size_t size = strlen(name);
  const uint64_t key[3] = {md5_low64(name, size), size, 0};
  bool is_new;
  size_t found = map_number(&exported->numbers, key, &is_new);
  *number = found ? (uint32_t)found - 1 : 0;
  if (!found || !is_new)
    return found;
  char *copy = arena_copy(&exported->texts, name, size);
  if (!copy || !list_more(&exported->names, exported->name_count,
                          sizeof *exported->names))
    return false;
  exported->names[exported->name_count++] = copy;
  return true;
}

static uint32_t number_name(struct exported *exported, struct json *json) {
  char *name = json_string(json);
  uint32_t number = 0;
  if (name)
    json->failed |= !exported_number(exported, name, &number);
  free(name);
  return number;
}

/* ---- files ---- */

static void read_segment(struct json *json, struct exported *exported) {
  uint64_t numbers[3] = {0};
  bool facts[3] = {false};
  unsigned i = 0;
  json_open(json, '[');
  for (; json_more(json, ']'); i++)
    if (i < 3)
      numbers[i] = json_count(json);
    else if (json_true(json) && i < 6)
      facts[i - 3] = true;
  json->failed |= i < 5;
  const struct segment segment = {
      narrow(numbers[0]), narrow(numbers[1]), numbers[2], facts[0],
      facts[1],           facts[2],           CAUSE_NONE};
  add(json, &exported->segment_list, &segment, sizeof segment);
}

static void add_row(struct json *json, struct exported *exported,
                    struct file_row *row, struct slice segments) {
  struct scores_summary *summary = &exported->summary;
  segments.count =
      size_of(&exported->segment_list, sizeof(struct segment)) - segments.begin;
  size_t count = summary->count;
  json->failed |= !row->name;
  if (!row->name)
    return;
  LIST_ADD(exported->segments, count, segments);
  LIST_ADD(summary->rows, summary->count, *row);
}

static void read_file(struct json *json, struct exported *exported) {
  struct file_row row = {0};
  struct slice segments = {
      size_of(&exported->segment_list, sizeof(struct segment)), 0};
  char key[JSON_KEY];
  json_open(json, '{');
  while (json_member(json, key))
    if (strcmp(key, "filename") == 0 && !row.name) {
      struct json again = *json;
      row.name = json_string(json);
      number_name(exported, &again);
    } else if (strcmp(key, "summary") == 0) {
      summary_scores(json, row.scores);
    } else if (strcmp(key, "segments") == 0) {
      read_each(json, exported, read_segment);
    } else {
      json_skip(json);
    }
  add_row(json, exported, &row, segments);
}

/* ---- functions ---- */

static void read_region(struct json *json, struct exported *exported) {
  uint64_t n[NUMBERS_MOST] = {0};
  read_numbers(json, n, 8);
  const struct exported_region region = {.span = span_of(n),
                                         .count = n[4],
                                         .file = narrow(n[5]),
                                         .expanded = narrow(n[6]),
                                         .kind = narrow(n[7])};
  add(json, &exported->regions, &region, sizeof region);
}

static void read_branch(struct json *json, struct exported *exported) {
  uint64_t n[NUMBERS_MOST] = {0};
  read_numbers(json, n, 9);
  const struct exported_branch branch = {.span = span_of(n),
                                         .counts = {n[4], n[5]},
                                         .file = narrow(n[6]),
                                         .kind = narrow(n[8])};
  add(json, &exported->branches, &branch, sizeof branch);
}

static void read_conditions(struct json *json, struct exported *exported,
                            struct exported_decision *decision) {
  json_open(json, '[');
  while (json_more(json, ']')) {
    unsigned char covered = json_true(json);
    add(json, &exported->conditions, &covered, 1);
    decision->conditions.count++;
  }
}

static unsigned char read_value(struct json *json) {
  struct bytes text = json_skip(json);
  if (text.size && *text.data == 't')
    return VALUE_TRUE;
  return text.size && *text.data == 'f' ? VALUE_FALSE : VALUE_NONE;
}

/* Reads a vector. Ignores it if it did not run or has the wrong number of
 * conditions. */
static void read_vector(struct json *json, struct exported *exported,
                        struct exported_decision *decision) {
  size_t before = exported->values.size;
  unsigned char result = VALUE_NONE;
  bool ran = true;
  char key[JSON_KEY];
  json_open(json, '{');
  while (json_member(json, key))
    if (strcmp(key, "conditions") == 0) {
      json_open(json, '[');
      while (json_more(json, ']')) {
        unsigned char value = read_value(json);
        add(json, &exported->values, &value, 1);
      }
    } else if (strcmp(key, "result") == 0) {
      result = read_value(json);
    } else if (strcmp(key, "executed") == 0) {
      ran = json_true(json);
    } else {
      json_skip(json);
    }
  if (!ran || result == VALUE_NONE ||
      exported->values.size - before != decision->conditions.count) {
    exported->values.size = before;
    return;
  }
  add(json, &exported->values, &result, 1);
  decision->vectors++;
}

/* After the position come numbers; the second-last one is the file or, up to
 * release 19, always 0. Up to release 19 only decisions outside macros are
 * right, so the caller looks only at the position. */
static void read_decision(struct json *json, struct exported *exported) {
  struct exported_decision decision = {
      .conditions.begin = size_of(&exported->conditions, 1),
      .values.begin = size_of(&exported->values, 1)};
  uint64_t numbers[NUMBERS_MOST] = {0};
  unsigned count = 0, lists = 0;
  json_open(json, '[');
  while (json_more(json, ']')) {
    struct json peek = *json;
    struct bytes text = json_skip(&peek);
    if (!text.size || *text.data != '[') {
      numbers[count < NUMBERS_MOST ? count++ : NUMBERS_MOST - 1] =
          json_count(json);
      continue;
    }
    if (lists == 0) {
      read_conditions(json, exported, &decision);
    } else if (lists == 1) {
      exported->has_vectors = true;
      json_open(json, '[');
      while (json_more(json, ']'))
        read_vector(json, exported, &decision);
    } else {
      json_skip(json);
    }
    lists++;
  }
  decision.span = span_of(numbers);
  decision.file = count == NUMBERS_MOST ? narrow(numbers[6]) : 0;
  decision.values.count = size_of(&exported->values, 1) - decision.values.begin;
  json->failed |= count < 4 || !lists;
  add(json, &exported->decisions, &decision, sizeof decision);
}

static void read_name(struct json *json, struct exported *exported) {
  uint32_t number = number_name(exported, json);
  add(json, &exported->files, &number, sizeof number);
}

static const char *read_text(struct json *json, struct exported *exported) {
  char *text = json_string(json);
  char *copy = text ? arena_copy(&exported->texts, text, strlen(text)) : NULL;
  free(text);
  json->failed |= !copy;
  return copy;
}

void exported_mark(const struct exported *exported,
                   struct exported_function *function, bool end) {
  struct slice *const ranges[] = {&function->files, &function->regions,
                                  &function->branches, &function->decisions};
  const uint32_t sizes[] = {
      size_of(&exported->files, sizeof(uint32_t)),
      size_of(&exported->regions, sizeof(struct exported_region)),
      size_of(&exported->branches, sizeof(struct exported_branch)),
      size_of(&exported->decisions, sizeof(struct exported_decision))};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (end)
      ranges[i]->count = sizes[i] - ranges[i]->begin;
    else
      ranges[i]->begin = sizes[i];
}

static void read_function(struct json *json, struct exported *exported) {
  struct exported_function function = {0};
  char key[JSON_KEY];
  exported_mark(exported, &function, false);
  json_open(json, '{');
  while (json_member(json, key))
    if (strcmp(key, "name") == 0)
      function.name = read_text(json, exported);
    else if (strcmp(key, "count") == 0)
      function.count = json_count(json);
    else if (strcmp(key, "filenames") == 0)
      read_each(json, exported, read_name);
    else if (strcmp(key, "regions") == 0)
      read_each(json, exported, read_region);
    else if (strcmp(key, "branches") == 0)
      read_each(json, exported, read_branch);
    else if (strcmp(key, "mcdc_records") == 0)
      read_each(json, exported, read_decision);
    else
      json_skip(json);
  exported_mark(exported, &function, true);
  json->failed |= !function.name;
  add(json, &exported->functions, &function, sizeof function);
}

/* ---- all ---- */

static void read_export(struct json *json, struct exported *exported) {
  char key[JSON_KEY];
  json_open(json, '{');
  while (json_member(json, key))
    if (strcmp(key, "files") == 0) {
      read_each(json, exported, read_file);
    } else if (strcmp(key, "functions") == 0) {
      exported->has_functions = true;
      read_each(json, exported, read_function);
    } else if (strcmp(key, "totals") == 0) {
      summary_scores(json, exported->summary.total.scores);
    } else {
      json_skip(json);
    }
}

/* Whether all indexes in functions are valid, and the rows' names come
 * first. */
static bool is_whole(const struct exported *exported) {
  const struct scores_summary *summary = &exported->summary;
  bool right = summary->count <= exported->name_count;
  for (size_t i = 0; i < summary->count && right; i++)
    right = strcmp(exported->names[i], summary->rows[i].name) == 0;
  for (size_t i = 0; i < exported_function_count(exported); i++) {
    const struct exported_function *one = &exported_functions(exported)[i];
    const struct exported_region *region = exported_regions_of(exported, one);
    uint32_t files = one->files.count;
    for (uint32_t k = 0; k < one->regions.count; k++, region++)
      right &= region->file < files &&
               (region->kind != EXPORTED_EXPANSION || region->expanded < files);
    for (uint32_t k = 0; k < one->branches.count; k++)
      right &= exported_branches_of(exported, one)[k].file < files;
    for (uint32_t k = 0; k < one->decisions.count; k++)
      right &= exported_decisions_of(exported, one)[k].file < files;
  }
  return right;
}

void exported_settle(struct exported *exported) {
  size_t count = exported->files.size / sizeof(uint32_t);
  uint32_t *sites = need(malloc((count + 1) * sizeof *sites));
  for (size_t i = 0; i < count; i++)
    sites[i] = NO_SITE;
  for (size_t i = 0; i < exported_function_count(exported); i++) {
    const struct exported_function *one = &exported_functions(exported)[i];
    const struct exported_region *regions = exported_regions_of(exported, one);
    for (uint32_t k = 0; k < one->regions.count; k++)
      if (regions[k].kind == EXPORTED_EXPANSION &&
          regions[k].expanded != regions[k].file)
        sites[one->files.begin + regions[k].expanded] = k;
  }
  free(exported->sites);
  exported->sites = sites;
}

uint32_t exported_use(const struct exported *exported,
                      const struct exported_function *function, uint32_t *file,
                      struct source_span *span, uint64_t path[NESTED_MOST]) {
  const struct exported_region *regions =
      exported_regions_of(exported, function);
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

static void set_lists(struct exported *exported, size_t limit) {
  struct buffer *const lists[] = {&exported->segment_list, &exported->functions,
                                  &exported->files,        &exported->regions,
                                  &exported->branches,     &exported->decisions,
                                  &exported->conditions,   &exported->values,
                                  &exported->atoms,        &exported->differs};
  for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
    if (limit)
      lists[i]->limit = limit;
    else
      buffer_free(lists[i]);
}

void exported_begin(struct exported *exported, size_t limit) {
  *exported = (struct exported){0};
  set_lists(exported, limit);
  exported->texts.limit = exported->numbers.limit = limit;
}

const char *exported_read(struct exported *exported, struct bytes text) {
  struct json json = json_begin(text);
  exported_begin(exported, LIST_MOST);
  read_export(&json, exported);
  if (json.failed || !is_whole(exported))
    return wrong_form;
  exported_settle(exported);
  return lines_check(exported);
}

void exported_free(struct exported *exported) {
  summary_free(&exported->summary);
  free(exported->segments);
  free(exported->names);
  free(exported->sites);
  set_lists(exported, 0);
  free(exported->instantiations);
  arena_free(&exported->texts);
  map_free(&exported->numbers);
  *exported = (struct exported){0};
}
