/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decodes all code of an ELF, and assigns it to functions.
 */
#include "objectcode.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../base/map.h"
#include "../base/number.h"
#include "../object/digest.h"

size_t objectcode_find(const struct objectcode *of, uint64_t address) {
  size_t i = search_from(of->list, of->count, address, address);
  return i < of->count && of->list[i].address == address ? i : SIZE_MAX;
}

const char *objectcode_add_move(struct objectcode *of, uint64_t from,
                                uint64_t to) {
  const struct object_instruction *last =
      of->count ? &of->list[of->count - 1] : NULL;
  uint64_t end = last ? last->address + last->length : 0;
  if (from >= end)
    return "--moved FROM=TO: the ELF has no code at or after FROM";
  if (of->move_count == sizeof of->moves / sizeof *of->moves)
    return "too many --moved";
  of->moves[of->move_count++] = (struct moved_code){from, to, end - from};
  return NULL;
}

uint64_t objectcode_elf_address(const struct objectcode *of, uint64_t address) {
  if (objectcode_find(of, address) != SIZE_MAX)
    return address;
  for (size_t i = 0; i < of->move_count; i++)
    if (address - of->moves[i].to < of->moves[i].size)
      return address - of->moves[i].to + of->moves[i].from;
  return address;
}

static uint32_t find_symbol(const struct probes *probes, uint64_t address) {
  const struct probe_symbol *symbol = probes_find_symbol(probes, address);
  return symbol ? (uint32_t)(symbol - probes->symbols) + 1 : 0;
}

static const char *add_instruction(struct objectcode *of,
                                   const struct code_walk *walk) {
  struct instruction one = walk->instruction;
  code_join_auipc(&of->code, &one, walk->address);
  bool jumps = one.kind != INSTRUCTION_PLAIN;
  const struct object_instruction to = {
      .address = walk->address,
      .target = one.direct ? one.target : 0,
      .symbol = find_symbol(&of->probes, walk->address),
      .length = (uint8_t)one.length,
      .conditional = one.conditional,
      .predicated = one.predicated,
      .branch = one.kind == INSTRUCTION_BRANCH,
      .call = one.kind == INSTRUCTION_CALL,
      .ends = one.kind == INSTRUCTION_BRANCH && !one.conditional,
      .indirect = jumps && !one.direct && !one.returns};
  return buffer_append(&of->memory, &to, sizeof to);
}

/* Adds the instructions of a section. Unknown bytes are data without a mapping
 * symbol; the walk skips them by halfwords. */
static const char *walk_section(struct objectcode *of,
                                const struct elf_section *section) {
  const char *error = NULL;
  uint64_t begin = section->address, end = begin + section->size;
  if (end < begin)
    return "a section reaches beyond the end of memory; link the ELF again";
  while (!error && begin < end) {
    struct code_walk walk;
    code_walk_begin(&walk, &of->code, begin, end);
    while (!error && code_walk_next(&walk))
      error = add_instruction(of, &walk);
    begin = walk.at + 2;
    if (!walk.bytes)
      break;
  }
  return error;
}

ORDER_BY(compare_instructions, struct object_instruction, x->address);

/* Sorts the instructions. If two sections have the same address (overlays),
 * only one instruction for each address stays. */
static void sort_instructions(struct objectcode *of) {
  size_t kept = 0;
  of->list = (void *)of->memory.data;
  of->count = of->memory.size / sizeof *of->list;
  sort_array(of->list, of->count, sizeof *of->list, compare_instructions);
  for (size_t i = 0; i < of->count; i++)
    if (!kept || of->list[kept - 1].address != of->list[i].address)
      of->list[kept++] = of->list[i];
  of->count = kept;
}

const char *objectcode_add_run(struct objectcode *of, uint64_t address,
                               uint64_t length, uint64_t count) {
  size_t number = objectcode_find(of, address);
  if (number != SIZE_MAX) {
    of->list[number].count = add_saturated(of->list[number].count, count);
    return NULL;
  }
  const struct object_instruction made = {
      .address = address, .length = (uint8_t)length, .count = count};
  const char *error = buffer_append(&of->memory, &made, sizeof made);
  if (!error && (!of->count || of->list[of->count - 1].address < address))
    of->count++; /* the usual case, as traces are in order */
  else if (!error)
    sort_instructions(of);
  of->list = (void *)of->memory.data;
  return error;
}

/* Finds the functions that cold code (NAME.cold) was split off. The first pass
 * records the names of functions, the second names cold code. */
static const char *find_owners(struct objectcode *of) {
  struct map known = {.limit = (size_t)1 << 30};
  const char *error = NULL;
  for (unsigned pass = 0; pass < 2 && !error; pass++)
    for (uint32_t i = 1; i < of->function_count && !error; i++) {
      struct object_function *one = &of->functions[i];
      const char *cold = strstr(one->name, ".cold");
      size_t size = cold ? (size_t)(cold - one->name) : strlen(one->name);
      if (!pass)
        one->owner = i;
      if (!one->count || !pass == (cold != NULL))
        continue;
      uint64_t *number =
          map_find_or_add(&known, md5_low64(one->name, size), size, 0);
      if (!number)
        error = out_of_memory;
      else if (pass && *number) {
        struct object_function *owner = &of->functions[*number];
        one->owner = (uint32_t)*number;
        one->part = owner->part;
        owner->part = i;
      } else
        *number = i;
    }
  map_free(&known);
  return error;
}

static const char *make_functions(struct objectcode *of) {
  of->function_count = of->probes.symbol_count + 1;
  of->functions = calloc(of->function_count, sizeof *of->functions);
  if (!of->functions)
    return out_of_memory;
  of->functions[0].name = "(no symbol)";
  for (size_t i = 1; i < of->function_count; i++)
    of->functions[i].name = of->probes.symbols[i - 1].name;
  for (size_t i = 0; i < of->count; i++) {
    struct object_function *function = &of->functions[of->list[i].symbol];
    if (!function->count++)
      function->first = i;
  }
  return find_owners(of);
}

const char *objectcode_open(struct objectcode *of, const struct elf *elf) {
  *of = (struct objectcode){.elf = elf, .memory = {.limit = (size_t)1 << 31}};
  const char *error = code_open(&of->code, elf);
  of->blind = !of->code.mark_count && (elf->machine == MACHINE_ARM ||
                                       elf->machine == MACHINE_AARCH64);
  if (!error)
    error = probes_read_symbols(&of->probes, elf);
  for (uint32_t i = 0; !error && i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (!of->blind && elf_has_code(elf, i) && section.bytes && section.size)
      error = walk_section(of, &section);
  }
  if (error)
    return error;
  sort_instructions(of);
  if (!of->count && !of->blind)
    return "no code found; pass the linked ELF";
  error = make_functions(of);
  if (!error)
    error = conservation_solve(of);
  for (size_t i = 0; !error && i < of->count; i++) {
    struct object_instruction *one = &of->list[i];
    one->watched = one->conditional && one->target && !one->known[GOES];
    memset(one->known, 0, sizeof one->known);
  }
  return error;
}

void objectcode_close(struct objectcode *of) {
  free(of->functions);
  buffer_free(&of->memory);
  probes_free(&of->probes);
  code_close(&of->code);
}
