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

#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../code/code.h"
#include "../../object/dwarf.h"
#include "../../wire/gdb.h"

enum { WAY_MOST = 32, TEXTS_MOST = 1 << 20 };

/* The chain of calls upward from the function that sends dumps. */
struct call_chain {
  const struct elf *elf;
  uint64_t calls[WAY_MOST];
  size_t count;
  struct elf_symbol above; /* contains the last call; name NULL: none so far */
  bool several;            /* There are or may be other callers. */
};

static void add_chain_caller(void *context, uint64_t address,
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

/* Adds the call of a function to the chain; sets way->several if there are or
 * may be several calls. */
static void extend_call_chain(struct call_chain *way, uint64_t function) {
  const struct reference_query wanted = {function, function | 1, way,
                                         add_chain_caller};
  way->several |= !references_find(way->elf, &wanted);
}

/* Whether this function of the runtime writes a dump. raw: the dump is a raw
 * profile; otherwise frames for a log. */
static bool is_dump_function(const char *name, bool raw) {
  if (raw)
    return !strcmp(name, "bareprof_write_image");
  return !strcmp(name, "bareprof_send_lean") ||
         !strcmp(name, "bareprof_send_full") ||
         !strncmp(name, "bareprof_tiny_send", 18);
}

/* Begins the chain at the runtime's function that sends dumps. */
static void begin_call_chain(struct call_chain *way, bool raw) {
  const struct elf *elf = way->elf;
  uint64_t thumb = elf->machine == ELF_ARM;
  for (uint64_t i = 0; i < elf->symbol_count && !way->several; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.type == ELF_FUNCTION && symbol.section &&
        is_dump_function(symbol.name, raw))
      extend_call_chain(way, symbol.value & ~thumb);
  }
  if (way->count > 1 && strncmp(way->above.name, "bareprof_", 9))
    way->several = true;
  /* The firmware calls bareprof_write; go on to its caller. */
  if (way->above.name && !strcmp(way->above.name, "bareprof_write")) {
    uint64_t begin = way->above.value;
    way->above.name = NULL;
    extend_call_chain(way, begin);
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
static bool complete_call_chain(struct call_chain *way) {
  for (unsigned steps = 0; way->above.name && !way->several; steps++) {
    struct elf_symbol function = way->above;
    size_t before = way->count;
    if (is_root_function(way->elf, &function))
      return true;
    way->above.name = NULL;
    extend_call_chain(way, function.value);
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
static void add_calls_at_address(struct active_calls *active,
                                 struct debug_info *debug,
                                 const struct active_address *one) {
  struct dwarf_frame frames[DWARF_FRAMES];
  size_t count = debug->error ? 0
                              : dwarf_find_frames(&debug->scopes, &debug->lines,
                                                  one->address, frames);
  for (size_t i = 0; i < count; i++) {
    const char *file = dwarf_lines_path(&debug->lines, frames[i].file);
    const struct active_call call = {
        .name = need_copy(&active->texts, frames[i].name),
        .file = need_copy(&active->texts, file),
        .line = frames[i].line,
        .column = frames[i].column,
        .times = one->times,
        .called = one->called || i};
    if (call.line && call.column)
      need_append(&active->calls, &call, sizeof call);
  }
}

static void append_address(struct active_calls *active, uint64_t address,
                           size_t times, bool called, bool last) {
  const struct active_address one = {address, (uint32_t)times, called, last};
  active->chain.limit = SIZE_MAX; /* the inputs limit the list */
  need_append(&active->chain, &one, sizeof one);
}

const char *active_calls_add_core(struct active_calls *active,
                                  struct bytes core) {
  struct buffer stack = {.limit = TEXTS_MOST};
  const char *error = gdb_stack_parse_note(core, &stack);
  const uint64_t *list = (const void *)stack.data;
  size_t count = stack.size / sizeof *list;
  active->halted++;
  for (size_t i = 0; i < count && !error; i++)
    append_address(active, list[i], 1, i > 0, i + 1 == count);
  buffer_free(&stack);
  return error;
}

/* Adds all calls. If the outermost known call of a halted core is in code with
 * line information and not in main or the entry, its callers are unknown:
 * active->dumps becomes its function. */
static void append_active_calls(struct active_calls *active,
                                const struct elf *elf) {
  const struct active_address *one = (const void *)active->chain.data;
  size_t count = active->chain.size / sizeof *one;
  struct debug_info debug;
  if (!count)
    return;
  open_debug_info(&debug, elf);
  for (; count--; one++) {
    size_t before = active->calls.size;
    add_calls_at_address(active, &debug, one);
    if (one->last && active->calls.size > before) {
      struct elf_symbol last = elf_find_function(elf, one->address);
      active->dumps = is_root_function(elf, &last) ? active->dumps : last.name;
    }
  }
  close_debug_info(&debug);
}

void active_calls_collect(struct input_elf *subject) {
  struct active_calls *active = &subject->active;
  struct call_chain way = {.elf = &subject->elf};
  bool raw = subject->boots > active->logged + active->halted;
  active->calls.limit = active->texts.limit = SIZE_MAX;
  if (raw || active->logged)
    begin_call_chain(&way, !active->logged);
  if (way.above.name && !way.several && strcmp(way.above.name, "main"))
    active->dumps = way.above.name;
  if (active->logged && complete_call_chain(&way)) {
    active->dumps = raw ? active->dumps : NULL;
    for (size_t i = 0; i < way.count; i++)
      append_address(active, way.calls[i], active->logged, true, false);
  }
  append_active_calls(active, &subject->elf);
}

void active_calls_free(struct active_calls *active) {
  buffer_free(&active->chain);
  buffer_free(&active->calls);
  arena_free(&active->texts);
}
