/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What was counted in each function. Of several ELFs, those functions are one
 * whose name, hash, files and regions are the same: two functions `main` are
 * told apart by their files, two compilers' forms by their regions.
 */
#include "model_inside.h"

#include "../../base/error.h"
#include "../../object/digest.h"

/* ---- one ELF ---- */

static struct counted find_counts(const struct evaluated *from, uint64_t name,
                                  uint64_t hash, bool *other) {
  const struct function_entry *function = profile_find(from->profile, name);
  *other = function;
  for (const struct counts *one = function ? function->counts : NULL; one;
       one = one->next)
    if (profile_hash(from->profile, one->hash) ==
        profile_hash(from->profile, hash)) {
      *other = false;
      return (struct counted){one->counters, one->more->bitmap,
                              one->counter_count, one->more->bitmap_size};
    }
  return (struct counted){.counters = NULL};
}

/* The same of what is one function in all ELFs. */
static uint64_t digest(struct evaluation *evaluation) {
  const struct mapping *mapping = &evaluation->mapping;
  const uint64_t parts[] = {md5_low64(mapping->body.data, mapping->body.size),
                            mapping->hash};
  struct buffer *names = &evaluation->scratch;
  names->size = 0;
  evaluation_put(evaluation, names, parts, sizeof parts);
  for (uint32_t i = 0; i < mapping->file_count && !evaluation->error; i++) {
    uint32_t number = names_number(evaluation, i);
    evaluation_put(evaluation, names, &number, sizeof number);
  }
  return evaluation->error ? 0 : md5_low64(names->data, names->size);
}

/* ---- several ELFs ---- */

static void add_sum(struct evaluation *evaluation,
                    const struct counted *counted, uint64_t key) {
  const char *name =
      profile_find(evaluation->from->profile, evaluation->mapping.name)->name;
  struct counts *entry;
  const struct addition addition = {.name = name,
                                    .name_size = strlen(name),
                                    .hash = key,
                                    .counters = counted->counters,
                                    .bitmap = counted->bitmap,
                                    .counter_count = counted->counter_count,
                                    .bitmap_size = counted->bitmap_size,
                                    .weight = 1};
  if (profile_add(&evaluation->sum, &addition, &entry) == REFUSED_MEMORY)
    evaluation->error = out_of_memory;
}

/* As clang writes a function that a source has and does not use. The hash of a
 * function that is used may be 0 as well: of one without a branch. */
static bool is_unused(const struct mapping *mapping) {
  return !mapping->hash && mapping->file_count == 1 &&
         !mapping->expression_list.size && mapping->region_count == 1 &&
         mapping->regions->kind == REGION_CODE && !mapping->regions->counter;
}

/* Adds the record's name to those that are used. */
static void add_used(struct evaluation *evaluation) {
  struct mapping *mapping = &evaluation->mapping;
  if (!mapping->hash)
    evaluation->error = mapping_record(mapping, mapping->record);
  if (!evaluation->error && !is_unused(mapping) &&
      !map_at(&evaluation->used, mapping->name, evaluation->instance, 0))
    evaluation->error = out_of_memory;
}

void sums_read(struct evaluation *evaluation) {
  struct mapping *mapping = &evaluation->mapping;
  bool other;
  while (mapping_next_record(mapping, &evaluation->error))
    add_used(evaluation);
  mapping_rewind(mapping);
  while (evaluation->elfs > 1 && mapping_next(mapping, &evaluation->error)) {
    struct counted counted =
        find_counts(evaluation->from, mapping->name, mapping->hash, &other);
    uint64_t key = digest(evaluation), *seen;
    if (evaluation->error || !counted.counters)
      continue;
    /* One ELF may have the record twice. */
    seen = map_at(&evaluation->seen, mapping->name, key, evaluation->instance);
    if (!seen)
      evaluation->error = out_of_memory;
    else if (!(*seen)++)
      add_sum(evaluation, &counted, key);
  }
  mapping_rewind(mapping);
}

bool sums_take(struct evaluation *evaluation) {
  const struct mapping *mapping = &evaluation->mapping;
  const struct evaluated sum = {.profile = &evaluation->sum};
  bool other;
  if (is_unused(mapping) &&
      map_find(&evaluation->used, mapping->name, evaluation->instance, 0))
    return false;
  evaluation->counted =
      find_counts(evaluation->from, mapping->name, mapping->hash, &other);
  if (other) {
    evaluation->out->mismatched += mapping->hash != 0;
    return false;
  }
  uint64_t key = digest(evaluation), *seen;
  if (evaluation->error)
    return false;
  seen = map_at(&evaluation->seen, mapping->name, key, ALL_INSTANCES);
  if (!seen)
    evaluation->error = out_of_memory;
  if (!seen || (*seen)++)
    return false;
  struct counted all = find_counts(&sum, mapping->name, key, &other);
  if (all.counters)
    evaluation->counted = all;
  return true;
}
