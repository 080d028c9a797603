/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writing: the text as it is, up to each place where something comes in.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "asm_plan.h"
#include "asm_text.h"

enum edit_kind { BEGIN, ENTRY, BLOCK, WIDEN, END, LITERALS };

struct edit {
  uint32_t at, order; /* the place in the text; which comes first there */
  uint32_t function, block;
  uint32_t skip; /* the text goes on here */
  enum edit_kind kind;
};

static const char *add(struct asm_plan *plan, enum edit_kind kind, uint32_t at,
                       uint32_t function, uint32_t block) {
  struct edit edit = {at, plan->edit_count, function, block, at, kind};
  return asm_push(&plan->edits, &plan->edit_count, &edit, sizeof edit);
}

/* Where the statement begins, or its line, if it is the first there. */
static uint32_t line_of(const struct asm_text *text, uint32_t index) {
  uint32_t begin = asm_at(text, index)->begin, at = begin;
  while (at && (text->data[at - 1] == ' ' || text->data[at - 1] == '\t'))
    at--;
  return !at || text->data[at - 1] == '\n' ? at : begin;
}

static const char *add_widened(struct asm_plan *plan, uint32_t number) {
  const struct asm_text *text = plan->program->text;
  const struct asm_function *function = asm_function_at(plan->program, number);
  const char *error = NULL;
  for (uint32_t i = function->label;
       function->has_blocks && i != ASM_NONE && !error;
       i = asm_at(text, i)->next) {
    const struct asm_statement *at = asm_at(text, i);
    if (!asm_must_widen(plan, function, at))
      continue;
    struct edit edit = {at->begin, plan->edit_count, number, i, at->end, WIDEN};
    error = asm_push(&plan->edits, &plan->edit_count, &edit, sizeof edit);
  }
  return error;
}

static const char *add_function(struct asm_plan *plan, uint32_t number) {
  const struct asm_text *text = plan->program->text;
  const struct asm_function *function = asm_function_at(plan->program, number);
  uint32_t entry = asm_at(text, function->entry)->end;
  const char *error =
      add(plan, BEGIN, asm_at(text, function->label)->end, number, 0);
  if (!error)
    error = add(plan, ENTRY, entry, number, 0);
  for (uint32_t i = 0;
       function->has_blocks && i < function->block_count && !error; i++) {
    uint32_t behind =
        asm_block_at(plan->program, function->first_block + i)->behind;
    error = add(plan, BLOCK, asm_at(text, behind)->end, number, i);
  }
  if (!error)
    error = add_widened(plan, number);
  if (!error)
    error = add(plan, END, line_of(text, function->size), number, 0);
  if (!error)
    error = add(plan, LITERALS, asm_at(text, function->size)->end, number, 0);
  return error;
}

static int compare(const void *a, const void *b) {
  const struct edit *left = a, *right = b;
  if (left->at != right->at)
    return left->at < right->at ? -1 : 1;
  return left->order < right->order ? -1 : left->order > right->order;
}

/* ---- widening ---- */

/* The branch that is taken when this one is not. */
static const char *opposite(const struct asm_text *text,
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
      if (asm_is(text, word, pairs[i][j]))
        return pairs[i][!j];
  return "b";
}

/* A short branch becomes its opposite around a long one. The label is the
 * last operand. */
static void print_widened(FILE *out, const struct asm_plan *plan,
                          uint32_t index) {
  const struct asm_text *text = plan->program->text;
  const struct asm_statement *at = asm_at(text, index);
  struct asm_slice rest = at->rest, label = at->rest;
  while (asm_operand(text, &rest, &label))
    ;
  fprintf(out,
          "\t%s\t%.*s.Lmip_short%" PRIu32 "\n\t%s\t%.*s\n"
          ".Lmip_short%" PRIu32 ":\n",
          opposite(text, at->word), (int)(label.at - at->rest.at),
          text->data + at->rest.at, index,
          plan->machine->arch == ASM_ARM ? "b" : "j", (int)label.size,
          text->data + label.at, index);
}

/* ---- writing ---- */

static void print_edit(FILE *out, const struct asm_plan *plan,
                       const struct edit *edit) {
  switch (edit->kind) {
  case BEGIN:
    fprintf(out, ".Lmip_begin%" PRIu32 ":\n", edit->function);
    return;
  case ENTRY:
    asm_print_entry(out, plan, edit->function);
    return;
  case BLOCK:
    asm_print_block(out, plan, edit->function, edit->block);
    return;
  case WIDEN:
    print_widened(out, plan, edit->block);
    return;
  case END:
    fprintf(out, ".Lmip_end%" PRIu32 ":\n", edit->function);
    return;
  case LITERALS:
    asm_print_literals(out, plan, edit->function);
  }
}

const char *asm_write(FILE *out, struct asm_plan *plan) {
  const struct asm_text *text = plan->program->text;
  const char *error = NULL;
  uint32_t at = 0;
  for (uint32_t i = 0; i < plan->program->function_count && !error; i++)
    if (!asm_function_at(plan->program, i)->skipped)
      error = add_function(plan, i);
  if (error)
    return error;
  struct edit *edits = (struct edit *)(void *)plan->edits.data;
  if (plan->edit_count)
    qsort(edits, plan->edit_count, sizeof *edits, compare);
  for (uint32_t i = 0; i < plan->edit_count; i++) {
    const struct edit *edit = edits + i;
    if (edit->at > at) {
      fwrite(text->data + at, 1, edit->at - at, out);
      at = edit->at;
    }
    if (at && text->data[at - 1] != '\n')
      fputc('\n', out);
    print_edit(out, plan, edit);
    at = edit->skip > at ? edit->skip : at;
  }
  if (text->size > at)
    fwrite(text->data + at, 1, text->size - at, out);
  asm_print_data(out, plan);
  return NULL;
}

/* ==== Pieces of the text: comparing, and finding operands and words. */

bool asm_is(const struct asm_text *text, struct asm_slice slice,
            const char *word) {
  return strlen(word) == slice.size &&
         memcmp(text->data + slice.at, word, slice.size) == 0;
}

bool asm_begins(const struct asm_text *text, struct asm_slice slice,
                const char *prefix) {
  size_t size = strlen(prefix);
  return size <= slice.size && memcmp(text->data + slice.at, prefix, size) == 0;
}

bool asm_same(const struct asm_text *text, struct asm_slice a,
              struct asm_slice b) {
  return a.size == b.size &&
         memcmp(text->data + a.at, text->data + b.at, a.size) == 0;
}

bool asm_mentions(const struct asm_text *text, struct asm_slice slice,
                  const char *word) {
  size_t size = strlen(word), end = slice.at + slice.size;
  for (size_t at = slice.at; at < end;) {
    size_t from = at;
    while (at < end && asm_in_name(text->data[at]))
      at++;
    if (at - from == size && memcmp(text->data + from, word, size) == 0)
      return true;
    at += at == from;
  }
  return false;
}

static void trim(const struct asm_text *text, struct asm_slice *slice) {
  while (slice->size && isspace((unsigned char)text->data[slice->at]))
    slice->at++, slice->size--;
  while (slice->size &&
         isspace((unsigned char)text->data[slice->at + slice->size - 1]))
    slice->size--;
}

bool asm_operand(const struct asm_text *text, struct asm_slice *rest,
                 struct asm_slice *operand) {
  const char *data = text->data + rest->at;
  unsigned depth = 0, size = 0;
  bool quoted = false;
  if (!rest->size)
    return false;
  for (; size < rest->size; size++) {
    char c = data[size];
    if (c == '"' && !(size && data[size - 1] == '\\'))
      quoted = !quoted;
    else if (quoted)
      continue;
    else if (c == ',' && !depth)
      break;
    depth += c == '(' || c == '[' || c == '{';
    depth -= depth && (c == ')' || c == ']' || c == '}');
  }
  *operand = (struct asm_slice){rest->at, size};
  size += size < rest->size;
  *rest = (struct asm_slice){rest->at + size, rest->size - size};
  trim(text, operand);
  return true;
}

struct asm_slice asm_operand_at(const struct asm_text *text,
                                struct asm_slice rest, unsigned number) {
  struct asm_slice operand = {rest.at, 0};
  do
    if (!asm_operand(text, &rest, &operand))
      return (struct asm_slice){rest.at, 0};
  while (number--);
  return operand;
}
