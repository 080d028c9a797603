/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * RISC-V, 32 and 64 bit.
 */
#include <string.h>

#include "asm_machine.h"

static bool is_branch(const struct asm_text *text, struct asm_slice word) {
  static const char *const names[] = {
      "beq",   "bne",    "blt",    "bge",  "bltu", "bgeu", "beqz",
      "bnez",  "blez",   "bgez",   "bltz", "bgtz", "bgt",  "ble",
      "bgtu",  "bleu",   "beqi",   "bnei", "blti", "bgei", "bgeui",
      "bltui", "c.beqz", "c.bnez", NULL};
  return asm_listed(text, word, names);
}

static bool is_zero(const struct asm_text *text, struct asm_slice operand) {
  return asm_is(text, operand, "zero") || asm_is(text, operand, "x0");
}

/* jr, and jalr that keeps no return address. */
static struct asm_flow through(const struct asm_text *text,
                               struct asm_slice operand) {
  bool back =
      asm_mentions(text, operand, "ra") || asm_mentions(text, operand, "x1");
  return (struct asm_flow){.ends = true, .indirect = !back};
}

struct asm_flow asm_riscv_flow(const struct asm_text *text,
                               const struct asm_statement *statement) {
  static const char *const jump[] = {"j", "c.j", "tail", NULL};
  static const char *const back[] = {"ret",  "mret",  "sret",
                                     "uret", "mnret", NULL};
  struct asm_slice word = statement->word, operand = {0, 0};
  struct asm_slice rest = statement->rest, first = {0, 0};
  asm_operand(text, &rest, &first);
  if (is_branch(text, word)) {
    operand = first;
    while (asm_operand(text, &rest, &operand))
      ;
    return (struct asm_flow){.ends = true, .falls = true, .target = operand};
  }
  if (asm_listed(text, word, jump))
    return (struct asm_flow){.ends = true, .target = first};
  if (asm_is(text, word, "jump") ||
      (asm_is(text, word, "jal") && is_zero(text, first) && rest.size)) {
    bool jumps = asm_is(text, word, "jump");
    asm_operand(text, &rest, &operand);
    return (struct asm_flow){.ends = true, .target = jumps ? first : operand};
  }
  if (asm_is(text, word, "jr") || asm_is(text, word, "c.jr"))
    return through(text, first);
  if (asm_is(text, word, "jalr") && is_zero(text, first) && rest.size)
    return through(text, rest);
  return (struct asm_flow){.ends = asm_listed(text, word, back)};
}

unsigned asm_riscv_traits(const struct asm_text *text,
                          const struct asm_statement *statement) {
  static const char *const returns[] = {"mret", "sret", "uret", "mnret", NULL};
  struct asm_slice word = statement->word;
  if (asm_begins(text, word, "lr.w") || asm_begins(text, word, "lr.d"))
    return ASM_LOADS_EXCLUSIVE;
  if (asm_begins(text, word, "sc.w") || asm_begins(text, word, "sc.d"))
    return ASM_STORES_EXCLUSIVE;
  if (asm_is(text, word, "lpad"))
    return ASM_LANDS;
  if (asm_listed(text, word, returns))
    return ASM_RESUMES;
  return asm_is(text, word, "unimp") || asm_is(text, word, "c.unimp") ||
                 asm_is(text, word, "ebreak")
             ? ASM_TRAPS
             : 0;
}
