/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * clang uses a record if a function has the same name, hash and number of
 * counters. For all other records, this file searches the functions whose names
 * are not in the profile: first the functions with the same name inside their
 * file, then the functions with the same structure.
 */
#include "comparison.h"

#include <string.h>

#include "../base/compare.h"
#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../image/dumpfile.h"
#include "../image/raw_version.h"
#include "../object/digest.h"
#include "../object/names.h"

const char *const match_reasons[MATCH_REASONS] = {
    "taken", "hash", "path", "__uniq", "renamed", "gone", "kind"};

/* The kinds of keys in the map. The value of a key is the number of a function,
 * counted from 1, or a number of functions. A new function is in the build, and
 * its name is not in the profile. */
enum match_key {
  KEY_NAME = 1, /* name of a function in the build */
  KEY_SAME,     /* name and hash of a function in the build */
  KEY_PROFILE,  /* name of a function in the profile */
  KEY_BASE,     /* name of a new function inside its file */
  KEY_MOVED,    /* name of a new function inside its file, and its hash */
  KEY_NEW,      /* structure of a new function */
  KEY_NEWS,     /* number of new functions with a structure */
  KEY_LOST      /* number of unmatched records with a structure */
};

static const char unique[] = ".__uniq.";

/* ---- keys ---- */

static uint64_t encode_key(enum match_key key, uint32_t counters) {
  return (uint64_t)key << 32 | counters;
}

/* Returns the value of a key, which is 0 for a new key. */
static uint64_t *find_or_add_key(struct map *map, enum match_key key,
                                 uint64_t reference,
                                 const struct match_function *structure) {
  return need_memory(
      map_find_or_add(map, reference, structure ? structure->hash : 0,
                      encode_key(key, structure ? structure->counters : 0)));
}

static uint64_t find_key_value(const struct map *map, enum match_key key,
                               uint64_t reference,
                               const struct match_function *structure) {
  const uint64_t *found =
      map_find(map, reference, structure ? structure->hash : 0,
               encode_key(key, structure ? structure->counters : 0));
  return found ? *found : 0;
}

/* Returns the part of a name after the name of the file. */
static const char *skip_file_prefix(const char *name) {
  size_t size = strlen(name);
  const char *end = translate_find_separator(name, size, ';');
  end = end ? end : translate_find_separator(name, size, ':');
  return end ? end + 1 : name;
}

static uint64_t hash_base_name(const char *name) {
  struct bytes plain = names_source_name(skip_file_prefix(name));
  return md5_low64(plain.data, plain.size);
}

/* ---- both sides ---- */

static double sum_record_counters(const struct record_counts *counts) {
  double sum = 0;
  if (!counts_are_pseudo(counts->counters, counts->counter_count))
    for (uint32_t i = 0; i < counts->counter_count; i++)
      sum += (double)counts->counters[i];
  return sum;
}

static void add_profile_records(struct build_match *match,
                                const struct profile *profile) {
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct function_entry *entry = profile->arrived[i];
    for (const struct record_counts *counts = entry->counts; counts;
         counts = counts->next) {
      const struct match_function one = {
          .name = entry->name,
          .reference = entry->reference,
          .hash = profile_comparable_hash(profile, counts->hash),
          .counters = counts->counter_count,
          .weight = sum_record_counters(counts)};
      need_append(&match->records, &one, sizeof one);
    }
  }
}

static void add_build_functions(struct build_match *match,
                                const struct image_functions *functions,
                                const struct profile *profile) {
  for (size_t i = 0; i < functions->count; i++) {
    const struct image_function *function = &functions->list[i];
    const struct match_function one = {
        .name = function->name ? function->name : "",
        .reference = function->name_ref,
        .hash = profile_comparable_hash(profile, function->hash),
        .counters = function->counter_count - function->mcdc_byte_count};
    need_append(&match->build, &one, sizeof one);
  }
}

/* Gives the names in the profile the separator of the build, because clang 18
 * and later also accept names with the separator of older releases. */
static void translate_separators(struct profile *profile,
                                 const struct image_functions *functions) {
  for (const char *kind = ";:"; *kind; kind++)
    for (size_t i = 0; i < functions->count; i++) {
      const char *name = functions->list[i].name;
      if (name && translate_find_separator(name, strlen(name), *kind)) {
        translate_name_separators(profile, *kind, NULL);
        return;
      }
    }
}

/* ---- matching ---- */

static void set_key_if_new(struct map *map, enum match_key key,
                           uint64_t reference,
                           const struct match_function *structure,
                           size_t number) {
  uint64_t *value = find_or_add_key(map, key, reference, structure);
  if (!*value)
    *value = number;
}

/* Adds a function of the build under all keys that may find it. */
static void index_build_function(struct map *map,
                                 const struct match_function *one,
                                 size_t number) {
  set_key_if_new(map, KEY_NAME, one->reference, NULL, number);
  set_key_if_new(map, KEY_SAME, one->reference, one, number);
  if (find_key_value(map, KEY_PROFILE, one->reference, NULL))
    return;
  uint64_t base = hash_base_name(one->name);
  set_key_if_new(map, KEY_BASE, base, NULL, number);
  set_key_if_new(map, KEY_MOVED, base, one, number);
  set_key_if_new(map, KEY_NEW, 0, one, number);
  ++*find_or_add_key(map, KEY_NEWS, 0, one);
}

static bool differs_in_uniq_suffix(const char *a, const char *b) {
  const char *of_a = strstr(a, unique), *of_b = strstr(b, unique);
  return of_a && of_b ? strcmp(of_a, of_b) != 0 : of_a || of_b;
}

static bool is_local_name(const char *name) {
  return skip_file_prefix(name) != name;
}

/* Sets the reason of a record as far as names determine it.
 * match_record_by_structure finds more renamed functions. */
static void match_record_by_name(const struct map *map,
                                 struct match_function *record,
                                 const struct match_function *build) {
  uint64_t base = hash_base_name(record->name);
  uint64_t moved = find_key_value(map, KEY_MOVED, base, record);
  uint64_t found = moved ? moved : find_key_value(map, KEY_BASE, base, NULL);
  record->reason = MATCH_GONE;
  if (find_key_value(map, KEY_SAME, record->reference, record)) {
    record->reason = MATCH_TAKEN;
  } else if (find_key_value(map, KEY_NAME, record->reference, NULL)) {
    record->reason = MATCH_HASH;
  } else if (found) {
    record->now = build[found - 1].name;
    record->reason = !moved ? MATCH_HASH
                     : differs_in_uniq_suffix(record->name, record->now)
                         ? MATCH_UNIQUE
                     : is_local_name(record->name) && is_local_name(record->now)
                         ? MATCH_PATH
                         : MATCH_RENAMED;
  }
}

/* Finds renamed functions by structure. Functions with a single block are
 * skipped, because their structures are equal. */
static void match_record_by_structure(const struct map *map,
                                      struct match_function *record,
                                      const struct match_function *build) {
  if (record->reason != MATCH_GONE || record->counters < 2 ||
      find_key_value(map, KEY_NEWS, 0, record) != 1 ||
      find_key_value(map, KEY_LOST, 0, record) != 1)
    return;
  record->now = build[find_key_value(map, KEY_NEW, 0, record) - 1].name;
  record->reason = MATCH_RENAMED;
}

static void match_records(struct build_match *match, struct map *map) {
  struct match_function *records = (void *)match->records.data;
  const struct match_function *build = (const void *)match->build.data;
  size_t count = match->records.size / sizeof *records;
  for (size_t i = 0; i < count; i++)
    set_key_if_new(map, KEY_PROFILE, records[i].reference, NULL, i + 1);
  for (size_t i = 0; i < match->build.size / sizeof *build; i++)
    index_build_function(map, &build[i], i + 1);
  for (size_t i = 0; i < count; i++) {
    match_record_by_name(map, &records[i], build);
    if (records[i].reason == MATCH_GONE)
      ++*find_or_add_key(map, KEY_LOST, 0, &records[i]);
  }
  for (size_t i = 0; i < count; i++)
    match_record_by_structure(map, &records[i], build);
}

/* ---- sums ---- */

static int compare_match_reasons(const void *left, const void *right) {
  const struct match_function *a = left, *b = right;
  int order = (int)a->reason - (int)b->reason;
  order = order ? order : (a->weight < b->weight) - (a->weight > b->weight);
  order = order ? order : strcmp(a->name, b->name);
  return order ? order : compare_numbers(a->hash, b->hash);
}

static void sort_and_sum_match_reasons(struct build_match *match) {
  struct match_function *records = (void *)match->records.data;
  size_t count = match->records.size / sizeof *records;
  sort_array(records, count, sizeof *records, compare_match_reasons);
  for (size_t i = 0; i < count; i++) {
    match->sums[records[i].reason].weight += records[i].weight;
    match->sums[records[i].reason].functions++;
    match->all.weight += records[i].weight;
    match->all.functions++;
  }
}

static const char *read_build_functions(const struct build_image *build,
                                        uint64_t *version) {
  struct raw_version_evidence witnesses;
  *build->functions = (struct image_functions){.count = 0};
  const char *error = raw_version_collect_evidence(build->elf, 0, &witnesses);
  if (!error)
    error = raw_version_choose(&witnesses, 0, build->raw, version);
  return error ? error : functions_read(build->functions, build->elf, *version);
}

/* Returns whether the build, which has this raw version, and the profile have
 * the same kind of instrumentation: front end or IR. */
static bool is_instrumented_alike(uint64_t version,
                                  const struct profile *profile) {
  const unsigned kinds = PROFILE_FRONT_END | PROFILE_IR;
  unsigned build = profile_decode_flags(version) & kinds;
  return (build ? build : PROFILE_FRONT_END) == (profile->flags & kinds);
}

void match_begin(struct build_match *match) {
  *match = (struct build_match){.records.limit = SIZE_MAX / 2,
                                .build.limit = SIZE_MAX / 2,
                                .names.limit = SIZE_MAX / 2};
}

void match_compute_reasons(struct build_match *match, bool same_kind) {
  struct match_function *records = (void *)match->records.data;
  struct map map = {.limit = SIZE_MAX / 256};
  if (same_kind)
    match_records(match, &map);
  map_free(&map);
  for (size_t i = 0; !same_kind && i < match->records.size / sizeof *records;
       i++)
    records[i].reason = MATCH_KIND;
  sort_and_sum_match_reasons(match);
}

const char *match_profile(struct build_match *match, struct profile *profile,
                          const struct build_image *build) {
  uint64_t version;
  match_begin(match);
  const char *error = read_build_functions(build, &version);
  bool same = !error && is_instrumented_alike(version, profile);
  if (error)
    return error;
  if (same)
    translate_separators(profile, build->functions);
  add_profile_records(match, profile);
  add_build_functions(match, build->functions, profile);
  match_compute_reasons(match, same);
  return NULL;
}

void match_free(struct build_match *match) {
  buffer_free(&match->records);
  buffer_free(&match->build);
  arena_free(&match->names);
}
