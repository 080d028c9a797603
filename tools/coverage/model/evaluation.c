/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the model share: room, lists, steps, names of files.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"
#include "../../object/md5.h"
#include "model_inside.h"

static const char damaged[] = "its coverage mapping is damaged; link it again";

void *evaluation_room(struct evaluation *evaluation, struct buffer *buffer,
                      size_t count, size_t size) {
  buffer->size = 0;
  const char *error = buffer_reserve(buffer, count * size + 1);
  if (error) {
    evaluation->error = error;
    return NULL;
  }
  memset(buffer->data, 0, count * size);
  return buffer->data;
}

void evaluation_put(struct evaluation *evaluation, struct buffer *list,
                    const void *element, size_t size) {
  if (!evaluation->error)
    evaluation->error = buffer_add(list, element, size);
}

bool evaluation_step(struct evaluation *evaluation, uint64_t steps) {
  if (steps <= evaluation->steps) {
    evaluation->steps -= steps;
    return true;
  }
  evaluation->error = damaged;
  return false;
}

const struct region *evaluation_site(const struct evaluation *evaluation,
                                     uint32_t file) {
  const uint32_t *sites = (const uint32_t *)(void *)evaluation->sites.data;
  return sites[file] ? &evaluation->mapping.regions[sites[file] - 1] : NULL;
}

/* ---- names of files ---- */

static const char *add_name(struct exported *out, const char *name,
                            uint32_t *number) {
  size_t size = strlen(name);
  const uint64_t key[3] = {md5_low64(name, size), size, 0};
  bool is_new;
  size_t found = map_number(&out->numbers, key, &is_new);
  if (!found)
    return out_of_memory;
  *number = (uint32_t)found - 1;
  if (!is_new)
    return NULL;
  char *copy = arena_copy(&out->texts, name, size);
  if (!copy || !list_more(&out->names, out->name_count, sizeof *out->names))
    return out_of_memory;
  out->names[out->name_count++] = copy;
  return NULL;
}

uint32_t names_number(struct evaluation *evaluation, uint32_t file) {
  struct mapping *mapping = &evaluation->mapping;
  uint64_t index;
  uint32_t number = 0;
  memcpy(&index, mapping->files.data + file * sizeof index, sizeof index);
  uint64_t *known = map_at(&evaluation->names, mapping->reference, index,
                           evaluation->instance);
  if (!known) {
    evaluation->error = out_of_memory;
    return 0;
  }
  if (*known)
    return (uint32_t)*known - 1;
  char *name = NULL;
  const char *error = mapping_file(mapping, file, &name);
  if (!error)
    error = add_name(evaluation->out, name, &number);
  free(name);
  if (error)
    evaluation->error = error;
  *known = number + 1;
  return number;
}
