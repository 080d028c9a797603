/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file finds the calls that were active when counts were read. For a core
 * that was read through a debugger, the backtrace contains these calls. For
 * another dump the calls are known if only one chain of calls leads from the
 * ELF's entry to the function that sends the dump: each function of the chain
 * has one caller, and its address is not used otherwise. A file may be the sum
 * of several dumps, or a debugger may have read it, so the calls may have
 * returned. model/active_counts.c uses the result.
 */
#include "inputs.h"

#include <string.h>

#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../code/code.h"
#include "../../object/dwarf.h"
#include "../../wire/gdb.h"

enum { CHAIN_MOST = 32 };

/* The chain of calls upward from the function that sends dumps. */
struct call_chain {
  const struct elf *elf;
  uint64_t calls[CHAIN_MOST];
  size_t count;
  struct elf_symbol above; /* contains the last call; name NULL: none so far */
  const char *dumps;       /* first function above bareprof's, or NULL */
  bool several;            /* There are or may be other callers. */
};

static void add_chain_caller(void *context, uint64_t address,
                             const struct referrer *from) {
  struct call_chain *chain = context;
  struct elf_symbol caller = elf_find_function(chain->elf, from->address);
  (void)address;
  /* A compiler composes an address within one function, so a base in another
   * function is a coincidence. */
  if (from->base && from->base - caller.value >= caller.size)
    return;
  chain->several |= from->kind == INSTRUCTION_PLAIN || !caller.name ||
                    chain->count == CHAIN_MOST ||
                    (chain->above.name && chain->above.value != caller.value);
  chain->above = caller;
  if (!chain->several && from->kind == INSTRUCTION_CALL)
    chain->calls[chain->count++] = from->address;
}

/* Adds the call of a function to the chain. Sets chain->several if the function
 * has or may have several callers. */
static void extend_call_chain(struct call_chain *chain, uint64_t function) {
  const struct reference_query wanted = {function, function | 1, chain,
                                         add_chain_caller};
  chain->several |= !references_visit(chain->elf, &wanted);
}

/* Returns whether this function of the runtime writes a dump: frames or, if
 * `file` is set, the contents of a file. */
static bool is_dump_function(const char *name, bool file) {
  return !strcmp(name, "bareprof_send_lean") ||
         !strcmp(name, "bareprof_send_full") ||
         !strncmp(name, "bareprof_tiny_send", 18) ||
         (file && !strcmp(name, "bareprof_write_image"));
}

/* Begins the chain at the runtime's functions that write dumps. */
static void begin_call_chain(struct call_chain *chain, bool file) {
  const struct elf *elf = chain->elf;
  uint64_t thumb = elf->machine == ELF_ARM;
  for (uint64_t i = 0; i < elf->symbol_count && !chain->several; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.type == ELF_FUNCTION && symbol.section &&
        is_dump_function(symbol.name, file))
      extend_call_chain(chain, symbol.value & ~thumb);
  }
  /* If there are not several callers, the name of the caller is known. */
  if (!chain->several && chain->count > 1)
    chain->several = !elf_is_runtime_name(chain->above.name);
}

static bool is_main_or_entry(const struct elf *elf,
                             const struct elf_symbol *function) {
  uint64_t thumb = elf->machine == ELF_ARM;
  return !strcmp(function->name, "main") ||
         (elf->entry & ~thumb) - function->value < function->size;
}

/* Extends the chain up to main or the entry. Returns false if the chain is not
 * known. */
static bool complete_call_chain(struct call_chain *chain) {
  for (unsigned steps = 0; chain->above.name && !chain->several; steps++) {
    struct elf_symbol function = chain->above;
    size_t before = chain->count;
    if (elf_is_runtime_name(function.name))
      chain->dumps = NULL;
    else if (!chain->dumps)
      chain->dumps = function.name;
    if (is_main_or_entry(chain->elf, &function))
      return true;
    chain->above.name = NULL;
    extend_call_chain(chain, function.value);
    chain->several |= chain->count > before + 1 || steps == CHAIN_MOST;
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

/* Adds the function at an address and the functions that it was inlined into.
 * `times` is the number of dumps in which they were active. If `called` is set,
 * the address is in a call, else the code was halted there. */
static void add_calls_at_address(struct active_calls *active,
                                 struct debug_info *debug, uint64_t address,
                                 size_t times, bool called) {
  struct dwarf_frame frames[DWARF_FRAMES];
  size_t count = debug->error ? 0
                              : dwarf_find_frames(&debug->scopes, &debug->lines,
                                                  address, frames);
  for (size_t i = 0; i < count; i++) {
    const char *file = dwarf_lines_path(&debug->lines, frames[i].file);
    const struct active_call call = {
        .name = need_copy(&active->texts, frames[i].name),
        .file = need_copy(&active->texts, file),
        .line = frames[i].line,
        .column = frames[i].column,
        .times = (uint32_t)times,
        .called = called || i,
        .unsure = active->unsure};
    if (call.line && call.column)
      need_append(&active->calls, &call, sizeof call);
  }
}

static void add_chain_calls(struct active_calls *active,
                            struct debug_info *debug,
                            const struct call_chain *chain, size_t times) {
  for (size_t i = 0; i < chain->count; i++)
    add_calls_at_address(active, debug, chain->calls[i], times, true);
}

const char *active_calls_add_core(struct active_calls *active,
                                  struct bytes core) {
  static const uint64_t end = GDB_STACK_END;
  active->halted++;
  active->stacks.limit = SIZE_MAX; /* the inputs limit the list */
  const char *error = gdb_stack_parse_note(core, &active->stacks);
  if (!error)
    need_append(&active->stacks, &end, sizeof end);
  return error;
}

/* Adds the calls above the outermost known function of a halted core, if only
 * one chain of calls leads to this function. */
static bool add_callers_if_known(struct active_calls *active,
                                 struct debug_info *debug,
                                 const struct elf *elf,
                                 const struct elf_symbol *function) {
  struct call_chain chain = {.elf = elf, .above = *function};
  bool known = complete_call_chain(&chain);
  if (known)
    add_chain_calls(active, debug, &chain, 1);
  return known;
}

/* Adds the calls of halted cores. Sets active->unknown to a function whose
 * callers are not known. A program that has ended itself is most often in code
 * without lines, after main: this code does not set active->unknown. */
static void add_calls_of_halted_cores(struct active_calls *active,
                                      struct debug_info *debug,
                                      const struct elf *elf) {
  const uint64_t *word = (const void *)active->stacks.data;
  const size_t count = active->stacks.size / sizeof *word;
  struct elf_symbol function = {.name = NULL};
  bool called = false, rooted = false, silent = false;
  for (size_t i = 0, before = 0; i < count; i++) {
    if (word[i] == GDB_STACK_END) {
      silent &= active->calls.size == before;
      if (!rooted && !add_callers_if_known(active, debug, elf, &function) &&
          !silent)
        active->unknown = function.name ? function.name : "";
      function.name = NULL;
      called = rooted = silent = false;
      before = active->calls.size;
    } else if (word[i] == GDB_STACK_ENDED) {
      silent = true;
    } else if (word[i] == GDB_STACK_EXCEPTION) {
      called = false;
    } else {
      function = elf_find_function(elf, word[i]);
      rooted |= function.name && is_main_or_entry(elf, &function);
      add_calls_at_address(active, debug, word[i], 1, called);
      called = true;
    }
  }
}

/* Returns the first symbol of an ELF that can leave functions without a return,
 * or NULL. */
static const char *find_nonlocal_exit(const struct elf *elf) {
  static const char *const names[] = {"longjmp", "siglongjmp", "__cxa_throw",
                                      "_Unwind_RaiseException"};
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    const char *name = elf_symbol(elf, i).name;
    size_t size = strcspn(name, "@"); /* A name may end in @VERSION. */
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
      if (strlen(names[k]) == size && memcmp(names[k], name, size) == 0)
        return names[k];
    /* clang makes this part of each coroutine. */
    if (size > 7 && memcmp(name + size - 7, ".resume", 7) == 0)
      return "a coroutine";
  }
  return NULL;
}

void active_calls_collect(struct input_elf *subject) {
  struct active_calls *active = &subject->active;
  const struct elf *elf = &subject->elf;
  struct call_chain chain = {.elf = elf};
  size_t files = subject->boots - active->logged - active->halted;
  uint64_t address;
  struct debug_info debug;
  active->calls.limit = active->texts.limit = SIZE_MAX;
  if (files || active->logged)
    begin_call_chain(&chain, files);
  bool single = complete_call_chain(&chain);
  active->dumps = single ? NULL : chain.dumps;
  /* compiler-rt writes its profile when the program ends. */
  active->anywhere =
      files + active->logged && !single && !chain.dumps &&
      !elf_find_symbol(elf, "__llvm_profile_write_file", &address);
  active->kept = elf_find_symbol(elf, "bareprof_retain_boot", &address);
  /* A linker drops these functions if nothing calls them. */
  active->unsure = files || active->kept ||
                   elf_find_symbol(elf, "bareprof_reset", &address) ||
                   elf_find_symbol(elf, "bareprof_reset_image", &address);
  active->leaves = find_nonlocal_exit(elf);
  if (!single && !active->halted)
    return;
  open_debug_info(&debug, elf);
  add_calls_of_halted_cores(active, &debug, elf);
  if (single)
    add_chain_calls(active, &debug, &chain, files + active->logged);
  close_debug_info(&debug);
}

void active_calls_free(struct active_calls *active) {
  buffer_free(&active->stacks);
  buffer_free(&active->calls);
  arena_free(&active->texts);
}
