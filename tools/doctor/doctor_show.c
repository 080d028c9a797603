/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file computes the costs, and prints the findings as text or JSON. A
 * finding takes a line or two:
 *   error   D012 counters-missing: fault; fix
 */
#include "findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/need.h"
#include "../base/text.h"

/* ==== The costs of an image's profile in bytes, computed from the ELF: RAM,
 * flash, stack, and an estimate of the bytes on the link. The code that counts
 * is not included, because it is mixed with the code of the program. */

struct profile_costs {
  /* The parts in RAM. */
  uint64_t counters, bitmap, values, guard;
  /* The parts in flash; a part that is not loaded has size 0. `runtime` is the
   * size of functions and constants with the runtime's names, and of static
   * functions between them. */
  uint64_t records, names, vtables, maps, initial, runtime;
  /* The bytes of a complete dump in the BINARY encoding: the lowest and the
   * highest estimate. */
  uint64_t lean[2], full[2];
  /* The stack budget in the headers for the linked call that needs the most
   * stack, or 0. */
  unsigned stack;
};

static uint64_t sum_lean_savings(const struct profile_costs *costs) {
  return costs->records + costs->names + costs->vtables + costs->maps +
         costs->initial;
}

/* ---- the runtime's code ---- */

enum code_owner { LOCAL, OURS, OTHERS };

struct code_with_owner {
  uint64_t address, size;
  enum code_owner owner;
};

/* Returns whether a name belongs to the runtime. The string in which an object
 * describes its counters is not code. */
static bool is_runtime_name(const char *name) {
  return strncmp(name, "bareprof_counters_", 18) != 0 &&
         (elf_is_runtime_name(name) ||
          strncmp(name, "__llvm_profile_", 15) == 0);
}

ORDER_BY(by_address, struct code_with_owner, x->address, x->owner);

/* The name of a static function does not show its owner. Such a function counts
 * as the runtime's if the nearest external functions before and after it are
 * the runtime's. */
static uint64_t sum_runtime_sizes(const struct code_with_owner *list,
                                  size_t count) {
  uint64_t size = 0, locals = 0;
  bool before = false;
  for (size_t i = 0; i < count; i++) {
    if (list[i].owner == LOCAL) {
      locals += list[i].size;
      continue;
    }
    bool ours = list[i].owner == OURS;
    if (ours)
      size += list[i].size + (before ? locals : 0);
    before = ours;
    locals = 0;
  }
  return size;
}

/* Returns whether a symbol is in flash; value slots are in RAM. */
static bool is_symbol_in_flash(const struct elf *elf,
                               const struct elf_symbol *symbol) {
  if (symbol->section >= elf->section_count)
    return false;
  struct elf_section section = elf_section(elf, symbol->section);
  return is_loaded(&section);
}

static uint64_t compute_runtime_size(const struct elf *elf) {
  struct code_with_owner *list =
      need_memory(calloc((size_t)elf->symbol_count + 1, sizeof *list));
  uint64_t constants = 0;
  size_t count = 0;
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    bool ours = is_runtime_name(symbol.name);
    if (!symbol.section || !symbol.size)
      continue;
    if (symbol.type == ELF_FUNCTION)
      list[count++] = (struct code_with_owner){symbol.value, symbol.size,
                                               ours              ? OURS
                                               : !symbol.binding ? LOCAL
                                                                 : OTHERS};
    else if (symbol.type == ELF_OBJECT && ours &&
             is_symbol_in_flash(elf, &symbol))
      constants += symbol.size;
  }
  qsort(list, count, sizeof *list, by_address);
  uint64_t size = sum_runtime_sizes(list, count);
  free(list);
  return size + constants;
}

/* ---- sections and estimates ---- */

static uint64_t loaded_section_size(const struct image_info *facts,
                                    enum section_id id) {
  const struct elf_section *section = &facts->sections[id];
  return is_loaded(section) ? section->size : 0;
}

static uint64_t allocated_section_size(const struct image_info *facts,
                                       enum section_id id) {
  const struct elf_section *section = &facts->sections[id];
  return section->flags & ELF_ALLOC ? section->size : 0;
}

/* Estimates the size of a dump. The factors were measured with five programs in
 * tests/bench/wire: from counters that are mostly 0 to counters that all
 * differ, and from unused slots to full slots. Names are sent unchanged;
 * records shrink to a little more than half of their size. */
static void estimate_dump_sizes(const struct image_info *facts,
                                struct profile_costs *costs) {
  uint64_t count = costs->counters;
  const struct elf_section *sections = facts->sections;
  const struct elf_section *records = &sections[DATA];
  const struct elf_section *names = &sections[NAMES];
  if (facts->byte_counters) {
    costs->lean[0] = 80 + count / 16;
    costs->lean[1] = 80 + count / 4;
  } else {
    count /= counter_size(facts);
    costs->lean[0] = 80 + count / 2;
    costs->lean[1] = 80 + count * 5 / 4;
  }
  costs->lean[0] += costs->bitmap / 2 + facts->storage.count / 16;
  costs->lean[1] += costs->bitmap + (uint64_t)facts->storage.count * 8;
  costs->full[0] = costs->lean[0] + names->size + records->size / 2;
  costs->full[1] = costs->lean[1] + names->size + records->size * 2 / 3;
}

/* Returns the stack budget for 32-bit machines from bareprof.h and
 * bareprof_wire.h. With values, frames need most on ARMv6-M. */
static unsigned stack_budget(const struct image_info *facts) {
  const struct known_symbol *symbols = facts->symbols;
  bool full = symbols[SERVE].defined || symbols[SEND_FULL].defined;
  bool frames = full || symbols[SEND_LEAN].defined;
  if (facts->elf->wide)
    return 0;
  return symbols[MERGE_IMAGE].defined         ? 488
         : frames && symbols[VALUES].defined ? 480
         : full                              ? 440
         : frames                            ? 392
         : symbols[WRITE_IMAGE].defined      ? 360
                                             : 0;
}

static struct profile_costs
compute_profile_costs(const struct image_info *facts) {
  struct elf_section guard;
  elf_find_section(facts->elf, ".bareprof_guard", &guard);
  struct profile_costs costs = {.counters = allocated_section_size(facts, CNTS),
                                .bitmap = allocated_section_size(facts, BITS),
                                .values = allocated_section_size(facts, VALS) +
                                          allocated_section_size(facts, VNDS) +
                                          slots_ram_size(&facts->storage),
                                .guard = guard.size,
                                .records = loaded_section_size(facts, DATA),
                                .names = loaded_section_size(facts, NAMES),
                                .vtables = loaded_section_size(facts, VTAB) +
                                           loaded_section_size(facts, VNS),
                                .maps = loaded_section_size(facts, COVMAP) +
                                        loaded_section_size(facts, COVFUN) +
                                        loaded_section_size(facts, COVDATA) +
                                        loaded_section_size(facts, COVNAMES),
                                .initial = loaded_section_size(facts, CNTS) +
                                           loaded_section_size(facts, BITS) +
                                           loaded_section_size(facts, VALS) +
                                           loaded_section_size(facts, VNDS),
                                .runtime = compute_runtime_size(facts->elf),
                                .stack = stack_budget(facts)};
  estimate_dump_sizes(facts, &costs);
  return costs;
}

/* ==== This part prints the findings as text. */

enum { COLUMNS = 80 };

static const char *image_kind_name(const struct image_info *facts) {
  static const char *const names[] = {"bare",   "full",  "lean", "correlated",
                                      "placed", "debug", "lost"};
  return facts->has_trace_points ? "labels" : names[facts->kind];
}

/* Prints words up to the last column, starting at column `at`. The following
 * lines are indented. */
static void print_wrapped_text(FILE *stream, unsigned indent, size_t at,
                               const char *format, ...) PRINTS_AS(4, 5);
static void print_wrapped_text(FILE *stream, unsigned indent, size_t at,
                               const char *format, ...) {
  char raw[FINDING_ROOM + 100], text[sizeof raw];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(raw, sizeof raw, format, arguments);
  va_end(arguments);
  const char *word = make_printable(text, sizeof text, raw);
  size_t column = at;
  while (*word) {
    /* The spaces before a word stay with it, so that columns stay aligned. */
    size_t spaces = strspn(word, " ");
    size_t length = spaces + strcspn(word + spaces, " ");
    if (column && column + length > COLUMNS) {
      fprintf(stream, "\n%*s", (int)indent, "");
      column = indent;
      word += spaces;
      length -= spaces;
    }
    fwrite(word, 1, length, stream);
    column += length;
    word += length;
  }
  fputc('\n', stream);
}

static void print_image_line(FILE *stream, const char *file,
                             const struct image_info *facts) {
  static const char *const kinds[] = {
      "no counters",
      "full image",
      "lean image",
      "lean image by -profile-correlate=binary",
      "counters in .bss, found by the records in the ELF",
      "counters, records in the debug information",
      "counters without records"};
  char functions[64] = "", raw[64] = "", hex[64] = "";
  struct bytes id;
  if (facts->functions.count)
    snprintf(functions, sizeof functions, ", %zu function%s",
             facts->functions.count, facts->functions.count == 1 ? "" : "s");
  if (facts->version)
    snprintf(raw, sizeof raw, ", raw version %" PRIu32,
             (uint32_t)facts->version);
  if (elf_find_build_id(facts->elf, &id)) {
    size_t used = (size_t)snprintf(hex, sizeof hex, ", build id ");
    for (size_t i = 0; i < id.size && i < 4; i++)
      used +=
          (size_t)snprintf(hex + used, sizeof hex - used, "%02x", id.data[i]);
    snprintf(hex + used, sizeof hex - used, "%s", id.size > 4 ? "..." : "");
  }
  print_wrapped_text(stream, 2, 0, "%.500s: %s%s%s%s", file,
                     facts->has_trace_points ? "trace points"
                                             : kinds[facts->kind],
                     functions, raw, hex);
}

/* One part of the costs. The text output omits a part of size 0. */
struct cost_share {
  const char *name, *key; /* name in the text; name in JSON */
  uint64_t size;
};

/* The number of parts in RAM, and of parts in flash, which follow them. */
enum { RAM_SHARES = 4, FLASH_SHARES = 6, SHARES = RAM_SHARES + FLASH_SHARES };

static void list_cost_shares(const struct profile_costs *costs,
                             struct cost_share shares[SHARES]) {
  const struct cost_share all[SHARES] = {
      {"counters", "counters", costs->counters},
      {"bitmaps", "bitmaps", costs->bitmap},
      {"values", "values", costs->values},
      {"guard", "guard", costs->guard},
      {"records", "records", costs->records},
      {"names", "names", costs->names},
      {"vtables", "vtables", costs->vtables},
      {"coverage map", "coverage_map", costs->maps},
      {"initial counters", "initial_counters", costs->initial},
      {"runtime (by its symbols)", "runtime", costs->runtime}};
  memcpy(shares, all, sizeof all);
}

static void print_cost_sum(FILE *stream, const char *what,
                           const struct cost_share *parts, size_t count) {
  char text[500] = "";
  size_t used = 0;
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += parts[i].size;
    if (parts[i].size)
      used +=
          (size_t)snprintf(text + used, sizeof text - used, "%s%s %" PRIu64,
                           used ? ", " : ": ", parts[i].name, parts[i].size);
  }
  print_wrapped_text(stream, 10, 0, "  %-6s  %" PRIu64 " bytes%s", what, sum,
                     text);
}

static void print_value_sites(FILE *stream, const struct image_info *facts) {
  static const char *const hooks[] = {"no hooks", "bareprof's hooks",
                                      "hooks that do nothing",
                                      "hooks of another runtime"};
  char slots[80] = "";
  if (!facts->sites)
    return;
  if (facts->hooks == OUR_HOOKS)
    snprintf(slots, sizeof slots,
             ", %" PRIu32 " slots, at most %" PRIu32 " values a site",
             facts->storage.count, facts->storage.ways);
  print_wrapped_text(stream, 10, 0, "  values  %" PRIu64 " sites, %s%s",
                     facts->sites, hooks[facts->hooks], slots);
}

/* Prints what `bareprof cc` has done or could do for the code that counts.
 * 64-bit cores and byte counters gain nothing. */
static void print_counting_code(FILE *stream, const struct image_info *facts,
                                uint64_t counters) {
  bool ir = facts->version >> 56 & 1, bytes = facts->version >> 60 & 1;
  size_t narrow = facts->widths.narrow.objects;
  if (facts->has_trace_points)
    print_wrapped_text(stream, 10, 0,
                       "  code    counts nothing: %zu trace points; see "
                       "`bareprof run --trace`",
                       facts->trace_point_count);
  else if (narrow)
    print_wrapped_text(stream, 10, 0, "  code    %zu object%s in 32 bits%s",
                       narrow, narrow == 1 ? " counts" : "s count",
                       facts->packed.size ? ", of counters of 4 bytes" : "");
  else if (counters && !bytes && !facts->elf->wide)
    print_wrapped_text(stream, 10, 0,
                       "  code    counts in 64 bits: `bareprof cc` %s",
                       ir ? "makes it smaller (-do-counter-promotion=false)"
                          : "halves what counts");
}

static void print_costs(FILE *stream, const struct image_info *facts) {
  const struct profile_costs c = compute_profile_costs(facts);
  struct cost_share shares[SHARES];
  list_cost_shares(&c, shares);
  print_cost_sum(stream, "RAM", shares, RAM_SHARES);
  print_value_sites(stream, facts);
  print_cost_sum(stream, "flash", shares + RAM_SHARES, FLASH_SHARES);
  print_counting_code(stream, facts, c.counters);
  if (sum_lean_savings(&c))
    print_wrapped_text(stream, 10, 0,
                       "  lean    would save %" PRIu64
                       " bytes of flash, with bareprof-lean.ld",
                       sum_lean_savings(&c));
  char full[64] = "";
  if (facts->kind == FULL)
    snprintf(full, sizeof full, ", %" PRIu64 " to %" PRIu64 " full", c.full[0],
             c.full[1]);
  if (facts->kind == PLACED)
    return;
  print_wrapped_text(stream, 10, 0,
                     "  wire    %" PRIu64 " to %" PRIu64
                     " bytes lean%s, a third more as TEXT (estimated)",
                     c.lean[0], c.lean[1], full);
  if (c.stack)
    print_wrapped_text(stream, 10, 0,
                       "  stack   up to %u bytes, plus your sink's", c.stack);
}

void doctor_print_text(FILE *stream, const char *file,
                       const struct image_info *facts,
                       const struct findings *findings) {
  print_image_line(stream, file, facts);
  for (size_t i = 0; i < findings->count; i++) {
    const struct finding *finding = &findings->list[i];
    static const enum paint_colour colours[] = {PAINT_RED, PAINT_YELLOW,
                                                PAINT_GREEN};
    fputs(paint_code(stream, colours[finding->severity]), stream);
    fprintf(stream, "%-7s", severity_name(finding->severity));
    fputs(paint_code(stream, PAINT_END), stream);
    print_wrapped_text(stream, 2, 7, " D%03d %s: %s", finding->code,
                       finding_name(finding->code), finding->text);
  }
  if (!findings->count)
    fputs("no problems found\n", stream);
  if (facts->sections[CNTS].size || facts->has_trace_points)
    print_costs(stream, facts);
  if (facts->dropped)
    print_wrapped_text(
        stream, 10, 0,
        "  linker  dropped %zu function%s: in a report %s never ran",
        facts->dropped, facts->dropped == 1 ? "" : "s",
        facts->dropped == 1 ? "it" : "they");
}

/* ==== This part prints the findings as JSON (RFC 8259). */

static void print_json_shares(FILE *stream, const char *name,
                              const struct cost_share *shares, size_t count) {
  fprintf(stream, "\"%s\":{", name);
  for (size_t i = 0; i < count; i++)
    fprintf(stream, "%s\"%s\":%" PRIu64, i ? "," : "", shares[i].key,
            shares[i].size);
  fputc('}', stream);
}

static void print_json_costs(FILE *stream, const struct image_info *facts) {
  const struct profile_costs c = compute_profile_costs(facts);
  struct cost_share shares[SHARES];
  list_cost_shares(&c, shares);
  fputs(",\"costs\":{", stream);
  print_json_shares(stream, "ram", shares, RAM_SHARES);
  fputc(',', stream);
  print_json_shares(stream, "flash", shares + RAM_SHARES, FLASH_SHARES);
  fprintf(stream,
          ",\"lean_saves\":%" PRIu64 ",\"wire_estimate\":{\"lean\":[%" PRIu64
          ",%" PRIu64 "]",
          sum_lean_savings(&c), c.lean[0], c.lean[1]);
  if (facts->kind == FULL)
    fprintf(stream, ",\"full\":[%" PRIu64 ",%" PRIu64 "]", c.full[0],
            c.full[1]);
  fputc('}', stream);
  if (c.stack)
    fprintf(stream, ",\"stack\":%u", c.stack);
  fputc('}', stream);
}

static void print_json_image(FILE *stream, const struct image_info *facts) {
  struct bytes id;
  fprintf(stream, ",\"kind\":\"%s\"", image_kind_name(facts));
  if (facts->version)
    fprintf(stream, ",\"raw_version\":%" PRIu32, (uint32_t)facts->version);
  if (facts->functions.count)
    fprintf(stream, ",\"functions\":%zu", facts->functions.count);
  if (facts->dropped)
    fprintf(stream, ",\"dropped\":%zu", facts->dropped);
  if (facts->sites) {
    static const char *const hooks[] = {"none", "bareprof", "stubs", "other"};
    fprintf(stream, ",\"values\":{\"sites\":%" PRIu64 ",\"hooks\":\"%s\"",
            facts->sites, hooks[facts->hooks]);
    if (facts->hooks == OUR_HOOKS)
      fprintf(stream, ",\"slots\":%" PRIu32 ",\"ways\":%" PRIu32,
              facts->storage.count, facts->storage.ways);
    fputc('}', stream);
  }
  if (elf_find_build_id(facts->elf, &id)) {
    fputs(",\"build_id\":\"", stream);
    for (size_t i = 0; i < id.size; i++)
      fprintf(stream, "%02x", id.data[i]);
    fputc('"', stream);
  }
}

void doctor_print_json(FILE *stream, const char *file,
                       const struct image_info *facts,
                       const struct findings *findings) {
  fputs("{\"file\":", stream);
  json_print_string(stream, file);
  if (facts)
    print_json_image(stream, facts);
  fputs(",\"findings\":[", stream);
  for (size_t i = 0; i < findings->count; i++) {
    const struct finding *finding = &findings->list[i];
    fprintf(stream,
            "%s{\"code\":\"D%03d\",\"name\":\"%s\",\"severity\":\"%s\","
            "\"text\":",
            i ? "," : "", finding->code, finding_name(finding->code),
            severity_name(finding->severity));
    json_print_string(stream, finding->text);
    fputc('}', stream);
  }
  fputc(']', stream);
  if (facts && facts->sections[CNTS].size)
    print_json_costs(stream, facts);
  fputc('}', stream);
}
