/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the calls that are active on a halted core, and stores their addresses
 * as a note in the core file that gdb_counts_read has made.
 * gdb_stack_parse_note reads the note for coverage/inputs/active_calls.c,
 * because the code after an active call has not run yet.
 */
#include "gdb.h"

#include <stdlib.h>

#include "../base/buffer.h"
#include "../code/code.h"
#include "../object/unwind.h"

enum { FRAMES_MOST = 64, NOTE_STACK = 1 };

static const char note_name[12] = "bareprof"; /* with padding */

struct stack_walker {
  struct gdb_client *gdb;
  const struct elf *elf;
  struct unwind_tables unwind;
  struct elf_code code;
  uint64_t registers[UNWIND_REGISTERS];
  bool lost[UNWIND_REGISTERS];
  unsigned sp;
};

static const char *read_pointer(const struct stack_walker *stack,
                                uint64_t address, uint64_t *value) {
  unsigned char bytes[8];
  unsigned size = stack->elf->wide ? 8 : 4;
  const char *error = gdb_read_memory(stack->gdb, address, bytes, size);
  *value = error ? 0 : load_number(bytes, size, stack->elf->big);
  return error;
}

static const char *read_registers(struct stack_walker *stack, uint64_t *pc) {
  unsigned char bytes[8 * (UNWIND_REGISTERS + 1)];
  unsigned size = stack->elf->wide ? 8 : 4;
  unsigned count = stack->elf->machine == ELF_ARM ? 16 : UNWIND_REGISTERS + 1;
  const char *error = gdb_read_registers(stack->gdb, 0, bytes, count * size);
  if (error)
    return error;
  for (unsigned i = 0; i < count && i < UNWIND_REGISTERS; i++)
    stack->registers[i] = load_number(bytes + i * size, size, stack->elf->big);
  *pc = load_number(bytes + size * (count - 1), size, stack->elf->big);
  return NULL;
}

/* Replaces the registers with the caller's registers. Returns false if the
 * caller is not known. */
static bool unwind_frame(struct stack_walker *stack,
                         const struct unwind_row *row) {
  uint64_t before[UNWIND_REGISTERS];
  bool lost[UNWIND_REGISTERS];
  uint64_t mask = stack->elf->wide ? UINT64_MAX : UINT32_MAX;
  memcpy(before, stack->registers, sizeof before);
  memcpy(lost, stack->lost, sizeof lost);
  if (stack->lost[row->base])
    return false;
  uint64_t frame = (before[row->base] + (uint64_t)row->offset) & mask;
  if (row->rules[stack->sp].how == UNWIND_SAME)
    stack->registers[stack->sp] = frame;
  for (unsigned i = 0; i < UNWIND_REGISTERS; i++) {
    const struct unwind_rule *rule = &row->rules[i];
    uint64_t at = (frame + (uint64_t)rule->number) & mask;
    if (rule->how == UNWIND_AT && read_pointer(stack, at, &stack->registers[i]))
      return false;
    if (rule->how == UNWIND_IS)
      stack->registers[i] = at;
    if (rule->how == UNWIND_REGISTER)
      stack->registers[i] = before[rule->number];
    if (rule->how != UNWIND_SAME)
      stack->lost[i] = rule->how == UNWIND_LOST ||
                       (rule->how == UNWIND_REGISTER && lost[rule->number]);
  }
  return !stack->lost[row->returns] && frame >= before[stack->sp];
}

/* ---- whether a call is possible ---- */

/* Returns whether a function returns from an exception, or changes the process
 * stack of a Cortex-M. Such a function was not called: the register with the
 * return address belongs to the interrupted function. */
static bool has_exception_return_code(const struct stack_walker *stack,
                                      const struct elf_symbol *function) {
  static const struct {
    uint16_t machine;
    bool thumb;
    uint32_t mask, word;
  } returns[] = {
      {ELF_RISCV, false, 0x9FFFFFFF, 0x10200073},   /* sret, mret, mnret */
      {ELF_AARCH64, false, 0xFFFFF3E0, 0xD69F03E0}, /* eret, eretaa, eretab */
      {ELF_ARM, false, 0x0FFFF000, 0x025EF000},     /* subs pc, lr, #N */
      {ELF_ARM, false, 0x0FFFFFF0, 0x01B0F000},     /* movs pc, rN */
      {ELF_ARM, false, 0x0FFFFFFF, 0x0160006E},     /* eret */
      {ELF_ARM, false, 0xFE50FFFF, 0xF8100A00},     /* rfe */
      {ELF_ARM, false, 0x0E508000, 0x08508000},     /* ldm {..., pc}^ */
      {ELF_ARM, true, 0xFF00FFFF, 0x8F00F3DE},      /* subs pc, lr, #N */
      {ELF_ARM, true, 0xFFFFFE50, 0xC000E810},      /* rfe */
      {ELF_ARM, true, 0xFFFFFFF0, 0x8809F380},      /* msr psp, rN */
  };
  struct code_walk walk;
  code_walk_begin(&walk, &stack->code, function->value,
                  function->value + function->size);
  while (code_walk_next(&walk)) {
    const unsigned char *bytes = walk.bytes + (walk.address - walk.begin);
    uint32_t word = walk.instruction.length == 4 ? load32(bytes, false) : 0;
    for (size_t i = 0; i < sizeof returns / sizeof *returns; i++)
      if (stack->elf->machine == returns[i].machine &&
          walk.thumb == returns[i].thumb &&
          (word & returns[i].mask) == returns[i].word)
        return true;
  }
  return walk.at < walk.end;
}

/* Returns whether code from an address on may end in a jump to a function,
 * after up to `depth` other functions that end in a jump. */
static bool leads_to_function(const struct stack_walker *stack,
                              uint64_t address, uint64_t function,
                              unsigned depth) {
  struct elf_symbol from = elf_find_function(stack->elf, address);
  struct code_walk walk;
  if (address == function)
    return true;
  if (!depth || !from.name)
    return false;
  code_walk_begin(&walk, &stack->code, address, from.value + from.size);
  while (code_walk_next(&walk)) {
    const struct instruction *one = &walk.instruction;
    if (one->kind == INSTRUCTION_BRANCH && !one->returns &&
        (!one->direct ||
         (one->target - from.value >= from.size &&
          leads_to_function(stack, one->target, function, depth - 1))))
      return true;
  }
  return false;
}

/* A call's return address is `returns`. Returns whether the call may have led
 * to the function; a stale value shows another call. If `exact` is set, only a
 * direct call without jumps may have. A function that returns from an exception
 * was not called through a pointer. */
static bool may_have_been_called(const struct stack_walker *stack,
                                 uint64_t returns,
                                 const struct elf_symbol *function,
                                 bool exact) {
  enum { JUMPS_MOST = 3 };
  struct instruction call;
  uint64_t at;
  if (!code_find_call_before(&stack->code, returns, &call, &at))
    return false;
  if (!call.direct)
    return !exact && !has_exception_return_code(stack, function);
  return leads_to_function(stack, call.target, function->value,
                           exact ? 0 : JUMPS_MOST);
}

/* Returns whether an address may be in the code that leaves a function.
 * Compilers do not describe how this code changes the stack. */
static bool may_be_leaving_function(const struct stack_walker *stack,
                                    uint64_t address,
                                    const struct elf_symbol *function) {
  enum { LONGEST = 16 };
  struct code_walk walk;
  code_walk_begin(&walk, &stack->code, address,
                  function->value + function->size);
  for (unsigned i = 0; i < LONGEST && code_walk_next(&walk); i++) {
    const struct instruction *one = &walk.instruction;
    if (one->kind != INSTRUCTION_PLAIN)
      return one->kind == INSTRUCTION_BRANCH &&
             (!one->direct || one->target - function->value >= function->size);
  }
  return false;
}

static bool has_call(const struct stack_walker *stack, uint64_t begin,
                     uint64_t end) {
  struct code_walk walk;
  code_walk_begin(&walk, &stack->code, begin, end);
  while (code_walk_next(&walk))
    if (walk.instruction.kind == INSTRUCTION_CALL)
      return true;
  return walk.at < end;
}

/* Finds the unwind rules at an address of a function. If `halted` is set, the
 * core was there; else the address is inside a call. */
static bool find_unwind_rules(const struct stack_walker *stack,
                              uint64_t address,
                              const struct elf_symbol *function, bool halted,
                              struct unwind_row *row) {
  uint16_t machine = stack->elf->machine;
  if (address == function->value) {
    *row = (struct unwind_row){.base = stack->sp,
                               .returns = machine == ELF_ARM       ? 14
                                          : machine == ELF_AARCH64 ? 30
                                                                   : 1};
    return true;
  }
  /* A call overwrites the register with the return address, so a function that
   * has called must have saved the register. A function that never returns does
   * not save the register, so its caller is unknown. has_call also finds an
   * active call, because the address is inside this call. */
  return (unwind_find_row(&stack->unwind, address, row) ||
          (!halted &&
           unwind_find_row_at_call(&stack->unwind, address, function, row))) &&
         (row->rules[row->returns].how != UNWIND_SAME ||
          !has_call(stack, function->value, address));
}

/* ---- exceptions of Cortex-M ---- */

enum { PROCESS_STACK = 1 << 2, THREAD = 1 << 3, NO_FLOAT = 1 << 4 };

/* Returns whether a return address returns from an exception whose stack frame
 * lacks the additional registers of the other security state. Only threads use
 * the process stack. */
static bool is_exception_return(const struct elf *elf, uint64_t returns) {
  bool secure = returns >> 6 & 1, taken_secure = returns & 1;
  return elf->machine == ELF_ARM && (returns | 0x5D) == 0xFFFFFFFD &&
         secure == taken_secure &&
         (returns & THREAD || !(returns & PROCESS_STACK));
}

/* Reads the process stack pointer, which only some servers have. */
static bool read_process_stack_ptr(const struct stack_walker *stack,
                                   uint64_t *sp) {
  unsigned char bytes[4];
  unsigned number;
  if (!gdb_find_register(stack->gdb, "psp", &number) ||
      gdb_read_register(stack->gdb, number, bytes, sizeof bytes))
    return false;
  *sp = load32(bytes, stack->elf->big);
  return true;
}

/* Returns whether code with this status may have been interrupted. Otherwise
 * the words on the stack are not the frame of the exception. */
static bool is_interruptible_status(uint64_t status, uint64_t returns) {
  enum { EXCEPTION = 0x1FF, THUMB = 1 << 24 };
  return status & THUMB && !(status & EXCEPTION) == !!(returns & THREAD);
}

/* Replaces the registers with the registers of the interrupted code. Returns
 * false if the code is not known. */
static bool unwind_exception(struct stack_walker *stack, uint64_t returns,
                             uint64_t *pc) {
  static const uint64_t FPCCR = 0xE000EF34;
  enum { SECURE_SAVES_ALL = 1 << 26 };
  enum { BASIC_SIZE = 32, FLOAT_SIZE = 104, PADDED = 1 << 9 };
  static const unsigned char stacked[] = {0, 1, 2, 3, 12, 14};
  uint64_t sp = stack->registers[stack->sp], status, control = 0;
  if (returns & PROCESS_STACK && !read_process_stack_ptr(stack, &sp))
    return false;
  for (unsigned i = 0; i < sizeof stacked; i++)
    if (read_pointer(stack, sp + 4 * i, &stack->registers[stacked[i]]))
      return false;
  if (read_pointer(stack, sp + 24, pc) ||
      read_pointer(stack, sp + 28, &status) ||
      !is_interruptible_status(status, returns))
    return false;
  if (!(returns & NO_FLOAT) &&
      (read_pointer(stack, FPCCR, &control) || control & SECURE_SAVES_ALL))
    return false;
  stack->registers[stack->sp] = sp +
                                (returns & NO_FLOAT ? BASIC_SIZE : FLOAT_SIZE) +
                                (status & PADDED ? 4 : 0);
  return true;
}

/* Adds the core's PC, and then the addresses of calls, innermost first.
 * GDB_STACK_EXCEPTION is before an address where an exception came. */
static const char *list_stack_calls(struct stack_walker *stack, uint64_t pc,
                                    struct buffer *list) {
  static const uint64_t exception = GDB_STACK_EXCEPTION;
  uint64_t address = pc;
  bool halted = true, leaving;
  const char *error = NULL;
  for (unsigned i = 0; i < FRAMES_MOST && !error; i++) {
    struct unwind_row row;
    struct elf_symbol function = elf_find_function(stack->elf, address);
    if (!function.name)
      break;
    if (halted && i)
      error = buffer_append_bytes(list, &exception, sizeof exception);
    if (!error)
      error = buffer_append_bytes(list, &address, sizeof address);
    if (!find_unwind_rules(stack, address, &function, halted, &row) ||
        !unwind_frame(stack, &row))
      break;
    uint64_t returns = stack->registers[row.returns];
    uint64_t after = code_clean_return_address(&stack->code, returns, address);
    leaving = halted && row.rules[row.returns].how != UNWIND_SAME &&
              may_be_leaving_function(stack, address, &function);
    halted = is_exception_return(stack->elf, returns);
    if (halted && returns & PROCESS_STACK)
      leaving |= has_exception_return_code(stack, &function);
    if (halted ? leaving || !unwind_exception(stack, returns, &address)
               : !may_have_been_called(stack, after, &function, leaving))
      break;
    /* The address is inside the call instruction, because the next instruction
     * may belong to another function. */
    if (!halted)
      address = after - 1;
  }
  return error;
}

static const char *read_stack_calls(struct gdb_client *gdb,
                                    const struct elf *elf,
                                    struct buffer *list) {
  struct stack_walker stack = {.gdb = gdb,
                               .elf = elf,
                               .sp = elf->machine == ELF_ARM       ? 13
                                     : elf->machine == ELF_AARCH64 ? 31
                                                                   : 2};
  uint64_t pc;
  bool known = elf->machine == ELF_ARM || elf->machine == ELF_AARCH64 ||
               elf->machine == ELF_RISCV;
  if (!known || gdb->state != GDB_STOPPED || read_registers(&stack, &pc))
    return NULL;
  const char *error = unwind_open(&stack.unwind, elf);
  const char *unknown = code_open(&stack.code, elf);
  error = error || unknown ? NULL : list_stack_calls(&stack, pc, list);
  code_close(&stack.code);
  unwind_close(&stack.unwind);
  return error;
}

/* ---- the note ---- */

enum { NOTE_HEAD = 24 }; /* sizes, kind and name */

const char *gdb_stack_add_note(struct gdb_client *gdb, const struct elf *elf,
                               bool ended, struct buffer *core) {
  static const uint64_t word = GDB_STACK_ENDED;
  struct buffer note = {.limit = NOTE_HEAD + (2 * FRAMES_MOST + 1) * 8};
  unsigned char head[NOTE_HEAD] = {0};
  unsigned pointer = elf->wide ? 8 : 4;
  uint64_t failed = gdb->failed;
  const char *error = buffer_append_bytes(&note, head, sizeof head);
  if (!error && ended)
    error = buffer_append_bytes(&note, &word, sizeof word);
  if (!error)
    error = read_stack_calls(gdb, elf, &note);
  gdb->failed = failed;
  for (size_t i = NOTE_HEAD; i < note.size; i += 8)
    store64(note.data + i, ((const uint64_t *)(const void *)note.data)[i / 8],
            elf->big);
  uint64_t at = core->size;
  core->limit += note.size;
  if (!error)
    error = buffer_append_bytes(core, note.data, note.size);
  if (!error) {
    store32(core->data + at, sizeof "bareprof", elf->big);
    store32(core->data + at + 4, (uint32_t)note.size - NOTE_HEAD, elf->big);
    store32(core->data + at + 8, NOTE_STACK, elf->big);
    memcpy(core->data + at + 12, note_name, sizeof note_name);
    /* gdb_counts_read has left the last program header for the note. */
    unsigned count = load16(core->data + 28 + 3 * pointer + 4, elf->big);
    unsigned char *to = core->data + (elf->wide ? 64 + 56 * (count - 1)
                                                : 52 + 32 * (count - 1));
    store32(to, ELF_PT_NOTE, elf->big);
    store_number(to + pointer, at, pointer, elf->big);
    store_number(to + 4 * pointer, note.size, pointer, elf->big);
  }
  buffer_free(&note);
  return error;
}

const char *gdb_stack_parse_note(struct bytes file, struct buffer *list) {
  struct elf core;
  const char *error = elf_open(&core, file);
  for (uint64_t i = 0; !error && i < core.segment_count; i++) {
    struct elf_segment segment = elf_segment(&core, i);
    const unsigned char *at = segment.bytes;
    if (segment.type != ELF_PT_NOTE || !at || segment.file_size < NOTE_HEAD ||
        load32(at + 8, core.big) != NOTE_STACK ||
        memcmp(at + 12, note_name, sizeof note_name) != 0)
      continue;
    uint64_t size = load32(at + 4, core.big);
    for (uint64_t k = NOTE_HEAD;
         k + 8 <= NOTE_HEAD + size && k + 8 <= segment.file_size && !error;
         k += 8) {
      uint64_t word = load64(at + k, core.big);
      error = buffer_append_bytes(list, &word, sizeof word);
    }
  }
  return error;
}
