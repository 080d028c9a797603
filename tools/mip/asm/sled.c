/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes the sleds, and the raw bytes and map records after the code. asm.c
 * calls these functions last.
 *
 * At a function's entry, ip, x16 and t1 are free. At a block's beginning these
 * registers are free if the function never names them: they are caller-saved,
 * hold no argument, and live across no call, except calls of code that the
 * compiler has outlined. Otherwise graph.c may know a free register, or the
 * sled pushes a register. On RISC-V, t0 is also free. Condition flags are free
 * at an entry; the sleds of blocks do not change them.
 *
 * On RISC-V with extension A, a sled counts without a call: five instructions
 * add 1 and test whether the helper is needed, which is so at the first call
 * and from 2^31 calls on. On Thumb-2, exclusive accesses would take ten
 * instructions, two pushed registers and 36 bytes, so the helper counts on
 * Thumb-2. Sleds that sample calls count down without a call of the helper if
 * their address needs no literal.
 *
 * On a machine without a zero register, a sled stores the low byte of an even
 * address, because this byte is never 0xFF.
 */
#include <inttypes.h>

#include "plan.h"

struct sled {
  FILE *out;
  const struct asm_plan *plan;
  const struct asm_function *function;
  uint32_t number; /* number of the function in the program */
  uint32_t slot;   /* offset of the sled's byte from f$RAW */
  uint32_t serial; /* number of the sled in its function; 0: the sled of the
                      entry */
  const char *to;  /* a free register, or NULL */
};

static void print_function_symbol(FILE *out, const struct asm_text *text,
                                  const struct asm_function *function,
                                  const char *suffix) {
  struct asm_slice name = function->name;
  bool quoted = text->data[name.at] == '"';
  fprintf(out, "%.*s%s%s", (int)name.size - quoted, text->data + name.at,
          suffix, quoted ? "\"" : "");
}

/* Writes an expression for the place of a raw byte, such as f$RAW or f$RAW+5.
 */
static void print_raw_byte_address(const struct sled *sled, uint32_t slot) {
  print_function_symbol(sled->out, sled->plan->program->text, sled->function,
                        "$RAW");
  if (slot)
    fprintf(sled->out, "+%" PRIu32, slot);
}

static const char *helper_name(uint32_t type) {
  return type & MIP_SAMPLED   ? "bareprof_mip_step"
         : type & MIP_RETURNS ? "bareprof_mip_edge"
                              : "bareprof_mip_count";
}

/* Writes the format of a sled. Replaces @ with the byte's address, ^ with the
 * helper, ~ with the register, and ? with a label after the sled. */
static void print_sled_template(const struct sled *sled, const char *format) {
  for (; *format; format++)
    if (*format == '@')
      print_raw_byte_address(sled, sled->slot);
    else if (*format == '^')
      fputs(helper_name(sled->plan->settings.type), sled->out);
    else if (*format == '~')
      fputs(sled->to, sled->out);
    else if (*format == '?')
      fprintf(sled->out, ".Lmip_go%" PRIu32, sled->number);
    else
      fputc(*format, sled->out);
}

/* ---- Arm ---- */

/* Loads the address of the sled's byte, or an even address before this byte. */
static void print_literal_load(const struct sled *sled, const char *to) {
  uint32_t span = asm_bytes_per_literal(sled->plan, sled->function);
  const char *where = sled->function->near_literals ? "near" : "literal";
  fprintf(sled->out, "\tldr\t%s, .Lmip_%s%" PRIu32 "_%" PRIu32 "\n", to, where,
          sled->number,
          sled->function->near_literals ? sled->serial : sled->slot / span);
}

/* Writes a literal into the sled, if a literal after the function would be too
 * far away from the sled. */
static void print_near_literal(const struct sled *sled) {
  uint32_t span = asm_bytes_per_literal(sled->plan, sled->function);
  FILE *out = sled->out;
  if (!sled->function->near_literals)
    return;
  fprintf(out, "\tb\t.Lmip_on%" PRIu32 "_%" PRIu32 "\n\t.p2align\t2\n",
          sled->number, sled->serial);
  fprintf(out, ".Lmip_near%" PRIu32 "_%" PRIu32 ":\n\t.4byte\t", sled->number,
          sled->serial);
  print_raw_byte_address(sled, sled->slot / span * span);
  fprintf(out, "\n.Lmip_on%" PRIu32 "_%" PRIu32 ":\n", sled->number,
          sled->serial);
}

static void print_address_moves(const struct sled *sled, const char *to) {
  fprintf(sled->out, "\tmovw\t%s, #:lower16:", to);
  print_raw_byte_address(sled, 0);
  fprintf(sled->out, "\n\tmovt\t%s, #:upper16:", to);
  print_raw_byte_address(sled, 0);
  fputc('\n', sled->out);
}

static void print_arm_store(const struct sled *sled) {
  bool literals = sled->function->literals;
  bool low = asm_is_thumb1(sled->plan, sled->function);
  /* At an entry ip is free. Thumb-1 cannot store through ip, but can save r0 in
   * ip. */
  bool kept = low && sled->to && !sled->serial;
  const char *to = sled->to && !kept ? sled->to : "r0";
  if (kept)
    fputs("\tmov\tip, r0\n", sled->out);
  else if (!sled->to)
    fputs("\tpush\t{r0}\n", sled->out);
  if (literals)
    print_literal_load(sled, to);
  else
    print_address_moves(sled, to);
  fprintf(sled->out, "\tstrb\t%s, [%s, #%" PRIu32 "]\n", to, to,
          literals
              ? sled->slot % asm_bytes_per_literal(sled->plan, sled->function)
              : sled->slot);
  if (kept)
    fputs("\tmov\tr0, ip\n", sled->out);
  else if (!sled->to)
    fputs("\tpop\t{r0}\n", sled->out);
  if (literals)
    print_near_literal(sled);
}

/* ---- a table entry per machine ---- */

/* The code of a machine's sleds. `store` writes 0 to the byte. `push` and `pop`
 * free the register that `store` uses. `call` calls the helper, which finds the
 * address of the raw bytes after the call. */
struct sled_templates {
  const char *usual; /* the register to use if it is free */
  const char *push, *store, *pop, *call;
  /* Sleds without a call: one that counts, two that sample with or without
   * amoadd. A machine may lack these. */
  const char *count, *sample, *sample_plain;
  bool wide; /* addresses in the map may need more than 32 bits */
};

/* Loads the byte's address into t1, adds `step` to the word at this address,
 * and calls the helper, unless the branch `skips` jumps over the call. t0 holds
 * the old value; without amoadd it holds the new value. */
#define RISCV_INLINE(address, step, skips, helper)                 \
  address "\tli\tt0, " step "\n\tamoadd.w\tt0, t0, (t1)\n\t" skips \
          "\tt0, ?\n\tcall\tt0, " helper "\n?:\n"
#define RISCV_PLAIN                                                       \
  "\tlw\tt0, 0(t1)\n\taddi\tt0, t0, -1\n\tsw\tt0, 0(t1)\n\tbgez\tt0, ?\n" \
  "\tcall\tt0, bareprof_mip_sample\n?:\n"
#define RISCV32_SLOT "\tlui\tt1, %hi(@)\n\taddi\tt1, t1, %lo(@)\n"
#define RISCV64_SLOT "\tlla\tt1, @\n"
#define RISCV_ROW(slot)                                              \
  .count = RISCV_INLINE(slot, "1", "bgez", "bareprof_mip_first"),    \
  .sample = RISCV_INLINE(slot, "-1", "bgtz", "bareprof_mip_sample"), \
  .sample_plain = slot RISCV_PLAIN

static const struct sled_templates rows[] = {
    [ASM_ARM] =
        {.usual = "ip",
         .call = "\tmov\tip, lr\n\tbl\t^\n\t.4byte\t@\n",
         .sample_plain =
             "\tmovw\tip, #:lower16:@\n\tmovt\tip, #:upper16:@\n"
             "\tpush\t{r0}\n\tldr\tr0, [ip, #8]\n\tsubs\tr0, r0, #1\n"
             "\tstr\tr0, [ip, #8]\n\tpop\t{r0}\n\tbpl\t?\n"
             "\tmov\tip, lr\n\tbl\tbareprof_mip_sample\n\t.4byte\t@\n?:\n"},
    [ASM_AARCH64] = {.usual = "x16",
                     .push = "\tstr\tx16, [sp, #-16]!\n",
                     .store = "\tadrp\t~, @\n\tstrb\twzr, [~, :lo12:@]\n",
                     .pop = "\tldr\tx16, [sp], #16\n",
                     .call = "\tmov\tx16, x30\n\tbl\t^\n\t.4byte\t@-.\n",
                     .wide = true},
    [ASM_RISCV32] = {.usual = "t1",
                     .push = "\taddi\tsp, sp, -16\n\tsw\tt1, 0(sp)\n",
                     .store = "\tlui\t~, %hi(@)\n\tsb\tzero, %lo(@)(~)\n",
                     .pop = "\tlw\tt1, 0(sp)\n\taddi\tsp, sp, 16\n",
                     .call = "\tcall\tt0, ^\n\t.4byte\t@-.\n",
                     RISCV_ROW(RISCV32_SLOT)},
    [ASM_RISCV64] = {.usual = "t1",
                     .push = "\taddi\tsp, sp, -16\n\tsd\tt1, 0(sp)\n",
                     .store = "\tsb\tzero, @, ~\n",
                     .pop = "\tld\tt1, 0(sp)\n\taddi\tsp, sp, 16\n",
                     .call = "\tcall\tt0, ^\n\t.4byte\t@-.\n",
                     RISCV_ROW(RISCV64_SLOT)}};

/* Returns the sleds of a machine. For an unknown machine these are the sleds of
 * RISC-V, as in machine.c. */
static const struct sled_templates *get_sled_templates(enum asm_arch arch) {
  return &rows[arch == ASM_UNKNOWN ? ASM_RISCV32 : arch];
}

/* Writes a sled that stores 0. Without a free register, it saves one. */
static void print_store_sled(struct sled *sled) {
  const struct asm_machine *machine = sled->plan->program->text->machine;
  const struct sled_templates *row = get_sled_templates(machine->arch);
  bool push = !sled->to;
  if (machine->arch == ASM_ARM) {
    print_arm_store(sled);
    return;
  }
  if (push)
    fputs(row->push, sled->out);
  sled->to = push ? row->usual : sled->to;
  print_sled_template(sled, row->store);
  if (push)
    fputs(row->pop, sled->out);
}

/* Returns the code that counts without a call most of the time. Returns NULL if
 * the helper must count. */
static const char *find_inline_template(const struct asm_text *text,
                                        uint32_t type) {
  const struct sled_templates *row = get_sled_templates(text->machine->arch);
  bool adds = text->machine->adds;
  if (!(type & MIP_SAMPLED))
    return type & MIP_RETURNS || !adds ? NULL : row->count;
  return asm_needs_literals(text) ? NULL
         : adds                   ? row->sample
                                  : row->sample_plain;
}

/* Writes a sled that counts: a call of the helper, or code without a call. */
static void print_count_sled(struct sled *sled) {
  const struct asm_text *text = sled->plan->program->text;
  enum asm_arch arch = text->machine->arch;
  uint32_t type = sled->plan->settings.type;
  const char *form = find_inline_template(text, type);
  /* The nop makes the sled 12 or 36 bytes long, because code after it is
   * aligned to 4 bytes. */
  if (arch == ASM_ARM && sled->function->thumb && sled->function->aligned)
    fputs("\tnop\n", sled->out);
  if (form && type & MIP_SAMPLED && arch != ASM_ARM)
    sled->slot = 8;
  print_sled_template(sled, form ? form : get_sled_templates(arch)->call);
}

static struct sled make_sled(FILE *out, const struct asm_plan *plan,
                             uint32_t number) {
  return (struct sled){.out = out,
                       .plan = plan,
                       .function = &plan->program->functions[number],
                       .number = number};
}

void asm_print_entry_sled(FILE *out, const struct asm_plan *plan,
                          uint32_t number) {
  struct sled sled = make_sled(out, plan, number);
  if (!sled.function->spill)
    sled.to = get_sled_templates(plan->program->text->machine->arch)->usual;
  if (asm_has_counts(&plan->settings))
    print_count_sled(&sled);
  else if (!asm_entry_is_implied(sled.function))
    print_store_sled(&sled);
}

void asm_print_block_sled(FILE *out, const struct asm_plan *plan,
                          uint32_t number, uint32_t block) {
  struct sled sled = make_sled(out, plan, number);
  const struct asm_text *text = plan->program->text;
  const struct asm_block *it =
      &plan->program->blocks[sled.function->first_block + block];
  sled.to = asm_get_sled_register(text, it);
  if (!sled.to && !sled.function->spill_blocks &&
      !asm_is_thumb1(plan, sled.function))
    sled.to = get_sled_templates(text->machine->arch)->usual;
  sled.slot = asm_entry_byte_count(&plan->settings) + it->slot;
  sled.serial = block + 1;
  fprintf(out, ".Lmip_block%" PRIu32 "_%" PRIu32 ":\n", number, block);
  if (!it->implied)
    print_store_sled(&sled);
}

void asm_print_literals(FILE *out, const struct asm_plan *plan,
                        uint32_t number) {
  struct sled sled = make_sled(out, plan, number);
  const struct asm_function *function = sled.function;
  uint32_t span = asm_bytes_per_literal(plan, function);
  uint32_t end =
      asm_entry_byte_count(&plan->settings) + asm_block_byte_count(function);
  bool only_blocks = asm_has_counts(&plan->settings);
  if (!function->literals || function->near_literals ||
      (only_blocks && !function->has_blocks))
    return;
  fputs("\t.p2align\t2\n", out);
  for (sled.slot = 0; sled.slot < end; sled.slot += span) {
    fprintf(out, ".Lmip_literal%" PRIu32 "_%" PRIu32 ":\n\t.4byte\t", number,
            sled.slot / span);
    print_raw_byte_address(&sled, sled.slot);
    fputc('\n', out);
  }
}

uint32_t asm_sled_size(const struct asm_plan *plan,
                       const struct asm_function *function, bool entry) {
  uint32_t size = 24;
  if (asm_is_thumb1(plan, function))
    size = function->near_literals ? 16 : 8;
  else if (plan->program->text->machine->arch == ASM_ARM)
    size = ((entry ? function->spill : function->spill_blocks) ? 20 : 12) +
           (function->near_literals ? 4 : 0);
  else if (plan->program->text->machine->arch == ASM_AARCH64)
    size = !entry && function->spill_blocks ? 16 : 8;
  if (!entry || !asm_has_counts(&plan->settings))
    return size;
  return find_inline_template(plan->program->text, plan->settings.type) ? 48
                                                                        : 12;
}

/* ==== Writes raw bytes and map records. All data of a function are in one
 * group, so that the linker drops the data together with the function. If the
 * function itself is in a group, its data are in the same group.
 *
 * A map has revision A, with absolute 32-bit addresses. If code may be above 4
 * GB, a map has revision B, with 64-bit distances. For distances, linkers need
 * a loaded section, so only the linker script says that this section is not
 * loaded. */

static const char raw_section[] = "__llvm_mipraw";
static const char map_section[] = "__llvm_mipmap";

static bool has_wide_map(const struct asm_plan *plan) {
  return get_sled_templates(plan->program->text->machine->arch)->wide;
}

static const char *get_map_section_flags(const struct asm_plan *plan) {
  return has_wide_map(plan) ? "a" : "";
}

static void print_section_header(FILE *out, const struct asm_plan *plan,
                                 const char *section, const char *flags,
                                 unsigned file_type) {
  fprintf(out,
          "\t.section\t%s,\"%sGR\",%%progbits,%s_header,comdat\n"
          "\t.p2align\t3\n"
          "\t.4byte\t0x50494dfb\n"
          "\t.2byte\t8, %u\n"
          "\t.4byte\t%" PRIu32 ", 0x%08" PRIx32 "\n",
          section, flags, section, file_type, plan->settings.type,
          plan->settings.hash);
}

static void print_section_headers(FILE *out, const struct asm_plan *plan) {
  static const char narrow[] = "\t.4byte\t0, 24\n";
  bool wide = has_wide_map(plan);
  print_section_header(out, plan, raw_section, "aw", 1);
  fputs(narrow, out);
  print_section_header(out, plan, map_section, get_map_section_flags(plan),
                       wide ? 0x14 : 2);
  fputs(wide ? "\t.8byte\t__bareprof_mip_begin-.+16\n\t.4byte\t0, 32\n"
             : narrow,
        out);
}

/* Writes the constants that describe the raw section to the program. Also
 * defines a symbol. Objects with another profile type or link unit define the
 * symbol in another group, so the linker reports an error if both are linked.
 */
static void print_unit_constants(FILE *out, const struct asm_plan *plan) {
  const struct asm_settings *settings = &plan->settings;
  fprintf(out,
          "\t.section\t.rodata.bareprof_mip_built,\"aG\",%%progbits,"
          "bareprof_mip_built,comdat\n"
          "\t.globl\tbareprof_mip_built\n"
          "\t.type\tbareprof_mip_built,%%object\n"
          "\t.p2align\t2\n"
          "bareprof_mip_built:\n"
          "\t.4byte\t%" PRIu32 ", 0x%08" PRIx32 "\n"
          "\t.size\tbareprof_mip_built, 8\n",
          settings->type, settings->hash);
  fprintf(out,
          "\t.section\t%s,\"%sG\",%%progbits,bareprof_mip_kind_%" PRIu32
          "_%08" PRIx32 ",comdat\n"
          "\t.globl\tbareprof_mip_objects_of_two_kinds\n"
          "\t.hidden\tbareprof_mip_objects_of_two_kinds\n"
          "bareprof_mip_objects_of_two_kinds:\n",
          map_section, get_map_section_flags(plan), settings->type,
          settings->hash);
}

static void print_section_group(FILE *out, const struct asm_plan *plan,
                                const struct asm_function *function) {
  const struct asm_text *text = plan->program->text;
  const struct asm_section *section =
      &plan->program->sections[function->section];
  if (section->group.size)
    fprintf(out, "%.*s%s\n", (int)section->group.size,
            text->data + section->group.at, section->comdat ? ",comdat" : "");
  else {
    print_function_symbol(out, text, function, "$MIP");
    fputc('\n', out);
  }
}

static void print_raw_section(FILE *out, const struct asm_plan *plan,
                              const struct asm_function *function) {
  uint32_t size =
      asm_entry_byte_count(&plan->settings) + asm_block_byte_count(function);
  int align = asm_has_counts(&plan->settings)                 ? 2
              : plan->program->text->machine->arch == ASM_ARM ? 1
                                                              : 0;
  fprintf(out, "\t.section\t%s,\"awG\",%%progbits,", raw_section);
  print_section_group(out, plan, function);
  fprintf(out, "\t.p2align\t%d, 0xff\n", align);
  print_function_symbol(out, plan->program->text, function, "$RAW");
  fputs(":\n", out);
  fprintf(out, "\t.fill\t%" PRIu32 ", 1, 0xff\n", size);
}

/* Writes a function's name as the map has it, without quotes. */
static void print_map_name(FILE *out, const struct asm_plan *plan,
                           uint32_t number) {
  const struct asm_text *text = plan->program->text;
  struct asm_slice name = plan->program->functions[number].name;
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

/* Writes the addresses of a record: of the raw section, unless the header has
 * this address, of the raw bytes, and of the code. */
static void print_map_addresses(FILE *out, const struct asm_plan *plan,
                                uint32_t number) {
  const struct asm_function *function = &plan->program->functions[number];
  const struct asm_text *text = plan->program->text;
  bool wide = has_wide_map(plan);
  fputs(wide ? "\t.8byte\t" : "\t.4byte\t__bareprof_mip_begin, ", out);
  print_function_symbol(out, text, function, "$RAW");
  fprintf(out,
          wide ? "-.\n\t.8byte\t.Lmip_begin%" PRIu32 "-.+8\n"
               : ", .Lmip_begin%" PRIu32 "\n",
          number);
}

/* Writes which blocks are implied. Writes nothing if the function lacks block
 * coverage. */
static void print_implications(FILE *out, const struct asm_plan *plan,
                               const struct asm_function *function) {
  const uint32_t *numbers = plan->program->implications;
  uint32_t count = function ? function->implication_count : 0;
  fprintf(out, "\t.4byte\t%" PRIu32, count);
  for (uint32_t i = 0; i < count; i++)
    fprintf(out, ", %" PRIu32, numbers[function->first_implication + i]);
  fputc('\n', out);
}

static void print_map_record(FILE *out, const struct asm_plan *plan,
                             uint32_t number) {
  const struct asm_function *function = &plan->program->functions[number];
  uint32_t blocks = function->has_blocks ? function->block_count : 0;
  fprintf(out, "\t.section\t%s,\"%sG\",%%progbits,", map_section,
          get_map_section_flags(plan));
  print_section_group(out, plan, function);
  fputs("\t.p2align\t3\n", out);
  print_function_symbol(out, plan->program->text, function, "$MAP");
  fputs(":\n", out);
  print_map_addresses(out, plan, number);
  fprintf(out,
          "\t.4byte\t.Lmip_end%" PRIu32 "-.Lmip_begin%" PRIu32 ", 0x%08" PRIx32
          ", %" PRIu32 "\n",
          number, number, function->signature, blocks);
  for (uint32_t i = 0; i < blocks; i++)
    fprintf(out,
            "\t.4byte\t.Lmip_block%" PRIu32 "_%" PRIu32 "-.Lmip_begin%" PRIu32
            "\n",
            number, i, number);
  if (plan->settings.type & MIP_FOLLOWS)
    print_implications(out, plan, blocks ? function : NULL);
  print_map_name(out, plan, number);
  fputs("\t.p2align\t3\n", out);
}

void asm_print_raw_and_map(FILE *out, const struct asm_plan *plan) {
  bool any = false;
  for (uint32_t i = 0; i < plan->program->function_count; i++) {
    const struct asm_function *function = &plan->program->functions[i];
    if (function->skipped)
      continue;
    if (!any) {
      fputc('\n', out);
      print_section_headers(out, plan);
      print_unit_constants(out, plan);
      any = true;
    }
    print_raw_section(out, plan, function);
    print_map_record(out, plan, i);
  }
}
