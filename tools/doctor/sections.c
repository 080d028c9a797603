/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file checks whether the file is an image, whether it is instrumented,
 * and whether each section of the profile exists once, with its contents, in
 * the right place.
 */
#include <inttypes.h>
#include <string.h>

#include "findings.h"
#include "../base/buffer.h"

enum { ET_DYN = 3 };

static bool check_linked_image(const struct elf *elf, struct findings *to) {
  if (elf->type == ELF_REL)
    findings_add(
        to, ERROR, NOT_LINKED,
        "this is an object file, not a linked ELF; pass the linked ELF");
  if (elf->type == ELF_CORE)
    findings_add(
        to, ERROR, NOT_LINKED,
        "this is a core file (memory without sections); pass the ELF that ran");
  if (elf->type == ET_DYN)
    findings_add(to, WARNING, POSITION,
                 "the ELF is position-independent, but the runtime needs fixed "
                 "addresses; link without -pie and -shared");
  return elf->type != ELF_REL && elf->type != ELF_CORE;
}

static void report_not_instrumented(const struct image_info *facts,
                                    struct findings *to) {
  if (facts->wrong_section)
    findings_add(to, ERROR, COUNTERS_MISSING,
                 "counters are in section %.40s; INCLUDE bareprof.ld before "
                 "the pattern of this section",
                 facts->wrong_section);
  else if (facts->sections[COVMAP].size)
    findings_add(to, ERROR, ALL_COLLECTED,
                 "the linker dropped all code with counters, as unused or with "
                 "/DISCARD/; check the linker map");
  else if (facts->symbols[GCOV].defined || facts->symbols[GCOV_GCC].defined)
    findings_add(to, ERROR, NOT_INSTRUMENTED,
                 "the code is instrumented for gcov (--coverage); compile with "
                 "clang and -fprofile-instr-generate -fcoverage-mapping");
  else if (!image_info_has_mip(facts) && !image_info_has_samples(facts))
    findings_add(to, ERROR, NOT_INSTRUMENTED,
                 "no instrumented code found; %s -fprofile-instr-generate "
                 "-fcoverage-mapping",
                 compiler_is_gcc(facts->elf)
                     ? "gcc compiled this ELF: build again with clang and"
                     : "compile with");
}

static void report_counters_missing(const struct image_info *facts,
                                    struct findings *to) {
  if (facts->wrong_section)
    findings_add(
        to, ERROR, COUNTERS_MISSING,
        "counters are in section %.40s, not in __llvm_prf_cnts; INCLUDE "
        "bareprof.ld before the pattern of this section",
        facts->wrong_section);
  else
    findings_add(to, ERROR, COUNTERS_MISSING,
                 "the section __llvm_prf_cnts is missing, discarded or "
                 "renamed, but records exist; INCLUDE bareprof.ld");
}

/* Reports 4-byte counters where 8-byte counters are expected. The code then
 * increments neighbouring counters, and no record is correct. An object that
 * the linker dropped does no harm, because its counters are gone. Returns
 * whether there is such a fault. */
static bool check_counters_mixed(const struct image_info *facts,
                                 struct findings *to) {
  const struct object_group *packed = &facts->widths.packed;
  const struct elf_section *counters = &facts->sections[CNTS];
  bool doubtful = facts->functions_error || facts->version_error;
  if (!facts->packed.size && packed->objects &&
      (facts->wrong_section || (counters->size && doubtful)))
    findings_add(to, ERROR, COUNTERS_MIXED,
                 "%s has 4-byte counters, in section %.40s; INCLUDE "
                 "bareprof-packed.ld, and use --counters=32-packed for all",
                 packed->source,
                 facts->wrong_section ? facts->wrong_section : counters->name);
  return findings_have_code(to, COUNTERS_MIXED);
}

/* Reports MC/DC bitmaps that `bareprof join' cannot assign to functions. */
static void check_mcdc_lost(const struct image_info *facts,
                            struct findings *to) {
  struct buffer names;
  bool lost;
  const char *error = image_make_debug_names(facts->elf, &names, &lost);
  if (!error && lost)
    findings_add(to, WARNING, MCDC_LOST,
                 "no symbol maps MC/DC bitmaps to functions, so MC/DC is lost; "
                 "pass the ELF that ran, unstripped");
  buffer_free(&names);
}

static void report_records_missing(const struct image_info *facts,
                                   struct findings *to) {
  if (facts->kind == DEBUG_ONLY) {
    check_mcdc_lost(facts, to);
    findings_add(
        to, WARNING, DEBUG_CORRELATED,
        "the records are in the debug information, which strip removes; keep "
        "the ELF, or use -mllvm -profile-correlate=binary");
  } else if (!facts->elf->symbol_count)
    findings_add(to, ERROR, RECORDS_MISSING,
                 "records and symbols are missing, as after llvm-strip; pass "
                 "the ELF that ran, unstripped");
  else
    findings_add(to, ERROR, RECORDS_MISSING,
                 "records (__llvm_prf_data) are missing: discarded, renamed or "
                 "stripped; INCLUDE bareprof.ld, and pass the unstripped ELF");
}

/* Checks that sections which need contents are not empty. */
static void check_section_contents(const struct image_info *facts,
                                   struct findings *to) {
  static const enum section_id with_contents[] = {
      DATA, NAMES, VTAB, VNS, COVMAP, COVFUN, COVDATA, COVNAMES};
  for (size_t i = 0; i < sizeof with_contents / sizeof *with_contents; i++) {
    enum section_id id = with_contents[i];
    if (facts->sections[id].size && !facts->sections[id].bytes)
      findings_add(to, ERROR, CONTENTS_LOST,
                   "%s has a size but no contents, due to (NOLOAD) or a debug "
                   "file; place the section as bareprof-lean.ld does",
                   section_names[id]);
  }
}

bool check_sections(const struct image_info *facts, struct findings *to) {
  const struct elf_section *sections = facts->sections;
  if (!check_linked_image(facts->elf, to))
    return false;
  for (unsigned id = 0; id < SECTIONS; id++)
    if (facts->repeated_sections >> id & 1)
      findings_add(to, ERROR, SECTION_TWICE,
                   "the ELF has several sections %s, but tools read only one; "
                   "place all of them in one output section",
                   section_names[id]);
  check_section_contents(facts, to);
  if (check_counters_mixed(facts, to))
    return false;
  if (facts->kind == BARE) {
    report_not_instrumented(facts, to);
    return false;
  }
  if (!sections[CNTS].size || facts->wrong_section)
    report_counters_missing(facts, to);
  if (facts->kind == DEBUG_ONLY || facts->kind == LOST)
    report_records_missing(facts, to);
  else if (!sections[facts->kind == CORRELATED ? COVNAMES : NAMES].size)
    findings_add(to, ERROR, NAMES_MISSING,
                 "names are missing (%s): discarded or renamed; INCLUDE "
                 "bareprof.ld or bareprof-lean.ld",
                 section_names[facts->kind == CORRELATED ? COVNAMES : NAMES]);
  if (sections[DATA].size && sections[COVDATA].size)
    findings_add(to, ERROR, HALF_CORRELATED,
                 "only some objects were compiled with -profile-correlate; "
                 "compile all objects the same way");
  return sections[CNTS].size != 0;
}

/* ==== This part checks the symbols with which the runtime finds the sections.
 * Without a runtime, these symbols are not needed. */

/* Returns the part of a profile that the runtime lacks without these bounds. */
static const char *describe_missing_bounds(enum section_id id) {
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

static void check_loaded_bounds(const struct image_info *facts,
                                enum section_id id, struct findings *to) {
  const struct elf_section *section = &facts->sections[id];
  const struct section_bounds *bounds = &facts->bounds[id];
  uint64_t end = section->address + section->size;
  if (!bounds->start.defined || !bounds->stop.defined)
    findings_add(to, ERROR, BOUNDS_MISSING,
                 "__%s_%s is undefined, so the runtime finds %s; INCLUDE %s",
                 bounds->start.defined ? "stop" : "start", section_names[id],
                 describe_missing_bounds(id),
                 facts->packed.size ? "bareprof-packed.ld" : "bareprof.ld");
  /* Padding for alignment may follow the stop symbol. */
  else if (bounds->start.value != section->address ||
           end - bounds->stop.value > 7)
    findings_add(to, ERROR, BOUNDS_WRONG,
                 "__start_ and __stop_%s are 0x%" PRIx64 " and 0x%" PRIx64
                 ", not the section's bounds; set them inside the section",
                 section_names[id], bounds->start.value, bounds->stop.value);
}

/* Checks for bounds that the linker made up: offsets in the file, taken as
 * addresses. */
static void check_unloaded_bounds(const struct image_info *facts,
                                  enum section_id id, struct findings *to) {
  static const char *const words[BOUNDED] = {
      "records", NULL, "bitmaps", "names", "vtables", "names of vtables"};
  const struct section_bounds *bounds = &facts->bounds[id];
  if (bounds->start.value != bounds->stop.value)
    findings_add(
        to, ERROR, LEAN_BOUNDS,
        "the target reads address 0x%" PRIx64
        " for its %s, but they are not loaded; INCLUDE bareprof-lean.ld",
        bounds->start.value, words[id]);
}

static void check_section_alignment(const struct image_info *facts,
                                    struct findings *to) {
  const struct elf_section *sections = facts->sections;
  if (facts->kind == FULL && sections[DATA].address & 7)
    findings_add(
        to, ERROR, MISALIGNED,
        "the records begin at 0x%" PRIx64
        ", not a multiple of 8 (BAREPROF_E_ALIGN); put ALIGN(8) on the section",
        sections[DATA].address);
  if (sections[CNTS].address & 7 &&
      (!facts->byte_counters || facts->symbols[GUARD].defined))
    findings_add(
        to, ERROR, MISALIGNED,
        "the counters begin at 0x%" PRIx64
        ", not a multiple of 8 (BAREPROF_E_ALIGN); put ALIGN(8) on the section",
        sections[CNTS].address);
  if (sections[BITS].address & 7 && facts->symbols[GUARD].defined)
    findings_add(to, ERROR, MISALIGNED,
                 "the bitmaps begin at 0x%" PRIx64
                 ", not a multiple of 8, as word-wise reset needs; put "
                 "ALIGN(8) on the section",
                 sections[BITS].address);
}

void check_section_bounds(const struct image_info *facts, struct findings *to) {
  static const enum section_id checked[] = {CNTS, DATA, NAMES, BITS, VTAB, VNS};
  check_section_alignment(facts, to);
  if (facts->runtime == NO_RUNTIME_AT_ALL)
    return;
  if (facts->runtime == BAREPROF && !facts->symbols[PROFILE_END].defined)
    findings_add(to, WARNING, FRAGMENT_MISSING,
                 "the linker script includes no bareprof script, so counters "
                 "may be uninitialised; INCLUDE bareprof.ld");
  for (size_t i = 0; i < sizeof checked / sizeof *checked; i++) {
    const struct elf_section *section = &facts->sections[checked[i]];
    if (section->size && section->flags & ELF_ALLOC)
      check_loaded_bounds(facts, checked[i], to);
    else if (section->size && checked[i] != CNTS) /* see D021 */
      check_unloaded_bounds(facts, checked[i], to);
  }
}

/* ==== This part checks where the linker has placed counters, records and
 * names, how much memory they take, and what overlaps them. */

/* NEAR is a guess: sections in the same memory are closer than this. */
enum { NEAR = 1 << 24, BESIDE = 1 << 12 };

static void check_counters_not_loaded(const struct image_info *facts,
                                      struct findings *to) {
  uint64_t size = 0;
  static const enum section_id written[] = {CNTS, BITS, VALS, VNDS};
  for (size_t i = 0; i < sizeof written / sizeof *written; i++)
    if (is_loaded(&facts->sections[written[i]]))
      size += facts->sections[written[i]].size;
  if (size)
    findings_add(to, WARNING, COUNTERS_LOADED,
                 "%" PRIu64
                 " bytes of initial counters (%s) are loaded, and cost flash; "
                 "make their section (NOLOAD), as bareprof.ld does",
                 size, facts->byte_counters ? "0xFF" : "zeros");
}

/* Returns whether the address follows read-only data and is far from all data
 * that is written. */
static bool is_in_rom(const struct image_info *facts, uint64_t address) {
  uint64_t ram = distance_to_nearest_section(facts, true, address);
  return ram != UINT64_MAX && ram > NEAR &&
         distance_to_nearest_section(facts, false, address) < BESIDE;
}

/* Returns the largest section of code. A section of functions that run in RAM
 * is smaller. */
static struct elf_section find_largest_code_section(const struct elf *elf) {
  struct elf_section code = {0};
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.flags & ELF_ALLOC && section.flags & ELF_CODE &&
        section.size > code.size)
      code = section;
  }
  return code;
}

/* Returns whether counters are in the memory of the code, and records are not.
 * Code that is copied to RAM, as its load address tells, may be there, too. */
static bool are_memory_aliases_swapped(const struct image_info *facts) {
  const struct elf_section *records = &facts->sections[DATA];
  struct elf_section code = find_largest_code_section(facts->elf);
  return is_loaded(records) && code.size &&
         section_load_address(facts, &code) == code.address &&
         distance_to_section(&code, facts->sections[CNTS].address) < NEAR &&
         distance_to_section(&code, records->address) >= NEAR;
}

static void check_counters_in_ram(const struct image_info *facts,
                                  struct findings *to) {
  const struct elf_section *counters = &facts->sections[CNTS];
  if (!(counters->flags & ELF_ALLOC))
    findings_add(to, ERROR, COUNTERS_NOT_IN_RAM,
                 "counters have no memory on the target, and code that counts "
                 "writes to address 0x%" PRIx64 "; INCLUDE bareprof.ld",
                 counters->address);
  else if (!(counters->flags & ELF_WRITE) ||
           is_in_rom(facts, counters->address))
    findings_add(to, ERROR, COUNTERS_NOT_IN_RAM,
                 "the counters are in read-only memory, at 0x%" PRIx64
                 "; alias BAREPROF_RAM to a region in RAM",
                 counters->address);
  else if (are_memory_aliases_swapped(facts))
    findings_add(
        to, ERROR, COUNTERS_NOT_IN_RAM,
        "the aliases are swapped: counters are with the code, records are not; "
        "alias BAREPROF_RAM to RAM, BAREPROF_ROM to the code's region");
}

static void check_counters_overlap(const struct image_info *facts,
                                   struct findings *to) {
  const struct elf_section *counters = &facts->sections[CNTS];
  for (uint64_t i = 0; i < facts->elf->section_count; i++) {
    struct elf_section other = elf_section(facts->elf, i);
    if (!(other.flags & ELF_ALLOC) || other.flags & ELF_TLS || !other.size ||
        strcmp(other.name, counters->name) == 0)
      continue;
    if (other.address - counters->address < counters->size ||
        counters->address - other.address < other.size) {
      findings_add(to, ERROR, COUNTERS_OVERLAP,
                   "the counters and section %.40s overlap from 0x%" PRIx64
                   "; move one of them in the linker script",
                   other.name,
                   other.address > counters->address ? other.address
                                                     : counters->address);
      return;
    }
  }
}

bool is_constant_section_in_ram(const struct image_info *facts,
                                const struct elf_section *section) {
  struct elf_section code = find_largest_code_section(facts->elf);
  return is_loaded(section) && code.size &&
         !facts->symbols[ROM_CHECKED].defined &&
         distance_to_section(&facts->sections[CNTS], section->address) < NEAR &&
         distance_to_section(&code, section->address) >= NEAR;
}

/* Checks that the records are in flash. Records get into RAM through a wrong
 * alias, through INSERT without a region, or without a script. QEMU's loader
 * and debuggers may hide this fault. */
static void check_records_flashed(const struct image_info *facts,
                                  struct findings *to) {
  const struct elf_section *records = &facts->sections[DATA];
  bool placed = facts->symbols[PROFILE_END].defined;
  if (is_constant_section_in_ram(facts, records))
    findings_add(to, ERROR, RECORDS_NOT_FLASHED,
                 "the records are in RAM, at 0x%" PRIx64
                 ", but code is not, so a flashed board lacks them; %s",
                 records->address,
                 placed ? "alias BAREPROF_ROM to flash"
                        : "INCLUDE bareprof.ld");
}

/* Checks the first bytes. GNU ld puts a note at the beginning if the script
 * does not place the note. If the ELF headers are loaded, as under an operating
 * system, they precede the note. */
void check_build_id_at_start(const struct image_info *facts,
                             struct findings *to) {
  const struct elf *elf = facts->elf;
  struct elf_section note, code = find_largest_code_section(elf);
  bool begins = false;
  if (!elf_find_section(elf, ".note.gnu.build-id", &note) ||
      !is_loaded(&note) || code.address - note.address >= NEAR)
    return;
  for (uint64_t i = 0; i < elf->segment_count; i++) {
    struct elf_segment segment = elf_segment(elf, i);
    if (segment.type != ELF_PT_LOAD || !segment.file_size)
      continue;
    if (segment.address < note.address && note.address - segment.address < NEAR)
      return;
    begins = begins || segment.address == note.address;
  }
  if (begins)
    findings_add(to, elf->machine == ELF_ARM ? ERROR : WARNING, BUILD_ID_FIRST,
                 "the build id is at 0x%" PRIx64
                 ", before the vector table or the code, so a board "
                 "does not boot; INCLUDE bareprof.ld",
                 note.address);
}

/* Checks which constant parts of the profile are loaded, and whether anything
 * on the target reads them. */
static void check_constant_pieces(const struct image_info *facts,
                                  struct findings *to) {
  const struct elf_section *sections = facts->sections;
  const struct known_symbol *symbols = facts->symbols;
  uint64_t size = 0;
  if (facts->kind == FULL && symbols[SEND_LEAN].defined &&
      !symbols[WRITE_IMAGE].defined && !symbols[PIECES_FULL].defined &&
      !symbols[SERVE].defined)
    findings_add(to, WARNING, RECORDS_UNUSED,
                 "%" PRIu64 " bytes of records and names are loaded, but no "
                 "linked code reads them; use bareprof-lean.ld",
                 sections[DATA].size + sections[NAMES].size);
  if (facts->kind != LEAN && facts->kind != CORRELATED)
    return;
  static const enum section_id constant[] = {NAMES, VTAB, VNS, COVDATA,
                                             COVNAMES};
  for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
    if (is_loaded(&sections[constant[i]]))
      size += sections[constant[i]].size;
  if (size)
    findings_add(
        to, WARNING, HALF_LEAN,
        "%" PRIu64
        " bytes of names and other profile data are loaded, but the records "
        "are not; place all profile sections as in bareprof-lean.ld",
        size);
  /* bareprof.ld does not support 4-byte counters. */
  const char *script = facts->packed.size ? "" : ", or use bareprof.ld";
  if (symbols[PIECES_FULL].defined && !symbols[SERVE].defined &&
      !image_info_has_mip(facts))
    findings_add(to, WARNING, WRITER_REFUSES,
                 "bareprof_send fails without records in the image; add the "
                 "option BAREPROF_LEAN to the call%s",
                 script);
  if (symbols[WRITE_IMAGE].defined && !symbols[SEND_LEAN].defined)
    findings_add(to, symbols[MERGE_IMAGE].defined ? WARNING : ERROR,
                 WRITER_REFUSES,
                 "bareprof_write fails without records in the image; call "
                 "bareprof_send with BAREPROF_LEAN%s",
                 script);
}

/* Returns whether most of a segment is a gap, because the segment reaches from
 * flash to RAM. A script with PHDRS puts unknown sections into the segment of
 * the previous section. A loader then clears the gap or fails. */
static bool is_hollow_segment(const struct elf *elf,
                              const struct elf_segment *segment) {
  uint64_t used = 0;
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.flags & ELF_ALLOC &&
        section.address - segment->address < segment->memory_size)
      used += section.size;
  }
  return segment->memory_size >= NEAR && used < segment->memory_size / 2;
}

static bool is_section_in_segment(const struct image_info *facts,
                                  const struct elf_section *section) {
  for (uint64_t i = 0; i < facts->elf->segment_count; i++) {
    struct elf_segment segment = elf_segment(facts->elf, i);
    uint64_t offset = section->address - segment.address;
    if (segment.type == ELF_PT_LOAD && offset < segment.memory_size &&
        section->size <= segment.memory_size - offset &&
        !is_hollow_segment(facts->elf, &segment))
      return true;
  }
  return false;
}

/* Checks that segments contain all sections. A script with PHDRS may leave
 * sections out of all segments. */
static void check_segments(const struct image_info *facts,
                           struct findings *to) {
  struct elf_section sections[5] = {
      facts->sections[DATA], facts->sections[NAMES], facts->sections[VTAB],
      facts->sections[VNS]};
  elf_find_section(facts->elf, ".note.gnu.build-id", &sections[4]);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    if (is_loaded(&sections[i]) && !is_section_in_segment(facts, &sections[i]))
      findings_add(
          to, ERROR, NO_SEGMENT,
          "%s is in no segment of PHDRS and is not loaded; link with "
          "bareprof-phdrs-insert.ld (or its lean variant)",
          sections[i].name);
}

void check_section_places(const struct image_info *facts, struct findings *to) {
  check_counters_not_loaded(facts, to);
  check_counters_in_ram(facts, to);
  check_counters_overlap(facts, to);
  check_heap(facts, to);
  check_records_flashed(facts, to);
  check_constant_pieces(facts, to);
  check_segments(facts, to);
}
