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
