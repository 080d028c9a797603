/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The pieces of an image out of its ELF, as a snapshot without counts; also
 * where its records are in the debug information.
 */
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "image_layout.h"
#include "../object/dwarf.h"
#include "../object/md5.h"
#include "raw_write.h"
#include "record.h"

struct described {
  struct buffer functions, names; /* the first is struct function; the second
                                     the section of names */
  size_t count;                   /* of functions; 0: it is no such image */
  bool lost; /* there are bitmaps, and nothing says of which functions */
};

/* Where functions are looked for. */
struct described_images {
  const struct elf *elf;
  struct elf_section counters, bitmaps;
};

/* A record of any version is no larger: so their section keeps to the limit
 * too. */
enum { RECORD_MOST = 72 };

struct function {
  uint64_t reference, hash, address;
  uint64_t bitmap; /* address */
  uint32_t count, bitmap_size;
};

static const char *keep_functions(struct described *described,
                                  const struct buffer *list) {
  const struct dwarf_counters *functions =
      (const struct dwarf_counters *)list->data;
  size_t count = list->size / sizeof *functions;
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    const struct dwarf_counters *from = &functions[i];
    const struct function to = {
        .reference = md5_low64(from->name, strlen(from->name)),
        .hash = from->hash,
        .address = from->address,
        .count = from->count > UINT32_MAX ? UINT32_MAX : (uint32_t)from->count};
    error = buffer_append(&described->functions, &to, sizeof to);
  }
  if (!error && count)
    error = dwarf_counters_names(list, &described->names);
  described->count = count;
  return error ? "a profile section of it would be larger than 16 MB; is it "
                 "damaged?"
               : NULL;
}

/* ---- bitmaps ---- */

/* The debug information lacks the bitmaps. Each bitmap has a symbol, named like
 * the symbol of its function's counters. */
struct named {
  const char *name;
  size_t function;
};

static int by_name(const void *left, const void *right) {
  const struct named *a = left, *b = right;
  return strcmp(a->name, b->name);
}

/* The name in a symbol of a bitmap, or NULL. */
static const char *bitmap_name(const struct elf_symbol *symbol) {
  const char *name = symbol->name;
  if (strncmp(name, ".L", 2) == 0)
    name += 2;
  return strncmp(name, "__profbm_", 9) == 0 ? name + 9 : NULL;
}

/* If several have the name, the right one is unknown. Linkers and LTO put a
 * number behind the name. */
static struct function *find_named(struct function *functions,
                                   const struct named *list, size_t count,
                                   const char *name) {
  char own[1024];
  size_t length = strlen(name);
  for (unsigned cut = 0; cut < 2; cut++) {
    if (length >= sizeof own)
      return NULL;
    memcpy(own, name, length);
    own[length] = '\0';
    const struct named key = {own, 0};
    const struct named *found = bsearch(&key, list, count, sizeof key, by_name);
    if (found)
      return (found > list && !by_name(found - 1, found)) ||
                     (found + 1 < list + count && !by_name(found, found + 1))
                 ? NULL
                 : &functions[found->function];
    while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
      length--;
    if (!length || name[--length] != '.')
      return NULL;
  }
  return NULL;
}

/* Whether the owner of each bitmap byte is known. */
static bool take_bitmaps(struct function *functions, const struct named *list,
                         size_t count, const struct described_images *in) {
  uint64_t taken = 0;
  for (uint64_t i = 0; i < in->elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(in->elf, i);
    const char *name = bitmap_name(&symbol);
    uint64_t offset = symbol.value - in->bitmaps.address;
    if (!name || !symbol.section || !symbol.size ||
        offset >= in->bitmaps.size || symbol.size > in->bitmaps.size - offset)
      continue;
    struct function *function = find_named(functions, list, count, name);
    if (!function || function->bitmap_size)
      return false;
    function->bitmap = symbol.value;
    function->bitmap_size = (uint32_t)symbol.size;
    taken += symbol.size;
  }
  return in->bitmaps.size - taken < 8;
}

static const char *read_bitmaps(struct described *described,
                                const struct buffer *list,
                                const struct described_images *in) {
  const struct dwarf_counters *from = (const struct dwarf_counters *)list->data;
  struct function *functions = (struct function *)described->functions.data;
  size_t count = described->count;
  struct named *names = malloc((count + 1) * sizeof *names);
  if (!names)
    return out_of_memory;
  for (size_t i = 0; i < count; i++)
    names[i] = (struct named){from[i].variable, i};
  qsort(names, count, sizeof *names, by_name);
  if (!take_bitmaps(functions, names, count, in)) {
    described->lost = true;
    for (size_t i = 0; i < count; i++)
      functions[i].bitmap_size = 0;
  }
  free(names);
  return NULL;
}

/* Looks for functions with counters in this section. Returns NULL or the error.
 * The caller calls described_free in both cases. */
static const char *described_read(struct described *described,
                                  const struct described_images *in) {
  const struct elf *elf = in->elf;
  const struct elf_section *counters = &in->counters;
  *described =
      (struct described){.functions = {.limit = PIECE_LIMIT / RECORD_MOST *
                                                sizeof(struct function)},
                         .names = {.limit = PIECE_LIMIT}};
  struct elf_section section;
  struct dwarf dwarf;
  if (!elf_find_section(elf, ".debug_info", &section))
    return NULL;
  struct buffer list = {.size = 0};
  const struct dwarf_span span = {counters->address,
                                  counters->address + counters->size};
  const char *error = dwarf_open(&dwarf, elf);
  if (!error)
    error = dwarf_counters_read(&dwarf, span, &list);
  if (!error)
    error = keep_functions(described, &list);
  if (!error && described->count && in->bitmaps.size)
    error = read_bitmaps(described, &list, in);
  buffer_free(&list);
  dwarf_close(&dwarf);
  return error;
}

/* Makes a section of names of all functions that debug information describes,
 * including functions that the linker has dropped. Returns NULL or the error.
 * The caller frees names in both cases. */
static const char *described_names(const struct elf *elf,
                                   struct buffer *names) {
  static const struct dwarf_span all = {0, UINT64_MAX};
  struct buffer list = {.size = 0};
  struct dwarf dwarf;
  const char *error = dwarf_open(&dwarf, elf);
  if (!error)
    error = dwarf_counters_read(&dwarf, all, &list);
  if (!error)
    error = dwarf_counters_names(&list, names);
  buffer_free(&list);
  dwarf_close(&dwarf);
  return error;
}

static void described_free(struct described *described) {
  buffer_free(&described->functions);
  buffer_free(&described->names);
  described->count = 0;
}

static unsigned char *make_records(const struct described *described,
                                   const struct header *header) {
  const struct function *functions =
      (const struct function *)described->functions.data;
  const struct record_form form =
      record_form(header->version, header->wide, header->big_endian);
  size_t size = form.layout->record_size;
  unsigned char *records = calloc(described->count + 1, size);
  for (size_t i = 0; i < described->count && records; i++) {
    const struct function *from = &functions[i];
    const struct record record = {.name = from->reference,
                                  .hash = from->hash,
                                  .counters = from->address,
                                  .bitmap = from->bitmap,
                                  .has_bitmap = from->bitmap_size != 0,
                                  .counter_count = from->count,
                                  .bitmap_size = from->bitmap_size};
    record_write(&form, records + i * size, i * size, &record);
  }
  return records;
}

static const char *take_piece(struct snapshot *snapshot, unsigned piece,
                              unsigned char *bytes) {
  const struct header *header = &snapshot->header;
  unsigned element = header_element(header, piece);
  struct range all = {0, (uint32_t)(header->pieces[piece].size / element)};
  snapshot->parts[piece].bytes = bytes;
  return bytes && snapshot_know(snapshot, piece, all) ? NULL : out_of_memory;
}

/* Fills the records and names of a snapshot whose header has their sizes. The
 * records are as at address 0. Returns NULL or the error. */
static const char *described_take(const struct described *described,
                                  struct snapshot *snapshot) {
  unsigned char *names = malloc(described->names.size);
  if (names)
    memcpy(names, described->names.data, described->names.size);
  const char *error = take_piece(snapshot, BAREPROF_PIECE_NAMES, names);
  return error ? error
               : take_piece(snapshot, BAREPROF_PIECE_RECORDS,
                            make_records(described, &snapshot->header));
}

static const char *const section_names[BAREPROF_SPANS] = {
    "__llvm_prf_data",  "__llvm_prf_cnts", "__llvm_prf_bits",
    "__llvm_prf_names", "__llvm_prf_vtab", "__llvm_prf_vns"};

/* The parts of an image that do not depend on the version. */
struct found {
  struct elf_section sections[BAREPROF_SPANS];
  struct elf_section data, names; /* of correlated objects, where they go */
  bool correlated;
  struct described described; /* of those whose debug information has both */
  struct header header;       /* version is 0 */
};

static bool has_counts(unsigned piece) {
  return piece == BAREPROF_PIECE_COUNTERS || piece == BAREPROF_PIECE_BITMAP;
}

static void find_sections(const struct elf *elf, struct found *found) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (strncmp(section.name, "__llvm_", 7))
      continue;
    for (unsigned piece = 0; piece < BAREPROF_SPANS; piece++)
      if (!strcmp(section.name, section_names[piece]) &&
          !found->sections[piece].name)
        found->sections[piece] = section;
    if (!strcmp(section.name, "__llvm_covdata"))
      found->data = section;
    else if (!strcmp(section.name, "__llvm_covnames"))
      found->names = section;
  }
}

/* The ends of the pieces, where the linker script gives them: alignment may
 * make an output section longer than its content. */
static void find_ends(const struct elf *elf, struct found *found) {
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

/* Records and names of correlated objects are under other names. */
static const char *find_records(struct found *found) {
  struct elf_section *records = &found->sections[BAREPROF_PIECE_RECORDS];
  struct elf_section *names = &found->sections[BAREPROF_PIECE_NAMES];
  if (records->size && found->data.size)
    return "some objects have -profile-correlate and some not; compile all "
           "of it one way";
  found->correlated = found->data.size != 0;
  if (found->correlated)
    *records = found->data;
  if (!names->size)
    *names = found->names;
  return NULL;
}

static const char *find_pieces(const struct elf *elf, struct found *found) {
  struct header *header = &found->header;
  struct bytes id;
  *found =
      (struct found){.header = {.big_endian = elf->big, .wide = elf->wide}};
  if (elf->type == ELF_REL)
    return "it is an object; give the linked image";
  if (elf_build_id(elf, &id)) {
    if (id.size > sizeof header->build_id)
      return "its build id is longer than 64 bytes; link with --build-id=sha1";
    memcpy(header->build_id, id.data, id.size);
    header->build_id_size = id.size;
  }
  find_sections(elf, found);
  const char *error = find_records(found);
  for (unsigned i = 0; i < BAREPROF_SPANS && !error; i++) {
    header->pieces[i].address = found->sections[i].address;
    error = elf_size(elf, &found->sections[i], &header->pieces[i].size);
    if (!error && header->pieces[i].size > PIECE_LIMIT)
      error = "a profile section of it is larger than 16 MB; is it damaged?";
  }
  if (error)
    return error;
  find_ends(elf, found);
  if (!header->pieces[BAREPROF_PIECE_COUNTERS].size)
    return "it has no counters; was it compiled with profile flags, and linked "
           "with bareprof.ld or bareprof-lean.ld?";
  if (header->pieces[BAREPROF_PIECE_RECORDS].size)
    return NULL;
  const struct described_images in = {elf,
                                      found->sections[BAREPROF_PIECE_COUNTERS],
                                      found->sections[BAREPROF_PIECE_BITMAP]};
  error = described_read(&found->described, &in);
  found->sections[BAREPROF_PIECE_NAMES].size = 0;
  header->pieces[BAREPROF_PIECE_NAMES].size = found->described.names.size;
  return error || found->described.count
             ? error
             : "the ELF has counters and no records, nor debug information "
               "with them; give the ELF as it was linked, before strip";
}

const char *image_names(const struct elf *elf, struct buffer *names,
                        bool *lost) {
  struct found found;
  const char *error = find_pieces(elf, &found);
  *names = (struct buffer){.limit = PIECE_LIMIT};
  *lost = !error && found.described.lost;
  if (!error && found.described.count)
    error = described_names(elf, names);
  described_free(&found.described);
  return error;
}

/* ---- a snapshot ---- */

/* Whether bytes are the ELF's own. */
static bool is_of_elf(const struct elf *elf, const unsigned char *bytes) {
  return bytes >= elf->file.data && bytes < elf->file.data + elf->file.size;
}

void image_replace(struct snapshot *snapshot, const struct elf *elf,
                   unsigned piece, unsigned char *bytes) {
  struct snapshot_part *part = &snapshot->parts[piece];
  if (!is_of_elf(elf, part->bytes))
    free(part->bytes);
  part->bytes = bytes;
}

void image_free(struct snapshot *snapshot, const struct elf *elf) {
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    image_replace(snapshot, elf, i, NULL);
  snapshot_free(snapshot);
}

/* Whether names, which are chunks (see object/names.h), end with the last. */
static bool are_whole(struct bytes names) {
  const unsigned char *at = names.data, *end = at + names.size;
  while (at != end) {
    uint64_t size, packed;
    if (*at == 0) {
      at++;
      continue;
    }
    if (!read_uleb128(&at, end, &size) || !read_uleb128(&at, end, &packed))
      return false;
    if (packed)
      size = packed;
    if (size > (uint64_t)(end - at))
      return false;
    at += size;
  }
  return true;
}

/* Puts a constant piece into the snapshot: a pointer into the ELF, which nobody
 * writes to, or an unpacked copy. */
static const char *read_piece(struct snapshot *snapshot, const struct elf *elf,
                              const struct elf_section *section,
                              unsigned piece) {
  struct bytes contents;
  unsigned char *memory;
  size_t size = (size_t)snapshot->header.pieces[piece].size;
  bool names =
      piece == BAREPROF_PIECE_NAMES || piece == BAREPROF_PIECE_VTABLE_NAMES;
  const char *error =
      elf_contents(elf, section, PIECE_LIMIT, &contents, &memory);
  if (!error && contents.size < size)
    error = "it has the sizes of its records and not their contents; give the "
            "ELF as it was linked, before strip";
  else if (!error && names && !are_whole((struct bytes){contents.data, size}))
    error = "the names of its functions are damaged; link it again";
  if (error) {
    free(memory);
    return error;
  }
  snapshot->parts[piece].bytes =
      memory ? memory : (unsigned char *)(uintptr_t)contents.data;
  unsigned element = header_element(&snapshot->header, piece);
  struct range all = {0, (uint32_t)(size / element)};
  return snapshot_know(snapshot, piece, all) ? NULL : out_of_memory;
}

/* Adds to the pointer at `at`. */
static void move(const struct header *header, unsigned char *at, uint64_t by) {
  unsigned size = header->wide ? 8 : 4;
  uint64_t value = load_number(at, size, header->big_endian);
  store_number(at, value + by, size, header->big_endian);
}

/* Records of correlated objects have addresses where others have distances.
 * Converts them to distances for records that begin at address 0. */
static const char *relate(struct snapshot *snapshot, const struct elf *elf,
                          const struct bareprof_layout *layout) {
  struct header *header = &snapshot->header;
  struct piece *piece = &header->pieces[BAREPROF_PIECE_RECORDS];
  unsigned pointer = header->wide ? 8 : 4;
  piece->address = 0;
  if (layout->fields & BAREPROF_ABSOLUTE)
    return NULL;
  unsigned char *records = malloc((size_t)piece->size);
  if (!records)
    return out_of_memory;
  memcpy(records, snapshot->parts[BAREPROF_PIECE_RECORDS].bytes,
         (size_t)piece->size);
  image_replace(snapshot, elf, BAREPROF_PIECE_RECORDS, records);
  for (uint64_t record = 0; piece->size - record >= layout->record_size;
       record += layout->record_size) {
    unsigned char *bitmap = records + record + layout->counts_at - 3 * pointer;
    move(header, records + record + 16, 0 - record);
    if (layout->bitmap_at && load_number(bitmap, pointer, header->big_endian))
      move(header, bitmap, 0 - record);
  }
  return NULL;
}

static const char *read_version(struct snapshot *snapshot,
                                const struct elf *elf,
                                const struct found *found, uint64_t version) {
  struct header header = found->header;
  header.version = version;
  const struct bareprof_image image = {.version = &header.version,
                                       .pointer_size = header.wide ? 8 : 4};
  const struct bareprof_layout *layout = bareprof_layout_find(&image);
  if (!layout)
    return "its raw version is not 7 to 11; use a newer bareprof";
  if (header.pieces[BAREPROF_PIECE_COUNTERS].size %
      header_element(&header, BAREPROF_PIECE_COUNTERS))
    return "its counters are not a whole number of them; is it damaged?";
  if (found->described.count)
    header.pieces[BAREPROF_PIECE_RECORDS] = (struct piece){
        .size = found->described.count * (uint64_t)layout->record_size};
  /* Room for the counts only. */
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    header.pieces[i].left_out = !has_counts(i);
  if (!snapshot_new(snapshot, &header))
    return out_of_memory;
  const char *error = NULL;
  for (unsigned i = 0; i < BAREPROF_SPANS && !error; i++) {
    snapshot->header.pieces[i].left_out = false;
    if (!has_counts(i) && found->sections[i].size)
      error = read_piece(snapshot, elf, &found->sections[i], i);
  }
  if (!error && found->correlated)
    error = relate(snapshot, elf, layout);
  if (!error && found->described.count)
    error = described_take(&found->described, snapshot);
  if (error)
    image_free(snapshot, elf);
  return error;
}

const char *image_read(struct snapshot *snapshot, const struct elf *elf,
                       uint64_t version) {
  struct found found;
  const char *error = find_pieces(elf, &found);
  if (!error)
    error = read_version(snapshot, elf, &found, version);
  described_free(&found.described);
  return error;
}

const char *image_versions(const struct elf *elf, uint64_t variant,
                           uint32_t likely, uint32_t *versions) {
  struct found found;
  const char *reason = NULL, *error = find_pieces(elf, &found);
  *versions = 0;
  for (unsigned raw = BAREPROF_RAW_VERSION_FIRST;
       !error && raw <= BAREPROF_RAW_VERSION_LAST; raw++) {
    struct snapshot snapshot;
    const char *wrong = read_version(&snapshot, elf, &found, variant | raw);
    if (!wrong) {
      wrong = profile_check(&snapshot);
      image_free(&snapshot, elf);
    }
    if (!wrong)
      *versions |= 1u << raw;
    else if (!reason || likely >> raw & 1)
      reason = wrong;
  }
  described_free(&found.described);
  return error ? error : *versions ? NULL : reason;
}
