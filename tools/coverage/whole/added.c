/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds functions that no ELF has to the model: functions of an object with
 * their mapping, and functions of which only the lines are known
 * (whole_lines.c). coverage.c makes the model again with these.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/map.h"
#include "../../base/need.h"
#include "whole.h"

enum { OBJECT_MOST = 1 << 30 };

/* An object, which stays open because the model may be made again. */
struct added_object {
  struct added_object *next;
  struct file file;
  struct elf elf;
  struct names names;
};

void added_free(struct added *added) {
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
static const char *add_records(struct whole *whole, struct added_object *object,
                               size_t file, size_t *count) {
  struct added *added = &whole->added;
  struct mapping mapping;
  const char *error = mapping_open(&mapping, &object->elf);
  while (!error && mapping_next(&mapping, &error)) {
    if (seen_function_file(&whole->seen, &mapping) != file ||
        seen_has(&whole->seen, &mapping, file))
      continue;
    if (seen_lost(&whole->seen, &mapping))
      LIST_ADD(added->lost, added->lost_count,
               (struct added_lost){mapping.name, mapping.hash});
    need(map_at(&added->only, mapping.name, added->count, 0));
    ++*count;
  }
  mapping_close(&mapping);
  return error;
}

const char *added_object(struct whole *whole, const char *name, size_t file,
                         size_t *count) {
  struct added *added = &whole->added;
  struct added_object *one = need(calloc(1, sizeof *one));
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
    error = add_records(whole, one, file, count);
  if (!error && *count)
    error = evaluate_names(&one->elf, &one->names);
  if (!error && *count)
    LIST_ADD(added->list, added->count,
             (struct evaluated){.elf = &one->elf,
                                .names = &one->names,
                                .only = &added->only,
                                .number = number});
  return error;
}

void added_function(struct added *added,
                    const struct absent_function *function) {
  struct absent_function *one = NULL;
  size_t size = function->count * sizeof *function->lines;
  added->texts.limit = SIZE_MAX;
  one = need(arena_take(&added->texts, sizeof *one));
  *one = (struct absent_function){
      .name = need_copy(&added->texts, function->name),
      .file = need_copy(&added->texts, function->file),
      .lines = memcpy(need(arena_take(&added->texts, size)), function->lines,
                      size),
      .count = function->count};
  LIST_ADD(added->list, added->count, (struct evaluated){.absent = one});
}

void added_counts(const struct added *added,
                  const struct profile *const *profiles, size_t count,
                  struct profile *counts) {
  profile_new(counts, OBJECT_MOST);
  for (size_t k = 0; k < added->lost_count; k++)
    for (size_t i = 0; i < count; i++) {
      const struct added_lost *lost = &added->lost[k];
      const struct counts *one =
          profiles[i] ? seen_counts(profiles[i], lost->name, lost->hash) : NULL;
      if (!one)
        continue;
      const char *name = profile_find(profiles[i], lost->name)->name;
      const struct addition addition = {.name = name,
                                        .name_size = strlen(name),
                                        .hash = lost->hash,
                                        .counters = one->counters,
                                        .bitmap = one->more->bitmap,
                                        .counter_count = one->counter_count,
                                        .bitmap_size = one->more->bitmap_size,
                                        .weight = 1};
      if (profile_add(counts, &addition, NULL) == REFUSED_MEMORY)
        need(NULL);
    }
}
