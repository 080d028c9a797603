/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decides where the counters and function data go, from a script that was read
 * (script.h), and writes regions.ld.
 */
#include <inttypes.h>
#include <string.h>

#include "../base/error.h"
#include "script.h"

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

static bool is_in(const struct script *script, struct bytes a, struct bytes b) {
  const struct ld_region *x = script_region(script, a),
                         *y = script_region(script, b);
  return x && y && x->origin == y->origin;
}

/* bareprof needs two regions. A side has the words of the questions about one
 * region. */
static const struct side {
  const char *option, *section, *content;
} rom_side = {"rom", ".text", "records"},
  ram_side = {"ram", ".bss", "counters"};

/* Writes the question to script->said, with all regions as possible answers.
 * Returns script->said. */
static const char *ask(struct script *script, const struct side *side,
                       const char *what) {
  size_t room = sizeof script->said,
         used = (size_t)snprintf(
             script->said, room, "%s %s: use --%s REGION for the %s; one of",
             what, side->section, side->option, side->content);
  for (size_t i = 0; i < script->region_count && used < room; i++)
    used += (size_t)snprintf(script->said + used, room - used, "%s %.*s",
                             i ? "," : "", (int)script->regions[i].name.size,
                             (const char *)script->regions[i].name.data);
  return script->said;
}

/* Finds one of the two regions: the user's choice (word), or the region that
 * has .bss or .text of all objects. */
static const char *decide(struct script *script, const struct side *side,
                          const char *word, struct bytes *region) {
  bool ram = side == &ram_side;
  if (word) {
    *region = bytes_text(word);
    return script_region(script, *region)
               ? NULL
               : ask(script, side, "the script has no such region for");
  }
  for (size_t i = 0; i < script->section_count; i++) {
    const struct ld_section *section = &script->sections[i];
    struct bytes of = !ram && section->load_region.size ? section->load_region
                                                        : section->region;
    if (!(ram ? section->has_bss : section->has_text) ||
        !script_region(script, of))
      continue;
    if (region->size && !is_in(script, *region, of))
      return ask(script, side, "several regions have");
    *region = of;
  }
  if (!region->size && script->region_count == 1)
    *region = script->regions[0].name;
  return region->size ? NULL : ask(script, side, "no region has");
}

/* Returns the size of a new region within a region: at most a quarter of it
 * (but not below 256 bytes), and at most `most`. */
static uint64_t part(const struct script *script, struct bytes region,
                     uint64_t most) {
  uint64_t origin, length;
  if (script_extent(script, script_region(script, region), &origin, &length))
    while (most > length / 4 && most > 256)
      most /= 2;
  return most;
}

/* Plans new regions: below a stack at the end of RAM; at the end of ROM, if the
 * script loads data to a fixed address after the code. */
static void find_own(struct init_plan *plan, const struct script *script) {
  for (size_t i = 0; i < script->section_count; i++) {
    const struct ld_section *section = &script->sections[i];
    if (!is_in(script, section->region, plan->ram))
      continue;
    if (section->loads_at)
      plan->rom_size = part(script, plan->rom, 64 << 10);
    if (section->stack) {
      plan->ram_size = part(script, plan->ram, 8 << 10);
      if (plan->stack < plan->ram_size)
        plan->stack = plan->ram_size;
      if (plan->stack < section->stack)
        plan->stack = (section->stack + 1022) & ~UINT64_C(1023);
    }
  }
}

/* Returns where in the RAM of the counters a heap symbol is. */
static enum heap_place place_of(const struct init_plan *plan,
                                const struct script *script, const char *name) {
  const struct ld_symbol *symbol = NULL,
                         *next = script_symbol(script, bytes_text(name));
  /* With `end = __end__', `end' has the place of __end__. */
  for (int i = 0; next && i < 8; i++) {
    symbol = next;
    next = symbol->is_name
               ? script_symbol(script, script->tokens[symbol->value])
               : NULL;
  }
  if (!symbol)
    return HEAP_NOWHERE;
  if (script_to_end(script, plan->ram, symbol->value))
    return HEAP_AT_END;
  if (!symbol->section)
    return HEAP_NOWHERE;
  const struct ld_section *section = &script->sections[symbol->section - 1];
  if (section->region.size && !is_in(script, section->region, plan->ram))
    return HEAP_NOWHERE;
  return section->stack ? HEAP_AT_END : HEAP_BEHIND;
}

/* Returns the first of these heap symbols that is after the data, or NULL. */
static const char *first_of(const struct init_plan *plan, unsigned from,
                            unsigned to) {
  for (unsigned i = from; i < to; i++)
    if (plan->places[i] == HEAP_BEHIND)
      return heap_names[i];
  return NULL;
}

static const char *decide_heap(struct init_plan *plan, struct script *script) {
  for (unsigned i = 0; i < HEAP_NAMES; i++)
    plan->places[i] = place_of(plan, script, heap_names[i]);
  const char *begin = first_of(plan, 0, NOT_SURE),
             *stop = first_of(plan, BEGINS, HEAP_NAMES);
  plan->has_heap = plan->ram_size || first_of(plan, 0, BEGINS);
  if (!begin || !stop || plan->heap || plan->ram_size)
    return NULL;
  snprintf(
      script->said, sizeof script->said,
      "it is unknown whether the heap from `%s' stops at `%s'; use --heap "
      "limited if your _sbrk stops there, or --heap open, as newlib's does",
      begin, stop);
  return script->said;
}

/* Moves the heap to after the counters. The heap's end symbols keep their
 * distance to the last start symbol; an earlier start symbol may be before an
 * alignment. */
static void write_heap(FILE *out, const struct init_plan *plan) {
  const char *base = NULL;
  bool asked = first_of(plan, 0, NOT_SURE),
       bounded = first_of(plan, BEGINS, HEAP_NAMES);
  if (!plan->ram_size && bounded && plan->heap == HEAP_LIMITED && asked)
    fputs("__bareprof_end_checked = 1; /* The heap ends before that. */\n",
          out);
  for (unsigned i = 0; i < BEGINS; i++)
    if (plan->places[i] == HEAP_BEHIND)
      base = heap_names[i];
  bool moves = !plan->ram_size && base &&
               (!bounded || (asked && plan->heap != HEAP_LIMITED));
  for (unsigned i = BEGINS; i < HEAP_NAMES; i++)
    if (plan->ram_size && plan->places[i] == HEAP_AT_END)
      fprintf(out, "%s = __start___llvm_prf_cnts;\n", heap_names[i]);
    else if (moves && plan->places[i] == HEAP_BEHIND)
      fprintf(out, "%s = __bareprof_end + (%s - %s);\n", heap_names[i],
              heap_names[i], base);
  for (unsigned i = 0; i < BEGINS && moves; i++)
    if (plan->places[i] == HEAP_BEHIND)
      fprintf(out, "%s = __bareprof_end;\n", heap_names[i]);
}

const char *init_decide(struct init_plan *plan, struct script *script) {
  if (script->has_ours)
    return "the script includes a bareprof script already; link with this "
           "script as it is";
  if (!script->region_count)
    return "the script has no MEMORY; put one line in front of a copy, such as "
           "`MEMORY { RAM (rwx) : ORIGIN = 0x80000, LENGTH = 1M }', with your "
           "board's numbers; or use `bareprof cc --coverage', which needs no "
           "script";
  const char *error = decide(script, &ram_side, plan->ram_name, &plan->ram);
  if (!error)
    error = decide(script, &rom_side, plan->rom_name, &plan->rom);
  if (error)
    return error;
  find_own(plan, script);
  return decide_heap(plan, script);
}

/* Writes an alias of a region; or, if size is not 0, a new region of this size
 * that starts `before` bytes before the region's end. */
static void write_region(FILE *out, const char *name, struct bytes region,
                         const char *letters, uint64_t before, uint64_t size) {
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

void init_regions(FILE *out, const struct init_plan *plan) {
  if (plan->ram_size)
    fprintf(out, "/* Below a stack of up to %" PRIu64 " bytes. */\n",
            plan->stack);
  write_region(out, "BAREPROF_RAM", plan->ram, "(rw)",
               plan->stack + plan->ram_size, plan->ram_size);
  if (plan->rom_size)
    fputs("/* The script loads data behind code, at an address. */\n", out);
  write_region(out, "BAREPROF_ROM", plan->rom, "(r)", plan->rom_size,
               plan->rom_size);
  write_heap(out, plan);
}
