/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file checks whether the firmware calls bareprof_init exactly once, and
 * before any code counts. A late or second call clears counts. The cleared
 * counts are missing from every report, and no dump shows that.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/need.h"
#include "../code/code.h"
#include "image_info.h"
#include "findings.h"

/* ---- calls, found with one walk over the code of each function ---- */

/* The call graph has the calls that the code shows: direct calls and jumps to
 * other functions, but not calls through pointers. A question is a mark on some
 * functions, which spread_routine_marks passes to callers or callees. */

struct routine {
  const char *name;
  uint64_t address, end; /* address of the function without the Thumb bit; end
                            of the function's code */
  uint64_t clears;       /* address of the last instruction of the last loop
                            that stores one value; 0 if no such loop exists */
  bool marked;
};

struct code_call {
  uint32_t from, to; /* indexes of the caller and the callee in the list */
  uint64_t address;
};

struct call_graph {
  struct routine *list; /* functions by address, one for each address */
  size_t count;
  const struct code_call *calls;
  size_t call_count;
  struct buffer memory; /* memory that holds the calls */
};

enum { SIZE_MOST = 1 << 20, CALLS_MOST = 1 << 28, CODE_MOST = 1 << 28 };

ORDER_BY(by_address, struct routine, x->address, ~x->end);

/* Lists the functions. A function written in assembly may not have a size. Then
 * it ends where the next function begins or its section ends. */
static void list_routines(struct call_graph *calls,
                          const struct elf_code *code) {
  const struct elf *elf = code->elf;
  size_t count = 0;
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t at = code_clear_thumb_bit(code, symbol.value);
    if (symbol.type == ELF_FUNCTION &&
        elf_section_has_code(elf, symbol.section) && symbol.size < SIZE_MOST)
      calls->list[count++] =
          (struct routine){symbol.name, at, at + symbol.size, 0, false};
  }
  sort_array(calls->list, count, sizeof *calls->list, by_address);
  for (size_t i = 0; i < count; i++)
    if (!calls->count ||
        calls->list[calls->count - 1].address != calls->list[i].address)
      calls->list[calls->count++] = calls->list[i];
  for (size_t i = 0; i < calls->count; i++) {
    struct routine *routine = &calls->list[i];
    if (routine->end != routine->address)
      continue;
    struct elf_section section;
    uint64_t next =
        find_section_at_address(elf, routine->address, ELF_CODE, &section)
            ? section.address + section.size
            : 0;
    if (i + 1 < calls->count && routine[1].address < next)
      next = routine[1].address;
    if (next - routine->end < SIZE_MOST)
      routine->end = next;
  }
}

/* Returns the index of the function at this address, or the number of functions
 * if there is none. */
static size_t find_routine(const struct call_graph *calls, uint64_t address) {
  size_t at = search_from(calls->list, calls->count, address, address);
  return at < calls->count && calls->list[at].address == address ? at
                                                                 : calls->count;
}

/* Records the end of a loop that only stores, such as the loop that clears
 * .bss. `last` has the last instruction that stores, and the last instruction
 * that loads or calls. */
static void note_clearing_loop(struct routine *routine,
                               const struct code_walk *walk, uint64_t last[2]) {
  const struct instruction *instruction = &walk->instruction;
  if (instruction->memory == MEMORY_STORED)
    last[0] = walk->address;
  else if (instruction->memory == MEMORY_LOADED ||
           instruction->kind == INSTRUCTION_CALL)
    last[1] = walk->address;
  else if (instruction->direct && instruction->target < walk->address &&
           instruction->target >= routine->address &&
           last[0] >= instruction->target && last[1] < instruction->target)
    routine->clears = walk->address;
}

static void collect_routine_calls(struct call_graph *calls,
                                  const struct elf_code *code, uint32_t from) {
  struct routine *routine = &calls->list[from];
  struct code_walk walk;
  uint64_t last[2] = {0, 0};
  for (code_walk_begin(&walk, code, routine->address, routine->end);
       code_walk_next(&walk);) {
    struct instruction instruction = walk.instruction;
    code_complete_target(code, &instruction, walk.address);
    note_clearing_loop(routine, &walk, last);
    size_t to = instruction.direct ? find_routine(calls, instruction.target)
                                   : calls->count;
    struct code_call call = {from, (uint32_t)to, walk.address};
    if (to != calls->count && to != from)
      need_append(&calls->memory, &call, sizeof call);
  }
}

/* Builds the call graph. Returns false if the code cannot be read. The caller
 * calls free_call_graph in both cases. */
static bool build_call_graph(struct call_graph *calls,
                             const struct image_info *facts) {
  const struct elf *elf = facts->elf;
  struct elf_code code;
  *calls = (struct call_graph){.memory.limit = CALLS_MOST};
  calls->list =
      need_memory(calloc((size_t)elf->symbol_count + 1, sizeof *calls->list));
  bool known = !code_open(&code, elf) && elf->symbol_count < UINT32_MAX;
  if (known)
    list_routines(calls, &code);
  /* In a damaged file, many functions may overlap: reading takes hours. */
  uint64_t size = 0;
  for (size_t i = 0; i < calls->count; i++)
    size += calls->list[i].end - calls->list[i].address;
  known = known && size <= CODE_MOST;
  calls->count = known ? calls->count : 0;
  for (uint32_t i = 0; known && i < calls->count; i++)
    collect_routine_calls(calls, &code, i);
  code_close(&code);
  calls->calls = (const struct code_call *)(const void *)calls->memory.data;
  calls->call_count = calls->memory.size / sizeof *calls->calls;
  return known;
}

static void free_call_graph(struct call_graph *calls) {
  free(calls->list);
  buffer_free(&calls->memory);
}

static void clear_routine_marks(struct call_graph *calls) {
  for (size_t i = 0; i < calls->count; i++)
    calls->list[i].marked = false;
}

/* If `up` is set, marks all direct and indirect callers of marked functions,
 * else all their direct and indirect callees. */
static void spread_routine_marks(struct call_graph *calls, bool up) {
  bool more = true;
  while (more) {
    more = false;
    for (size_t i = 0; i < calls->call_count; i++) {
      struct routine *from = &calls->list[calls->calls[i].from];
      struct routine *to = &calls->list[calls->calls[i].to];
      struct routine *reached = up ? from : to;
      if ((up ? to : from)->marked && !reached->marked)
        more = reached->marked = true;
    }
  }
}

/* ---- before .bss is cleared ---- */

/* Finds the last instruction of a function at which .bss may still be
 * uncleared: the end of a loop in the function that clears memory, or a call of
 * a function with such a loop. If there is none, finds the last instruction
 * before the call of main. Returns true if a loop or such a call comes before
 * the call of main. */
static bool find_bss_clearing_end(const struct call_graph *calls, size_t from,
                                  uint64_t *last) {
  uint64_t main_at = UINT64_MAX, clears = calls->list[from].clears;
  for (size_t i = 0; i < calls->call_count; i++) {
    const struct code_call *call = &calls->calls[i];
    const struct routine *to = &calls->list[call->to];
    if (call->from != from || call->address > main_at)
      continue;
    if (strcmp(to->name, "main") == 0)
      main_at = call->address;
    else if (to->clears && call->address > clears)
      clears = call->address;
  }
  bool known = clears && clears < main_at;
  *last = known ? clears : main_at - 1;
  return known;
}

/* Returns the address where the image starts. A Cortex-M starts at its reset
 * vector. The entry point of the ELF may be another function, because without
 * ENTRY in the script, the first function is the entry point.
 */
static uint64_t entry_point_address(const struct elf *elf) {
  uint64_t table, entry = elf->entry;
  if (doctor_find_vector_table(elf, &table))
    entry = load32(elf_bytes_at(elf, table, 8) + 4, elf->big);
  return elf->machine == ELF_ARM ? entry & ~UINT64_C(1) : entry;
}

void doctor_walk_early_code(const struct elf *elf, early_visitor *lost,
                            void *context) {
  const struct image_info facts = {.elf = elf};
  struct call_graph calls;
  size_t first = 0;
  bool known = build_call_graph(&calls, &facts);
  if (known)
    first = find_routine(&calls, entry_point_address(elf));
  if (known && first < calls.count) {
    lost(context, calls.list[first].name, true);
    calls.list[first].marked = true;
  }
  for (bool more = known; more;) {
    uint64_t last = 0;
    size_t from = calls.count;
    bool certain = false;
    more = false;
    for (size_t i = 0; i < calls.call_count; i++) {
      const struct code_call *call = &calls.calls[i];
      struct routine *to = &calls.list[call->to];
      if (!calls.list[call->from].marked || to->marked)
        continue;
      if (from != call->from)
        certain = find_bss_clearing_end(&calls, from = call->from, &last);
      if (call->address <= last && lost(context, to->name, certain))
        more = to->marked = true;
    }
  }
  free_call_graph(&calls);
}

struct early_code_search {
  const struct image_info *facts;
  const char *entry, *measured; /* name of the entry function; name of the first
                                   instrumented function */
};

static bool note_early_function(void *context, const char *name, bool certain) {
  struct early_code_search *early = context;
  early->entry = early->entry ? early->entry : name;
  if (certain && !early->measured && is_instrumented_name(early->facts, name) &&
      is_unique_function_name(early->facts, name))
    early->measured = name;
  return certain && !early->measured;
}

void check_early_code(const struct image_info *facts, struct findings *to) {
  struct early_code_search early = {.facts = facts};
  doctor_walk_early_code(facts->elf, note_early_function, &early);
  if (early.measured)
    findings_add(
        to, WARNING, COUNTED_EARLY,
        "%.40s runs before %.40s clears .bss, so counts up to this point are "
        "lost; compile these sources with bareprof cc --ignore REGEX",
        early.measured, early.measured == early.entry ? "it" : early.entry);
}

/* ---- preinit ---- */

struct reference_search {
  bool found;
  uint64_t except, half; /* address that does not count; address of the lower
                            half of a word */
};

static void note_reference(void *context, uint64_t address,
                           const struct referrer *from) {
  struct reference_search *may = context;
  (void)address;
  may->found |= from->address != may->except && from->address != may->half;
}

/* Returns whether anything may refer to an address from `first` to `last`. The
 * word at `except` does not count. Also returns true if the code cannot be
 * read. */
static bool may_have_referrer(const struct image_info *facts, uint64_t first,
                              uint64_t last, uint64_t except) {
  bool late = facts->elf->wide && facts->elf->big;
  struct reference_search may = {false, except, late ? except + 4 : except};
  const struct reference_query wanted = {first, last, &may, note_reference};
  return !references_visit(facts->elf, &wanted) || may.found;
}

/* Returns whether anything except bareprof_preinit calls bareprof_init or takes
 * its address. */
static bool is_init_called(const struct image_info *facts) {
  uint64_t init = facts->symbols[INIT].value & ~UINT64_C(1);
  return may_have_referrer(facts, init, init + 1,
                           facts->symbols[PREINIT].value);
}

static bool is_inside_symbol(const struct elf *elf, uint64_t address) {
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.section && address - symbol.value < symbol.size)
      return true;
  }
  return false;
}

/* Returns whether start-up code runs the array: it then refers to the beginning
 * of the array. gcc's code may refer to the previous word and increment the
 * address first. */
static bool is_preinit_walked(const struct image_info *facts, uint64_t first) {
  uint64_t before = first - (facts->elf->wide ? 8 : 4);
  if (!is_inside_symbol(facts->elf, before))
    first = before;
  return may_have_referrer(facts, first, facts->symbols[PREINIT].value,
                           UINT64_MAX);
}

/* Returns whether the array is in RAM that no loader fills. This happens if the
 * script does not place the array. */
static bool is_preinit_unloaded(const struct image_info *facts,
                                uint64_t entry) {
  struct elf_section section;
  return find_section_at_address(facts->elf, entry, 0, &section) &&
         section_load_address(facts, &section) == section.address &&
         is_constant_section_in_ram(facts, &section);
}

/* Returns whether start-up code does not run the entry. Adds a finding, unless
 * `to` is NULL. */
static bool report_preinit_fault(const struct image_info *facts, bool bounded,
                                 struct findings *to) {
  uint64_t first = facts->symbols[PREINIT_START].value;
  uint64_t last = facts->symbols[PREINIT_END].value;
  uint64_t entry = facts->symbols[PREINIT].value;
  if (bounded && entry - first >= last - first)
    findings_add(to, ERROR, PREINIT_NOT_WALKED,
                 "bareprof_preinit is not between __preinit_array_start and "
                 "_end; place KEEP(*(.preinit_array)) between them");
  else if (!is_preinit_walked(facts, bounded ? first : entry))
    findings_add(
        to, ERROR, PREINIT_NOT_WALKED,
        "no code walks .preinit_array, so dumps fail; %s",
        bounded ? "walk .preinit_array in start-up code, or call bareprof_init "
                  "first"
                : "bound and walk .preinit_array, or call bareprof_init first");
  else if (is_preinit_unloaded(facts, entry))
    findings_add(to, ERROR, PREINIT_NOT_WALKED,
                 ".preinit_array is in RAM, where nothing loads it; place "
                 "KEEP(*(.preinit_array)) in flash");
  else
    return false;
  return true;
}

/* ---- callers of bareprof_init ---- */

/* Returns whether the function is bareprof_init or a veneer of bareprof_init. A
 * veneer is a jump that the linker inserts, and its name contains
 * bareprof_init. */
static bool is_init_routine(const struct routine *routine) {
  return strstr(routine->name, "bareprof_init") != NULL;
}

/* Returns the name of the first marked function that is measured, or NULL. */
static const char *find_marked_measured_name(const struct image_info *facts,
                                             const struct call_graph *calls) {
  for (size_t i = 0; i < calls->count; i++) {
    const struct routine *routine = &calls->list[i];
    if (routine->marked && is_instrumented_name(facts, routine->name) &&
        is_unique_function_name(facts, routine->name))
      return routine->name;
  }
  return NULL;
}

/* Marks bareprof_init and its direct callers. Stores up to two callers. A
 * function that calls bareprof_init twice counts as two callers. */
static void mark_init_callers(struct call_graph *calls,
                              const char *callers[2]) {
  callers[0] = callers[1] = NULL;
  clear_routine_marks(calls);
  for (size_t i = 0; i < calls->count; i++)
    calls->list[i].marked = is_init_routine(&calls->list[i]);
  for (size_t i = 0; i < calls->call_count; i++) {
    const struct routine *to = &calls->list[calls->calls[i].to];
    struct routine *from = &calls->list[calls->calls[i].from];
    if (!is_init_routine(to) || is_init_routine(from))
      continue;
    from->marked = true;
    if (!callers[0] || !callers[1])
      callers[callers[0] ? 1 : 0] = from->name;
  }
}

/* Returns the first function that `caller` calls before bareprof_init and that
 * is measured or reaches measured code; NULL: none. The order is the order of
 * the code; a loop may run in another order. */
static const char *find_measured_before_init(const struct image_info *facts,
                                             struct call_graph *calls,
                                             const char *caller) {
  const char *found = NULL;
  clear_routine_marks(calls);
  for (size_t i = 0; i < calls->count; i++)
    calls->list[i].marked = is_instrumented_name(facts, calls->list[i].name) &&
                            is_unique_function_name(facts, calls->list[i].name);
  spread_routine_marks(calls, true);
  for (size_t i = 0; i < calls->call_count; i++) {
    const struct routine *to = &calls->list[calls->calls[i].to];
    if (calls->list[calls->calls[i].from].name != caller)
      continue;
    if (is_init_routine(to))
      return found;
    if (!found && to->marked)
      found = to->name;
  }
  return NULL;
}

/* Returns a measured function among the constructors and callees, or NULL.
 */
static const char *find_measured_constructor(const struct image_info *facts,
                                             struct call_graph *calls) {
  struct elf_section array;
  size_t word = facts->elf->wide ? 8 : 4;
  clear_routine_marks(calls);
  if (!elf_find_section(facts->elf, ".init_array", &array) || !array.bytes)
    return NULL;
  for (uint64_t i = 0; i + word <= array.size; i += word) {
    uint64_t address = word == 8 ? load64(array.bytes + i, facts->elf->big)
                                 : load32(array.bytes + i, facts->elf->big);
    if (facts->elf->machine == ELF_ARM)
      address &= ~UINT64_C(1);
    size_t at = find_routine(calls, address);
    if (at < calls->count)
      calls->list[at].marked = true;
  }
  spread_routine_marks(calls, false);
  return find_marked_measured_name(facts, calls);
}

/* Checks the constructors, which run before main. A call from main or its
 * callees would be too late for them. */
static void check_constructors(const struct image_info *facts,
                               struct call_graph *calls, struct findings *to) {
  uint64_t main_at = facts->symbols[MAIN].value;
  if (facts->elf->machine == ELF_ARM)
    main_at &= ~UINT64_C(1);
  size_t main_index = find_routine(calls, main_at);
  spread_routine_marks(calls, true);
  if (!facts->symbols[MAIN].defined || main_index == calls->count ||
      !calls->list[main_index].marked)
    return;
  const char *name = find_measured_constructor(facts, calls);
  if (name)
    findings_add(to, WARNING, INIT_BY_HAND,
                 "%.40s, a constructor, runs before main calls bareprof_init, "
                 "so its counts are lost; link with -u bareprof_preinit",
                 name);
}

const char *find_measured_callee(const struct image_info *facts,
                                 bool (*begins)(const struct image_info *facts,
                                                const char *name)) {
  struct call_graph calls;
  const char *name = NULL;
  bool known = build_call_graph(&calls, facts);
  for (size_t i = 0; known && i < calls.count; i++)
    calls.list[i].marked = begins(facts, calls.list[i].name);
  for (size_t i = 0; known && i < calls.call_count && !name; i++) {
    const char *called = calls.list[calls.calls[i].to].name;
    if (calls.list[calls.calls[i].from].marked &&
        is_instrumented_name(facts, called) &&
        is_unique_function_name(facts, called))
      name = called;
  }
  free_call_graph(&calls);
  return name;
}

static void check_late_init(const struct image_info *facts,
                            struct call_graph *calls, const char *caller,
                            struct findings *to) {
  const char *name = find_measured_before_init(facts, calls, caller);
  if (name)
    findings_add(to, WARNING, INIT_LATE,
                 "%.40s calls %.40s before bareprof_init, so counts are lost; "
                 "call bareprof_init first, or link with -u bareprof_preinit",
                 caller, name);
}

/* Checks the hooks that newlib's start-up code calls before .preinit_array. */
static void check_init_hooks(const struct image_info *facts,
                             struct call_graph *calls, struct findings *to) {
  const char *hook = NULL;
  clear_routine_marks(calls);
  for (size_t i = 0; i < calls->count; i++)
    if (strcmp(calls->list[i].name, "hardware_init_hook") == 0 ||
        strcmp(calls->list[i].name, "software_init_hook") == 0) {
      hook = calls->list[i].name;
      calls->list[i].marked = true;
    }
  spread_routine_marks(calls, false);
  const char *name = find_marked_measured_name(facts, calls);
  if (hook && name)
    findings_add(to, WARNING, INIT_LATE,
                 "counts of %.40s are lost, because %.40s runs before "
                 "bareprof_init; call bareprof_init in the reset handler",
                 name, hook);
}

/* Checks that bareprof_init runs once, and before measured code. `entry`: it
 * runs from .preinit_array. */
static void check_init_callers(const struct image_info *facts, bool entry,
                               struct findings *to) {
  struct call_graph calls;
  const char *callers[2] = {NULL, NULL};
  if (build_call_graph(&calls, facts))
    mark_init_callers(&calls, callers);
  if (entry && callers[0])
    findings_add(to, ERROR, INIT_TWICE,
                 "bareprof_init runs twice, in bareprof_preinit and in %.40s, "
                 "so counts between them are lost; remove one of the calls",
                 callers[0]);
  else if (callers[1])
    findings_add(to, WARNING, INIT_TWICE,
                 "%.40s%s%.40s call%s: the later call clears all counts; keep "
                 "one, and clear counts with bareprof_reset",
                 callers[0], callers[0] == callers[1] ? "" : " and ",
                 callers[0] == callers[1] ? "" : callers[1],
                 callers[0] == callers[1] ? "s bareprof_init twice"
                                          : " bareprof_init");
  if (!entry && callers[0]) {
    spread_routine_marks(&calls, true);
    const char *name = find_marked_measured_name(facts, &calls);
    if (name)
      findings_add(
          to, ERROR, INIT_MEASURED,
          "%.40s is instrumented and calls bareprof_init%s, so its counts are "
          "lost; use -u bareprof_preinit, or exclude this code",
          name, strcmp(name, callers[0]) == 0 ? "" : " on the way");
    else
      check_constructors(facts, &calls, to);
    check_late_init(facts, &calls, callers[0], to);
  }
  if (entry && !callers[0])
    check_init_hooks(facts, &calls, to);
  free_call_graph(&calls);
}

void check_init_calls(const struct image_info *facts, struct findings *to) {
  const struct known_symbol *symbols = facts->symbols;
  bool bounded = symbols[PREINIT_START].defined && symbols[PREINIT_END].defined;
  bool entry = symbols[PREINIT].defined;
  if (!symbols[INIT].defined) {
    if (symbols[GUARD].defined || !is_loaded(&facts->sections[CNTS]))
      findings_add(to, ERROR, NO_INIT,
                   "no code calls bareprof_init, so counters are undefined, "
                   "and dumps fail; %s",
                   bounded ? "link with -u bareprof_preinit"
                           : "call bareprof_init first in the reset handler");
    return;
  }
  /* If a call runs bareprof_init, the entry need not run. */
  bool works = entry && !report_preinit_fault(
                            facts, bounded, is_init_called(facts) ? NULL : to);
  check_init_callers(facts, works, to);
}
