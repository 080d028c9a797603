/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the header of a unit's line information, and runs its line program.
 * Passes each row to the caller's function. dwarf_lines.c collects the rows. */
#include <string.h>

#include "dwarf_internal.h"
#include "../base/buffer.h"

enum {
  LNS_COPY = 1,
  LNS_ADVANCE_PC,
  LNS_ADVANCE_LINE,
  LNS_SET_FILE,
  LNS_SET_COLUMN,
  LNS_NEGATE_STMT,
  LNS_SET_BASIC_BLOCK,
  LNS_CONST_ADD_PC,
  LNS_FIXED_ADVANCE_PC,
  LNS_SET_PROLOGUE_END,
  LNS_SET_EPILOGUE_BEGIN,
  LNE_END_SEQUENCE = 1,
  LNE_SET_ADDRESS = 2,
  LNE_SET_DISCRIMINATOR = 4
};

/* ---- the header ---- */

/* Reads the single-byte fields of the header. */
static bool read_byte_fields(struct dwarf_line_program *program,
                             struct dwarf_reader *reader) {
  uint64_t instruction, operations = 1, statement, base, range, opcodes;
  if (!dwarf_read_number(reader, 1, &instruction) ||
      (program->unit.version >= 4 &&
       !dwarf_read_number(reader, 1, &operations)) ||
      !dwarf_read_number(reader, 1, &statement) ||
      !dwarf_read_number(reader, 1, &base) ||
      !dwarf_read_number(reader, 1, &range) ||
      !dwarf_read_number(reader, 1, &opcodes))
    return false;
  program->instruction = (unsigned)instruction;
  program->operations = operations ? (unsigned)operations : 1;
  program->statement = statement != 0;
  program->line_base = (int8_t)base;
  program->line_range = (unsigned)range;
  program->opcode_base = (unsigned)opcodes;
  if (!opcodes || opcodes - 1 > dwarf_bytes_left(reader))
    return false;
  program->lengths = reader->at;
  reader->at += opcodes - 1;
  return true;
}

/* Reads the fields of the header that are between the version and the
 * single-byte fields. */
static bool read_size_fields(struct dwarf_line_program *program,
                             struct dwarf_reader *reader) {
  struct dwarf_unit *unit = &program->unit;
  uint64_t address = program->dwarf->wide ? 8 : 4, selector, length;
  if (unit->version >= 5 && (!dwarf_read_number(reader, 1, &address) ||
                             !dwarf_read_number(reader, 1, &selector)))
    return false;
  unit->address_size = (uint8_t)address;
  if (!dwarf_read_number(reader, unit->offset_size, &length) ||
      length > dwarf_bytes_left(reader) || address > 8)
    return false;
  program->code =
      (struct dwarf_reader){reader->at + length, reader->end, reader->big};
  reader->end = program->code.at;
  return true;
}

const char *dwarf_program_open(struct dwarf_line_program *program,
                               const struct dwarf *dwarf, uint64_t *offset) {
  struct bytes section = dwarf->sections[DWARF_LINE];
  struct dwarf_reader reader = {section.data + *offset,
                                section.data + section.size, dwarf->big};
  unsigned offset_size;
  uint64_t version;
  *program = (struct dwarf_line_program){.dwarf = dwarf, .offset = *offset};
  if (!dwarf_read_unit_length(&reader, &offset_size, &reader.end) ||
      !dwarf_read_number(&reader, 2, &version))
    return dwarf_damaged;
  if (version < 2 || version > 5)
    return "the line table is not DWARF 2 to 5; compile with -gdwarf-5";
  *offset = (uint64_t)(reader.end - section.data);
  program->unit.version = (uint16_t)version;
  program->unit.offset_size = (uint8_t)offset_size;
  if (!read_size_fields(program, &reader) ||
      !read_byte_fields(program, &reader))
    return dwarf_damaged;
  program->tables = reader;
  return NULL;
}

/* ---- the program ---- */

struct line_machine {
  const struct dwarf_line_program *program;
  struct dwarf_reader reader;
  struct dwarf_row row;
  unsigned operation; /* index of the operation in the instruction at
                         row.address */
  dwarf_take_row *take;
  void *context;
};

static void reset_line_machine(struct line_machine *machine) {
  machine->operation = 0;
  machine->row = (struct dwarf_row){
      .file = 1,
      .line = 1,
      .flags = machine->program->statement ? DWARF_STATEMENT : 0};
}

static const char *emit_row(struct line_machine *machine) {
  const char *error = machine->take(machine->context, &machine->row);
  machine->row.discriminator = 0;
  machine->row.flags &= DWARF_STATEMENT;
  return error;
}

static void advance_address(struct line_machine *machine, uint64_t by) {
  const struct dwarf_line_program *program = machine->program;
  if (program->operations > 1) {
    by += machine->operation;
    machine->operation = (unsigned)(by % program->operations);
    by /= program->operations;
  }
  machine->row.address += by * program->instruction;
}

static const char *run_special_opcode(struct line_machine *machine,
                                      unsigned opcode) {
  const struct dwarf_line_program *program = machine->program;
  unsigned adjusted = opcode - program->opcode_base;
  if (!program->line_range)
    return dwarf_damaged;
  advance_address(machine, adjusted / program->line_range);
  machine->row.line +=
      (uint32_t)(program->line_base + (int)(adjusted % program->line_range));
  return emit_row(machine);
}

static const char *run_extended_opcode(struct line_machine *machine) {
  struct dwarf_reader *reader = &machine->reader;
  uint64_t size, opcode, value;
  const char *error = NULL;
  if (!dwarf_read_uleb(reader, &size) || size > dwarf_bytes_left(reader))
    return dwarf_damaged;
  struct dwarf_reader inside = {reader->at, reader->at + size, reader->big};
  reader->at += size;
  if (!dwarf_read_number(&inside, 1, &opcode))
    return NULL;
  size_t left = dwarf_bytes_left(&inside);
  if (opcode == LNE_END_SEQUENCE) {
    machine->row.flags |= DWARF_END;
    error = emit_row(machine);
    reset_line_machine(machine);
  } else if (opcode == LNE_SET_ADDRESS && left && left <= 8) {
    dwarf_read_number(&inside, (unsigned)left, &machine->row.address);
    machine->operation = 0;
  } else if (opcode == LNE_SET_DISCRIMINATOR) {
    if (!dwarf_read_uleb(&inside, &value))
      return dwarf_damaged;
    machine->row.discriminator = (uint32_t)value;
  }
  return error;
}

static const char *run_operand_opcode(struct line_machine *machine,
                                      unsigned opcode) {
  struct dwarf_reader *reader = &machine->reader;
  uint64_t value = 0;
  int64_t step = 0;
  if (opcode == LNS_ADVANCE_LINE
          ? !read_sleb128(&reader->at, reader->end, &step)
      : opcode == LNS_FIXED_ADVANCE_PC ? !dwarf_read_number(reader, 2, &value)
                                       : !dwarf_read_uleb(reader, &value))
    return dwarf_damaged;
  if (opcode == LNS_ADVANCE_PC)
    advance_address(machine, value);
  else if (opcode == LNS_ADVANCE_LINE)
    machine->row.line += (uint32_t)step;
  else if (opcode == LNS_SET_FILE)
    machine->row.file = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
  else if (opcode == LNS_SET_COLUMN)
    machine->row.column = value <= UINT16_MAX ? (uint16_t)value : 0;
  else {
    machine->row.address += value;
    machine->operation = 0;
  }
  return NULL;
}

static const char *run_standard_opcode(struct line_machine *machine,
                                       unsigned opcode) {
  const struct dwarf_line_program *program = machine->program;
  uint64_t ignored;
  switch (opcode) {
  case LNS_COPY:
    return emit_row(machine);
  case LNS_ADVANCE_PC:
  case LNS_ADVANCE_LINE:
  case LNS_SET_FILE:
  case LNS_SET_COLUMN:
  case LNS_FIXED_ADVANCE_PC:
    return run_operand_opcode(machine, opcode);
  case LNS_NEGATE_STMT:
    machine->row.flags ^= DWARF_STATEMENT;
    return NULL;
  case LNS_SET_BASIC_BLOCK:
    machine->row.flags |= DWARF_BLOCK;
    return NULL;
  case LNS_CONST_ADD_PC:
    if (!program->line_range)
      return dwarf_damaged;
    advance_address(machine,
                    (255 - program->opcode_base) / program->line_range);
    return NULL;
  case LNS_SET_PROLOGUE_END:
    machine->row.flags |= DWARF_PROLOGUE_END;
    return NULL;
  case LNS_SET_EPILOGUE_BEGIN:
    machine->row.flags |= DWARF_EPILOGUE_BEGIN;
    return NULL;
  default:
    for (unsigned i = program->lengths[opcode - 1]; i; i--)
      if (!dwarf_read_uleb(&machine->reader, &ignored))
        return dwarf_damaged;
    return NULL;
  }
}

const char *dwarf_program_run(const struct dwarf_line_program *program,
                              dwarf_take_row *take, void *context) {
  struct line_machine machine = {.program = program,
                                 .reader = program->code,
                                 .take = take,
                                 .context = context};
  const char *error = NULL;
  reset_line_machine(&machine);
  while (!error && machine.reader.at != machine.reader.end) {
    unsigned opcode = *machine.reader.at++;
    if (opcode >= program->opcode_base)
      error = run_special_opcode(&machine, opcode);
    else if (opcode)
      error = run_standard_opcode(&machine, opcode);
    else
      error = run_extended_opcode(&machine);
  }
  return error;
}

/* ==== Reads the file table of a unit. Up to DWARF 4 each entry has the same
 * fields; from DWARF 5 on the header describes the fields. */

enum {
  CONTENT_PATH = 1,
  CONTENT_DIRECTORY = 2,
  CONTENT_MD5 = 5,
  FORMATS_MOST = 255
};

struct line_tables_reader {
  const struct dwarf_line_program *program;
  struct dwarf_reader reader;
  const char *base;
  struct buffer directories; /* the directories; elements are const char * */
  struct buffer *files;
};

/* Sets *name to the directory with this number, if it exists. */
static void find_directory(const struct line_tables_reader *tables,
                           uint64_t number, const char **name) {
  if (number < tables->directories.size / sizeof *name)
    memcpy(name, tables->directories.data + number * sizeof *name,
           sizeof *name);
}

static const char *append_table_file(struct line_tables_reader *tables,
                                     const char *name, uint64_t directory,
                                     const unsigned char *md5) {
  struct dwarf_file file = {
      .name = name, .directory = "", .base = "", .md5 = md5};
  find_directory(tables, directory, &file.directory);
  /* In DWARF 5, directory 0 is the folder of the compilation. */
  if (tables->program->unit.version < 5 || directory)
    file.base = tables->base;
  if (!*file.base && directory)
    find_directory(tables, 0, &file.base);
  return dwarf_append_bytes(tables->files, &file, sizeof file);
}

/* ---- DWARF 2 to 4 ---- */

/* Reads a string up to its zero byte. Returns NULL if the zero byte is missing.
 */
static const char *read_string(struct dwarf_reader *reader) {
  const unsigned char *begin = reader->at;
  const unsigned char *zero = dwarf_bytes_left(reader)
                                  ? memchr(begin, 0, dwarf_bytes_left(reader))
                                  : NULL;
  if (zero)
    reader->at = zero + 1;
  return zero ? (const char *)begin : NULL;
}

/* Reads the lists of directories and files. Each list ends with an empty
 * string. */
static const char *read_dwarf4_file_lists(struct line_tables_reader *tables) {
  struct dwarf_reader *reader = &tables->reader;
  const char *text = "", *error;
  uint64_t directory, time, size;
  error = dwarf_append_bytes(&tables->directories, &text, sizeof text);
  while (!error && (text = read_string(reader)) && *text)
    error = dwarf_append_bytes(&tables->directories, &text, sizeof text);
  if (!error && text)
    error = append_table_file(tables, NULL, 0, NULL);
  while (!error && text && (text = read_string(reader)) && *text) {
    if (!dwarf_read_uleb(reader, &directory) ||
        !dwarf_read_uleb(reader, &time) || !dwarf_read_uleb(reader, &size))
      return dwarf_damaged;
    error = append_table_file(tables, text, directory, NULL);
  }
  return error ? error : text ? NULL : dwarf_damaged;
}

/* ---- DWARF 5 ---- */

/* The fields of an entry in a table. Each field has a form. */
struct line_entry_format {
  struct dwarf_attribute parts[FORMATS_MOST];
  unsigned count;
};

static bool read_entry_format(struct dwarf_reader *reader,
                              struct line_entry_format *format) {
  uint64_t count, name, form;
  if (!dwarf_read_number(reader, 1, &count))
    return false;
  format->count = (unsigned)count;
  for (unsigned i = 0; i < count; i++) {
    if (!dwarf_read_uleb(reader, &name) || !dwarf_read_uleb(reader, &form) ||
        name > UINT16_MAX || !dwarf_is_known_form(form))
      return false;
    format->parts[i] =
        (struct dwarf_attribute){(uint16_t)name, (uint16_t)form, 0};
  }
  return true;
}

static const char *read_table_entry(struct line_tables_reader *tables,
                                    const struct line_entry_format *format,
                                    bool files) {
  const struct dwarf_line_program *program = tables->program;
  const char *path = NULL;
  const unsigned char *md5 = NULL;
  uint64_t directory = 0;
  for (unsigned i = 0; i < format->count; i++) {
    struct dwarf_value value = {0};
    if (!dwarf_value_read(&program->unit, &tables->reader, &format->parts[i],
                          &value))
      return dwarf_damaged;
    if (format->parts[i].name == CONTENT_PATH)
      path = dwarf_value_string(program->dwarf, &program->unit, &value);
    else if (format->parts[i].name == CONTENT_DIRECTORY)
      directory = value.number;
    else if (format->parts[i].name == CONTENT_MD5 && value.block.size == 16)
      md5 = value.block.data;
  }
  if (!path)
    path = "";
  return files ? append_table_file(tables, path, directory, md5)
               : dwarf_append_bytes(&tables->directories, &path, sizeof path);
}

/* Reads a table of directories or files. An entry takes at least one byte, so
 * the count must not be larger than the number of bytes. */
static const char *read_path_table(struct line_tables_reader *tables,
                                   bool files) {
  struct dwarf_reader *reader = &tables->reader;
  struct line_entry_format format;
  uint64_t count;
  const char *error = NULL;
  if (!read_entry_format(reader, &format) || !dwarf_read_uleb(reader, &count) ||
      count > dwarf_bytes_left(reader))
    return dwarf_damaged;
  for (; count && !error; count--)
    error = read_table_entry(tables, &format, files);
  return error;
}

const char *dwarf_program_add_files(const struct dwarf_line_program *program,
                                    const char *base, struct buffer *files) {
  struct line_tables_reader tables = {.program = program,
                                      .reader = program->tables,
                                      .base = base,
                                      .directories = {.limit = files->limit},
                                      .files = files};
  const char *error;
  if (program->unit.version < 5) {
    error = read_dwarf4_file_lists(&tables);
  } else {
    error = read_path_table(&tables, false);
    if (!error)
      error = read_path_table(&tables, true);
  }
  buffer_free(&tables.directories);
  return error;
}
