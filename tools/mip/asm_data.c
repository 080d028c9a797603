/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What instrumented objects bring besides sleds. Raw bytes and map record of
 * a function share a group, so that they go when the function goes: its own
 * if it is in one, which then is thrown away as a whole with it.
 */
#include <inttypes.h>

#include "asm_plan.h"

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
