/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sleds move code apart. Where the assembler chooses the length of a branch,
 * nothing is to do; but cbz, Thumb-1 branches, literals, and tables of
 * distances in bytes have their limits. Positions are counted with the most
 * that each statement may take, so that no distance is underestimated.
 */
#include "asm_plan.h"

/* ---- positions ---- */

static uint32_t add(uint32_t a, uint32_t b) {
  return a > ASM_HUGE - b || b > ASM_HUGE ? ASM_HUGE : a + b;
}

/* Gives each statement its position; returns the size of all. */
static uint32_t set_positions(const struct asm_plan *plan,
                              const struct asm_function *function) {
  const struct asm_text *text = plan->program->text;
  uint32_t position = 0, block = 0;
  for (uint32_t i = function->label; i != ASM_NONE; i = asm_at(text, i)->next) {
    struct asm_statement *at = asm_at(text, i);
    at->position = position;
    position = add(position, asm_size_of(plan->machine, function, text, at));
    if (i == function->entry)
      position = add(position, asm_sled_size(plan, function, true));
    while (function->has_blocks && block < function->block_count &&
           asm_block_at(plan->program, function->first_block + block)->behind ==
               i) {
      position = add(position, asm_sled_size(plan, function, false));
      block++;
    }
  }
  return position;
}

/* ---- distances ---- */

static uint32_t distance(uint32_t a, uint32_t b) {
  if (a >= ASM_HUGE || b >= ASM_HUGE)
    return ASM_HUGE;
  return a > b ? a - b : b - a;
}

/* gcc names words of a pool by its label and a number: .L16+4 */
static uint32_t offset_at(const struct asm_text *text, uint32_t at,
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

/* The labels of the same function that a slice names, up to two. */
static unsigned labels_in(const struct asm_plan *plan, struct asm_slice slice,
                          uint32_t function, uint32_t positions[2]) {
  const struct asm_text *text = plan->program->text;
  unsigned count = 0;
  uint32_t at = slice.at, end = slice.at + slice.size;
  while (at < end && count < 2) {
    uint32_t from = at;
    while (at < end && asm_in_name(text->data[at]))
      at++;
    const struct asm_label *label =
        at - from > 2 && text->data[from] == '.'
            ? asm_label_find(plan->program, (struct asm_slice){from, at - from})
            : NULL;
    const struct asm_statement *place =
        label ? asm_at(text, label->statement) : NULL;
    if (place && place->function == function)
      positions[count++] = place->position + offset_at(text, at, end);
    at += at == from;
  }
  return count;
}

/* How far an Arm instruction reaches that names a label. */
static uint32_t arm_limit(const struct asm_plan *plan,
                          const struct asm_function *function,
                          const struct asm_statement *at) {
  const struct asm_text *text = plan->program->text;
  struct asm_flow flow = asm_flow_of(plan->machine, text, at);
  bool thumb1 = function->thumb && !plan->machine->wide;
  if (asm_begins(text, at->word, "le") || asm_begins(text, at->word, "wls"))
    return 4000;
  if (flow.ends && flow.target.size)
    return thumb1 ? 2040 : ASM_HUGE - 1;
  if (asm_begins(text, at->word, "vldr") || asm_begins(text, at->word, "adr") ||
      asm_begins(text, at->word, "ldrd") || thumb1)
    return 1016;
  if (!function->thumb && (asm_begins(text, at->word, "ldrh") ||
                           asm_begins(text, at->word, "ldrs")))
    return 248;
  return 4080;
}

static uint32_t aarch64_limit(const struct asm_text *text,
                              const struct asm_statement *at) {
  return asm_begins(text, at->word, "tb") ? 32760 : 1048000;
}

/* A table's entries: bytes or halves, of 2 or 4 bytes each. */
static uint32_t table_limit(const struct asm_plan *plan,
                            const struct asm_function *function,
                            const struct asm_statement *at) {
  uint32_t width = asm_width_of(plan->program->text, at->word);
  uint32_t unit = plan->machine->arch == ASM_AARCH64 ? 4 : 2;
  if (plan->machine->arch == ASM_ARM && !plan->machine->wide && function->thumb)
    unit = 1;
  return width == 1 ? 254 * unit : width == 2 ? 65534 * unit : ASM_HUGE - 1;
}

static bool is_too_far(const struct asm_plan *plan,
                       const struct asm_function *function,
                       const struct asm_statement *at, uint32_t number) {
  uint32_t positions[2], limit;
  unsigned count = labels_in(plan, at->rest, number, positions);
  if (!count)
    return false;
  if (at->kind == ASM_INSTRUCTION) {
    limit = plan->machine->arch == ASM_ARM
                ? arm_limit(plan, function, at)
                : aarch64_limit(plan->program->text, at);
    return distance(at->position, positions[count - 1]) > limit;
  }
  return count == 2 &&
         distance(positions[0], positions[1]) > table_limit(plan, function, at);
}

/* The function of the first local label that a slice begins with, behind
 * brackets. */
static uint32_t function_named(const struct asm_plan *plan,
                               struct asm_slice slice) {
  const struct asm_text *text = plan->program->text;
  uint32_t at = slice.at, end = slice.at + slice.size;
  while (at < end && text->data[at] == '(')
    at++;
  uint32_t from = at;
  while (at < end && asm_in_name(text->data[at]))
    at++;
  const struct asm_label *label =
      asm_label_find(plan->program, (struct asm_slice){from, at - from});
  return label ? asm_at(text, label->statement)->function : ASM_NONE;
}

bool asm_must_widen(const struct asm_plan *plan,
                    const struct asm_function *function,
                    const struct asm_statement *statement) {
  const struct asm_text *text = plan->program->text;
  uint32_t positions[2];
  if (!function->has_blocks ||
      !asm_is_short(plan->machine, function, text, statement))
    return false;
  unsigned count =
      labels_in(plan, statement->rest, statement->function, positions);
  uint32_t limit = asm_is_riscv(plan->machine)             ? 4000
                   : text->data[statement->word.at] == 'c' ? 124
                                                           : 250;
  return count && distance(statement->position, positions[count - 1]) > limit;
}

/* x86-64: branches that nothing can make longer. */
static bool is_short_only(const struct asm_text *text,
                          const struct asm_statement *at) {
  return asm_begins(text, at->word, "loop") ||
         asm_is(text, at->word, "jrcxz") || asm_is(text, at->word, "jecxz");
}

static void check_distances(struct asm_plan *plan,
                            struct asm_function *function) {
  const struct asm_text *text = plan->program->text;
  enum asm_arch arch = plan->machine->arch;
  uint32_t number = asm_at(text, function->label)->function;
  for (uint32_t i = function->label; i != ASM_NONE && !function->plain;
       i = asm_at(text, i)->next) {
    const struct asm_statement *at = asm_at(text, i);
    bool data = at->kind == ASM_DIRECTIVE && asm_width_of(text, at->word);
    if (at->kind != ASM_INSTRUCTION && !data)
      continue;
    if (arch == ASM_X86_64 && is_short_only(text, at))
      function->plain = "it has a branch that only reaches 127 bytes";
    else if ((arch == ASM_ARM || arch == ASM_AARCH64) &&
             is_too_far(plan, function, at, number))
      function->plain = data ? "a jump table's distances would not fit"
                             : "a literal or branch would be too far away";
  }
}

void asm_check_reach(struct asm_plan *plan, struct asm_function *function) {
  const struct asm_machine *machine = plan->machine;
  if (asm_has_literals(machine, function)) {
    uint32_t most = function->thumb ? 1000 : 4000;
    uint32_t more = 8 + 4 * (function->block_count / 30 + 1);
    function->far_literals = set_positions(plan, function) > most - more;
  }
  if (!function->has_blocks)
    return;
  set_positions(plan, function);
  if (!function->plain)
    check_distances(plan, function);
}

/* Jump tables outside of code, of functions that have been looked at. */
void asm_check_tables(struct asm_plan *plan) {
  const struct asm_program *program = plan->program;
  const struct asm_text *text = program->text;
  for (uint32_t i = 0; i < text->count; i++) {
    const struct asm_statement *at = asm_at(text, i);
    if (at->function != ASM_NONE || at->kind != ASM_DIRECTIVE ||
        asm_width_of(text, at->word) - 1 > 1)
      continue;
    uint32_t number = function_named(plan, at->rest);
    if (number == ASM_NONE)
      continue;
    struct asm_function *function = asm_function_at(program, number);
    if (!function->has_blocks || !is_too_far(plan, function, at, number))
      continue;
    function->plain = "a jump table's distances would not fit";
    function->has_blocks = false;
  }
}
