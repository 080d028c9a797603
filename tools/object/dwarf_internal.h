/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the functions and structs that only the dwarf*.c files share. They
 * read bytes, units, attributes and line programs. unwind.c uses only struct
 * dwarf_reader. All other code includes dwarf.h. */
#ifndef BAREPROF_TOOLS_DWARF_INTERNAL_H
#define BAREPROF_TOOLS_DWARF_INTERNAL_H

#include "../base/buffer.h"
#include "../base/error.h"
#include "dwarf.h"

enum {
  TAG_COMPILE_UNIT = 0x11,
  TAG_INLINED = 0x1D,
  TAG_SUBPROGRAM = 0x2E,
  TAG_VARIABLE = 0x34,
  TAG_ANNOTATION = 0x6000
};

enum {
  AT_LOCATION = 0x02,
  AT_NAME = 0x03,
  AT_STMT_LIST = 0x10,
  AT_LOW_PC = 0x11,
  AT_HIGH_PC = 0x12,
  AT_LANGUAGE = 0x13,
  AT_COMP_DIR = 0x1B,
  AT_CONST_VALUE = 0x1C,
  AT_ABSTRACT_ORIGIN = 0x31,
  AT_DECL_FILE = 0x3A,
  AT_DECL_LINE = 0x3B,
  AT_SPECIFICATION = 0x47,
  AT_RANGES = 0x55,
  AT_CALL_COLUMN = 0x57,
  AT_CALL_FILE = 0x58,
  AT_CALL_LINE = 0x59,
  AT_LINKAGE_NAME = 0x6E,
  AT_STR_OFFSETS_BASE = 0x72,
  AT_ADDR_BASE = 0x73,
  AT_RNGLISTS_BASE = 0x74,
  AT_MIPS_LINKAGE_NAME = 0x2007,
  AT_GNU_DISCRIMINATOR = 0x2136
};

enum { FORM_ADDR = 0x01, FORM_SDATA = 0x0D, FORM_IMPLICIT_CONST = 0x21 };

static const char dwarf_damaged[] =
    "the debug information is damaged; link the ELF again";

/* Appends bytes to a list. Returns NULL or out_of_memory. */
static inline const char *dwarf_append_bytes(struct buffer *list,
                                             const void *bytes, size_t size) {
  return buffer_append_bytes(list, bytes, size) ? out_of_memory : NULL;
}

/* Reads a part of a section from its beginning to its end. */
struct dwarf_reader {
  const unsigned char *at, *end;
  bool big;
};

static inline size_t dwarf_bytes_left(const struct dwarf_reader *reader) {
  return (size_t)(reader->end - reader->at);
}

/* Reads a number of 1 to 8 bytes. Returns false if bytes are missing. */
static inline bool dwarf_read_number(struct dwarf_reader *reader, unsigned size,
                                     uint64_t *value) {
  if (dwarf_bytes_left(reader) < size)
    return false;
  *value = load_number(reader->at, size, reader->big);
  reader->at += size;
  return true;
}

static inline bool dwarf_read_uleb(struct dwarf_reader *reader,
                                   uint64_t *value) {
  if (reader->at != reader->end && *reader->at < 0x80) {
    *value = *reader->at++;
    return true;
  }
  return read_uleb128(&reader->at, reader->end, value);
}

/* ---- dwarf.c: abbreviations ---- */

struct dwarf_attribute {
  uint16_t name, form;
  int64_t constant; /* the value, if the form is FORM_IMPLICIT_CONST */
};

/* An abbreviation is the tag and the attributes that many entries share. */
struct dwarf_abbreviation {
  uint64_t code;
  const struct dwarf_attribute *attributes;
  uint32_t attribute_count;
  uint32_t bytes; /* size of the attributes with a fixed size, without addresses
                     and offsets */
  uint32_t addresses, offsets;
  uint16_t tag;
  bool children;
  bool fixed; /* all entries with this abbreviation have the same size */
};

struct dwarf_abbreviations {
  const struct dwarf_abbreviation *list; /* the abbreviations, by ascending
                                            code */
  size_t count;
  bool dense; /* the codes are 1 to count */
};

/* ---- dwarf.c ---- */

enum { DWARF_NOWHERE = -1 };

struct dwarf_unit {
  uint64_t begin, first, end; /* offsets of the unit's header, first entry and
                                 end */
  uint64_t abbreviations;     /* offset of the unit's abbreviations */
  struct dwarf_abbreviations abbreviations_list;
  uint64_t str_offsets, addresses, rnglists; /* offsets of the unit's tables */
  uint64_t low;                              /* base address of the unit's
                                                ranges */
  uint64_t lines;        /* offset of the unit's lines in .debug_line;
                            UINT64_MAX if the unit has none */
  const char *directory; /* folder in which the unit was compiled; "" if
                            unknown */
  const char *source;    /* name of the source file; "" if unknown */
  uint16_t version;
  uint8_t offset_size, address_size;
  bool type;      /* the unit is a type unit, which does not have code */
  bool assembler; /* the unit was written in assembly */
};

/* Reads the length at the start of a unit, and sets *offset_size to the size of
 * the unit's offsets, 4 or 8. If the call succeeds, *end is in the section. */
bool dwarf_read_unit_length(struct dwarf_reader *reader, unsigned *offset_size,
                            const unsigned char **end);

/* Returns the unit that contains an offset in .debug_info, or NULL. */
const struct dwarf_unit *dwarf_find_unit(const struct dwarf *dwarf,
                                         uint64_t offset);

/* Returns whether the range may contain code. The range of a function that the
 * linker dropped is outside all sections or at address 0. A linked function may
 * also be at address 0: see first_size in struct dwarf. */
bool dwarf_is_code_range(const struct dwarf *dwarf, uint64_t begin,
                         uint64_t end);

/* ---- dwarf_value.c: attributes ---- */

struct dwarf_value {
  uint64_t number; /* the value; or an index or offset that stands for the
                      value */
  struct bytes block;
  uint16_t form;
};

/* Adds the size of a form to the abbreviation's bytes, addresses or offsets.
 * Returns false if different entries have different sizes of this form. */
bool dwarf_add_form_size(struct dwarf_abbreviation *shape, uint64_t form);
bool dwarf_is_known_form(uint64_t form);

bool dwarf_value_read(const struct dwarf_unit *unit,
                      struct dwarf_reader *reader,
                      const struct dwarf_attribute *attribute,
                      struct dwarf_value *value);

/* Returns the text of a value. Returns NULL if the value is not a string, or if
 * the string is in another file. */
const char *dwarf_value_string(const struct dwarf *dwarf,
                               const struct dwarf_unit *unit,
                               const struct dwarf_value *value);
bool dwarf_value_address(const struct dwarf *dwarf,
                         const struct dwarf_unit *unit,
                         const struct dwarf_value *value, uint64_t *address);
bool dwarf_indexed_address(const struct dwarf *dwarf,
                           const struct dwarf_unit *unit, uint64_t index,
                           uint64_t *address);
/* Sets *offset to the entry that a value refers to, as an offset in
 * .debug_info. Returns false if the value does not refer to an entry of this
 * ELF. */
bool dwarf_value_reference(const struct dwarf_unit *unit,
                           const struct dwarf_value *value, uint64_t *offset);

/* ---- dwarf_value.c: entries ---- */

struct dwarf_entry {
  uint64_t offset;
  /* NULL for the entry that ends a list of children */
  const struct dwarf_abbreviation *abbreviation;
  const unsigned char *attributes;
};

struct dwarf_entry_walk {
  const struct dwarf *dwarf;
  const struct dwarf_unit *unit;
  struct dwarf_reader reader;
  bool damaged;
};

/* Starts a walk at the unit's entry with this offset in .debug_info. */
void dwarf_walk_begin(struct dwarf_entry_walk *walk, const struct dwarf *dwarf,
                      const struct dwarf_unit *unit, uint64_t offset);

/* Reads the next entry of a walk. Returns false at the end of the unit, or if
 * the unit is damaged. */
bool dwarf_walk_next(struct dwarf_entry_walk *walk, struct dwarf_entry *entry);

/* An attribute that the caller wants. `found` says whether the entry has the
 * attribute; if so, `value` is its value. */
struct dwarf_wanted_attribute {
  uint16_t name;
  bool found;
  struct dwarf_value value;
};

/* Returns the text of an attribute. Returns NULL if the attribute was not found
 * or is not text. */
const char *
dwarf_wanted_attribute_text(const struct dwarf *dwarf,
                            const struct dwarf_unit *unit,
                            const struct dwarf_wanted_attribute *wanted);

/* Fills in the wanted attributes of an entry that a walk has returned. */
void dwarf_read_attributes(const struct dwarf *dwarf,
                           const struct dwarf_unit *unit,
                           const struct dwarf_entry *entry,
                           struct dwarf_wanted_attribute *wanted, size_t count);

/* ---- dwarf_value.c ---- */

/* Calls `take` with each address range of a unit's range list. *budget limits
 * how many more ranges may be read; without this limit, units that share a long
 * list would take unlimited time. Returns NULL or the error. */
typedef const char *dwarf_take_span(void *context, struct dwarf_span span);
struct dwarf_range_reader {
  const struct dwarf *dwarf;
  const struct dwarf_unit *unit;
  dwarf_take_span *take;
  void *context;
  uint64_t *budget;
};
const char *dwarf_ranges_read(const struct dwarf_range_reader *ranges,
                              const struct dwarf_value *value);

/* ---- dwarf_program.c: a unit of .debug_line: header and line program ---- */

struct dwarf_line_program {
  const struct dwarf *dwarf;
  uint64_t offset;        /* offset of the header in .debug_line */
  struct dwarf_unit unit; /* the version and the sizes, which code that reads a
                             form needs */
  unsigned instruction;   /* address units of an instruction, in bytes */
  unsigned operations;    /* operations per instruction (VLIW) */
  bool statement;
  int line_base;
  unsigned line_range, opcode_base;
  const unsigned char *lengths; /* number of operands of each standard opcode */
  struct dwarf_reader tables;   /* the directory and file tables, which have not
                                   been read yet */
  struct dwarf_reader code;
};

/* Reads the header at *offset, and advances *offset to the next header. Returns
 * NULL or the error. */
const char *dwarf_program_open(struct dwarf_line_program *program,
                               const struct dwarf *dwarf, uint64_t *offset);

/* Runs the line program and calls `take` with each row. The file numbers in
 * rows are the numbers of the unit. `take` returns NULL, or an error that stops
 * the program. If the last sequence is unfinished, its rows are passed, too,
 * but without DWARF_END. */
typedef const char *dwarf_take_row(void *context, const struct dwarf_row *row);
const char *dwarf_program_run(const struct dwarf_line_program *program,
                              dwarf_take_row *take, void *context);

/* Appends the files of a unit that was compiled in folder `base` to `files`, an
 * array of struct dwarf_file, starting with file number 0. Before DWARF 5,
 * number 0 is unused. Returns NULL or the error. */
const char *dwarf_program_add_files(const struct dwarf_line_program *program,
                                    const char *base, struct buffer *files);

#endif
