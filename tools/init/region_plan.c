/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decides where the counters and function data go, from a script that was read
 * (linker_script.h), and writes regions.ld.
 */
#include <inttypes.h>
#include <string.h>

#include "../base/error.h"
#include "linker_script.h"

/* Symbols for a heap's start, and (from BEGINS on) for its end. An allocator
 * that uses a start symbol other than the first three stops at the end symbol.
 */
static const char *const heap_names[HEAP_NAMES] = {
    "end",          "_end",           "__end__",
    "__heap_start", "__heap_start__", "_heap_start",
    "__HeapBase",   "__heap_base",    "__heap_end",
    "__heap_end__", "_heap_end",      "__HeapLimit",
    "__heap_limit"};
enum { NOT_SURE = 3, BEGINS = 8 };

static bool is_same_region(const struct linker_script *script, struct bytes a,
                           struct bytes b) {
  const struct ld_region *x = script_find_region(script, a),
                         *y = script_find_region(script, b);
  return x && y && x->origin == y->origin;
}

/* bareprof needs two regions. Each element has the words of the questions about
 * one region. */
static const struct region_purpose {
  const char *option, *section, *content;
} rom_side = {"rom", ".text", "records"},
  ram_side = {"ram", ".bss", "counters"};

/* Writes the question to script->said, with all regions as possible answers.
 * Returns script->said. */
static const char *format_region_error(struct linker_script *script,
                                       const struct region_purpose *side,
                                       const char *what) {
  size_t room = sizeof script->said,
         used = (size_t)snprintf(
             script->said, room,
             "%s %s; choose the region with --%s REGION for the %s:", what,
             side->section, side->option, side->content);
  for (size_t i = 0; i < script->region_count && used < room; i++)
    used += (size_t)snprintf(script->said + used, room - used, "%s %.*s",
                             i ? "," : "", (int)script->regions[i].name.size,
                             (const char *)script->regions[i].name.data);
  return script->said;
}

/* Finds one of the two regions: the user's choice (word), or the region that
 * has .bss or .text of all objects. */
static const char *choose_region(struct linker_script *script,
                                 const struct region_purpose *side,
                                 const char *word, struct bytes *region) {
  bool ram = side == &ram_side;
  if (word) {
    *region = bytes_of_text(word);
    return script_find_region(script, *region)
               ? NULL
               : format_region_error(
                     script, side,
                     "the script has no region with this name for");
  }
  for (size_t i = 0; i < script->section_count; i++) {
    const struct ld_section *section = &script->sections[i];
    struct bytes of = !ram && section->load_region.size ? section->load_region
                                                        : section->region;
    if (!(ram ? section->has_bss : section->has_text) ||
        !script_find_region(script, of))
      continue;
    if (region->size && !is_same_region(script, *region, of))
      return format_region_error(script, side, "several regions have");
    *region = of;
  }
  if (!region->size && script->region_count == 1)
    *region = script->regions[0].name;
  return region->size ? NULL
                      : format_region_error(script, side, "no region has");
}

/* Returns the size of a new region within a region: at most a quarter of it
 * (but not below 256 bytes), and at most `most`. */
static uint64_t limit_region_size(const struct linker_script *script,
                                  struct bytes region, uint64_t most) {
  uint64_t origin, length;
  if (script_region_extent(script, script_find_region(script, region), &origin,
                           &length))
    while (most > length / 4 && most > 256)
      most /= 2;
  return most;
}

/* Plans new regions: below a stack at the end of RAM; at the end of ROM, if the
 * script loads data to a fixed address after the code. */
static void plan_own_regions(struct init_plan *plan,
                             const struct linker_script *script) {
  for (size_t i = 0; i < script->section_count; i++) {
    const struct ld_section *section = &script->sections[i];
    if (!is_same_region(script, section->region, plan->ram))
      continue;
    if (section->loads_at)
      plan->rom_size = limit_region_size(script, plan->rom, 64 << 10);
    if (section->stack) {
      plan->ram_size = limit_region_size(script, plan->ram, 8 << 10);
      if (plan->stack < plan->ram_size)
        plan->stack = plan->ram_size;
      if (plan->stack < section->stack)
        plan->stack = (section->stack + 1022) & ~UINT64_C(1023);
    }
  }
}

/* Returns where in the RAM of the counters a heap symbol is. */
static enum heap_place find_heap_place(const struct init_plan *plan,
                                       const struct linker_script *script,
                                       const char *name) {
  const struct ld_symbol *symbol = NULL,
                         *next =
                             script_find_symbol(script, bytes_of_text(name));
  /* With `end = __end__', `end' has the place of __end__. */
  for (int i = 0; next && i < 8; i++) {
    symbol = next;
    next = symbol->is_name
               ? script_find_symbol(script, script->tokens[symbol->value])
               : NULL;
  }
  if (!symbol)
    return HEAP_NOWHERE;
  if (script_distance_to_end(script, plan->ram, symbol->value))
    return HEAP_AT_END;
  if (!symbol->section)
    return HEAP_NOWHERE;
  const struct ld_section *section = &script->sections[symbol->section - 1];
  if (section->region.size &&
      !is_same_region(script, section->region, plan->ram))
    return HEAP_NOWHERE;
  return section->stack ? HEAP_AT_END : HEAP_AFTER_DATA;
}

/* Returns the first of these heap symbols that is after the data, or NULL. */
static const char *find_heap_symbol(const struct init_plan *plan, unsigned from,
                                    unsigned to) {
  for (unsigned i = from; i < to; i++)
    if (plan->places[i] == HEAP_AFTER_DATA)
      return heap_names[i];
  return NULL;
}

static const char *decide_heap_places(struct init_plan *plan,
                                      struct linker_script *script) {
  for (unsigned i = 0; i < HEAP_NAMES; i++)
    plan->places[i] = find_heap_place(plan, script, heap_names[i]);
  const char *begin = find_heap_symbol(plan, 0, NOT_SURE),
             *stop = find_heap_symbol(plan, BEGINS, HEAP_NAMES);
  plan->has_heap = plan->ram_size || find_heap_symbol(plan, 0, BEGINS);
  if (!begin || !stop || plan->heap || plan->ram_size)
    return NULL;
  snprintf(script->said, sizeof script->said,
           "the script does not show whether the heap from `%s' stops at `%s'; "
           "use --heap limited if your _sbrk stops there, or --heap open if "
           "your _sbrk does not stop there (newlib's does not)",
           begin, stop);
  return script->said;
}

/* Moves the heap to after the counters. The heap's end symbols keep their
 * distance to the last start symbol; an earlier start symbol may be before an
 * alignment. */
static void print_heap_symbols(FILE *out, const struct init_plan *plan) {
  const char *base = NULL;
  bool asked = find_heap_symbol(plan, 0, NOT_SURE),
       bounded = find_heap_symbol(plan, BEGINS, HEAP_NAMES);
  if (!plan->ram_size && bounded && plan->heap == HEAP_LIMITED && asked)
    fputs("__bareprof_end_checked = 1; /* The heap ends before that. */\n",
          out);
  for (unsigned i = 0; i < BEGINS; i++)
    if (plan->places[i] == HEAP_AFTER_DATA)
      base = heap_names[i];
  bool moves = !plan->ram_size && base &&
               (!bounded || (asked && plan->heap != HEAP_LIMITED));
  for (unsigned i = BEGINS; i < HEAP_NAMES; i++)
    if (plan->ram_size && plan->places[i] == HEAP_AT_END)
      fprintf(out, "%s = __start___llvm_prf_cnts;\n", heap_names[i]);
    else if (moves && plan->places[i] == HEAP_AFTER_DATA)
      fprintf(out, "%s = __bareprof_end + (%s - %s);\n", heap_names[i],
              heap_names[i], base);
  for (unsigned i = 0; i < BEGINS && moves; i++)
    if (plan->places[i] == HEAP_AFTER_DATA)
      fprintf(out, "%s = __bareprof_end;\n", heap_names[i]);
}

const char *init_decide_plan(struct init_plan *plan,
                             struct linker_script *script) {
  if (script->has_ours)
    return "the script includes a bareprof script already; link with this "
           "script as it is";
  if (!script->region_count)
    return "the script has no MEMORY; put one line in front of a copy, such as "
           "`MEMORY { RAM (rwx) : ORIGIN = 0x80000, LENGTH = 1M }', with your "
           "board's numbers; or use `bareprof cc --coverage', which needs no "
           "script";
  const char *error =
      choose_region(script, &ram_side, plan->ram_name, &plan->ram);
  if (!error)
    error = choose_region(script, &rom_side, plan->rom_name, &plan->rom);
  if (error)
    return error;
  plan_own_regions(plan, script);
  return decide_heap_places(plan, script);
}

/* Writes an alias of a region; or, if size is not 0, a new region of this size
 * that starts `before` bytes before the region's end. */
static void print_region_or_alias(FILE *out, const char *name,
                                  struct bytes region, const char *letters,
                                  uint64_t before, uint64_t size) {
  const char *of = (const char *)region.data;
  int length = (int)region.size;
  if (size)
    fprintf(
        out,
        "MEMORY {\n  %s %s : ORIGIN = ORIGIN(%.*s) + LENGTH(%.*s) - %" PRIu64
        ", LENGTH = %" PRIu64 "\n}\n",
        name, letters, length, of, length, of, before, size);
  else
    fprintf(out, "REGION_ALIAS(\"%s\", %.*s)\n", name, length, of);
}

void init_print_regions(FILE *out, const struct init_plan *plan) {
  if (plan->ram_size)
    fprintf(out, "/* Below a stack of up to %" PRIu64 " bytes. */\n",
            plan->stack);
  print_region_or_alias(out, "BAREPROF_RAM", plan->ram, "(rw)",
                        plan->stack + plan->ram_size, plan->ram_size);
  if (plan->rom_size)
    fputs("/* The script loads data behind code, at an address. */\n", out);
  print_region_or_alias(out, "BAREPROF_ROM", plan->rom, "(r)", plan->rom_size,
                        plan->rom_size);
  print_heap_symbols(out, plan);
}
