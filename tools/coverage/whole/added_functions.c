/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds functions that no ELF has to the model: functions of an object with
 * their mapping, and functions of which only the lines are known
 * (expected_lines.c). coverage.c makes the model again with these.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/map.h"
#include "../../base/need.h"
#include "expected.h"

enum { OBJECT_MOST = 1 << 30 };

/* An object, which stays open because the model may be made again. */
struct added_object {
  struct added_object *next;
  struct file file;
  struct elf elf;
  struct name_table names;
};

void added_free(struct added_functions *added) {
  for (struct added_object *one = added->objects, *next; one; one = next) {
    next = one->next;
    names_free(&one->names);
    file_close(&one->file);
    free(one);
  }
  map_free(&added->only);
  free(added->list);
  free(added->lost);
  arena_free(&added->texts);
}

/* Notes the functions of an object that are in this source and in no ELF's
 * mapping. *count: how many there are. */
static const char *add_object_functions(struct expected_sources *whole,
                                        struct added_object *object,
                                        size_t file, size_t *count) {
  struct added_functions *added = &whole->added;
  struct mapping mapping;
  const char *error = mapping_open(&mapping, &object->elf);
  while (!error && mapping_next_function(&mapping, &error)) {
    if (seen_function_file(&whole->seen, &mapping) != file ||
        seen_has_function(&whole->seen, &mapping, file))
      continue;
    if (seen_is_unmapped(&whole->seen, &mapping))
      LIST_ADD(added->lost, added->lost_count,
               (struct added_unmapped){mapping.name, mapping.hash});
    need_memory(map_find_or_add(&added->only, mapping.name, added->count, 0));
    ++*count;
  }
  mapping_close(&mapping);
  return error;
}

const char *added_add_object(struct expected_sources *whole, const char *name,
                             size_t file, size_t *count) {
  struct added_functions *added = &whole->added;
  struct added_object *one = need_memory(calloc(1, sizeof *one));
  size_t number = added->count;
  *count = 0;
  if (file_map(&one->file, name, OBJECT_MOST)) {
    free(one);
    return "an object cannot be read";
  }
  one->next = added->objects;
  added->objects = one;
  added->only.limit = OBJECT_MOST;
  const char *error = elf_open(&one->elf, one->file.bytes);
  if (!error)
    error = add_object_functions(whole, one, file, count);
  if (!error && *count)
    error = evaluation_read_names(&one->elf, &one->names);
  if (!error && *count)
    LIST_ADD(added->list, added->count,
             (struct evaluate_input){.elf = &one->elf,
                                     .names = &one->names,
                                     .only = &added->only,
                                     .number = number});
  return error;
}

void added_add_function(struct added_functions *added,
                        const struct absent_function *function) {
  struct absent_function *one = NULL;
  size_t size = function->count * sizeof *function->lines;
  added->texts.limit = SIZE_MAX;
  one = need_memory(arena_allocate(&added->texts, sizeof *one));
  *one = (struct absent_function){
      .name = need_copy(&added->texts, function->name),
      .file = need_copy(&added->texts, function->file),
      .lines = memcpy(need_memory(arena_allocate(&added->texts, size)),
                      function->lines, size),
      .count = function->count};
  LIST_ADD(added->list, added->count, (struct evaluate_input){.absent = one});
}

void added_make_profile(const struct added_functions *added,
                        const struct profile *const *profiles, size_t count,
                        struct profile *counts) {
  profile_new(counts, OBJECT_MOST);
  for (size_t k = 0; k < added->lost_count; k++)
    for (size_t i = 0; i < count; i++) {
      const struct added_unmapped *lost = &added->lost[k];
      const struct record_counts *one =
          profiles[i] ? seen_find_counts(profiles[i], lost->name, lost->hash)
                      : NULL;
      if (!one)
        continue;
      const char *name = profile_find_function(profiles[i], lost->name)->name;
      const struct counts_addition addition = {
          .name = name,
          .name_size = strlen(name),
          .hash = lost->hash,
          .counters = one->counters,
          .bitmap = one->more->bitmap,
          .counter_count = one->counter_count,
          .bitmap_size = one->more->bitmap_size,
          .weight = 1};
      if (profile_add_counts(counts, &addition, NULL) == REFUSED_MEMORY)
        need_memory(NULL);
    }
}
