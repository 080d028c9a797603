/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: is it an image, is it instrumented, and is each section of the
 * profile there, once, and with its contents?
 */
#include "examine.h"

#include <inttypes.h>

enum { ET_DYN = 3 };

static bool is_image(const struct elf *elf, struct findings *to) {
  if (elf->type == ELF_REL)
    findings_add(to, ERROR, NOT_LINKED,
                 "an object, which is not linked yet; give the linked image");
  if (elf->type == ELF_CORE)
    findings_add(to, ERROR, NOT_LINKED,
                 "a core, which is memory without sections; give the ELF of "
                 "the image that ran");
  if (elf->type == ET_DYN)
    findings_add(to, WARNING, POSITION,
                 "position-independent, but the runtime knows the image by "
                 "fixed addresses; link without -pie and -shared");
  return elf->type != ELF_REL && elf->type != ELF_CORE;
}

static void not_instrumented(const struct facts *facts, struct findings *to) {
  if (facts->counters_in)
    findings_add(to, ERROR, COUNTERS_MISSING,
                 "counters are in section %.40s; INCLUDE bareprof.ld before "
                 "the pattern that takes them",
                 facts->counters_in);
  else if (facts->sections[COVMAP].size)
    findings_add(to, ERROR, ALL_COLLECTED,
                 "compiled for coverage, but no counter is left: nothing "
                 "calls that code, or /DISCARD/ took it; look at the map");
  else if (facts->symbols[GCOV].defined || facts->symbols[GCOV_GCC].defined)
    findings_add(to, ERROR, NOT_INSTRUMENTED,
                 "instrumented for gcov, by --coverage; compile with "
                 "-fprofile-instr-generate -fcoverage-mapping instead");
  else if (!has_mip(facts) && !has_samples(facts))
    findings_add(to, ERROR, NOT_INSTRUMENTED,
                 "no instrumented code is in it; compile with "
                 "-fprofile-instr-generate -fcoverage-mapping");
}

static void counters_missing(const struct facts *facts, struct findings *to) {
  if (facts->counters_in)
    findings_add(to, ERROR, COUNTERS_MISSING,
                 "counters are in section %.40s, not in __llvm_prf_cnts; "
                 "INCLUDE bareprof.ld before the pattern that takes them",
                 facts->counters_in);
  else
    findings_add(to, ERROR, COUNTERS_MISSING,
                 "records, but no section __llvm_prf_cnts: it was discarded "
                 "or renamed; INCLUDE bareprof.ld");
}

/* What `bareprof join' will not find. */
static void mcdc_lost(const struct facts *facts, struct findings *to) {
  struct buffer names;
  bool lost;
  const char *error = image_names(facts->elf, &names, &lost);
  if (!error && lost)
    findings_add(to, WARNING, MCDC_LOST,
                 "MC/DC will be lost: no symbols say which function each "
                 "bitmap is of; give the ELF as linked, strip with -g");
  buffer_free(&names);
}

static void records_missing(const struct facts *facts, struct findings *to) {
  if (facts->kind == DEBUG_ONLY) {
    mcdc_lost(facts, to);
    findings_add(to, WARNING, DEBUG_CORRELATED,
                 "records are in the debug information, which strip removes; "
                 "keep the ELF, or use -mllvm -profile-correlate=binary");
  } else if (!facts->elf->symbol_count)
    findings_add(to, ERROR, RECORDS_MISSING,
                 "no records and no symbols: llvm-strip has removed both; "
                 "give the ELF as linked, and strip with -g");
  else
    findings_add(to, ERROR, RECORDS_MISSING,
                 "counters without records (__llvm_prf_data): discarded, "
                 "renamed or stripped; INCLUDE bareprof.ld, strip with -g");
}

/* Sections whose contents count. */
static void check_contents(const struct facts *facts, struct findings *to) {
  static const enum section_id with_contents[] = {
      DATA, NAMES, VTAB, VNS, COVMAP, COVFUN, COVDATA, COVNAMES};
  for (size_t i = 0; i < sizeof with_contents / sizeof *with_contents; i++) {
    enum section_id id = with_contents[i];
    if (facts->sections[id].size && !facts->sections[id].bytes)
      findings_add(to, ERROR, CONTENTS_LOST,
                   "%s has a size and no contents, by (NOLOAD) or from a "
                   "debug file; place it as bareprof-lean.ld does",
                   section_names[id]);
  }
}

bool check_sections(const struct facts *facts, struct findings *to) {
  const struct elf_section *sections = facts->sections;
  if (!is_image(facts->elf, to))
    return false;
  for (unsigned id = 0; id < SECTIONS; id++)
    if (facts->twice >> id & 1)
      findings_add(to, ERROR, SECTION_TWICE,
                   "several sections %s, of which tools read one; place all "
                   "of them in one output section",
                   section_names[id]);
  check_contents(facts, to);
  if (facts->kind == BARE) {
    not_instrumented(facts, to);
    return false;
  }
  if (!sections[CNTS].size || facts->counters_in)
    counters_missing(facts, to);
  if (facts->kind == DEBUG_ONLY || facts->kind == LOST)
    records_missing(facts, to);
  else if (!sections[facts->kind == CORRELATED ? COVNAMES : NAMES].size)
    findings_add(to, ERROR, NAMES_MISSING,
                 "records without names (%s): discarded or renamed; INCLUDE "
                 "bareprof.ld or bareprof-lean.ld",
                 section_names[facts->kind == CORRELATED ? COVNAMES : NAMES]);
  if (sections[DATA].size && sections[COVDATA].size)
    findings_add(to, ERROR, HALF_CORRELATED,
                 "some objects have -profile-correlate and some not; compile "
                 "all of them one way");
  return sections[CNTS].size != 0;
}
