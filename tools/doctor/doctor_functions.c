/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file checks the instrumented functions one by one: whether their names
 * and code exist, and whether a function should be instrumented at all or in
 * this way.
 */
#include "findings.h"
#include "image_info.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/need.h"
#include "../code/code.h"

ORDER_BY(by_value, uint64_t, *x);

struct counter_reference_search {
  const struct image_info *facts;
  bool *referred;
};

static void note_referred_counter(void *context, uint64_t address,
                                  const struct referrer *from) {
  const struct counter_reference_search *may = context;
  const struct image_functions *functions = &may->facts->functions;
  size_t until =
      search_after(functions->list, functions->count, counters,
                   (uint32_t)(address - may->facts->sections[CNTS].address));
  (void)from;
  if (until)
    may->referred[until - 1] = true;
}

/* Marks each function whose counters the code may use. The array `met` has an
 * element for each function. Returns false if the references cannot be read.
 */
static bool mark_referenced_counters(const struct image_info *facts,
                                     bool *met) {
  const struct elf_section *counters = &facts->sections[CNTS];
  struct counter_reference_search may = {facts, met};
  const struct reference_query wanted = {counters->address,
                                         counters->address + counters->size - 1,
                                         &may, note_referred_counter};
  return references_visit(facts->elf, &wanted);
}

/* A function is dead if its code is missing and nothing refers to its counters.
 * (Code into which the function was inlined would refer to them.) Static
 * functions are skipped, because the names in their records begin with the name
 * of a file. */
static void check_dead_records(const struct image_info *facts,
                               struct findings *to) {
  const struct image_functions *functions = &facts->functions;
  size_t missing = 0;
  uint64_t bytes = 0;
  bool *met = need_memory(calloc(functions->count + 1, sizeof *met));
  bool known = facts->defined_count && mark_referenced_counters(facts, met);
  for (size_t i = 0; known && i < functions->count; i++) {
    const struct image_function *f = &functions->list[i];
    if (met[i] || !f->name || strpbrk(f->name, ":;") ||
        bsearch(&f->name_ref, facts->defined_hashes, facts->defined_count,
                sizeof f->name_ref, by_value))
      continue;
    missing++;
    bytes += (uint64_t)f->counter_count * functions->counter_size;
    if (facts->kind == FULL)
      bytes += facts->record_size;
  }
  free(met);
  if (missing &&
      !facts->has_trace_points) /* records of trace points take no memory */
    findings_add(
        to, NOTE, RECORDS_DEAD,
        "%zu of %zu functions are unused, but KEEP keeps %" PRIu64
        " bytes of their records; link with --gc-sections and without KEEP",
        missing, functions->count, bytes);
}

static void check_missing_names(const struct image_info *facts,
                                struct findings *to) {
  const struct image_functions *functions = &facts->functions;
  size_t missing = 0;
  for (size_t i = 0; i < functions->count; i++)
    missing += !functions->list[i].name;
  if (missing && missing < functions->count)
    findings_add(to, WARNING, NAMES_INCOMPLETE,
                 "%zu of %zu functions have no name, so llvm-profdata drops "
                 "them; place *(__llvm_prf_names) of all objects",
                 missing, functions->count);
}

/* ---- interrupts ---- */

static bool ends_with(const char *name, const char *end) {
  size_t length = strlen(name), most = strlen(end);
  return length >= most && strcmp(name + length - most, end) == 0;
}

/* A handler for a reset or a fault does not count as an interrupt, because the
 * interrupted code does not continue. STM32's code calls Error_Handler. */
static bool is_interrupt_name(const char *name) {
  if (ends_with(name, "Fault_Handler") || !strcmp(name, "MemManage_Handler") ||
      !strcmp(name, "Reset_Handler") || !strcmp(name, "Error_Handler"))
    return false;
  return ends_with(name, "_IRQHandler") || ends_with(name, "_Handler") ||
         ends_with(name, "_isr") || ends_with(name, "_ISR");
}

static void check_nonatomic_counting(const struct image_info *facts,
                                     const char *handler, struct findings *to) {
  const struct known_symbol *symbols = facts->symbols;
  bool tasks = image_info_has_rtos(facts);
  const struct counter_widths *widths = &facts->widths;
  if (facts->elf->wide || facts->byte_counters || facts->has_trace_points ||
      symbols[FETCH_ADD].defined ||
      (widths->narrow.objects && !widths->torn.objects) || (!handler && !tasks))
    return;
  findings_add(to, NOTE, NOT_ATOMIC,
               "%.40s%s count, and may interrupt code that counts: counts get "
               "lost; compile with -fprofile-update=atomic",
               handler ? handler : "tasks of an RTOS",
               handler ? " and the like" : "");
}

/* Returns whether a function with this name may run in an interrupt. Assembly
 * and naked functions do not have records, but they may call functions that
 * count. A RISC-V core enters all interrupts at the function in mtvec, which
 * often has `trap` in its name. */
static bool can_run_in_interrupt(const struct image_info *facts,
                                 const char *name) {
  return is_interrupt_name(name) || ends_with(name, "isr") ||
         (facts->elf->machine == ELF_RISCV && strstr(name, "trap"));
}

static void check_interrupt_handlers(const struct image_info *facts,
                                     struct findings *to) {
  const char *handler = NULL;
  for (size_t i = 0; i < facts->functions.count; i++) {
    const char *name = facts->functions.list[i].name;
    if (!name)
      continue;
    const char *own = strpbrk(name, ":;");
    own = own ? own + 1 : name;
    if (can_run_in_interrupt(facts, own))
      handler = own;
  }
  if (!handler)
    handler = find_measured_callee(facts, can_run_in_interrupt);
  check_nonatomic_counting(facts, handler, to);
}

void check_measured_functions(const struct image_info *facts,
                              struct findings *to) {
  check_dead_records(facts, to);
  check_missing_names(facts, to);
  check_interrupt_handlers(facts, to);
  if (facts->symbols[CONSTRUCTOR].defined && facts->kind != PLACED)
    findings_add(
        to, WARNING, CONSTRUCTORS,
        "clang 13 to 17 add constructors that keep unused records; run "
        "llvm-objcopy --remove-section=.init_array.0 on each object");
}

/* ==== This part finds instrumented naked functions, which the ELF does not
 * mark. Code that counts may call functions (for atomics or values), and a
 * function without a prologue saves nothing around such a call. A faulty
 * function either
 * - calls a function before it saves its return address, and later returns
 *   through that address; or
 * - writes arguments of such a call to its caller's stack.
 * A function that never returns may make such calls, and is not reported.
 */

/* The largest function that is checked, and all functions, in bytes. In a
 * damaged file, many functions may overlap. */
enum { SIZE_LIMIT = 1 << 20, CODE_LIMIT = 1 << 26 };

/* The events on a path to an instruction, as bits. */
enum { CALLED = 1, LOWERED = 2, STORED = 4, STATES = 8 };

struct stack_instruction {
  uint64_t address;
  struct instruction instruction;
  bool links;           /* The return address is saved or changed. */
  bool lowers;          /* The instruction lowers the stack. */
  bool stores;          /* The instruction, not a push, stores to the stack. */
  unsigned char passed; /* a bit for each state in which the walk has visited
                           the instruction */
};

struct stack_flow_walk {
  struct stack_instruction *steps;
  size_t count;
  struct {
    size_t step;
    unsigned state;
  } * open_steps;
  size_t open_count;
};

/* ---- Thumb: facts that instruction_decode does not provide ---- */

/* Returns whether the instruction changes lr, or saves lr other than with
 * push. */
static bool thumb_saves_link(uint32_t first, uint32_t second) {
  bool several = (first & 0xFE40) == 0xE800 && second & 0x4000; /* stm, ldm */
  bool one = (first & 0xFF60) == 0xF840 && second >> 12 == 14;
  bool number = (first & 0xFBEF) == 0xF06F || (first & 0xFBFF) == 0xF04F;
  return (first & 0xFF87) == 0x4686 || (first & 0xFF78) == 0x4670 || several ||
         one || (number && (second >> 8 & 15) == 14);
}

/* Recognises sub, push, strd, vpush and str that lower sp, and mov to sp. */
static bool thumb_lowers_stack(uint32_t first, uint32_t second) {
  return (first & 0xFF80) == 0xB080 || (first & 0xFE00) == 0xB400 ||
         first == 0xE92D || first == 0xE96D || first == 0xED2D ||
         (first == 0xF84D && (second & 0xD00) == 0xD00) ||
         (((first & 0xFBEF) == 0xF1AD || (first & 0xFBFF) == 0xF2AD) &&
          (second >> 8 & 15) == 13) ||
         (first & 0xFF87) == 0x4685;
}

static bool thumb_stores_to_stack(uint32_t first) {
  return (first & 0xF800) == 0x9000 || first == 0xF8CD || /* str */
         (first & 0xFFFF) == 0xE9CD;                      /* strd */
}

/* ---- instructions ---- */

/* On RISC-V, a call that returns through t0 keeps the return address. As the
 * first call of a function, such a call is a part of the prologue: with
 * -msave-restore, or with -Oz. */
static bool is_save_helper_call(const unsigned char *at,
                                const struct instruction_set *set,
                                const struct instruction *instruction) {
  return set->machine == ELF_RISCV && instruction->length == 4 &&
         instruction->kind == INSTRUCTION_CALL &&
         (load32(at, false) >> 7 & 31) == 5;
}

static void decode_stack_effects(struct stack_instruction *step,
                                 const unsigned char *at,
                                 const struct instruction_set *set) {
  const struct instruction *instruction = &step->instruction;
  step->links = instruction->link != LINK_LEFT;
  step->links |= is_save_helper_call(at, set, instruction);
  if (!set->thumb)
    return;
  uint32_t first = load16(at, set->big);
  uint32_t second = instruction->length == 4 ? load16(at + 2, set->big) : 0;
  step->links |= thumb_saves_link(first, second);
  step->lowers = thumb_lowers_stack(first, second);
  step->stores = thumb_stores_to_stack(first);
}

/* Reads the instructions of a function. Supports Thumb, RISC-V and AArch64, but
 * not A32, where each instruction has a condition, nor x86, whose calls keep
 * the return address on the stack. */
static bool decode_stack_steps(struct stack_flow_walk *flow,
                               const struct elf_code *code, uint64_t begin,
                               uint64_t size) {
  struct code_walk walk;
  flow->count = 0;
  for (code_walk_begin(&walk, code, begin, begin + size);
       code_walk_next(&walk);) {
    const unsigned char *at = walk.bytes + (walk.address - walk.begin);
    struct instruction_set set = code->set;
    set.thumb = set.machine == ELF_ARM && walk.thumb;
    if ((set.machine == ELF_ARM && !set.thumb) || set.machine == ELF_X86_64)
      return false;
    struct stack_instruction *step = &flow->steps[flow->count++];
    *step = (struct stack_instruction){.address = walk.address,
                                       .instruction = walk.instruction};
    decode_stack_effects(step, at, &set);
  }
  return flow->count != 0;
}

/* ---- paths ---- */

static void add_open_step(struct stack_flow_walk *flow, size_t step,
                          unsigned state) {
  if (step >= flow->count || flow->steps[step].passed >> state & 1)
    return;
  flow->steps[step].passed |= (unsigned char)(1u << state);
  flow->open_steps[flow->open_count].step = step;
  flow->open_steps[flow->open_count++].state = state;
}

static void add_open_step_at_address(struct stack_flow_walk *flow,
                                     uint64_t address, unsigned state) {
  size_t low = search_from(flow->steps, flow->count, address, address);
  if (low < flow->count && flow->steps[low].address == address)
    add_open_step(flow, low, state);
}

/* Returns true if no correct function makes this step in this state. Adds the
 * steps that may follow to the open steps. */
static bool advance_stack_walk(struct stack_flow_walk *flow, size_t number,
                               unsigned state) {
  const struct stack_instruction *step = &flow->steps[number];
  const struct instruction *instruction = &step->instruction;
  if (step->links)
    return false;
  if (instruction->kind == INSTRUCTION_CALL)
    state |= CALLED;
  if (step->lowers)
    state |= LOWERED;
  if (step->stores && !(state & LOWERED))
    state |= STORED;
  if (state & CALLED && (state & STORED || instruction->returns))
    return true;
  if (instruction->kind == INSTRUCTION_BRANCH && instruction->direct)
    add_open_step_at_address(flow, instruction->target, state);
  if (instruction->kind != INSTRUCTION_BRANCH || instruction->conditional)
    add_open_step(flow, number + 1, state);
  return false;
}

static bool is_naked_function(struct stack_flow_walk *flow,
                              const struct elf_code *code, uint64_t begin,
                              uint64_t size) {
  flow->steps = need_memory(calloc((size_t)size / 2 + 1, sizeof *flow->steps));
  flow->open_steps = need_memory(
      calloc((size_t)size / 2 * STATES + 1, sizeof *flow->open_steps));
  bool wrong = false;
  if (decode_stack_steps(flow, code, begin, size))
    add_open_step(flow, 0, 0);
  while (!wrong && flow->open_count) {
    flow->open_count--;
    wrong = advance_stack_walk(flow, flow->open_steps[flow->open_count].step,
                               flow->open_steps[flow->open_count].state);
  }
  free(flow->steps);
  free(flow->open_steps);
  flow->open_count = 0;
  return wrong;
}

/* ---- functions ---- */

/* Appends a name to the list, unless the list is full. */
static size_t append_name(char *list, size_t room, size_t used,
                          const char *name) {
  size_t length = strlen(name);
  if (used + length + 3 > room)
    return used;
  if (used) {
    memcpy(list + used, ", ", 2);
    used += 2;
  }
  memcpy(list + used, name, length + 1);
  return used + length;
}

void check_naked_functions(const struct image_info *facts,
                           struct findings *to) {
  char list[FINDING_ROOM - 240] = "";
  struct stack_flow_walk flow = {.steps = NULL};
  struct elf_code code;
  size_t used = 0, count = 0;
  uint64_t size = 0;
  const char *error = code_open(&code, facts->elf);
  for (uint64_t i = 0; !error && i < facts->elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(facts->elf, i);
    if (symbol.type != ELF_FUNCTION || !symbol.section || !symbol.size ||
        !is_instrumented_name(facts, symbol.name) ||
        symbol.size > SIZE_LIMIT || (size += symbol.size) > CODE_LIMIT ||
        !is_naked_function(&flow, &code,
                           code_clear_thumb_bit(&code, symbol.value),
                           symbol.size))
      continue;
    used = append_name(list, sizeof list, used, symbol.name);
    count++;
  }
  code_close(&code);
  if (count)
    findings_add(to, ERROR, NAKED,
                 "instrumented functions (%zu) hang or overwrite their "
                 "caller's stack: like naked functions, they call a function "
                 "before they save the return address; exclude them with "
                 "-fprofile-list=FILE and !fun: %s",
                 count, list);
}
