/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which machine it is, and who knows it.
 */
#include "asm_machine.h"

#include <ctype.h>
#include <string.h>

bool asm_listed(const struct asm_text *text, struct asm_slice word,
                const char *const *list) {
  for (; *list; list++)
    if (asm_is(text, word, *list))
      return true;
  return false;
}

/* ---- which ---- */

struct sign {
  const char *word;
  enum asm_arch arch;
};

/* The first line that begins with one of these decides. */
static const struct sign line_signs[] = {{".eabi_attribute", ASM_ARM},
                                         {".thumb", ASM_ARM},
                                         {".syntax", ASM_ARM},
                                         {".thumb_func", ASM_ARM},
                                         {".cpu", ASM_ARM},
                                         {".fpu", ASM_ARM},
                                         {".intel_syntax", ASM_X86_64},
                                         {"endbr64", ASM_X86_64},
                                         {"retq", ASM_X86_64},
                                         {"callq", ASM_X86_64},
                                         {"//", ASM_AARCH64},
                                         {"stp", ASM_AARCH64},
                                         {"adrp", ASM_AARCH64},
                                         {".variant_pcs", ASM_AARCH64}};

static const struct sign operand_signs[] = {
    {"%rsp", ASM_X86_64}, {"%rax", ASM_X86_64}, {"%rbp", ASM_X86_64},
    {"%rdi", ASM_X86_64}, {"%edi", ASM_X86_64}, {"%eax", ASM_X86_64},
    {"%rip", ASM_X86_64}, {"%xmm", ASM_X86_64}, {"\"GCC:", ASM_X86_64},
    {"w0,", ASM_AARCH64}, {"x0,", ASM_AARCH64}, {"x30", ASM_AARCH64}};

static bool holds(const char *line, size_t size, const char *word) {
  size_t length = strlen(word);
  for (size_t i = 0; i + length <= size; i++)
    if (line[i] == *word && memcmp(line + i, word, length) == 0 &&
        (!i || !isalnum((unsigned char)line[i - 1]) || *word == '%'))
      return true;
  return false;
}

/* RISC-V: both compilers name the instruction set, gcc after .option. */
static enum asm_arch riscv_of(const char *line, size_t size) {
  if (holds(line, size, "rv64"))
    return ASM_RISCV64;
  return holds(line, size, "rv32") ? ASM_RISCV32 : ASM_UNKNOWN;
}

static bool word_is(const char *line, size_t size, const char *word) {
  size_t length = strlen(word);
  return size >= length && memcmp(line, word, length) == 0 &&
         (size == length || !asm_in_name(line[length]));
}

static enum asm_arch of_line(const char *line, size_t size) {
  if (word_is(line, size, ".attribute"))
    return riscv_of(line, size);
  for (size_t i = 0; i < sizeof line_signs / sizeof *line_signs; i++)
    if (word_is(line, size, line_signs[i].word))
      return line_signs[i].arch;
  if (size && *line == '.' && !word_is(line, size, ".ident"))
    return ASM_UNKNOWN;
  for (size_t i = 0; i < sizeof operand_signs / sizeof *operand_signs; i++)
    if (holds(line, size, operand_signs[i].word))
      return operand_signs[i].arch;
  return ASM_UNKNOWN;
}

enum asm_arch asm_detect(struct bytes bytes) {
  const char *at = (const char *)bytes.data;
  const char *end = bytes.size ? at + bytes.size : at;
  while (at < end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *line_end = newline ? newline : end;
    while (at < line_end && isblank((unsigned char)*at))
      at++;
    enum asm_arch arch = of_line(at, (size_t)(line_end - at));
    if (arch != ASM_UNKNOWN)
      return arch;
    at = newline ? newline + 1 : end;
  }
  return ASM_UNKNOWN;
}

enum asm_arch asm_arch_named(const char *name, struct asm_machine *machine) {
  static const struct sign names[] = {
      {"thumb1", ASM_ARM},      {"thumb2", ASM_ARM},
      {"arm", ASM_ARM},         {"aarch64", ASM_AARCH64},
      {"riscv32", ASM_RISCV32}, {"riscv64", ASM_RISCV64},
      {"x86-64", ASM_X86_64},   {"x86_64", ASM_X86_64}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i].word) == 0) {
      machine->wide = machine->moves = strcmp(name, "thumb1") != 0;
      return machine->arch = names[i].arch;
    }
  return ASM_UNKNOWN;
}

/* ---- Arm's variants ---- */

/* Whether an architecture or core has Thumb-2: the others are few. */
static bool has_thumb2(const struct asm_text *text, struct asm_slice name) {
  static const char *const without[] = {
      "cortex-m0", "cortex-m1",    "cortex-m23",   "sc000",  "arm7",  "arm8",
      "arm9",      "arm10",        "arm11",        "armv4",  "armv5", "armv6",
      "strongarm", "xscale",       "iwmmxt",       "ep9312", "fa526", "mpcore",
      "star-mc0",  "armv8-m.base", "cortex-m0plus"};
  if (asm_begins(text, name, "armv6t2") || asm_begins(text, name, "arm1156"))
    return true;
  for (size_t i = 0; i < sizeof without / sizeof *without; i++)
    if (asm_begins(text, name, without[i]))
      return false;
  return true;
}

/* Tag_CPU_arch of the ABI: 6T2, 7, 7E-M, 8 and later, but not 8-M.base. */
static bool tag_has_thumb2(const struct asm_text *text, struct asm_slice rest) {
  static const char *const without[] = {"0", "1", "2",  "3",  "4",  "5", "6",
                                        "7", "9", "11", "12", "16", NULL};
  return !asm_listed(text, asm_operand_at(text, rest, 1), without);
}

void asm_machine_read(struct asm_machine *machine,
                      const struct asm_text *text) {
  bool given = machine->wide;
  for (uint32_t i = 0; i < text->count; i++) {
    const struct asm_statement *at = asm_at(text, i);
    if (at->kind != ASM_DIRECTIVE)
      continue;
    if (asm_begins(text, at->word, ".intel_syntax"))
      machine->intel = true;
    else if (asm_begins(text, at->word, ".att_syntax"))
      machine->intel = false;
    if (given || machine->arch != ASM_ARM)
      continue;
    if (asm_is(text, at->word, ".cpu") || asm_is(text, at->word, ".arch"))
      machine->wide = has_thumb2(text, at->rest);
    else if (asm_is(text, at->word, ".eabi_attribute") &&
             asm_is(text, asm_operand_at(text, at->rest, 0), "6"))
      machine->wide = tag_has_thumb2(text, at->rest);
  }
  machine->moves = machine->wide;
}

/* ---- who knows ---- */

struct asm_flow asm_flow_of(const struct asm_machine *machine,
                            const struct asm_text *text,
                            const struct asm_statement *statement) {
  switch (machine->arch) {
  case ASM_ARM:
    return asm_arm_flow(text, statement);
  case ASM_AARCH64:
    return asm_aarch64_flow(text, statement);
  case ASM_X86_64:
    return asm_x86_flow(text, statement);
  default:
    return asm_riscv_flow(text, statement);
  }
}

unsigned asm_traits_of(const struct asm_machine *machine,
                       const struct asm_text *text,
                       const struct asm_statement *statement) {
  switch (machine->arch) {
  case ASM_ARM:
    return asm_arm_traits(text, statement);
  case ASM_AARCH64:
    return asm_aarch64_traits(text, statement);
  case ASM_X86_64:
    return asm_x86_traits(text, statement);
  default:
    return asm_riscv_traits(text, statement);
  }
}

unsigned asm_it_count(const struct asm_machine *machine,
                      const struct asm_text *text,
                      const struct asm_statement *statement) {
  struct asm_slice word = statement->word;
  if (machine->arch != ASM_ARM || word.size < 2 || word.size > 5 ||
      !asm_begins(text, word, "it"))
    return 0;
  for (unsigned i = 2; i < word.size; i++)
    if (text->data[word.at + i] != 't' && text->data[word.at + i] != 'e')
      return 0;
  return word.size - 1;
}
