/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file has the common parts of the files that make a model: memory, lists,
 * the limit of steps, and names of files and functions.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"
#include "../../base/buffer.h"
#include "../../base/map.h"
#include "../../base/need.h"
#include "evaluation.h"
#include "../../image/image.h"

/* The limit of the steps of one evaluation. Real programs need only a small
 * part of it. */
#define STEPS_MOST (UINT64_C(1) << 33)

/* Sets the limit of all lists. If the limit is 0, frees the lists. */
static void limit_or_free_lists(struct evaluation *evaluation, size_t limit) {
  struct buffer *const lists[] = {
      &evaluation->values,    &evaluation->stack,    &evaluation->sites,
      &evaluation->leads,     &evaluation->owners,   &evaluation->scratch,
      &evaluation->active,    &evaluation->segments, &evaluation->merged[0],
      &evaluation->merged[1], &evaluation->holes};
  buffers_limit_or_free(lists, sizeof lists / sizeof *lists, limit);
}

void evaluation_begin(struct evaluation *evaluation, size_t limit) {
  struct true_counts *truth = &evaluation->truth;
  limit_or_free_lists(evaluation, limit);
  truth->stretches.limit = limit;
  truth->counts.limit = truth->all.limit = SIZE_MAX; /* The size of the source
                                                        limits these lists. */
  evaluation->steps = STEPS_MOST;
  evaluation->lines_of = NO_FILE;
}

void evaluation_end(struct evaluation *evaluation) {
  limit_or_free_lists(evaluation, 0);
  buffer_free(&evaluation->truth.stretches);
  buffer_free(&evaluation->truth.counts);
  buffer_free(&evaluation->truth.all);
}

void *evaluation_clear_and_reserve(struct buffer *buffer, size_t count,
                                   size_t size) {
  buffer->size = 0;
  buffer->limit = SIZE_MAX;
  need_memory(buffer_reserve(buffer, count * size + 1) ? NULL : buffer);
  return memset(buffer->data, 0, count * size);
}

void evaluation_append(struct evaluation *evaluation, struct buffer *list,
                       const void *element, size_t size) {
  if (!evaluation->error)
    evaluation->error = buffer_append(list, element, size);
}

bool evaluation_use_steps(struct evaluation *evaluation, uint64_t steps) {
  if (steps <= evaluation->steps) {
    evaluation->steps -= steps;
    return true;
  }
  evaluation->error = mapping_damaged;
  return false;
}

const struct region *
evaluation_find_expansion(const struct evaluation *evaluation, uint32_t file) {
  const uint32_t *sites = (const uint32_t *)(void *)evaluation->sites.data;
  return sites[file] ? &evaluation->mapping.regions[sites[file] - 1] : NULL;
}

/* ---- names of files ---- */

uint32_t evaluation_find_or_add_file(struct evaluation *evaluation,
                                     uint32_t file) {
  struct mapping *mapping = &evaluation->mapping;
  uint64_t index;
  uint32_t number = 0;
  memcpy(&index, mapping->files.data + file * sizeof index, sizeof index);
  uint64_t *known = need_memory(map_find_or_add(
      &evaluation->names, mapping->reference, index, evaluation->instance));
  if (*known)
    return (uint32_t)*known - 1;
  char *name = NULL;
  const char *error = mapping_file_name(mapping, file, &name);
  if (!error && !model_find_or_add_name(evaluation->out, name, &number))
    error = out_of_memory;
  free(name);
  if (error)
    evaluation->error = error;
  *known = number + 1;
  return number;
}

/* ---- names of functions ----
 *
 * The names of an ELF's functions are in a loaded section, in a section that is
 * not loaded (for lean and correlated images), or in the debug information.
 */

enum { SECTION_MOST = 1 << 30 };

const char *evaluation_read_function_names(const struct elf *elf,
                                           struct name_table *names) {
  struct elf_section section;
  struct bytes bytes = {NULL, 0};
  unsigned char *memory = NULL;
  struct buffer made = {.limit = SECTION_MOST};
  const char *error = NULL;
  bool lost;
  *names = (struct name_table){.text.limit = 0};
  if ((elf_find_section(elf, "__llvm_prf_names", &section) && section.size) ||
      elf_find_section(elf, "__llvm_covnames", &section))
    error = elf_read_contents(elf, &section, SECTION_MOST, &bytes, &memory);
  else
    error = image_make_debug_names(elf, &made, &lost);
  if (made.size)
    bytes = buffer_bytes(&made);
  if (!error)
    error = names_read(names, bytes);
  free(memory);
  buffer_free(&made);
  return error;
}
