/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: what the host's tools need of this ELF: symbols, coverage map,
 * names, and the build id that ties a dump to it.
 */
#include "examine.h"

#include <inttypes.h>

enum { IR_BIT = 56 };

static void check_map(const struct facts *facts, struct findings *to) {
  const struct elf_section *map = &facts->sections[COVMAP];
  const struct elf_section *functions = &facts->sections[COVFUN];
  if (!map->size && !functions->size && facts->witnesses.symbol >> IR_BIT & 1)
    return; /* Of IR instrumentation, which has none. */
  if (!map->size && !functions->size)
    findings_add(to, WARNING, NO_COVERAGE_MAP,
                 "no coverage map, so llvm-cov has nothing to report; compile "
                 "with -fcoverage-mapping, strip with -g");
  else if (!map->size || !functions->size)
    findings_add(to, ERROR, NO_COVERAGE_MAP,
                 "llvm-cov needs %s beside the other half of the coverage "
                 "map; INCLUDE bareprof.ld",
                 section_names[map->size ? COVFUN : COVMAP]);
  uint64_t loaded = (is_loaded(map) ? map->size : 0) +
                    (is_loaded(functions) ? functions->size : 0);
  if (loaded)
    findings_add(to, WARNING, COVERAGE_MAP_LOADED,
                 "%" PRIu64 " bytes of coverage map are loaded, and nothing "
                 "on the target reads them; INCLUDE bareprof.ld",
                 loaded);
}

static void check_empty_names(const struct facts *facts, struct findings *to) {
  struct elf_section names;
  if (facts->kind == CORRELATED &&
      elf_find_section(facts->elf, section_names[NAMES], &names) && !names.size)
    findings_add(to, WARNING, NAMES_EMPTY,
                 "an empty __llvm_prf_names makes llvm-cov 19 fail; INCLUDE "
                 "bareprof-lean.ld, or use a later llvm-cov");
}

/* The name of the section that has these bytes of the file. */
static const char *section_of(const struct elf *elf,
                              const unsigned char *bytes) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.bytes && bytes >= section.bytes &&
        (size_t)(bytes - section.bytes) < section.size)
      return section.name;
  }
  return "a segment";
}

/* Where the target does not find it, and why. */
static void check_id_place(const struct facts *facts, enum severity severity,
                           struct bytes id, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  struct elf_section note;
  if (!symbols[ID_START].defined)
    findings_add(to, severity, BUILD_ID_ELSEWHERE,
                 "no symbols bound the build id for the target; INCLUDE "
                 "bareprof.ld");
  else if (symbols[ID_START].value == symbols[ID_END].value)
    findings_add(to, severity, BUILD_ID_ELSEWHERE,
                 "the target does not find the build id, in section %.40s; "
                 "INCLUDE bareprof.ld before a pattern like *(.note*)",
                 section_of(facts->elf, id.data));
  else if (!findings_have(to, RECORDS_NOT_FLASHED) &&
           elf_find_section(facts->elf, ".note.gnu.build-id", &note) &&
           is_stranded(facts, &note))
    findings_add(to, severity, BUILD_ID_ELSEWHERE,
                 "the build id is in RAM, at 0x%" PRIx64 ", and code is not: "
                 "a flashed board has none there; alias BAREPROF_ROM to flash",
                 note.address);
}

static void check_build_id(const struct facts *facts, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  bool lean = facts->kind != FULL || !symbols[SEND_FULL].defined;
  bool refused = lean && symbols[SEND_LEAN].defined;
  enum severity severity = refused ? ERROR : WARNING;
  struct bytes id;
  if (!elf_build_id(facts->elf, &id))
    findings_add(to, severity, NO_BUILD_ID,
                 "no build id, so %s; link with --build-id, and place its note",
                 refused ? "lean dumps are refused (BAREPROF_E_NO_BUILD_ID)"
                 : symbols[RETAINED].defined
                     ? "no reset is survived, and nothing names the ELF"
                     : "nothing ties a profile to its ELF");
  else if (facts->runtime == BAREPROF)
    check_id_place(facts, severity, id, to);
}

void check_host(const struct facts *facts, struct findings *to) {
  if (!facts->elf->symbol_count)
    findings_add(to, WARNING, NO_SYMBOLS,
                 "no symbols: runtime, bounds and heap cannot be examined; "
                 "give the ELF as linked, strip with -g");
  check_map(facts, to);
  check_empty_names(facts, to);
  check_build_id(facts, to);
}
