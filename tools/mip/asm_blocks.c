/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Blocks. Code is runs of what makes no code (labels, directives), each
 * before an instruction; a block begins where a run has a label that control
 * comes to, or behind a branch that may not be taken. No sled goes into an IT
 * block, between an exclusive load and its store, into inline assembly, or
 * between a jump and the table it counts from: there the block before goes
 * on.
 */
#include "asm_blocks.h"

struct scan {
  struct asm_program *program;
  const struct asm_machine *machine;
  struct asm_function *function;
  uint32_t before;   /* the instruction or data before the run, or label */
  uint32_t leader;   /* the run's last label that begins a block */
  uint32_t run;      /* its first statement, or ASM_NONE */
  uint32_t block;    /* the number of the current block */
  unsigned it;       /* instructions left of an IT block */
  bool falls, glued; /* of the instruction before */
  bool exclusive, started;
};

static bool is_code_data(const struct asm_text *text,
                         const struct asm_statement *at) {
  static const char *const names[] = {
      ".byte", ".short", ".hword", ".half",  ".word",  ".long",   ".int",
      ".quad", ".xword", ".dword", ".2byte", ".4byte", ".8byte",  ".space",
      ".zero", ".skip",  ".fill",  ".ascii", ".asciz", ".string", NULL};
  return at->kind == ASM_DIRECTIVE && asm_listed(text, at->word, names);
}

static bool leads(const struct asm_program *program,
                  const struct asm_statement *at) {
  const struct asm_label *label =
      at->kind == ASM_LABEL ? asm_label_find(program, at->word) : NULL;
  if (!label)
    return false;
  return label->uses & (ASM_JUMPED | ASM_TAKEN) ||
         (label->uses & (ASM_LANDING | ASM_BEGINS)) == ASM_LANDING;
}

/* From behind a statement on to behind the directives about lines and
 * unwinding that follow. Of the entry's lines only the first: the next is
 * where debuggers stop. */
static uint32_t settle(const struct asm_program *program, uint32_t behind,
                       bool entry) {
  const struct asm_text *text = program->text;
  bool has_line = false;
  for (uint32_t i = asm_at(text, behind)->next; i != ASM_NONE;
       i = asm_at(text, i)->next) {
    const struct asm_statement *at = asm_at(text, i);
    if (leads(program, at) || !asm_steps_over(program, at))
      break;
    bool line = asm_is(text, at->word, ".loc");
    if (at->kind == ASM_DIRECTIVE && !(line && has_line && entry))
      behind = i;
    has_line |= line;
  }
  return behind;
}

/* What must come first where the block begins stays first. */
static uint32_t behind_landing(const struct scan *scan, uint32_t behind,
                               uint32_t instruction) {
  const struct asm_text *text = scan->program->text;
  while (instruction != ASM_NONE &&
         asm_at(text, instruction)->kind == ASM_INSTRUCTION &&
         !asm_at(text, instruction)->inside) {
    const struct asm_statement *at = asm_at(text, instruction);
    unsigned traits = asm_traits_of(scan->machine, text, at);
    if (!(traits & ASM_LANDS))
      break;
    if (traits & ASM_SIGNS)
      scan->function->spill = true;
    behind = settle(scan->program, instruction, true);
    instruction = asm_at(text, behind)->next;
  }
  return behind;
}

static const char *begin_block(struct scan *scan, uint32_t instruction) {
  uint32_t after = scan->leader == ASM_NONE ? scan->before : scan->leader;
  struct asm_block block = {
      behind_landing(scan, settle(scan->program, after, false), instruction)};
  scan->block++;
  scan->function->block_count++;
  return asm_push(&scan->program->blocks, &scan->program->block_count, &block,
                  sizeof block);
}

/* Where the entry block has no instruction but a loop begins at once, what
 * must come first is the loop's too. */
static void begin_function(struct scan *scan, uint32_t instruction) {
  struct asm_function *function = scan->function;
  uint32_t behind = settle(scan->program, function->label, true);
  function->entry = behind_landing(scan, behind, instruction);
  if (function->entry != behind && scan->leader != ASM_NONE)
    function->skipped = "a loop begins with its first instruction";
}

static void number_labels(struct scan *scan, uint32_t end, uint32_t block) {
  const struct asm_text *text = scan->program->text;
  for (uint32_t i = scan->run; i != ASM_NONE && i != end;
       i = asm_at(text, i)->next) {
    const struct asm_statement *at = asm_at(text, i);
    struct asm_label *label =
        at->kind == ASM_LABEL ? asm_label_find(scan->program, at->word) : NULL;
    if (label && label->statement == i)
      label->block = block;
  }
}

static void take_instruction(struct scan *scan, uint32_t index) {
  const struct asm_text *text = scan->program->text;
  const struct asm_statement *at = asm_at(text, index);
  struct asm_flow flow = {.ends = false};
  unsigned traits = 0;
  if (!at->inside) {
    flow = asm_flow_of(scan->machine, text, at);
    traits = asm_traits_of(scan->machine, text, at);
  }
  if (traits & ASM_LOADS_EXCLUSIVE)
    scan->exclusive = true;
  else if (traits & ASM_STORES_EXCLUSIVE)
    scan->exclusive = false;
  /* `1b` and `1f` are of assembly that the compiler took as it is. */
  bool local = flow.target.size && asm_in_name(text->data[flow.target.at]) &&
               text->data[flow.target.at] >= '0' &&
               text->data[flow.target.at] <= '9';
  scan->falls = flow.ends && flow.falls && !local;
  scan->glued = flow.ends && flow.glued;
  scan->it = scan->it ? scan->it - 1 : asm_it_count(scan->machine, text, at);
}

/* The code before `index`, an instruction, is whole. */
static const char *take_code(struct scan *scan, uint32_t index) {
  struct asm_statement *at = asm_at(scan->program->text, index);
  const char *error = NULL;
  uint32_t after = scan->leader == ASM_NONE ? scan->before : scan->leader;
  bool fixed = scan->it || scan->exclusive || scan->glued;
  /* Before inline assembly a sled fits, in the middle of it not. */
  if (at->inside)
    fixed |= asm_at(scan->program->text, after)->inside;
  if (!fixed && (scan->leader != ASM_NONE || (scan->started && scan->falls)))
    error = begin_block(scan, index);
  if (!scan->started)
    begin_function(scan, index);
  number_labels(scan, index, scan->block);
  at->block = scan->block;
  scan->started = true;
  take_instruction(scan, index);
  return error;
}

static const char *take(struct scan *scan, uint32_t index) {
  const struct asm_statement *at = asm_at(scan->program->text, index);
  const char *error = NULL;
  bool data = is_code_data(scan->program->text, at);
  if (at->kind == ASM_INSTRUCTION || data) {
    if (!data)
      error = take_code(scan, index);
    else
      scan->falls = scan->glued = false;
    scan->before = index;
    scan->leader = scan->run = ASM_NONE;
    return error;
  }
  if (scan->run == ASM_NONE)
    scan->run = index;
  if (leads(scan->program, at))
    scan->leader = index;
  return NULL;
}

const char *asm_find_blocks(struct asm_program *program,
                            const struct asm_machine *machine,
                            struct asm_function *function) {
  const struct asm_text *text = program->text;
  struct scan scan = {.program = program,
                      .machine = machine,
                      .function = function,
                      .before = function->label,
                      .leader = ASM_NONE,
                      .run = ASM_NONE};
  const char *error = NULL;
  function->first_block = program->block_count;
  for (uint32_t i = asm_at(text, function->label)->next;
       i != ASM_NONE && i != function->size && !error;
       i = asm_at(text, i)->next)
    error = take(&scan, i);
  return error;
}
