/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads lists of executed addresses from other tools; see enum pc_list_form.
 *
 * A line of text begins with an address in hexadecimal, with or without 0x; or
 * it is a line of QEMU's -d exec, whose second number in brackets is the
 * address.
 *
 * A drcov file has a table of modules, which names its columns, and then the
 * blocks that ran: "BB Table: COUNT bbs", and 8 little-endian bytes for each
 * block: its offset in the module (4), its size (2), the module's number (2).
 */
#include <stdlib.h>
#include <string.h>

#include "../base/map.h"
#include "../base/need.h"
#include "../base/number.h"
#include "objectcode.h"

const char *const pc_forms[] = {"order", "count", "set", "drcov",
                                "mtb",   "etm",   NULL};

struct pc_reader {
  struct objectcode *of;
  enum pc_list_form form;
  struct map outside; /* addresses that ran, but are not in the ELF's code */
  size_t last;        /* index of the previous instruction, or SIZE_MAX */
};

/* Reads a hexadecimal number. Returns false if the number lacks digits or has
 * too many digits. */
static bool parse_hexadecimal(const unsigned char **at,
                              const unsigned char *end, uint64_t *value) {
  const unsigned char *begin = *at;
  while (*at != end && digit_value_any_case(**at) < 16)
    ++*at;
  return parse_number_in_base((struct bytes){begin, (size_t)(*at - begin)}, 16,
                              value);
}

/* Returns whether a number in a line ends here: only text that is ignored may
 * follow. */
static bool ends_number(const unsigned char *at, const unsigned char *end) {
  return at == end || memchr(" \t,#", *at, 4);
}

/* Parses the address in a line, and the count in a line of PCS_COUNT. In a line
 * of QEMU's log such as "Trace 0: 0x7f0c [00000000/00000268/00000110/ff000201]
 * main" the address is 268. */
static bool parse_address_and_count(struct pc_reader *reading,
                                    const unsigned char *at,
                                    const unsigned char *end, uint64_t *address,
                                    uint64_t *count) {
  *count = 1;
  if (skip_prefix(&at, end, "Trace ")) {
    at = memchr(at, '[', (size_t)(end - at));
    at = at ? memchr(at, '/', (size_t)(end - at)) : NULL;
    return at && ++at != end && parse_hexadecimal(&at, end, address);
  }
  skip_prefix(&at, end, "0x");
  if (!parse_hexadecimal(&at, end, address))
    return false;
  if (reading->form != PCS_COUNT)
    return ends_number(at, end);
  at += at != end;
  while (at != end && (*at == ' ' || *at == '\t'))
    at++;
  if (at == end || digit_value(*at) > 9)
    return false;
  *count = parse_decimal(&at, end);
  return ends_number(at, end);
}

/* Counts the outcome of a branch, which the address that ran next shows. After
 * an interrupt the outcome is unknown. */
static void add_or_lose_outcome(struct object_instruction *one, uint64_t next) {
  if (!one->conditional)
    return;
  if (next == one->address + one->length)
    one->outcomes[FALLS_THROUGH]++;
  else if (next && (!one->target || next == one->target || next == TRACE_TAKEN))
    one->outcomes[GOES]++;
  else
    one->outcome_lost = true;
}

/* Counts an instruction that ran; SIZE_MAX is one outside of the ELF. A list in
 * order also shows the outcome of the branch before. */
static void count_step(struct pc_reader *reading, size_t at, uint64_t count) {
  struct object_instruction *list = reading->of->list;
  if (reading->form == PCS_ORDER && reading->last != SIZE_MAX && at != SIZE_MAX)
    add_or_lose_outcome(&list[reading->last], list[at].address);
  reading->last = at;
  if (at != SIZE_MAX)
    list[at].count = add_saturated(list[at].count, count);
}

static const char *parse_pc_line(struct pc_reader *reading,
                                 const unsigned char *at,
                                 const unsigned char *end) {
  struct objectcode *of = reading->of;
  uint64_t address, count;
  /* QEMU has logged an instruction, but did not run it. */
  if (skip_prefix(&at, end, "Stopped execution")) {
    if (reading->form == PCS_ORDER && reading->last != SIZE_MAX)
      of->list[reading->last].count -= of->list[reading->last].count != 0;
    reading->last = SIZE_MAX;
    return NULL;
  }
  if (at == end || *at == '#')
    return NULL;
  if (!parse_address_and_count(reading, at, end, &address, &count))
    return "expected an address; write one hexadecimal address per line (for "
           "--pcs=count, then a count), or pass a log of QEMU's -d exec";
  address =
      code_clear_thumb_bit(&of->code, objectcode_elf_address(of, address));
  size_t number = objectcode_find_index(of, address);
  if (number == SIZE_MAX)
    need_memory(map_find_or_add(&reading->outside, address, 0, 0));
  count_step(reading, number, count);
  return NULL;
}

/* Returns whether many instructions that do not branch ran, but the next
 * instruction did not. A fault or the end of the run causes few such breaks; a
 * list of only the first instructions of blocks has many. */
static bool lacks_instructions(const struct objectcode *of) {
  size_t ran = 0, breaks = 0;
  for (size_t i = 0; i + 1 < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    if (!one->count || one->branch || one->call || one->indirect ||
        one->synchronizes || one[1].address != one->address + one->length)
      continue;
    ran++;
    breaks += !one[1].count;
  }
  return breaks > ran / 8 + 1;
}

static const char *parse_pc_text(struct pc_reader *reading, struct bytes file) {
  struct bytes line;
  const char *error = NULL;
  while (!error && bytes_next_line(&file, &line)) {
    line.size -= line.size && line.data[line.size - 1] == '\r';
    error = parse_pc_line(reading, line.data, line.data + line.size);
  }
  if (!error && lacks_instructions(reading->of))
    error = "the list lacks instructions that ran; list each instruction, as "
            "QEMU's -d exec,nochain does with -singlestep (from QEMU 10 on: "
            "-accel tcg,one-insn-per-tb=on)";
  return error;
}

/* ---- ranges ---- */

/* Counts the instructions of a range that ran; see trace_visit_range. */
static const char *add_to_range_counts(void *context, uint64_t first,
                                       uint64_t end, uint64_t next) {
  struct pc_reader *reading = context;
  struct objectcode *of = reading->of;
  uint64_t at = objectcode_elf_address(of, first);
  size_t i = objectcode_find_index(of, at);
  if (i == SIZE_MAX && !elf_bytes_at(of->elf, at, 1)) {
    need_memory(map_find_or_add(&reading->outside, first, 0, 0));
    return NULL;
  }
  if (next && next != TRACE_TAKEN)
    next = objectcode_elf_address(of, next);
  for (end += at - first; at < end; i++) {
    struct object_instruction *one = &of->list[i < of->count ? i : 0];
    if (i >= of->count || one->address != at)
      return "an address is not in the code of this ELF; pass the ELF that ran";
    at += one->length;
    one->count = add_saturated(one->count, 1);
    add_or_lose_outcome(one, at < end ? at : next);
  }
  return NULL;
}

/* Reads the next number on a line of a drcov file, after any text. */
static uint64_t parse_next_number(const unsigned char **at,
                                  const unsigned char *end) {
  uint64_t value = 0;
  while (*at != end && digit_value(**at) > 9)
    ++*at;
  if (!skip_prefix(at, end, "0x"))
    return parse_decimal(at, end);
  parse_hexadecimal(at, end, &value);
  return value;
}

enum { DRCOV_BLOCK = 8, DRCOV_NO_MODULE = 0xFFFF };

static const char *add_drcov_block_counts(struct pc_reader *reading,
                                          struct bytes left, uint64_t count,
                                          const uint64_t *bases,
                                          size_t modules) {
  const char *error = NULL;
  if (count > left.size / DRCOV_BLOCK)
    return "the file has fewer blocks than its BB Table header says; pass the "
           "complete file, in drcov's binary format";
  for (uint64_t i = 0; i < count && !error; i++) {
    const unsigned char *at = left.data + DRCOV_BLOCK * i;
    uint64_t from = load32(at, false), module = load16(at + 6, false);
    /* For generated code, drcov has only the low 32 bits of the address. */
    if (module == DRCOV_NO_MODULE) {
      need_memory(map_find_or_add(&reading->outside, from, 0, 0));
      continue;
    }
    if (module >= modules)
      return "a block belongs to no module; pass the complete file";
    from += bases[module];
    error = add_to_range_counts(reading, from, from + load16(at + 4, false), 0);
  }
  return error;
}

/* The table's column names show which column has the address of a module. */
static const char *parse_drcov(struct pc_reader *reading, struct bytes file) {
  const char *error = "the file lacks the BB Table of drcov; pass the complete "
                      "file that drcov wrote";
  uint64_t *bases = NULL;
  size_t modules = 0, column = 1;
  struct bytes line;
  while (bytes_next_line(&file, &line)) {
    const unsigned char *at = line.data, *end = at + line.size;
    if (skip_prefix(&at, end, "BB Table:")) {
      error = add_drcov_block_counts(reading, file, parse_next_number(&at, end),
                                     bases, modules);
      break;
    }
    if (skip_prefix(&at, end, "Columns:")) {
      for (column = 0; at != end && !skip_prefix(&at, end, " base") &&
                       !skip_prefix(&at, end, " start");
           at++)
        column += *at == ',';
      continue;
    }
    while (at != end && (*at == ' ' || digit_value(*at) < 10))
      at++;
    if (at == line.data || at == end || *at != ',')
      continue;
    for (size_t i = 1; i < column && at != end; i++)
      while (++at != end && *at != ',') {
      }
    LIST_ADD(bases, modules, parse_next_number(&at, end));
  }
  free(bases);
  return error;
}

/* ---- lists in any form ---- */

const char *objectcode_add_pcs(struct objectcode *of, struct bytes file,
                               enum pc_list_form form,
                               const struct trace_options *how) {
  struct pc_reader reading = {.of = of,
                              .form = form,
                              .outside.limit = (size_t)1 << 28,
                              .last = SIZE_MAX};
  const char *error;
  if (of->lacks_marks)
    return OBJECTCODE_BLIND;
  of->traces++;
  of->counts_are_0_or_1 |= form == PCS_SET || form == PCS_DRCOV || how->least;
  of->counts |= form == PCS_COUNT;
  of->in_order |= form != PCS_COUNT && form != PCS_SET && form != PCS_DRCOV;
  error = form < PCS_DRCOV ? parse_pc_text(&reading, file)
          : form == PCS_DRCOV
              ? parse_drcov(&reading, file)
              : board_trace_visit_ranges(of->elf, how, form == PCS_ETM, file,
                                         add_to_range_counts, &reading);
  of->outside += reading.outside.count;
  map_free(&reading.outside);
  return error;
}
