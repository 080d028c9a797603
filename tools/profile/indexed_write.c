/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes an indexed profile. The file has a header, summaries, the table of
 * functions with their records, and other sections, whose offsets are in the
 * header: an unchanged memory profile (since version 8), build ids (9), traces
 * (10), names of vtables (12).
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/need.h"
#include "indexed.h"

/* ==== Writes the records of a function in an indexed profile. A record is
 *   u64 hash; u64 number of counters; u64 for each
 *   since 11: u64 size of the bitmap in bytes; u64 for each byte, or from 14 on
 *   a byte for each, padded to 8
 *   since 14: u64 0, because the profile lacks uniformity bits
 *   value data: see value_sites.c
 * The order of the records is the order in LLVM's hash table. */

enum { FEW_SLOTS = 4, MORE_SLOTS = 64 };

/* The most records in LLVM's order. With crafted hashes, each insertion can
 * take as many steps as there are records, so the records of functions with
 * more records are sorted by hash instead. */
enum { IN_ORDER_MOST = 1024 };

static size_t count_records(const struct function_entry *function) {
  size_t count = 0;
  for (const struct record_counts *at = function->counts; at; at = at->next)
    count++;
  return count;
}

struct record_writer {
  unsigned version;
  uint64_t hash_bits; /* the hash bits that the version stores */
  struct value_ranking ranking;
  const struct record_counts **slots,
      **spare; /* the hash table with the records of one function */
  size_t slot_count;
};

/* ---- the order ---- */

/* Returns the next size of the table. LLVM doubles the table when three
 * quarters of it would be in use, first from 4 slots to 64. */
static size_t next_slot_count(size_t slots, size_t count) {
  if (4 * count < 3 * slots)
    return slots;
  return slots == FEW_SLOTS ? (size_t)MORE_SLOTS : 2 * slots;
}

static void record_writer_init(struct record_writer *records,
                               const struct profile *profile,
                               unsigned version) {
  size_t most = 0, slots = FEW_SLOTS;
  *records = (struct record_writer){
      .version = version,
      .hash_bits = version < 13 ? UINT64_MAX
                                : profile_comparable_hash(profile, UINT64_MAX)};
  for (size_t i = 0; profile->several && i < profile->function_count; i++) {
    size_t count = count_records(profile->arrived[i]);
    most = count > most ? count : most;
  }
  while (next_slot_count(slots, most) != slots)
    slots = next_slot_count(slots, most);
  records->slots = need_memory(malloc(slots * sizeof *records->slots));
  records->spare = need_memory(malloc(slots * sizeof *records->spare));
  ranking_init(&records->ranking, profile);
}

static void record_writer_free(struct record_writer *records) {
  ranking_free(&records->ranking);
  free(records->slots);
  free(records->spare);
}

/* Returns the slot for a hash. The slot comes from LLVM's hash of a number,
 * which changed with version 12. */
static uint32_t rehash_for_slot(const struct record_writer *records,
                                uint64_t hash) {
  if (records->version < 12)
    return (uint32_t)(hash * 37);
  hash *= UINT64_C(0xBF58476D1CE4E5B9);
  return (uint32_t)(hash ^ hash >> 31);
}

static void insert_into_slot(struct record_writer *records,
                             const struct record_counts *counts) {
  uint32_t mask = (uint32_t)records->slot_count - 1, step = 1;
  const uint32_t quadratic = records->version < INDEXED_BYTES;
  uint32_t at =
      rehash_for_slot(records, counts->hash & records->hash_bits) & mask;
  for (; records->slots[at]; at = (at + step) & mask, step += quadratic)
    ;
  records->slots[at] = counts;
}

static void clear_slots(struct record_writer *records, size_t slots) {
  records->slot_count = slots;
  for (size_t i = 0; i < slots; i++)
    records->slots[i] = NULL;
}

static void grow_slots(struct record_writer *records, size_t slots) {
  const struct record_counts **old = records->slots;
  size_t old_count = records->slot_count;
  records->slots = records->spare;
  records->spare = old;
  clear_slots(records, slots);
  for (size_t i = 0; i < old_count; i++)
    if (old[i])
      insert_into_slot(records, old[i]);
}

ORDER_BY(compare_hashes, struct record_counts *const, (*x)->hash);

static void order_records_like_llvm(struct record_writer *records,
                                    const struct function_entry *function) {
  size_t count = 0, all = count_records(function);
  if (all > IN_ORDER_MOST) {
    for (const struct record_counts *at = function->counts; at; at = at->next)
      records->slots[count++] = at;
    qsort(records->slots, all, sizeof *records->slots, compare_hashes);
    records->slot_count = all;
    return;
  }
  clear_slots(records, FEW_SLOTS);
  for (const struct record_counts *at = function->counts; at; at = at->next) {
    size_t slots = next_slot_count(records->slot_count, ++count);
    if (slots != records->slot_count)
      grow_slots(records, slots);
    insert_into_slot(records, at);
  }
}

/* ---- value data ---- */

static uint64_t value_kind_head_size(const struct record_counts *counts,
                                     unsigned kind) {
  return (8 + (uint64_t)counts->more->site_count[kind] + 7) / 8 * 8;
}

static uint64_t value_data_size(const struct record_counts *counts) {
  uint64_t size = 8;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    if (!counts->more->site_count[kind])
      continue;
    size += value_kind_head_size(counts, kind);
    for (uint32_t i = 0; i < counts->more->site_count[kind]; i++)
      size += 16 *
              (uint64_t)ranking_kept_value_count(&counts->more->sites[kind][i]);
  }
  return size;
}

static void write_value_kind(struct record_writer *records,
                             struct text_stream *to,
                             const struct record_counts *counts,
                             unsigned kind) {
  uint32_t sites = counts->more->site_count[kind];
  text_put_little_endian(to, kind | (uint64_t)sites << 32, 8);
  for (uint32_t i = 0; i < sites; i++)
    text_put_little_endian(
        to, ranking_kept_value_count(&counts->more->sites[kind][i]), 1);
  for (uint64_t at = 8 + (uint64_t)sites;
       at < value_kind_head_size(counts, kind); at++)
    text_put_little_endian(to, 0, 1);
  for (uint32_t i = 0; i < sites; i++) {
    uint32_t count =
        ranking_rank_site(&records->ranking, &counts->more->sites[kind][i]);
    for (uint32_t j = 0; j < count; j++) {
      text_put_little_endian(to, records->ranking.list[j].value.value, 8);
      text_put_little_endian(to, records->ranking.list[j].value.count, 8);
    }
  }
}

static void write_value_data(struct record_writer *records,
                             struct text_stream *to,
                             const struct record_counts *counts) {
  uint64_t kinds = 0;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    kinds += counts->more->site_count[kind] != 0;
  text_put_little_endian(to, value_data_size(counts) | kinds << 32, 8);
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    if (counts->more->site_count[kind])
      write_value_kind(records, to, counts, kind);
}

/* ---- records ---- */

/* Returns the size of a function's records; 0: too large for the format. */
static uint64_t function_records_size(const struct record_writer *records,
                                      const struct function_entry *function) {
  uint64_t size = 0;
  for (const struct record_counts *at = function->counts; at; at = at->next) {
    uint64_t values = value_data_size(at);
    if (values > UINT32_MAX)
      return 0;
    size += 16 + 8 * (uint64_t)at->counter_count + values;
    if (records->version >= INDEXED_BYTES)
      size += 16 + round_up_to_8(at->more->bitmap_size);
    else if (records->version >= 11)
      size += 8 + 8 * (uint64_t)at->more->bitmap_size;
  }
  return size;
}

static void write_numbers(struct text_stream *to, const uint64_t *list,
                          size_t count) {
  enum { PART = TEXT_MORE / 8 };
  for (size_t part; count; list += part, count -= part) {
    part = count < PART ? count : (size_t)PART;
    unsigned char *at = (unsigned char *)text_reserve(to);
    for (size_t i = 0; i < part; i++)
      store64(at + 8 * i, list[i], false);
    to->used += part * 8;
  }
}

static void write_record(struct record_writer *records, struct text_stream *to,
                         const struct record_counts *counts) {
  text_put_little_endian(to, counts->hash & records->hash_bits, 8);
  text_put_little_endian(to, counts->counter_count, 8);
  write_numbers(to, counts->counters, counts->counter_count);
  bool as_bytes = records->version >= INDEXED_BYTES;
  if (records->version >= 11) {
    text_put_little_endian(to, counts->more->bitmap_size, 8);
    for (uint32_t i = 0; i < counts->more->bitmap_size; i++)
      text_put_little_endian(to, counts->more->bitmap[i], as_bytes ? 1 : 8);
  }
  if (as_bytes) {
    text_put_padding(to, counts->more->bitmap_size);
    text_put_little_endian(to, 0, 8);
  }
  write_value_data(records, to, counts);
}

static void write_records(struct record_writer *records, struct text_stream *to,
                          const struct function_entry *function) {
  if (!function->counts->next) {
    write_record(records, to, function->counts);
    return;
  }
  order_records_like_llvm(records, function);
  for (size_t i = 0; i < records->slot_count; i++)
    if (records->slots[i])
      write_record(records, to, records->slots[i]);
}

/* ---- the table ----
 *
 * Writes the table of functions in an indexed profile. Each bucket is
 *   u16 number of functions; for each u64 hash, u64 size of the name, u64 size
 *   of the records, the name, the records
 * After the buckets comes, at a multiple of 8
 *   u64 number of buckets; u64 number of functions; u64 offset of each bucket,
 *   0 if the bucket is empty
 *
 * The order within a bucket is the order that LLVM makes. LLVM inserts the
 * functions by ascending name, each at the front of its bucket. When three
 * quarters of the table are in use, LLVM doubles the table, which reverses the
 * order of functions that stay in one bucket. So the order depends only on the
 * names in a bucket, and on how often the table was doubled before and after
 * each insertion. Names need to be sorted only as far as these two facts
 * require, and then within buckets.
 */

enum { FIRST_BUCKETS = 64, BUCKET_MOST = UINT16_MAX };

struct table_function {
  struct function_entry *entry;
  unsigned step; /* position in the order of insertion into the bucket */
};

struct function_table {
  /* The functions in the order of addition; after function_table_lay_out, by
   * name. */
  struct keyed_item *arrived;
  struct table_function *functions; /* the functions, by bucket */
  size_t count;
  uint64_t bytes;               /* size of all functions in the file */
  size_t buckets;               /* number of buckets, which is a power of two */
  unsigned doublings;           /* number of times that the table was doubled
                                   while it was filled */
  struct table_function *spare; /* memory for twice the size of a bucket */
  /* The end of each bucket in `functions`. After writing, the start of each
   * bucket in the file, or 0 for an empty bucket. */
  uint64_t *places;
  uint64_t table_at; /* offset of the list of buckets in the file */
  uint64_t end;
};

static void function_table_free(struct function_table *table) {
  free(table->arrived);
  free(table->functions);
  free(table->spare);
  free(table->places);
}

/* Adds a function. Returns false if its records are too large. */
static bool function_table_add(struct function_table *table,
                               const struct record_writer *records,
                               struct function_entry *function) {
  uint64_t size = function_records_size(records, function);
  table->arrived[table->count++] =
      (struct keyed_item){function->reference, (uintptr_t)function};
  table->bytes += 24 + function->name_size + size;
  return size != 0;
}

/* ---- when each function is inserted ---- */

/* Returns whether the table is full before function i is inserted. The
 * functions are in the order of their names. */
static bool is_table_full(size_t buckets, size_t i) {
  return 4 * (i + 1) >= 3 * buckets;
}

/* Returns whether the names from index `first` to `end` must be sorted, because
 * the table is doubled between the insertions of these functions. */
static bool is_doubled_between(size_t first, size_t end) {
  size_t buckets = FIRST_BUCKETS;
  while (is_table_full(buckets, first))
    buckets *= 2;
  return end && is_table_full(buckets, end - 1);
}

/* Returns whether the table shrinks at the end. A table that was never doubled
 * shrinks: its buckets are moved front to back, and each function is inserted
 * at the front again. */
static bool is_table_shrunk(const struct function_table *table) {
  return table->buckets < FIRST_BUCKETS;
}

/* The function that is inserted last gets step 0, because it is in front. */
static unsigned shrunk_insertion_step(const struct function_entry *function) {
  return FIRST_BUCKETS - 1 - (unsigned)(function->reference % FIRST_BUCKETS);
}

/* ---- places ---- */

static size_t bucket_index(const struct function_table *table,
                           uint64_t reference) {
  return reference & (table->buckets - 1);
}

/* Finds the first function of each bucket, and the offset of the table in the
 * file, whose functions begin at `at`. Returns NULL or the error. */
static const char *assign_bucket_places(struct function_table *table,
                                        uint64_t at) {
  size_t done = 0, most = 0, in_use = 0;
  for (size_t i = 0; i < table->count; i++)
    table->places[bucket_index(table, table->arrived[i].key)]++;
  for (size_t i = 0; i < table->buckets; i++) {
    size_t count = (size_t)table->places[i];
    most = count > most ? count : most;
    in_use += count != 0;
    table->places[i] = done;
    done += count;
  }
  table->table_at = (at + table->bytes + 2 * in_use + 7) / 8 * 8;
  table->end = table->table_at + 16 + 8 * table->buckets;
  if (most > BUCKET_MOST)
    return "different function names have the same MD5 hash; write a text "
           "profile with merge --text";
  table->spare = need_memory(malloc((2 * most + 1) * sizeof *table->spare));
  return NULL;
}

/* Appends each function to its bucket. Stores how often the table was doubled
 * before, or the function's step if the table shrinks. */
static void fill_buckets(struct function_table *table) {
  size_t buckets = FIRST_BUCKETS;
  for (size_t i = 0; i < table->count; i++) {
    struct function_entry *function = (void *)(uintptr_t)table->arrived[i].item;
    if (i + FUNCTIONS_AHEAD < table->count)
      __builtin_prefetch(
          (void *)(uintptr_t)table->arrived[i + FUNCTIONS_AHEAD].item);
    for (; is_table_full(buckets, i); buckets *= 2)
      table->doublings++;
    table
        ->functions[table->places[bucket_index(table, function->reference)]++] =
        (struct table_function){function, is_table_shrunk(table)
                                              ? shrunk_insertion_step(function)
                                              : table->doublings};
  }
}

/* Assigns offsets to all functions, starting at offset `at` of the file.
 * Returns NULL or the error. */
static const char *function_table_lay_out(struct function_table *table,
                                          uint64_t at) {
  table->buckets = 1;
  while (table->count > 2 && table->buckets <= table->count * 4 / 3)
    table->buckets *= 2;
  table->places = need_memory(calloc(table->buckets, sizeof *table->places));
  const char *error = assign_bucket_places(table, at);
  if (error)
    return error;
  struct keyed_item *spare =
      need_memory(malloc((table->count + 1) * sizeof *spare));
  names_sort_partly(table->arrived, spare, table->count, is_doubled_between);
  free(spare);
  table->functions =
      need_memory(malloc((table->count + 1) * sizeof *table->functions));
  fill_buckets(table);
  free(table->arrived);
  table->arrived = NULL;
  return NULL;
}

/* ---- the order in a bucket ---- */

static int compare_steps(const void *left, const void *right) {
  const struct table_function *a = left, *b = right;
  int order = compare_numbers(a->step, b->step);
  return order ? order
               : compare_bytes(a->entry->name, a->entry->name_size,
                               b->entry->name, b->entry->name_size);
}

/* Reproduces the order, front to back, that the insertions leave in a bucket. A
 * reversed list is read from the other end. */
static void replay_insertions(const struct function_table *table,
                              struct table_function *list, size_t count) {
  struct table_function *from = table->spare + count, *to = from;
  unsigned doubled = 0;
  bool turned = false;
  for (size_t i = 0; i < count; i++) {
    turned ^= (list[i].step - doubled) % 2;
    doubled = list[i].step;
    if (turned)
      *to++ = list[i];
    else
      *--from = list[i];
  }
  turned ^= (table->doublings - doubled) % 2;
  for (size_t i = 0; i < count; i++)
    list[i] = turned ? *--to : *from++;
}

static void order_bucket_like_llvm(const struct function_table *table,
                                   size_t first, size_t count) {
  enum { FEW = 8 };
  struct table_function *list = table->functions + first;
  if (count > FEW)
    qsort(list, count, sizeof *list, compare_steps);
  for (size_t i = 1; i < count && count <= FEW; i++)
    for (size_t at = i; at && compare_steps(&list[at - 1], &list[at]) > 0;
         at--) {
      struct table_function one = list[at];
      list[at] = list[at - 1];
      list[at - 1] = one;
    }
  if (!is_table_shrunk(table))
    replay_insertions(table, list, count);
}

/* ---- writing ---- */

static void write_function(const struct function_entry *function,
                           struct record_writer *records,
                           struct text_stream *to) {
  text_put_little_endian(to, function->reference, 8);
  text_put_little_endian(to, function->name_size, 8);
  text_put_little_endian(to, function_records_size(records, function), 8);
  text_put_bytes(to, function->name, function->name_size);
  write_records(records, to, function);
}

/* Prefetches a later function, and then its data. */
PREFETCHES void prefetch_later_function(const struct function_table *table,
                                        size_t i) {
  size_t near = i + FUNCTIONS_AHEAD / 2, soon = i + FUNCTIONS_AHEAD;
  if (soon >= table->count)
    return;
  prefetch_function(table->functions[soon].entry);
  prefetch_function_parts(table->functions[near].entry);
}

static void write_bucket(struct function_table *table, size_t first, size_t end,
                         struct record_writer *records,
                         struct text_stream *to) {
  if (end > first + 1)
    order_bucket_like_llvm(table, first, end - first);
  text_put_little_endian(to, end - first, 2);
  for (size_t at = first; at < end; at++) {
    prefetch_later_function(table, at);
    write_function(table->functions[at].entry, records, to);
  }
}

static void function_table_write(struct function_table *table,
                                 struct record_writer *records,
                                 struct text_stream *to) {
  size_t first = 0;
  for (size_t i = 0; i < table->buckets; i++) {
    size_t end = (size_t)table->places[i];
    table->places[i] = end > first ? (to->written + to->used) : 0;
    if (end > first)
      write_bucket(table, first, end, records, to);
    first = end;
  }
  text_put_padding(to, (to->written + to->used));
  text_put_little_endian(to, table->buckets, 8);
  text_put_little_endian(to, table->count, 8);
  write_numbers(to, table->places, table->buckets);
}

/* ==== Writes the other sections. */

struct trailing_section_layout {
  const struct indexed_options *options;
  const struct profile *profile;
  const char **vtables; /* the names of vtables, without repetitions */
  size_t vtable_count;
  uint64_t memprof_at, ids_at, vtables_at, traces_at; /* offsets of the
                                                         sections; 0: no such
                                                         section */
};

static const char damaged[] =
    "the memory profile is damaged; make the file again";

/* ---- the memory profile ---- */

struct memprof_section {
  unsigned char *bytes;
  size_t size;
  uint64_t from, to;
};

/* Moves the offset at a place of the section. *inside becomes the place in the
 * section to which the offset points. */
static const char *move_memprof_offset(struct memprof_section *memprof,
                                       uint64_t at, uint64_t *inside) {
  if (at > memprof->size || memprof->size - at < 8)
    return damaged;
  uint64_t offset = load64(memprof->bytes + at, false);
  *inside = 0;
  if (offset == 0)
    return NULL;
  *inside = offset - memprof->from;
  if (offset < memprof->from || *inside > memprof->size)
    return damaged;
  store64(memprof->bytes + at, *inside + memprof->to, false);
  return NULL;
}

static const char *move_memprof_table_offsets(struct memprof_section *memprof,
                                              uint64_t at) {
  if (at > memprof->size || memprof->size - at < 16)
    return damaged;
  uint64_t count = load64(memprof->bytes + at, false), inside;
  const char *error = NULL;
  if (count > (memprof->size - at - 16) / 8)
    return damaged;
  for (uint64_t i = 0; i < count && !error; i++)
    error = move_memprof_offset(memprof, at + 16 + 8 * i, &inside);
  return error;
}

const char *memprof_move_offsets(unsigned char *bytes, size_t size,
                                 const struct memprof_relocation *place) {
  /* T is the offset of a table, P is another offset. */
  static const char *const offsets[] = {"TPT", "TPT", "TPTPT", "PPT", "PPTP"};
  struct memprof_section memprof = {bytes, size, place->from, place->to};
  const char *error = NULL;
  if (place->version >= sizeof offsets / sizeof *offsets)
    return "the memory profile has an unsupported version; upgrade bareprof, "
           "or merge with the compiler's llvm-profdata";
  if (place->from == place->to)
    return NULL;
  uint64_t at = place->version ? 8 : 0, inside;
  for (const char *what = offsets[place->version]; *what && !error; what++) {
    error = move_memprof_offset(&memprof, at, &inside);
    if (!error && *what == 'T' && !inside)
      return damaged;
    if (!error && *what == 'T')
      error = move_memprof_table_offsets(&memprof, inside);
    at += 8;
  }
  return error;
}

/* ---- build ids ---- */

static const struct bytes *get_build_ids(const struct profile *profile,
                                         size_t *count) {
  *count = profile->ids.size / sizeof(struct bytes);
  return (const struct bytes *)(const void *)profile->ids.data;
}

static uint64_t build_ids_size(const struct profile *profile) {
  size_t count;
  const struct bytes *ids = get_build_ids(profile, &count);
  uint64_t size = 0;
  for (size_t i = 0; i < count; i++)
    size += 8 + round_up_to_8(ids[i].size);
  return size;
}

static void write_build_ids(const struct profile *profile,
                            struct text_stream *to) {
  size_t count;
  const struct bytes *ids = get_build_ids(profile, &count);
  text_put_little_endian(to, build_ids_size(profile), 8);
  for (size_t i = 0; i < count; i++) {
    text_put_little_endian(to, ids[i].size, 8);
    text_put_bytes(to, ids[i].data, ids[i].size);
    text_put_padding(to, ids[i].size);
  }
}

/* ---- names of vtables ---- */

static void collect_vtable_names(struct trailing_section_layout *tail) {
  size_t count = 0;
  if (tail->options->vtable_names)
    count = tail->profile->vtables.size / sizeof *tail->vtables;
  tail->vtables = need_memory(malloc((count + 1) * sizeof *tail->vtables));
  if (count)
    memcpy(tail->vtables, tail->profile->vtables.data,
           count * sizeof *tail->vtables);
  tail->vtable_count = vtables_sort_unique(tail->vtables, count);
}

/* Returns the size of the names of vtables with 0x01 between them. */
static uint64_t vtables_text_size(const struct trailing_section_layout *tail) {
  uint64_t size = tail->vtable_count ? tail->vtable_count - 1 : 0;
  for (size_t i = 0; i < tail->vtable_count; i++)
    size += strlen(tail->vtables[i]);
  return size;
}

static unsigned leb_size(uint64_t value) {
  unsigned size = 1;
  while (value >>= 7)
    size++;
  return size;
}

/* Returns the size of the section, which has the size of the text, the
 * compressed size (0: not compressed), and the text. */
static uint64_t
vtables_section_size(const struct trailing_section_layout *tail) {
  uint64_t text = vtables_text_size(tail);
  return tail->vtable_count ? leb_size(text) + 1 + text : 0;
}

static void write_vtable_names(const struct trailing_section_layout *tail,
                               struct text_stream *to) {
  uint64_t left = vtables_text_size(tail);
  text_put_little_endian(to, vtables_section_size(tail), 8);
  if (!tail->vtable_count)
    return;
  for (; left >= 0x80; left >>= 7)
    text_put_little_endian(to, left | 0x80, 1);
  text_put_little_endian(to, left, 1);
  text_put_little_endian(to, 0, 1);
  for (size_t i = 0; i < tail->vtable_count; i++) {
    if (i)
      text_put_little_endian(to, 1, 1);
    text_put_bytes(to, tail->vtables[i], strlen(tail->vtables[i]));
  }
  text_put_padding(to, vtables_section_size(tail));
}

/* ---- traces ---- */

static void write_traces(const struct profile *profile,
                         struct text_stream *to) {
  text_put_little_endian(to, profile->trace_count, 8);
  text_put_little_endian(to, profile->run_count, 8);
  for (size_t i = 0; i < profile->trace_count; i++) {
    const struct temporal_trace *trace = &profile->traces[i];
    text_put_little_endian(to, trace->weight, 8);
    text_put_little_endian(to, trace->count, 8);
    for (size_t j = 0; j < trace->count; j++)
      text_put_little_endian(to, trace->functions[j], 8);
  }
}

/* ---- all sections ---- */

static void lay_out_trailing_sections(struct trailing_section_layout *tail,
                                      const struct profile *profile,
                                      const struct indexed_options *options,
                                      uint64_t at) {
  unsigned version = options->version;
  *tail =
      (struct trailing_section_layout){.options = options, .profile = profile};
  collect_vtable_names(tail);
  if (profile->memprof.size) {
    tail->memprof_at = at;
    at += profile->memprof.size;
  }
  if (version >= 9) {
    tail->ids_at = at;
    at += 8 + build_ids_size(profile);
  }
  if (version >= 12) {
    tail->vtables_at = at;
    at += 8 + round_up_to_8(vtables_section_size(tail));
  }
  if (version >= 10 && profile->flags & PROFILE_TEMPORAL)
    tail->traces_at = at;
}

static const char *write_memprof(const struct trailing_section_layout *tail,
                                 struct text_stream *to) {
  const struct profile *profile = tail->profile;
  unsigned char *copy = need_memory(malloc(profile->memprof.size));
  memcpy(copy, profile->memprof.data, profile->memprof.size);
  const struct memprof_relocation place = {
      profile->memprof_version, profile->memprof_at, tail->memprof_at};
  const char *error = memprof_move_offsets(copy, profile->memprof.size, &place);
  text_put_bytes(to, copy, profile->memprof.size);
  free(copy);
  return error;
}

static const char *
write_trailing_sections(const struct trailing_section_layout *tail,
                        struct text_stream *to) {
  const char *error = NULL;
  if (tail->memprof_at)
    error = write_memprof(tail, to);
  if (tail->ids_at)
    write_build_ids(tail->profile, to);
  if (tail->vtables_at)
    write_vtable_names(tail, to);
  if (tail->traces_at)
    write_traces(tail->profile, to);
  return error;
}

/* ==== Writes the file: header, summaries, the table of functions, and the
 * other sections. A second summary follows if there may be context-sensitive
 * records. All numbers are little-endian. */

static const uint64_t magic = UINT64_C(0x8169666F72706CFF);
enum {
  SUMMARY_FIELDS = 6,
  SUMMARY_SIZE = 16 + 8 * SUMMARY_FIELDS + 24 * SUMMARY_CUTOFFS
};

/* The state of the writer while it writes a file. */
struct indexed_output {
  const struct profile *profile;
  const struct indexed_options *options;
  struct profile_summary summary, cs_summary;
  struct record_writer records;
  struct function_table table;
  struct trailing_section_layout tail;
  struct text_stream text;
};

static bool has_cs_summary(const struct indexed_output *file) {
  return file->profile->flags & PROFILE_CS;
}

static unsigned header_size(unsigned version) {
  return version < 8    ? 40
         : version < 9  ? 48
         : version < 10 ? 56
         : version < 12 ? 64
                        : 72;
}

static uint64_t encode_version_word(const struct indexed_output *file) {
  static const struct {
    enum profile_flag flag;
    unsigned bit;
  } bits[] = {{PROFILE_LOOP_ENTRIES, 55}, {PROFILE_IR, 56},
              {PROFILE_CS, 57},           {PROFILE_ENTRY_FIRST, 58},
              {PROFILE_BYTES, 60},        {PROFILE_ENTRY_ONLY, 61}};
  uint64_t word = file->options->version;
  for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
    if (file->profile->flags & bits[i].flag)
      word |= UINT64_C(1) << bits[i].bit;
  if (file->tail.memprof_at)
    word |= UINT64_C(1) << 62;
  if (file->tail.traces_at)
    word |= UINT64_C(1) << 63;
  return word;
}

static void write_header(struct indexed_output *file) {
  struct text_stream *to = &file->text;
  text_put_little_endian(to, magic, 8);
  text_put_little_endian(to, encode_version_word(file), 8);
  text_put_little_endian(to, 0, 8); /* this field is unused */
  text_put_little_endian(to, 0, 8); /* the kind of hash, which is MD5 */
  text_put_little_endian(to, file->table.table_at, 8);
  if (file->options->version >= 8)
    text_put_little_endian(to, file->tail.memprof_at, 8);
  if (file->options->version >= 9)
    text_put_little_endian(to, file->tail.ids_at, 8);
  if (file->options->version >= 10)
    text_put_little_endian(to, file->tail.traces_at, 8);
  if (file->options->version >= 12)
    text_put_little_endian(to, file->tail.vtables_at, 8);
}

static void write_summary(struct text_stream *to,
                          const struct profile_summary *summary) {
  text_put_little_endian(to, SUMMARY_FIELDS, 8);
  text_put_little_endian(to, SUMMARY_CUTOFFS, 8);
  text_put_little_endian(to, summary->functions, 8);
  text_put_little_endian(to, summary->blocks, 8);
  text_put_little_endian(to, summary->most_entry, 8);
  text_put_little_endian(to, summary->most, 8);
  text_put_little_endian(to, summary->most_internal, 8);
  text_put_little_endian(to, summary->total, 8);
  for (unsigned i = 0; i < SUMMARY_CUTOFFS; i++) {
    text_put_little_endian(to, summary->cutoffs[i].cutoff, 8);
    text_put_little_endian(to, summary->cutoffs[i].least, 8);
    text_put_little_endian(to, summary->cutoffs[i].blocks, 8);
  }
}

/* Adds all functions to the table and to the sums in a single walk, because it
 * is slow to read all functions. cs may be NULL. */
static const char *add_to_table_and_summaries(struct indexed_output *file,
                                              struct summary_builder *regular,
                                              struct summary_builder *cs) {
  const struct profile *profile = file->profile;
  for (size_t i = 0; i < profile->function_count; i++) {
    struct function_entry *function = profile->arrived[i];
    profile_prefetch_walk(profile, i);
    if (!profile_must_write_function(function, file->options->sparse))
      continue;
    if (!function_table_add(&file->table, &file->records, function))
      return "a function has more values than an indexed profile can hold; "
             "write a text profile, or merge fewer files";
    summary_builder_add(regular, function);
    if (cs)
      summary_builder_add(cs, function);
  }
  return NULL;
}

static const char *summarize_and_lay_out(struct indexed_output *file) {
  bool has_cs = has_cs_summary(file);
  struct summary_builder *regular = summary_builder_new(SUMMARY_REGULAR);
  struct summary_builder *cs = has_cs ? summary_builder_new(SUMMARY_CS) : NULL;
  record_writer_init(&file->records, file->profile, file->options->version);
  file->table.arrived = need_memory(malloc((file->profile->function_count + 1) *
                                           sizeof *file->table.arrived));
  const char *error = add_to_table_and_summaries(file, regular, cs);
  summary_builder_finish_and_free(regular, &file->summary);
  if (has_cs)
    summary_builder_finish_and_free(cs, &file->cs_summary);
  if (!error)
    error = function_table_lay_out(
        &file->table, header_size(file->options->version) +
                          (uint64_t)SUMMARY_SIZE * (has_cs ? 2 : 1));
  if (!error)
    lay_out_trailing_sections(&file->tail, file->profile, file->options,
                              file->table.end);
  return error;
}

static const char *write_file(struct indexed_output *file) {
  write_header(file);
  write_summary(&file->text, &file->summary);
  if (has_cs_summary(file))
    write_summary(&file->text, &file->cs_summary);
  function_table_write(&file->table, &file->records, &file->text);
  return write_trailing_sections(&file->tail, &file->text);
}

const char *indexed_write(const struct profile *profile, FILE *stream,
                          const struct indexed_options *options) {
  const char *error = indexed_check_version(profile, options->version);
  if (error)
    return error;
  struct indexed_output *file = need_memory(calloc(1, sizeof *file));
  file->profile = profile;
  file->options = options;
  text_begin(&file->text, stream);
  error = summarize_and_lay_out(file);
  if (!error)
    error = write_file(file);
  text_flush(&file->text);
  function_table_free(&file->table);
  free(file->tail.vtables);
  record_writer_free(&file->records);
  free(file);
  return error;
}
