/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How labels are used. A jump table names its targets, and subtracts a place
 * to count from; position-independent code names the place only to subtract
 * it, and what follows that label must not move away from it.
 */
#include <ctype.h>
#include <string.h>

#include "asm_blocks.h"

/* Where an expression is being read. */
struct reading {
  const struct asm_program *program;
  const char *data;
  uint32_t at, end;
  bool negative;  /* a minus before the next operand */
  uint64_t signs; /* of the open brackets, a bit each */
  unsigned depth;
};

static void take_sign(struct reading *reading, char c) {
  if (c == '(') {
    reading->signs =
        reading->signs << 1 | (reading->negative != (reading->signs & 1));
    reading->depth++;
    reading->negative = false;
  } else if (c == ')' && reading->depth) {
    reading->signs >>= 1;
    reading->depth--;
  } else if (c == ',') {
    reading->negative = false;
    if (!reading->depth)
      reading->signs = 0;
  } else if (!isspace((unsigned char)c))
    reading->negative = c == '-';
}

/* The next name that begins with .L; false: there is none. */
static bool next_label(struct reading *reading, struct asm_slice *name,
                       bool *negative) {
  while (reading->at < reading->end) {
    char c = reading->data[reading->at];
    if (!asm_in_name(c)) {
      take_sign(reading, c);
      reading->at++;
      continue;
    }
    uint32_t from = reading->at;
    while (reading->at < reading->end &&
           asm_in_name(reading->data[reading->at]))
      reading->at++;
    *negative = reading->negative != (reading->signs & 1);
    reading->negative = false;
    *name = (struct asm_slice){from, reading->at - from};
    if (name->size > 2 && memcmp(reading->data + from, ".L", 2) == 0)
      return true;
  }
  return false;
}

static struct reading reading_of(const struct asm_program *program,
                                 struct asm_slice slice) {
  return (struct reading){.program = program,
                          .data = program->text->data,
                          .at = slice.at,
                          .end = slice.at + slice.size};
}

/* RISC-V: the low part names the instruction that has the high one. */
static bool names_anchor(const struct asm_program *program,
                         struct asm_slice name) {
  static const char *const before[] = {"pcrel_lo(", "tlsdesc_load_lo(",
                                       "tlsdesc_add_lo(", "tlsdesc_call("};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
    uint32_t size = (uint32_t)strlen(before[i]);
    if (name.at >= size &&
        memcmp(program->text->data + name.at - size, before[i], size) == 0)
      return true;
  }
  return false;
}

static void use(const struct asm_program *program, struct asm_slice name,
                unsigned how) {
  struct asm_label *label = asm_label_find(program, name);
  if (label)
    label->uses |= (uint8_t)how;
}

static void read_plain(const struct asm_program *program,
                       struct asm_slice slice) {
  struct reading reading = reading_of(program, slice);
  struct asm_slice name;
  bool negative;
  while (next_label(&reading, &name, &negative))
    use(program, name,
        negative || names_anchor(program, name) ? ASM_ANCHOR : ASM_TAKEN);
}

static bool begins_function(const struct asm_text *text,
                            struct asm_slice name) {
  return asm_begins(text, name, ".LFB") ||
         asm_begins(text, name, ".Lfunc_begin") ||
         asm_begins(text, name, ".LFSB") || asm_begins(text, name, ".LCOLDB") ||
         asm_begins(text, name, ".LHOTB");
}

/* Exception tables count call sites and landing pads from the function's
 * beginning, and lengths of call sites from where those begin. */
static void read_exceptions(const struct asm_program *program,
                            struct asm_slice rest) {
  struct asm_slice operand;
  while (asm_operand(program->text, &rest, &operand)) {
    struct reading reading = reading_of(program, operand);
    struct asm_slice first = {0, 0}, name;
    bool negative, from_start = false;
    while (next_label(&reading, &name, &negative)) {
      if (!negative)
        first = name;
      else if (begins_function(program->text, name))
        from_start = true;
      else
        use(program, name, ASM_BEGINS);
    }
    if (first.size && from_start)
      use(program, first, ASM_LANDING);
  }
}

static void read_instruction(const struct asm_program *program,
                             const struct asm_machine *machine,
                             const struct asm_statement *at) {
  struct asm_flow flow = asm_flow_of(machine, program->text, at);
  if (flow.ends && flow.target.size) {
    use(program, flow.target, ASM_JUMPED);
    return;
  }
  read_plain(program, at->rest);
}

static bool holds_numbers(const struct asm_text *text, struct asm_slice word) {
  static const char *const names[] = {
      ".byte",  ".short", ".hword", ".half",  ".word",    ".long",
      ".int",   ".quad",  ".xword", ".dword", ".2byte",   ".4byte",
      ".8byte", ".set",   ".equ",   ".value", ".uleb128", NULL};
  return asm_listed(text, word, names);
}

void asm_find_uses(struct asm_program *program,
                   const struct asm_machine *machine) {
  const struct asm_text *text = program->text;
  for (uint32_t i = 0; i < text->count; i++) {
    const struct asm_statement *at = asm_at(text, i);
    enum asm_role role =
        (enum asm_role)asm_section_at(program, at->section)->role;
    if (role == ASM_ASIDE || at->kind == ASM_LABEL || at->kind == ASM_NOTE)
      continue;
    if (at->kind == ASM_INSTRUCTION)
      read_instruction(program, machine, at);
    else if (!holds_numbers(text, at->word))
      continue;
    else if (role == ASM_EXCEPTIONS)
      read_exceptions(program, at->rest);
    else
      read_plain(program, at->rest);
  }
}

bool asm_steps_over(const struct asm_program *program,
                    const struct asm_statement *statement) {
  const struct asm_text *text = program->text;
  if (statement->kind == ASM_NOTE)
    return statement->note != ASM_NOTE_INSIDE &&
           statement->note != ASM_NOTE_OUTSIDE;
  if (statement->kind == ASM_LABEL) {
    const struct asm_label *label = asm_label_find(program, statement->word);
    return label && !(label->uses & (ASM_JUMPED | ASM_TAKEN | ASM_ANCHOR));
  }
  return statement->kind == ASM_DIRECTIVE && !statement->inside &&
         (asm_begins(text, statement->word, ".cfi_") ||
          asm_is(text, statement->word, ".loc") ||
          asm_is(text, statement->word, ".file") ||
          asm_is(text, statement->word, ".fnstart"));
}
