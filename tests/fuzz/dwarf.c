/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: tools/object/dwarf*. The input makes debug information, see
 * dwarf_made.h, and then edits it; all of it is read: lines, inlined functions,
 * counters. What holds: unedited input is read, with its function and counters;
 * addresses are found at their places; names and paths end.
 */
#include "dwarf_made_lines.h"

#include "base/buffer.h"
#include "compose.h"
#include "dwarf.h"
#include "make.h"

enum { EDITS_MOST = 8 };

static struct made_dwarf made;
static unsigned char file[16384];

/* ---- entries ---- */

/* Begins an entry with a shape of its own; returns where it is. */
static size_t begin_entry(unsigned tag, bool children) {
  static const unsigned steps[] = {1, 1, 1, 7};
  static unsigned count, step;
  if (tag == 0x11) {
    count = 0;
    step = steps[take(made.input) % 4];
  }
  size_t at = made.sections[MADE_INFO].size;
  count += step;
  put_uleb(&made, MADE_ABBREV, count);
  put_uleb(&made, MADE_ABBREV, tag);
  put(&made, MADE_ABBREV, children, 1);
  put_uleb(&made, MADE_INFO, count);
  return at;
}

static void end_shape(void) { put(&made, MADE_ABBREV, 0, 2); }
static void end_children(void) { put(&made, MADE_INFO, 0, 1); }

static unsigned table_header(void) { return made.offset == 8 ? 16 : 8; }

static void put_ranges(void) {
  unsigned header = made.offset == 8 ? 20 : 12;
  if (made.version < 5) {
    put_offset(&made, 0x55, 0);
  } else if (take(made.input) % 2) {
    put_offset(&made, 0x55, header + made.offset);
  } else {
    attribute(&made, 0x55, 0x23);
    put_uleb(&made, MADE_INFO, 0);
  }
}

static void put_span(unsigned begin, unsigned end) {
  unsigned way = take(made.input) % 4;
  if (way == 0) {
    put_ranges();
    return;
  }
  put_address(&made, 0x11, begin);
  if (way == 1)
    put_address(&made, 0x12, end);
  else
    put_constant(&made, 0x12, made_addresses[end] - made_addresses[begin]);
}

static void put_annotation(unsigned name, unsigned text, uint64_t number) {
  begin_entry(0x6000, false);
  put_string(&made, 0x03, name);
  if (text)
    put_string(&made, 0x1C, OUTER);
  else
    put_constant(&made, 0x1C, number);
  end_shape();
}

static void put_counters(void) {
  begin_entry(0x34, true);
  put_string(&made, 0x03, PROFC);
  put_location(&made, COUNTERS);
  end_shape();
  put_annotation(FUNCTION_NAME, 1, 0);
  put_annotation(CFG_HASH, 0, 33);
  put_annotation(NUM_COUNTERS, 0, 2);
  end_children();
}

/* Forms that nobody asks for: they have to be stepped over. */
static void put_other(void) {
  static const unsigned sizes[] = {8, 1, 16, 0, 4, 8, 3, 4};
  static const unsigned forms[] = {0x07, 0x0C, 0x1E, 0x19,
                                   0x1C, 0x20, 0x27, 0x2C};
  unsigned which = take(made.input) % 8;
  begin_entry(0x24, false);
  attribute(&made, 0x49, 0x0D);
  put(&made, MADE_INFO, 0x45, 1);
  attribute(&made, 0x3E, forms[which]);
  for (unsigned i = 0; i < sizes[which]; i++)
    put(&made, MADE_INFO, take(made.input), 1);
  attribute(&made, 0x3F, 0x1F21);
  put(&made, MADE_INFO, 0, made.offset);
  end_shape();
}

static void put_inlined(size_t unit, size_t inner) {
  begin_entry(0x1D, false);
  put_reference(&made, 0x31, unit, inner);
  put_span(BEGIN, MIDDLE);
  put_constant(&made, 0x58, 1);
  put_constant(&made, 0x59, 7);
  put_constant(&made, 0x57, 3);
  put_constant(&made, 0x2136, 2);
  end_shape();
}

static void put_functions(size_t unit) {
  size_t inner = begin_entry(0x2E, false);
  put_string(&made, 0x03, INNER);
  put_string(&made, take(made.input) % 2 ? 0x6E : 0x2007, INNER);
  put_constant(&made, 0x3A, 1);
  put_constant(&made, 0x3B, 5);
  end_shape();
  if (take(made.input) % 4 == 0) { /* dropped */
    begin_entry(0x2E, true);
    put_string(&made, 0x03, INNER);
    put_span(NOWHERE_AT_ALL, NOWHERE_AT_ALL);
    end_shape();
    put_inlined(unit, inner);
    end_children();
  }
  begin_entry(0x2E, true);
  put_string(&made, 0x03, OUTER);
  put_span(BEGIN, END_OF_CODE);
  put_reference(&made, 0x47, unit, inner);
  end_shape();
  put_counters();
  put_inlined(unit, inner);
  end_children();
}

static void put_unit(void) {
  size_t unit = made.sections[MADE_INFO].size;
  size_t lines = made.sections[MADE_LINE].size;
  size_t shapes = made.sections[MADE_ABBREV].size;
  unsigned kind = made.version < 5 ? 1 : take(made.input) % 8;
  kind = kind == 2 || kind == 4 ? kind : 1;
  size_t length = begin_length(&made, MADE_INFO);
  put(&made, MADE_INFO, made.version, 2);
  if (made.version >= 5) {
    put(&made, MADE_INFO, kind, 1);
    put(&made, MADE_INFO, made.address, 1);
  }
  put(&made, MADE_INFO, shapes, made.offset);
  if (made.version < 5)
    put(&made, MADE_INFO, made.address, 1);
  if (kind != 1)
    put(&made, MADE_INFO, 0, 8);
  if (kind == 2)
    put(&made, MADE_INFO, 0, made.offset);
  begin_entry(0x11, true);
  if (made.version >= 5 && take(made.input) % 2) {
    put_offset(&made, 0x72, table_header());
    put_offset(&made, 0x73, table_header());
    put_offset(&made, 0x74, made.offset == 8 ? 20 : 12);
  }
  put_string(&made, 0x1B, DIR);
  put_offset(&made, 0x10, lines);
  put_address(&made, 0x11, BEGIN);
  if (take(made.input) % 4 == 0)
    put_constant(&made, 0x13, 0x8001);
  end_shape();
  put_other();
  put_functions(unit);
  end_children();
  put(&made, MADE_ABBREV, 0, 1);
  end_length(&made, MADE_INFO, length);
}

/* ---- the file ---- */

static size_t make(struct input *input, const struct target *target) {
  static const char *const names[MADE_SECTIONS] = {
      ".debug_info", ".debug_abbrev",   ".debug_line",
      ".debug_str",  ".debug_line_str", ".debug_str_offsets",
      ".debug_addr", ".debug_ranges",   ".debug_rnglists"};
  static const struct made_symbol symbols[] = {{"outer", 0x1000}};
  struct made_section sections[MADE_SECTIONS + 2] = {
      {".text", 8, 6, 0x1000, NULL, 0x40},
      {"__llvm_prf_cnts", 8, 3, 0x3000, NULL, 0x40}};
  memset(&made, 0, sizeof made);
  made.input = input;
  made.big = target->big;
  made.address = target->pointer;
  made.offset = take(input) % 4 ? 4 : 8;
  for (unsigned i = 1 + take(input) % 2; i; i--) {
    made.version = 2 + take(input) % 4;
    if (made.version < 3 && made.offset == 8)
      made.version = 3;
    put_unit();
    put_lines(&made);
  }
  put_tables(&made);
  for (unsigned i = 0; i < MADE_SECTIONS; i++)
    sections[i + 2] = (struct made_section){
        names[i], 1, 0, 0, made.sections[i].bytes, made.sections[i].size};
  const struct made_elf elf = {target, sections, MADE_SECTIONS + 2, symbols, 1};
  return make_elf(file, &elf);
}

/* Edits come first in the input, for short ones to have some; bytes of
 * sections rather than of the ELF's headers. */
struct edits {
  struct {
    unsigned at, what, byte;
  } list[EDITS_MOST];
  unsigned count;
};

static void take_edits(struct edits *edits, struct input *input) {
  unsigned count = take(input);
  edits->count = count < 64 ? 0 : count % EDITS_MOST;
  for (unsigned i = 0; i < edits->count; i++) {
    edits->list[i].at = (unsigned)take_number(input, 2);
    edits->list[i].what = take(input);
    edits->list[i].byte = take(input);
  }
}

static void edit(const struct edits *edits, size_t size) {
  for (unsigned i = 0; i < edits->count; i++) {
    unsigned char byte = (unsigned char)edits->list[i].byte;
    struct input of_edit = {&byte, &byte + 1};
    size_t at = 64 + edits->list[i].at % (size - 64);
    edit_byte(&of_edit, &file[at], edits->list[i].what % 3);
  }
}

/* ---- what was read ---- */

static struct dwarf dwarf;
static struct dwarf_lines lines;
static struct dwarf_scopes scopes;

static void look_up(uint64_t address) {
  struct dwarf_frame frames[DWARF_FRAMES];
  const struct dwarf_row *row = dwarf_lines_find_row(&lines, address);
  size_t length = 0;
  must(!row || !(row->flags & DWARF_END), "a row that is found has code");
  size_t count = dwarf_find_frames(&scopes, &lines, address, frames);
  must(count <= DWARF_FRAMES, "there are not more frames than room");
  for (size_t i = 0; i < count; i++)
    length += strlen(frames[i].name) + strlen(frames[i].plain) +
              strlen(dwarf_lines_path(&lines, frames[i].file)) +
              strlen(dwarf_lines_path(&lines, frames[i].declared_in));
  must(length < sizeof file * DWARF_FRAMES * 8, "names and paths end");
}

static void check_lines(bool whole) {
  const char *error = dwarf_lines_read(&lines, &dwarf);
  must(!error || !whole, "lines are read");
  if (!error)
    error = dwarf_scopes_read(&scopes, &dwarf);
  must(!error || !whole, "functions are read");
  for (uint64_t at = 0xFF0; !error && at < 0x1050; at += 3)
    look_up(at);
  for (size_t i = 1; !error && i < scopes.segment_count; i++)
    must(scopes.segments[i - 1].begin < scopes.segments[i].begin,
         "segments ascend");
  struct dwarf_frame frames[DWARF_FRAMES];
  must(!whole || dwarf_find_frames(&scopes, &lines, 0x1020, frames) > 0,
       "code is of a function");
  dwarf_scopes_free(&scopes);
  dwarf_lines_free(&lines);
}

static void check_sources(bool whole) {
  struct dwarf_sources sources;
  const char *error = dwarf_sources_read(&sources, &dwarf);
  const struct dwarf_source *list =
      (const struct dwarf_source *)sources.list.data;
  size_t length = 0;
  must(!error || !whole, "files are read");
  for (size_t i = 0; !error && i < sources.list.size / sizeof *list; i++)
    length += strlen(list[i].path) + list[i].md5[0] + list[i].md5[15];
  must(length < sizeof file * sizeof file, "paths end");
  dwarf_sources_free(&sources);
}

static void check_counters(bool whole) {
  struct buffer list, names = {.limit = 1 << 16};
  const struct dwarf_span span = {0x3000, 0x3040};
  const char *error = dwarf_counters_read(&dwarf, span, &list);
  const struct dwarf_function_counters *functions =
      (const struct dwarf_function_counters *)list.data;
  size_t count = list.size / sizeof *functions;
  must(!error || !whole, "counters are read");
  must(!whole || (count == 1 && !strcmp(functions->name, "outer") &&
                  functions->hash == 33 && functions->count == 2 &&
                  functions->address == 0x3008),
       "the counters are the function's");
  for (size_t i = 0; i < count; i++)
    must(functions[i].address >= 0x3000 && functions[i].address < 0x3040,
         "counters are where they were looked for");
  if (!error)
    dwarf_counters_append_names(&list, &names);
  buffer_free(&list);
  buffer_free(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  struct edits edits;
  take_edits(&edits, &input);
  size_t file_size = make(&input, &machines[take(&input) % machine_count]);
  edit(&edits, file_size);
  bool whole = edits.count == 0;
  /* Of its very size, for the sanitizer. */
  unsigned char *block = malloc(file_size);
  memcpy(block, file, file_size);
  struct elf elf;
  if (!elf_open(&elf, (struct bytes){block, file_size})) {
    const char *error = dwarf_open(&dwarf, &elf);
    must(!error || !whole, "it is opened");
    if (!error) {
      check_lines(whole);
      check_sources(whole);
      check_counters(whole);
    }
    dwarf_close(&dwarf);
  } else {
    must(!whole, "the ELF is opened");
  }
  free(block);
  return 0;
}
