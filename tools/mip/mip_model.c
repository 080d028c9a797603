/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Keeps a profile in memory. Functions are in an array; an index lists them in
 * the order of the functions' bytes in the raw section. Edges are appended, and
 * are sorted when their number has doubled. mip_file.c and mip_raw.c fill the
 * profile, mip_view.c shows it.
 */
#include "mip_model.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/need.h"
#include "../object/digest.h"

#define ARENA_LIMIT ((size_t)4 << 30)

void mip_profile_init(struct mip_profile *profile) {
  *profile = (struct mip_profile){
      .arena = {.limit = ARENA_LIMIT}, .version = 8, .type = MIP_COVERAGE};
}

void mip_profile_free(struct mip_profile *profile) {
  arena_free(&profile->arena);
  free(profile->functions);
  free(profile->by_raw);
  free(profile->edges);
  *profile = (struct mip_profile){0};
}

/* ---- implied blocks ---- */

static const char damaged_follows[] =
    "the list of implied blocks is damaged; make the file again";

/* Removes the last entry from the numbers: a block, and the blocks that imply
 * this block. Returns false at the end of the numbers, or if the numbers are
 * damaged. */
static bool pop_implication(struct mip_implications *left, uint32_t *block,
                            struct mip_implications *from) {
  if (left->count < 2 || left->numbers[left->count - 2] > left->count - 2)
    return false;
  *block = left->numbers[left->count - 1];
  from->count = left->numbers[left->count - 2];
  left->count -= from->count + 2;
  from->numbers = left->numbers + left->count;
  return true;
}

enum { KEPT, FOLLOWS, KNOWN };

/* Marks in states[], for the entry and each block, which ones are implied.
 * Returns false if the numbers are damaged. */
static bool mark_implied_blocks(const struct mip_function *function,
                                unsigned char *states) {
  struct mip_implications left = function->implications, from;
  uint32_t block;
  while (pop_implication(&left, &block, &from)) {
    if (block > function->block_count || states[block] != KEPT)
      return false;
    states[block] = FOLLOWS;
  }
  return !left.count;
}

static bool check_implications(const struct mip_function *function,
                               unsigned char *states) {
  struct mip_implications left = function->implications, from;
  uint32_t block;
  while (pop_implication(&left, &block, &from)) {
    if (!from.count)
      return false;
    for (uint32_t i = 0; i < from.count; i++)
      if (from.numbers[i] > function->block_count ||
          states[from.numbers[i]] == FOLLOWS)
        return false;
    states[block] = KNOWN;
  }
  return true;
}

/* Copies the implications to the profile's arena, and marks the blocks that get
 * no byte. Returns NULL, or the error if the implications are damaged. */
static const char *copy_and_apply_implications(struct mip_profile *profile,
                                               struct mip_function *copy) {
  size_t count = (size_t)copy->block_count + 1;
  size_t size = copy->implications.count * sizeof *copy->implications.numbers;
  copy->kept = copy->block_count;
  if (!size)
    return NULL;
  if (!(profile->type & MIP_FOLLOWS))
    return damaged_follows;
  unsigned char *states = need_memory(calloc(count, 1));
  uint32_t *numbers = need_memory(arena_allocate(&profile->arena, size));
  memcpy(numbers, copy->implications.numbers, size);
  copy->implications.numbers = numbers;
  bool right = mark_implied_blocks(copy, states) &&
               check_implications(copy, states) &&
               !(states[0] && mip_has_counts(profile));
  for (size_t i = 1; i < count && right; i++) {
    copy->blocks[i - 1].implied = states[i] != KEPT;
    copy->kept -= states[i] != KEPT;
  }
  free(states);
  return right ? NULL : damaged_follows;
}

void mip_infer_blocks(const struct mip_function *function, bool *ran) {
  struct mip_implications left = function->implications, from;
  uint32_t block;
  while (pop_implication(&left, &block, &from))
    for (uint32_t i = 0; i < from.count; i++)
      ran[block] |= ran[from.numbers[i]];
}

/* ---- functions ---- */

const char *mip_add_function(struct mip_profile *profile,
                             const struct mip_function *function,
                             struct bytes name, struct mip_function **added) {
  struct mip_function copy = *function;
  if (!name.size || memchr(name.data, '\0', name.size))
    return "a function name is damaged; make the file again";
  copy.name = need_memory(arena_copy(&profile->arena, name.data, name.size));
  copy.blocks = NULL;
  if (copy.block_count) {
    size_t size = copy.block_count * sizeof *copy.blocks;
    copy.blocks = need_memory(arena_allocate(&profile->arena, size));
    if (function->blocks)
      memcpy(copy.blocks, function->blocks, size);
  }
  const char *error = copy_and_apply_implications(profile, &copy);
  if (error)
    return error;
  LIST_ADD(profile->functions, profile->function_count, copy);
  *added = &profile->functions[profile->function_count - 1];
  return NULL;
}

/* ---- the raw section ---- */

bool mip_has_counts(const struct mip_profile *profile) {
  return profile->type & (MIP_TIMES | MIP_CALLS);
}

uint64_t mip_function_raw_size(const struct mip_profile *profile,
                               const struct mip_function *function) {
  uint64_t blocks = profile->type & MIP_BLOCKS ? function->kept : 0;
  return mip_entry_size(profile->type) + blocks;
}

int mip_compare_positions(const void *left, const void *right) {
  const struct mip_position *a = left, *b = right;
  int order = compare_numbers(a->at, b->at);
  return order ? order : compare_numbers(a->number, b->number);
}

static const char *check_raw_places(const struct mip_profile *profile) {
  static const char wrong[] =
      "two functions share bytes of the raw section, or a function is outside "
      "of the section or not aligned; link with bareprof-mip.ld, or make the "
      "file again";
  uint64_t end = mip_header_size(MIP_A); /* mip_raw.c checks the true size of
                                            the header */
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct mip_function *function =
        &profile->functions[profile->by_raw[i].number];
    uint64_t raw = function->raw;
    if (raw < end || raw > UINT32_MAX || (mip_has_counts(profile) && raw % 4))
      return wrong;
    end = raw + mip_function_raw_size(profile, function);
  }
  return NULL;
}

const char *mip_index_and_check_functions(struct mip_profile *profile) {
  size_t count = profile->function_count;
  free(profile->by_raw);
  profile->by_raw =
      need_memory(malloc((count + !count) * sizeof *profile->by_raw));
  for (size_t i = 0; i < count; i++)
    profile->by_raw[i] =
        (struct mip_position){profile->functions[i].raw, (uint32_t)i};
  qsort(profile->by_raw, count, sizeof *profile->by_raw, mip_compare_positions);
  return check_raw_places(profile);
}

bool mip_find_function_by_raw(const struct mip_profile *profile, uint64_t raw,
                              uint32_t *number) {
  size_t i = search_from(profile->by_raw, profile->function_count, at, raw);
  if (i == profile->function_count || profile->by_raw[i].at != raw)
    return false;
  *number = profile->by_raw[i].number;
  return true;
}

/* ---- adding ---- */

void mip_add_runs(const struct mip_profile *profile,
                  struct mip_function *function,
                  const struct mip_function *more) {
  uint64_t runs = (uint64_t)function->runs + more->runs;
  function->runs = runs > UINT32_MAX ? UINT32_MAX : (uint32_t)runs;
  function->order = add_saturated(function->order, more->order);
  if (mip_has_counts(profile))
    function->calls = add_saturated(function->calls, more->calls);
  else if (function->calls < more->calls)
    function->calls = more->calls;
}

/* Return addresses are signed distances. The XOR makes the unsigned comparison
 * keep the order of signed numbers. */
ORDER_BY(compare_edges, struct mip_edge, x->callee,
         (uint64_t)x->from ^ (uint64_t)INT64_MIN);

void mip_sort_and_merge_edges(struct mip_profile *profile) {
  struct mip_edge *list = profile->edges;
  size_t kept = 0;
  if (profile->edge_count == profile->edges_settled)
    return;
  qsort(list, profile->edge_count, sizeof *list, compare_edges);
  for (size_t i = 0; i < profile->edge_count; i++)
    if (kept && compare_edges(&list[kept - 1], &list[i]) == 0)
      list[kept - 1].count = add_saturated(list[kept - 1].count, list[i].count);
    else
      list[kept++] = list[i];
  profile->edge_count = profile->edges_settled = kept;
}

void mip_add_edge(struct mip_profile *profile, const struct mip_edge *edge) {
  if (profile->edge_count >= 2 * profile->edges_settled + 64)
    mip_sort_and_merge_edges(profile);
  LIST_ADD(profile->edges, profile->edge_count, *edge);
}

/* ==== Compares functions of two profiles. Functions are the same if they have
 * the same bytes in the raw section. Everything else in their map records must
 * then be equal, too. */

static bool is_same_function(const struct mip_function *a,
                             const struct mip_function *b) {
  if (a->raw != b->raw || a->address != b->address || a->size != b->size ||
      a->cfg != b->cfg || a->block_count != b->block_count ||
      a->implications.count != b->implications.count ||
      strcmp(a->name, b->name))
    return false;
  for (uint32_t i = 0; i < a->implications.count; i++)
    if (a->implications.numbers[i] != b->implications.numbers[i])
      return false;
  for (uint32_t i = 0; i < a->block_count; i++)
    if (a->blocks[i].offset != b->blocks[i].offset)
      return false;
  return true;
}

const char *mip_check_same_build(const struct mip_profile *to,
                                 const struct mip_profile *from) {
  if (to->hash != from->hash || to->type != from->type)
    return "the module hash or the profile type does not match; pass profiles "
           "of one build";
  if (to->build && from->build && to->build != from->build)
    return "the build id does not match; pass profiles of one build";
  if (to->revision != from->revision || to->wide != from->wide)
    return "the file format revision does not match; pass profiles of one "
           "build";
  if (to->function_count != from->function_count)
    return "the list of functions does not match; pass profiles of one build";
  for (size_t i = 0; i < to->function_count; i++)
    if (!is_same_function(&to->functions[to->by_raw[i].number],
                          &from->functions[from->by_raw[i].number]))
      return "the addresses, sizes or blocks of functions do not match; pass "
             "profiles of one build";
  return NULL;
}

const char *mip_add_profile(struct mip_profile *to,
                            const struct mip_profile *from) {
  const char *error = mip_check_same_build(to, from);
  if (error)
    return error;
  for (size_t i = 0; i < to->function_count; i++) {
    struct mip_function *into = &to->functions[to->by_raw[i].number];
    const struct mip_function *more = &from->functions[from->by_raw[i].number];
    mip_add_runs(to, into, more);
    for (uint32_t k = 0; k < into->block_count; k++)
      into->blocks[k].covered |= more->blocks[k].covered;
  }
  for (size_t i = 0; i < from->edge_count; i++) {
    struct mip_edge edge = from->edges[i];
    uint64_t raw = from->functions[edge.callee].raw;
    if (mip_find_function_by_raw(to, raw, &edge.callee))
      mip_add_edge(to, &edge);
  }
  to->lost = add_saturated(to->lost, from->lost);
  return NULL;
}

/* ==== Compares the order in which functions were first called. */

int mip_compare_ranks(const struct mip_function *a,
                      const struct mip_function *b) {
  double first = mip_call_rank(a), second = mip_call_rank(b);
  return (first > second) - (first < second);
}

static const struct mip_function *get_ranked_function(const void *place) {
  return *(const struct mip_function *const *)place;
}

/* Compares by rank. If ranks are equal, the order of the profile decides. */
static int compare_ranked_functions(const void *left, const void *right) {
  const struct mip_function *a = get_ranked_function(left),
                            *b = get_ranked_function(right);
  int order = mip_compare_ranks(a, b);
  return order ? order : (a > b) - (a < b);
}

static int compare_names(const void *left, const void *right) {
  int order =
      strcmp(get_ranked_function(left)->name, get_ranked_function(right)->name);
  return order ? order : compare_ranked_functions(left, right);
}

const char *mip_list_by_call_rank(const struct mip_profile *profile,
                                  const struct mip_function ***ranked,
                                  size_t *count) {
  size_t found = 0;
  const struct mip_function **list =
      need_memory(malloc((profile->function_count + 1) * sizeof *list));
  *ranked = list;
  *count = 0;
  for (size_t i = 0; i < profile->function_count; i++)
    if (mip_call_rank(&profile->functions[i]) > 0)
      list[found++] = &profile->functions[i];
  qsort(list, found, sizeof *list, compare_names);
  for (size_t i = 0; i < found; i++)
    if (!*count || strcmp(list[*count - 1]->name, list[i]->name))
      list[(*count)++] = list[i];
  qsort(list, *count, sizeof *list, compare_ranked_functions);
  return *count ? NULL
                : "no order of first calls was recorded; instrument with "
                  "--counts, and merge the data of a run";
}

/* ==== Makes hashes with MD5. */

uint32_t mip_module_hash(const char *name) {
  return (uint32_t)md5_low64(name, strlen(name));
}
