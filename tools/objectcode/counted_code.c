/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The list for QEMU's plugin, and its trace. The lines of both are described at
 * the head of qemu_plugin.c.
 */
#include <inttypes.h>
#include <string.h>

#include "../base/number.h"
#include "../image/traced.h"
#include "objectcode.h"

static const char first_line[] = "bareprof-instructions 1\n";
static const char other[] =
    "other code ran than the ELF has; give the ELF that ran";

static void put_build(const struct elf *elf, FILE *out) {
  struct bytes id;
  fputs("build ", out);
  if (!elf_build_id(elf, &id) || id.size > 64)
    id.size = 0;
  for (size_t i = 0; i < id.size; i++)
    fprintf(out, "%02x", id.data[i]);
  fputs(id.size ? "\n" : "-\n", out);
}

static void put_watched(const struct objectcode *of, uint64_t from,
                        uint64_t size, uint64_t by, FILE *out) {
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    if (one->watched && one->address - from < size)
      fprintf(out, "b %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", one->address + by,
              one->address + one->length + by, one->target + by);
  }
}

void objectcode_list(const struct objectcode *of, FILE *out) {
  fputs("bareprof-code 1\n", out);
  put_build(of->elf, out);
  for (uint32_t i = 0; i < of->elf->section_count; i++) {
    struct elf_section section = elf_section(of->elf, i);
    if (elf_has_code(of->elf, i) && section.bytes && section.size)
      fprintf(out, "x %" PRIx64 " %" PRIx64 "\n", section.address,
              section.address + section.size);
  }
  for (size_t i = 0; i < of->move_count; i++)
    fprintf(out, "x %" PRIx64 " %" PRIx64 "\n", of->moves[i].to,
            of->moves[i].to + of->moves[i].size);
  put_watched(of, 0, UINT64_MAX, 0, out);
  for (size_t i = 0; i < of->move_count; i++)
    put_watched(of, of->moves[i].from, of->moves[i].size,
                of->moves[i].to - of->moves[i].from, out);
  fputs("end\n", out);
}

/* QEMU 7.2 says 4 bytes of a halfword before the end of a page, so the length
 * is the ELF's. Code between known instructions is data that ran. */
static const char *take_instruction(struct objectcode *of,
                                    const uint64_t values[4]) {
  size_t number = objectcode_at(of, objectcode_moved(of, values[0]));
  if (number == SIZE_MAX)
    return values[1] ? other : NULL;
  struct object_instruction *one = &of->list[number];
  unsigned char bytes[4];
  store32(bytes, (uint32_t)values[2], false);
  size_t size = one->length < 4 ? one->length : 4;
  const unsigned char *here = elf_at(of->elf, one->address, size);
  if (values[1] && (!here || memcmp(here, bytes, size) != 0))
    return other;
  one->count = sum_limited(one->count, values[1]);
  return NULL;
}

/* Outcomes that were cut are not known, and the rest of them then neither. */
static const char *take_outcomes(struct objectcode *of,
                                 const uint64_t values[4]) {
  size_t number = objectcode_at(of, objectcode_moved(of, values[0]));
  if (number == SIZE_MAX || !of->list[number].watched)
    return other;
  struct object_instruction *one = &of->list[number];
  one->outcomes[FALLS_THROUGH] =
      sum_limited(one->outcomes[FALLS_THROUGH], values[1]);
  one->outcomes[GOES] = sum_limited(one->outcomes[GOES], values[2]);
  one->cut |= values[3] != 0;
  return NULL;
}

static const char *take_lines(struct objectcode *of, struct bytes file) {
  const char *error = NULL;
  while (!error && file.size) {
    struct trace_line line;
    if (!trace_line_take(&file, &line))
      return trace_broken;
    if (trace_line_is(&line, "i") && line.count == 4)
      error = take_instruction(of, line.values);
    else if (trace_line_is(&line, "e") && line.count == 4)
      error = take_outcomes(of, line.values);
    else if (trace_line_is(&line, "o") && line.count == 1)
      of->outside++;
    else if (trace_line_is(&line, "v") && line.count == 1)
      of->varied++;
    else
      error = trace_broken;
  }
  return error;
}

static void sum_up(struct objectcode *of) {
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    struct object_function *to = &of->functions[one->symbol];
    /* Vector tables lie among code, and have no symbol of a function. */
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
  return take_word(&at, at + file.size, first_line);
}

const char *objectcode_settle(struct objectcode *of) {
  for (size_t i = 0; i < of->count; i++) {
    struct object_instruction *one = &of->list[i];
    uint64_t fell = one->outcomes[FALLS_THROUGH];
    one->known[FALLS_THROUGH] = one->known[GOES] =
        (one->watched || of->flows) && !one->cut && !of->sets &&
        one->count >= fell && one->count - fell == one->outcomes[GOES];
  }
  const char *error = of->sets ? NULL : conservation_solve(of);
  if (!error)
    sum_up(of);
  return error;
}

const char *objectcode_trace(struct objectcode *of, struct bytes file) {
  const char *error = trace_check_end(&file);
  if (error)
    return error;
  const unsigned char *at = file.data, *end = at + file.size;
  if (!take_word(&at, end, first_line))
    return trace_unknown;
  const unsigned char *build = at;
  at = memchr(at, '\n', (size_t)(end - at));
  if (!at || !take_word(&build, end, "build "))
    return trace_broken;
  return take_lines(of, (struct bytes){at + 1, (size_t)(end - at - 1)});
}
