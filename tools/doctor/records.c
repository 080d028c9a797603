/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file checks the raw version of the function records, using all evidence.
 * The file also checks samples and MIP.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/os.h"
#include "../mip/mip_file.h"
#include "../mip/patch/patch.h"
#include "../probe/probe.h"
#include "findings.h"

static bool has_several_bits(uint32_t set) { return (set & (set - 1)) != 0; }

/* Returns whether an earlier finding explains why the records are wrong. */
static bool has_explaining_finding(const struct findings *findings) {
  return findings_have_code(findings, COUNTERS_MISSING) ||
         findings_have_code(findings, NAMES_MISSING) ||
         findings_have_code(findings, SECTION_TWICE) ||
         findings_have_code(findings, CONTENTS_LOST) ||
         findings_have_code(findings, HALF_CORRELATED) ||
         findings_have_code(findings, BOUNDS_WRONG) ||
         findings_have_code(findings, MISALIGNED);
}

/* Checks that compilers, mapping, records and runtime have one raw version. */
static void check_raw_version(const struct image_info *facts,
                              struct findings *to) {
  const struct raw_version_evidence *found = &facts->version_evidence;
  uint32_t told = (uint32_t)found->symbol;
  uint32_t set = found->consistent;
  char text[32];
  if (told > BAREPROF_RAW_VERSION_LAST) {
    findings_add(to, ERROR, VERSION_WORD,
                 "raw version %" PRIu32
                 " is newer than %d, the last one supported; upgrade bareprof",
                 told, BAREPROF_RAW_VERSION_LAST);
    return;
  }
  if ((!set || facts->functions_error) && has_explaining_finding(to))
    return;
  if (!set || facts->functions_error) {
    findings_add(to, ERROR, RECORDS_MIXED, "records: %s",
                 set ? facts->functions_error : facts->version_error);
    return;
  }
  if (found->covmap)
    set &= found->covmap;
  if (found->compilers)
    set &= found->compilers;
  if (!set)
    findings_add(to, ERROR, RECORDS_MIXED,
                 "compilers, coverage mapping and records contradict each "
                 "other; compile all instrumented code with one clang");
  else if (told && !(set >> told & 1))
    findings_add(to, ERROR, VERSION_WORD,
                 "the runtime has raw version %" PRIu32
                 ", but the records have %s; compile the runtime with the "
                 "clang of the firmware",
                 told, format_raw_versions(text, set));
  else if (!told && has_several_bits(set) && facts->kind != FULL)
    findings_add(to, NOTE, VERSION_UNKNOWN,
                 "the records may be of raw version %s; pass the right one to "
                 "bareprof join with --raw-version",
                 format_raw_versions(text, set));
}

/* Reports several compilers. If the records agree with only one of them, the
 * others may have compiled code without instrumentation, such as a vendor's
 * library. */
static void check_compiler_releases(const struct image_info *facts,
                                    struct findings *to) {
  uint32_t compilers = facts->version_evidence.compilers;
  uint32_t agreed = compilers & facts->version_evidence.consistent;
  char text[32];
  if (has_several_bits(compilers))
    findings_add(to, agreed && !has_several_bits(agreed) ? NOTE : WARNING,
                 COMPILERS,
                 "several clang releases (raw versions %s) compiled this ELF; "
                 "compile all instrumented code with one release",
                 format_raw_versions(text, compilers));
}

void check_records_version(const struct image_info *facts,
                           struct findings *to) {
  if (!facts->version_error && !facts->version)
    return; /* the records are missing */
  check_raw_version(facts, to);
  check_compiler_releases(facts, to);
}

/* ==== This part checks samples, and the pseudo probes that samples need. */

static unsigned count_probe_faults(const struct image_info *facts,
                                   const char **error) {
  struct probes probes = {.count = 0};
  FILE *nowhere = os_fopen(os_nowhere, "w");
  unsigned faults = 0;
  *error = probes_read(&probes, facts->elf, PROBE_AUTO);
  if (!*error && nowhere)
    faults = probes_print_faults(nowhere, &probes, facts->elf);
  if (nowhere)
    fclose(nowhere);
  probes_free(&probes);
  return faults;
}

void check_sampling(const struct image_info *facts, struct findings *to) {
  const struct known_symbol *symbols = facts->symbols;
  const char *error = NULL;
  if ((symbols[SAMPLER_TAKE].defined || symbols[SAMPLER_ENTRY].defined) &&
      !symbols[SAMPLER_START].defined)
    findings_add(to, ERROR, SAMPLER_IDLE,
                 "a sampler is linked, but no code starts it; call "
                 "bareprof_sampler_start");
  if (!facts->others.probes.size)
    return;
  unsigned faults = count_probe_faults(facts, &error);
  if (error)
    findings_add(to, WARNING, PROBES, "probes: %s", error);
  else if (faults)
    findings_add(to, WARNING, PROBES,
                 "the pseudo probes have faults (kinds of faults: %u); run "
                 "bareprof probes --check to list them with fixes",
                 faults);
}

/* ==== This part checks Machine IR Profile: where its sections are, whether the
 * firmware initialises the raw section, and whether the map fits the build. */

/* The size of the header of a map and of the raw section, in bytes. */
enum { HEADER = 24 };

/* Returns whether no function can be instrumented: whether a map of sleds, a
 * list of entries, and nops at the entries are all missing. If only the list
 * was removed, the nops remain. */
static bool has_no_sleds_or_nops(const struct image_info *facts) {
  const struct mip_and_probe_sections *others = &facts->others;
  struct elf_patch patch = {0};
  if (others->map.size > HEADER || others->entries.size ||
      is_loaded(&others->raw) || !facts->elf->symbol_count)
    return false;
  bool lacks = !patch_open_unpatched(&patch, facts->elf->file) &&
               !patch_list_functions(&patch) &&
               !patch_measure_and_count_nops(&patch);
  patch_free(&patch);
  return lacks;
}

static void report_no_sleds_or_nops(const struct image_info *facts,
                                    struct findings *to) {
  if (facts->elf->machine != ELF_ARM)
    findings_add(
        to, ERROR, MIP_NO_NOPS,
        "no function has a sled or nops; compile with bareprof-mip-cc, or with "
        "-fpatchable-function-entry=N: see `mip patch --help'");
  else if (facts->lto)
    findings_add(
        to, ERROR, MIP_NO_NOPS,
        "no sled or nops found: clang emits no nops on 32-bit Arm, and no "
        "assembly with -flto; compile with bareprof-mip-cc without -flto");
  else
    findings_add(to, ERROR, MIP_NO_NOPS,
                 "no function has a sled or nops; compile with "
                 "bareprof-mip-cc, because clang emits no nops on 32-bit Arm");
}

/* Checks the size of the raw section. bareprof-mip.ld keeps the section
 * __patchable_function_entries, which has an address for each function. */
static void check_mip_room(const struct image_info *facts,
                           struct findings *to) {
  const struct mip_and_probe_sections *others = &facts->others;
  uint64_t functions = others->entries.size / (facts->elf->wide ? 8 : 4);
  const struct known_symbol *end = &facts->symbols[MIP_END];
  uint64_t size =
      end->defined ? end->value - others->raw.address : others->raw.size;
  uint64_t room = size > HEADER ? size - HEADER : 0;
  if (!others->raw.size)
    findings_add(to, ERROR, MIP_ROOM,
                 "the section __llvm_mipraw, which functions write to, is "
                 "missing; INCLUDE bareprof-mip.ld, or use BAREPROF_MIP_ROOM");
  else if (room < functions)
    findings_add(to, WARNING, MIP_ROOM,
                 "the raw section has space for %" PRIu64
                 " functions, but %" PRIu64
                 " can be instrumented; use BAREPROF_MIP_ROOM(%" PRIu64 ")",
                 room, functions, functions);
}

/* In a program for the host, the raw section is loaded data and does not need
 * initialisation. */
static void check_mip_init(const struct image_info *facts,
                           struct findings *to) {
  if (!facts->elf->symbol_count || is_loaded(&facts->others.raw))
    return;
  if (!facts->symbols[MIP_INIT].defined)
    findings_add(
        to, ERROR, MIP_NO_INIT,
        "no code calls bareprof_mip_init, so the raw section is undefined at "
        "boot; call bareprof_mip_init first in the reset handler");
  else if (!facts->symbols[MIP_BEGIN].defined)
    findings_add(to, ERROR, MIP_NO_BOUNDS,
                 "__bareprof_mip_begin is undefined, so the runtime finds no "
                 "raw section (BAREPROF_E_NO_BOUNDS); INCLUDE bareprof-mip.ld");
}

static void check_mip_map_loaded(const struct image_info *facts,
                                 struct findings *to) {
  const struct mip_and_probe_sections *others = &facts->others;
  uint64_t size = (is_loaded(&others->map) ? others->map.size : 0) +
                  (is_loaded(&others->entries) ? others->entries.size : 0);
  if (size)
    findings_add(to, WARNING, MIP_LOADED,
                 "%" PRIu64
                 " bytes of MIP map or function list are loaded, but the "
                 "target does not read them; INCLUDE bareprof-mip.ld",
                 size);
}

static void check_mip_hash(const struct image_info *facts,
                           struct findings *to) {
  struct mip_header header;
  struct bytes map;
  unsigned char *memory = NULL;
  if (facts->others.map.size && !mip_find_elf_map(facts->elf, &map, &memory) &&
      !mip_header_parse(&header, map) && !header.hash)
    findings_add(to, NOTE, MIP_NO_HASH,
                 "the map has no hash, so data of another build would match "
                 "too; pass --unit to `bareprof mip instrument'");
  free(memory);
}

void check_mip(const struct image_info *facts, struct findings *to) {
  if (!image_info_has_mip(facts))
    return;
  if (has_no_sleds_or_nops(facts))
    report_no_sleds_or_nops(facts, to);
  else
    check_mip_room(facts, to);
  if (facts->others.raw.size)
    check_mip_init(facts, to);
  check_mip_map_loaded(facts, to);
  check_mip_hash(facts, to);
}
