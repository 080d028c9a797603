/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Recognises files that users pass instead of an ELF, a log or a profile, so
 * that an error can say which kind of file it is.
 */
#include "elf.h"

#include <string.h>

#include "../base/error.h"
#include "../base/number.h"

#define KIND(magic, name) \
  { magic, sizeof magic - 1, name, "it is " name "; give the linked ELF" }
static const struct kind {
  const char *magic;
  size_t size;
  const char *name, *no_elf;
} kinds[] = {KIND(":", "an Intel HEX file"),
             KIND("S", "a Motorola S-record file"),
             KIND("UF2\n", "a UF2 file"),
             KIND("!<", "an archive"),
             KIND("PERFILE2", "a file of perf record"),
             KIND("BC\xC0\xDE", "LLVM bitcode"),
             KIND("adcg", "a file of gcov (.gcda)"),
             KIND("\xFFlprofi\x81", "an indexed profile (.profdata)"),
             KIND("\x1F\x8B", "packed by gzip"),
             KIND("\xFD"
                  "7zXZ",
                  "packed by xz"),
             KIND("\x28\xB5\x2F\xFD", "packed by zstd"),
             KIND("\177ELF", "an ELF"),
             KIND("", "no ELF, as it begins with a vector table (.bin?)")};

/* Whether the line consists of hexadecimal digits whose bytes add up to `sum`.
 * Each record of both text formats ends with such a checksum. */
static bool is_record(struct bytes file, size_t at, unsigned sum) {
  unsigned got = 0;
  size_t begin = at;
  for (; at + 1 < file.size; at += 2) {
    unsigned high = digit_of_any(file.data[at]);
    unsigned low = digit_of_any(file.data[at + 1]);
    if (high > 15 || low > 15)
      break;
    got += high << 4 | low;
  }
  return at - begin >= 8 && (got & 0xFF) == sum;
}

/* Whether the file starts with a Cortex-M vector table: a stack pointer in RAM,
 * and a reset handler in flash. */
static bool is_vectors(struct bytes file) {
  if (file.size < 64)
    return false;
  uint32_t stack = load32(file.data, false),
           reset = load32(file.data + 4, false);
  return stack >> 28 == 2 && !(stack & 3) && reset & 1 && reset < 0x20000000;
}

static const struct kind *find_kind(struct bytes file) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const struct kind *kind = &kinds[i];
    if (file.size < 2 || file.size < kind->size ||
        memcmp(file.data, kind->magic, kind->size) != 0)
      continue;
    if (kind->size > 1 || (*kind->magic == ':'   ? is_record(file, 1, 0)
                           : *kind->magic == 'S' ? is_record(file, 2, 0xFF)
                                                 : is_vectors(file)))
      return kind;
  }
  return NULL;
}

const char *file_kind(struct bytes file) {
  const struct kind *kind = find_kind(file);
  return kind ? kind->name : NULL;
}

bool file_has_samples(struct bytes file) {
  const uint64_t letters = UINT64_C(0x5350524F463432); /* SPROF42 */
  const unsigned char *at = file.data;
  uint64_t magic;
  return read_uleb128(&at, at + file.size, &magic) && magic >> 8 == letters;
}

int file_no_log(const char *name, struct bytes file) {
  const struct kind *kind = find_kind(file);
  return kind ? report(name,
                       "it is %s; give a console log, a .bpdump or a .profraw",
                       kind->name)
              : 0;
}

const char *file_no_elf(struct bytes file) {
  const struct kind *kind = find_kind(file);
  return kind ? kind->no_elf : "not an ELF file; give the linked image";
}
