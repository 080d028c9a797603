/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes the list for the QEMU plugin, and reads the plugin's trace. The head
 * of qemu_plugin.c describes the lines of both.
 */
#include <inttypes.h>
#include <string.h>

#include "../base/number.h"
#include "objectcode.h"

static const char first_line[] = "bareprof-instructions 1\n";
const char objectcode_other[] =
    "the code that ran differs from the ELF; pass the ELF that ran";

static void put_build_id(const struct elf *elf, FILE *out) {
  struct bytes id;
  fputs("build ", out);
  if (!elf_find_build_id(elf, &id) || id.size > 64)
    id.size = 0;
  for (size_t i = 0; i < id.size; i++)
    fprintf(out, "%02x", id.data[i]);
  fputs(id.size ? "\n" : "-\n", out);
}

static void put_watched_branches(const struct objectcode *of, uint64_t from,
                                 uint64_t size, uint64_t by, FILE *out) {
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    if (one->watched && one->address - from < size)
      fprintf(out, "b %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", one->address + by,
              one->address + one->length + by, one->target + by);
  }
}

static void put_code_ranges(const struct objectcode *of, FILE *out) {
  for (uint32_t i = 0; i < of->elf->section_count; i++) {
    struct elf_section section = elf_section(of->elf, i);
    if (elf_has_code(of->elf, i) && section.bytes && section.size)
      fprintf(out, "x %" PRIx64 " %" PRIx64 "\n", section.address,
              section.address + section.size);
  }
  for (size_t i = 0; i < of->move_count; i++)
    fprintf(out, "x %" PRIx64 " %" PRIx64 "\n", of->moves[i].to,
            of->moves[i].to + of->moves[i].size);
  put_watched_branches(of, 0, UINT64_MAX, 0, out);
  for (size_t i = 0; i < of->move_count; i++)
    put_watched_branches(of, of->moves[i].from, of->moves[i].size,
                         of->moves[i].to - of->moves[i].from, out);
}

void objectcode_write_list(const struct objectcode *const *list, size_t count,
                           FILE *out) {
  fputs("bareprof-code 1\n", out);
  put_build_id(list[0]->elf, out);
  for (size_t i = 0; i < count; i++)
    put_code_ranges(list[i], out);
  fputs("end\n", out);
}

/* A trace is read twice: first to check that all of it fits the ELF, then to
 * add its counts. */
struct trace_adding {
  struct objectcode *of;
  bool adds;      /* this is the second pass */
  size_t fitting; /* instructions of the trace that are in the ELF */
};

/* Returns the index of the instruction at an address that ran, or SIZE_MAX.
 * SIZE_MAX is not an error if the address may belong to another ELF. */
static size_t find_run_instruction(const struct objectcode *of,
                                   uint64_t address, const char **error) {
  address = objectcode_elf_address(of, address);
  size_t number = objectcode_find(of, address);
  bool elsewhere = of->several;
  for (uint32_t i = 0; elsewhere && i < of->elf->section_count; i++) {
    struct elf_section section = elf_section(of->elf, i);
    elsewhere = !elf_has_code(of->elf, i) ||
                address - section.address >= section.size;
  }
  *error = number == SIZE_MAX && !elsewhere ? objectcode_other : NULL;
  return number;
}

/* Adds an instruction to a blind ELF. Only the first 2 bytes are compared,
 * because the plugin's length may be wrong; see add_traced_instruction. */
static const char *add_to_blind(struct trace_adding *taking,
                                const uint64_t values[4]) {
  unsigned char bytes[4];
  const unsigned char *here = elf_bytes_at(taking->of->elf, values[0], 2);
  store32(bytes, (uint32_t)values[2], false);
  if (!here || memcmp(here, bytes, 2) != 0)
    return objectcode_other;
  taking->fitting++;
  return taking->adds
             ? objectcode_add_run(taking->of, values[0], values[3], values[1])
             : NULL;
}

/* Adds an instruction of the trace. The ELF gives the length, because QEMU 7.2
 * reports 4 bytes for a 2-byte instruction right before the end of a page. */
static const char *add_traced_instruction(struct trace_adding *taking,
                                          const uint64_t values[4]) {
  struct objectcode *of = taking->of;
  const char *error;
  size_t number = find_run_instruction(of, values[0], &error);
  if (of->blind && values[1])
    return add_to_blind(taking, values);
  if (number == SIZE_MAX || !values[1])
    return values[1] ? error : NULL;
  struct object_instruction *one = &of->list[number];
  unsigned char bytes[4];
  store32(bytes, (uint32_t)values[2], false);
  size_t size = one->length < 4 ? one->length : 4;
  const unsigned char *here = elf_bytes_at(of->elf, one->address, size);
  if (!here || memcmp(here, bytes, size) != 0)
    return objectcode_other;
  taking->fitting++;
  if (taking->adds)
    one->count = add_saturated(one->count, values[1]);
  return NULL;
}

/* Adds the outcomes of a branch. If one of them was cut, all outcomes of the
 * branch count as unknown. */
static const char *add_traced_outcomes(const struct trace_adding *taking,
                                       const uint64_t values[4]) {
  struct objectcode *of = taking->of;
  const char *error;
  size_t number = find_run_instruction(of, values[0], &error);
  if (number == SIZE_MAX || of->blind)
    return of->blind ? NULL : error;
  struct object_instruction *one = &of->list[number];
  if (!one->watched)
    return objectcode_other;
  if (!taking->adds)
    return NULL;
  one->outcomes[FALLS_THROUGH] =
      add_saturated(one->outcomes[FALLS_THROUGH], values[1]);
  one->outcomes[GOES] = add_saturated(one->outcomes[GOES], values[2]);
  one->cut |= values[3] != 0;
  return NULL;
}

static const char *add_trace_lines(struct trace_adding *taking,
                                   struct bytes file) {
  struct objectcode *of = taking->of;
  const char *error = NULL;
  while (!error && file.size) {
    struct trace_line line;
    if (!trace_parse_line(&file, &line))
      return trace_broken;
    if (trace_line_has_word(&line, "i") && line.count == 4)
      error = add_traced_instruction(taking, line.values);
    else if (trace_line_has_word(&line, "e") && line.count == 4)
      error = add_traced_outcomes(taking, line.values);
    else if (trace_line_has_word(&line, "o") && line.count == 1)
      of->outside += taking->adds;
    else if (trace_line_has_word(&line, "v") && line.count == 1)
      of->varied += taking->adds;
    else
      error = trace_broken;
  }
  return error;
}

static void sum_functions(struct objectcode *of) {
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    struct object_function *to = &of->functions[one->symbol];
    /* Vector tables lie between code, and lack a function symbol. */
    if (!one->symbol && !one->count) {
      to->count--;
      continue;
    }
    bool known = !one->count || (one->known[GOES] &&
                                 one->known[FALLS_THROUGH] && !to->refused);
    to->ran += one->count != 0;
    to->predicated += one->predicated && !one->conditional;
    to->branches += one->conditional;
    to->unknown += one->conditional && !known;
    to->both += one->conditional && known && one->outcomes[GOES] &&
                one->outcomes[FALLS_THROUGH];
    if (one->conditional && known)
      to->outcomes +=
          (one->outcomes[GOES] != 0) + (one->outcomes[FALLS_THROUGH] != 0);
    if (i == to->first)
      to->entered = one->count;
  }
}

bool objectcode_is_trace(struct bytes file) {
  const unsigned char *at = file.data;
  return skip_prefix(&at, at + file.size, first_line);
}

const char *objectcode_finish(struct objectcode *of) {
  for (size_t i = 0; i < of->count; i++) {
    struct object_instruction *one = &of->list[i];
    uint64_t fell = one->outcomes[FALLS_THROUGH];
    one->known[FALLS_THROUGH] = one->known[GOES] =
        (one->watched || of->flows) && !one->cut && !of->sets &&
        one->count >= fell && one->count - fell == one->outcomes[GOES];
  }
  const char *error = of->sets || !of->counts ? NULL : conservation_solve(of);
  if (!error)
    sum_functions(of);
  return error;
}

const char *objectcode_add_trace(struct objectcode *of, struct bytes file) {
  const char *error = trace_check_end(&file);
  if (error)
    return error;
  const unsigned char *at = file.data, *end = at + file.size;
  if (!skip_prefix(&at, end, first_line))
    return trace_unknown;
  const unsigned char *build = at;
  at = memchr(at, '\n', (size_t)(end - at));
  if (!at || !skip_prefix(&build, end, "build "))
    return trace_broken;
  const struct bytes lines = {at + 1, (size_t)(end - at - 1)};
  struct trace_adding taking = {.of = of};
  error = add_trace_lines(&taking, lines);
  if (!error && of->several && !taking.fitting)
    error = objectcode_other;
  taking.adds = of->counts = true;
  return error ? error : add_trace_lines(&taking, lines);
}

void objectcode_clear(struct objectcode *of) {
  of->functions->count = 0;
  for (size_t i = 0; i < of->count; i++) {
    struct object_instruction *one = &of->list[i];
    one->count = one->outcomes[GOES] = one->outcomes[FALLS_THROUGH] = 0;
    one->cut = false;
    of->functions->count += !one->symbol;
  }
  for (size_t i = 0; i < of->function_count; i++) {
    struct object_function *one = &of->functions[i];
    *one = (struct object_function){.name = one->name,
                                    .first = one->first,
                                    .count = one->count,
                                    .owner = one->owner,
                                    .part = one->part};
  }
  of->flows = of->sets = of->counts = false;
  of->outside = of->varied = 0;
}
