/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the blocks of a function, for graph.c and sled.c. Code is a sequence of
 * runs. A run is a number of statements without code (labels, directives), and
 * then an instruction. A block begins where a run has a label to which control
 * may jump, or after a branch that may not be taken. Sleds cannot be inserted
 * in an IT block, between an exclusive load and its store, in inline assembly,
 * or between a jump and the table that counts from the jump. At these places no
 * block begins.
 */
#include <ctype.h>
#include <string.h>

#include "../../base/need.h"
#include "plan.h"

/* ==== Finds out how labels are used. A jump table has the differences between
 * its targets and the place from which the table counts. If an expression only
 * subtracts a label, as in position-independent code, the code after the label
 * must not move away from the label. */

/* The state while an expression is read. */
struct expression_reader {
  const char *data;
  uint32_t at, end;
  bool negative;  /* a minus comes before the next operand */
  uint64_t signs; /* signs of the open brackets, one bit for each bracket */
  unsigned depth;
};

static void track_operand_sign(struct expression_reader *expression, char c) {
  if (c == '(') {
    expression->signs = expression->signs << 1 |
                        (expression->negative != (expression->signs & 1));
    expression->depth++;
    expression->negative = false;
  } else if (c == ')' && expression->depth) {
    expression->signs >>= 1;
    expression->depth--;
  } else if (c == ',') {
    expression->negative = false;
    if (!expression->depth)
      expression->signs = 0;
  } else if (!isspace((unsigned char)c))
    expression->negative = c == '-';
}

/* Finds the next name that begins with .L, and whether the expression subtracts
 * the name. Returns false if no such name exists. */
static bool find_next_label(struct expression_reader *expression,
                            struct asm_slice *name, bool *negative) {
  while (expression->at < expression->end) {
    char c = expression->data[expression->at];
    if (!asm_is_name_char(c)) {
      track_operand_sign(expression, c);
      expression->at++;
      continue;
    }
    uint32_t from = expression->at;
    while (expression->at < expression->end &&
           asm_is_name_char(expression->data[expression->at]))
      expression->at++;
    *negative = expression->negative != (expression->signs & 1);
    expression->negative = false;
    *name = (struct asm_slice){from, expression->at - from};
    if (name->size > 2 && memcmp(expression->data + from, ".L", 2) == 0)
      return true;
  }
  return false;
}

static struct expression_reader
make_expression_reader(const struct asm_program *program,
                       struct asm_slice slice) {
  return (struct expression_reader){.data = program->text->data,
                                    .at = slice.at,
                                    .end = slice.at + slice.size};
}

/* Returns whether this label marks the instruction with the high part of an
 * address. On RISC-V, the low part of the address names this label. */
static bool is_low_part_operand(const struct asm_program *program,
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

static void mark_label_use(const struct asm_program *program,
                           struct asm_slice name, unsigned how) {
  struct asm_label *label = asm_label_find(program, name);
  if (label)
    label->uses |= (uint8_t)how;
}

static void mark_expression_labels(const struct asm_program *program,
                                   struct asm_slice slice) {
  struct expression_reader expression = make_expression_reader(program, slice);
  struct asm_slice name;
  bool negative;
  while (find_next_label(&expression, &name, &negative))
    mark_label_use(program, name,
                   negative || is_low_part_operand(program, name) ? ASM_ANCHOR
                                                                  : ASM_TAKEN);
}

static bool is_function_begin_label(const struct asm_text *text,
                                    struct asm_slice name) {
  return asm_is_listed(text, name,
                       ".LFB* .Lfunc_begin* .LFSB* .LCOLDB* .LHOTB*");
}

/* Marks labels in an exception table. The table counts call sites and landing
 * pads from the function's beginning, and the length of a call site from the
 * call site's beginning. */
static void mark_exception_uses(const struct asm_program *program,
                                struct asm_slice rest) {
  struct asm_slice operand;
  while (asm_pop_operand(program->text, &rest, &operand)) {
    struct expression_reader expression =
        make_expression_reader(program, operand);
    struct asm_slice first = {0, 0}, name;
    bool negative, from_start = false;
    while (find_next_label(&expression, &name, &negative)) {
      if (!negative)
        first = name;
      else if (is_function_begin_label(program->text, name))
        from_start = true;
      else
        mark_label_use(program, name, ASM_BEGINS);
    }
    if (first.size && from_start)
      mark_label_use(program, first, ASM_LANDING);
  }
}

static void mark_uses_of_instruction(const struct asm_program *program,
                                     const struct asm_statement *at) {
  struct asm_flow flow = asm_flow_of(program->text, at);
  if (flow.ends && flow.target.size) {
    struct asm_label *label = asm_label_find(program, flow.target);
    if (!label)
      return;
    bool own =
        program->text->statements[label->statement].function == at->function;
    label->uses |= own ? ASM_JUMPED : ASM_JUMPED | ASM_FOREIGN;
    return;
  }
  mark_expression_labels(program, at->rest);
}

static bool is_number_directive(const struct asm_text *text,
                                struct asm_slice word) {
  return asm_is_listed(
      text, word,
      ".byte .short .hword .half .word .long .int .quad .xword "
      ".dword .2byte .4byte .8byte .set .equ .value .uleb128");
}

static void mark_global_labels(const struct asm_program *program,
                               struct asm_slice rest) {
  struct asm_slice operand;
  while (asm_pop_operand(program->text, &rest, &operand))
    mark_label_use(program, operand, ASM_SHARED);
}

void asm_mark_label_uses(struct asm_program *program) {
  const struct asm_text *text = program->text;
  for (uint32_t i = 0; i < text->count; i++) {
    const struct asm_statement *at = &text->statements[i];
    if (asm_is_listed(text, at->word, ".globl .global .weak"))
      mark_global_labels(program, at->rest);
    enum asm_role role = (enum asm_role)program->sections[at->section].role;
    if (role == ASM_ASIDE || at->kind == ASM_LABEL || at->kind == ASM_NOTE)
      continue;
    if (at->kind == ASM_INSTRUCTION)
      mark_uses_of_instruction(program, at);
    else if (!is_number_directive(text, at->word))
      continue;
    else if (role == ASM_EXCEPTIONS)
      mark_exception_uses(program, at->rest);
    else
      mark_expression_labels(program, at->rest);
  }
}

/* Returns whether the sled may come after this statement instead of before it.
 * The sled may follow a note, a directive for lines or unwinding, and a label
 * that only the tables for lines or unwinding use. */
static bool can_sled_follow(const struct asm_program *program,
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
         asm_is_listed(text, statement->word, ".cfi_* .loc .file .fnstart");
}

/* ==== Finds blocks. */

struct block_scan {
  struct asm_program *program;
  struct asm_function *function;
  uint32_t before;   /* the last instruction, data or function's label before
                        the run */
  uint32_t leader;   /* the last label of the run that begins a block, or
                        ASM_NONE */
  uint32_t run;      /* first statement of the run, or ASM_NONE */
  uint32_t block;    /* number of the current block */
  unsigned it;       /* number of instructions left in an IT block */
  bool falls, glued; /* the effect of the previous instruction: see struct
                        asm_flow */
  bool exclusive, started;
};

static bool is_data_directive(const struct asm_text *text,
                              const struct asm_statement *at) {
  return at->kind == ASM_DIRECTIVE &&
         asm_is_listed(
             text, at->word,
             ".byte .short .hword .half .word .long .int .quad .xword "
             ".dword .2byte .4byte .8byte .space .zero .skip .fill "
             ".ascii .asciz .string");
}

static bool is_block_leader(const struct asm_program *program,
                            const struct asm_statement *at) {
  const struct asm_label *label =
      at->kind == ASM_LABEL ? asm_label_find(program, at->word) : NULL;
  if (!label)
    return false;
  return label->uses & (ASM_JUMPED | ASM_TAKEN) ||
         (label->uses & (ASM_LANDING | ASM_BEGINS)) == ASM_LANDING;
}

/* Returns the place after the directives for lines and unwinding that follow a
 * place. At the entry, skips only the first line directive, because debuggers
 * stop at the second one. */
static uint32_t skip_line_directives(const struct asm_program *program,
                                     uint32_t behind, bool entry) {
  const struct asm_text *text = program->text;
  bool has_line = false;
  for (uint32_t i = text->statements[behind].next; i != ASM_NONE;
       i = text->statements[i].next) {
    const struct asm_statement *at = &text->statements[i];
    if (is_block_leader(program, at) || !can_sled_follow(program, at))
      break;
    bool line = asm_equals(text, at->word, ".loc");
    if (at->kind == ASM_DIRECTIVE && !(line && has_line && entry))
      behind = i;
    has_line |= line;
  }
  return behind;
}

/* Moves a place after an instruction that must be the first of its block, so
 * that this instruction stays before the sled. */
static uint32_t skip_landing_and_note_signing(const struct block_scan *scan,
                                              uint32_t behind,
                                              uint32_t instruction) {
  const struct asm_text *text = scan->program->text;
  while (instruction != ASM_NONE &&
         text->statements[instruction].kind == ASM_INSTRUCTION &&
         !text->statements[instruction].inside) {
    const struct asm_statement *at = &text->statements[instruction];
    unsigned traits = asm_traits_of(text, at);
    if (!(traits & ASM_LANDS))
      break;
    if (traits & ASM_SIGNS)
      scan->function->spill = true;
    behind = skip_line_directives(scan->program, instruction, true);
    instruction = text->statements[behind].next;
  }
  return behind;
}

static void begin_block(struct block_scan *scan, uint32_t instruction) {
  uint32_t after = scan->leader == ASM_NONE ? scan->before : scan->leader;
  struct asm_block block = {
      skip_landing_and_note_signing(
          scan, skip_line_directives(scan->program, after, false), instruction),
      scan->function->kept++, false, 0};
  scan->block++;
  scan->function->block_count++;
  LIST_ADD(scan->program->blocks, scan->program->block_count, block);
}

/* Chooses the place of the entry's sled. If a loop begins with the first
 * instruction, and this instruction has to stay first, a sled after it would
 * run in each iteration. So such a function is skipped. */
static void place_entry_sled(struct block_scan *scan, uint32_t instruction) {
  struct asm_function *function = scan->function;
  uint32_t behind = skip_line_directives(scan->program, function->label, true);
  function->entry = skip_landing_and_note_signing(scan, behind, instruction);
  if (function->entry != behind && scan->leader != ASM_NONE)
    function->skipped = "a loop begins with its first instruction";
}

static void set_label_blocks(struct block_scan *scan, uint32_t end,
                             uint32_t block) {
  const struct asm_text *text = scan->program->text;
  for (uint32_t i = scan->run; i != ASM_NONE && i != end;
       i = text->statements[i].next) {
    const struct asm_statement *at = &text->statements[i];
    struct asm_label *label =
        at->kind == ASM_LABEL ? asm_label_find(scan->program, at->word) : NULL;
    if (label && label->statement == i)
      label->block = block;
  }
}

static void note_instruction_effects(struct block_scan *scan, uint32_t index) {
  const struct asm_text *text = scan->program->text;
  const struct asm_statement *at = &text->statements[index];
  struct asm_flow flow = {.ends = false};
  unsigned traits = 0;
  if (!at->inside) {
    flow = asm_flow_of(text, at);
    traits = asm_traits_of(text, at);
  }
  if (traits & ASM_LOADS_EXCLUSIVE)
    scan->exclusive = true;
  else if (traits & ASM_STORES_EXCLUSIVE)
    scan->exclusive = false;
  /* Labels such as `1b` and `1f` come from inline assembly, which compilers do
   * not parse. */
  bool local =
      flow.target.size && asm_is_name_char(text->data[flow.target.at]) &&
      text->data[flow.target.at] >= '0' && text->data[flow.target.at] <= '9';
  scan->falls = flow.ends && flow.falls && !local;
  scan->glued = flow.ends && flow.glued;
  scan->it = scan->it ? scan->it - 1 : asm_it_block_length(text, at);
}

/* Ends the run at statement `index`, which is an instruction, and decides
 * whether a block begins. */
static void end_run_and_begin_block(struct block_scan *scan, uint32_t index) {
  struct asm_statement *at = &scan->program->text->statements[index];
  uint32_t after = scan->leader == ASM_NONE ? scan->before : scan->leader;
  bool fixed = scan->it || scan->exclusive || scan->glued;
  /* A sled can go before inline assembly, but not into it. */
  if (at->inside)
    fixed |= scan->program->text->statements[after].inside;
  if (!fixed && (scan->leader != ASM_NONE || (scan->started && scan->falls)))
    begin_block(scan, index);
  scan->function->mixed |= fixed && scan->leader != ASM_NONE;
  if (!scan->started)
    place_entry_sled(scan, index);
  set_label_blocks(scan, index, scan->block);
  at->block = scan->block;
  scan->started = true;
  note_instruction_effects(scan, index);
}

static void scan_statement(struct block_scan *scan, uint32_t index) {
  const struct asm_statement *at = &scan->program->text->statements[index];
  bool data = is_data_directive(scan->program->text, at);
  if (at->kind == ASM_INSTRUCTION || data) {
    if (!data)
      end_run_and_begin_block(scan, index);
    else
      scan->falls = scan->glued = false;
    scan->before = index;
    scan->leader = scan->run = ASM_NONE;
    return;
  }
  if (scan->run == ASM_NONE)
    scan->run = index;
  if (is_block_leader(scan->program, at))
    scan->leader = index;
}

void asm_build_blocks(struct asm_program *program,
                      struct asm_function *function) {
  const struct asm_text *text = program->text;
  struct block_scan scan = {.program = program,
                            .function = function,
                            .before = function->label,
                            .leader = ASM_NONE,
                            .run = ASM_NONE};
  function->first_block = program->block_count;
  for (uint32_t i = text->statements[function->label].next;
       i != ASM_NONE && i != function->size; i = text->statements[i].next)
    scan_statement(&scan, i);
}
