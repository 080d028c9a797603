/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of an export, as hashes.
 */
#include "alike.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/error.h"

/* FNV-1a, 64 bits. */
static const uint64_t hash_begin = UINT64_C(0xCBF29CE484222325);

static uint64_t hash(uint64_t sum, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  while (size--)
    sum = (sum ^ *at++) * UINT64_C(0x100000001B3);
  return sum;
}

static uint64_t hash_text(const char *text) {
  return hash(hash_begin, text, strlen(text));
}

/* Without counts. */
static uint64_t shape_of(const struct exported *exported,
                         const struct exported_function *function) {
  uint64_t sum = hash_begin;
  for (uint32_t i = 0; i < function->regions.count; i++) {
    const struct exported_region *one =
        &exported_regions(exported)[function->regions.begin + i];
    const uint32_t rest[] = {one->file, one->expanded, one->kind};
    sum = hash(sum, &one->span, sizeof one->span);
    sum = hash(sum, rest, sizeof rest);
  }
  for (uint32_t i = 0; i < function->branches.count; i++) {
    const struct exported_branch *one =
        &exported_branches(exported)[function->branches.begin + i];
    const uint32_t rest[] = {one->file, one->kind};
    sum = hash(sum, &one->span, sizeof one->span);
    sum = hash(sum, rest, sizeof rest);
  }
  return sum;
}

ORDER_BY(order, struct trait, x->name);

const char *traits_make(struct traits *traits,
                        const struct exported *exported) {
  const struct exported_function *functions = exported_functions(exported);
  size_t count = exported_function_count(exported);
  traits->count = 0;
  traits->list = malloc((count + 1) * sizeof *traits->list);
  if (!traits->list)
    return out_of_memory;
  for (size_t i = 0; i < count; i++) {
    const struct exported_function *one = &functions[i];
    const char *file =
        one->files.count
            ? exported->names[exported_files(exported)[one->files.begin]]
            : "";
    traits->list[traits->count++] = (struct trait){
        hash_text(one->name), hash_text(file), shape_of(exported, one)};
  }
  sort(traits->list, traits->count, sizeof *traits->list, order);
  return NULL;
}

void traits_free(struct traits *traits) {
  free(traits->list);
  *traits = (struct traits){0};
}

/* Counts pairs of the same name: of the same file and another shape, or of
 * different files. */
static size_t count_pairs(const struct traits *a, const struct traits *b,
                          bool same_file) {
  size_t count = 0, begin = 0;
  for (size_t i = 0; i < a->count; i++) {
    const struct trait *x = &a->list[i];
    bool found = false;
    while (begin < b->count && b->list[begin].name < x->name)
      begin++;
    for (size_t k = begin; k < b->count && b->list[k].name == x->name; k++) {
      const struct trait *y = &b->list[k];
      found |= same_file ? x->file == y->file && x->shape != y->shape
                         : x->file != y->file;
    }
    count += found;
  }
  return count;
}

size_t traits_clashes(const struct traits *a, const struct traits *b) {
  return count_pairs(a, b, false);
}

size_t traits_differ(const struct traits *a, const struct traits *b) {
  return count_pairs(a, b, true);
}
