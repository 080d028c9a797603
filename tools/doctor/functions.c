/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: the instrumented functions, one by one. Whether their names and
 * their code are there, and whether some should not be instrumented, or not
 * this way.
 */
#include "examine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../object/md5.h"

enum { FUNCTION = 2 }; /* type of a symbol */

static int by_value(const void *left, const void *right) {
  const uint64_t *a = left, *b = right;
  return *a < *b ? -1 : *a > *b;
}

/* The functions with code as records refer to them: by the MD5 of the name,
 * ascending. */
static uint64_t *find_code(const struct elf *elf, size_t *count) {
  uint64_t *list = calloc((size_t)elf->symbol_count + 1, sizeof *list);
  *count = 0;
  for (uint64_t i = 0; list && i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.type == FUNCTION && symbol.section)
      list[(*count)++] = md5_low64(symbol.name, strlen(symbol.name));
  }
  if (list)
    qsort(list, *count, sizeof *list, by_value);
  return list;
}

/* Static functions are let pass: they are inlined as a rule, and their names
 * begin with a file's. */
static void check_code(const struct facts *facts, struct findings *to) {
  const struct functions *functions = &facts->functions;
  size_t count, missing = 0;
  uint64_t bytes = 0;
  uint64_t *code = find_code(facts->elf, &count);
  for (size_t i = 0; code && count && i < functions->count; i++) {
    const struct function *f = &functions->list[i];
    if (!f->name || strpbrk(f->name, ":;") ||
        bsearch(&f->name_ref, code, count, sizeof *code, by_value))
      continue;
    missing++;
    bytes += (uint64_t)f->counter_count * functions->counter_size;
    if (facts->kind == FULL)
      bytes += facts->record_size;
  }
  free(code);
  if (missing)
    findings_add(to, NOTE, RECORDS_DEAD,
                 "%zu of %zu functions (%" PRIu64 " bytes) have no code: "
                 "inlined, or dead and kept; use --gc-sections and no KEEP",
                 missing, functions->count, bytes);
}

static void check_names(const struct facts *facts, struct findings *to) {
  const struct functions *functions = &facts->functions;
  size_t missing = 0;
  for (size_t i = 0; i < functions->count; i++)
    missing += !functions->list[i].name;
  if (missing && missing < functions->count)
    findings_add(to, WARNING, NAMES_INCOMPLETE,
                 "%zu of %zu functions have no name, and llvm-profdata drops "
                 "them; place *(__llvm_prf_names) of all objects",
                 missing, functions->count);
}

/* ---- by name ---- */

static bool ends_in(const char *name, const char *end) {
  size_t length = strlen(name), most = strlen(end);
  return length >= most && strcmp(name + length - most, end) == 0;
}

static bool is_interrupt(const char *name) {
  return ends_in(name, "_IRQHandler") || ends_in(name, "_Handler") ||
         ends_in(name, "_isr") || ends_in(name, "_ISR");
}

static void check_interrupted(const struct facts *facts, const char *handler,
                              struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  bool tasks = has_tasks(facts);
  if (facts->elf->wide || facts->bytes || symbols[FETCH_ADD].defined ||
      (!handler && !tasks))
    return;
  findings_add(to, NOTE, NOT_ATOMIC,
               "%.40s%s count, and may interrupt others that do: counts get "
               "lost; compile with -fprofile-update=atomic",
               handler ? handler : "tasks of an RTOS",
               handler ? " and the like" : "");
}

static void check_by_name(const struct facts *facts, struct findings *to) {
  const char *handler = NULL;
  for (size_t i = 0; i < facts->functions.count; i++) {
    const char *name = facts->functions.list[i].name;
    if (!name)
      continue;
    const char *own = strpbrk(name, ":;");
    own = own ? own + 1 : name;
    if (is_interrupt(own))
      handler = own;
  }
  check_interrupted(facts, handler, to);
}

void check_functions(const struct facts *facts, struct findings *to) {
  check_code(facts, to);
  check_names(facts, to);
  check_by_name(facts, to);
  if (facts->symbols[CONSTRUCTOR].defined)
    findings_add(to, WARNING, CONSTRUCTORS,
                 "constructors of clang 13 to 17 keep dead functions' "
                 "records; llvm-objcopy --remove-section=.init_array.0 "
                 "cures objects");
}
