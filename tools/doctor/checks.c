/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file runs all checks in order; later checks leave out faults that an
 * earlier check has explained. The file also has the checks of the runtime, of
 * placed counters and of counter widths.
 */
#include "findings.h"

#include <inttypes.h>
#include <string.h>

/* ---- the runtime ----
 *
 * These functions check which parts of the runtime are linked. A linked
 * function may still not be called.
 */

static void check_linked_runtime(const struct image_info *facts,
                                 struct findings *to) {
  const struct known_symbol *symbols = facts->symbols;
  if (facts->runtime == NO_RUNTIME_AT_ALL && facts->kind == FULL)
    findings_add(to, WARNING, NO_RUNTIME,
                 "no runtime is linked, so no code reads the records; link "
                 "libbareprof.a, or use bareprof-lean.ld and a debugger");
  else if (facts->runtime == NO_RUNTIME_AT_ALL)
    findings_add(to, NOTE, NO_RUNTIME,
                 "no runtime is linked; fill the counters with 0x%s at boot "
                 "and read them with a debugger, or link libbareprof.a",
                 facts->byte_counters ? "FF" : "00");
  else if (symbols[LPROF_DATA].defined || symbols[LPROF_WRITER].defined ||
           symbols[LPROF_DUMPED].defined)
    findings_add(to, WARNING, OTHER_RUNTIME,
                 "compiler-rt's profile runtime is linked%s; link "
                 "libbareprof.a before this runtime, or alone",
                 facts->runtime == BAREPROF ? " too" : ", not bareprof");
}

static void check_instrumentation_modes(const struct image_info *facts,
                                        struct findings *to) {
  const struct known_symbol *symbols = facts->symbols;
  if (symbols[TLS_SAMPLING].defined)
    findings_add(to, WARNING, SAMPLING,
                 "sampled instrumentation needs thread-local storage; set up "
                 "TLS in start-up code, or compile without sampling");
  if (symbols[BIAS].defined && !symbols[RELOCATE].defined)
    findings_add(to, NOTE, COUNTER_BIAS,
                 "the bias of the counters is undefined until .bss is cleared; "
                 "call bareprof_relocate, or omit -runtime-counter-relocation");
  if (symbols[ORDER_BUFFER].defined)
    findings_add(
        to, WARNING, ORDER_FILE,
        "order-file instrumentation takes 1 MB of RAM, and bareprof cannot "
        "read its data; compile without -forder-file-instrumentation");
}

static void check_runtime(const struct image_info *facts, struct findings *to) {
  const struct known_symbol *symbols = facts->symbols;
  if (!facts->elf->symbol_count)
    return;
  check_linked_runtime(facts, to);
  check_instrumentation_modes(facts, to);
  if (facts->undefined)
    findings_add(to, ERROR, UNDEFINED,
                 "%.40s is called but not linked, so the call goes to address "
                 "0; link the libbareprof.a of this target",
                 facts->undefined);
  if (facts->runtime != BAREPROF)
    return;
  check_init_calls(facts, to);
  if (!symbols[WRITE_IMAGE].defined && !symbols[SEND_FULL].defined &&
      !symbols[SEND_LEAN].defined && !symbols[SERVE].defined)
    findings_add(to, facts->kind == FULL ? WARNING : NOTE, NO_SENDER,
                 "no linked code sends a profile, so only a debugger can read "
                 "the counters; call bareprof_send or bareprof_write");
}

/* ---- placed counters ----
 *
 * These functions check images whose counters the vendor's linker script has
 * placed (`bareprof cc --place=bss`): whether start-up code clears the
 * counters.
 */

/* The names that vendors give to the range that start-up code clears. If the
 * image has none of these names, the checks do not report anything. */
static const char *const cleared_by[][2] = {
    {"__bss_start__", "__bss_end__"}, {"__bss_start", "__bss_end"},
    {"__bss_start", "__bss_end__"},   {"_sbss", "_ebss"},
    {"_bss_start", "_bss_end"},       {"_bss", "_ebss"},
    {"bss_start", "bss_end"},         {"__START_BSS", "__END_BSS"},
    {"__bss_base__", "__bss_end__"},  {"__sbss", "__ebss"},
    {"__bss_start", "_end"},          {"__bss_start__", "_end"}};

enum { PAIRS = sizeof cleared_by / sizeof *cleared_by };

struct cleared_ranges {
  struct {
    uint64_t begin, end;
  } list[PAIRS];
  size_t count;
};

static void find_cleared_ranges(const struct elf *elf,
                                struct cleared_ranges *cleared) {
  cleared->count = 0;
  for (size_t i = 0; i < PAIRS; i++) {
    uint64_t begin, end;
    if (!elf_find_symbol(elf, cleared_by[i][0], &begin) ||
        !elf_find_symbol(elf, cleared_by[i][1], &end) || begin >= end)
      continue;
    cleared->list[cleared->count].begin = begin;
    cleared->list[cleared->count++].end = end;
  }
}

static bool is_cleared_range(const struct cleared_ranges *cleared,
                             const struct image_range *range) {
  for (size_t i = 0; i < cleared->count; i++)
    if (range->address >= cleared->list[i].begin &&
        range->address + range->size <= cleared->list[i].end)
      return true;
  return false;
}

static void check_bss_placed_counters(const struct image_info *facts,
                                      struct findings *to) {
  const struct known_symbol *symbols = facts->symbols;
  struct cleared_ranges cleared;
  if (symbols[SEND_FULL].defined || symbols[SERVE].defined ||
      symbols[WRITE_IMAGE].defined)
    findings_add(
        to, WARNING, PLACED_SENT,
        "the firmware sends a profile, which lacks the counters of "
        "--place=bss; compile with --place=sections, or use run --gdb");
  char orphans[100] = "";
  find_cleared_ranges(facts->elf, &cleared);
  for (size_t i = 0; i < facts->ranges.count; i++) {
    const struct image_range *range = &facts->ranges.list[i];
    struct elf_section section;
    /* For other sections, start-up code copies the contents from flash. */
    if (!find_section_at_address(facts->elf, range->address, 0, &section) ||
        section.type != ELF_SHT_NOBITS || is_cleared_range(&cleared, range))
      continue;
    const char *name = section.name;
    size_t used = strlen(orphans);
    if (strncmp(name, ".bss.bareprof_", 14) == 0) {
      if (!strstr(orphans, name))
        snprintf(orphans + used, sizeof orphans - used, "%s%.20s",
                 used ? " and " : "", name);
    } else if (cleared.count)
      findings_add(to, ERROR, PLACED_NOT_CLEARED,
                   "counters at 0x%" PRIx64
                   ", in %.40s, are not in the RAM that start-up code clears; "
                   "put *(.bss.bareprof_*) into .bss",
                   range->address, name);
  }
  if (*orphans)
    findings_add(to, cleared.count ? ERROR : WARNING, PLACED_ORPHAN,
                 "no pattern of the linker script matches %s, so this memory "
                 "may stay uncleared; add *(.bss.*) after *(.bss)",
                 orphans);
}

/* ---- counter widths ----
 *
 * These functions check objects with 32-bit increments, and bareprof_fold.
 */

/* An interrupt may lose increments, including a carry into the high half. */
static void check_lost_increments(const struct image_info *facts,
                                  struct findings *to) {
  const struct counter_widths *widths = &facts->widths;
  enum severity severity = widths->folded ? ERROR : NOTE;
  const char *fold =
      widths->folded ? "bareprof_fold misses a carry" : "bareprof_fold fails";
  if (widths->plain.objects)
    findings_add(to, severity, COUNTERS_LOOSE,
                 "%s counts without atomics (objects like this: %zu), so %s; "
                 "compile with --counters=32-atomic",
                 widths->plain.source, widths->plain.objects, fold);
  else if (widths->partly.objects)
    findings_add(to, severity, COUNTERS_LOOSE,
                 "%s has 64-bit increments (in all objects: %" PRIu64
                 "), so %s; compile without `bareprof cc`",
                 widths->partly.source, widths->left, fold);
}

static void check_counter_widths(const struct image_info *facts,
                                 struct findings *to) {
  const struct counter_widths *widths = &facts->widths;
  if (widths->other.objects)
    findings_add(to, WARNING, COUNTERS_UNKNOWN,
                 "an object has unknown counters, `%s`; use the bareprof "
                 "version that compiled this object",
                 widths->other.source);
  if (facts->byte_counters)
    return;
  if (widths->narrow.objects && !widths->folded)
    findings_add(to, WARNING, COUNTERS_MODULO,
                 "counts of %zu object%s, such as %s, are modulo 2^32; call "
                 "bareprof_fold if counts may be larger",
                 widths->narrow.objects, widths->narrow.objects == 1 ? "" : "s",
                 widths->narrow.source);
  check_lost_increments(facts, to);
}

/* ---- all checks ---- */

void doctor_run_checks(const struct elf *elf, struct image_info *facts,
                       struct findings *findings) {
  findings->count = 0;
  image_info_collect(facts, elf);
  check_build_id_at_start(facts, findings);
  check_cortex_m_start(facts, findings);
  check_mip(facts, findings);
  check_sampling(facts, findings);
  const char *mixed = counter_width_describe_mixed(elf);
  if (mixed) {
    findings_add(findings, ERROR, COUNTERS_MIXED,
                 "objects have different counters: %s; rebuild all (make "
                 "clean)",
                 mixed);
  } else if (facts->trace_points_error) {
    findings_add(findings, ERROR, RECORDS_MIXED, "trace points: %s",
                 facts->trace_points_error);
  } else if (facts->placed_error) {
    check_records_version(facts, findings);
    if (!findings_have_code(findings, VERSION_WORD))
      findings_add(findings, ERROR, RECORDS_MIXED, "records of --place=bss: %s",
                   facts->placed_error);
  } else if (facts->kind == PLACED) {
    if (!facts->has_trace_points) {
      check_bss_placed_counters(facts, findings);
      check_early_code(facts, findings);
    }
    check_measured_functions(facts, findings);
    check_naked_functions(facts, findings);
  } else if (check_sections(facts, findings)) {
    check_section_places(facts, findings);
    check_section_bounds(facts, findings);
    check_records_version(facts, findings);
    check_value_profiling(facts, findings);
    check_measured_functions(facts, findings);
    check_naked_functions(facts, findings);
    check_parts_for_host(facts, findings);
    check_runtime(facts, findings);
    check_counter_widths(facts, findings);
    check_stack_room(facts, findings);
  }
  findings_sort(findings);
}

void doctor_check_and_report(const char *name, const struct elf *elf) {
  static struct image_info facts;
  static struct findings findings;
  doctor_run_checks(elf, &facts, &findings);
  for (size_t k = 0; k < findings.count; k++)
    if (findings.list[k].severity != NOTE)
      report(name, "%s", findings.list[k].text);
  image_info_free(&facts);
}
