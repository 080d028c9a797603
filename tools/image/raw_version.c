/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the raw version of an ELF's records. Records do not contain the
 * version, and objects of front-end profiles lack the version word. So this
 * file collects all evidence in the ELF. All evidence must agree.
 */
#include "raw_version.h"

#include <stdlib.h>
#include <string.h>

#include "../base/llvm.h"
#include "image.h"
#include "image_layout.h"

enum { STRINGS_LIMIT = 1 << 28 };

unsigned compiler_raw_version(unsigned release) {
  return release < 13           ? 0
         : release == 13        ? 7
         : release <= 17        ? 8
         : release == 18        ? 9
         : release <= 22        ? 10
         : release <= LLVM_LAST ? 11
                                : 0;
}

/* ---- compilers ---- */

static uint64_t find_clang_releases(struct bytes text) {
  static const char words[] = "clang version ";
  const size_t length = sizeof words - 1;
  const unsigned char *at = text.data;
  const unsigned char *end = at + text.size;
  uint64_t found = 0;
  while ((size_t)(end - at) > length &&
         (at = memchr(at, 'c', (size_t)(end - at) - length))) {
    const unsigned char *digit = at++ + length;
    unsigned release = 0;
    if (memcmp(at - 1, words, length) != 0)
      continue;
    for (; digit != end && *digit >= '0' && *digit <= '9' && release < 100;
         digit++)
      release = release * 10 + (*digit - '0');
    if (release <= COMPILER_LAST)
      found |= UINT64_C(1) << release;
  }
  return found;
}

uint64_t find_compiler_releases(const struct elf *elf, const char *section) {
  struct elf_section strings;
  struct bytes contents;
  unsigned char *memory = NULL;
  uint64_t found = 0;
  if (elf_find_section(elf, section, &strings) && strings.size &&
      !elf_read_contents(elf, &strings, STRINGS_LIMIT, &contents, &memory))
    found = find_clang_releases(contents);
  free(memory);
  return found;
}

bool compiler_is_gcc(const struct elf *elf) {
  struct elf_section section;
  return elf_find_section(elf, ".comment", &section) && section.bytes &&
         section.size > 4 && memcmp(section.bytes, "GCC:", 4) == 0 &&
         !find_compiler_releases(elf, ".comment");
}

unsigned compiler_raw_version_in_text(struct bytes text) {
  uint64_t releases = find_clang_releases(text);
  for (unsigned release = 0; release <= COMPILER_LAST; release++)
    if (releases == UINT64_C(1) << release)
      return compiler_raw_version(release);
  return 0;
}

/* ---- evidence ---- */

/* This set contains only a raw version that does not exist. */
enum { NOBODY = 1 };

/* Returns the raw versions of the compilers that a section names, as bits. */
static uint32_t raw_versions_in_section(const struct elf *elf,
                                        const char *name) {
  uint64_t releases = find_compiler_releases(elf, name);
  uint32_t found = 0;
  for (unsigned release = 0; release <= COMPILER_LAST; release++)
    if (releases >> release & 1 && compiler_raw_version(release))
      found |= 1u << compiler_raw_version(release);
  return found;
}

/* Returns the raw versions that fit the coverage mapping, as bits. The version
 * number in the mapping's header is 5 up to LLVM 17, and 6 later. */
static uint32_t covmap_raw_versions(const struct elf *elf) {
  struct elf_section section;
  struct bytes contents;
  unsigned char *memory = NULL;
  uint32_t found = 0;
  if (elf_find_section(elf, "__llvm_covmap", &section) &&
      !elf_read_contents(elf, &section, STRINGS_LIMIT, &contents, &memory) &&
      contents.size >= 16) {
    uint32_t version = load32(contents.data + 12, elf->big);
    found = version == 5   ? 1u << 7 | 1u << 8
            : version == 6 ? 1u << 9 | 1u << 10 | 1u << 11
                           : 0;
  }
  free(memory);
  return found;
}

uint64_t raw_version_word(const struct elf *elf) {
  uint64_t address;
  const unsigned char *word = NULL;
  struct elf_section section;
  if (elf_find_symbol(elf, "__llvm_profile_raw_version", &address))
    word = elf_bytes_at(elf, address, 8);
  if (elf_find_section(elf, ".bareprof.version", &section) && section.size >= 8)
    word = section.bytes;
  return word ? load64(word, elf->big) & ~(uint64_t)BAREPROF_PACKED : 0;
}

/* Returns the raw versions of the compilers that the ELF names. Every object
 * names its compiler in .comment, and with --place=bss in its string, but only
 * some objects name it in debug information. So debug information need not name
 * all compilers, but must not contradict .comment. */
static uint32_t compiler_raw_versions(const struct elf *elf) {
  struct counter_widths widths;
  uint32_t comment = raw_versions_in_section(elf, ".comment");
  counter_width_read(&widths, elf);
  comment = comment ? comment : widths.raw;
  uint32_t debug = raw_versions_in_section(elf, ".debug_str");
  if (comment && debug && !(comment & debug))
    return NOBODY;
  return comment ? comment : debug;
}

const char *raw_version_collect_evidence(const struct elf *elf, uint64_t word,
                                         struct raw_version_evidence *found) {
  *found = (struct raw_version_evidence){.symbol = raw_version_word(elf)};
  found->compilers = compiler_raw_versions(elf);
  found->covmap = covmap_raw_versions(elf);
  uint64_t variant = (word ? word : found->symbol) & ~(uint64_t)UINT32_MAX;
  return image_find_possible_versions(elf, variant, found->compilers,
                                      &found->consistent);
}

/* Returns the only version in a set, or 0 if the set has none or several. */
static unsigned find_only_version(uint32_t set) {
  unsigned raw = 0;
  if (set && (set & (set - 1)) == 0)
    while (set >>= 1)
      raw++;
  return raw;
}

const char *raw_version_choose(const struct raw_version_evidence *found,
                               uint64_t word, unsigned raw, uint64_t *version) {
  uint64_t variant = (word ? word : found->symbol) & ~(uint64_t)UINT32_MAX;
  uint32_t set = found->consistent;
  if (raw) {
    *version = variant | raw;
    return set >> raw & 1 ? NULL
                          : "the records do not match this raw version; "
                            "remove --raw-version";
  }
  uint32_t told = (uint32_t)(word ? word : found->symbol);
  if (told > BAREPROF_RAW_VERSION_LAST)
    return "the raw version is above 11, the last one supported; upgrade "
           "bareprof";
  if (found->covmap)
    set &= found->covmap;
  if (found->compilers)
    set &= found->compilers;
  if (set == 0)
    return "compiler, coverage mapping and records contradict each other about "
           "the raw version; compile all code with one clang, or pass "
           "--raw-version N to join or match";
  /* Only IR profiles have a version word and lack a coverage mapping. */
  if (!word && !found->symbol && !found->covmap)
    return "the raw version is unknown without __llvm_profile_raw_version or a "
           "mapping; link with -u __llvm_profile_raw_version, or pass "
           "--raw-version N to join or match";
  if (told) {
    *version = variant | told;
    return told < 32 && set >> told & 1
               ? NULL
               : "the runtime has another raw version than the records; "
                 "compile both with one clang, or pass --raw-version N to join "
                 "or match";
  }
  if (!find_only_version(set))
    return "the records fit several raw versions, and the ELF names no "
           "compiler; keep .comment when linking, compile with -g, or pass "
           "--raw-version N to join or match";
  *version = variant | find_only_version(set);
  return NULL;
}
