/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes snapshots as files: raw profiles, raw sections of MIP, and files of
 * samples. The runtime's own writer, bareprof_write_image, writes the raw
 * profiles. Before, MC/DC bytes become clang's bitmaps. */
#include "dumpfile.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/llvm.h"
#include "../base/map.h"
#include "image_layout.h"
#include "snapshot.h"
#include "values.h"
#include "mip.h"
#include "image.h"
#include "bareprof_sampler.h"

/* Makes the linker take the object file with this function from the archive.
 * The writer's own reference is weak, and a weak reference is not enough. */
static void (*const needed)(struct bareprof_writer *)
    __attribute__((used)) = bareprof_values_write;

const char *image_error_message(int error) {
  switch (error) {
  case BAREPROF_E_VERSION:
    return "the raw version is not 7 to 11; compile with clang 13 "
           "to " LLVM_LAST_TEXT ", or upgrade bareprof";
  case BAREPROF_E_NO_BOUNDS:
    return "the linker script does not bound the profile sections; INCLUDE "
           "bareprof.ld";
  case BAREPROF_E_EMPTY:
    return "no instrumented function found; compile with "
           "-fprofile-instr-generate -fcoverage-mapping";
  case BAREPROF_E_NO_COUNTERS:
    return "the image has records but no counters; keep __llvm_prf_cnts when "
           "linking";
  case BAREPROF_E_NO_RECORDS:
    return "the image has no records; send a lean dump (BAREPROF_LEAN, or "
           "--lean)";
  case BAREPROF_E_NO_NAMES:
    return "the image has no names; keep __llvm_prf_names when linking";
  case BAREPROF_E_ALIGN:
    return "the profile sections are not aligned to 8; link with bareprof.ld";
  case BAREPROF_E_NOT_INIT:
    return "the counters are uninitialised or overwritten; call bareprof_init "
           "first, and keep heap and stack above __bareprof_end";
  case BAREPROF_E_MIXED:
    return "objects of two compilers are linked; compile all code with one "
           "compiler";
  case BAREPROF_E_RECORD:
    return "the records do not match the counters: the image is damaged, or "
           "objects are from two compilers, or from clang 21 without -mllvm "
           "-enable-global-merge=false; compile all code again with one "
           "compiler";
  case BAREPROF_E_VALUES:
    return "the image has value sites but no code to write values; link with "
           "-u bareprof_values_write";
  case BAREPROF_E_BUSY:
    return "another dump with values was ending at the same time; send the "
           "dump again";
  case BAREPROF_E_PACKED:
    return "the counters have 4 bytes; send a lean dump (BAREPROF_LEAN, or "
           "--lean)";
  case BAREPROF_E_NO_BUILD_ID:
    return "the build id is missing; link with --build-id";
  default:
    return "the firmware sent an unknown error number; upgrade bareprof";
  }
}

static int write_to_stream(void *context, const void *bytes, size_t size) {
  fwrite(bytes, 1, size, context);
  return 0; /* the stream remembers its error */
}

static size_t make_build_id_note(unsigned char note[128],
                                 const struct dump_header *header) {
  static const unsigned char name[4] = "GNU";
  bool big = header->big_endian;
  store32(note, sizeof name, big);
  store32(note + 4, (uint32_t)header->build_id_size, big);
  store32(note + 8, 3, big); /* NT_GNU_BUILD_ID */
  memcpy(note + 12, name, sizeof name);
  memcpy(note + 16, header->build_id, header->build_id_size);
  return header->build_id_size ? 16 + header->build_id_size : 0;
}

static struct bareprof_image
image_of_snapshot(const struct snapshot *snapshot) {
  const struct dump_header *header = &snapshot->header;
  struct bareprof_image image = {.version = &header->version,
                                 .pointer_size = header->wide ? 8 : 4,
                                 .big_endian = header->big_endian};
  for (unsigned i = 0; i < BAREPROF_SPANS; i++) {
    const unsigned char *bytes = snapshot->parts[i].bytes;
    struct bareprof_span *piece = &image.pieces[i];
    piece->address = header->pieces[i].address;
    if (bytes) {
      piece->begin = bytes;
      piece->end = bytes + header->pieces[i].size;
    }
  }
  return image;
}

/* ---- values ---- */

/* The most values of a site in a raw profile. */
enum { SITE_MOST = 255 };

/* Returns the number of value sites of the record at an address, or 0 if no
 * record is at the address. */
static uint32_t count_record_sites(const struct bareprof_profile *profile,
                                   uint64_t address) {
  const struct bareprof_image *image = profile->image;
  const struct bareprof_layout *layout = profile->layout;
  uint64_t offset = address - image->records.address;
  uint32_t sites = 0;
  if (offset % layout->record_size ||
      offset / layout->record_size >= profile->record_count)
    return 0;
  const unsigned char *counts =
      image->records.begin + offset + layout->counts_at;
  for (unsigned kind = 0; kind < layout->kinds; kind++)
    sites += bareprof_load16(image, counts + 4 + 2 * kind);
  return sites;
}

/* Checks the value slots, and keeps at most SITE_MOST values of each site for
 * the writer. Returns NULL or the error. */
static const char *
check_and_limit_slots(struct value_slots *slots,
                      const struct bareprof_profile *profile) {
  uint32_t kept = 0;
  for (uint32_t i = 0, end; i < slots->count; i = end) {
    struct bareprof_value_slot *slot = &slots->list[i];
    if (slot->site >=
        count_record_sites(profile, slot->owner - BAREPROF_VALUE_OWNED))
      return "a value does not belong to a value site of this ELF; pass the "
             "ELF that ran, and check that nothing overwrites the value slots";
    for (end = i + 1; end < slots->count; end++)
      if (slots->list[end].owner != slot->owner ||
          slots->list[end].site != slot->site)
        break;
    uint32_t left = slots_keep_highest(slot, end - i, SITE_MOST);
    memmove(&slots->list[kept], slot, left * sizeof *slot);
    kept += left;
  }
  slots->count = kept;
  for (uint32_t i = 0; i < kept; i++)
    slots->list[i].owner |= BAREPROF_VALUE_FROZEN;
  return NULL;
}

/* ---- MC/DC outcomes as bytes ---- */

static void read_snapshot_record(const struct snapshot *snapshot,
                                 const struct record_format *form,
                                 uint64_t offset, struct record *record) {
  const unsigned piece = BAREPROF_PIECE_RECORDS;
  record_read(form, snapshot->parts[piece].bytes + offset,
              snapshot->header.pieces[piece].address + offset, record);
}

static struct record_format
record_format_of_snapshot(const struct snapshot *snapshot) {
  const struct dump_header *header = &snapshot->header;
  return record_format_of(header->version, header->wide, header->big_endian);
}

bool snapshot_has_mcdc_bytes(const struct snapshot *snapshot) {
  const struct dump_header *header = &snapshot->header;
  const struct record_format form = record_format_of_snapshot(snapshot);
  const struct dump_piece *records = &header->pieces[BAREPROF_PIECE_RECORDS];
  bool has = false;
  if (header_element_size(header, BAREPROF_PIECE_COUNTERS) != 1 ||
      !form.layout || !snapshot->parts[BAREPROF_PIECE_RECORDS].bytes)
    return false;
  for (uint64_t at = 0; records->size - at >= form.layout->record_size && !has;
       at += form.layout->record_size) {
    struct record record;
    read_snapshot_record(snapshot, &form, at, &record);
    has = record_has_mcdc_bytes(&record);
  }
  return has;
}

/* Pieces in which bitmaps replace the outcome bytes. The remaining byte
 * counters move together, and the new bits follow the existing bitmaps. */
struct pieces_with_bitmaps {
  unsigned char *records, *counters, *bitmap;
  size_t counters_size, bitmap_size;
};

/* Converts the record of a function. Returns false if all counters of the
 * function are MC/DC outcome bytes. */
static bool convert_mcdc_record(struct pieces_with_bitmaps *converted,
                                const struct record_format *form,
                                const struct bareprof_image *image,
                                struct record *record) {
  const unsigned char *flags =
      image->counters.begin +
      record_narrow_address(form, record->counters - image->counters.address);
  uint32_t bits = record_has_mcdc_bytes(record) ? record->bitmap_size : 0;
  if (bits >= record->counter_count)
    return false;
  record->counters = image->counters.address + converted->counters_size;
  record->counter_count -= bits;
  memcpy(converted->counters + converted->counters_size, flags,
         record->counter_count);
  converted->counters_size += record->counter_count;
  if (!bits)
    return true;
  record->bitmap = image->bitmap.address + converted->bitmap_size;
  record->bitmap_size = record_bitmap_bytes(bits);
  record_bytes_to_bitmap(converted->bitmap + converted->bitmap_size,
                         flags + record->counter_count, bits);
  converted->bitmap_size += record->bitmap_size;
  return true;
}

/* Converts the record at an offset, and writes the result. If an earlier record
 * describes the same function (shared_counters_check_and_mark), both share the
 * converted counters. `places` maps the address of a function's counters to the
 * offset of the function's first record, plus 1. */
static const char *convert_or_share_record(
    struct pieces_with_bitmaps *converted, const struct snapshot *snapshot,
    const struct bareprof_image *image, size_t at, struct map *places) {
  const struct record_format form = record_format_of_snapshot(snapshot);
  struct record record, first;
  read_snapshot_record(snapshot, &form, at, &record);
  uint64_t *place = map_find_or_add(places, record.counters, 0, 0);
  if (!place)
    return out_of_memory;
  if (*place) {
    record_read(&form, converted->records + *place - 1,
                image->records.address + *place - 1, &first);
    record.counters = first.counters;
    record.counter_count = first.counter_count;
    record.bitmap = first.bitmap;
    record.bitmap_size = first.bitmap_size;
  } else if (!convert_mcdc_record(converted, &form, image, &record)) {
    return image_error_message(BAREPROF_E_RECORD);
  } else {
    *place = at + 1;
  }
  record_write(&form, converted->records + at, image->records.address + at,
               &record);
  return NULL;
}

/* Replaces the outcome bytes of an image with bitmaps.
 * shared_counters_check_and_mark must have found no error. Returns NULL or the
 * error. The caller frees the pieces in `converted` in both cases. */
static const char *convert_mcdc_bytes(struct pieces_with_bitmaps *converted,
                                      const struct snapshot *snapshot,
                                      struct bareprof_image *image) {
  const struct record_format form = record_format_of_snapshot(snapshot);
  size_t size = (size_t)(image->records.end - image->records.begin);
  size_t counters = (size_t)(image->counters.end - image->counters.begin);
  size_t bitmap = (size_t)(image->bitmap.end - image->bitmap.begin);
  *converted =
      (struct pieces_with_bitmaps){malloc(size + 1), malloc(counters + 1),
                                   malloc(bitmap + counters + 1), 0, bitmap};
  if (!converted->records || !converted->counters || !converted->bitmap)
    return out_of_memory;
  memcpy(converted->records, image->records.begin, size);
  if (bitmap)
    memcpy(converted->bitmap, image->bitmap.begin, bitmap);
  else
    image->bitmap.address = image->counters.address + (counters + 7) / 8 * 8;
  struct map places = {.limit = size};
  const char *error = NULL;
  for (size_t at = 0; at < size && !error; at += form.layout->record_size)
    error = convert_or_share_record(converted, snapshot, image, at, &places);
  map_free(&places);
  if (error)
    return error;
  image->records.begin = converted->records;
  image->records.end = converted->records + size;
  image->counters.begin = converted->counters;
  image->counters.end = converted->counters + converted->counters_size;
  image->bitmap.begin = converted->bitmap;
  image->bitmap.end = converted->bitmap + converted->bitmap_size;
  return NULL;
}

/* ---- profiles ---- */

/* Makes the checks of the runtime, and checks the records that share counters.
 */
static const char *check_image(const struct bareprof_image *image,
                               struct bareprof_image_check *made) {
  int error = bareprof_check_image(image, made);
  if (error)
    return image_error_message(error);
  const struct record_table claims = {
      record_format_of(*image->version, image->pointer_size == 8,
                       image->big_endian),
      {image->records.begin, bareprof_span_size(&image->records)},
      image->records.address,
      image->counters.address,
      image->bitmap.address,
      1u << made->profile.shift};
  unsigned char *twins;
  const char *wrong = shared_counters_check_and_mark(&claims, &twins);
  free(twins);
  return wrong;
}

const char *raw_write_check(const struct snapshot *snapshot) {
  struct bareprof_image image = image_of_snapshot(snapshot);
  struct bareprof_image_check made;
  return check_image(&image, &made);
}

const char *raw_write_profile(const struct snapshot *snapshot, FILE *stream) {
  struct bareprof_image image = image_of_snapshot(snapshot);
  struct bareprof_image_check made;
  const struct bareprof_sink sink = {write_to_stream, stream};
  struct value_slots slots;
  unsigned char note[128];
  image.build_id.begin = note;
  image.build_id.end = note + make_build_id_note(note, &snapshot->header);
  const char *wrong = check_image(&image, &made);
  if (wrong)
    return wrong;
  if (!slots_read(&slots, snapshot))
    return out_of_memory;
  wrong = check_and_limit_slots(&slots, &made.profile);
  const struct bareprof_values values = {.slots = slots.list,
                                         .count = slots.count};
  image.values = &values;
  struct pieces_with_bitmaps converted = {NULL, NULL, NULL, 0, 0};
  if (!wrong && snapshot_has_mcdc_bytes(snapshot))
    wrong = convert_mcdc_bytes(&converted, snapshot, &image);
  int error = wrong ? 0 : bareprof_write_image(&image, &sink);
  free(converted.records);
  free(converted.counters);
  free(converted.bitmap);
  free(slots.list);
  return error ? image_error_message(error) : wrong;
}

/* ---- MIP ---- */

enum { LOST_BYTES = 4, EDGE_BYTES = 12, EDGE_COUNT = 8 };

static const struct dump_piece *header_piece(const struct dump_header *header,
                                             enum bareprof_piece piece) {
  return &header->pieces[piece];
}

bool mipfile_has_counts(const struct snapshot *snapshot) {
  const unsigned char *head = snapshot->parts[BAREPROF_PIECE_RECORDS].bytes;
  return mip_format_of(head, snapshot->header.big_endian) != MIP_FORM_BYTES;
}

static void write_bytes(FILE *stream, const void *bytes, size_t size) {
  fwrite(bytes, 1, size, stream);
}

static void write_word(FILE *stream, uint32_t word, bool big) {
  unsigned char bytes[4];
  store32(bytes, word, big);
  write_bytes(stream, bytes, sizeof bytes);
}

static const unsigned char *get_edge_table(const struct snapshot *snapshot,
                                           const unsigned char **end) {
  const unsigned char *table = snapshot->parts[BAREPROF_PIECE_BITMAP].bytes;
  *end = table + header_piece(&snapshot->header, BAREPROF_PIECE_BITMAP)->size;
  return table + LOST_BYTES;
}

struct mipfile_edge_counts
mipfile_count_edges(const struct snapshot *snapshot) {
  struct mipfile_edge_counts edges = {0, 0};
  const unsigned char *end;
  if (!snapshot->parts[BAREPROF_PIECE_BITMAP].bytes)
    return edges;
  const unsigned char *at = get_edge_table(snapshot, &end);
  edges.lost = load32(at - LOST_BYTES, snapshot->header.big_endian);
  for (; at != end; at += EDGE_BYTES)
    edges.count += load32(at + EDGE_COUNT, false) != 0; /* 0 is the same in any
                                                           byte order */
  return edges;
}

static void write_edges(const struct snapshot *snapshot, FILE *stream) {
  struct mipfile_edge_counts edges = mipfile_count_edges(snapshot);
  const unsigned char *head = snapshot->parts[BAREPROF_PIECE_RECORDS].bytes;
  uint32_t begin =
      (uint32_t)header_piece(&snapshot->header, BAREPROF_PIECE_RECORDS)
          ->address;
  const unsigned char *end;
  bool big = snapshot->header.big_endian;
  unsigned char file[4];
  store16(file, BAREPROF_MIP_VERSION, big);
  store16(file + 2, BAREPROF_MIP_RET, big);
  write_word(stream, BAREPROF_MIP_MAGIC, big);
  write_bytes(stream, file, sizeof file);
  write_bytes(stream, head + 8, BAREPROF_MIP_HEADER - 8);
  write_word(stream, edges.count, big);
  write_word(stream, edges.lost, big);
  for (const unsigned char *at = get_edge_table(snapshot, &end); at != end;
       at += EDGE_BYTES) {
    if (load32(at + EDGE_COUNT, false) == 0)
      continue;
    write_word(stream, load32(at, big) - begin, big);
    write_word(stream, load32(at + 4, big) - begin, big);
    write_bytes(stream, at + EDGE_COUNT, 4);
  }
  if (edges.count & 1)
    write_word(stream, 0, big);
}

const char *mipfile_write(const struct snapshot *snapshot, FILE *stream) {
  static const unsigned char zeros[8];
  const struct snapshot_piece *parts = snapshot->parts;
  const unsigned char *head = parts[BAREPROF_PIECE_RECORDS].bytes;
  size_t size =
      (size_t)header_piece(&snapshot->header, BAREPROF_PIECE_COUNTERS)->size;
  bool big = snapshot->header.big_endian;
  if (load32(head, big) != BAREPROF_MIP_MAGIC ||
      load16(head + 6, big) != BAREPROF_MIP_RAW)
    return "the raw section has no valid header; call bareprof_mip_init in the "
           "firmware";
  write_bytes(stream, head, BAREPROF_MIP_HEADER);
  write_bytes(stream, parts[BAREPROF_PIECE_COUNTERS].bytes, size);
  if (parts[BAREPROF_PIECE_BITMAP].bytes) {
    write_bytes(stream, zeros, -size & 7);
    write_edges(snapshot, stream);
  }
  return NULL;
}

/* ---- samples ---- */

static uint32_t read_samples_header_number(const struct snapshot *snapshot,
                                           unsigned which) {
  const unsigned char *numbers = snapshot->parts[BAREPROF_PIECE_COUNTERS].bytes;
  return (uint32_t)load64(numbers + 8 * (size_t)which,
                          snapshot->header.big_endian);
}

struct samplesfile_counts
samplesfile_read_counts(const struct snapshot *snapshot) {
  return (struct samplesfile_counts){
      read_samples_header_number(snapshot, SAMPLES_TAKEN),
      read_samples_header_number(snapshot, SAMPLES_LOST)};
}

void samplesfile_write(const struct snapshot *snapshot, FILE *stream) {
  enum { PIECE = BAREPROF_PIECE_RECORDS, VERSION = 4, FLAGS = 6, WORDS = 8 };
  const struct dump_header *header = &snapshot->header;
  size_t size = (size_t)header->pieces[PIECE].size;
  bool big = header->big_endian;
  unsigned char head[sizeof(struct bareprof_samples)] = {0xFA, 'B', 'P', 'S'};
  const uint32_t words[] = {
      read_samples_header_number(snapshot, SAMPLES_PERIOD),
      (uint32_t)(size / header_element_size(header, PIECE)),
      read_samples_header_number(snapshot, SAMPLES_LOST),
      read_samples_header_number(snapshot, SAMPLES_TAKEN),
      (uint32_t)(header->version >> 32),
      bareprof_build_hash(header->build_id, header->build_id_size)};
  store16(head + VERSION, (uint16_t)header->version, big);
  store16(head + FLAGS, (uint16_t)(header->version >> 16), big);
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    store32(head + WORDS + 4 * (size_t)i, words[i], big);
  fwrite(head, 1, sizeof head, stream);
  fwrite(snapshot->parts[PIECE].bytes, 1, size, stream);
}
