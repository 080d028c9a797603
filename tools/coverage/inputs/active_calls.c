/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the calls that were active when counts were read. For a core that was
 * read through a debugger, the backtrace contains them. For a dump in a log
 * they are known if only one chain of calls leads from the ELF's entry to the
 * function that sends the dump: each function of the chain has one caller, and
 * its address is not used otherwise. model/active.c uses the result.
 */
#include "inputs.h"

#include <string.h>

#include "../../base/arena.h"
#include "../../base/buffer.h"
#include "../../code/code.h"
#include "../../object/dwarf.h"
#include "../../wire/gdb.h"

enum { WAY_MOST = 32, TEXTS_MOST = 1 << 20 };

/* The chain of calls upward from the function that sends dumps. */
struct call_chain {
  const struct elf *elf;
  uint64_t calls[WAY_MOST];
  size_t count;
  struct elf_symbol above; /* contains the last call; no name: there is none */
  bool several;            /* There are or may be other callers. */
};

static void note_caller(void *context, uint64_t address,
                        const struct referrer *from) {
  struct call_chain *way = context;
  struct elf_symbol caller = elf_find_function(way->elf, from->address);
  (void)address;
  /* A compiler composes an address within one function, so a base in another
   * function is a coincidence. */
  if (from->base && from->base - caller.value >= caller.size)
    return;
  way->several |= from->kind == INSTRUCTION_PLAIN || !caller.name ||
                  way->count == WAY_MOST ||
                  (way->above.name && way->above.value != caller.value);
  way->above = caller;
  if (!way->several && from->kind == INSTRUCTION_CALL)
    way->calls[way->count++] = from->address;
}

/* Adds the call of a function to the chain, or sets several. */
static void find_callers(struct call_chain *way, uint64_t function) {
  const struct reference_query wanted = {function, function | 1, way,
                                         note_caller};
  way->several |= !references_find(way->elf, &wanted);
}

/* Whether this function of the runtime writes a dump. raw: a raw profile;
 * otherwise frames for a log. */
static bool is_dump_function(const char *name, bool raw) {
  if (raw)
    return !strcmp(name, "bareprof_write_image");
  return !strcmp(name, "bareprof_send_lean") ||
         !strcmp(name, "bareprof_send_full") ||
         !strncmp(name, "bareprof_tiny_send", 18);
}

/* Begins the chain at the runtime's function that sends dumps. */
static void find_dump_callers(struct call_chain *way, bool raw) {
  const struct elf *elf = way->elf;
  uint64_t thumb = elf->machine == ELF_ARM;
  for (uint64_t i = 0; i < elf->symbol_count && !way->several; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.type == ELF_FUNCTION && symbol.section &&
        is_dump_function(symbol.name, raw))
      find_callers(way, symbol.value & ~thumb);
  }
  if (way->count > 1 && strncmp(way->above.name, "bareprof_", 9))
    way->several = true;
  /* The firmware calls bareprof_write; go on to its caller. */
  if (way->above.name && !strcmp(way->above.name, "bareprof_write")) {
    uint64_t begin = way->above.value;
    way->above.name = NULL;
    find_callers(way, begin);
  }
}

static bool is_root_function(const struct elf *elf,
                             const struct elf_symbol *function) {
  uint64_t thumb = elf->machine == ELF_ARM;
  return !strcmp(function->name, "main") ||
         (elf->entry & ~thumb) - function->value < function->size;
}

/* Extends the chain up to main or the entry. Returns false if the chain is not
 * known. */
static bool complete_chain(struct call_chain *way) {
  for (unsigned steps = 0; way->above.name && !way->several; steps++) {
    struct elf_symbol function = way->above;
    size_t before = way->count;
    if (is_root_function(way->elf, &function))
      return true;
    way->above.name = NULL;
    find_callers(way, function.value);
    way->several |= way->count > before + 1 || steps == WAY_MOST;
  }
  return false;
}

/* ---- addresses to calls ---- */

struct debug_info {
  struct dwarf dwarf;
  struct dwarf_lines lines;
  struct dwarf_scopes scopes;
  const char *error;
};

static void open_debug_info(struct debug_info *debug, const struct elf *elf) {
  memset(debug, 0, sizeof *debug);
  debug->error = dwarf_open(&debug->dwarf, elf);
  if (!debug->error)
    debug->error = dwarf_lines_read(&debug->lines, &debug->dwarf);
  if (!debug->error)
    debug->error = dwarf_scopes_read(&debug->scopes, &debug->dwarf);
}

static void close_debug_info(struct debug_info *debug) {
  dwarf_scopes_free(&debug->scopes);
  dwarf_lines_free(&debug->lines);
  dwarf_close(&debug->dwarf);
}

/* Adds the function at an address and the functions that it was inlined
 * into. */
static void add_calls_at(struct active_calls *active, struct debug_info *debug,
                         uint64_t address, struct active_call call) {
  struct dwarf_frame frames[DWARF_FRAMES];
  size_t count = debug->error ? 0
                              : dwarf_find_frames(&debug->scopes, &debug->lines,
                                                  address, frames);
  for (size_t i = 0; i < count; i++) {
    const char *file = dwarf_lines_path(&debug->lines, frames[i].file);
    call.name =
        arena_copy(&active->texts, frames[i].name, strlen(frames[i].name));
    call.file = arena_copy(&active->texts, file, strlen(file));
    call.line = frames[i].line;
    call.column = frames[i].column;
    if (call.name && call.file && call.line && call.column)
      buffer_append_bytes(&active->calls, &call, sizeof call);
    call.called = true;
  }
}

const char *active_calls_add_core(struct active_calls *active,
                                  struct bytes core) {
  const uint64_t end = 0;
  active->halted++;
  active->stacks.limit = TEXTS_MOST;
  const char *error = gdb_stack_read_note(core, &active->stacks);
  return error ? error : buffer_append_bytes(&active->stacks, &end, sizeof end);
}

/* Adds the calls of halted cores. If the outermost known call is in code with
 * line information and not in main or the entry, its callers are unknown:
 * active->dumps becomes its function. */
static void add_core_stacks(struct active_calls *active,
                            struct debug_info *debug, const struct elf *elf) {
  const uint64_t *stacks = (const void *)active->stacks.data;
  size_t count = active->stacks.size / sizeof *stacks;
  for (size_t i = 0; i < count; i++) {
    struct active_call call = {.times = 1, .called = i && stacks[i - 1]};
    size_t before = active->calls.size;
    if (!stacks[i])
      continue;
    add_calls_at(active, debug, stacks[i], call);
    if (!stacks[i + 1] && active->calls.size > before) {
      struct elf_symbol last = elf_find_function(elf, stacks[i]);
      active->dumps = is_root_function(elf, &last) ? active->dumps : last.name;
    }
  }
}

void active_calls_find(struct input_elf *subject) {
  struct active_calls *active = &subject->active;
  struct call_chain way = {.elf = &subject->elf};
  bool raw = subject->starts > active->logged + active->halted;
  active->calls.limit = active->texts.limit = TEXTS_MOST;
  if (raw || active->logged)
    find_dump_callers(&way, !active->logged);
  if (way.above.name && !way.several && strcmp(way.above.name, "main"))
    active->dumps = way.above.name;
  if (active->logged && complete_chain(&way))
    active->dumps = raw ? active->dumps : NULL;
  else
    way.count = 0;
  const struct active_call call = {.times = (uint32_t)active->logged,
                                   .called = true};
  struct debug_info debug;
  if (!way.count && !active->stacks.size)
    return;
  open_debug_info(&debug, &subject->elf);
  for (size_t i = 0; i < way.count; i++)
    add_calls_at(active, &debug, way.calls[i], call);
  add_core_stacks(active, &debug, &subject->elf);
  close_debug_info(&debug);
}

void active_calls_free(struct active_calls *active) {
  buffer_free(&active->calls);
  buffer_free(&active->stacks);
  arena_free(&active->texts);
}
