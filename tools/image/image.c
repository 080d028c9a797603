/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The pieces of an image out of its ELF, as a snapshot without counts.
 */
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "layout.h"

static const char *const section_names[BAREPROF_PIECES] = {
    "__llvm_prf_data",  "__llvm_prf_cnts", "__llvm_prf_bits",
    "__llvm_prf_names", "__llvm_prf_vtab", "__llvm_prf_vns"};

static bool has_counts(unsigned piece) {
  return piece == BAREPROF_PIECE_COUNTERS || piece == BAREPROF_PIECE_BITMAP;
}

/* The section of a piece; correlated objects have two under other names. */
static void find_section(const struct elf *elf, unsigned piece,
                         struct elf_section *section) {
  elf_find_section(elf, section_names[piece], section);
  if (section->size)
    return;
  if (piece == BAREPROF_PIECE_RECORDS)
    elf_find_section(elf, "__llvm_covdata", section);
  else if (piece == BAREPROF_PIECE_NAMES)
    elf_find_section(elf, "__llvm_covnames", section);
}

bool image_correlated(const struct elf *elf) {
  struct elf_section records, correlated;
  elf_find_section(elf, "__llvm_prf_data", &records);
  elf_find_section(elf, "__llvm_covdata", &correlated);
  return correlated.size && !records.size;
}

/* The bounds where the linker script gives them: an output section may be
 * longer than what it bounds, by alignment. */
static uint64_t piece_size(const struct elf *elf, unsigned piece,
                           const struct elf_section *section) {
  char name[64] = "__stop_";
  uint64_t stop;
  strcat(name, section_names[piece]);
  if (elf_find_symbol(elf, name, &stop) && stop > section->address &&
      stop - section->address <= section->size)
    return stop - section->address;
  return section->size;
}

static const char *describe(const struct elf *elf, struct header *header) {
  struct bytes id;
  *header = (struct header){.big_endian = elf->big, .wide = elf->wide};
  if (elf->type == ELF_REL)
    return "it is an object; give the linked image";
  if (elf_build_id(elf, &id)) {
    if (id.size > sizeof header->build_id)
      return "its build id is longer than 64 bytes; link with --build-id=sha1";
    memcpy(header->build_id, id.data, id.size);
    header->build_id_size = id.size;
  }
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    struct elf_section section;
    find_section(elf, i, &section);
    header->pieces[i].address = section.address;
    header->pieces[i].size = piece_size(elf, i, &section);
    if (header->pieces[i].size > PIECE_LIMIT)
      return "a profile section of it is larger than 16 MB; is it damaged?";
  }
  if (!header->pieces[BAREPROF_PIECE_COUNTERS].size)
    return "it has no counters; was it compiled with profile flags, and linked "
           "with bareprof.ld or bareprof-lean.ld?";
  if (!header->pieces[BAREPROF_PIECE_RECORDS].size)
    return "it has counters and no records; give the ELF as it was linked, "
           "before strip";
  return NULL;
}

/* The contents of a constant piece into the snapshot. */
static const char *read_piece(struct snapshot *snapshot, const struct elf *elf,
                              unsigned piece) {
  struct elf_section section;
  struct bytes contents;
  unsigned char *memory;
  uint64_t size = snapshot->header.pieces[piece].size;
  find_section(elf, piece, &section);
  const char *error =
      elf_contents(elf, &section, PIECE_LIMIT, &contents, &memory);
  if (!error && contents.size < size)
    error = "it has the sizes of its records and not their contents; give the "
            "ELF as it was linked, before strip";
  if (!error && !snapshot_constant(snapshot, piece, contents.data))
    error = "out of memory; close other programs";
  free(memory);
  return error;
}

static uint64_t load_pointer(const struct header *header,
                             const unsigned char *at) {
  return load_number(at, header->wide ? 8 : 4, header->big_endian);
}

static void store_pointer(const struct header *header, unsigned char *at,
                          uint64_t value) {
  store_number(at, value, header->wide ? 8 : 4, header->big_endian);
}

/* Records of correlated objects have addresses where others have distances:
 * made into those of records that begin at address 0. */
static void relate(struct snapshot *snapshot,
                   const struct bareprof_layout *layout) {
  struct header *header = &snapshot->header;
  struct piece *piece = &header->pieces[BAREPROF_PIECE_RECORDS];
  unsigned char *records = snapshot->parts[BAREPROF_PIECE_RECORDS].bytes;
  unsigned pointer = header->wide ? 8 : 4;
  uint64_t record = 0;
  piece->address = 0;
  if (layout->fields & BAREPROF_ABSOLUTE)
    return;
  for (; piece->size - record >= layout->record_size;
       record += layout->record_size) {
    unsigned char *counters = records + record + 16;
    unsigned char *bitmap = records + record + layout->counts_at - 3 * pointer;
    store_pointer(header, counters, load_pointer(header, counters) - record);
    if (layout->bitmap_at && load_pointer(header, bitmap))
      store_pointer(header, bitmap, load_pointer(header, bitmap) - record);
  }
}

const char *image_read(struct snapshot *snapshot, const struct elf *elf,
                       uint64_t version) {
  struct header header;
  const char *error = describe(elf, &header);
  if (error)
    return error;
  header.version = version;
  const struct bareprof_image image = {.version = &header.version,
                                       .pointer_size = header.wide ? 8 : 4};
  const struct bareprof_layout *layout = bareprof_layout_find(&image);
  if (!layout)
    return "its raw version is not 7 to 11; use a newer bareprof";
  if (header.pieces[BAREPROF_PIECE_COUNTERS].size %
      header_element(&header, BAREPROF_PIECE_COUNTERS))
    return "its counters are not a whole number of them; is it damaged?";
  if (!snapshot_new(snapshot, &header))
    return "out of memory; close other programs";
  for (unsigned i = 0; i < BAREPROF_PIECES && !error; i++)
    if (!has_counts(i) && header.pieces[i].size)
      error = read_piece(snapshot, elf, i);
  if (error)
    snapshot_free(snapshot);
  else if (image_correlated(elf))
    relate(snapshot, layout);
  return error;
}
