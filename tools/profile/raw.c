/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds the raw profiles in a file to a profile. Checks the whole file before
 * anything is added. */
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../base/llvm.h"
#include "../image/image.h"
#include "raw.h"

/* ==== Finds the pieces of a raw profile in a file. If the file lacks records
 * and names, the ELF provides both. */

static const char cut[] = "the file is truncated; copy the file again";

/* ---- the header ---- */

/* Compares the characters of the magic number, most significant byte first. */
bool raw_is_magic(const unsigned char *at, bool big, bool *wide) {
  static const unsigned char letters[8] = {0xFF, 'l', 'p', 'r',
                                           'o',  'f', 'r', 0x81};
  for (unsigned i = 0; i < 8; i++) {
    unsigned char byte = at[big ? i : 7 - i];
    if (byte != letters[i] && !(i == 6 && byte == 'R'))
      return false;
  }
  *wide = at[big ? 6 : 1] == 'r';
  return true;
}

/* Chooses the layout. Raw version 5 (LLVM 10 to 12) is 7 without build ids. */
static const char *choose_raw_layout(struct raw_profile *raw, uint64_t word) {
  raw->version = (unsigned)(word & UINT32_MAX);
  raw->form = record_format_of(raw->version == 5 ? 7 : raw->version, raw->wide,
                               raw->big);
  if (raw->version == 6)
    return "the file has raw version 6, which no LLVM release writes; compile "
           "with a release of LLVM";
  if (!raw->form.layout)
    return "the raw version is not 5 or 7 to 11; compile with clang 11 or 13 "
           "to " LLVM_LAST_TEXT ", or upgrade bareprof";
  raw->layout = *raw->form.layout;
  if (raw->version == 5)
    raw->layout.fields &= ~(UINT32_C(1) << BAREPROF_BINARY_IDS_SIZE);
  raw->flags = profile_decode_flags(word);
  return NULL;
}

static const char *parse_raw_header(struct raw_profile *raw, size_t at) {
  struct bytes file = raw->file;
  if (file.size - at < 16)
    return cut;
  raw->big = raw_is_magic(file.data + at, true, &raw->wide);
  if (!raw->big && !raw_is_magic(file.data + at, false, &raw->wide))
    return at ? "other data follows the first profile, as if two programs "
                "wrote this file; let each program write its own file"
              : "this is not a raw profile; pass a .profraw";
  raw->pointer = raw->wide ? 8 : 4;
  raw->fields[BAREPROF_VERSION_WORD] = load64(file.data + at + 8, raw->big);
  const char *error =
      choose_raw_layout(raw, raw->fields[BAREPROF_VERSION_WORD]);
  if (error)
    return error;
  raw->at = at + 16;
  for (unsigned i = BAREPROF_VERSION_WORD + 1; i < BAREPROF_FIELDS; i++) {
    if (!(raw->layout.fields >> i & 1))
      continue;
    if (file.size - raw->at < 8)
      return cut;
    raw->fields[i] = load64(file.data + raw->at, raw->big);
    raw->at += 8;
  }
  return NULL;
}

/* ---- pieces ---- */

/* Reads the next elements as a piece. Returns false if some are missing. */
static bool consume_piece(struct raw_profile *raw, struct bytes *piece,
                          uint64_t count, size_t size) {
  if (count > (raw->file.size - raw->at) / size)
    return false;
  *piece = (struct bytes){raw->file.data + raw->at, (size_t)count * size};
  raw->at += piece->size;
  return true;
}

/* Skips the padding after a piece, which makes the size a multiple of 8. A file
 * may lack the padding after its last piece. */
static bool skip_padding(struct raw_profile *raw, size_t size) {
  struct bytes zeros;
  size_t padding = bareprof_padding(size), left = raw->file.size - raw->at;
  return consume_piece(raw, &zeros, padding < left ? padding : left, 1);
}

static bool split_into_pieces(struct raw_profile *raw) {
  const struct bareprof_image image = {.pointer_size = (uint8_t)raw->pointer};
  const uint64_t *fields = raw->fields;
  size_t counter = raw_counter_size(raw);
  struct bytes other;
  return consume_piece(raw, &raw->ids, fields[BAREPROF_BINARY_IDS_SIZE], 1) &&
         consume_piece(raw, &raw->records, fields[BAREPROF_NUM_DATA],
                       raw->layout.record_size) &&
         consume_piece(raw, &other, fields[BAREPROF_PADDING_BEFORE_COUNTERS],
                       1) &&
         consume_piece(raw, &raw->counters, fields[BAREPROF_NUM_COUNTERS],
                       counter) &&
         consume_piece(raw, &other, fields[BAREPROF_PADDING_AFTER_COUNTERS],
                       1) &&
         consume_piece(raw, &raw->bitmap, fields[BAREPROF_NUM_BITMAP_BYTES],
                       1) &&
         consume_piece(raw, &other, fields[BAREPROF_PADDING_AFTER_BITMAP], 1) &&
         consume_piece(raw, &other, fields[BAREPROF_NUM_UNIFORM_COUNTERS], 8) &&
         consume_piece(raw, &other, fields[BAREPROF_PADDING_AFTER_UNIFORM],
                       1) &&
         consume_piece(raw, &raw->names, fields[BAREPROF_NAMES_SIZE], 1) &&
         skip_padding(raw, raw->names.size) &&
         consume_piece(raw, &raw->vtables, fields[BAREPROF_NUM_VTABLES],
                       bareprof_vtable_size(&image)) &&
         skip_padding(raw, raw->vtables.size) &&
         consume_piece(raw, &raw->vtable_names,
                       fields[BAREPROF_VTABLE_NAMES_SIZE], 1) &&
         skip_padding(raw, raw->vtable_names.size);
}

/* ---- records in the ELF ---- */

static bool matches_elf_build(const struct raw_profile *raw,
                              const struct elf *elf) {
  struct bytes ids = raw->ids, id;
  bool is = ids.size == 0;
  while (ids.size && !is && profile_pop_build_id(&ids, &id, raw->big))
    is = elf_has_build_id(elf, id);
  return is;
}

/* Finds the image in the ELF, and keeps it for the next file, because it is
 * slow to read debug information. */
static const char *load_elf_image(struct raw_profile *raw,
                                  const struct elf *elf,
                                  struct raw_cache *cache) {
  uint64_t word = raw->fields[BAREPROF_VERSION_WORD];
  if (raw->version == 5)
    word += 2;
  if (cache && cache->image && cache->elf == elf && cache->word == word) {
    raw->image = cache->image;
    return NULL;
  }
  struct snapshot *image = malloc(sizeof *image);
  const char *error = image ? image_read(image, elf, word) : out_of_memory;
  if (error) {
    free(image);
    return error;
  }
  raw->image = image;
  if (cache) {
    raw_cache_drop_image(cache);
    cache->image = image;
    cache->elf = elf;
    cache->word = word;
  }
  return NULL;
}

static void free_image(struct snapshot *image, const struct elf *elf) {
  if (image)
    image_free(image, elf);
  free(image);
}

void raw_cache_drop_image(struct raw_cache *cache) {
  free_image(cache->image, cache->elf);
  cache->image = NULL;
}

/* Takes the records and names, which this profile lacks, from the ELF. */
static const char *correlate_with_elf(struct raw_profile *raw,
                                      const struct elf *elf,
                                      struct raw_cache *cache) {
  if (!elf)
    return "the profile has counters but no records, which are in the ELF; "
           "pass the ELF to bareprof merge with --elf";
  if (!matches_elf_build(raw, elf))
    return "the build id does not match the ELF; pass the ELF that ran";
  if (elf->big != raw->big || elf->wide != raw->wide)
    return "the profile is from another machine than the ELF; pass the ELF "
           "that ran";
  const char *error = load_elf_image(raw, elf, cache);
  if (error)
    return error;
  raw->correlated = true;
  raw->elf = elf;
  const struct snapshot_piece *parts = raw->image->parts;
  const struct dump_piece *pieces = raw->image->header.pieces;
  const struct dump_piece *counters = &pieces[BAREPROF_PIECE_COUNTERS];
  const struct dump_piece *bitmap = &pieces[BAREPROF_PIECE_BITMAP];
  uint64_t records = pieces[BAREPROF_PIECE_RECORDS].address;
  if (counters->size != raw->counters.size ||
      (raw->bitmap.size && bitmap->size != raw->bitmap.size))
    return "the number of counters does not match the ELF; pass the ELF that "
           "ran";
  raw->records = (struct bytes){parts[BAREPROF_PIECE_RECORDS].bytes,
                                (size_t)pieces[BAREPROF_PIECE_RECORDS].size};
  raw->names = (struct bytes){parts[BAREPROF_PIECE_NAMES].bytes,
                              (size_t)pieces[BAREPROF_PIECE_NAMES].size};
  raw->fields[BAREPROF_COUNTERS_DELTA] =
      counters->address - (raw->form.absolute ? 0 : records);
  raw->fields[BAREPROF_BITMAP_DELTA] = bitmap->address - records;
  raw->flags |= PROFILE_CORRELATED;
  return NULL;
}

const char *raw_open_profile(struct raw_profile *raw, struct bytes file,
                             size_t at) {
  *raw = (struct raw_profile){.file = file};
  const char *error = parse_raw_header(raw, at);
  return error ? error : split_into_pieces(raw) ? NULL : cut;
}

/* Reads records and names from the ELF if the profile lacks them. Returns NULL
 * or the error. */
static const char *correlate_if_needed(struct raw_profile *raw,
                                       const struct raw_options *options) {
  return raw->counters.size && !raw->records.size && !raw->names.size
             ? correlate_with_elf(raw, options->elf, options->cache)
             : NULL;
}

/* Frees the image, unless the cache keeps it. */
static void release_raw_image(struct raw_profile *raw,
                              const struct raw_options *options) {
  if (raw->image && !(options->cache && options->cache->image == raw->image))
    free_image(raw->image, raw->elf);
  raw->image = NULL;
  raw->correlated = false;
}

/* Returns a copy of all counters, in this machine's byte order. A byte counter
 * becomes 1 if the code ran. No counter is above *largest. The caller frees the
 * copy; NULL means out of memory. */
static uint64_t *copy_counters(const struct raw_profile *raw,
                               uint64_t *largest) {
  size_t count = raw->counters.size / raw_counter_size(raw);
  uint64_t *counters = malloc((count + 1) * sizeof *counters), all = 0;
  const unsigned char *at = raw->counters.data;
  if (!counters)
    return NULL;
  if (raw->flags & PROFILE_BYTES)
    for (size_t i = 0; i < count; i++)
      counters[i] = at[i] == 0;
  else if (raw->big)
    for (size_t i = 0; i < count; i++, at += 8)
      all |= counters[i] = load64(at, true);
  else
    for (size_t i = 0; i < count; i++, at += 8)
      all |= counters[i] = load64(at, false);
  *largest = all;
  return counters;
}

/* Returns the counters in the file without a copy. Returns NULL if this machine
 * would store the counters in another way. */
static const uint64_t *borrow_counters(const struct raw_profile *raw,
                                       uint64_t *largest) {
  const uint64_t *counters = (const void *)raw->counters.data;
  size_t count = raw->counters.size / sizeof *counters;
  uint64_t all = 0;
  if (raw->flags & PROFILE_BYTES || !is_host_byte_order(raw->big) ||
      (uintptr_t)raw->counters.data % sizeof *counters)
    return NULL;
  for (size_t i = 0; i < count; i++)
    all |= counters[i];
  *largest = all;
  return counters;
}

/* ==== Reads the file of raw profiles. */

/* The time of the first call of a function. */
struct first_call {
  uint64_t when;
  uint64_t reference;
};

struct raw_reader {
  struct profile *profile;
  struct bytes file;
  const struct raw_options *options;
  struct raw_cache *cache; /* NULL: no other profile follows */
  uint64_t weight;
  struct raw_profile raw;
  struct raw_build *build;
  size_t end; /* end of the profile in the file, including padding */
  /* All counters, in this machine's byte order. Byte counters become 0 or 1. */
  const uint64_t *counters;
  uint64_t *counters_copy;   /* an owned copy; NULL if `counters` points into
                                the file */
  uint64_t largest;          /* upper limit for the counters */
  struct record_sites sites; /* the sites of one record */
  struct buffer bitmap;      /* the bitmap of one record that has outcome bytes
                                instead of a bitmap */
  struct raw_address_table places;
  struct first_call *called; /* an array of called_count elements */
  size_t called_count;
};

/* ---- checking ---- */

static bool has_value_sites(const struct raw_record *record) {
  return record->sites[0] || record->sites[1] || record->sites[2];
}

/* Parses the value data, at offset *at, of a record that has sites. */
static const char *parse_value_sites(struct raw_reader *reading,
                                     const struct raw_record *record,
                                     size_t *at) {
  const unsigned char *next = reading->file.data + *at;
  const char *error =
      sites_parse(&reading->sites, &next,
                  reading->file.data + reading->file.size, reading->raw.big);
  *at = (size_t)(next - reading->file.data);
  for (unsigned kind = 0; kind < VALUE_KINDS && !error; kind++)
    if (reading->sites.count[kind] != record->sites[kind])
      error = "the value data does not match the records; copy the file again";
  return error;
}

/* Finds the end of the profile. Zeros and another profile may follow. */
static const char *find_profile_end(struct raw_reader *reading) {
  struct raw_record_walker walk = {
      .raw = &reading->raw, .build = reading->build, .nameless = true};
  const struct raw_record *record;
  const char *error = NULL;
  size_t at = reading->raw.at;
  while (!error && (record = raw_walk_next_record(&walk)))
    if (has_value_sites(record))
      error = parse_value_sites(reading, record, &at);
  error = error ? error : walk.error;
  while (!error && at < reading->file.size && reading->file.data[at] == 0)
    at++;
  reading->end = at;
  return error;
}

/* Reads the profile at offset `at`, except its counts. */
static const char *open_and_check_profile(struct raw_reader *reading,
                                          size_t at) {
  const struct raw_options *options = reading->options;
  const char *error = raw_open_profile(&reading->raw, reading->file, at);
  if (!error)
    error = correlate_if_needed(&reading->raw, options);
  if (!error)
    error =
        raw_build_find_or_make(&reading->raw, reading->cache, &reading->build);
  if (!error)
    error = find_profile_end(reading);
  if (!error)
    error = profile_add_build_ids(NULL, reading->raw.ids, reading->raw.big);
  enum profile_bitmaps bitmaps = BITMAPS_NONE;
  if (!error && (reading->raw.bitmap.size || reading->build->has_bytes))
    bitmaps = reading->raw.version == 9 ? BITMAPS_18 : BITMAPS_19;
  return error
             ? error
             : profile_join_kind(reading->profile, reading->raw.flags, bitmaps);
}

static void free_profile_parts(struct raw_reader *reading) {
  free(reading->counters_copy);
  free(reading->called);
  reading->counters = reading->counters_copy = NULL;
  reading->called = NULL;
  reading->called_count = 0;
  raw_addresses_free(&reading->places);
  raw_build_release(reading->build);
  reading->build = NULL;
  release_raw_image(&reading->raw, reading->options);
}

/* ---- adding ---- */

/* Removes the time of the first call from a function's counters. */
static void extract_call_time(struct raw_reader *reading,
                              const struct raw_record *record,
                              struct counts_addition *addition) {
  const struct raw_profile *raw = &reading->raw;
  uint64_t when = load64(raw->counters.data + record->counters, raw->big);
  uint32_t taken = 8 / raw_counter_size(raw);
  addition->counters += taken;
  addition->counter_count -= taken;
  if (when && when != UINT64_MAX)
    reading->called[reading->called_count++] =
        (struct first_call){when, record->reference};
}

/* Reports an implausibly large count. The count stays in the profile. */
static void report_addition(const struct raw_reader *reading,
                            enum addition_result result,
                            const struct record_counts *counts,
                            const struct counts_addition *addition) {
  const struct addition_handler *events = reading->options->events;
  bool suspect = false;
  profile_report_event(events, result, counts, addition);
  if (reading->largest > PROFILE_COUNT_REASON && result != REFUSED_SHAPE)
    for (uint32_t i = 0; i < addition->counter_count; i++)
      suspect |= addition->counters[i] > PROFILE_COUNT_REASON;
  if (suspect)
    profile_report_event(events, ADDED_SUSPECT, counts, addition);
}

static const char *set_addition_sites(struct raw_reader *reading,
                                      const struct raw_record *record,
                                      struct counts_addition *addition,
                                      size_t *values) {
  const char *error = parse_value_sites(reading, record, values);
  if (error)
    return error;
  if (!raw_addresses_translate(&reading->places, &reading->sites))
    return out_of_memory;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    addition->sites[kind] = sites_of_kind(&reading->sites, kind);
    addition->site_count[kind] = record->sites[kind];
  }
  return NULL;
}

/* Sets the bitmap of the addition from the record's bitmap or outcome bytes. */
static const char *set_addition_bitmap(struct raw_reader *reading,
                                       const struct raw_record *record,
                                       struct counts_addition *addition) {
  const struct raw_profile *raw = &reading->raw;
  if (record->bitmap_size && !record->bytes)
    addition->bitmap = raw->bitmap.data + record->bitmap;
  if (!record->bytes)
    return NULL;
  if (buffer_reserve(&reading->bitmap, record->bitmap_size))
    return out_of_memory;
  record_bytes_to_bitmap(reading->bitmap.data,
                         raw->counters.data + record->counters +
                             record->counter_count,
                         record->bytes);
  addition->bitmap = reading->bitmap.data;
  return NULL;
}

/* Adds a record. If the record has value data, *values is their offset. */
static const char *add_raw_record(struct raw_reader *reading,
                                  struct raw_record *record, size_t *values) {
  const struct raw_profile *raw = &reading->raw;
  struct counts_addition addition = {
      .name = record->name,
      .name_size = record->name_size,
      .reference = record->reference,
      .hash = record->hash,
      .counters = reading->counters + record->counters / raw_counter_size(raw),
      .counter_count = record->counter_count,
      .bitmap_size = record->bitmap_size,
      .weight = reading->weight,
      .hash_cut = raw->version > 10,
      .lasting = reading->build->names_given};
  if (raw->flags & PROFILE_TEMPORAL)
    extract_call_time(reading, record, &addition);
  const char *error = set_addition_bitmap(reading, record, &addition);
  if (!error && has_value_sites(record))
    error = set_addition_sites(reading, record, &addition, values);
  if (error)
    return error;
  struct record_counts *counts = record->counts;
  enum addition_result result =
      counts ? profile_add_to_counts(reading->profile, counts, &addition)
             : profile_add_counts(reading->profile, &addition, &counts);
  if (result == REFUSED_MEMORY)
    return out_of_memory;
  if (result != REFUSED_SHAPE)
    record->counts = counts;
  report_addition(reading, result, counts, &addition);
  return NULL;
}

ORDER_BY(compare_call_times, struct first_call, x->when, x->reference);

static const char *add_call_trace(struct raw_reader *reading) {
  size_t count = reading->called_count;
  if (!count)
    return NULL;
  uint64_t *functions = malloc(count * sizeof *functions);
  if (!functions)
    return out_of_memory;
  qsort(reading->called, count, sizeof *reading->called, compare_call_times);
  for (size_t i = 0; i < count; i++)
    functions[i] = reading->called[i].reference;
  const struct temporal_trace trace = {
      .weight = reading->weight, .functions = functions, .count = count};
  bool added = profile_add_trace(reading->profile, &trace);
  free(functions);
  return added ? NULL : out_of_memory;
}

/* Returns whether no other profile follows, in this file or in another file. */
static bool is_last_profile(const struct raw_reader *reading) {
  return reading->options->last && reading->end == reading->file.size;
}

/* Finds the counters. If the file stays open and the counters can be used
 * without a copy, the profile points to them and to the names, and so takes
 * ownership of the names. */
static bool borrow_or_copy_counters(struct raw_reader *reading) {
  struct raw_build *build = reading->build;
  const uint64_t *there = NULL;
  if (is_last_profile(reading) && reading->weight == 1 && !build->kept)
    there = borrow_counters(&reading->raw, &reading->largest);
  if (there && reading->largest <= PROFILE_COUNT_REASON &&
      profile_own_memory(reading->profile, build->names.text.data)) {
    build->names_given = true;
    reading->counters = there;
    return true;
  }
  reading->counters = reading->counters_copy =
      copy_counters(&reading->raw, &reading->largest);
  return reading->counters != NULL;
}

static const char *add_raw_records(struct raw_reader *reading) {
  struct raw_record_walker walk = {.raw = &reading->raw,
                                   .build = reading->build};
  struct raw_record *record;
  size_t values = reading->raw.at;
  const char *error = NULL;
  while (!error && (record = raw_walk_next_record(&walk))) {
    if (!reading->build->kept)
      profile_prefetch_bucket(
          reading->profile,
          raw_record_reference(&reading->raw, walk.number + FUNCTIONS_AHEAD));
    bool twin = reading->build->twins && reading->build->twins[walk.number - 1];
    if (!twin)
      error = add_raw_record(reading, record, &values);
    else if (has_value_sites(record))
      error = parse_value_sites(reading, record, &values);
  }
  return error ? error : walk.error;
}

static const char *add_raw_profile(struct raw_reader *reading) {
  struct raw_build *build = reading->build;
  bool temporal = reading->raw.flags & PROFILE_TEMPORAL;
  reading->places =
      (struct raw_address_table){.raw = &reading->raw, .build = build};
  if (temporal)
    reading->called = malloc((build->count + 1) * sizeof *reading->called);
  if (!borrow_or_copy_counters(reading) || (temporal && !reading->called) ||
      (!build->kept &&
       (!profile_add_vtable_names(reading->profile, &build->vtables) ||
        !profile_reserve_functions(reading->profile, build->count))))
    return out_of_memory;
  const char *error = add_raw_records(reading);
  if (!error)
    error = profile_add_build_ids(reading->profile, reading->raw.ids,
                                  reading->raw.big);
  if (!error)
    error = add_call_trace(reading);
  if (!error && !is_last_profile(reading))
    raw_build_keep_in_cache(build, &reading->raw, reading->cache);
  return error;
}

/* Checks all profiles in the file. Adds the first one if it is the only one. If
 * `all` is true, adds all profiles. */
static const char *check_and_add_profiles(struct raw_reader *reading,
                                          bool all) {
  const char *error = NULL;
  size_t at = 0;
  reading->cache =
      all || !reading->options->last ? reading->options->cache : NULL;
  reading->end = 0;
  while (!error && (at < reading->file.size || at == 0)) {
    error = open_and_check_profile(reading, at);
    bool only = at == 0 && reading->end == reading->file.size;
    if (!error && (all || only))
      error = add_raw_profile(reading);
    free_profile_parts(reading);
    if (only && !all)
      return error;
    at = reading->end;
  }
  return error || all ? error : check_and_add_profiles(reading, true);
}

const char *raw_parse_into(struct profile *profile, struct bytes file,
                           const struct raw_options *options) {
  static const struct raw_options plain = {0};
  struct raw_reader reading = {.profile = profile, .file = file};
  unsigned flags = profile->flags;
  enum profile_bitmaps bitmaps = profile->bitmaps;
  reading.options = options ? options : &plain;
  reading.weight = reading.options->weight ? reading.options->weight : 1;
  sites_init(&reading.sites);
  reading.bitmap.limit = SIZE_MAX;
  const char *error = check_and_add_profiles(&reading, false);
  profile_sort_unique_build_ids(profile);
  sites_free(&reading.sites);
  buffer_free(&reading.bitmap);
  if (error) {
    profile->flags = flags;
    profile->bitmaps = bitmaps;
  }
  return error;
}
