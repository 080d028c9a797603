/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: the linked parts of the runtime. A linked function need not be
 * called.
 */
#include <string.h>

#include "findings.h"

static void check_who(const struct facts *facts, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  if (facts->runtime == NO_RUNTIME_AT_ALL && facts->kind == FULL)
    findings_add(to, WARNING, NO_RUNTIME,
                 "no runtime is linked, so nothing reads the records; link "
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

static void check_modes(const struct facts *facts, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  if (symbols[TLS_SAMPLING].defined)
    findings_add(to, WARNING, SAMPLING,
                 "sampled instrumentation needs thread-local storage set up "
                 "by start-up code; or compile without it");
  if (symbols[BIAS].defined && !symbols[RELOCATE].defined)
    findings_add(
        to, NOTE, COUNTER_BIAS,
        "counters have a bias: undefined until .bss is cleared, then 0; call "
        "bareprof_relocate, or omit -runtime-counter-relocation");
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
  check_init(facts, to);
  if (!symbols[WRITE_IMAGE].defined && !symbols[SEND_AS].defined &&
      !symbols[SEND_LEAN].defined && !symbols[SERVE].defined)
    findings_add(to, facts->kind == FULL ? WARNING : NOTE, NO_SENDER,
                 "nothing linked sends a profile: only a debugger can take "
                 "the counters; call bareprof_send or bareprof_write");
}
