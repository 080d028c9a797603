/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds branches and literals that would be out of reach, because sleds move
 * code apart. If the assembler chooses the length of a branch, more distance
 * does no harm. But cbz, Thumb-1 branches, literals and tables of distances
 * have limited reach. If a target is out of reach, asm.c widens the branch or
 * gives the function no block coverage. The search counts each statement's
 * largest size, so no distance is underestimated.
 */
#include "plan.h"

/* ---- sizes: the most bytes that a statement takes ---- */

static uint32_t count_operands(const struct asm_text *text,
                               struct asm_slice rest) {
  struct asm_slice operand;
  uint32_t count = 0;
  while (asm_pop_operand(text, &rest, &operand))
    count++;
  return count;
}

static uint32_t parse_number(const struct asm_text *text,
                             struct asm_slice rest) {
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

static uint32_t parse_align_size(const struct asm_text *text,
                                 struct asm_slice rest) {
  uint32_t power = parse_number(text, rest);
  return power < 20 ? (UINT32_C(1) << power) - 1 : ASM_HUGE;
}

/* Returns the size of each number in a directive that lists numbers, or 0 for
 * another directive. */
static uint32_t directive_number_width(const struct asm_text *text,
                                       struct asm_slice word) {
  if (asm_equals(text, word, ".byte"))
    return 1;
  if (asm_is_listed(text, word, ".short .hword .half .2byte .inst.n"))
    return 2;
  if (asm_is_listed(text, word, ".word .long .int .4byte .inst .inst.w"))
    return 4;
  return asm_is_listed(text, word, ".quad .xword .dword .8byte") ? 8 : 0;
}

/* Returns whether the directive adds no bytes at its place. */
static bool adds_no_bytes(const struct asm_text *text, struct asm_slice word) {
  return asm_is_listed(
      text, word,
      ".cfi_* .loc .file .size .type .code .thumb .arm .syntax .save .vsave "
      ".setfp .pad .fnstart .fnend .global .globl .weak .hidden .set .equ "
      ".text .section .previous .option .movsp .ident .local .thumb_func .cpu "
      ".arch .fpu .pushsection .popsection .cantunwind .personality "
      ".personalityindex .handlerdata .tlsdesccall .arch_extension "
      ".eabi_attribute .attribute .unwind_raw");
}

static uint32_t directive_size(const struct asm_text *text,
                               const struct asm_statement *at) {
  uint32_t width = directive_number_width(text, at->word);
  if (width)
    return width * count_operands(text, at->rest);
  if (adds_no_bytes(text, at->word))
    return 0;
  if (asm_is_listed(text, at->word, ".ascii .asciz .string"))
    return at->rest.size;
  if (asm_is_listed(text, at->word, ".space .zero .skip"))
    return parse_number(text, at->rest);
  if (asm_is_listed(text, at->word, ".align .p2align"))
    return parse_align_size(text, at->rest);
  /* NAME = VALUE adds no bytes, either. */
  return at->word.size && text->data[at->word.at] != '.' ? 0 : ASM_HUGE;
}

static bool is_riscv(const struct asm_text *text) {
  return text->machine->arch == ASM_RISCV32 ||
         text->machine->arch == ASM_RISCV64;
}

/* Returns whether the branch may have to be widened. Assemblers do not widen
 * cbz and Thumb-1 branches. For RISC-V, LLVM widens branches since LLVM 15. */
static bool is_short_branch(const struct asm_function *function,
                            const struct asm_text *text,
                            const struct asm_statement *at) {
  if (at->inside || at->kind != ASM_INSTRUCTION)
    return false;
  if (is_riscv(text)) {
    struct asm_flow flow = asm_flow_of(text, at);
    return flow.ends && flow.falls;
  }
  if (text->machine->arch != ASM_ARM || !function->thumb)
    return false;
  if (asm_is_listed(text, at->word, "cbz cbnz"))
    return true;
  struct asm_flow flow = asm_flow_of(text, at);
  return !text->machine->wide && flow.ends && flow.falls && flow.target.size &&
         at->word.size == 3;
}

/* Returns the most bytes that a statement takes. */
static uint32_t statement_size(const struct asm_function *function,
                               const struct asm_text *text,
                               const struct asm_statement *at) {
  if (at->kind == ASM_DIRECTIVE)
    return directive_size(text, at);
  if (at->kind != ASM_INSTRUCTION)
    return 0;
  if (at->inside)
    return 16;
  if (is_riscv(text))
    return is_short_branch(function, text, at) ||
                   asm_is_listed(text, at->word, "call tail la lla li jump lga")
               ? 8
               : 4;
  if (is_short_branch(function, text, at))
    return 2 + 4;
  bool narrow = text->machine->arch == ASM_ARM && function->thumb &&
                !text->machine->wide &&
                !asm_is_listed(text, at->word, "bl blx dmb dsb isb mrs msr");
  return narrow ? 2 : 4;
}

/* ---- positions ---- */

static uint32_t add_sizes(uint32_t a, uint32_t b) {
  return a > ASM_HUGE - b || b > ASM_HUGE ? ASM_HUGE : a + b;
}

/* Sets the position of each statement. Returns the size of the function. */
static uint32_t set_statement_positions(const struct asm_plan *plan,
                                        const struct asm_function *function) {
  const struct asm_text *text = plan->program->text;
  uint32_t position = 0, block = 0;
  for (uint32_t i = function->label; i != ASM_NONE;
       i = text->statements[i].next) {
    struct asm_statement *at = &text->statements[i];
    at->position = position;
    position = add_sizes(position, statement_size(function, text, at));
    if (i == function->entry && !asm_entry_is_implied(function))
      position = add_sizes(position, asm_sled_size(plan, function, true));
    for (; function->has_blocks && block < function->block_count; block++) {
      const struct asm_block *it =
          &plan->program->blocks[function->first_block + block];
      if (it->after != i)
        break;
      if (!it->implied)
        position = add_sizes(position, asm_sled_size(plan, function, false));
    }
  }
  return position;
}

/* ---- distances ---- */

static uint32_t position_distance(uint32_t a, uint32_t b) {
  if (a >= ASM_HUGE || b >= ASM_HUGE)
    return ASM_HUGE;
  return a > b ? a - b : b - a;
}

/* Reads the number in an expression like .L16+4, with which gcc names words of
 * a literal pool. */
static uint32_t parse_label_offset(const struct asm_text *text, uint32_t at,
                                   uint32_t end) {
  uint32_t value = 0;
  if (at >= end || text->data[at] != '+')
    return 0;
  for (at++; at < end && value < 65536; at++) {
    if (text->data[at] < '0' || text->data[at] > '9')
      break;
    value = value * 10 + (uint32_t)(text->data[at] - '0');
  }
  return value;
}

/* Finds up to two labels of this function in a slice. Returns the number of
 * labels found. */
static unsigned find_label_positions(const struct asm_plan *plan,
                                     struct asm_slice slice, uint32_t function,
                                     uint32_t positions[2]) {
  const struct asm_text *text = plan->program->text;
  unsigned count = 0;
  uint32_t at = slice.at, end = slice.at + slice.size;
  while (at < end && count < 2) {
    uint32_t from = at;
    while (at < end && asm_is_name_char(text->data[at]))
      at++;
    const struct asm_label *label =
        at - from > 2 && text->data[from] == '.'
            ? asm_label_find(plan->program, (struct asm_slice){from, at - from})
            : NULL;
    const struct asm_statement *place =
        label ? &text->statements[label->statement] : NULL;
    if (place && place->function == function)
      positions[count++] = place->position + parse_label_offset(text, at, end);
    at += at == from;
  }
  return count;
}

/* Returns the reach of an Arm instruction that names a label, in bytes. */
static uint32_t arm_distance_limit(const struct asm_plan *plan,
                                   const struct asm_function *function,
                                   const struct asm_statement *at) {
  const struct asm_text *text = plan->program->text;
  struct asm_flow flow = asm_flow_of(text, at);
  bool thumb1 = function->thumb && !plan->program->text->machine->wide;
  if (asm_is_listed(text, at->word, "le* wls*"))
    return 4000;
  if (flow.ends && flow.target.size)
    return thumb1 ? 2040 : ASM_HUGE - 1;
  if (thumb1 || asm_is_listed(text, at->word, "vldr* adr* ldrd*"))
    return 1016;
  if (!function->thumb && asm_is_listed(text, at->word, "ldrh* ldrs*"))
    return 248;
  return 4080;
}

static uint32_t aarch64_distance_limit(const struct asm_text *text,
                                       const struct asm_statement *at) {
  return asm_starts_with(text, at->word, "tb") ? 32760 : 1048000;
}

/* Returns the reach of a table's entries. The entries are bytes or halfwords,
 * which count in units of 1, 2 or 4 bytes. */
static uint32_t table_distance_limit(const struct asm_plan *plan,
                                     const struct asm_function *function,
                                     const struct asm_statement *at) {
  uint32_t width = directive_number_width(plan->program->text, at->word);
  uint32_t unit = plan->program->text->machine->arch == ASM_AARCH64 ? 4 : 2;
  if (plan->program->text->machine->arch == ASM_ARM &&
      !plan->program->text->machine->wide && function->thumb)
    unit = 1;
  return width == 1 ? 254 * unit : width == 2 ? 65534 * unit : ASM_HUGE - 1;
}

static bool is_label_too_far(const struct asm_plan *plan,
                             const struct asm_function *function,
                             const struct asm_statement *at, uint32_t number) {
  uint32_t positions[2], limit;
  unsigned count = find_label_positions(plan, at->rest, number, positions);
  if (!count)
    return false;
  if (at->kind == ASM_INSTRUCTION) {
    limit = plan->program->text->machine->arch == ASM_ARM
                ? arm_distance_limit(plan, function, at)
                : aarch64_distance_limit(plan->program->text, at);
    return position_distance(at->position, positions[count - 1]) > limit;
  }
  return count == 2 && position_distance(positions[0], positions[1]) >
                           table_distance_limit(plan, function, at);
}

/* Returns the function of the local label at the beginning of a slice. Brackets
 * may come before the label. */
static uint32_t find_function_of_label(const struct asm_plan *plan,
                                       struct asm_slice slice) {
  const struct asm_text *text = plan->program->text;
  uint32_t at = slice.at, end = slice.at + slice.size;
  while (at < end && text->data[at] == '(')
    at++;
  uint32_t from = at;
  while (at < end && asm_is_name_char(text->data[at]))
    at++;
  const struct asm_label *label =
      asm_label_find(plan->program, (struct asm_slice){from, at - from});
  return label ? text->statements[label->statement].function : ASM_NONE;
}

bool asm_must_widen_branch(const struct asm_plan *plan,
                           const struct asm_function *function,
                           const struct asm_statement *statement) {
  const struct asm_text *text = plan->program->text;
  uint32_t positions[2];
  if (!function->has_blocks || !is_short_branch(function, text, statement))
    return false;
  unsigned count = find_label_positions(plan, statement->rest,
                                        statement->function, positions);
  uint32_t limit = is_riscv(text)                          ? 4000
                   : text->data[statement->word.at] == 'c' ? 124
                                                           : 250;
  return count &&
         position_distance(statement->position, positions[count - 1]) > limit;
}

static void apply_distance_limits(struct asm_plan *plan,
                                  struct asm_function *function) {
  const struct asm_text *text = plan->program->text;
  enum asm_arch arch = plan->program->text->machine->arch;
  uint32_t number = text->statements[function->label].function;
  for (uint32_t i = function->label; i != ASM_NONE && !function->plain;
       i = text->statements[i].next) {
    const struct asm_statement *at = &text->statements[i];
    bool data =
        at->kind == ASM_DIRECTIVE && directive_number_width(text, at->word);
    if (at->kind != ASM_INSTRUCTION && !data)
      continue;
    if ((arch == ASM_ARM || arch == ASM_AARCH64) &&
        is_label_too_far(plan, function, at, number))
      function->plain = data ? "a jump table's distances would not fit"
                             : "a literal or branch would be too far away";
  }
}

/* Decides whether sleds use literals, and where these are: after the function
 * or, if that is too far away and sleds need literals, inside each sled. */
static void choose_literal_place(const struct asm_plan *plan,
                                 struct asm_function *function) {
  const struct asm_text *text = plan->program->text;
  bool must = asm_needs_literals(text);
  bool pure = plan->program->sections[function->section].pure;
  uint32_t most = asm_is_thumb1(plan, function) ? 1000 : 4000;
  function->literals = must || (text->machine->arch == ASM_ARM && !pure &&
                                plan->settings.type & MIP_BLOCKS);
  if (!function->literals)
    return;
  most -= 8 + 4 * (function->kept / asm_bytes_per_literal(plan, function) + 1);
  bool far = set_statement_positions(plan, function) > most;
  function->literals = must || !far;
  function->near_literals = must && far;
}

void asm_plan_literals_and_reach(struct asm_plan *plan,
                                 struct asm_function *function) {
  choose_literal_place(plan, function);
  if (!function->has_blocks)
    return;
  set_statement_positions(plan, function);
  if (!function->plain)
    apply_distance_limits(plan, function);
}

/* Checks the jump tables outside code, for functions that still have block
 * coverage. */
void asm_apply_table_limits(struct asm_plan *plan) {
  const struct asm_program *program = plan->program;
  const struct asm_text *text = program->text;
  for (uint32_t i = 0; i < text->count; i++) {
    const struct asm_statement *at = &text->statements[i];
    if (at->function != ASM_NONE || at->kind != ASM_DIRECTIVE ||
        directive_number_width(text, at->word) - 1 > 1)
      continue;
    uint32_t number = find_function_of_label(plan, at->rest);
    if (number == ASM_NONE)
      continue;
    struct asm_function *function = &program->functions[number];
    if (!function->has_blocks || !is_label_too_far(plan, function, at, number))
      continue;
    function->plain = "a jump table's distances would not fit";
    function->has_blocks = false;
  }
}
