/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which functions are left alone, and which registers their sleds may use.
 */
#include <inttypes.h>
#include <string.h>

#include "asm_plan.h"

/* What a look at all of a function's statements finds. */
struct look {
  uint32_t own, inside; /* instructions of the compiler, and of assembly */
  bool resumes, naked, nested, aligned;
  bool scratch, outlined; /* the register of block sleds is in use */
};

static bool name_has(const struct asm_text *text, struct asm_slice name,
                     const char *part) {
  size_t size = strlen(part);
  for (uint32_t i = 0; i + size <= name.size; i++)
    if (memcmp(text->data + name.at + i, part, size) == 0)
      return true;
  return false;
}

/* f.cold, f.cold.1 */
static bool is_cold(const struct asm_text *text, struct asm_slice name) {
  for (uint32_t i = 0; i + 5 <= name.size; i++)
    if (memcmp(text->data + name.at + i, ".cold", 5) == 0 &&
        (i + 5 == name.size || text->data[name.at + i + 5] == '.' ||
         text->data[name.at + i + 5] == '"'))
      return true;
  return false;
}

/* A list such as {r11-lr} names registers that are not written there. */
static bool has_range(const struct asm_text *text, struct asm_slice rest) {
  return rest.size && memchr(text->data + rest.at, '{', rest.size) &&
         memchr(text->data + rest.at, '-', rest.size);
}

static bool uses_scratch(const struct asm_machine *machine,
                         const struct asm_text *text, struct asm_slice rest) {
  switch (machine->arch) {
  case ASM_ARM:
    return asm_mentions(text, rest, "ip") || asm_mentions(text, rest, "r12") ||
           has_range(text, rest);
  case ASM_AARCH64:
    return asm_mentions(text, rest, "x16") || asm_mentions(text, rest, "w16") ||
           asm_mentions(text, rest, "ip0");
  case ASM_X86_64:
    return false;
  default:
    return asm_mentions(text, rest, "t1") || asm_mentions(text, rest, "x6");
  }
}

static void look_at(const struct asm_plan *plan, const struct asm_statement *at,
                    struct look *look) {
  const struct asm_text *text = plan->program->text;
  look->naked |= at->note == ASM_NOTE_NAKED;
  look->nested |= at->note == ASM_NOTE_NESTED;
  look->aligned |= look->own && (asm_is(text, at->word, ".align") ||
                                 asm_is(text, at->word, ".p2align"));
  if (at->kind != ASM_INSTRUCTION)
    return;
  unsigned traits = asm_traits_of(plan->machine, text, at);
  look->scratch |= uses_scratch(plan->machine, text, at->rest);
  look->outlined |= asm_begins(text, at->rest, "OUTLINED_FUNCTION_") ||
                    name_has(text, at->rest, " OUTLINED_FUNCTION_");
  if (at->inside)
    look->inside++;
  else if (!(traits & ASM_TRAPS))
    look->own++;
  look->resumes |= !at->inside && traits & ASM_RESUMES;
}

static struct look look_over(const struct asm_plan *plan,
                             const struct asm_function *function) {
  const struct asm_text *text = plan->program->text;
  struct look look = {.own = 0};
  for (uint32_t i = function->label; i != ASM_NONE && i != function->size;
       i = asm_at(text, i)->next)
    look_at(plan, asm_at(text, i), &look);
  return look;
}

static const char *why_skip(const struct asm_plan *plan,
                            const struct asm_function *function,
                            const struct look *look) {
  const struct asm_program *program = plan->program;
  const struct asm_text *text = program->text;
  bool frees_nothing = plan->machine->arch != ASM_X86_64;
  if (function->skipped)
    return function->skipped;
  if (function->size == ASM_NONE)
    return "its end is not known: it has no .size";
  if (name_has(text, function->name, "OUTLINED_FUNCTION_"))
    return "outlined: parts of several functions";
  if (is_cold(text, function->name))
    return "the cold part of another function";
  if (program->has_notes && !function->compiled)
    return "written by hand, in file-scope assembly";
  if (look->naked || (look->inside && !look->own))
    return "naked: nothing is known of its registers";
  if (!look->own && !look->inside)
    return "it has no instructions";
  if (look->nested && plan->machine->arch == ASM_ARM)
    return "a nested function: its static chain is in ip";
  if (look->resumes && frees_nothing)
    return "an interrupt handler: no register is free";
  if (function->spill && plan->wish.type & 12)
    return "it signs its return address into ip, so no helper can be called";
  return NULL;
}

/* Once what blocks there are is known. */
static const char *why_plain(const struct asm_plan *plan,
                             const struct asm_function *function) {
  uint32_t most = 4096 - asm_first_slot(&plan->wish) - 1;
  if (plan->machine->arch == ASM_ARM && function->block_count > most)
    return "it has more than 4,000 blocks";
  return NULL;
}

static const char *choose(struct asm_plan *plan,
                          struct asm_function *function) {
  const char *error = asm_find_blocks(plan->program, plan->machine, function);
  if (!error)
    error = asm_sign(plan->program, plan->machine, function);
  if (error)
    return error;
  struct look look = look_over(plan, function);
  function->skipped = why_skip(plan, function, &look);
  if (function->skipped)
    return NULL;
  function->aligned = look.aligned;
  function->spill_blocks = look.scratch || look.outlined;
  function->has_blocks = plan->wish.type & 2 && function->block_count;
  if (function->has_blocks)
    function->plain = why_plain(plan, function);
  asm_check_reach(plan, function);
  if (function->plain)
    function->has_blocks = false;
  return NULL;
}

const char *asm_choose(struct asm_plan *plan) {
  const char *error = NULL;
  asm_find_uses(plan->program, plan->machine);
  for (uint32_t i = 0; i < plan->program->function_count && !error; i++)
    error = choose(plan, asm_function_at(plan->program, i));
  if (!error && plan->wish.type & 2)
    asm_check_tables(plan);
  return error;
}

/* ==== What instrumented objects bring besides sleds. Raw bytes and map record
 * of a function share a group, so that they go when the function goes: its own
 * if it is in one, which then is thrown away as a whole with it. */

static const char raw_section[] = "__llvm_mipraw";
static const char map_section[] = "__llvm_mipmap";

static void print_header(FILE *out, const struct asm_plan *plan,
                         const char *section, int file_type) {
  fprintf(out,
          "\t.section\t%s,\"%sGR\",%%progbits,%s_header,comdat\n"
          "\t.p2align\t3\n"
          "\t.byte\t0xfb, 0x4d, 0x49, 0x50\n"
          "\t.2byte\t8, %d\n"
          "\t.4byte\t%" PRIu32 ", 0x%08" PRIx32 ", 0, 24\n",
          section, file_type == 1 ? "aw" : "", section, file_type,
          plan->wish.type, plan->wish.hash);
}

/* What the program is told of its raw section; and a symbol that objects of
 * another kind, or of another link unit, bring too, in another group: such
 * cannot be linked together. */
static void print_unit(FILE *out, const struct asm_wish *wish) {
  fprintf(out,
          "\t.section\t.rodata.bareprof_mip_built,\"aG\",%%progbits,"
          "bareprof_mip_built,comdat\n"
          "\t.globl\tbareprof_mip_built\n"
          "\t.type\tbareprof_mip_built,%%object\n"
          "\t.p2align\t2\n"
          "bareprof_mip_built:\n"
          "\t.4byte\t%" PRIu32 ", 0x%08" PRIx32 "\n"
          "\t.size\tbareprof_mip_built, 8\n",
          wish->type, wish->hash);
  fprintf(out,
          "\t.section\t%s,\"G\",%%progbits,bareprof_mip_kind_%" PRIu32
          "_%08" PRIx32 ",comdat\n"
          "\t.globl\tbareprof_mip_objects_of_two_kinds\n"
          "\t.hidden\tbareprof_mip_objects_of_two_kinds\n"
          "bareprof_mip_objects_of_two_kinds:\n",
          map_section, wish->type, wish->hash);
}

static void print_group(FILE *out, const struct asm_plan *plan,
                        const struct asm_function *function) {
  const struct asm_text *text = plan->program->text;
  const struct asm_section *section =
      asm_section_at(plan->program, function->section);
  if (section->group.size)
    fprintf(out, "%.*s%s\n", (int)section->group.size,
            text->data + section->group.at, section->comdat ? ",comdat" : "");
  else {
    asm_print_symbol(out, text, function, "$MIP");
    fputc('\n', out);
  }
}

static void print_raw(FILE *out, const struct asm_plan *plan,
                      const struct asm_function *function) {
  uint32_t size = asm_first_slot(&plan->wish) +
                  (function->has_blocks ? function->block_count : 0);
  int align = plan->wish.type & 12 ? 2 : plan->machine->arch == ASM_ARM ? 1 : 0;
  fprintf(out, "\t.section\t%s,\"awG\",%%progbits,", raw_section);
  print_group(out, plan, function);
  fprintf(out, "\t.p2align\t%d, 0xff\n", align);
  asm_print_symbol(out, plan->program->text, function, "$RAW");
  fputs(":\n", out);
  fprintf(out, "\t.fill\t%" PRIu32 ", 1, 0xff\n", size);
}

/* The name as the map has it: without quotes. */
static void print_name(FILE *out, const struct asm_plan *plan,
                       uint32_t number) {
  const struct asm_text *text = plan->program->text;
  struct asm_slice name = asm_function_at(plan->program, number)->name;
  if (text->data[name.at] == '"') {
    fprintf(
        out,
        "\t.4byte\t.Lmip_named%" PRIu32 "-.Lmip_name%" PRIu32
        "\n.Lmip_name%" PRIu32 ":\n\t.ascii\t%.*s\n.Lmip_named%" PRIu32 ":\n",
        number, number, number, (int)name.size, text->data + name.at, number);
    return;
  }
  fprintf(out, "\t.4byte\t%" PRIu32 "\n\t.ascii\t\"%.*s\"\n", name.size,
          (int)name.size, text->data + name.at);
}

static void print_map(FILE *out, const struct asm_plan *plan, uint32_t number) {
  const struct asm_function *function = asm_function_at(plan->program, number);
  const struct asm_text *text = plan->program->text;
  uint32_t blocks = function->has_blocks ? function->block_count : 0;
  fprintf(out, "\t.section\t%s,\"G\",%%progbits,", map_section);
  print_group(out, plan, function);
  fputs("\t.p2align\t3\n", out);
  asm_print_symbol(out, text, function, "$MAP");
  fputs(":\n", out);
  fputs("\t.4byte\t__bareprof_mip_begin, ", out);
  asm_print_symbol(out, text, function, "$RAW");
  fprintf(out,
          ", .Lmip_begin%" PRIu32 "\n\t.4byte\t.Lmip_end%" PRIu32
          "-.Lmip_begin%" PRIu32 ", 0x%08" PRIx32 ", %" PRIu32 "\n",
          number, number, number, function->signature, blocks);
  for (uint32_t i = 0; i < blocks; i++)
    fprintf(out,
            "\t.4byte\t.Lmip_block%" PRIu32 "_%" PRIu32 "-.Lmip_begin%" PRIu32
            "\n",
            number, i, number);
  print_name(out, plan, number);
  fputs("\t.p2align\t3\n", out);
}

void asm_print_data(FILE *out, const struct asm_plan *plan) {
  bool any = false;
  for (uint32_t i = 0; i < plan->program->function_count; i++) {
    const struct asm_function *function = asm_function_at(plan->program, i);
    if (function->skipped)
      continue;
    if (!any) {
      fputc('\n', out);
      print_header(out, plan, raw_section, 1);
      print_header(out, plan, map_section, 2);
      print_unit(out, &plan->wish);
      any = true;
    }
    print_raw(out, plan, function);
    print_map(out, plan, i);
  }
}
