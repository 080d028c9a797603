/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A32 and Thumb. Any instruction may have a condition behind its name, and
 * many may write pc.
 */
#include <string.h>

#include "asm_machine.h"

static bool is_condition(const char *two) {
  return memcmp(two, "eq", 2) == 0 || memcmp(two, "ne", 2) == 0 ||
         memcmp(two, "cs", 2) == 0 || memcmp(two, "hs", 2) == 0 ||
         memcmp(two, "cc", 2) == 0 || memcmp(two, "lo", 2) == 0 ||
         memcmp(two, "mi", 2) == 0 || memcmp(two, "pl", 2) == 0 ||
         memcmp(two, "vs", 2) == 0 || memcmp(two, "vc", 2) == 0 ||
         memcmp(two, "hi", 2) == 0 || memcmp(two, "ls", 2) == 0 ||
         memcmp(two, "ge", 2) == 0 || memcmp(two, "lt", 2) == 0 ||
         memcmp(two, "gt", 2) == 0 || memcmp(two, "le", 2) == 0;
}

/* Without `.w` and `.n`. */
static struct asm_slice bare(const struct asm_text *text,
                             struct asm_slice word) {
  if (word.size > 2 && text->data[word.at + word.size - 2] == '.')
    word.size -= 2;
  return word;
}

/* Whether it is one of the names, with or without a condition. */
static bool conditional(const struct asm_text *text, struct asm_slice word,
                        const char *const *names, bool *condition) {
  *condition = false;
  if (asm_listed(text, word, names))
    return true;
  if (word.size < 3 || !is_condition(text->data + word.at + word.size - 2))
    return false;
  word.size -= 2;
  *condition = true;
  return asm_listed(text, word, names);
}

/* Instructions that write to their first operand, pc among others. */
static bool writes_first(const struct asm_text *text, struct asm_slice word,
                         bool *condition) {
  static const char *const names[] = {
      "ldr", "mov", "movs", "add", "adds", "sub", "subs", "orr", "eor", "and",
      "bic", "rsb", "adc",  "sbc", "lsl",  "lsr", "asr",  "mvn", NULL};
  return conditional(text, word, names, condition);
}

static bool pops_pc(const struct asm_text *text,
                    const struct asm_statement *statement,
                    struct asm_slice word, bool *condition) {
  static const char *const names[] = {"pop",   "ldm",   "ldmia", "ldmfd",
                                      "ldmib", "ldmdb", "ldmda", "ldmea",
                                      "ldmed", "ldmfa", NULL};
  return conditional(text, word, names, condition) &&
         asm_mentions(text, statement->rest, "pc");
}

static bool is_far_switch(const struct asm_text *text,
                          const struct asm_statement *statement) {
  return asm_begins(text, statement->rest, "__gnu_thumb1_case_");
}

/* b, cbz, le, wls and their kin, which name a label. */
static bool direct(const struct asm_text *text, struct asm_slice word,
                   const struct asm_statement *statement,
                   struct asm_flow *flow) {
  static const char *const jump[] = {"b", NULL};
  static const char *const test[] = {"cbz", "cbnz",  "le", "letp",
                                     "wls", "wlstp", NULL};
  bool condition;
  unsigned operand = 0;
  if (asm_listed(text, word, test) || asm_begins(text, word, "wlstp")) {
    struct asm_slice second = asm_operand_at(text, statement->rest, 1);
    struct asm_slice third = asm_operand_at(text, statement->rest, 2);
    operand = third.size ? 2 : second.size ? 1 : 0;
    condition = true;
  } else if (asm_is(text, word, "bal"))
    condition = false;
  else if (!conditional(text, word, jump, &condition))
    return false;
  *flow = (struct asm_flow){.ends = true,
                            .falls = condition,
                            .target =
                                asm_operand_at(text, statement->rest, operand)};
  return true;
}

struct asm_flow asm_arm_flow(const struct asm_text *text,
                             const struct asm_statement *statement) {
  static const char *const exchange[] = {"bx", "bxj", "bxaut", "bxns", NULL};
  static const char *const table[] = {"tbb", "tbh", NULL};
  struct asm_slice word = bare(text, statement->word);
  struct asm_flow flow = {.ends = false};
  bool condition;
  if (direct(text, word, statement, &flow))
    return flow;
  if (conditional(text, word, exchange, &condition))
    return (struct asm_flow){.ends = true,
                             .falls = condition,
                             .indirect = !asm_is(text, statement->rest, "lr")};
  if (asm_listed(text, word, table))
    return (struct asm_flow){.ends = true, .indirect = true, .glued = true};
  if (asm_is(text, word, "bl") && is_far_switch(text, statement))
    return (struct asm_flow){.ends = true, .indirect = true, .glued = true};
  if (pops_pc(text, statement, word, &condition))
    return (struct asm_flow){.ends = true, .falls = condition};
  struct asm_slice first = asm_operand_at(text, statement->rest, 0);
  if (asm_is(text, first, "pc") && writes_first(text, word, &condition)) {
    struct asm_slice rest = statement->rest;
    rest.at += first.size, rest.size -= first.size;
    bool counts =
        asm_mentions(text, rest, "pc") || asm_begins(text, word, "add");
    return (struct asm_flow){.ends = true,
                             .falls = condition,
                             .indirect = !asm_mentions(text, rest, "lr") &&
                                         !asm_mentions(text, rest, "sp"),
                             .glued = counts};
  }
  return flow;
}

static bool resumes(const struct asm_text *text, struct asm_slice word,
                    const struct asm_statement *statement) {
  static const char *const returns[] = {"movs", "subs", NULL};
  bool condition;
  struct asm_slice rest = statement->rest;
  if (asm_begins(text, word, "rfe") || asm_is(text, word, "eret"))
    return true;
  if (asm_is(text, asm_operand_at(text, rest, 0), "pc") &&
      conditional(text, word, returns, &condition))
    return true;
  return rest.size && text->data[rest.at + rest.size - 1] == '^' &&
         pops_pc(text, statement, word, &condition);
}

unsigned asm_arm_traits(const struct asm_text *text,
                        const struct asm_statement *statement) {
  struct asm_slice word = bare(text, statement->word);
  if (asm_begins(text, word, "ldrex") || asm_begins(text, word, "ldaex"))
    return ASM_LOADS_EXCLUSIVE;
  if (asm_begins(text, word, "strex") || asm_begins(text, word, "stlex") ||
      asm_begins(text, word, "clrex"))
    return ASM_STORES_EXCLUSIVE;
  if (asm_is(text, word, "bti"))
    return ASM_LANDS;
  if (asm_is(text, word, "pacbti"))
    return ASM_LANDS | ASM_SIGNS;
  if (asm_begins(text, word, "udf"))
    return ASM_TRAPS;
  return resumes(text, word, statement) ? ASM_RESUMES : 0;
}

/* ==== AArch64. */

static struct asm_slice last_operand(const struct asm_text *text,
                                     struct asm_slice rest) {
  struct asm_slice operand = {rest.at, 0};
  while (asm_operand(text, &rest, &operand))
    ;
  return operand;
}

/* b.eq, and beq as some write it; bc.eq. */
static bool aarch64_is_branch(const struct asm_text *text,
                              struct asm_slice word) {
  static const char *const names[] = {
      "beq", "bne", "bcs", "bhs",  "bcc", "blo",  "bmi",
      "bpl", "bvs", "bvc", "bhi",  "bls", "bge",  "blt",
      "bgt", "ble", "cbz", "cbnz", "tbz", "tbnz", NULL};
  return asm_begins(text, word, "b.") || asm_begins(text, word, "bc.") ||
         asm_begins(text, word, "cb") || asm_listed(text, word, names);
}

struct asm_flow asm_aarch64_flow(const struct asm_text *text,
                                 const struct asm_statement *statement) {
  static const char *const jump[] = {"b", "b.al", NULL};
  static const char *const indirect[] = {"br",    "braa",  "brab",
                                         "braaz", "brabz", NULL};
  static const char *const back[] = {"ret",  "retaa", "retab",
                                     "eret", "drps",  NULL};
  struct asm_slice word = statement->word;
  if (asm_listed(text, word, jump))
    return (struct asm_flow){.ends = true, .target = statement->rest};
  if (aarch64_is_branch(text, word))
    return (struct asm_flow){.ends = true,
                             .falls = true,
                             .target = last_operand(text, statement->rest)};
  if (asm_listed(text, word, indirect))
    return (struct asm_flow){.ends = true, .indirect = true};
  return (struct asm_flow){.ends = asm_listed(text, word, back) ||
                                   asm_begins(text, word, "retaasppc") ||
                                   asm_begins(text, word, "retabsppc")};
}

static unsigned hint(const struct asm_text *text, struct asm_slice rest) {
  static const char *const first[] = {"#25", "#27", "#32", "#34", "#36",
                                      "#38", "25",  "27",  "32",  "34",
                                      "36",  "38",  NULL};
  return asm_listed(text, rest, first) ? ASM_LANDS : 0;
}

unsigned asm_aarch64_traits(const struct asm_text *text,
                            const struct asm_statement *statement) {
  static const char *const first[] = {"bti",       "paciasp",   "pacibsp",
                                      "paciasppc", "pacibsppc", NULL};
  static const char *const loads[] = {"ldxr",   "ldxrb", "ldxrh",
                                      "ldxp",   "ldaxr", "ldaxrb",
                                      "ldaxrh", "ldaxp", NULL};
  static const char *const stores[] = {"stxr",  "stxrb",  "stxrh",  "stxp",
                                       "stlxr", "stlxrb", "stlxrh", "stlxp",
                                       "clrex", NULL};
  struct asm_slice word = statement->word;
  if (asm_is(text, word, "hint"))
    return hint(text, statement->rest);
  if (asm_listed(text, word, first))
    return ASM_LANDS;
  if (asm_listed(text, word, loads))
    return ASM_LOADS_EXCLUSIVE;
  if (asm_listed(text, word, stores))
    return ASM_STORES_EXCLUSIVE;
  if (asm_is(text, word, "eret"))
    return ASM_RESUMES;
  return asm_is(text, word, "udf") || asm_is(text, word, "brk") ? ASM_TRAPS : 0;
}

/* ==== RISC-V, 32 and 64 bit. */

static bool riscv_is_branch(const struct asm_text *text,
                            struct asm_slice word) {
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
  if (riscv_is_branch(text, word)) {
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

/* ==== x86-64, in both syntaxes: what matters is written alike. */

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
