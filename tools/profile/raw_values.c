/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Value data of raw profiles has addresses: of functions, which records tell,
 * and inside vtables. They differ from run to run where programs are loaded
 * anywhere.
 */
#include <stdlib.h>

#include "raw_inside.h"

struct raw_place {
  uint64_t address; /* 0: free */
  uint64_t reference;
};

struct raw_range {
  uint64_t begin, end, reference;
};

static uint64_t load_pointer(const struct raw *raw, const unsigned char *at) {
  return load_number(at, raw->pointer, raw->big);
}

/* Where an address is, or would be. */
static struct raw_place *find_place(const struct raw_places *places,
                                    uint64_t address) {
  size_t at = (size_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 32);
  while (places->functions[at & (places->room - 1)].address &&
         places->functions[at & (places->room - 1)].address != address)
    at++;
  return &places->functions[at & (places->room - 1)];
}

/* Of functions that the linker made one, the least reference: any would do,
 * but always the same. */
static bool map_functions(struct raw_places *places) {
  const struct raw *raw = places->raw;
  size_t count = raw_record_count(raw);
  for (places->room = 16; places->room < 2 * count;)
    places->room *= 2;
  places->functions = calloc(places->room, sizeof *places->functions);
  if (!places->functions)
    return false;
  const unsigned char *at = raw->records.data;
  for (size_t i = 0; i < count; i++, at += raw->layout.record_size) {
    uint64_t reference = load64(at, raw->big);
    uint64_t address =
        load_pointer(raw, at + raw->layout.counts_at - 2 * raw->pointer);
    if (!address)
      continue;
    struct raw_place *place = find_place(places, address);
    if (!place->address || reference < place->reference)
      *place = (struct raw_place){address, reference};
  }
  return true;
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
  return address ? find_place(places, address)->reference : 0;
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
