/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sleds. At a function's entry a register is free; at a block's beginning
 * one that its function never names is: ip, x16 and t1 are the caller's to
 * save, carry no argument, and live nowhere unseen but across a part that the
 * compiler has outlined. Else one is pushed. No sled changes flags.
 *
 * Where no zero register is at hand, the low byte of an even address is
 * stored, which is never 0xFF.
 */
#include <inttypes.h>

#include "asm_plan.h"

/* Thumb-1 stores reach 31 bytes: a literal serves the slots from an even one
 * on. */
enum { LITERAL_SPAN = 30 };

struct sled {
  FILE *out;
  const struct asm_plan *plan;
  const struct asm_function *function;
  uint32_t number; /* of the function */
  uint32_t slot;   /* its byte, counted from f$RAW */
  uint32_t serial; /* of the sled in the function: 0 the entry's */
  bool spill;
};

void asm_print_symbol(FILE *out, const struct asm_text *text,
                      const struct asm_function *function, const char *suffix) {
  struct asm_slice name = function->name;
  bool quoted = text->data[name.at] == '"';
  fprintf(out, "%.*s%s%s", (int)name.size - quoted, text->data + name.at,
          suffix, quoted ? "\"" : "");
}

/* f$RAW, or f$RAW+5 */
static void print_place(const struct sled *sled, uint32_t slot) {
  asm_print_symbol(sled->out, sled->plan->program->text, sled->function,
                   "$RAW");
  if (slot)
    fprintf(sled->out, "+%" PRIu32, slot);
}

/* Prints with a % for the place, which the format may name twice. */
static void print_with_place(const struct sled *sled, const char *format) {
  for (; *format; format++)
    if (*format == '%')
      print_place(sled, sled->slot);
    else
      fputc(*format, sled->out);
}

bool asm_has_literals(const struct asm_machine *machine,
                      const struct asm_function *function) {
  return machine->arch == ASM_ARM &&
         !(function->thumb ? machine->wide : machine->moves);
}

/* ---- Arm ---- */

/* The load of the slot's address, or of an even one up to 30 below it. */
static void load_literal(const struct sled *sled, const char *to) {
  uint32_t span = sled->function->thumb ? LITERAL_SPAN : 4080;
  if (sled->function->far_literals)
    fprintf(sled->out, "\tldr\t%s, .Lmip_near%" PRIu32 "_%" PRIu32 "\n", to,
            sled->number, sled->serial);
  else
    fprintf(sled->out, "\tldr\t%s, .Lmip_literal%" PRIu32 "_%" PRIu32 "\n", to,
            sled->number, sled->slot / span);
  fprintf(sled->out, "\tstrb\t%s, [%s, #%" PRIu32 "]\n", to, to,
          sled->slot % span);
}

/* A literal that would be too far away behind the function. */
static void skip_literal(const struct sled *sled) {
  uint32_t span = sled->function->thumb ? LITERAL_SPAN : 4080;
  FILE *out = sled->out;
  if (!sled->function->far_literals)
    return;
  fprintf(out, "\tb\t.Lmip_on%" PRIu32 "_%" PRIu32 "\n\t.p2align\t2\n",
          sled->number, sled->serial);
  fprintf(out, ".Lmip_near%" PRIu32 "_%" PRIu32 ":\n\t.4byte\t", sled->number,
          sled->serial);
  print_place(sled, sled->slot / span * span);
  fprintf(out, "\n.Lmip_on%" PRIu32 "_%" PRIu32 ":\n", sled->number,
          sled->serial);
}

static void store_by_literal(const struct sled *sled) {
  bool thumb = sled->function->thumb;
  if (!thumb && !sled->spill) {
    load_literal(sled, "ip");
  } else if (thumb && !sled->serial && !sled->spill) {
    fputs("\tmov\tip, r0\n", sled->out);
    load_literal(sled, "r0");
    fputs("\tmov\tr0, ip\n", sled->out);
  } else {
    fputs("\tpush\t{r0}\n", sled->out);
    load_literal(sled, "r0");
    fputs("\tpop\t{r0}\n", sled->out);
  }
  skip_literal(sled);
}

static void store_by_moves(const struct sled *sled) {
  const char *to = sled->spill ? "r0" : "ip";
  FILE *out = sled->out;
  if (sled->spill)
    fputs("\tpush\t{r0}\n", out);
  fprintf(out, "\tmovw\t%s, #:lower16:", to);
  print_place(sled, 0);
  fprintf(out, "\n\tmovt\t%s, #:upper16:", to);
  print_place(sled, 0);
  fprintf(out, "\n\tstrb\t%s, [%s, #%" PRIu32 "]\n", to, to, sled->slot);
  if (sled->spill)
    fputs("\tpop\t{r0}\n", out);
}

/* ---- the others ---- */

static void store_aarch64(const struct sled *sled) {
  if (sled->spill)
    fputs("\tstr\tx16, [sp, #-16]!\n", sled->out);
  print_with_place(sled, "\tadrp\tx16, %\n\tstrb\twzr, [x16, :lo12:%]\n");
  if (sled->spill)
    fputs("\tldr\tx16, [sp], #16\n", sled->out);
}

static void store_riscv(const struct sled *sled) {
  bool wide = sled->plan->machine->arch == ASM_RISCV64;
  if (sled->spill)
    fprintf(sled->out, "\taddi\tsp, sp, -16\n\t%s\tt1, 0(sp)\n",
            wide ? "sd" : "sw");
  if (wide)
    print_with_place(sled, "\tsb\tzero, %, t1\n");
  else {
    fputs("\tlui\tt1, %hi(", sled->out);
    print_place(sled, sled->slot);
    fputs(")\n\tsb\tzero, %lo(", sled->out);
    print_place(sled, sled->slot);
    fputs(")(t1)\n", sled->out);
  }
  if (sled->spill)
    fprintf(sled->out, "\t%s\tt1, 0(sp)\n\taddi\tsp, sp, 16\n",
            wide ? "ld" : "lw");
}

static void store_x86(const struct sled *sled) {
  bool intel = sled->plan->machine->intel;
  if (intel)
    fputs("\t.att_syntax prefix\n", sled->out);
  fputs("\tmovb\t$0, ", sled->out);
  print_place(sled, sled->slot);
  fputs("(%rip)\n", sled->out);
  if (intel)
    fputs("\t.intel_syntax noprefix\n", sled->out);
}

static void print_store(const struct sled *sled) {
  switch (sled->plan->machine->arch) {
  case ASM_ARM:
    if (asm_has_literals(sled->plan->machine, sled->function))
      store_by_literal(sled);
    else
      store_by_moves(sled);
    return;
  case ASM_AARCH64:
    store_aarch64(sled);
    return;
  case ASM_X86_64:
    store_x86(sled);
    return;
  default:
    store_riscv(sled);
  }
}

/* The helper finds the function's place behind its call. */
static void print_call(const struct sled *sled) {
  const char *helper =
      sled->plan->wish.type & 16 ? "bareprof_mip_edge" : "bareprof_mip_count";
  FILE *out = sled->out;
  switch (sled->plan->machine->arch) {
  case ASM_ARM:
    /* 12 bytes, where code behind it is aligned to 4. */
    if (sled->function->thumb && sled->function->aligned)
      fputs("\tnop\n", out);
    fprintf(out, "\tmov\tip, lr\n\tbl\t%s\n", helper);
    print_with_place(sled, "\t.4byte\t%\n");
    return;
  case ASM_AARCH64:
    fprintf(out, "\tmov\tx16, x30\n\tbl\t%s\n", helper);
    break;
  case ASM_X86_64:
    fprintf(out, "\tcall\t%s\n", helper);
    break;
  default:
    fprintf(out, "\tcall\tt0, %s\n", helper);
  }
  print_with_place(sled, "\t.4byte\t%-.\n");
}

static struct sled sled_of(FILE *out, const struct asm_plan *plan,
                           uint32_t number) {
  return (struct sled){.out = out,
                       .plan = plan,
                       .function = asm_function_at(plan->program, number),
                       .number = number};
}

void asm_print_entry(FILE *out, const struct asm_plan *plan, uint32_t number) {
  struct sled sled = sled_of(out, plan, number);
  sled.spill = sled.function->spill;
  if (plan->wish.type & 12)
    print_call(&sled);
  else
    print_store(&sled);
}

void asm_print_block(FILE *out, const struct asm_plan *plan, uint32_t number,
                     uint32_t block) {
  struct sled sled = sled_of(out, plan, number);
  sled.spill = sled.function->spill_blocks;
  sled.slot = asm_first_slot(&plan->wish) + block;
  sled.serial = block + 1;
  fprintf(out, ".Lmip_block%" PRIu32 "_%" PRIu32 ":\n", number, block);
  print_store(&sled);
}

void asm_print_literals(FILE *out, const struct asm_plan *plan,
                        uint32_t number) {
  struct sled sled = sled_of(out, plan, number);
  const struct asm_function *function = sled.function;
  uint32_t span = function->thumb ? LITERAL_SPAN : 4080;
  uint32_t end = asm_first_slot(&plan->wish) +
                 (function->has_blocks ? function->block_count : 0);
  bool only_blocks = plan->wish.type & 12;
  if (!asm_has_literals(plan->machine, function) || function->far_literals ||
      (only_blocks && !function->has_blocks))
    return;
  fputs("\t.p2align\t2\n", out);
  for (sled.slot = 0; sled.slot < end; sled.slot += span) {
    fprintf(out, ".Lmip_literal%" PRIu32 "_%" PRIu32 ":\n\t.4byte\t", number,
            sled.slot / span);
    print_place(&sled, sled.slot);
    fputc('\n', out);
  }
}

uint32_t asm_sled_size(const struct asm_plan *plan,
                       const struct asm_function *function, bool entry) {
  uint32_t size = 24;
  if (function->thumb && asm_has_literals(plan->machine, function))
    size = function->far_literals ? 16 : 8;
  else if (plan->machine->arch == ASM_ARM)
    size = (entry ? function->spill : function->spill_blocks) ? 20 : 12;
  else if (plan->machine->arch == ASM_AARCH64)
    size = !entry && function->spill_blocks ? 16 : 8;
  return entry && plan->wish.type & 12 ? 12 : size;
}

/* ==== The most bytes that a statement makes. */

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
