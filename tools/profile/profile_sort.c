/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sorts functions by name, and adds profiles. Names are long and have common
 * beginnings. So eight characters of each name become a number in the list:
 * first the first eight, then, for names with equal numbers, the next eight. A
 * radix sort sorts the numbers.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/buffer.h"
#include "../base/need.h"
#include "../base/storage.h"
#include "../object/digest.h"
#include "../object/names.h"
#include "model.h"

/* Lists of fewer elements use an insertion sort. */
enum { FEW = 64, VALUES = 256 };

static void insertion_sort_items(struct keyed_item *list, size_t count) {
  for (size_t i = 1; i < count; i++) {
    struct keyed_item one = list[i];
    size_t at = i;
    for (; at && list[at - 1].key > one.key; at--)
      list[at] = list[at - 1];
    list[at] = one;
  }
}

/* Finds the first position of each value of a byte. */
static void compute_bucket_begins(const struct keyed_item *list, size_t count,
                                  unsigned shift, size_t begins[VALUES]) {
  size_t counts[VALUES] = {0}, at = 0;
  for (size_t i = 0; i < count; i++)
    counts[list[i].key >> shift & 0xFF]++;
  for (unsigned i = 0; i < VALUES; i++) {
    begins[i] = at;
    at += counts[i];
  }
}

/* Returns whether the list is sorted. Sets *different to the bits in which the
 * keys differ. */
static bool is_sorted(const struct keyed_item *list, size_t count,
                      uint64_t *different) {
  bool sorted = true;
  *different = 0;
  for (size_t i = 1; i < count; i++) {
    *different |= list[i].key ^ list[i - 1].key;
    sorted = sorted && list[i - 1].key <= list[i].key;
  }
  return sorted;
}

void keyed_sort(struct keyed_item *list, struct keyed_item *spare,
                size_t count) {
  size_t begins[VALUES];
  uint64_t different;
  struct keyed_item *from = list, *to = spare;
  if (count < FEW) {
    insertion_sort_items(list, count);
    return;
  }
  if (is_sorted(list, count, &different))
    return;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if (!(different >> shift & 0xFF))
      continue;
    compute_bucket_begins(from, count, shift, begins);
    for (size_t i = 0; i < count; i++)
      to[begins[from[i].key >> shift & 0xFF]++] = from[i];
    struct keyed_item *other = from;
    from = to;
    to = other;
  }
  if (from != list)
    memcpy(list, from, count * sizeof *list);
}

/* Lists of fewer than FEW_NAMES names, and names beyond DEEP characters, are
 * compared directly. Names are scattered over memory, so they are prefetched
 * AHEAD positions before they are needed. */
enum { FEW_NAMES = 12, DEEP = 2048, AHEAD = 16 };

/* Returns the function whose address is the item. */
static struct function_entry *function_of_item(const struct keyed_item *keyed) {
  return (struct function_entry *)(uintptr_t)keyed->item;
}

static int compare_names(const void *a, const void *b) {
  const struct function_entry *one = function_of_item(a),
                              *two = function_of_item(b);
  int order =
      compare_bytes(one->name, one->name_size, two->name, two->name_size);
  return order ? order : compare_numbers(one->number, two->number);
}

static void insertion_sort_names(struct keyed_item *list, size_t count) {
  for (size_t i = 1; i < count; i++) {
    struct keyed_item one = list[i];
    size_t at = i;
    for (; at && compare_names(&list[at - 1], &one) > 0; at--)
      list[at] = list[at - 1];
    list[at] = one;
  }
}

/* Returns eight characters from depth on, with zeros after the end. */
static uint64_t load_name_key(const struct function_entry *entry,
                              size_t depth) {
  uint64_t key = 0;
  if (depth + 8 <= entry->name_size)
    return load64((const unsigned char *)entry->name + depth, true);
  for (size_t i = depth; i < depth + 8; i++)
    key = key << 8 | (i < entry->name_size ? (unsigned char)entry->name[i] : 0);
  return key;
}

/* The parameters of the sort, which do not change. */
struct name_sorter {
  const struct keyed_item *list;
  struct keyed_item *spare;
  names_need_order *divides; /* as in names_sort_partly; NULL: sort
                                everything */
};

/* Returns whether the names from index `first` on must be sorted. */
static bool needs_sorting(const struct name_sorter *sorter,
                          const struct keyed_item *first, size_t count) {
  size_t at = (size_t)(first - sorter->list);
  return count > 1 && (!sorter->divides || sorter->divides(at, at + count));
}

/* Sorts names whose first `depth` characters are equal. */
static void sort_names_from_depth(const struct name_sorter *sorter,
                                  struct keyed_item *list, size_t count,
                                  size_t depth) {
  if (count < FEW_NAMES) {
    insertion_sort_names(list, count);
    return;
  }
  if (depth >= DEEP) {
    qsort(list, count, sizeof *list, compare_names);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    if (i + 2 * AHEAD < count)
      __builtin_prefetch(function_of_item(&list[i + 2 * AHEAD]));
    if (i + AHEAD < count)
      __builtin_prefetch(function_of_item(&list[i + AHEAD])->name + depth);
    list[i].key = load_name_key(function_of_item(&list[i]), depth);
  }
  keyed_sort(list, sorter->spare, count);
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && list[end].key == list[first].key;)
      end++;
    if (needs_sorting(sorter, list + first, end - first))
      sort_names_from_depth(sorter, list + first, end - first, depth + 8);
  }
}

void names_sort_partly(struct keyed_item *list, struct keyed_item *spare,
                       size_t count, names_need_order *divides) {
  const struct name_sorter sorter = {list, spare, divides};
  if (needs_sorting(&sorter, list, count))
    sort_names_from_depth(&sorter, list, count, 0);
}

struct function_entry **
profile_list_sorted_functions(const struct profile *profile) {
  size_t count = profile->function_count, room = count + 1;
  struct function_entry **list = need_memory(malloc(room * sizeof *list));
  struct keyed_item *keyed = need_memory(malloc(2 * room * sizeof *keyed));
  for (size_t i = 0; i < count; i++)
    keyed[i].item = (uintptr_t)profile->arrived[i];
  names_sort_partly(keyed, keyed + room, count, NULL);
  for (size_t i = 0; i < count; i++)
    list[i] = function_of_item(&keyed[i]);
  free(keyed);
  return list;
}

/* ==== Adds one profile to another. */

static enum addition_result
add_function_counts(struct profile *to, const struct function_entry *function,
                    const struct record_counts *counts) {
  struct counts_addition addition = profile_make_addition(function, counts);
  struct record_counts *there = NULL;
  addition.reference = function->reference;
  to->source = counts->source;
  enum addition_result result = profile_add_counts(to, &addition, &there);
  if (there)
    there->merged += counts->merged;
  return result;
}

static enum addition_result add_profile_functions(struct profile *to,
                                                  const struct profile *from) {
  for (size_t i = 0; i < from->function_count; i++)
    for (const struct record_counts *counts = from->arrived[i]->counts; counts;
         counts = counts->next) {
      enum addition_result result =
          add_function_counts(to, from->arrived[i], counts);
      if (result != ADDED)
        return result;
    }
  return ADDED;
}

static int compare_build_ids(const void *left, const void *right) {
  const struct bytes *a = left, *b = right;
  return compare_bytes(a->data, a->size, b->data, b->size);
}

/* Adds a build id. Files of one build have the same ids, so most ids exist
 * already. New ids are appended after the sorted ids. */
static bool add_build_id(struct profile *profile, struct bytes id) {
  struct buffer *ids = &profile->ids;
  if (profile->ids_settled && bsearch(&id, ids->data, profile->ids_settled,
                                      sizeof id, compare_build_ids))
    return true;
  struct bytes copy = {
      (unsigned char *)arena_copy(&profile->arena, id.data, id.size), id.size};
  return copy.data && !buffer_append_bytes(ids, &copy, sizeof copy);
}

void profile_sort_unique_build_ids(struct profile *profile) {
  struct bytes *list = (struct bytes *)(void *)profile->ids.data;
  size_t count = profile->ids.size / sizeof *list, kept = 0;
  if (count == profile->ids_settled)
    return;
  qsort(list, count, sizeof *list, compare_build_ids);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || compare_build_ids(&list[i], &list[kept - 1]) != 0)
      list[kept++] = list[i];
  profile->ids.size = kept * sizeof *list;
  profile->ids_settled = kept;
}

bool profile_add_ids_and_memprof(struct profile *to,
                                 const struct profile *from) {
  const struct bytes *ids = (const void *)from->ids.data;
  size_t size = from->memprof.size;
  bool added = true;
  for (size_t i = 0; added && i < from->ids.size / sizeof *ids; i++)
    added = add_build_id(to, ids[i]);
  profile_sort_unique_build_ids(to);
  if (!added || !size)
    return added;
  to->memprof = (struct bytes){
      (unsigned char *)arena_copy(&to->arena, from->memprof.data, size), size};
  to->memprof_at = from->memprof_at;
  to->memprof_version = from->memprof_version;
  return to->memprof.data != NULL;
}

static bool add_nonfunction_parts(struct profile *to,
                                  const struct profile *from) {
  const char *const *vtables = (const void *)from->vtables.data;
  bool added = true;
  for (size_t i = 0; added && i < from->vtables.size / sizeof *vtables; i++)
    added = profile_add_vtable(to, vtables[i], strlen(vtables[i]));
  for (size_t i = 0; added && i < from->trace_count; i++)
    added = profile_add_trace(to, &from->traces[i]);
  if (added && from->run_count > from->trace_count)
    profile_add_runs_limit_traces(to, from->run_count - from->trace_count);
  return added && profile_add_ids_and_memprof(to, from);
}

enum addition_result profile_add_profile(struct profile *to,
                                         const struct profile *from) {
  if ((from->flags && profile_join_kind(to, from->flags, from->bitmaps)) ||
      (from->memprof.size && to->memprof.size))
    return REFUSED_SHAPE;
  to->thinned = to->thinned || from->thinned;
  enum addition_result result = add_profile_functions(to, from);
  if (result == ADDED && !add_nonfunction_parts(to, from))
    result = REFUSED_MEMORY;
  return result;
}

/* ==== Adds the other parts of a profile: its kind, names of vtables, build
 * ids, and traces (the order of first calls in each run). */

enum {
  MUST_AGREE = PROFILE_FRONT_END | PROFILE_IR | PROFILE_BYTES | PROFILE_PLACES,
  IDS_MOST = 16384 /* more than the number of modules of any program */
};

unsigned profile_decode_flags(uint64_t word) {
  static const struct {
    unsigned bit, flag;
  } variants[] = {{55, PROFILE_LOOP_ENTRIES}, {56, PROFILE_IR},
                  {57, PROFILE_CS},           {58, PROFILE_ENTRY_FIRST},
                  {59, PROFILE_CORRELATED},   {60, PROFILE_BYTES},
                  {61, PROFILE_ENTRY_ONLY},   {63, PROFILE_TEMPORAL}};
  unsigned flags = 0;
  for (unsigned i = 0; i < sizeof variants / sizeof *variants; i++)
    if (word >> variants[i].bit & 1)
      flags |= variants[i].flag;
  return flags & PROFILE_IR ? flags : flags | PROFILE_FRONT_END;
}

/* Checks whether one profile may have both kinds of bitmaps. Returns NULL or
 * the reason why not. */
static const char *check_bitmaps_fit(enum profile_bitmaps a,
                                     enum profile_bitmaps b) {
  if (!a || !b || a == b)
    return NULL;
  return a == BITMAPS_UNSAID || b == BITMAPS_UNSAID
             ? "this file or an earlier one is text, which does not say which "
               "LLVM its MC/DC bitmaps are from; use merge --mcdc-llvm N"
             : "MC/DC bitmaps of LLVM 18 cannot be added to MC/DC bitmaps of "
               "other releases; merge these files separately";
}

const char *profile_join_kind(struct profile *profile, unsigned flags,
                              enum profile_bitmaps bitmaps) {
  unsigned both = profile->flags | flags;
  unsigned differ = profile->flags ? (profile->flags ^ flags) & MUST_AGREE : 0;
  if (differ & PROFILE_IR)
    return "front-end profiles (-fprofile-instr-generate) and IR profiles "
           "(-fprofile-generate) cannot be merged; merge the two kinds "
           "separately";
  if (differ & PROFILE_BYTES)
    return "profiles with counts and profiles that only say whether code ran "
           "cannot be merged; merge the two kinds separately";
  if (differ)
    return "profiles with and without -pgo-instrument-entry (or "
           "-pgo-instrument-loop-entries) cannot be merged, because they count "
           "other blocks; merge the two kinds separately";
  const char *error = check_bitmaps_fit(profile->bitmaps, bitmaps);
  if (error)
    return error;
  profile->flags = both;
  if (bitmaps)
    profile->bitmaps = bitmaps;
  return NULL;
}

size_t vtables_sort_unique(const char **list, size_t count) {
  size_t kept = 0;
  sort_array(list, count, sizeof *list, compare_texts);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || strcmp(list[i], list[kept - 1]) != 0)
      list[kept++] = list[i];
  return kept;
}

/* Returns whether the name is one of the profile's sorted names of vtables. */
static bool has_sorted_vtable_name(const struct profile *profile,
                                   const char *name, size_t name_size) {
  const char *const *list = (const void *)profile->vtables.data;
  size_t low = 0, high = profile->vtables_settled;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strncmp(list[middle], name, name_size);
    if (order == 0 && list[middle][name_size] == 0)
      return true;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

/* Adds the name unless the profile has it. Files of one build have the same
 * names, so most names exist already. */
bool profile_add_vtable(struct profile *profile, const char *name,
                        size_t name_size) {
  struct buffer *all = &profile->vtables;
  size_t count = all->size / sizeof name;
  if (count >= 2 * profile->vtables_settled + 1024) {
    count = vtables_sort_unique((const char **)(void *)all->data, count);
    all->size = count * sizeof name;
    profile->vtables_settled = count;
  }
  if (has_sorted_vtable_name(profile, name, name_size))
    return true;
  const char *copy = arena_copy(&profile->arena, name, name_size);
  return copy && !buffer_append_bytes(all, &copy, sizeof copy);
}

bool profile_add_vtable_names(struct profile *profile,
                              const struct name_table *names) {
  bool added = true;
  for (size_t i = 0; added && i < names_count(names); i++) {
    const char *name = names_at(names, i);
    added = profile_add_vtable(profile, name, strlen(name));
  }
  return added;
}

bool profile_pop_build_id(struct bytes *ids, struct bytes *id, bool big) {
  uint64_t size = ids->size < 8 ? 0 : load64(ids->data, big);
  if (!size || size > ids->size - 8)
    return false;
  *id = (struct bytes){ids->data + 8, (size_t)size};
  size_t taken = 8 + (id->size + 7) / 8 * 8;
  if (taken > ids->size)
    return false;
  ids->data += taken;
  ids->size -= taken;
  return true;
}

const char *profile_add_build_ids(struct profile *to, struct bytes ids,
                                  bool big) {
  struct bytes id;
  for (unsigned i = 0; ids.size; i++) {
    if (i == IDS_MOST || !profile_pop_build_id(&ids, &id, big))
      return "the build ids are damaged; copy the file again";
    if (to && !add_build_id(to, id))
      return out_of_memory;
  }
  return NULL;
}

/* The most traces, and the most functions of a trace, as in LLVM. */
enum { PROFILE_TRACES_MOST = 100, PROFILE_TRACE_LENGTH_MOST = 10000 };

static bool is_same_trace(const struct temporal_trace *a,
                          const struct temporal_trace *b) {
  return a->hash == b->hash && a->count == b->count &&
         !memcmp(a->functions, b->functions, a->count * sizeof *a->functions);
}

static void drop_trace(struct profile *profile, size_t at) {
  free(profile->traces[at].functions);
  profile->trace_count--;
  memmove(profile->traces + at, profile->traces + at + 1,
          (profile->trace_count - at) * sizeof *profile->traces);
}

/* Adds the weight of trace number `at` to an earlier equal trace, if any, and
 * drops trace `at`. */
static void merge_equal_trace(struct profile *profile, size_t at) {
  struct temporal_trace *traces = profile->traces;
  size_t i = 0;
  bool cut;
  while (i < at && !is_same_trace(&traces[i], &traces[at]))
    i++;
  if (i == at)
    return;
  traces[i].weight =
      count_add_limited(traces[i].weight, traces[at].weight, &cut);
  drop_trace(profile, at);
}

static void limit_traces(struct profile *profile) {
  if (profile->run_count <= PROFILE_TRACES_MOST)
    return;
  for (size_t i = profile->trace_count; i-- > 1;)
    merge_equal_trace(profile, i);
  while (profile->trace_count > PROFILE_TRACES_MOST) {
    size_t most = 0;
    for (size_t i = 1; i < profile->trace_count; i++)
      if (profile->traces[i].hash >= profile->traces[most].hash)
        most = i;
    drop_trace(profile, most);
  }
}

bool profile_add_trace(struct profile *profile,
                       const struct temporal_trace *trace) {
  size_t count = trace->count < PROFILE_TRACE_LENGTH_MOST
                     ? trace->count
                     : (size_t)PROFILE_TRACE_LENGTH_MOST;
  size_t size = count * sizeof *trace->functions;
  if (size == 0)
    return true;
  uint64_t *functions =
      list_make_room(&profile->traces, profile->trace_count, sizeof *trace)
          ? malloc(size)
          : NULL;
  if (!functions)
    return false;
  memcpy(functions, trace->functions, size);
  profile->traces[profile->trace_count++] = (struct temporal_trace){
      trace->weight, functions, count, md5_low64(functions, size)};
  profile_add_runs_limit_traces(profile, 1);
  return true;
}

void profile_add_runs_limit_traces(struct profile *profile, uint64_t runs) {
  bool cut;
  profile->run_count = count_add_limited(profile->run_count, runs, &cut);
  limit_traces(profile);
}

size_t topn_insert(void *list, size_t count, size_t size, const void *element,
                   size_t most, int (*order)(const void *, const void *)) {
  char *end = (char *)list + count * size, *at = end;
  if (count == most && order(element, end - size) >= 0)
    return count;
  while (at != list && order(element, at - size) < 0)
    at -= size;
  if (count == most)
    end -= size;
  memmove(at + size, at, (size_t)(end - at));
  memcpy(at, element, size);
  return count + (count < most);
}
