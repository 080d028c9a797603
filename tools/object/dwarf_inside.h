/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shared by the files of the DWARF reader only.
 */
#ifndef BASE_DWARF_INSIDE_H
#define BASE_DWARF_INSIDE_H

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
    "its debug information is damaged; link it again";

/* Adds to a list. Returns NULL or out_of_memory. */
static inline const char *dwarf_add(struct buffer *list, const void *bytes,
                                    size_t size) {
  return buffer_append(list, bytes, size) ? out_of_memory : NULL;
}

/* Reads forward through a piece of a section. */
struct dwarf_reader {
  const unsigned char *at, *end;
  bool big;
};

static inline size_t dwarf_left(const struct dwarf_reader *reader) {
  return (size_t)(reader->end - reader->at);
}

/* Reads a number of 1 to 8 bytes. false: bytes are missing. */
static inline bool dwarf_number(struct dwarf_reader *reader, unsigned size,
                                uint64_t *value) {
  if (dwarf_left(reader) < size)
    return false;
  *value = load_number(reader->at, size, reader->big);
  reader->at += size;
  return true;
}

static inline bool dwarf_uleb(struct dwarf_reader *reader, uint64_t *value) {
  if (reader->at != reader->end && *reader->at < 0x80) {
    *value = *reader->at++;
    return true;
  }
  return read_uleb128(&reader->at, reader->end, value);
}

/* Reads the length at a unit's beginning. *offset_size: 4 or 8, the size of the
 * unit's offsets. On success the unit's end is within the section. */
bool dwarf_length(struct dwarf_reader *reader, unsigned *offset_size,
                  const unsigned char **end);

/* ---- dwarf.c: abbreviations ---- */

struct dwarf_attribute {
  uint16_t name, form;
  int64_t constant; /* of FORM_IMPLICIT_CONST */
};

/* The attributes of an entry. */
struct dwarf_shape {
  uint64_t code;
  const struct dwarf_attribute *attributes;
  uint32_t attribute_count;
  uint32_t bytes; /* all attributes together, and beside these: */
  uint32_t addresses, offsets;
  uint16_t tag;
  bool children;
  bool fixed; /* their size is always that */
};

struct dwarf_shapes {
  const struct dwarf_shape *list; /* by ascending code */
  size_t count;
  bool dense; /* codes are 1 to count */
};

/* ---- dwarf.c ---- */

enum { DWARF_NOWHERE = -1 };

struct dwarf_unit {
  uint64_t begin, first, end; /* offsets: its header, first entry, end */
  uint64_t abbreviations;     /* their offset */
  struct dwarf_shapes shapes;
  uint64_t str_offsets, addresses, rnglists; /* bases, offsets */
  uint64_t low;                              /* base of ranges */
  uint64_t lines;        /* offset of its lines; UINT64_MAX: none */
  const char *directory; /* it was compiled in; "" if not told */
  const char *source;    /* that was compiled; "" if not told */
  uint16_t version;
  uint8_t offset_size, address_size;
  bool type;      /* a type unit: no code */
  bool assembler; /* of assembly */
};

/* The unit that an offset in .debug_info is in, or NULL. */
const struct dwarf_unit *dwarf_unit_at(const struct dwarf *dwarf,
                                       uint64_t offset);

/* Whether code from begin to end may exist. A function that the linker has
 * dropped is outside all sections. At address 0 both kinds are possible: see
 * dwarf_first. */
bool dwarf_is_code(const struct dwarf *dwarf, uint64_t begin, uint64_t end);

/* ---- dwarf_value.c: attributes ---- */

struct dwarf_value {
  uint64_t number; /* or index, or offset */
  struct bytes block;
  uint16_t form;
};

/* Returns the form's size if it is fixed: in bytes, addresses or offsets.
 * false: the size varies. */
bool dwarf_form_fixed(struct dwarf_shape *shape, uint64_t form);
bool dwarf_form_known(uint64_t form);

bool dwarf_value_read(const struct dwarf_unit *unit,
                      struct dwarf_reader *reader,
                      const struct dwarf_attribute *attribute,
                      struct dwarf_value *value);

/* NULL: the value is no string, or the string is not in this file. */
const char *dwarf_string(const struct dwarf *dwarf,
                         const struct dwarf_unit *unit,
                         const struct dwarf_value *value);
bool dwarf_address(const struct dwarf *dwarf, const struct dwarf_unit *unit,
                   const struct dwarf_value *value, uint64_t *address);
bool dwarf_address_at(const struct dwarf *dwarf, const struct dwarf_unit *unit,
                      uint64_t index, uint64_t *address);
/* Reads the entry that a value refers to, as an offset in .debug_info. */
bool dwarf_reference(const struct dwarf_unit *unit,
                     const struct dwarf_value *value, uint64_t *offset);

/* ---- dwarf_value.c: entries ---- */

struct dwarf_entry {
  uint64_t offset;
  const struct dwarf_shape *shape; /* NULL: the end of a list of children */
  const unsigned char *attributes;
};

struct dwarf_walk {
  const struct dwarf *dwarf;
  const struct dwarf_unit *unit;
  struct dwarf_reader reader;
  bool damaged;
};

/* Begins at an offset that is in the unit. */
void dwarf_walk_begin(struct dwarf_walk *walk, const struct dwarf *dwarf,
                      const struct dwarf_unit *unit, uint64_t offset);

/* The next entry; false: the unit has ended, or is damaged. */
bool dwarf_walk_next(struct dwarf_walk *walk, struct dwarf_entry *entry);

/* An attribute to look for. */
struct dwarf_wanted {
  uint16_t name;
  bool found;
  struct dwarf_value value;
};

/* Returns the text of an attribute. NULL: it was not found, or is no text. */
const char *dwarf_text(const struct dwarf *dwarf, const struct dwarf_unit *unit,
                       const struct dwarf_wanted *wanted);

/* Looks for attributes of an entry that a walk has come to. */
void dwarf_take(const struct dwarf *dwarf, const struct dwarf_unit *unit,
                const struct dwarf_entry *entry, struct dwarf_wanted *wanted,
                size_t count);

/* ---- dwarf_value.c ---- */

/* Calls take with each span of a unit's range list. *budget: how many more
 * spans may be read, so that shared lists do not take unlimited time. Returns
 * NULL or the error. */
typedef const char *dwarf_take_span(void *context, struct dwarf_span span);
struct dwarf_ranges {
  const struct dwarf *dwarf;
  const struct dwarf_unit *unit;
  dwarf_take_span *take;
  void *context;
  uint64_t *budget;
};
const char *dwarf_ranges_read(const struct dwarf_ranges *ranges,
                              const struct dwarf_value *value);

/* ---- dwarf_program.c: one unit of .debug_line, its header, and the program
 * that makes rows ---- */

struct dwarf_program {
  const struct dwarf *dwarf;
  uint64_t offset;        /* of the header, in .debug_line */
  uint64_t end;           /* of the next one */
  struct dwarf_unit unit; /* what forms need to know: sizes, version */
  unsigned instruction;   /* bytes; addresses are counted in them */
  unsigned operations;    /* in an instruction */
  bool statement;
  int line_base;
  unsigned line_range, opcode_base;
  const unsigned char *lengths; /* of standard opcodes, opcode_base - 1 */
  struct dwarf_reader tables;   /* directories and files, to be read */
  struct dwarf_reader code;
};

/* Reads the header at *offset, and sets *offset to the next one. Returns NULL
 * or the error. */
const char *dwarf_program_open(struct dwarf_program *program,
                               const struct dwarf *dwarf, uint64_t *offset);

/* Runs the program. Rows have the unit's own numbers of files. take returns
 * NULL, or an error that ends the run. An unfinished last sequence is given
 * too, without DWARF_END. */
typedef const char *dwarf_take_row(void *context, const struct dwarf_row *row);
const char *dwarf_program_run(const struct dwarf_program *program,
                              dwarf_take_row *take, void *context);

/* Adds the files of a unit compiled in base to files, struct dwarf_file,
 * from number 0 on. Before DWARF 5, number 0 is no file. Returns NULL or the
 * error. */
const char *dwarf_program_files(const struct dwarf_program *program,
                                const char *base, struct buffer *files);

#endif
