/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: the findings of `bareprof doctor`. The first bytes choose a full
 * image, of any raw version, machine and plan; the others are edits of it: of a
 * section, a symbol, the segment, the header, or of any byte.
 *
 * Findings come once each, errors first, and say what is wrong; what to do. An
 * image that is not edited has no error. What is found can be printed, too.
 */
#include <string.h>

#include "compose.h"
#include "doctor/findings.h"
#include "forge.h"
#include "input.h"

static struct firmware firmware;
static struct forge forge;
static unsigned char word[8]; /* the version word as the image has it */

/* ---- the image ---- */

enum { OBJECT_GLOBAL = 0x11, FUNCTION_GLOBAL = 0x12, FUNCTION_LOCAL = 2 };
enum { WRITE = 1, LOADED = 2, CODE = 4 };

static struct forged_section *add(const char *name, unsigned type,
                                  unsigned flags) {
  struct forged_section *section = &forge.sections[forge.section_count++];
  *section =
      (struct forged_section){.name = name, .type = type, .flags = flags};
  return section;
}

static void add_piece(const char *name, unsigned type, unsigned flags,
                      const struct bareprof_span *span) {
  struct forged_section *section = add(name, type, flags);
  section->address = span->address;
  section->bytes = span->begin;
  section->size = section->byte_count = size_of(span);
}

static void add_other(const char *name, unsigned flags, uint64_t address,
                      const void *bytes, size_t size) {
  struct forged_section *section = add(name, PROGBITS, flags);
  section->address = address;
  section->bytes = bytes;
  section->size = 32;
  section->byte_count = size;
}

static void define(const char *name, uint64_t value, unsigned info,
                   unsigned section) {
  forge.symbols[forge.symbol_count++] =
      (struct forged_symbol){name, value, 8, info, section};
}

static void compose_sections(const struct bareprof_image *image) {
  static const char debug[] = "CFG Has";
  static const char wide[] = "32-atomic 0 a.c\0fold";
  static const char flags[] = "byte 0 a.c";
  bool bytes = firmware.word & BYTES;
  forge.section_count = 1;
  add_piece("__llvm_prf_data", PROGBITS, WRITE | LOADED, &image->records);
  add_piece("__llvm_prf_cnts", NOBITS, WRITE | LOADED, &image->counters);
  add_piece("__llvm_prf_bits", NOBITS, WRITE | LOADED, &image->bitmap);
  add_piece("__llvm_prf_names", PROGBITS, LOADED, &image->names);
  add_piece("__llvm_prf_vtab", PROGBITS, WRITE | LOADED, &image->vtables);
  add_piece("__llvm_prf_vns", PROGBITS, LOADED, &image->vtable_names);
  add_piece(".note.gnu.build-id", NOTES, LOADED, &image->build_id);
  add_other(".text", LOADED | CODE, 0x100, NULL, 0);
  add_other(".rodata", LOADED, 0x200, word, sizeof word);
  add_other(".data", WRITE | LOADED, firmware.counters_address - 64, NULL, 0);
  /* What is said is what the version word says: else objects are mixed. */
  add_other(".bareprof.counters", 0, 0, bytes ? flags : wide,
            bytes ? sizeof flags : sizeof wide);
  add_other(".comment", 0, 0, "gcc", 4);
  add_other(".debug_str", 0, 0, debug, sizeof debug);
  store(&firmware.target, word, 8, firmware.word);
}

static void compose_symbols(const struct bareprof_image *image) {
  static const char *const functions[] = {
      "bareprof_init",  "bareprof_send_full",
      "bareprof_full",  "bareprof_running",
      "main",           "alpha",
      "bareprof_write", "bareprof_write_image"};
  static const char *const names[] = {"data",  "cnts", "bits",
                                      "names", "vtab", "vns"};
  static char bounds[12][32];
  const struct bareprof_span *pieces = image->pieces;
  forge.symbol_count = 1;
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
    define(functions[i], 0x100 + 4 * i,
           i == 4 ? FUNCTION_LOCAL : FUNCTION_GLOBAL, 8);
  for (unsigned i = 0; i < 6; i++) {
    snprintf(bounds[2 * i], 32, "__start___llvm_prf_%s", names[i]);
    snprintf(bounds[2 * i + 1], 32, "__stop___llvm_prf_%s", names[i]);
    define(bounds[2 * i], pieces[i].address, OBJECT_GLOBAL, 1 + i);
    define(bounds[2 * i + 1], pieces[i].address + size_of(&pieces[i]),
           OBJECT_GLOBAL, 1 + i);
  }
  define("__bareprof_build_id_start", 8, OBJECT_GLOBAL, 7);
  define("__bareprof_build_id_end", 16, OBJECT_GLOBAL, 7);
  define("__bareprof_end", 0, OBJECT_GLOBAL, 2);
  define("__llvm_profile_raw_version", 0x200, OBJECT_GLOBAL, 9);
  define("bareprof_values_write", 0x180, FUNCTION_GLOBAL, 8);
}

/* ---- edits ---- */

static const char *choose_name(struct input *input) {
  static const char *const known[] = {
#define NAME(identifier, name) name,
      SYMBOLS_KNOWN(NAME)
#undef NAME
  };
  static const char *const others[] = {".L__profc_alpha",
                                       "beta_IRQHandler",
                                       "__atomic_fetch_add_8",
                                       ".bareprof_guard",
                                       ".debug_str",
                                       "\"\xFF\x01\\",
                                       ".bss",
                                       "PendSV_Handler"};
  unsigned i = take(input) % (SECTIONS + SYMBOLS + 8);
  return i < SECTIONS             ? section_names[i]
         : i < SECTIONS + SYMBOLS ? known[i - SECTIONS]
                                  : others[i - SECTIONS - SYMBOLS];
}

static void edit_section(struct input *input) {
  struct forged_section *section =
      &forge.sections[1 + take(input) % (forge.section_count - 1)];
  unsigned what = take(input) % 6;
  if (what == 0)
    section->name = choose_name(input);
  else if (what == 1)
    section->type = take(input) % 9;
  else if (what == 2)
    section->flags = take(input);
  else if (what == 3)
    section->address += take_step(input);
  else if (what == 4)
    section->address = take_number(input, 1 + take(input) % 8);
  else
    section->size = take_number(input, 1 + section->type % 8);
}

static void edit_symbol(struct input *input) {
  struct forged_symbol *symbol =
      &forge.symbols[1 + take(input) % (forge.symbol_count - 1)];
  unsigned what = take(input) % 6;
  if (what == 0)
    symbol->name = choose_name(input);
  else if (what == 1)
    symbol->info = take(input);
  else if (what == 2)
    symbol->value += take_step(input);
  else if (what == 3)
    symbol->value = take_number(input, 1 + take(input) % 8);
  else if (what == 4)
    symbol->size = take_number(input, 2);
  else
    symbol->section = take(input);
}

/* Returns the size of the file. */
static size_t edit(struct input *input, unsigned char *file) {
  size_t flips[4], count = 0;
  while (more(input)) {
    unsigned what = take(input) % 9;
    if (what < 3)
      edit_section(input);
    else if (what < 6)
      edit_symbol(input);
    else if (what == 6)
      forge.physical = take_number(input, 4);
    else if (what == 7)
      forge.type = take(input) % 6;
    else if (count < 4)
      flips[count++] = take_number(input, 3);
  }
  size_t size = forge_write(&forge, file);
  for (size_t i = 0; i < count; i++)
    file[(flips[i] >> 8) % size] ^= flips[i];
  return size;
}

/* ---- what was found ---- */

static void check_findings(const struct findings *findings) {
  must(findings->count < FINDINGS_MOST, "there is room for all");
  for (size_t i = 0; i < findings->count; i++) {
    const struct finding *finding = &findings->list[i];
    must(*finding_name(finding->code), "a code has a name");
    must(strstr(finding->text, "; ") != NULL, "what; what to do");
    for (size_t k = 0; k < i; k++)
      must(findings->list[k].code != finding->code &&
               findings->list[k].severity <= finding->severity,
           "once each, errors first");
  }
}

/* Errors of what is composed: it has no coverage map, and a segment of its
 * records alone. */
static bool has_error(const struct findings *findings) {
  for (size_t i = 0; i < findings->count; i++)
    if (findings->list[i].severity == ERROR &&
        findings->list[i].code != NO_COVERAGE_MAP &&
        findings->list[i].code != NO_SEGMENT)
      return true;
  return false;
}

/* functions: how many there are, 0 if that is not known. */
static void look(struct bytes file, unsigned functions) {
  static struct findings findings;
  static struct image_info facts;
  static FILE *nowhere;
  struct elf elf;
  if (!nowhere)
    nowhere = fopen("/dev/null", "w");
  const char *error = elf_open(&elf, file);
  must(!error || !functions, "what is composed can be read");
  if (error)
    return;
  doctor_run_checks(&elf, &facts, &findings);
  check_findings(&findings);
  must(!functions || (!has_error(&findings) &&
                      facts.functions.count == functions),
       "what is whole has no error, and its functions");
  doctor_print_text(nowhere, "name", &facts, &findings);
  doctor_print_json(nowhere, "name", &facts, &findings);
  image_info_free(&facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static unsigned char file[FORGE_ROOM];
  struct input input = {data, data + size};
  struct target target = machines[take(&input) % machine_count];
  target.version = 7 + take(&input) % 5;
  unsigned choice = take(&input) % (plan_count + 1);
  const struct plan *plan = choice < plan_count ? &plans[choice] : &everything;
  if (plan->since > target.version)
    plan = &everything;
  compose(&firmware, &target, plan);
  forge.target = target;
  forge.type = 2;
  forge.address = forge.physical = firmware.records_address;
  compose_sections(&firmware.image);
  compose_symbols(&firmware.image);
  bool whole = !more(&input);
  size_t written = edit(&input, file);
  /* In a block of its very size, for the sanitizer. */
  unsigned char *copy = malloc(written);
  memcpy(copy, file, written);
  look((struct bytes){copy, written}, whole ? plan->functions : 0);
  free(copy);
  return 0;
}
