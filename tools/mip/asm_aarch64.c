/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * AArch64.
 */
#include <string.h>

#include "asm_machine.h"

static struct asm_slice last_operand(const struct asm_text *text,
                                     struct asm_slice rest) {
  struct asm_slice operand = {rest.at, 0};
  while (asm_operand(text, &rest, &operand))
    ;
  return operand;
}

/* b.eq, and beq as some write it; bc.eq. */
static bool is_branch(const struct asm_text *text, struct asm_slice word) {
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
  if (is_branch(text, word))
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
