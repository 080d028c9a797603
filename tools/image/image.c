/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a snapshot without counts from the ELF of an image. debug_correlation.c
 * and bss_counters.c handle special kinds of images.
 */
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../object/names.h"
#include "image_layout.h"
#include "dumpfile.h"

static const char *const section_names[BAREPROF_SPANS] = {
    "__llvm_prf_data",  "__llvm_prf_cnts", "__llvm_prf_bits",
    "__llvm_prf_names", "__llvm_prf_vtab", "__llvm_prf_vns"};
static const char packed_name[] = "__llvm_prf_cnt4";

/* The parts of an image that do not depend on the raw version. */
struct image_parts {
  struct elf_section sections[BAREPROF_SPANS];
  struct elf_section packed;      /* the section of 4-byte counters */
  struct elf_section data, names; /* the sections of correlated objects */
  bool correlated;
  bool scattered; /* only the records say where counters and bitmaps are */
  struct debug_correlation described; /* data of images whose records are in
                                         debug information */
  struct dump_header header;          /* the header of a dump, whose version is
                                         0 */
};

static bool is_count_piece(unsigned piece) {
  return piece == BAREPROF_PIECE_COUNTERS || piece == BAREPROF_PIECE_BITMAP;
}

static void find_profile_sections(const struct elf *elf,
                                  struct image_parts *found) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (strncmp(section.name, "__llvm_", 7))
      continue;
    for (unsigned piece = 0; piece < BAREPROF_SPANS; piece++)
      if (!strcmp(section.name, section_names[piece]) &&
          !found->sections[piece].name)
        found->sections[piece] = section;
    if (!strcmp(section.name, packed_name) && section.size)
      found->packed = section;
    for (unsigned kind = 0; kind < WIDTH_KINDS; kind++)
      if (!strcmp(section.name, placed_records[kind]) && section.size) {
        found->data = section;
        found->header.packed |= kind == WIDTH_4;
      }
    if (!strcmp(section.name, "__llvm_covnames"))
      found->names = section;
  }
}

/* Finds the ends of the pieces from the symbols of the linker script. If the
 * script lacks these symbols, a piece ends with its section, and alignment may
 * make the section longer than the piece. */
static void find_piece_ends(const struct elf *elf, struct image_parts *found) {
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (strncmp(symbol.name, "__stop_", 7) || !symbol.section)
      continue;
    for (unsigned piece = 0; piece < BAREPROF_SPANS; piece++) {
      const struct elf_section *section = &found->sections[piece];
      uint64_t size = symbol.value - section->address;
      if (!strcmp(symbol.name + 7, section_names[piece]) &&
          symbol.value > section->address && size <= section->size)
        found->header.pieces[piece].size = size;
    }
  }
}

/* Selects sections that have other names than usual: the section of 4-byte
 * counters, and the sections with records and names of correlated objects. */
static const char *select_renamed_sections(struct image_parts *found) {
  struct elf_section *records = &found->sections[BAREPROF_PIECE_RECORDS];
  struct elf_section *names = &found->sections[BAREPROF_PIECE_NAMES];
  if (found->packed.size) {
    found->header.packed = true;
    found->sections[BAREPROF_PIECE_COUNTERS] = found->packed;
  }
  if (records->size && found->data.size)
    return "only some objects were compiled with -profile-correlate; compile "
           "all objects the same way";
  found->correlated = found->data.size != 0;
  if (found->correlated)
    *records = found->data;
  if (!names->size)
    *names = found->names;
  return NULL;
}

/* Collects the parts of an ELF that do not depend on its raw version. */
static const char *collect_image_parts(const struct elf *elf,
                                       struct image_parts *found) {
  struct dump_header *header = &found->header;
  unsigned char digest[16];
  struct bytes id;
  *found = (struct image_parts){
      .header = {.big_endian = elf->big, .wide = elf->wide}};
  if (elf->type == ELF_REL)
    return ELF_NOT_LINKED;
  if (image_find_or_make_id(elf, &id, digest)) {
    if (id.size > sizeof header->build_id)
      return "the build id is longer than 64 bytes; link with --build-id=sha1";
    memcpy(header->build_id, id.data, id.size);
    header->build_id_size = id.size;
  }
  find_profile_sections(elf, found);
  const char *error = counter_width_mix_error(elf);
  if (!error)
    error = select_renamed_sections(found);
  for (unsigned i = 0; i < BAREPROF_SPANS && !error; i++) {
    header->pieces[i].address = found->sections[i].address;
    error =
        elf_contents_size(elf, &found->sections[i], &header->pieces[i].size);
    if (!error && header->pieces[i].size > PIECE_LIMIT)
      error = PIECE_TOO_LARGE;
  }
  if (error)
    return error;
  find_piece_ends(elf, found);
  found->scattered =
      found->correlated && !header->pieces[BAREPROF_PIECE_COUNTERS].size;
  if (!found->scattered && !header->pieces[BAREPROF_PIECE_COUNTERS].size)
    return "no counters found; compile with -fprofile-instr-generate "
           "-fcoverage-mapping, and link with bareprof.ld or bareprof-lean.ld";
  if (header->pieces[BAREPROF_PIECE_RECORDS].size)
    return NULL;
  const struct debug_correlation_input in = {
      elf, found->sections[BAREPROF_PIECE_COUNTERS],
      found->sections[BAREPROF_PIECE_BITMAP]};
  error = debug_correlation_read(&found->described, &in);
  found->sections[BAREPROF_PIECE_NAMES].size = 0;
  header->pieces[BAREPROF_PIECE_NAMES].size = found->described.names.size;
  return error || found->described.count
             ? error
             : "the ELF has counters, but neither records nor debug "
               "information with records; pass the ELF that ran, unstripped";
}

const char *image_make_debug_names(const struct elf *elf, struct buffer *names,
                                   bool *lost) {
  struct image_parts found;
  const char *error = collect_image_parts(elf, &found);
  *names = (struct buffer){.limit = PIECE_LIMIT};
  *lost = !error && found.described.lost;
  if (!error && found.described.count)
    error = debug_correlation_make_names(elf, names);
  debug_correlation_free(&found.described);
  return error;
}

int image_open_file(struct elf *elf, struct file *file, const char *name) {
  if (elf_open_file(elf, file, name))
    return 1;
  const char *mixed = counter_width_mix_error(elf);
  if (!mixed)
    return 0;
  file_close(file);
  return report(name, "%s", mixed);
}

/* ---- images in which only the records say where the counters are ---- */

/* Finds the counters from the records. The caller calls bss_counters_free. */
static const char *find_counters_by_records(const struct elf *elf,
                                            const struct image_parts *found,
                                            uint64_t version,
                                            struct bss_counters *placed) {
  const struct record_format form =
      record_format_of(version, elf->wide, elf->big);
  struct bytes records;
  unsigned char *memory = NULL;
  *placed = (struct bss_counters){.records_size = 0};
  if (!form.layout)
    return image_error_message(BAREPROF_E_VERSION);
  const char *error =
      elf_read_contents(elf, &found->sections[BAREPROF_PIECE_RECORDS],
                        PIECE_LIMIT, &records, &memory);
  if (!error)
    error = bss_counters_read(placed, elf, &form, records,
                              found->header.packed               ? 4
                              : version & BAREPROF_BYTE_COVERAGE ? 1
                                                                 : 8);
  free(memory);
  return error;
}

const char *image_list_count_ranges(const struct elf *elf, uint64_t version,
                                    struct image_ranges *ranges) {
  struct image_parts found;
  struct bss_counters placed = {.records_size = 0};
  *ranges = (struct image_ranges){.count = 0};
  const char *error = collect_image_parts(elf, &found);
  if (!error && found.scattered)
    error = find_counters_by_records(elf, &found, version, &placed);
  else if (!error)
    placed.ranges.list = calloc(2, sizeof *placed.ranges.list);
  if (!error && !placed.ranges.list)
    error = out_of_memory;
  for (unsigned i = 0; i < BAREPROF_SPANS && !error && !found.scattered; i++) {
    const struct dump_piece *piece = &found.header.pieces[i];
    if (is_count_piece(i) && piece->size)
      placed.ranges.list[placed.ranges.count++] =
          (struct image_range){piece->address, piece->size, 0, i};
  }
  if (!error) {
    *ranges = placed.ranges;
    placed.ranges.list = NULL;
  }
  bss_counters_free(&placed);
  debug_correlation_free(&found.described);
  return error;
}

/* ---- a snapshot ---- */

/* Returns whether the bytes are in the ELF file's memory, not in a copy. */
static bool is_elf_memory(const struct elf *elf, const unsigned char *bytes) {
  return bytes >= elf->file.data && bytes < elf->file.data + elf->file.size;
}

void image_replace_piece(struct snapshot *snapshot, const struct elf *elf,
                         unsigned piece, unsigned char *bytes) {
  struct snapshot_piece *part = &snapshot->parts[piece];
  if (!is_elf_memory(elf, part->bytes))
    free(part->bytes);
  part->bytes = bytes;
}

void image_free(struct snapshot *snapshot, const struct elf *elf) {
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    image_replace_piece(snapshot, elf, i, NULL);
  snapshot_free(snapshot);
}

/* Adds a constant piece to the snapshot. The piece points into the ELF, which
 * is never modified, or is an unpacked copy. */
static const char *read_constant_piece(struct snapshot *snapshot,
                                       const struct elf *elf,
                                       const struct elf_section *section,
                                       unsigned piece) {
  struct bytes contents;
  unsigned char *memory;
  size_t parts, size = (size_t)snapshot->header.pieces[piece].size;
  bool names =
      piece == BAREPROF_PIECE_NAMES || piece == BAREPROF_PIECE_VTABLE_NAMES;
  const char *error =
      elf_read_contents(elf, section, PIECE_LIMIT, &contents, &memory);
  if (!error && contents.size < size)
    error = "the records have no contents; pass the ELF that ran, unstripped";
  else if (!error && names &&
           !names_count_object_parts((struct bytes){contents.data, size},
                                     &parts))
    error = "the function names are damaged; link the ELF again";
  if (error) {
    free(memory);
    return error;
  }
  snapshot->parts[piece].bytes =
      memory ? memory : (unsigned char *)(uintptr_t)contents.data;
  return snapshot_mark_all_known(snapshot, piece) ? NULL : out_of_memory;
}

static void shift_pointer(const struct dump_header *header, unsigned char *at,
                          uint64_t by) {
  unsigned size = header->wide ? 8 : 4;
  uint64_t value = load_number(at, size, header->big_endian);
  store_number(at, value + by, size, header->big_endian);
}

/* Converts the addresses in the records of correlated objects to offsets, as if
 * the records began at address 0. */
static const char *make_records_relative(struct snapshot *snapshot,
                                         const struct elf *elf,
                                         const struct bareprof_layout *layout) {
  struct dump_header *header = &snapshot->header;
  struct dump_piece *piece = &header->pieces[BAREPROF_PIECE_RECORDS];
  unsigned pointer = header->wide ? 8 : 4;
  piece->address = 0;
  if (layout->fields & BAREPROF_ABSOLUTE)
    return NULL;
  unsigned char *records = malloc((size_t)piece->size);
  if (!records)
    return out_of_memory;
  memcpy(records, snapshot->parts[BAREPROF_PIECE_RECORDS].bytes,
         (size_t)piece->size);
  image_replace_piece(snapshot, elf, BAREPROF_PIECE_RECORDS, records);
  for (uint64_t record = 0; piece->size - record >= layout->record_size;
       record += layout->record_size) {
    unsigned char *bitmap = records + record + layout->counts_at - 3 * pointer;
    shift_pointer(header, records + record + 16, 0 - record);
    if (layout->bitmap_at && load_number(bitmap, pointer, header->big_endian))
      shift_pointer(header, bitmap, 0 - record);
  }
  return NULL;
}

/* Converts records for 4-byte counters to records for 8-byte counters. The
 * distance of a function's counters from the first counter is doubled. */
static const char *widen_record_offsets(struct snapshot *snapshot,
                                        const struct elf *elf) {
  struct dump_header *header = &snapshot->header;
  const struct dump_piece *piece = &header->pieces[BAREPROF_PIECE_RECORDS];
  const struct dump_piece *counters = &header->pieces[BAREPROF_PIECE_COUNTERS];
  const struct record_format form =
      record_format_of(header->version, header->wide, header->big_endian);
  size_t size = form.layout->record_size;
  unsigned char *records = malloc((size_t)piece->size + 1);
  if (!records)
    return out_of_memory;
  if (piece->size)
    memcpy(records, snapshot->parts[BAREPROF_PIECE_RECORDS].bytes,
           (size_t)piece->size);
  image_replace_piece(snapshot, elf, BAREPROF_PIECE_RECORDS, records);
  for (size_t at = 0; piece->size - at >= size; at += size) {
    struct record record;
    record_read(&form, records + at, piece->address + at, &record);
    uint64_t offset =
        record_narrow_address(&form, record.counters - counters->address);
    /* An invalid pointer must stay invalid. */
    record.counters += offset < counters->size / 2 ? offset : counters->size;
    record_write(&form, records + at, piece->address + at, &record);
  }
  return NULL;
}

/* Computes the missing sizes of pieces when the version is known. */
static const char *complete_piece_sizes(const struct image_parts *found,
                                        const struct bareprof_layout *layout,
                                        const struct bss_counters *placed,
                                        struct dump_header *header) {
  struct dump_piece *pieces = header->pieces;
  if (found->scattered) {
    pieces[BAREPROF_PIECE_COUNTERS] = placed->counters;
    pieces[BAREPROF_PIECE_BITMAP] = placed->bitmap;
    pieces[BAREPROF_PIECE_RECORDS] =
        (struct dump_piece){.size = placed->records_size};
  }
  if (header->packed)
    pieces[BAREPROF_PIECE_COUNTERS].size *= 2;
  if (pieces[BAREPROF_PIECE_COUNTERS].size %
      header_element_size(header, BAREPROF_PIECE_COUNTERS))
    return "the counter section is not a multiple of the counter size; link "
           "the ELF again";
  if (found->described.count)
    pieces[BAREPROF_PIECE_RECORDS] = (struct dump_piece){
        .size = found->described.count * (uint64_t)layout->record_size};
  /* Only the pieces of counts get memory now. */
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    pieces[i].left_out = !is_count_piece(i);
  return NULL;
}

static const char *set_snapshot_records(struct snapshot *snapshot,
                                        struct bss_counters *placed) {
  snapshot->parts[BAREPROF_PIECE_RECORDS].bytes = placed->records;
  placed->records = NULL;
  return snapshot_mark_all_known(snapshot, BAREPROF_PIECE_RECORDS)
             ? NULL
             : out_of_memory;
}

static const char *fill_constant_pieces(struct snapshot *snapshot,
                                        const struct elf *elf,
                                        const struct image_parts *found,
                                        struct bss_counters *placed,
                                        const struct bareprof_layout *layout) {
  const char *error = NULL;
  for (unsigned i = 0; i < BAREPROF_SPANS && !error; i++) {
    bool placed_already = found->scattered && i == BAREPROF_PIECE_RECORDS;
    snapshot->header.pieces[i].left_out = false;
    if (!is_count_piece(i) && found->sections[i].size && !placed_already)
      error = read_constant_piece(snapshot, elf, &found->sections[i], i);
  }
  if (!error && found->scattered)
    error = set_snapshot_records(snapshot, placed);
  else if (!error && found->correlated)
    error = make_records_relative(snapshot, elf, layout);
  if (!error && found->described.count)
    error = debug_correlation_fill_snapshot(&found->described, snapshot);
  if (!error && snapshot->header.packed)
    error = widen_record_offsets(snapshot, elf);
  return error;
}

static const char *read_image_as_version(struct snapshot *snapshot,
                                         const struct elf *elf,
                                         const struct image_parts *found,
                                         uint64_t version) {
  struct dump_header header = found->header;
  struct bss_counters placed = {.records_size = 0};
  header.version = version;
  const struct bareprof_layout *layout =
      record_format_of(version, header.wide, header.big_endian).layout;
  if (!layout)
    return image_error_message(BAREPROF_E_VERSION);
  const char *error =
      found->scattered ? find_counters_by_records(elf, found, version, &placed)
                       : NULL;
  if (!error)
    error = complete_piece_sizes(found, layout, &placed, &header);
  if (!error && !snapshot_init(snapshot, &header))
    error = out_of_memory;
  if (!error) {
    error = fill_constant_pieces(snapshot, elf, found, &placed, layout);
    if (error)
      image_free(snapshot, elf);
  }
  bss_counters_free(&placed);
  return error;
}

const char *image_read(struct snapshot *snapshot, const struct elf *elf,
                       uint64_t version) {
  struct image_parts found;
  const char *error = collect_image_parts(elf, &found);
  if (!error)
    error = read_image_as_version(snapshot, elf, &found, version);
  debug_correlation_free(&found.described);
  return error;
}

const char *image_find_possible_versions(const struct elf *elf,
                                         uint64_t variant, uint32_t likely,
                                         uint32_t *versions) {
  struct image_parts found;
  const char *reason = NULL, *error = collect_image_parts(elf, &found);
  *versions = 0;
  for (unsigned raw = BAREPROF_RAW_VERSION_FIRST;
       !error && raw <= BAREPROF_RAW_VERSION_LAST; raw++) {
    struct snapshot snapshot;
    const char *wrong =
        read_image_as_version(&snapshot, elf, &found, variant | raw);
    if (!wrong) {
      wrong = raw_write_check(&snapshot);
      image_free(&snapshot, elf);
    }
    if (!wrong)
      *versions |= 1u << raw;
    else if (!reason || likely >> raw & 1)
      reason = wrong;
  }
  debug_correlation_free(&found.described);
  return error ? error : *versions ? NULL : reason;
}
