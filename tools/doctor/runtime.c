/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: what is linked of the runtime, and whether somebody starts it. That
 * something is linked does not say that it is called.
 */
#include <inttypes.h>

#include "examine.h"
#include "refers.h"

static void check_who(const struct facts *facts, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  if (facts->runtime == NO_RUNTIME_AT_ALL && facts->kind == FULL)
    findings_add(to, WARNING, NO_RUNTIME,
                 "no runtime is linked, so nobody reads the records; link "
                 "libbareprof.a, or use bareprof-lean.ld and a debugger");
  else if (facts->runtime == NO_RUNTIME_AT_ALL)
    findings_add(to, NOTE, NO_RUNTIME,
                 "no runtime is linked; start-up code fills the counters "
                 "(0x%s), a debugger reads them, or link libbareprof.a",
                 facts->bytes ? "FF" : "00");
  else if (symbols[LPROF_DATA].defined || symbols[LPROF_WRITER].defined ||
           symbols[LPROF_DUMPED].defined)
    findings_add(to, WARNING, OTHER_RUNTIME,
                 "compiler-rt's profile runtime is linked%s; link "
                 "libbareprof.a before it, or instead",
                 facts->runtime == BAREPROF ? " too" : ", not bareprof");
}

/* Whether anything but the entry calls bareprof_init, or takes its address. */
static bool is_called(const struct facts *facts) {
  uint64_t init = facts->symbols[INIT].value & ~UINT64_C(1);
  return may_refer(facts->elf, init, init + 1, facts->symbols[PREINIT].value);
}

static bool is_object(const struct elf *elf, uint64_t address) {
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.section && address - symbol.value < symbol.size)
      return true;
  }
  return false;
}

/* Start-up code needs the begin of the array. gcc's may have the word before,
 * and adds one at each turn. */
static bool is_walked(const struct facts *facts, uint64_t first) {
  uint64_t before = first - (facts->elf->wide ? 8 : 4);
  if (!is_object(facts->elf, before))
    first = before;
  return may_refer(facts->elf, first, facts->symbols[PREINIT].value,
                   UINT64_MAX);
}

static void check_entry(const struct facts *facts, bool bounded,
                        struct findings *to) {
  uint64_t first = facts->symbols[PREINIT_START].value;
  uint64_t last = facts->symbols[PREINIT_END].value;
  uint64_t entry = facts->symbols[PREINIT].value;
  if (is_called(facts))
    return;
  if (bounded && entry - first >= last - first)
    findings_add(to, ERROR, PREINIT_NOT_WALKED,
                 "bareprof_preinit is outside of __preinit_array_start and "
                 "_end; place KEEP(*(.preinit_array)) between them");
  else if (!is_walked(facts, bounded ? first : entry))
    findings_add(
        to, ERROR, PREINIT_NOT_WALKED,
        "no code walks .preinit_array, so dumps are refused; %s, or call "
        "bareprof_init first",
        bounded ? "walk it" : "bound it, walk it");
}

static void check_start(const struct facts *facts, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  bool bounded = symbols[PREINIT_START].defined && symbols[PREINIT_END].defined;
  if (!symbols[INIT].defined) {
    if (symbols[GUARD].defined || !is_loaded(&facts->sections[CNTS]))
      findings_add(to, ERROR, NO_INIT,
                   "nothing calls bareprof_init: counters hold anything, and "
                   "dumps are refused; %s",
                   bounded ? "link with -u bareprof_preinit"
                           : "call it first in the reset handler");
  } else if (symbols[PREINIT].defined) {
    check_entry(facts, bounded, to);
  } else if (bounded) {
    findings_add(to, NOTE, INIT_BY_HAND,
                 "bareprof_init is called by hand: it must come before "
                 "constructors; -u bareprof_preinit sees to that");
  }
}

static void check_modes(const struct facts *facts, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  if (symbols[TLS_SAMPLING].defined)
    findings_add(to, WARNING, SAMPLING,
                 "sampled instrumentation needs thread-local storage set up "
                 "by start-up code; or compile without it");
  if (symbols[BIAS].defined && !symbols[RELOCATE].defined)
    findings_add(to, NOTE, COUNTER_BIAS,
                 "counters are at a bias: 0 once .bss is cleared, anything "
                 "before; call bareprof_relocate, or omit "
                 "-runtime-counter-relocation");
  if (symbols[ORDER_BUFFER].defined)
    findings_add(to, WARNING, ORDER_FILE,
                 "order-file instrumentation takes 1 MB of RAM, and bareprof "
                 "does not read it; omit -forder-file-instrumentation");
}

void check_runtime(const struct facts *facts, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  if (!facts->elf->symbol_count)
    return;
  check_who(facts, to);
  check_modes(facts, to);
  if (facts->undefined)
    findings_add(to, ERROR, UNDEFINED,
                 "%.40s is called and not linked: the call goes to address 0; "
                 "link libbareprof.a for this target",
                 facts->undefined);
  if (facts->runtime != BAREPROF)
    return;
  check_start(facts, to);
  if (!symbols[WRITE_IMAGE].defined && !symbols[SEND_AS].defined &&
      !symbols[SEND_LEAN].defined && !symbols[SERVE].defined)
    findings_add(to, facts->kind == FULL ? WARNING : NOTE, NO_SENDER,
                 "nothing linked sends a profile: only a debugger can take "
                 "the counters; call bareprof_send or bareprof_write");
}
