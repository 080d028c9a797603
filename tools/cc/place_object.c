/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Moves the counters, bitmaps and function data of an object to other sections,
 * for --place=bss. coverage_jobs.c passes the object.
 * elf_change_section_headers rewrites section headers. This file changes
 * relocations, symbols and the addends in function data in place.
 */
#include "steps.h"

#include <string.h>

#include "../base/arena.h"
#include "../base/llvm.h"
#include "../image/trace_counts.h"
#include "../object/elf_write.h"
#include "image_layout.h"
#include "increment.h"

#define VERSION_WORD ".rodata.__llvm_profile_raw_version"

enum {
  SHT_RELA = 4,
  SHT_REL = 9,
  SHF_WRITE = 1,
  SHF_RETAIN = 0x200000,
  SHF_EXCLUDE = (int)0x80000000,
  BINDING_WEAK = 2,
  RECORD_MOST = 80 /* in bytes: more than the size of one record, less than the
                      size of two */
};

struct place_object_state {
  struct elf elf;
  struct buffer *file;
  struct placed_sizes *sizes;
  struct elf_section_change *changes;
  size_t change_count;
  bool *records;  /* for each section, true if it holds function data */
  bool registers; /* a constructor that registers functions was excluded from
                     the link */
  struct arena memory;
};

/* ---- sections ---- */

static bool is_all_zeros(const struct elf_section *section) {
  for (uint64_t i = 0; section->bytes && i < section->size; i++)
    if (section->bytes[i])
      return false;
  return true;
}

static void add_section_change(struct place_object_state *o, uint64_t number,
                               const char *name, uint32_t type,
                               uint64_t flags) {
  o->changes[o->change_count++] =
      (struct elf_section_change){number, name, type, flags};
}

/* Changes a section of counters or bitmaps. If some initial values are not
 * zero, the section has to be loaded: clang counted at compile time, or the
 * counters are byte counters. */
static void plan_counter_section(struct place_object_state *o, uint64_t number,
                                 const struct elf_section *section,
                                 bool bitmap) {
  struct placed_sizes *place = o->sizes;
  const uint64_t gone =
      SHF_RETAIN | (place->traces ? ELF_ALLOC | SHF_WRITE : 0);
  uint64_t flags = section->flags & ~gone;
  bool zeros = is_all_zeros(section);
  add_section_change(o, number,
                     place->traces ? LABELS_COUNTS
                     : bitmap      ? ".bss.bareprof_b"
                     : zeros       ? ".bss.bareprof_c"
                                   : ".data.bareprof_c",
                     zeros ? ELF_SHT_NOBITS : section->type, flags);
  *(!zeros   ? &place->data
    : bitmap ? &place->bitmaps
             : &place->counters) += section->size;
}

/* Returns whether the section belongs to the constructor that registers
 * functions, as its entry, its code or its unwind table. */
static bool is_profile_init_section(const char *name) {
  return strcmp(name, ".init_array.0") == 0 ||
         text_starts_with(name, ".text.__llvm_profile_init") ||
         text_starts_with(name, ".ARM.exidx.text.__llvm_profile_init");
}

static void plan_profile_section(struct place_object_state *o, uint64_t number,
                                 const char *records) {
  const uint64_t loaded = ELF_ALLOC | SHF_WRITE;
  struct elf_section section = elf_section(&o->elf, number);
  const char *name = section.name;
  uint64_t unloaded = section.flags & ~loaded;
  bool counters =
      !strcmp(name, "__llvm_prf_cnts") || !strcmp(name, "__llvm_prf_cnt4");
  if (counters || !strcmp(name, "__llvm_prf_bits")) {
    plan_counter_section(o, number, &section, !counters);
  } else if (!strcmp(name, "__llvm_prf_data") ||
             !strcmp(name, "__llvm_covdata")) {
    o->records[number] = true;
    add_section_change(o, number, records, section.type, unloaded);
  } else if (!strcmp(name, "__llvm_prf_names")) {
    add_section_change(o, number, NULL, section.type, unloaded);
  } else if (!strcmp(name, VERSION_WORD)) {
    add_section_change(o, number, ".bareprof.version", section.type, unloaded);
  } else if (is_profile_init_section(name)) {
    o->registers = true;
    add_section_change(o, number, NULL, section.type,
                       section.flags | (uint32_t)SHF_EXCLUDE);
  } else if (!strcmp(name, "__llvm_prf_vnds") ||
             !strcmp(name, "__llvm_prf_vals")) {
    raise_error("the code records values, which needs a runtime on the target; "
                "compile with -mllvm -disable-vp");
  }
}

/* Returns the name of the section for the object's function data. The last
 * letter of the name tells how many bytes a counter has on the target; `a`
 * means 8 bytes, as in clang's own name. */
static const char *record_section_name(const struct place_object_state *o,
                                       bool labels) {
  struct elf_section section;
  if (labels)
    return "__llvm_covdat0";
  if (elf_find_section(&o->elf, "__llvm_prf_cnt4", &section))
    return "__llvm_covdat4";
  bool word = elf_find_section(&o->elf, VERSION_WORD, &section) &&
              section.size >= 8 && section.bytes;
  return word && load64(section.bytes, o->elf.big) & BAREPROF_BYTE_COVERAGE
             ? "__llvm_covdat1"
             : "__llvm_covdata";
}

/* ---- relocations of function data ---- */

/* The change of one kind of relocation. A distance is measured from its field,
 * so the field's offset in the record is subtracted from the addend. An ADD
 * relocation keeps its addend if its SUB relocation subtracts the record's own
 * address. */
struct relocation_rule {
  uint16_t machine;
  uint16_t from, to;
  uint8_t size;   /* the bytes of a distance; 0: the addend does not change */
  bool taken_off; /* The relocation subtracts the record's own address. */
};

static const struct relocation_rule rules[] = {
    {ELF_RISCV, 0, 0, 0, false},       /* NONE, in an object that was changed
                                          before */
    {ELF_ARM, 2, 2, 0, false},         /* ABS32 */
    {ELF_ARM, 3, 2, 4, false},         /* REL32 */
    {ELF_RISCV, 1, 1, 0, false},       /* 32 */
    {ELF_RISCV, 2, 2, 0, false},       /* 64 */
    {ELF_RISCV, 57, 1, 4, false},      /* 32_PCREL */
    {ELF_RISCV, 35, 1, 0, false},      /* ADD32 */
    {ELF_RISCV, 36, 2, 0, false},      /* ADD64 */
    {ELF_RISCV, 39, 0, 0, true},       /* SUB32 */
    {ELF_RISCV, 40, 0, 0, true},       /* SUB64 */
    {ELF_AARCH64, 257, 257, 0, false}, /* ABS64 */
    {ELF_AARCH64, 258, 258, 0, false}, /* ABS32 */
    {ELF_AARCH64, 260, 257, 8, false}, /* PREL64 */
    {ELF_AARCH64, 261, 258, 4, false}, /* PREL32 */
    {ELF_X86_64, 1, 1, 0, false},      /* 64 */
    {ELF_X86_64, 24, 1, 8, false},     /* PC64 */
    {0}};

static const struct relocation_rule *find_relocation_rule(uint16_t machine,
                                                          uint32_t type) {
  const struct relocation_rule *rule = rules;
  while (rule->machine && (rule->machine != machine || rule->from != type))
    rule++;
  return rule->machine ? rule : NULL;
}

/* Returns where the record with this offset begins. The first record begins at
 * 0; there are more only if `ld -r` joined several records in the section. */
static uint64_t find_record_begin(const struct place_object_state *o,
                                  uint64_t number, uint64_t size,
                                  uint64_t offset) {
  uint64_t begin = 0;
  for (uint64_t i = 0; size >= RECORD_MOST && i < o->elf.symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(&o->elf, i);
    if (symbol.section == number && symbol.value <= offset &&
        symbol.value > begin)
      begin = symbol.value;
  }
  return begin;
}

/* Returns whether the relocation's symbol and addend denote the record itself.
 */
static bool is_address_of_same_record(const struct place_object_state *o,
                                      const unsigned char *at,
                                      const struct elf_section *table,
                                      uint64_t begin) {
  unsigned pointer = o->elf.wide ? 8 : 4;
  uint64_t info = load_number(at + pointer, pointer, o->elf.big);
  uint64_t number = o->elf.wide ? info >> 32 : info >> 8;
  if (table->type != SHT_RELA || number >= o->elf.symbol_count)
    return false;
  struct elf_symbol symbol = elf_symbol(&o->elf, number);
  uint64_t addend = load_number(at + 2 * pointer, pointer, o->elf.big);
  return symbol.section == table->info && symbol.value + addend == begin;
}

/* Makes the relocation at `at`, an entry of `table`, absolute or NONE, as its
 * row in `rules` says. */
static void change_relocation(struct place_object_state *o, unsigned char *at,
                              const struct elf_section *table) {
  bool wide = o->elf.wide, big = o->elf.big;
  struct elf_section records = elf_section(&o->elf, table->info);
  unsigned pointer = wide ? 8 : 4;
  uint64_t offset = load_number(at, pointer, big);
  uint64_t info = load_number(at + pointer, pointer, big);
  const uint64_t mask = wide ? UINT32_MAX : UINT8_MAX;
  const struct relocation_rule *rule =
      find_relocation_rule(o->elf.machine, (uint32_t)(info & mask));
  uint64_t begin = find_record_begin(o, table->info, records.size, offset);
  if (!rule || offset > records.size || records.size - offset < 8 ||
      (rule->taken_off && !is_address_of_same_record(o, at, table, begin)))
    raise_error("a profile record has an unsupported relocation; compile with "
                "clang 13 to " LLVM_LAST_TEXT " for Arm, RISC-V or x86-64, or "
                "without --place=bss");
  unsigned char *addend = table->type == SHT_RELA
                              ? at + 2 * pointer
                              : o->file->data + records.offset + offset;
  unsigned size = table->type == SHT_RELA ? pointer : rule->size;
  if (rule->size)
    store_number(addend, load_number(addend, size, big) + begin - offset, size,
                 big);
  store_number(at + pointer, (info & ~mask) | rule->to, pointer, big);
}

/* Changes a relocation in the function to NONE, without a symbol. No code calls
 * the function. */
static void clear_if_in_function(struct place_object_state *o,
                                 unsigned char *at,
                                 const struct elf_symbol *function) {
  unsigned pointer = o->elf.wide ? 8 : 4;
  uint64_t begin = function->value;
  if (o->elf.machine == ELF_ARM)
    begin &= ~UINT64_C(1); /* clear the Thumb bit */
  if (load_number(at, pointer, o->elf.big) - begin < function->size)
    store_number(at + pointer, 0, pointer, o->elf.big);
}

/* Changes the relocations of function data. If `function` is not NULL, clears
 * the relocations in this function instead. */
static void change_or_clear_relocations(struct place_object_state *o,
                                        const struct elf_symbol *function) {
  for (uint64_t i = 1; i < o->elf.section_count; i++) {
    struct elf_section table = elf_section(&o->elf, i);
    unsigned entry = (o->elf.wide ? 8 : 4) * (table.type == SHT_RELA ? 3 : 2);
    if ((table.type != SHT_RELA && table.type != SHT_REL) || !table.bytes ||
        table.info >= o->elf.section_count ||
        (function ? table.info != function->section : !o->records[table.info]))
      continue;
    for (uint64_t at = 0; table.size - at >= entry; at += entry) {
      unsigned char *one = o->file->data + table.offset + at;
      if (function)
        clear_if_in_function(o, one, function);
      else
        change_relocation(o, one, &table);
    }
  }
}

/* Clears the constructor of clang 13 to 17, which stays in the code unless it
 * has its own section. The constructor's relocations refer to function data in
 * comdat groups that another object may provide, and linkers refuse such
 * references. */
static void clear_constructor(struct place_object_state *o) {
  enum { FUNCTION = 2 };
  for (uint64_t i = 1; o->registers && i < o->elf.symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(&o->elf, i);
    if (symbol.section && symbol.type == FUNCTION &&
        !strcmp(symbol.name, "__llvm_profile_init"))
      change_or_clear_relocations(o, &symbol);
  }
}

/* ---- symbols ---- */

/* Makes the undefined symbols of the profile runtime weak. */
static void weaken_runtime_symbols(struct place_object_state *o) {
  const size_t entry = o->elf.wide ? 24 : 16, info = o->elf.wide ? 4 : 12;
  if (!o->elf.symbol_count)
    return;
  unsigned char *table =
      o->file->data + (o->elf.symbols.data - o->elf.file.data);
  for (uint64_t i = 1; i < o->elf.symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(&o->elf, i);
    if (!symbol.section && symbol.binding &&
        (!strcmp(symbol.name, "__llvm_profile_runtime") ||
         text_starts_with(symbol.name, "__llvm_profile_register_")))
      table[i * entry + info] =
          (unsigned char)(BINDING_WEAK << 4 | symbol.type);
  }
}

bool place_is_elf_object(struct bytes file) {
  struct elf elf;
  return file.size >= 4 && memcmp(file.data, "\177ELF", 4) == 0 &&
         !elf_open(&elf, file) && elf.type == ELF_REL;
}

static void change_object_sections(void *context) {
  struct place_object_state *o = context;
  raise_if_error(
      elf_open(&o->elf, (struct bytes){o->file->data, o->file->size}));
  size_t count = (size_t)o->elf.section_count + 1;
  o->changes = cc_allocate(&o->memory, count * sizeof *o->changes);
  o->records = cc_allocate(&o->memory, count * sizeof *o->records);
  const char *records = record_section_name(o, o->sizes->traces);
  for (uint64_t i = 1; i < o->elf.section_count; i++)
    plan_profile_section(o, i, records);
  change_or_clear_relocations(o, NULL);
  if (!o->change_count)
    return;
  clear_constructor(o);
  weaken_runtime_symbols(o);
  raise_if_error(
      elf_change_section_headers(o->file, o->changes, o->change_count));
}

const char *place_object(struct placed_sizes *sizes, struct buffer *file) {
  struct place_object_state o = {
      .file = file, .sizes = sizes, .memory = {.limit = (size_t)1 << 30}};
  *sizes = (struct placed_sizes){.traces = sizes->traces};
  const char *error = catch_error(change_object_sections, &o);
  arena_free(&o.memory);
  return error;
}

/* ---- modules ---- */

const char place_needs_19[] =
    "clang writes bitcode, where only clang 19 and later can keep the records "
    "out of flash; compile without -flto, or with a newer clang";

/* Each row is for a section of global variables: the old name, the new name,
 * and the new name if initial values are not zero. */
static const char *const moves[][3] = {
    {"__llvm_prf_cnts\"", ".bss.bareprof_c\"", ".data.bareprof_c\""},
    {"__llvm_prf_bits\"", ".bss.bareprof_b\"", ".data.bareprof_b\""}};

const char *place_module_profile(struct bytes file, FILE *out) {
  for (struct text_part line; text_next_line(&file, &line);) {
    bool global = part_starts_with(line, "@");
    bool zeros = part_contains(line, " zeroinitializer, ");
    if (global && part_contains(line, "section \"__llvm_prf_data\""))
      return place_needs_19;
    for (size_t i = 0; global && i < sizeof moves / sizeof *moves; i++) {
      struct text_part rest = line;
      if (!part_skip_past(&rest, moves[i][0]))
        continue;
      line.size -= rest.size + strlen(moves[i][0]);
      part_print_pattern(out, "%p%s", line, moves[i][zeros ? 1 : 2]);
      line = rest;
    }
    part_print_pattern(out, "%p\n", line);
  }
  return NULL;
}
