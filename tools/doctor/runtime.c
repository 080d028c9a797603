/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: what is linked of the runtime, and whether somebody starts it. That
 * something is linked does not say that it is called.
 */
#include "examine.h"

#include <inttypes.h>

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

static void check_start(const struct facts *facts, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  const struct symbol *first = &symbols[PREINIT_START];
  const struct symbol *last = &symbols[PREINIT_END];
  const struct symbol *preinit = &symbols[PREINIT];
  bool walked = first->defined && last->defined;
  if (!symbols[INIT].defined) {
    if (symbols[GUARD].defined || !is_loaded(&facts->sections[CNTS]))
      findings_add(to, ERROR, NO_INIT,
                   "nothing calls bareprof_init: counters hold anything, and "
                   "dumps are refused; %s",
                   walked ? "link with -u bareprof_preinit"
                          : "call it first in the reset handler");
  } else if (preinit->defined && !walked) {
    findings_add(to, WARNING, PREINIT_NOT_WALKED,
                 "bareprof_preinit is linked, and nothing bounds "
                 ".preinit_array for start-up code; call bareprof_init");
  } else if (preinit->defined &&
             preinit->value - first->value >= last->value - first->value) {
    findings_add(to, ERROR, PREINIT_NOT_WALKED,
                 "bareprof_preinit is outside of __preinit_array_start and "
                 "_end; place KEEP(*(.preinit_array)) between them");
  } else if (!preinit->defined && walked) {
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
