/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: where the linker put counters, records and names, what that costs
 * and what lies in the same place.
 */
#include "examine.h"

#include <inttypes.h>
#include <string.h>

/* What lies in one memory is not farther apart; a guess. */
enum { NEAR = 1 << 24, BESIDE = 1 << 12, FOLLOWS = 16 };

static void check_loaded(const struct facts *facts, struct findings *to) {
  uint64_t size = 0;
  static const enum section_id written[] = {CNTS, BITS, VALS, VNDS};
  for (size_t i = 0; i < sizeof written / sizeof *written; i++)
    if (is_loaded(&facts->sections[written[i]]))
      size += facts->sections[written[i]].size;
  if (size)
    findings_add(to, WARNING, COUNTERS_LOADED,
                 "%" PRIu64 " bytes of initial counters (%s) are loaded, and "
                 "cost flash; make them (NOLOAD), as bareprof.ld does",
                 size, facts->bytes ? "0xFF" : "zeros");
}

/* Behind something that is only read, and far from all that is written. */
static bool is_in_rom(const struct facts *facts, uint64_t address) {
  uint64_t ram = distance_to(facts, true, address);
  return ram != UINT64_MAX && ram > NEAR &&
         distance_to(facts, false, address) < BESIDE;
}

static void check_ram(const struct facts *facts, struct findings *to) {
  const struct elf_section *counters = &facts->sections[CNTS];
  if (!(counters->flags & ELF_ALLOC))
    findings_add(to, ERROR, COUNTERS_NOT_IN_RAM,
                 "counters are in the file only: code that counts writes to "
                 "address 0x%" PRIx64 "; INCLUDE bareprof.ld",
                 counters->address);
  else if (!(counters->flags & ELF_WRITE) ||
           is_in_rom(facts, counters->address))
    findings_add(to, ERROR, COUNTERS_NOT_IN_RAM,
                 "counters are among what is only read, at 0x%" PRIx64
                 "; alias BAREPROF_RAM to a region of RAM",
                 counters->address);
}

static void check_overlap(const struct facts *facts, struct findings *to) {
  const struct elf_section *counters = &facts->sections[CNTS];
  for (uint64_t i = 0; i < facts->elf->section_count; i++) {
    struct elf_section other = elf_section(facts->elf, i);
    if (!(other.flags & ELF_ALLOC) || other.flags & ELF_TLS || !other.size ||
        strcmp(other.name, counters->name) == 0)
      continue;
    if (other.address - counters->address < counters->size ||
        counters->address - other.address < other.size) {
      findings_add(to, ERROR, COUNTERS_OVERLAP,
                   "counters and section %.40s have the same addresses, from "
                   "0x%" PRIx64 " on; move one of them in the script",
                   other.name, counters->address);
      return;
    }
  }
}

/* How much of what is between two addresses belongs to no section. */
static uint64_t unused_between(const struct facts *facts, uint64_t from,
                               uint64_t to) {
  uint64_t unused = to - from;
  for (uint64_t i = 0; i < facts->elf->section_count; i++) {
    struct elf_section section = elf_section(facts->elf, i);
    if (section.flags & ELF_ALLOC && !(section.flags & ELF_TLS) &&
        section.address - from < to - from && section.size <= unused)
      unused -= section.size;
  }
  return unused;
}

/* Whether the fragment has asked this of the three names that it knows: it
 * knows the regions, but not what the script defines behind it. Where counters
 * follow what stands before the fragment, they are in its region. */
static bool is_asked(const struct facts *facts, uint64_t counters) {
  const struct symbol *begin = &facts->symbols[PROFILE_BEGIN];
  return facts->symbols[PROFILE_END].defined && begin->defined &&
         counters - begin->value >= FOLLOWS;
}

/* As bareprof.ld asks; but of more names, of all that the script defines, and
 * for scripts without it. Here, counters behind a gap have a region to
 * themselves. */
static void check_heap(const struct facts *facts, struct findings *to) {
  static const struct {
    enum symbol_id id;
    const char *name;
  } heaps[] = {{HEAP_END, "end"},
               {HEAP_END_1, "_end"},
               {HEAP_START, "__heap_start"},
               {HEAP_END_2, "__end__"},
               {HEAP_START_1, "__heap_start__"},
               {HEAP_START_2, "_heap_start"},
               {HEAP_BASE, "__HeapBase"},
               {HEAP_BASE_1, "__heap_base"}};
  enum { ASKED_BY_FRAGMENT = 3 };
  uint64_t counters = facts->sections[CNTS].address;
  if (facts->symbols[END_CHECKED].defined)
    return;
  size_t i = is_asked(facts, counters) ? ASKED_BY_FRAGMENT : 0;
  for (; i < sizeof heaps / sizeof *heaps; i++) {
    const struct symbol *heap = &facts->symbols[heaps[i].id];
    if (heap->defined && counters - heap->value < NEAR &&
        unused_between(facts, heap->value, counters) < BESIDE)
      findings_add(to, ERROR, HEAP,
                   "a heap from `%s' (0x%" PRIx64 ") on would overwrite the "
                   "counters; move it, or INCLUDE bareprof.ld before it",
                   heaps[i].name, heap->value);
  }
}

/* The section with most of the code; a few functions may run in RAM. */
static struct elf_section code_of(const struct elf *elf) {
  struct elf_section code = {0};
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.flags & ELF_ALLOC && section.flags & ELF_EXECUTE &&
        section.size > code.size)
      code = section;
  }
  return code;
}

bool is_stranded(const struct facts *facts, const struct elf_section *section) {
  struct elf_section code = code_of(facts->elf);
  return is_loaded(section) && code.size &&
         !facts->symbols[ROM_CHECKED].defined &&
         distance_from(&facts->sections[CNTS], section->address) < NEAR &&
         distance_from(&code, section->address) >= NEAR;
}

/* By an alias, by INSERT without a region, or for want of a script. QEMU's
 * loader and debuggers may hide that. */
static void check_flashed(const struct facts *facts, struct findings *to) {
  const struct elf_section *records = &facts->sections[DATA];
  bool placed = facts->symbols[PROFILE_END].defined;
  if (is_stranded(facts, records))
    findings_add(to, ERROR, RECORDS_NOT_FLASHED,
                 "records are in RAM, at 0x%" PRIx64 ", and code is not: a "
                 "flashed board has none there; %s",
                 records->address,
                 placed ? "alias BAREPROF_ROM to flash"
                        : "INCLUDE bareprof.ld");
}

/* GNU ld puts a note without a place first. Where the headers of the ELF are
 * loaded, as by an operating system, they are before it. */
void check_first(const struct facts *facts, struct findings *to) {
  enum { EM_ARM = 40 };
  const struct elf *elf = facts->elf;
  struct elf_section note, code = code_of(elf);
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
    findings_add(to, elf->machine == EM_ARM ? ERROR : WARNING, BUILD_ID_FIRST,
                 "the build id is at 0x%" PRIx64 ", before the vectors or the "
                 "first instruction: a board does not start; INCLUDE "
                 "bareprof.ld",
                 note.address);
}

/* Which of the constant pieces are loaded, and whether anybody there reads
 * them. */
static void check_flash(const struct facts *facts, struct findings *to) {
  const struct elf_section *sections = facts->sections;
  const struct symbol *symbols = facts->symbols;
  uint64_t size = 0;
  if (facts->kind == FULL && symbols[SEND_LEAN].defined &&
      !symbols[WRITE_IMAGE].defined && !symbols[SEND_FULL].defined &&
      !symbols[SERVE].defined)
    findings_add(to, WARNING, RECORDS_UNUSED,
                 "%" PRIu64 " bytes of records and names are loaded, and "
                 "nothing linked reads them; use bareprof-lean.ld",
                 sections[DATA].size + sections[NAMES].size);
  if (facts->kind != LEAN && facts->kind != CORRELATED)
    return;
  static const enum section_id constant[] = {NAMES, VTAB, VNS, COVDATA,
                                             COVNAMES};
  for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
    if (is_loaded(&sections[constant[i]]))
      size += sections[constant[i]].size;
  if (size)
    findings_add(to, WARNING, HALF_LEAN,
                 "%" PRIu64 " bytes of names and the like are loaded, for "
                 "records that are not; use all of bareprof-lean.ld",
                 size);
  if (symbols[SEND_FULL].defined && !symbols[SERVE].defined && !has_mip(facts))
    findings_add(to, WARNING, WRITER_REFUSES,
                 "bareprof_send without BAREPROF_LEAN refuses without records "
                 "in the image; add that option, or use bareprof.ld");
  if (symbols[WRITE_IMAGE].defined && !symbols[SEND_LEAN].defined)
    findings_add(to, symbols[MERGE_IMAGE].defined ? WARNING : ERROR,
                 WRITER_REFUSES,
                 "bareprof_write refuses without records in the image; call "
                 "bareprof_send with BAREPROF_LEAN, or use bareprof.ld");
}

void check_places(const struct facts *facts, struct findings *to) {
  check_loaded(facts, to);
  check_ram(facts, to);
  check_overlap(facts, to);
  check_heap(facts, to);
  check_flashed(facts, to);
  check_flash(facts, to);
}
