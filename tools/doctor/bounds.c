/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: the symbols by which the runtime finds the sections. Without a
 * runtime nobody asks for them.
 */
#include "examine.h"

#include <inttypes.h>

/* What the runtime does for want of bounds. */
static const char *consequence(enum section_id id) {
  switch (id) {
  case DATA:
    return "no records (BAREPROF_E_NO_RECORDS)";
  case CNTS:
    return "no counters (BAREPROF_E_NO_BOUNDS)";
  case NAMES:
    return "no names (BAREPROF_E_NO_NAMES)";
  default:
    return "nothing there";
  }
}

static void check_loaded(const struct facts *facts, enum section_id id,
                         struct findings *to) {
  const struct elf_section *section = &facts->sections[id];
  const struct bounds *bounds = &facts->bounds[id];
  uint64_t end = section->address + section->size;
  if (!bounds->start.defined || !bounds->stop.defined)
    findings_add(to, ERROR, BOUNDS_MISSING,
                 "__%s_%s is undefined, and the runtime finds %s; INCLUDE "
                 "bareprof.ld",
                 bounds->start.defined ? "stop" : "start", section_names[id],
                 consequence(id));
  /* Behind the stop symbol may be alignment. */
  else if (bounds->start.value != section->address ||
           end - bounds->stop.value > 7)
    findings_add(to, ERROR, BOUNDS_WRONG,
                 "__start_ and __stop_%s are 0x%" PRIx64 " and 0x%" PRIx64
                 ", not those of the section; set them inside it",
                 section_names[id], bounds->start.value, bounds->stop.value);
}

/* Made up by the linker: offsets in the file, taken for addresses. */
static void check_lean(const struct facts *facts, enum section_id id,
                       struct findings *to) {
  const struct bounds *bounds = &facts->bounds[id];
  if (bounds->start.value != bounds->stop.value)
    findings_add(to, ERROR, LEAN_BOUNDS,
                 "the target takes address 0x%" PRIx64 " for its %s, which is "
                 "in the file only; INCLUDE bareprof-lean.ld",
                 bounds->start.value, id == DATA ? "records" : "names");
}

static void check_alignment(const struct facts *facts, struct findings *to) {
  const struct elf_section *sections = facts->sections;
  if (facts->kind == FULL && sections[DATA].address & 7)
    findings_add(to, ERROR, MISALIGNED,
                 "records are at 0x%" PRIx64 ", not at a multiple of 8 "
                 "(BAREPROF_E_ALIGN); put ALIGN(8) on the section",
                 sections[DATA].address);
  if (sections[CNTS].address & 7 &&
      (!facts->bytes || facts->symbols[GUARD].defined))
    findings_add(to, ERROR, MISALIGNED,
                 "counters are at 0x%" PRIx64 ", not at a multiple of 8 "
                 "(BAREPROF_E_ALIGN); put ALIGN(8) on the section",
                 sections[CNTS].address);
  if (sections[BITS].address & 7 && facts->symbols[GUARD].defined)
    findings_add(to, ERROR, MISALIGNED,
                 "bitmaps are at 0x%" PRIx64 ", not at a multiple of 8, and "
                 "are reset in words; put ALIGN(8) on the section",
                 sections[BITS].address);
}

void check_bounds(const struct facts *facts, struct findings *to) {
  static const enum section_id checked[] = {CNTS, DATA, NAMES, BITS, VTAB, VNS};
  check_alignment(facts, to);
  if (facts->runtime == NO_RUNTIME_AT_ALL)
    return;
  if (facts->runtime == BAREPROF && !facts->symbols[PROFILE_END].defined)
    findings_add(to, WARNING, FRAGMENT_MISSING,
                 "no fragment of bareprof is in the script: nothing proves "
                 "that counters are initialised; INCLUDE bareprof.ld");
  for (size_t i = 0; i < sizeof checked / sizeof *checked; i++) {
    const struct elf_section *section = &facts->sections[checked[i]];
    if (section->size && section->flags & ELF_ALLOC)
      check_loaded(facts, checked[i], to);
    else if (section->size)
      check_lean(facts, checked[i], to);
  }
}
