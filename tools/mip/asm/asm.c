/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Instruments assembly. The input is the text of a .s file; the output is this
 * text with sleds, raw bytes and map records. Chooses the functions and blocks
 * that get sleds, then copies the text up to each place where something is
 * inserted.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/need.h"
#include "asm_text.h"
#include "plan.h"

/* ==== Decides which functions are instrumented, and which registers their
 * sleds may use. */

/* The facts about a function that its statements show. */
struct function_survey {
  uint32_t own, inside; /* number of instructions of the compiler, and of inline
                           assembly */
  bool resumes, naked, nested, aligned;
  bool scratch, outlined; /* the sleds of blocks cannot use their usual
                             register */
};

static bool name_contains(const struct asm_text *text, struct asm_slice name,
                          const char *part) {
  size_t size = strlen(part);
  for (uint32_t i = 0; i + size <= name.size; i++)
    if (memcmp(text->data + name.at + i, part, size) == 0)
      return true;
  return false;
}

/* Returns whether a function's name is like f.cold or f.cold.1. */
static bool is_cold_name(const struct asm_text *text, struct asm_slice name) {
  for (uint32_t i = 0; i + 5 <= name.size; i++)
    if (memcmp(text->data + name.at + i, ".cold", 5) == 0 &&
        (i + 5 == name.size || text->data[name.at + i + 5] == '.' ||
         text->data[name.at + i + 5] == '"'))
      return true;
  return false;
}

static void survey_statement(const struct asm_plan *plan,
                             const struct asm_statement *at,
                             struct function_survey *survey) {
  const struct asm_text *text = plan->program->text;
  survey->naked |= at->note == ASM_NOTE_NAKED;
  survey->nested |= at->note == ASM_NOTE_NESTED;
  survey->aligned |= survey->own && (asm_equals(text, at->word, ".align") ||
                                     asm_equals(text, at->word, ".p2align"));
  if (at->kind != ASM_INSTRUCTION)
    return;
  unsigned traits = asm_traits_of(text, at);
  survey->scratch |= asm_may_use_sled_register(text, at->rest);
  survey->outlined |= asm_starts_with(text, at->rest, "OUTLINED_FUNCTION_") ||
                      name_contains(text, at->rest, " OUTLINED_FUNCTION_");
  if (at->inside)
    survey->inside++;
  else if (!(traits & ASM_TRAPS))
    survey->own++;
  survey->resumes |= !at->inside && traits & ASM_RESUMES;
}

static struct function_survey
survey_function(const struct asm_plan *plan,
                const struct asm_function *function) {
  const struct asm_text *text = plan->program->text;
  struct function_survey survey = {.own = 0};
  for (uint32_t i = function->label; i != ASM_NONE && i != function->size;
       i = text->statements[i].next)
    survey_statement(plan, &text->statements[i], &survey);
  return survey;
}

static const char *find_skip_reason(const struct asm_plan *plan,
                                    const struct asm_function *function,
                                    const struct function_survey *survey) {
  const struct asm_program *program = plan->program;
  const struct asm_text *text = program->text;
  if (function->skipped)
    return function->skipped;
  if (function->size == ASM_NONE)
    return "its end is not known: it has no .size";
  if (name_contains(text, function->name, "OUTLINED_FUNCTION_"))
    return "outlined: parts of several functions";
  if (is_cold_name(text, function->name))
    return "the cold part of another function";
  if (program->has_notes && !function->compiled)
    return "written by hand, in file-scope assembly";
  if (survey->naked || (survey->inside && !survey->own))
    return "naked: nothing is known of its registers";
  if (!survey->own && !survey->inside)
    return "it has no instructions";
  if (survey->nested && plan->program->text->machine->arch == ASM_ARM)
    return "a nested function: its static chain is in ip";
  if (survey->resumes)
    return "an interrupt handler: no register is free";
  if (function->spill && asm_has_counts(&plan->settings))
    return "it signs its return address into ip, so no helper can be called";
  return NULL;
}

/* Returns the reason why the function gets no block coverage, or NULL. */
static const char *find_block_skip_reason(const struct asm_plan *plan,
                                          const struct asm_function *function) {
  /* The offset in a sled's strb is at most 4,095. */
  uint32_t most = 4096 - asm_entry_byte_count(&plan->settings) - 1;
  if (plan->program->text->machine->arch == ASM_ARM && function->kept > most)
    return "it has more than 4,000 blocks";
  return NULL;
}

static const char *analyse_control_flow(struct asm_plan *plan,
                                        struct asm_function *function,
                                        const struct function_survey *survey) {
  struct asm_graph graph;
  if (!function->block_count)
    return NULL;
  const char *error = asm_graph_build(&graph, plan->program, function);
  if (!error)
    asm_compute_signature(&graph);
  if (!error && plan->settings.type & MIP_FOLLOWS && !function->mixed)
    error = asm_mark_implied_blocks(&graph, !asm_has_counts(&plan->settings));
  /* Thumb-1 can store only through low registers. On Thumb-2, low registers are
   * also better than ip. */
  if (!error && (survey->scratch || function->thumb) && !survey->outlined &&
      !function->mixed)
    asm_choose_sled_registers(&graph);
  asm_graph_free(&graph);
  return error;
}

static const char *plan_function_sleds(struct asm_plan *plan,
                                       struct asm_function *function) {
  struct function_survey survey = survey_function(plan, function);
  asm_build_blocks(plan->program, function);
  const char *error = analyse_control_flow(plan, function, &survey);
  if (error)
    return error;
  function->skipped = find_skip_reason(plan, function, &survey);
  if (function->skipped)
    return NULL;
  function->aligned = survey.aligned;
  function->spill_blocks = survey.scratch || survey.outlined;
  function->has_blocks =
      plan->settings.type & MIP_BLOCKS && function->block_count;
  if (function->has_blocks)
    function->plain = find_block_skip_reason(plan, function);
  asm_plan_literals_and_reach(plan, function);
  if (function->plain)
    function->has_blocks = false;
  return NULL;
}

/* Decides whether and how each function is instrumented. Makes blocks and
 * signatures. Returns NULL or the error. */
static const char *plan_all_sleds(struct asm_plan *plan) {
  const char *error = NULL;
  asm_mark_label_uses(plan->program);
  for (uint32_t i = 0; i < plan->program->function_count && !error; i++)
    error = plan_function_sleds(plan, &plan->program->functions[i]);
  if (!error && plan->settings.type & MIP_BLOCKS)
    asm_apply_table_limits(plan);
  return error;
}

/* ==== Writes the text with its sleds. */

enum edit_kind { BEGIN, ENTRY, BLOCK, WIDEN, END, LITERALS };

struct assembly_edit {
  uint32_t at, order; /* offset in the text; index among the edits at the same
                         offset */
  uint32_t function, block; /* numbers; for WIDEN, `block` is the number of the
                               branch's statement */
  uint32_t skip;            /* the text continues at this offset */
  enum edit_kind kind;
};

/* Adds an edit to the plan, and returns the edit. */
static struct assembly_edit *append_text_edit(struct asm_plan *plan,
                                              enum edit_kind kind, uint32_t at,
                                              uint32_t function,
                                              uint32_t block) {
  uint32_t order = plan->edit_count;
  LIST_ADD(plan->edits, plan->edit_count,
           (struct assembly_edit){at, order, function, block, at, kind});
  return &plan->edits[order];
}

/* Returns the offset at which a statement begins. For the first statement of a
 * line, returns the offset of the line. */
static uint32_t find_line_begin(const struct asm_text *text, uint32_t index) {
  uint32_t begin = text->statements[index].begin, at = begin;
  while (at && (text->data[at - 1] == ' ' || text->data[at - 1] == '\t'))
    at--;
  return !at || text->data[at - 1] == '\n' ? at : begin;
}

static void add_function_edits(struct asm_plan *plan, uint32_t number) {
  const struct asm_text *text = plan->program->text;
  const struct asm_function *function = &plan->program->functions[number];
  append_text_edit(plan, BEGIN, text->statements[function->label].end, number,
                   0);
  append_text_edit(plan, ENTRY, text->statements[function->entry].end, number,
                   0);
  for (uint32_t i = 0; function->has_blocks && i < function->block_count; i++) {
    uint32_t behind = plan->program->blocks[function->first_block + i].after;
    append_text_edit(plan, BLOCK, text->statements[behind].end, number, i);
  }
  for (uint32_t i = function->label; function->has_blocks && i != ASM_NONE;
       i = text->statements[i].next) {
    const struct asm_statement *at = &text->statements[i];
    if (asm_must_widen_branch(plan, function, at))
      append_text_edit(plan, WIDEN, at->begin, number, i)->skip = at->end;
  }
  append_text_edit(plan, END, find_line_begin(text, function->size), number, 0);
  append_text_edit(plan, LITERALS, text->statements[function->size].end, number,
                   0);
}

ORDER_BY(compare_edits, struct assembly_edit, x->at, x->order);

/* ---- widening ---- */

/* Returns the branch with the opposite condition, or b for a branch that is not
 * in the table. */
static const char *invert_branch_mnemonic(const struct asm_text *text,
                                          struct asm_slice word) {
  static const char *const pairs[][2] = {
      {"beq", "bne"},   {"bcs", "bcc"},     {"bhs", "blo"},
      {"bmi", "bpl"},   {"bvs", "bvc"},     {"bhi", "bls"},
      {"bge", "blt"},   {"bgt", "ble"},     {"cbz", "cbnz"},
      {"bgeu", "bltu"}, {"bgtu", "bleu"},   {"beqz", "bnez"},
      {"bgez", "bltz"}, {"bgtz", "blez"},   {"beqi", "bnei"},
      {"bgei", "blti"}, {"bgeui", "bltui"}, {"c.beqz", "c.bnez"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    for (int j = 0; j < 2; j++)
      if (asm_equals(text, word, pairs[i][j]))
        return pairs[i][!j];
  return "b";
}

/* Writes a long branch, with the opposite branch around it. The label is the
 * last operand. */
static void print_widened_branch(FILE *out, const struct asm_plan *plan,
                                 uint32_t index) {
  const struct asm_text *text = plan->program->text;
  const struct asm_statement *at = &text->statements[index];
  struct asm_slice label = asm_last_operand(text, at->rest);
  fprintf(out,
          "\t%s\t%.*s.Lmip_short%" PRIu32 "\n\t%s\t%.*s\n"
          ".Lmip_short%" PRIu32 ":\n",
          invert_branch_mnemonic(text, at->word), (int)(label.at - at->rest.at),
          text->data + at->rest.at, index,
          text->machine->arch == ASM_ARM ? "b" : "j", (int)label.size,
          text->data + label.at, index);
}

/* ---- writing ---- */

static void print_edit_text(FILE *out, const struct asm_plan *plan,
                            const struct assembly_edit *edit) {
  switch (edit->kind) {
  case BEGIN:
    fprintf(out, ".Lmip_begin%" PRIu32 ":\n", edit->function);
    return;
  case ENTRY:
    asm_print_entry_sled(out, plan, edit->function);
    return;
  case BLOCK:
    asm_print_block_sled(out, plan, edit->function, edit->block);
    return;
  case WIDEN:
    print_widened_branch(out, plan, edit->block);
    return;
  case END:
    fprintf(out, ".Lmip_end%" PRIu32 ":\n", edit->function);
    return;
  case LITERALS:
    asm_print_literals(out, plan, edit->function);
  }
}

/* Writes the text with all edits, then the raw bytes and the map. */
static void write_edited_text(FILE *out, struct asm_plan *plan) {
  const struct asm_text *text = plan->program->text;
  uint32_t at = 0;
  for (uint32_t i = 0; i < plan->program->function_count; i++)
    if (!plan->program->functions[i].skipped)
      add_function_edits(plan, i);
  sort_array(plan->edits, plan->edit_count, sizeof *plan->edits, compare_edits);
  for (uint32_t i = 0; i < plan->edit_count; i++) {
    const struct assembly_edit *edit = &plan->edits[i];
    if (edit->at > at) {
      fwrite(text->data + at, 1, edit->at - at, out);
      at = edit->at;
    }
    if (at && text->data[at - 1] != '\n')
      fputc('\n', out);
    print_edit_text(out, plan, edit);
    at = edit->skip > at ? edit->skip : at;
  }
  if (text->size > at)
    fwrite(text->data + at, 1, text->size - at, out);
  asm_print_raw_and_map(out, plan);
}

/* ==== Does all steps of the instrumentation in order. */

static bool contains_text(struct bytes bytes, const char *word) {
  size_t size = strlen(word);
  const unsigned char *at = bytes.data, *end = bytes.data + bytes.size;
  while (bytes.size >= size && at <= end - size) {
    at = memchr(at, *word, (size_t)(end - at) - size + 1);
    if (!at)
      return false;
    if (memcmp(at, word, size) == 0)
      return true;
    at++;
  }
  return false;
}

static void report_skipped_function(const struct asm_job *job,
                                    const struct asm_program *program,
                                    const struct asm_function *function) {
  const char *why = function->skipped ? function->skipped : function->plain;
  struct bytes name = {(const unsigned char *)program->text->data +
                           function->name.at,
                       function->name.size};
  if (why && job->report_skip)
    job->report_skip(job->context, name, function->skipped != NULL, why);
}

static const char *instrument_program(struct asm_job *job,
                                      struct asm_program *program) {
  struct asm_plan plan = {.program = program, .settings = job->settings};
  const char *error = plan_all_sleds(&plan);
  for (uint32_t i = 0; i < program->function_count && !error; i++) {
    const struct asm_function *function = &program->functions[i];
    job->functions++;
    job->instrumented += !function->skipped;
    report_skipped_function(job, program, function);
  }
  if (!error)
    write_edited_text(job->out, &plan);
  free(plan.edits);
  return error;
}

static const char *check_input_and_detect_machine(struct asm_job *job,
                                                  struct bytes bytes) {
  if (contains_text(bytes, ".section\t__llvm_mipraw"))
    return "the assembly is instrumented already; pass the compiler's output";
  if (job->machine.arch == ASM_UNKNOWN)
    job->machine.arch = asm_detect_arch(bytes);
  if (job->machine.arch == ASM_UNKNOWN && contains_text(bytes, "function"))
    return "the architecture of this assembly is unknown; pass --arch";
  return NULL;
}

const char *asm_instrument(struct asm_job *job, struct bytes bytes) {
  struct asm_text text = {.count = 0};
  struct asm_program program = {.text = &text};
  job->functions = job->instrumented = 0;
  const char *error = check_input_and_detect_machine(job, bytes);
  if (!error)
    error = asm_text_parse(&text, bytes, &job->machine);
  if (!error) {
    asm_detect_features(&job->machine, &text);
    error = asm_program_build(&program, &text);
  }
  if (!error)
    error = instrument_program(job, &program);
  asm_program_free(&program);
  asm_text_free(&text);
  return error;
}
