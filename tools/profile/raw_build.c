/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the records of a raw profile, the places of their counters, and their
 * names. All of these are the same in all runs of a program, so they are kept
 * for the next file.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/buffer.h"
#include "../base/error.h"
#include "raw.h"

static const char damaged[] =
    "the records do not match the counters: the file is damaged, or objects of "
    "two compilers are linked; compile all code with one compiler";

static bool is_range_in_piece(struct bytes piece, uint64_t at, uint64_t size) {
  return at <= piece.size && size <= piece.size - at;
}

/* Parses the record at an offset. The offset of the counters is the record's
 * pointer minus the pointer that a record at offset 0 would have. */
static bool parse_raw_record(const struct raw_profile *raw, size_t offset,
                             struct raw_record *to) {
  unsigned size = raw_counter_size(raw);
  struct record record;
  record_read(&raw->form, raw->records.data + offset, offset, &record);
  uint64_t counters = record_narrow_address(
      &raw->form, record.counters - raw->fields[BAREPROF_COUNTERS_DELTA]);
  uint64_t bitmap = record_narrow_address(
      &raw->form, record.bitmap - raw->fields[BAREPROF_BITMAP_DELTA]);
  *to = (struct raw_record){.reference = record.name,
                            .hash = record.hash,
                            .counters = (size_t)counters,
                            .counter_count = record.counter_count};
  /* If the file lacks records, the target has written no value data. */
  for (unsigned kind = 0; kind < VALUE_KINDS && !raw->correlated; kind++)
    to->sites[kind] = record.sites[kind];
  if (raw->flags & PROFILE_BYTES && record_has_mcdc_bytes(&record)) {
    to->bytes = record.bitmap_size;
    if (to->bytes >= to->counter_count)
      return false;
    to->counter_count -= to->bytes;
    to->bitmap_size = record_bitmap_bytes(to->bytes);
  } else if (record.bitmap_size && (!raw->correlated || raw->bitmap.size)) {
    /* compiler-rt writes no bitmap for a correlated image. */
    to->bitmap_size = record.bitmap_size;
    to->bitmap = (size_t)bitmap;
    if (!is_range_in_piece(raw->bitmap, bitmap, to->bitmap_size))
      return false;
  }
  uint32_t least = raw->flags & PROFILE_TEMPORAL ? 8 / size : 0;
  return to->counter_count > least && counters % size == 0 &&
         is_range_in_piece(raw->counters, counters,
                           (uint64_t)record.counter_count * size);
}

/* Finds the name of the walk's record. Usually the records have the order of
 * their names. Otherwise the name is searched. */
static const char *find_record_name(struct raw_record_walker *walk,
                                    uint64_t reference) {
  struct raw_build *build = walk->build;
  const char *name = NULL;
  if (!build->names_sorted)
    name = names_find_next(&build->names, &walk->next_name, reference);
  if (name)
    return name;
  if (!build->names_sorted)
    names_sort(&build->names);
  build->names_sorted = true;
  return names_find(&build->names, reference);
}

static const char *parse_named_record(struct raw_record_walker *walk,
                                      struct raw_record *to) {
  size_t offset = walk->number * walk->raw->layout.record_size;
  if (!parse_raw_record(walk->raw, offset, to))
    return damaged;
  if (walk->nameless)
    return NULL;
  to->name = find_record_name(walk, to->reference);
  if (!to->name)
    return "a function has no name; compile and link with the same flags";
  to->name_size = strlen(to->name);
  return NULL;
}

struct raw_record *raw_walk_next_record(struct raw_record_walker *walk) {
  struct raw_build *build = walk->build;
  if (walk->error || walk->number == build->count)
    return NULL;
  if (build->records)
    return &build->records[walk->number++];
  walk->error = parse_named_record(walk, &walk->record);
  walk->number++;
  return walk->error ? NULL : &walk->record;
}

/* Checks the records. If build->records exists, stores the records there, too.
 */
static const char *parse_raw_records(const struct raw_profile *raw,
                                     struct raw_build *build) {
  struct raw_record_walker walk = {.raw = raw, .build = build};
  for (; walk.number < build->count; walk.number++) {
    struct raw_record *to =
        build->records ? &build->records[walk.number] : &walk.record;
    const char *error = parse_named_record(&walk, to);
    if (error)
      return error;
    build->has_bytes |= to->bytes != 0;
  }
  if (build->records)
    buffer_free(&build->names.index);
  const struct record_table claims = {raw->form,
                                      raw->records,
                                      0,
                                      raw->fields[BAREPROF_COUNTERS_DELTA],
                                      raw->fields[BAREPROF_BITMAP_DELTA],
                                      raw_counter_size(raw)};
  return shared_counters_check_and_mark(&claims, &build->twins);
}

static const char *parse_build_records(const struct raw_profile *raw,
                                       struct raw_build *build, bool list) {
  build->count = raw_record_count(raw);
  if (list)
    build->records = calloc(build->count + 1, sizeof *build->records);
  const char *error = names_read_in_order(&build->names, raw->names);
  if (!error)
    error = names_read(&build->vtables, raw->vtable_names);
  if (list && !build->records)
    return out_of_memory;
  return error ? error : parse_raw_records(raw, build);
}

void raw_build_release(struct raw_build *build) {
  if (!build || build->kept)
    return;
  free(build->records);
  free(build->twins);
  free(build->functions);
  free(build->copy);
  if (build->names_given)
    build->names.text = (struct buffer){.size = 0};
  names_free(&build->names);
  names_free(&build->vtables);
  free(build);
}

/* ---- the cache ---- */

static bool has_equal_bytes(struct bytes a, struct bytes b) {
  return a.size == b.size &&
         (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Returns whether the records are equal. The last two pointers, FunctionPointer
 * and Values, depend on the load address, so they are not compared. Everything
 * else belongs to the build. */
static bool has_equal_records(const struct raw_profile *a,
                              const struct raw_profile *b) {
  size_t tail = a->layout.counts_at;
  size_t head = tail - 2 * (size_t)a->pointer;
  if (a->records.size != b->records.size)
    return false;
  if (has_equal_bytes(a->records, b->records))
    return true;
  for (size_t at = 0; at < a->records.size; at += a->layout.record_size)
    if (memcmp(a->records.data + at, b->records.data + at, head) != 0 ||
        memcmp(a->records.data + at + tail, b->records.data + at + tail,
               a->layout.record_size - tail) != 0)
      return false;
  return true;
}

static bool is_same_build(const struct raw_profile *a,
                          const struct raw_profile *b) {
  static const unsigned compared[] = {
      BAREPROF_VERSION_WORD, BAREPROF_NUM_DATA, BAREPROF_NUM_COUNTERS,
      BAREPROF_NUM_BITMAP_BYTES, BAREPROF_COUNTERS_DELTA};
  for (unsigned i = 0; i < sizeof compared / sizeof *compared; i++)
    if (a->fields[compared[i]] != b->fields[compared[i]])
      return false;
  /* Without bitmaps, only the load address decides the value of this field. */
  if (a->bitmap.size &&
      a->fields[BAREPROF_BITMAP_DELTA] != b->fields[BAREPROF_BITMAP_DELTA])
    return false;
  return a->big == b->big && a->wide == b->wide &&
         a->correlated == b->correlated && has_equal_records(a, b) &&
         has_equal_bytes(a->names, b->names) &&
         has_equal_bytes(a->vtable_names, b->vtable_names);
}

static void move_piece_to_copy(struct bytes *piece, unsigned char **to) {
  if (piece->size)
    memcpy(*to, piece->data, piece->size);
  piece->data = *to;
  *to += piece->size;
}

void raw_build_keep_in_cache(struct raw_build *build,
                             const struct raw_profile *raw,
                             struct raw_cache *cache) {
  if (!cache || build->kept || !build->records)
    return;
  unsigned char *at =
      malloc(raw->records.size + raw->names.size + raw->vtable_names.size + 1);
  if (!at)
    return;
  build->raw = *raw;
  build->copy = at;
  move_piece_to_copy(&build->raw.records, &at);
  move_piece_to_copy(&build->raw.names, &at);
  move_piece_to_copy(&build->raw.vtable_names, &at);
  struct raw_build **slot = &cache->builds[cache->next++ % RAW_BUILDS];
  if (*slot)
    (*slot)->kept = false;
  raw_build_release(*slot);
  build->kept = true;
  *slot = build;
}

void raw_cache_free(struct raw_cache *cache) {
  for (unsigned i = 0; i < RAW_BUILDS; i++) {
    if (cache->builds[i])
      cache->builds[i]->kept = false;
    raw_build_release(cache->builds[i]);
  }
  raw_cache_drop_image(cache);
  *cache = (struct raw_cache){0};
}

const char *raw_build_find_or_make(const struct raw_profile *raw,
                                   struct raw_cache *cache,
                                   struct raw_build **build) {
  for (unsigned i = 0; cache && i < RAW_BUILDS; i++) {
    *build = cache->builds[i];
    if (*build && is_same_build(&(*build)->raw, raw))
      return NULL;
  }
  *build = calloc(1, sizeof **build);
  if (!*build)
    return out_of_memory;
  return parse_build_records(raw, *build, cache != NULL);
}

/* ==== Replaces the addresses in the value data of raw profiles. The addresses
 * are of functions, which the records have, or inside vtables. If programs are
 * loaded at random addresses, these addresses differ from run to run. */

struct vtable_range {
  uint64_t begin, end, reference;
};

static uint64_t load_pointer(const struct raw_profile *raw,
                             const unsigned char *at) {
  return load_number(at, raw->pointer, raw->big);
}

/* If the linker merged functions, keeps the smallest reference of one address,
 * so that the choice is always the same. */
static void drop_repeated_addresses(struct raw_address_table *places) {
  struct keyed_item *list = places->functions;
  size_t kept = 0;
  for (size_t i = 0; i < places->function_count; i++)
    if (!kept || list[kept - 1].key != list[i].key)
      list[kept++] = list[i];
    else if (list[i].item < list[kept - 1].item)
      list[kept - 1].item = list[i].item;
  places->function_count = kept;
}

static bool list_function_addresses(struct raw_address_table *places) {
  const struct raw_profile *raw = places->raw;
  size_t count = raw_record_count(raw);
  struct keyed_item *list = malloc((count + 1) * sizeof *list);
  struct keyed_item *spare = malloc((count + 1) * sizeof *spare);
  const unsigned char *at = raw->records.data;
  places->functions = list;
  for (size_t i = 0; i < count && list && spare; i++) {
    struct record record;
    record_read(&raw->form, at, 0, &record);
    if (record.function)
      list[places->function_count++] =
          (struct keyed_item){record.function, record.name};
    at += raw->layout.record_size;
  }
  if (list && spare)
    keyed_sort(list, spare, places->function_count);
  free(spare);
  drop_repeated_addresses(places);
  return list && spare;
}

ORDER_BY(compare_ranges, struct vtable_range, x->begin, x->reference);

static bool list_vtable_ranges(struct raw_address_table *places) {
  const struct raw_profile *raw = places->raw;
  size_t size = raw->wide ? 24 : 16, count = raw->vtables.size / size;
  places->vtables = malloc((count + 1) * sizeof *places->vtables);
  if (!places->vtables)
    return false;
  places->vtable_count = count;
  for (size_t i = 0; i < count; i++) {
    const unsigned char *at = raw->vtables.data + i * size;
    uint64_t begin = load_pointer(raw, at + 8);
    places->vtables[i] = (struct vtable_range){
        begin, begin + load32(at + 8 + raw->pointer, raw->big),
        load64(at, raw->big)};
  }
  qsort(places->vtables, count, sizeof *places->vtables, compare_ranges);
  return true;
}

static uint64_t find_vtable_reference(const struct raw_address_table *places,
                                      uint64_t address) {
  size_t low =
      search_after(places->vtables, places->vtable_count, begin, address);
  return low && address < places->vtables[low - 1].end
             ? places->vtables[low - 1].reference
             : 0;
}

static uint64_t find_function_reference(const struct raw_address_table *places,
                                        uint64_t address) {
  size_t low =
      search_from(places->functions, places->function_count, key, address);
  return low < places->function_count && places->functions[low].key == address
             ? places->functions[low].item
             : 0;
}

static void translate_site_addresses(const struct raw_address_table *places,
                                     struct record_sites *sites,
                                     unsigned kind) {
  struct value_site *list = sites_of_kind(sites, kind);
  for (uint32_t i = 0; i < sites->count[kind]; i++)
    for (uint32_t j = 0; j < list[i].count; j++) {
      struct profiled_value *value = &list[i].values[j];
      value->value = kind == VALUE_CALLS
                         ? find_function_reference(places, value->value)
                         : find_vtable_reference(places, value->value);
    }
}

/* Finds the addresses of the functions. Uses the build's addresses if this run
 * was loaded to the same addresses. */
static bool load_function_addresses(struct raw_address_table *places) {
  struct raw_build *build = places->build;
  if (!build->kept ||
      !has_equal_bytes(build->raw.records, places->raw->records))
    return list_function_addresses(places);
  places->lent = true;
  if (!build->functions) {
    struct raw_address_table own = {.raw = &build->raw};
    if (!list_function_addresses(&own)) {
      free(own.functions);
      return false;
    }
    build->functions = own.functions;
    build->function_count = own.function_count;
  }
  places->functions = build->functions;
  places->function_count = build->function_count;
  return true;
}

bool raw_addresses_translate(struct raw_address_table *places,
                             struct record_sites *sites) {
  if (sites->count[VALUE_CALLS] && !places->functions &&
      !load_function_addresses(places))
    return false;
  if (sites->count[VALUE_VTABLES] && !places->vtables &&
      !list_vtable_ranges(places))
    return false;
  translate_site_addresses(places, sites, VALUE_CALLS);
  translate_site_addresses(places, sites, VALUE_VTABLES);
  return true;
}

void raw_addresses_free(struct raw_address_table *places) {
  if (!places->lent)
    free(places->functions);
  free(places->vtables);
  places->functions = NULL;
  places->vtables = NULL;
}
