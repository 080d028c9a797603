/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Value data of raw profiles has addresses: of functions, which records tell,
 * and inside vtables. They differ from run to run where programs are loaded
 * anywhere.
 */
#include <stdlib.h>

#include "../base/search.h"
#include "raw_inside.h"

struct raw_range {
  uint64_t begin, end, reference;
};

static uint64_t load_pointer(const struct raw *raw, const unsigned char *at) {
  return load_number(at, raw->pointer, raw->big);
}

/* Of functions that the linker made one, the least reference: any would do,
 * but always the same. */
static void drop_repeats(struct raw_places *places) {
  struct keyed *list = places->functions;
  size_t kept = 0;
  for (size_t i = 0; i < places->function_count; i++)
    if (!kept || list[kept - 1].key != list[i].key)
      list[kept++] = list[i];
    else if (list[i].item < list[kept - 1].item)
      list[kept - 1].item = list[i].item;
  places->function_count = kept;
}

static bool map_functions(struct raw_places *places) {
  const struct raw *raw = places->raw;
  size_t count = raw_record_count(raw);
  struct keyed *list = malloc((count + 1) * sizeof *list);
  struct keyed *spare = malloc((count + 1) * sizeof *spare);
  const unsigned char *at = raw->records.data;
  places->functions = list;
  for (size_t i = 0; i < count && list && spare; i++) {
    struct record record;
    record_read(&raw->form, at, 0, &record);
    if (record.function)
      list[places->function_count++] =
          (struct keyed){record.function, record.name};
    at += raw->layout.record_size;
  }
  if (list && spare)
    keyed_sort(list, spare, places->function_count);
  free(spare);
  drop_repeats(places);
  return list && spare;
}

static int by_begin(const void *left, const void *right) {
  const struct raw_range *a = left, *b = right;
  if (a->begin != b->begin)
    return a->begin < b->begin ? -1 : 1;
  return a->reference < b->reference ? -1 : a->reference > b->reference;
}

static bool map_vtables(struct raw_places *places) {
  const struct raw *raw = places->raw;
  size_t size = raw->wide ? 24 : 16, count = raw->vtables.size / size;
  places->vtables = malloc((count + 1) * sizeof *places->vtables);
  if (!places->vtables)
    return false;
  places->vtable_count = count;
  for (size_t i = 0; i < count; i++) {
    const unsigned char *at = raw->vtables.data + i * size;
    uint64_t begin = load_pointer(raw, at + 8);
    places->vtables[i] = (struct raw_range){
        begin, begin + load32(at + 8 + raw->pointer, raw->big),
        load64(at, raw->big)};
  }
  qsort(places->vtables, count, sizeof *places->vtables, by_begin);
  return true;
}

static uint64_t find_vtable(const struct raw_places *places, uint64_t address) {
  size_t low = 0, high = places->vtable_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (places->vtables[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low && address < places->vtables[low - 1].end
             ? places->vtables[low - 1].reference
             : 0;
}

static uint64_t find_function(const struct raw_places *places,
                              uint64_t address) {
  size_t low = search_key(places->functions, sizeof *places->functions,
                          places->function_count, address);
  return low < places->function_count && places->functions[low].key == address
             ? places->functions[low].item
             : 0;
}

static void map_sites(const struct raw_places *places, struct sites *sites,
                      unsigned kind) {
  struct site *list = sites_list(sites, kind);
  for (uint32_t i = 0; i < sites->count[kind]; i++)
    for (uint32_t j = 0; j < list[i].count; j++) {
      struct value *value = &list[i].values[j];
      value->value = kind == VALUE_CALLS ? find_function(places, value->value)
                                         : find_vtable(places, value->value);
    }
}

bool raw_places_map(struct raw_places *places, struct sites *sites) {
  if (sites->count[VALUE_CALLS] && !places->functions && !map_functions(places))
    return false;
  if (sites->count[VALUE_VTABLES] && !places->vtables && !map_vtables(places))
    return false;
  map_sites(places, sites, VALUE_CALLS);
  map_sites(places, sites, VALUE_VTABLES);
  return true;
}

void raw_places_free(struct raw_places *places) {
  free(places->functions);
  free(places->vtables);
  places->functions = NULL;
  places->vtables = NULL;
}
