/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The most bytes that a statement makes.
 */
#include "asm_plan.h"

static uint32_t operands_of(const struct asm_text *text,
                            struct asm_slice rest) {
  struct asm_slice operand;
  uint32_t count = 0;
  while (asm_operand(text, &rest, &operand))
    count++;
  return count;
}

static uint32_t number_of(const struct asm_text *text, struct asm_slice rest) {
  uint32_t value = 0;
  struct asm_slice digits = asm_operand_at(text, rest, 0);
  for (uint32_t i = 0; i < digits.size; i++) {
    char c = text->data[digits.at + i];
    if (c < '0' || c > '9' || value > ASM_HUGE / 16)
      return ASM_HUGE;
    value = value * 10 + (uint32_t)(c - '0');
  }
  return digits.size ? value : ASM_HUGE;
}

static uint32_t align_size(const struct asm_text *text, struct asm_slice rest) {
  uint32_t power = number_of(text, rest);
  return power < 20 ? (UINT32_C(1) << power) - 1 : ASM_HUGE;
}

uint32_t asm_width_of(const struct asm_text *text, struct asm_slice word) {
  static const struct {
    const char *name;
    uint32_t width;
  } widths[] = {{".byte", 1},  {".short", 2}, {".hword", 2},  {".half", 2},
                {".2byte", 2}, {".word", 4},  {".long", 4},   {".int", 4},
                {".4byte", 4}, {".inst", 4},  {".inst.n", 2}, {".inst.w", 4},
                {".quad", 8},  {".xword", 8}, {".dword", 8},  {".8byte", 8}};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    if (asm_is(text, word, widths[i].name))
      return widths[i].width;
  return 0;
}

/* Directives that make nothing where they stand. */
static bool makes_nothing(const struct asm_text *text, struct asm_slice word) {
  static const char *const names[] = {".loc",
                                      ".file",
                                      ".size",
                                      ".type",
                                      ".code",
                                      ".thumb",
                                      ".arm",
                                      ".syntax",
                                      ".save",
                                      ".vsave",
                                      ".setfp",
                                      ".pad",
                                      ".fnstart",
                                      ".fnend",
                                      ".global",
                                      ".globl",
                                      ".weak",
                                      ".hidden",
                                      ".set",
                                      ".equ",
                                      ".text",
                                      ".section",
                                      ".previous",
                                      ".option",
                                      ".movsp",
                                      ".ident",
                                      ".local",
                                      ".thumb_func",
                                      ".cpu",
                                      ".arch",
                                      ".fpu",
                                      ".pushsection",
                                      ".popsection",
                                      ".cantunwind",
                                      ".personality",
                                      ".personalityindex",
                                      ".handlerdata",
                                      ".tlsdesccall",
                                      ".arch_extension",
                                      ".eabi_attribute",
                                      ".attribute",
                                      ".unwind_raw",
                                      NULL};
  return asm_begins(text, word, ".cfi_") || asm_listed(text, word, names);
}

static uint32_t directive_size(const struct asm_text *text,
                               const struct asm_statement *at) {
  static const char *const strings[] = {".ascii", ".asciz", ".string", NULL};
  static const char *const spaces[] = {".space", ".zero", ".skip", NULL};
  static const char *const aligns[] = {".align", ".p2align", NULL};
  uint32_t width = asm_width_of(text, at->word);
  if (width)
    return width * operands_of(text, at->rest);
  if (makes_nothing(text, at->word))
    return 0;
  if (asm_listed(text, at->word, strings))
    return at->rest.size;
  if (asm_listed(text, at->word, spaces))
    return number_of(text, at->rest);
  if (asm_listed(text, at->word, aligns))
    return align_size(text, at->rest);
  /* NAME = VALUE makes nothing either. */
  return at->word.size && text->data[at->word.at] != '.' ? 0 : ASM_HUGE;
}

bool asm_is_riscv(const struct asm_machine *machine) {
  return machine->arch == ASM_RISCV32 || machine->arch == ASM_RISCV64;
}

/* A branch that may have to be made longer here: of cbz no assembler has a
 * longer form, of Thumb-1's none, of RISC-V's LLVM's not before 15. */
bool asm_is_short(const struct asm_machine *machine,
                  const struct asm_function *function,
                  const struct asm_text *text, const struct asm_statement *at) {
  static const char *const tests[] = {"cbz", "cbnz", NULL};
  if (at->inside || at->kind != ASM_INSTRUCTION)
    return false;
  if (asm_is_riscv(machine)) {
    struct asm_flow flow = asm_flow_of(machine, text, at);
    return flow.ends && flow.falls;
  }
  if (machine->arch != ASM_ARM || !function->thumb)
    return false;
  if (asm_listed(text, at->word, tests))
    return true;
  struct asm_flow flow = asm_flow_of(machine, text, at);
  return !machine->wide && flow.ends && flow.falls && flow.target.size &&
         at->word.size == 3;
}

uint32_t asm_size_of(const struct asm_machine *machine,
                     const struct asm_function *function,
                     const struct asm_text *text,
                     const struct asm_statement *at) {
  static const char *const long_ones[] = {"bl",  "blx", "dmb", "dsb",
                                          "isb", "mrs", "msr", NULL};
  static const char *const doubled[] = {"call", "tail", "la",  "lla",
                                        "li",   "jump", "lga", NULL};
  if (at->kind == ASM_DIRECTIVE)
    return directive_size(text, at);
  if (at->kind != ASM_INSTRUCTION)
    return 0;
  if (at->inside)
    return 16;
  if (asm_is_riscv(machine))
    return asm_is_short(machine, function, text, at) ||
                   asm_listed(text, at->word, doubled)
               ? 8
               : 4;
  if (asm_is_short(machine, function, text, at))
    return 2 + 4;
  bool narrow = machine->arch == ASM_ARM && function->thumb && !machine->wide &&
                !asm_listed(text, at->word, long_ones);
  return narrow ? 2 : 4;
}
