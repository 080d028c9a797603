/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file checks images for Cortex-M, which have a vector table. The first
 * word of the table is the initial stack pointer, a multiple of 4. The second
 * word is the address of the reset handler, with bit 0 set. The file also
 * checks the stack, the parts that host tools need, and value sites.
 */
#include <inttypes.h>
#include <string.h>

#include "findings.h"

enum { NEAR = 1 << 24 };

/* Returns whether vendors' start-up code uses this name for a vector table. */
static bool is_vector_table_name(const char *name) {
  static const char *const names[] = {
      ".isr_vector", ".isr_vectors",   ".vectors",     ".vector_table",
      ".intvecs",    ".vector",        "g_pfnVectors", "__isr_vector",
      "__Vectors",   "__vector_table", "_vectors",     "vector_table"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

static bool is_code_address(const struct elf *elf, uint64_t address) {
  struct elf_section section;
  return find_section_at_address(elf, address, ELF_CODE, &section);
}

static bool has_vector_table_at_address(const struct elf *elf,
                                        uint64_t address) {
  const unsigned char *at = elf_bytes_at(elf, address, 8);
  if (!at || address & 3)
    return false;
  uint32_t stack = load32(at, elf->big), reset = load32(at + 4, elf->big);
  return stack && !(stack & 3) && reset & 1 && is_code_address(elf, reset - 1);
}

bool doctor_find_vector_table(const struct elf *elf, uint64_t *address) {
  if (elf->machine != ELF_ARM)
    return false;
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    *address = section.address;
    if (is_vector_table_name(section.name) &&
        has_vector_table_at_address(elf, *address))
      return true;
  }
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    *address = symbol.value;
    if (symbol.section && is_vector_table_name(symbol.name) &&
        has_vector_table_at_address(elf, *address))
      return true;
  }
  for (uint64_t i = 0; i < elf->segment_count; i++) {
    struct elf_segment segment = elf_segment(elf, i);
    *address = segment.address;
    if (segment.type == ELF_PT_LOAD &&
        has_vector_table_at_address(elf, *address))
      return true;
  }
  return false;
}

/* Returns the name of a section that is loaded before the table in the same
 * memory, or NULL. A boot loader such as the Pico's .boot2 does not count. */
static const char *find_section_before_table(const struct elf *elf,
                                             uint64_t table) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (is_loaded(&section) && section.address < table &&
        table - section.address < NEAR &&
        strncmp(section.name, ".boot", 5) != 0)
      return section.name;
  }
  return NULL;
}

/* Finds a function in A32 code. Such a function has an even address and a
 * mapping symbol $a. */
static const char *find_arm_state_function(const struct elf *elf) {
  bool marked = false;
  for (uint64_t i = 0; i < elf->symbol_count && !marked; i++)
    marked = strncmp(elf_symbol(elf, i).name, "$a", 2) == 0;
  for (uint64_t i = 0; i < elf->symbol_count && marked; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.type == ELF_FUNCTION && symbol.section && symbol.size &&
        !(symbol.value & 1) && is_code_address(elf, symbol.value))
      return symbol.name;
  }
  return NULL;
}

void check_cortex_m_start(const struct image_info *facts, struct findings *to) {
  const struct elf *elf = facts->elf;
  uint64_t table;
  if (!doctor_find_vector_table(elf, &table))
    return;
  const char *name = find_arm_state_function(elf);
  if (name)
    findings_add(to, ERROR, ARM_STATE,
                 "%.40s and other code is in ARM state, which hangs a "
                 "Cortex-M; compile all code for its architecture",
                 name);
  name = findings_have_code(to, BUILD_ID_FIRST)
             ? NULL
             : find_section_before_table(elf, table);
  if (name)
    findings_add(to, WARNING, VECTORS,
                 "the vector table is at 0x%" PRIx64
                 ", after section %.40s, so the board needs a boot loader; "
                 "place the table first",
                 table, name);
}

/* ==== This part checks whether the stack for a dump fits between the initial
 * stack pointer and the data below it. Counters take RAM that the stack had
 * before. The sizes of a heap, of sinks and of callers are not known, so the
 * computed space is an upper limit. */

/* Stacks that are too small for a write or a send on every 32-bit machine that
 * docs/reference/sizes.md lists. */
enum { LEAST_WRITE = 240, LEAST_SEND = 264 };

/* Finds the initial stack pointer in the vector table, or else in the symbols
 * of linker scripts, if they agree. */
static bool find_stack_top(const struct image_info *facts, uint64_t *stack) {
  static const enum symbol_id names[] = {STACK_1, STACK_2, STACK_3,
                                         STACK_4, STACK_5, STACK_6};
  const struct elf *elf = facts->elf;
  uint64_t table;
  *stack = 0;
  if (doctor_find_vector_table(elf, &table)) {
    *stack = load32(elf_bytes_at(elf, table, 8), elf->big);
    return true;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const struct known_symbol *symbol = &facts->symbols[names[i]];
    if (symbol->defined && *stack && symbol->value != *stack)
      return false;
    if (symbol->defined)
      *stack = symbol->value;
  }
  return *stack != 0;
}

static void raise_stack_floor(uint64_t *floor, uint64_t address,
                              uint64_t stack) {
  if (address <= stack && stack - address < NEAR && address > *floor)
    *floor = address;
}

/* Returns whether a whole section limits the stack. Sections with contents and
 * sections of the profile do. However, a section with contents that ends at the
 * stack does not. */
static bool can_bound_stack(const struct elf_section *section, uint64_t stack) {
  return section->flags & ELF_WRITE &&
         ((section->bytes && section->address + section->size != stack) ||
          strncmp(section->name, "__llvm_", 7) == 0);
}

/* Returns the highest end of data below the stack, or 0. In sections for which
 * can_bound_stack is false, only objects limit the stack, because linker
 * scripts reserve heap and stack with sections that do not contain objects. If
 * the stack begins inside an object, this object is the stack. */
static uint64_t find_stack_floor(const struct image_info *facts,
                                 uint64_t stack) {
  const struct elf *elf = facts->elf;
  uint64_t floor = 0;
  if (facts->symbols[PROFILE_END].defined)
    raise_stack_floor(&floor, facts->symbols[PROFILE_END].value, stack);
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.flags & ELF_ALLOC && !(section.flags & ELF_TLS) &&
        can_bound_stack(&section, stack) && section.size < NEAR)
      raise_stack_floor(&floor, section.address + section.size, stack);
  }
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.type != ELF_OBJECT || !symbol.section || !symbol.size ||
        symbol.section >= elf->section_count || symbol.size >= NEAR)
      continue;
    struct elf_section section = elf_section(elf, symbol.section);
    if (!(section.flags & ELF_WRITE) || section.flags & ELF_TLS)
      continue;
    bool is_stack = stack > symbol.value && stack - symbol.value <= symbol.size;
    raise_stack_floor(&floor, symbol.value + (is_stack ? 0 : symbol.size),
                      stack);
  }
  return floor;
}

void check_stack_room(const struct image_info *facts, struct findings *to) {
  const struct known_symbol *symbols = facts->symbols;
  uint64_t need = symbols[SEND_FULL].defined || symbols[SEND_LEAN].defined ||
                          symbols[SERVE].defined
                      ? LEAST_SEND
                  : symbols[WRITE_IMAGE].defined ? LEAST_WRITE
                                                 : 0;
  uint64_t stack;
  if (!need || image_info_has_rtos(facts) || !find_stack_top(facts, &stack))
    return;
  uint64_t floor = find_stack_floor(facts, stack);
  if (floor && stack - floor < need)
    findings_add(
        to, WARNING, STACK_SMALL,
        "only %" PRIu64 " bytes of RAM are below the stack top 0x%" PRIx64
        ", and a dump needs at least %" PRIu64 "; give the stack more RAM",
        stack - floor, stack, need);
}

/* ==== This part checks that the ELF has what host tools need: symbols, the
 * coverage map, names, and the build id that links a dump to the ELF. */

/* The bit of the version word that says that the code has IR instrumentation.
 */
enum { IR_BIT = 56 };

static void check_coverage_map(const struct image_info *facts,
                               struct findings *to) {
  const struct elf_section *map = &facts->sections[COVMAP];
  const struct elf_section *functions = &facts->sections[COVFUN];
  if (!map->size && !functions->size &&
      facts->version_evidence.symbol >> IR_BIT & 1)
    return; /* IR instrumentation does not make a coverage map */
  if (!map->size && !functions->size)
    findings_add(to, ERROR, NO_COVERAGE_MAP,
                 "the coverage mapping is missing; compile with "
                 "-fcoverage-mapping, and do not strip the ELF");
  else if (!map->size || !functions->size)
    findings_add(to, ERROR, NO_COVERAGE_MAP,
                 "llvm-cov needs the section %s to read the coverage mapping, "
                 "but the section is missing; INCLUDE bareprof.ld",
                 section_names[map->size ? COVFUN : COVMAP]);
  uint64_t loaded = (is_loaded(map) ? map->size : 0) +
                    (is_loaded(functions) ? functions->size : 0);
  if (loaded)
    findings_add(to, WARNING, COVERAGE_MAP_LOADED,
                 "%" PRIu64 " bytes of coverage mapping are loaded, but the "
                 "target does not read them; INCLUDE bareprof.ld",
                 loaded);
}

static void check_empty_names(const struct image_info *facts,
                              struct findings *to) {
  struct elf_section names;
  if (facts->kind == CORRELATED &&
      elf_find_section(facts->elf, section_names[NAMES], &names) && !names.size)
    findings_add(to, WARNING, NAMES_EMPTY,
                 "an empty __llvm_prf_names makes llvm-cov 19 fail; INCLUDE "
                 "bareprof-lean.ld, or use a later llvm-cov");
}

static const char *section_name_of_bytes(const struct elf *elf,
                                         const unsigned char *bytes) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.bytes && bytes >= section.bytes &&
        (size_t)(bytes - section.bytes) < section.size)
      return section.name;
  }
  return "a segment";
}

static void check_build_id_place(const struct image_info *facts,
                                 enum severity severity, struct bytes id,
                                 struct findings *to) {
  const struct known_symbol *symbols = facts->symbols;
  struct elf_section note;
  if (!symbols[ID_START].defined)
    findings_add(to, severity, BUILD_ID_ELSEWHERE,
                 "no symbols bound the build id for the target; INCLUDE "
                 "bareprof.ld");
  else if (symbols[ID_START].value == symbols[ID_END].value)
    findings_add(to, severity, BUILD_ID_ELSEWHERE,
                 "the target cannot find the build id, in section %.40s; "
                 "INCLUDE bareprof.ld before a pattern like *(.note*)",
                 section_name_of_bytes(facts->elf, id.data));
  else if (!findings_have_code(to, RECORDS_NOT_FLASHED) &&
           elf_find_section(facts->elf, ".note.gnu.build-id", &note) &&
           is_constant_section_in_ram(facts, &note))
    findings_add(to, severity, BUILD_ID_ELSEWHERE,
                 "the build id is in RAM, at 0x%" PRIx64
                 ", but code is not, so a flashed board lacks it; alias "
                 "BAREPROF_ROM to flash",
                 note.address);
}

/* Returns whether the build id was set by hand: its digits come in equal pairs,
 * its bytes are text, or it is short. A digest looks like this with a
 * probability of 2^-22 or less. */
static bool is_fixed_build_id(struct bytes id) {
  size_t pairs = 0, characters = 0;
  for (size_t i = 0; i < id.size; i++) {
    pairs += id.data[i] >> 4 == (id.data[i] & 15);
    characters += id.data[i] >= ' ' && id.data[i] <= '~';
  }
  enum { DIGEST_LEAST = 8, TEXT_LEAST = 16 };
  return id.size < DIGEST_LEAST || pairs == id.size ||
         (characters == id.size && id.size >= TEXT_LEAST);
}

static void check_build_id(const struct image_info *facts,
                           struct findings *to) {
  const struct known_symbol *symbols = facts->symbols;
  bool lean = facts->kind != FULL || !symbols[PIECES_FULL].defined;
  bool refused = lean && symbols[SEND_LEAN].defined;
  bool reported = facts->sections[COVMAP].size != 0;
  enum severity severity = refused || reported ? ERROR : WARNING;
  struct bytes id = {0};
  if (!elf_find_build_id(facts->elf, &id))
    findings_add(
        to, severity, NO_BUILD_ID,
        "the build id is missing, so %s; link with --build-id, and do not "
        "/DISCARD/ it",
        refused ? "lean dumps fail (BAREPROF_E_NO_BUILD_ID)"
        : symbols[RETAINED].defined
            ? "counts do not survive a reset, and dumps do not name their ELF"
        : reported ? "dumps cannot be matched, and report rejects this ELF"
                   : "a profile cannot be matched with its ELF");
  else if (facts->runtime == BAREPROF)
    check_build_id_place(facts, severity, id, to);
  if (id.size && is_fixed_build_id(id))
    findings_add(
        to, WARNING, BUILD_ID_FIXED,
        "the build id seems to be fixed by hand, so dumps of other builds "
        "would match too; link with --build-id without a value");
}

void check_parts_for_host(const struct image_info *facts, struct findings *to) {
  if (!facts->elf->symbol_count)
    findings_add(
        to, WARNING, NO_SYMBOLS,
        "the ELF has no symbols, so runtime, bounds and heap cannot be "
        "checked; pass the ELF that ran, unstripped or stripped with -g only");
  check_coverage_map(facts, to);
  check_empty_names(facts, to);
  check_build_id(facts, to);
}

/* ==== This part checks value profiling: the value sites in the code, the hooks
 * that these sites call, and the slots for values. */

/* The `ways` (slots that a site may use) and least slots to suggest. */
enum { WAYS = 8, SLOTS_LEAST = 16 };

/* Returns the number of slots to suggest for BAREPROF_VALUES. Most sites see
 * one or two values. */
static uint64_t suggest_slot_count(const struct image_info *facts) {
  return 2 * facts->sites < SLOTS_LEAST ? SLOTS_LEAST : 2 * facts->sites;
}

/* Returns whether records point to the compiler's own slots in RAM. */
static bool has_slots_in_ram(const struct image_info *facts) {
  return (facts->sections[VALS].flags | facts->sections[VNDS].flags) &
         ELF_ALLOC;
}

/* Checks hooks that are not bareprof's. Such hooks find a list of values
 * through the record, and write to both, so both must be on the target. */
static void check_foreign_value_hooks(const struct image_info *facts,
                                      struct findings *to) {
  const char *whose =
      facts->symbols[LPROF_VALUES].defined ? "compiler-rt's" : "unknown";
  bool pools = facts->sections[VALS].size || facts->sections[VNDS].size;
  if (facts->kind != FULL || (pools && !has_slots_in_ram(facts)))
    findings_add(to, ERROR, VALUES_CORRELATED,
                 "value hooks are %s, and would overwrite memory near address "
                 "0; link libbareprof.a before them",
                 whose);
}

static void check_value_slots(const struct image_info *facts,
                              struct findings *to) {
  const struct slot_storage *storage = &facts->storage;
  uint64_t slots = suggest_slot_count(facts);
  if (!storage->count)
    findings_add(to, WARNING, VALUES_NO_STORAGE,
                 "value sites have no storage (sites: %" PRIu64 "), so no "
                 "value is recorded; put BAREPROF_VALUES(%" PRIu64
                 ", %d); into a source file",
                 facts->sites, slots, WAYS);
  else if (storage->count < facts->sites)
    findings_add(to, NOTE, VALUES_FEW,
                 "%" PRIu32 " slots are too few for %" PRIu64
                 " value sites if most sites run, so values get lost; use "
                 "BAREPROF_VALUES(%" PRIu64 ", %" PRIu32 ")",
                 storage->count, facts->sites, slots, storage->ways);
}

void check_value_profiling(const struct image_info *facts,
                           struct findings *to) {
  const struct known_symbol *symbols = facts->symbols;
  if (facts->hooks == OTHER_HOOKS)
    check_foreign_value_hooks(facts, to);
  if (facts->sites == 0)
    return;
  if (facts->hooks == OUR_HOOKS)
    check_value_slots(facts, to);
  if (facts->hooks == STUB_HOOKS)
    findings_add(to, NOTE, VALUES_STUBS,
                 "value sites (%" PRIu64 ") call hooks that do nothing; link "
                 "libbareprof.a before these hooks, or compile with -mllvm "
                 "-disable-vp",
                 facts->sites);
  if (facts->kind == FULL && symbols[WRITE_IMAGE].defined &&
      !symbols[VALUES_WRITE].defined)
    findings_add(to, ERROR, VALUES_NO_WRITER,
                 "no value writer is linked, so bareprof_write fails "
                 "(BAREPROF_E_VALUES); link with -u bareprof_values_write");
  if (has_slots_in_ram(facts) && facts->hooks != OTHER_HOOKS)
    findings_add(to, NOTE, VALUES_UNUSED,
                 "%" PRIu64
                 " bytes of RAM hold __llvm_prf_vals and __llvm_prf_vnds, "
                 "which nothing uses; place both as bareprof.ld does",
                 facts->sections[VALS].size + facts->sections[VNDS].size);
}
