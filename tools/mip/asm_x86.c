/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * x86-64, in both syntaxes: what matters is written alike.
 */
#include <string.h>

#include "asm_machine.h"

static bool is_register(const struct asm_text *text, struct asm_slice operand) {
  static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi",
                                      "rbp", "r8",  "r9",  "r10", "r11", "r12",
                                      "r13", "r14", "r15", NULL};
  return asm_listed(text, operand, names);
}

struct asm_flow asm_x86_flow(const struct asm_text *text,
                             const struct asm_statement *statement) {
  static const char *const loops[] = {"loop",  "loope",  "loopne",
                                      "loopz", "loopnz", NULL};
  struct asm_slice word = statement->word, rest = statement->rest;
  if (asm_is(text, word, "notrack"))
    return (struct asm_flow){.ends = asm_begins(text, rest, "jmp"),
                             .indirect = true};
  if (asm_is(text, word, "jmp") || asm_is(text, word, "jmpq")) {
    bool through =
        rest.size && (text->data[rest.at] == '*' || is_register(text, rest) ||
                      asm_mentions(text, rest, "ptr"));
    return (struct asm_flow){.ends = true,
                             .indirect = through,
                             .target =
                                 through ? (struct asm_slice){0, 0} : rest};
  }
  if ((word.size > 1 && text->data[word.at] == 'j') ||
      asm_listed(text, word, loops))
    return (struct asm_flow){.ends = true, .falls = true, .target = rest};
  bool repeats = asm_is(text, word, "rep") || asm_is(text, word, "repz");
  return (struct asm_flow){.ends = asm_begins(text, word, "ret") ||
                                   asm_begins(text, word, "iret") ||
                                   asm_begins(text, word, "sysret") ||
                                   (repeats && asm_begins(text, rest, "ret"))};
}

unsigned asm_x86_traits(const struct asm_text *text,
                        const struct asm_statement *statement) {
  struct asm_slice word = statement->word;
  if (asm_is(text, word, "endbr64"))
    return ASM_LANDS;
  return asm_begins(text, word, "ud") || asm_is(text, word, "int3") ? ASM_TRAPS
                                                                    : 0;
}
