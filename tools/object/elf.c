/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads ELF files as the System V gABI defines them. An elf_field_reader reads
 * each structure field by field, with the field widths of the file's class (32
 * or 64 bits). The functions in the second half of this file search the ELF
 * file, and use only the functions of the first half to read its structures.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/number.h"
#include "elf.h"
#include "inflate.h"
#include "profraw_write.h"
#include "wire.h"

/* ==== Finds out which kind of file a user has passed where an ELF, a log or a
 * profile is needed. */

#define KIND(magic, name) \
  { magic, sizeof magic - 1, name, "this is " name "; pass the linked ELF" }
static const struct file_magic {
  const char *magic;
  size_t size;
  const char *name, *no_elf;
} kinds[] = {KIND(":", "an Intel HEX file"),
             KIND("S", "a Motorola S-record file"),
             KIND("UF2\n", "a UF2 file"),
             KIND("!<", "an archive"),
             KIND("PERFILE2", "a perf.data file"),
             KIND("BC\xC0\xDE", "LLVM bitcode"),
             KIND("adcg", "a gcov file (.gcda)"),
             KIND("oncg", "a gcov file (.gcno)"),
             KIND("\xFFlprofi\x81", "an indexed profile (.profdata)"),
             KIND("\x1F\x8B", "a gzip file"),
             KIND("\xFD"
                  "7zXZ",
                  "an xz file"),
             KIND("\x28\xB5\x2F\xFD", "a zstd file"),
             KIND("BZh", "a bzip2 file"),
             KIND("PK\3\4", "a zip file"),
             KIND("\177ELF", "an ELF"),
             KIND("", "not an ELF, but begins with a vector table (.bin?)")};

/* Returns whether the line consists of hexadecimal digits whose bytes add up to
 * `sum`. In both text formats, each record ends with such a checksum. */
static bool has_hex_checksum(struct bytes file, size_t at, unsigned sum) {
  unsigned got = 0;
  size_t begin = at;
  for (; at + 1 < file.size; at += 2) {
    unsigned high = digit_value_any_case(file.data[at]);
    unsigned low = digit_value_any_case(file.data[at + 1]);
    if (high > 15 || low > 15)
      break;
    got += high << 4 | low;
  }
  return at - begin >= 8 && (got & 0xFF) == sum;
}

/* Returns whether the file starts with a Cortex-M vector table, which is a
 * stack pointer in RAM and a reset handler in flash. A text such as "00> off\r"
 * lacks the zeros of the reserved vectors. */
static bool is_vector_table(struct bytes file) {
  if (file.size < 64 || !memchr(file.data, 0, 64))
    return false;
  uint32_t stack = load32(file.data, false),
           reset = load32(file.data + 4, false);
  return stack >> 28 == 2 && !(stack & 3) && reset & 1 && reset < 0x20000000;
}

static const struct file_magic *find_file_magic(struct bytes file) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const struct file_magic *kind = &kinds[i];
    if (file.size < 2 || file.size < kind->size ||
        memcmp(file.data, kind->magic, kind->size) != 0)
      continue;
    if (kind->size > 1 ||
        (*kind->magic == ':'   ? has_hex_checksum(file, 1, 0)
         : *kind->magic == 'S' ? has_hex_checksum(file, 2, 0xFF)
                               : is_vector_table(file)))
      return kind;
  }
  return NULL;
}

const char *file_kind_name(struct bytes file) {
  const struct file_magic *kind = find_file_magic(file);
  return kind ? kind->name : NULL;
}

bool file_is_sample_profile(struct bytes file) {
  const uint64_t letters = UINT64_C(0x5350524F463432); /* the letters SPROF42 */
  const unsigned char *at = file.data;
  uint64_t magic;
  return read_uleb128(&at, at + file.size, &magic) && magic >> 8 == letters;
}

bool file_is_raw_profile(struct bytes file) {
  for (unsigned form = 0; form < 4 && file.size >= 8; form++)
    if (load64(file.data, form & 1) == BAREPROF_MAGIC_WORD(form & 2))
      return true;
  return false;
}

bool file_has_frames(struct bytes file) {
  static const char frame[] = {BAREPROF_TEXT_MARK, BAREPROF_TEXT_BEGIN};
  for (size_t i = 0; i + sizeof frame <= file.size; i++)
    if (memcmp(file.data + i, frame, sizeof frame) == 0)
      return true;
  return false;
}

int file_refuse_non_log(const char *name, struct bytes file,
                        const char *wanted) {
  const struct file_magic *kind = find_file_magic(file);
  return kind ? report(name, "this is %s; pass %s", kind->name, wanted) : 0;
}

const char *file_no_elf_error(struct bytes file) {
  const struct file_magic *kind = find_file_magic(file);
  if (!kind && file_is_raw_profile(file))
    return "this is a raw profile (.profraw); pass the linked ELF";
  return kind ? kind->no_elf : "this is not an ELF; pass the linked ELF";
}

/* ==== ELF files. */

enum { SHT_NULL = 0, SHT_STRTAB = 3, SHN_XINDEX = 0xFFFF, PN_XNUM = 0xFFFF };

static const char truncated[] =
    "the ELF is truncated; copy the file again, or link the ELF again";
static const char damaged[] = "the ELF is damaged; link the ELF again";

/* ---- fields ---- */

struct elf_field_reader {
  const unsigned char *at;
  bool wide, big;
};

static struct elf_field_reader make_field_reader(const struct elf *elf,
                                                 uint64_t offset) {
  return (struct elf_field_reader){elf->file.data + offset, elf->wide,
                                   elf->big};
}

static uint64_t read_field(struct elf_field_reader *reader, unsigned size) {
  uint64_t value = load_number(reader->at, size, reader->big);
  reader->at += size;
  return value;
}

static uint16_t read_half(struct elf_field_reader *reader) {
  return (uint16_t)read_field(reader, 2);
}

static uint32_t read_word(struct elf_field_reader *reader) {
  return (uint32_t)read_field(reader, 4);
}

/* Reads an address, offset or size. The field has 4 or 8 bytes, depending on
 * the file's class. */
static uint64_t read_address_field(struct elf_field_reader *reader) {
  return read_field(reader, reader->wide ? 8 : 4);
}

static bool is_inside_file(const struct elf *elf, uint64_t at, uint64_t size) {
  return at <= elf->file.size && size <= elf->file.size - at;
}

static bool is_table_inside_file(const struct elf *elf, uint64_t at,
                                 uint64_t count, unsigned entry) {
  return count <= elf->file.size / entry &&
         is_inside_file(elf, at, count * entry);
}

static unsigned section_entry_size(const struct elf *elf) {
  return elf->wide ? 64 : 40;
}

static unsigned segment_entry_size(const struct elf *elf) {
  return elf->wide ? 56 : 32;
}

static unsigned symbol_entry_size(const struct elf *elf) {
  return elf->wide ? 24 : 16;
}

/* Returns a name from a string table, which always ends with a zero byte. */
static const char *string_at_offset(struct bytes names, uint64_t at) {
  return at < names.size ? (const char *)names.data + at : "";
}

/* ---- sections, segments, symbols ---- */

struct elf_section elf_section(const struct elf *elf, uint64_t i) {
  struct elf_field_reader r =
      make_field_reader(elf, elf->sections + i * section_entry_size(elf));
  struct elf_section section = {
      .name = string_at_offset(elf->section_names, read_word(&r))};
  section.type = read_word(&r);
  section.flags = read_address_field(&r);
  section.address = read_address_field(&r);
  section.offset = read_address_field(&r);
  section.size = read_address_field(&r);
  section.link = read_word(&r);
  section.info = read_word(&r);
  section.align = read_address_field(&r);
  section.entry_size = read_address_field(&r);
  if (section.type != ELF_SHT_NOBITS && section.type != SHT_NULL &&
      is_inside_file(elf, section.offset, section.size))
    section.bytes = elf->file.data + section.offset;
  return section;
}

struct elf_segment elf_segment(const struct elf *elf, uint64_t i) {
  struct elf_field_reader r =
      make_field_reader(elf, elf->segments + i * segment_entry_size(elf));
  struct elf_segment segment = {.type = read_word(&r)};
  if (elf->wide)
    read_word(&r); /* the flags, which come last in a 32-bit file */
  segment.offset = read_address_field(&r);
  segment.address = read_address_field(&r);
  segment.physical = read_address_field(&r);
  segment.file_size = read_address_field(&r);
  segment.memory_size = read_address_field(&r);
  if (!elf->wide)
    read_word(&r);
  segment.align = read_address_field(&r);
  if (is_inside_file(elf, segment.offset, segment.file_size))
    segment.bytes = elf->file.data + segment.offset;
  return segment;
}

struct elf_symbol elf_symbol(const struct elf *elf, uint64_t i) {
  struct elf_field_reader r = {elf->symbols.data + i * symbol_entry_size(elf),
                               elf->wide, elf->big};
  struct elf_symbol symbol = {
      .name = string_at_offset(elf->symbol_names, read_word(&r))};
  if (!elf->wide) {
    symbol.value = read_address_field(&r);
    symbol.size = read_address_field(&r);
  }
  unsigned info = (unsigned)read_field(&r, 1);
  symbol.binding = (uint8_t)(info >> 4);
  symbol.type = info & 15;
  symbol.visibility = (uint8_t)(read_field(&r, 1) & 3);
  symbol.section = read_half(&r);
  if (elf->wide) {
    symbol.value = read_address_field(&r);
    symbol.size = read_address_field(&r);
  }
  return symbol;
}

bool elf_section_has_code(const struct elf *elf, uint32_t section) {
  const uint64_t both = ELF_ALLOC | ELF_CODE;
  return section < elf->section_count &&
         (elf_section(elf, section).flags & both) == both;
}

/* ---- opening ---- */

static bool is_string_table(const struct elf_section *section) {
  return section->bytes && section->type == SHT_STRTAB && section->size &&
         section->bytes[section->size - 1] == 0;
}

static struct bytes section_bytes(const struct elf_section *section) {
  return (struct bytes){section->bytes, (size_t)section->size};
}

static const char *set_symbol_table(struct elf *elf,
                                    const struct elf_section *section) {
  if (section->entry_size != symbol_entry_size(elf) ||
      section->link >= elf->section_count)
    return damaged;
  struct elf_section names = elf_section(elf, section->link);
  if (!is_string_table(&names))
    return damaged;
  elf->symbols = section_bytes(section);
  elf->symbol_names = section_bytes(&names);
  elf->symbol_count = section->size / symbol_entry_size(elf);
  return NULL;
}

static const char *open_sections(struct elf *elf, uint32_t names_index) {
  if (names_index >= elf->section_count)
    return names_index ? damaged : NULL;
  struct elf_section names = elf_section(elf, names_index);
  if (names_index && !is_string_table(&names))
    return is_inside_file(elf, names.offset, names.size) ? damaged : truncated;
  if (names_index)
    elf->section_names = section_bytes(&names);
  const char *error = NULL;
  for (uint64_t i = 0; !error && i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (!section.bytes && section.type != SHT_NULL &&
        section.type != ELF_SHT_NOBITS)
      return truncated;
    if (section.type == ELF_SHT_SYMTAB && !elf->symbol_count)
      error = set_symbol_table(elf, &section);
  }
  return error;
}

/* The ELF header's fields about the tables of section headers and segments. */
struct elf_table_fields {
  uint16_t segment_entry, segment_count;
  uint16_t section_entry, section_count, names_index;
};

/* Opens the tables of section headers and segments. Section 0 holds the counts
 * that do not fit into the 16-bit fields of the ELF header. */
static const char *open_header_tables(struct elf *elf,
                                      const struct elf_table_fields *header) {
  uint32_t names_index = header->names_index;
  elf->segment_count = header->segment_count;
  elf->section_count = header->section_count;
  if (elf->sections) {
    if (header->section_entry != section_entry_size(elf))
      return damaged;
    if (!is_inside_file(elf, elf->sections, section_entry_size(elf)))
      return truncated;
    struct elf_section first = elf_section(elf, 0);
    if (!header->section_count)
      elf->section_count = first.size;
    if (header->names_index == SHN_XINDEX)
      names_index = first.link;
    if (header->segment_count == PN_XNUM)
      elf->segment_count = first.info;
  } else if (elf->section_count) {
    return damaged;
  }
  if (elf->segment_count && header->segment_entry != segment_entry_size(elf))
    return damaged;
  if (!is_table_inside_file(elf, elf->sections, elf->section_count,
                            section_entry_size(elf)) ||
      !is_table_inside_file(elf, elf->segments, elf->segment_count,
                            segment_entry_size(elf)))
    return truncated;
  return open_sections(elf, names_index);
}

const char *elf_open(struct elf *elf, struct bytes file) {
  *elf = (struct elf){.file = file};
  const unsigned char *id = file.data;
  if (!file.size)
    return "the file is empty; check the linker's messages";
  if (file.size < 16 || memcmp(id, "\177ELF", 4))
    return file_no_elf_error(file);
  elf->wide = id[4] == 2;
  elf->big = id[5] == 2;
  if (id[4] < 1 || id[4] > 2 || id[5] < 1 || id[5] > 2 || id[6] != 1)
    return damaged;
  if (file.size < (elf->wide ? 64 : 52))
    return truncated;
  struct elf_field_reader r = make_field_reader(elf, 16);
  elf->type = read_half(&r);
  elf->machine = read_half(&r);
  read_word(&r); /* the version field, which the header has twice */
  elf->entry = read_address_field(&r);
  elf->segments = read_address_field(&r);
  elf->sections = read_address_field(&r);
  elf->flags = read_word(&r);
  read_half(&r); /* the size of this header */
  struct elf_table_fields header;
  header.segment_entry = read_half(&r);
  header.segment_count = read_half(&r);
  header.section_entry = read_half(&r);
  header.section_count = read_half(&r);
  header.names_index = read_half(&r);
  /* A core needs only its segments, and QEMU 7 writes damaged section headers
   * into big-endian cores. */
  if (elf->type == ELF_CORE && header.segment_count != PN_XNUM)
    elf->sections = header.section_count = header.names_index = 0;
  const char *error = open_header_tables(elf, &header);
  if (error)
    elf->section_count = elf->segment_count = elf->symbol_count = 0;
  return error;
}

/* ==== Searches for sections, symbols and the build id, and reads contents.
 * These functions use only the functions above to read structures. */

enum { STB_LOCAL = 0, NT_GNU_BUILD_ID = 3, ELFCOMPRESS_ZLIB = 1 };

struct elf_symbol elf_find_function(const struct elf *elf, uint64_t address) {
  struct elf_symbol nearest = {.name = NULL};
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (elf->machine == ELF_ARM)
      symbol.value &= ~UINT64_C(1);
    bool is = symbol.type == ELF_FUNCTION ||
              (!symbol.type && symbol.binding && *symbol.name);
    if (is && elf_section_has_code(elf, symbol.section) &&
        symbol.value <= address &&
        (!nearest.name || symbol.value > nearest.value ||
         (symbol.value == nearest.value && symbol.binding != ELF_WEAK)))
      nearest = symbol;
  }
  if (nearest.size && address - nearest.value >= nearest.size)
    nearest.name = NULL;
  return nearest;
}

bool elf_find_section(const struct elf *elf, const char *name,
                      struct elf_section *section) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    *section = elf_section(elf, i);
    if (!strcmp(section->name, name))
      return true;
  }
  *section = (struct elf_section){.name = ""};
  return false;
}

bool elf_has_section(const struct elf *elf, const char *name) {
  struct elf_section section;
  return elf_find_section(elf, name, &section) && section.size;
}

bool elf_find_symbol(const struct elf *elf, const char *name, uint64_t *value) {
  bool found = false;
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    bool global = symbol.binding != STB_LOCAL;
    if (!symbol.section || (found && !global) || strcmp(symbol.name, name))
      continue;
    *value = symbol.value;
    found = true;
    if (global)
      break;
  }
  return found;
}

const unsigned char *elf_bytes_at(const struct elf *elf, uint64_t address,
                                  uint64_t size) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.bytes && section.flags & ELF_ALLOC &&
        !(section.flags & ELF_COMPRESSED) && section.address <= address &&
        section.size >= size &&
        address - section.address <= section.size - size)
      return section.bytes + (address - section.address);
  }
  return NULL;
}

/* ---- contents ---- */

/* Parses the header that comes before compressed contents. */
static const char *parse_compression_header(const struct elf *elf,
                                            struct bytes *packed,
                                            uint64_t *size) {
  size_t header = elf->wide ? 24 : 12;
  if (packed->size < header)
    return damaged;
  /* The 64-bit header has a reserved word between method and size. */
  uint32_t method = load32(packed->data, elf->big);
  *size = elf->wide ? load64(packed->data + 8, elf->big)
                    : load32(packed->data + 4, elf->big);
  packed->data += header;
  packed->size -= header;
  if (method != ELFCOMPRESS_ZLIB)
    return "a section is compressed, but not with zlib; link without section "
           "compression";
  return *size > inflate_size_limit(packed->size) ? damaged : NULL;
}

size_t elf_derived_size_limit(const struct elf *elf) {
  enum { GROWTH = 32, FREE = 1 << 24 };
  return FREE + GROWTH * elf->file.size;
}

const char *elf_contents_size(const struct elf *elf,
                              const struct elf_section *section,
                              uint64_t *size) {
  struct bytes packed = {section->bytes, (size_t)section->size};
  *size = section->size;
  return section->bytes && section->flags & ELF_COMPRESSED
             ? parse_compression_header(elf, &packed, size)
             : NULL;
}

const char *elf_read_contents(const struct elf *elf,
                              const struct elf_section *section, size_t limit,
                              struct bytes *contents, unsigned char **memory) {
  static const char large[] = "a section is larger than bareprof accepts; "
                              "check that this is the right file";
  struct bytes packed = {section->bytes, 0};
  if (section->bytes)
    packed.size = (size_t)section->size;
  *contents = packed;
  *memory = NULL;
  uint64_t size = packed.size;
  const char *error = NULL;
  bool compressed = section->bytes && section->flags & ELF_COMPRESSED;
  if (compressed)
    error = parse_compression_header(elf, &packed, &size);
  if (!error && (size > limit || size > elf_derived_size_limit(elf)))
    error = large;
  if (error || !compressed)
    return error;
  size_t got = (size_t)size;
  *memory = malloc(got + !got);
  if (!*memory)
    return out_of_memory;
  *contents = (struct bytes){*memory, got};
  error = inflate_zlib(packed, *memory, &got);
  return !error && got != size ? damaged : error;
}

/* ---- the build id ---- */

static uint64_t round_up(uint64_t value, unsigned align) {
  return (value + align - 1) / align * align;
}

static bool find_build_id_note(const struct elf *elf, struct bytes notes,
                               uint64_t align, struct bytes *id) {
  unsigned to = align == 8 ? 8 : 4;
  while (notes.size >= 12) {
    uint32_t name_size = load32(notes.data, elf->big);
    uint32_t size = load32(notes.data + 4, elf->big);
    uint32_t type = load32(notes.data + 8, elf->big);
    uint64_t at = round_up(12 + (uint64_t)name_size, to);
    if (at > notes.size || size > notes.size - at)
      return false;
    if (type == NT_GNU_BUILD_ID && name_size == 4 &&
        !memcmp(notes.data + 12, "GNU", 4) && size) {
      *id = (struct bytes){notes.data + at, size};
      return true;
    }
    at = round_up(at + size, to);
    if (at > notes.size)
      return false;
    notes.data += at;
    notes.size -= at;
  }
  return false;
}

bool elf_find_build_id(const struct elf *elf, struct bytes *id) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    struct bytes notes = {section.bytes, (size_t)section.size};
    if (section.type == ELF_SHT_NOTE &&
        find_build_id_note(elf, notes, section.align, id))
      return true;
  }
  for (uint64_t i = 0; i < elf->segment_count; i++) {
    struct elf_segment segment = elf_segment(elf, i);
    struct bytes notes = {segment.bytes, (size_t)segment.file_size};
    if (segment.type == ELF_PT_NOTE && segment.bytes &&
        find_build_id_note(elf, notes, segment.align, id))
      return true;
  }
  return false;
}

bool elf_has_build_id(const struct elf *elf, struct bytes id) {
  struct bytes own;
  return elf_find_build_id(elf, &own) && elf_build_ids_match(own, id);
}

/* ---- files ---- */

int elf_open_file(struct elf *elf, struct file *file, const char *name) {
  if (file_map(file, name, (size_t)1 << 30))
    return 1;
  const char *error = elf_open(elf, file->bytes);
  if (!error)
    return 0;
  file_close(file);
  return report(name, "%s", error);
}
