/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The list for QEMU's plugin, and its trace. The lines of both are described at
 * the head of qemu_plugin.c.
 */
#include <inttypes.h>
#include <string.h>

#include "../base/number.h"
#include "objectcode.h"
#include "wire_crc32.h"

static const char first_line[] = "bareprof-instructions 1\n";
static const char broken[] =
    "the trace is not whole, or was changed; trace the run again, to its end";
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

void objectcode_list(const struct objectcode *of, FILE *out) {
  fputs("bareprof-code 1\n", out);
  put_build(of->elf, out);
  for (uint32_t i = 0; i < of->elf->section_count; i++) {
    struct elf_section section = elf_section(of->elf, i);
    if (elf_has_code(of->elf, i) && section.bytes && section.size)
      fprintf(out, "x %" PRIx64 " %" PRIx64 "\n", section.address,
              section.address + section.size);
  }
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    if (one->watched)
      fprintf(out, "b %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", one->address,
              one->address + one->length, one->target);
  }
  fputs("end\n", out);
}

bool objectcode_trace_is(struct bytes file) {
  const unsigned char *at = file.data;
  return file.size &&
         take_word(&at, file.data + file.size, "bareprof-instructions ");
}

/* Takes a line of a word and numbers in base 16. *count: how many. */
static bool take_line(struct bytes *left, struct bytes *word,
                      uint64_t values[4], unsigned *count) {
  const unsigned char *end =
      left->size ? memchr(left->data, '\n', left->size) : NULL;
  const unsigned char *at = left->data;
  *count = 0;
  if (!end)
    return false;
  for (unsigned i = 0; at <= end; i++, at++) {
    struct bytes part = {at, 0};
    while (at < end && *at != ' ')
      at++;
    part.size = (size_t)(at - part.data);
    if (!i)
      *word = part;
    else if (*count == 4 || !number_in(part, 16, &values[(*count)++]))
      return false;
  }
  left->size -= (size_t)(end + 1 - left->data);
  left->data = end + 1;
  return true;
}

static bool is(struct bytes word, const char *text) {
  return word.size == strlen(text) && memcmp(word.data, text, word.size) == 0;
}

static const char *check_end(struct bytes *file) {
  struct bytes last, word = {0};
  uint64_t values[4] = {0};
  unsigned count;
  size_t at = file->size;
  if (!at || file->data[at - 1] != '\n')
    return broken;
  for (at--; at && file->data[at - 1] != '\n';)
    at--;
  last = (struct bytes){file->data + at, file->size - at};
  file->size = at;
  return take_line(&last, &word, values, &count) && count == 1 &&
                 is(word, "end") &&
                 values[0] == bareprof_crc32(0, file->data, at)
             ? NULL
             : broken;
}

/* QEMU 7.2 says 4 bytes of a halfword before the end of a page, so the length
 * is the ELF's. Code between known instructions is data that ran. */
static const char *take_instruction(struct objectcode *of,
                                    const uint64_t values[4]) {
  size_t number = objectcode_at(of, values[0]);
  if (number == SIZE_MAX)
    return values[1] ? other : NULL;
  struct object_instruction *one = &of->list[number];
  unsigned char bytes[4];
  store32(bytes, (uint32_t)values[2], false);
  size_t size = one->length < 4 ? one->length : 4;
  const unsigned char *here = elf_at(of->elf, one->address, size);
  if (values[1] && (!here || memcmp(here, bytes, size) != 0))
    return other;
  one->count = values[1];
  return NULL;
}

/* Outcomes that were cut are not known, and the rest of them then neither. */
static const char *take_outcomes(struct objectcode *of,
                                 const uint64_t values[4]) {
  size_t number = objectcode_at(of, values[0]);
  if (number == SIZE_MAX || !of->list[number].watched)
    return other;
  struct object_instruction *one = &of->list[number];
  one->outcomes[FALLS_THROUGH] = values[1];
  one->outcomes[GOES] = values[2];
  one->known[FALLS_THROUGH] = one->known[GOES] =
      !values[3] && one->count >= values[1] &&
      one->count - values[1] == values[2];
  return NULL;
}

static const char *take_lines(struct objectcode *of, struct bytes file) {
  const char *error = NULL;
  while (!error && file.size) {
    struct bytes word;
    uint64_t values[4] = {0};
    unsigned count;
    if (!take_line(&file, &word, values, &count))
      return broken;
    if (is(word, "i") && count == 4)
      error = take_instruction(of, values);
    else if (is(word, "e") && count == 4)
      error = take_outcomes(of, values);
    else if (is(word, "o") && count == 1)
      of->outside++;
    else if (is(word, "v") && count == 1)
      of->varied++;
    else
      error = broken;
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
    if (i == to->first)
      to->entered = one->count;
  }
}

const char *objectcode_trace(struct objectcode *of, struct bytes file) {
  const char *error = check_end(&file);
  const unsigned char *at = file.data, *end = file.data + file.size;
  if (!error && !take_word(&at, end, first_line))
    return "the trace is of a version that this release does not know; use "
           "bareprof and its plugin of one release";
  const unsigned char *behind =
      error ? NULL : memchr(at, '\n', (size_t)(end - at));
  if (!error && (!behind || !take_word(&at, end, "build ")))
    error = broken;
  if (!error)
    error =
        take_lines(of, (struct bytes){behind + 1, (size_t)(end - behind - 1)});
  if (!error)
    error = conservation_solve(of);
  if (!error)
    sum_up(of);
  return error;
}
