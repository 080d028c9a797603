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
#include "../object/unwind.h"

enum { FRAMES_MOST = 64, NOTE_STACK = 1, NAME_ROOM = 12 };

static const char note_name[NAME_ROOM] = "bareprof";

struct stack_walker {
  struct gdb_client *gdb;
  const struct elf *elf;
  struct unwind_tables unwind;
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

/* Replaces the registers with the registers of the caller. Returns false if the
 * caller is not known. */
static bool unwind_frame(struct stack_walker *stack,
                         const struct unwind_row *row) {
  uint64_t before[UNWIND_REGISTERS];
  uint64_t mask = stack->elf->wide ? UINT64_MAX : UINT32_MAX;
  memcpy(before, stack->registers, sizeof before);
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
    stack->lost[i] |=
        rule->how == UNWIND_LOST ||
        (rule->how == UNWIND_REGISTER && stack->lost[rule->number]);
  }
  return !stack->lost[row->returns];
}

/* Makes the unwind rules for a function's entry, where all registers are
 * unchanged. */
static void set_entry_unwind_row(const struct stack_walker *stack,
                                 struct unwind_row *row) {
  *row =
      (struct unwind_row){.base = stack->sp,
                          .returns = stack->elf->machine == ELF_ARM       ? 14
                                     : stack->elf->machine == ELF_AARCH64 ? 30
                                                                          : 1};
}

/* Adds the PC of the core, then the addresses of active calls, innermost first.
 */
static const char *list_stack_calls(struct stack_walker *stack, uint64_t pc,
                                    struct buffer *list) {
  uint64_t address = pc;
  const char *error = NULL;
  for (unsigned i = 0; i < FRAMES_MOST && !error; i++) {
    struct unwind_row row;
    struct elf_symbol function = elf_find_function(stack->elf, address);
    uint64_t thumb = stack->elf->machine == ELF_ARM;
    if (!function.name)
      break;
    error = buffer_append_bytes(list, &address, sizeof address);
    if (!i && address == function.value)
      set_entry_unwind_row(stack, &row);
    else if (!unwind_find_row(&stack->unwind, address, &row))
      break;
    /* A call overwrites the return address register, so a caller must have
     * saved the register. A function that never returns does not save the
     * register, so its caller is unknown. */
    if (i && row.rules[row.returns].how == UNWIND_SAME)
      break;
    uint64_t sp = stack->registers[stack->sp];
    if (!unwind_frame(stack, &row) || stack->registers[stack->sp] < sp)
      break;
    /* The address is inside the call instruction. The instruction after it may
     * belong to another function. */
    address = (stack->registers[row.returns] & ~thumb) - 1;
  }
  return error;
}

static const char *read_stack(struct gdb_client *gdb, const struct elf *elf,
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
  error = error ? NULL : list_stack_calls(&stack, pc, list);
  unwind_close(&stack.unwind);
  return error;
}

/* ---- the note ---- */

const char *gdb_stack_add_note(struct gdb_client *gdb, const struct elf *elf,
                               struct buffer *core) {
  struct buffer list = {.limit = FRAMES_MOST * sizeof(uint64_t)};
  unsigned char head[12];
  size_t first = elf->wide ? 64 : 52, each = elf->wide ? 56 : 32;
  unsigned pointer = elf->wide ? 8 : 4;
  uint64_t failed = gdb->failed;
  const char *error = read_stack(gdb, elf, &list);
  gdb->failed = failed;
  core->limit += sizeof head + NAME_ROOM + list.size;
  store32(head, sizeof "bareprof", elf->big);
  store32(head + 4, (uint32_t)list.size, elf->big);
  store32(head + 8, NOTE_STACK, elf->big);
  for (size_t i = 0; i < list.size; i += 8)
    store64(list.data + i, ((const uint64_t *)(const void *)list.data)[i / 8],
            elf->big);
  uint64_t at = core->size, size = sizeof head + NAME_ROOM + list.size;
  if (!error)
    error = buffer_append_bytes(core, head, sizeof head);
  if (!error)
    error = buffer_append_bytes(core, note_name, NAME_ROOM);
  if (!error)
    error = buffer_append_bytes(core, list.data, list.size);
  buffer_free(&list);
  if (error)
    return error;
  /* gdb_counts_read has left the last program header empty for the note. */
  unsigned count = load16(core->data + 28 + 3 * pointer + 4, elf->big);
  unsigned char *to = core->data + first + each * (count - 1);
  store32(to, ELF_PT_NOTE, elf->big);
  store_number(to + pointer, at, pointer, elf->big);
  store_number(to + 4 * pointer, size, pointer, elf->big);
  return NULL;
}

const char *gdb_stack_parse_note(struct bytes file, struct buffer *list) {
  struct elf core;
  const char *error = elf_open(&core, file);
  for (uint64_t i = 0; !error && i < core.segment_count; i++) {
    struct elf_segment segment = elf_segment(&core, i);
    const unsigned char *at = segment.bytes;
    if (segment.type != ELF_PT_NOTE || !at || segment.file_size < 24 ||
        load32(at + 8, core.big) != NOTE_STACK ||
        memcmp(at + 12, note_name, NAME_ROOM))
      continue;
    uint64_t size = load32(at + 4, core.big);
    for (uint64_t k = 0;
         k + 8 <= size && 24 + k + 8 <= segment.file_size && !error; k += 8) {
      uint64_t address = load64(at + 24 + k, core.big);
      error = buffer_append_bytes(list, &address, sizeof address);
    }
  }
  return error;
}
