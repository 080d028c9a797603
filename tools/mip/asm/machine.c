/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Detects the machine of an assembly file. A table has properties of each
 * machine: the instructions that move control, and the instructions that sleds
 * must not separate. blocks.c, graph.c and reach.c use the table.
 */
#include "plan.h"

#include <ctype.h>
#include <string.h>

/* ==== Detects the machine. */

struct arch_words {
  enum asm_arch arch;
  const char *words;
};

/* The words that show the machine. The first line that begins with one of these
 * words, or has an operand of AArch64, decides. */
static const struct arch_words line_signs[] = {
    {ASM_ARM, ".eabi_attribute .thumb .syntax .thumb_func .cpu .fpu"},
    {ASM_AARCH64, "// stp adrp .variant_pcs"}};

/* Returns whether the line contains the word, but not after a letter or digit.
 */
static bool contains_at_word_start(struct bytes line, struct bytes word) {
  const unsigned char *at = line.data;
  for (size_t i = 0; i + word.size <= line.size; i++)
    if (memcmp(at + i, word.data, word.size) == 0 &&
        (!i || !isalnum(at[i - 1])))
      return true;
  return false;
}

static bool begins_with_word(struct bytes line, struct bytes word) {
  return line.size >= word.size &&
         memcmp(line.data, word.data, word.size) == 0 &&
         (line.size == word.size ||
          !asm_is_name_char((char)line.data[word.size]));
}

/* Returns whether is(line, word) is true for one of the words. */
static bool matches_any_word(struct bytes line, const char *words,
                             bool (*is)(struct bytes line, struct bytes word)) {
  struct bytes word;
  while (asm_pop_word(&words, &word))
    if (is(line, word))
      return true;
  return false;
}

static enum asm_arch detect_line_arch(struct bytes line) {
  /* On RISC-V, both compilers write .attribute with the instruction set. */
  if (matches_any_word(line, ".attribute", begins_with_word))
    return matches_any_word(line, "rv64", contains_at_word_start) ? ASM_RISCV64
           : matches_any_word(line, "rv32", contains_at_word_start)
               ? ASM_RISCV32
               : ASM_UNKNOWN;
  for (size_t i = 0; i < sizeof line_signs / sizeof *line_signs; i++)
    if (matches_any_word(line, line_signs[i].words, begins_with_word))
      return line_signs[i].arch;
  if (line.size && *line.data == '.' &&
      !matches_any_word(line, ".ident", begins_with_word))
    return ASM_UNKNOWN;
  return matches_any_word(line, "w0, x0, x30", contains_at_word_start)
             ? ASM_AARCH64
             : ASM_UNKNOWN;
}

enum asm_arch asm_detect_arch(struct bytes bytes) {
  enum asm_arch arch = ASM_UNKNOWN;
  struct bytes line;
  while (arch == ASM_UNKNOWN && bytes_next_line(&bytes, &line)) {
    for (; line.size && isblank(*line.data); line.size--)
      line.data++;
    arch = detect_line_arch(line);
  }
  return arch;
}

enum asm_arch asm_parse_arch_name(const char *name,
                                  struct asm_machine *machine) {
  static const struct arch_words names[] = {
      {ASM_ARM, "thumb1"},      {ASM_ARM, "thumb2"},
      {ASM_ARM, "arm"},         {ASM_AARCH64, "aarch64"},
      {ASM_RISCV32, "riscv32"}, {ASM_RISCV64, "riscv64"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i].words) == 0) {
      machine->wide = strcmp(name, "thumb1") != 0;
      return machine->arch = names[i].arch;
    }
  return ASM_UNKNOWN;
}

/* ---- Arm's variants ---- */

/* Returns whether an architecture or core has Thumb-2. The longer list has the
 * architectures and cores without Thumb-2. */
static bool has_thumb2(const struct asm_text *text, struct asm_slice name) {
  return asm_is_listed(text, name, "armv6t2* arm1156*") ||
         !asm_is_listed(text, name,
                        "cortex-m0* cortex-m1* cortex-m23* sc000* arm7* arm8* "
                        "arm9* arm10* arm11* armv4* armv5* armv6* strongarm* "
                        "xscale* iwmmxt* ep9312* fa526* mpcore* star-mc0* "
                        "armv8-m.base*");
}

/* Returns whether the value of Tag_CPU_arch (Arm's ABI) means that the core has
 * Thumb-2. Thumb-2 is in 6T2, 7, 7E-M, 8 and later, but not in 8-M.base. */
static bool tag_has_thumb2(const struct asm_text *text, struct asm_slice rest) {
  return !asm_is_listed(text, asm_operand_at(text, rest, 1),
                        "0 1 2 3 4 5 6 7 9 11 12 16");
}

/* Returns whether extensions such as "rv32i2p1_m2p0_a2p1" include A or Zaamo.
 */
static bool has_amoadd(const struct asm_text *text, struct asm_slice names) {
  for (uint32_t i = 0; i + 6 < names.size; i++) {
    const char *at = text->data + names.at + i;
    if (at[0] == '_' && ((at[1] == 'a' && at[2] >= '0' && at[2] <= '9') ||
                         memcmp(at, "_zaamo", 6) == 0))
      return true;
  }
  return false;
}

void asm_detect_features(struct asm_machine *machine,
                         const struct asm_text *text) {
  bool given = machine->wide;
  for (uint32_t i = 0; i < text->count; i++) {
    const struct asm_statement *at = &text->statements[i];
    if (at->kind != ASM_DIRECTIVE)
      continue;
    if (asm_equals(text, at->word, ".attribute") &&
        asm_is_listed(text, asm_operand_at(text, at->rest, 0), "5 arch"))
      machine->adds = has_amoadd(text, asm_operand_at(text, at->rest, 1));
    if (given || machine->arch != ASM_ARM)
      continue;
    if (asm_is_listed(text, at->word, ".cpu .arch"))
      machine->wide = has_thumb2(text, at->rest);
    else if (asm_equals(text, at->word, ".eabi_attribute") &&
             asm_equals(text, asm_operand_at(text, at->rest, 0), "6"))
      machine->wide = tag_has_thumb2(text, at->rest);
  }
}

/* ==== Describes the machines. */

static const struct asm_flow leaves = {.ends = true};
static const struct asm_flow indirect = {.ends = true, .indirect = true};

static struct asm_flow make_jump_flow(struct asm_slice target, bool falls) {
  return (struct asm_flow){.ends = true, .falls = falls, .target = target};
}

/* ---- A32 and Thumb: any instruction may have a condition after its name, and
 * many instructions can write pc ---- */

/* Returns an instruction's name without `.w` or `.n`. */
static struct asm_slice strip_width_suffix(const struct asm_text *text,
                                           struct asm_slice word) {
  if (word.size > 2 && text->data[word.at + word.size - 2] == '.')
    word.size -= 2;
  return word;
}

/* Returns whether the word is one of the names, or one with a condition such as
 * `ne` after it. *condition then becomes true. */
static bool is_name_or_conditional(const struct asm_text *text,
                                   struct asm_slice word, const char *names,
                                   bool *condition) {
  *condition = false;
  if (asm_is_listed(text, word, names))
    return true;
  struct asm_slice last = {word.at + word.size - 2, 2};
  if (word.size < 3 ||
      !asm_is_listed(text, last,
                     "eq ne cs hs cc lo mi pl vs vc hi ls ge lt gt le"))
    return false;
  word.size -= 2;
  *condition = true;
  return asm_is_listed(text, word, names);
}

static bool pops_pc(const struct asm_text *text,
                    const struct asm_statement *statement,
                    struct asm_slice word, bool *condition) {
  return is_name_or_conditional(
             text, word,
             "pop ldm ldmia ldmfd ldmib ldmdb ldmda ldmea ldmed ldmfa",
             condition) &&
         asm_mentions(text, statement->rest, "pc");
}

/* Parses b, cbz, le, wls and similar branches to a label. */
static bool parse_direct_branch(const struct asm_text *text,
                                struct asm_slice word,
                                const struct asm_statement *statement,
                                struct asm_flow *flow) {
  bool condition = false;
  unsigned operand = 0;
  if (asm_is_listed(text, word, "cbz cbnz le letp wls wlstp*")) {
    while (operand < 2 &&
           asm_operand_at(text, statement->rest, operand + 1).size)
      operand++;
    condition = true;
  } else if (!asm_equals(text, word, "bal") &&
             !is_name_or_conditional(text, word, "b", &condition))
    return false;
  *flow =
      make_jump_flow(asm_operand_at(text, statement->rest, operand), condition);
  return true;
}

/* Returns the flow of an instruction that writes its first operand, if this
 * operand is pc. */
static struct asm_flow decode_pc_write(const struct asm_text *text,
                                       struct asm_slice word,
                                       struct asm_slice rest) {
  struct asm_slice first = asm_operand_at(text, rest, 0);
  bool condition;
  if (!asm_equals(text, first, "pc") ||
      !is_name_or_conditional(
          text, word,
          "ldr mov movs add adds sub subs orr eor and bic rsb adc sbc "
          "lsl lsr asr mvn",
          &condition))
    return (struct asm_flow){.ends = false};
  rest.at += first.size;
  rest.size -= first.size;
  bool kept = asm_mentions(text, rest, "lr") || asm_mentions(text, rest, "sp");
  return (struct asm_flow){.ends = true,
                           .falls = condition,
                           .indirect = !kept,
                           .glued = asm_mentions(text, rest, "pc") ||
                                    asm_starts_with(text, word, "add")};
}

static struct asm_flow decode_arm_flow(const struct asm_text *text,
                                       const struct asm_statement *statement) {
  struct asm_slice word = strip_width_suffix(text, statement->word),
                   rest = statement->rest;
  struct asm_flow flow;
  bool condition;
  if (parse_direct_branch(text, word, statement, &flow))
    return flow;
  if (is_name_or_conditional(text, word, "bx bxj bxaut bxns", &condition))
    return (struct asm_flow){.ends = true,
                             .falls = condition,
                             .indirect = !asm_equals(text, rest, "lr")};
  if (asm_is_listed(text, word, "tbb tbh") ||
      (asm_equals(text, word, "bl") &&
       asm_starts_with(text, rest, "__gnu_thumb1_case_")))
    return (struct asm_flow){.ends = true, .indirect = true, .glued = true};
  if (pops_pc(text, statement, word, &condition))
    return (struct asm_flow){.ends = true, .falls = condition};
  return decode_pc_write(text, word, rest);
}

static unsigned decode_arm_traits(const struct asm_text *text,
                                  const struct asm_statement *statement) {
  struct asm_slice word = strip_width_suffix(text, statement->word),
                   rest = statement->rest;
  bool condition;
  if (asm_equals(text, asm_operand_at(text, rest, 0), "pc") &&
      is_name_or_conditional(text, word, "movs subs", &condition))
    return ASM_RESUMES;
  if (rest.size && text->data[rest.at + rest.size - 1] == '^' &&
      pops_pc(text, statement, word, &condition))
    return ASM_RESUMES;
  return is_name_or_conditional(text, word, "bl blx blxns wfi wfe svc bkpt",
                                &condition)
             ? ASM_CALLS
             : 0;
}

/* ---- AArch64 ---- */

static struct asm_flow
decode_aarch64_flow(const struct asm_text *text,
                    const struct asm_statement *statement) {
  struct asm_slice word = statement->word;
  if (asm_is_listed(text, word, "b b.al"))
    return make_jump_flow(statement->rest, false);
  /* The conditional branches are b.eq, which may be written beq, and bc.eq. */
  if (asm_is_listed(
          text, word,
          "b.* bc.* cb* beq bne bcs bhs bcc blo bmi bpl bvs bvc bhi bls "
          "bge blt bgt ble tbz tbnz"))
    return make_jump_flow(asm_last_operand(text, statement->rest), true);
  if (asm_is_listed(text, word, "br braa brab braaz brabz"))
    return indirect;
  return (struct asm_flow){
      .ends = asm_is_listed(text, word,
                            "ret retaa retab eret drps retaasppc* retabsppc*")};
}

static unsigned decode_aarch64_traits(const struct asm_text *text,
                                      const struct asm_statement *statement) {
  return asm_equals(text, statement->word, "hint") &&
                 asm_is_listed(text, statement->rest,
                               "#25 #27 #32 #34 #36 #38 25 27 32 34 36 38")
             ? ASM_LANDS
             : 0;
}

/* ---- RISC-V, 32 and 64 bit ---- */

/* Returns the flow of jr, or of a jalr without a return address. */
static struct asm_flow decode_register_jump(const struct asm_text *text,
                                            struct asm_slice operand) {
  bool back =
      asm_mentions(text, operand, "ra") || asm_mentions(text, operand, "x1");
  return back ? leaves : indirect;
}

static struct asm_flow
decode_riscv_flow(const struct asm_text *text,
                  const struct asm_statement *statement) {
  struct asm_slice word = statement->word, rest = statement->rest;
  struct asm_slice first = {0, 0};
  if (asm_is_listed(
          text, word,
          "beq bne blt bge bltu bgeu beqz bnez blez bgez bltz bgtz bgt "
          "ble bgtu bleu beqi bnei blti bgei bgeui bltui c.beqz c.bnez"))
    return make_jump_flow(asm_last_operand(text, rest), true);
  asm_pop_operand(text, &rest, &first);
  if (asm_is_listed(text, word, "j c.j tail jump"))
    return make_jump_flow(first, false);
  if (asm_is_listed(text, word, "jr c.jr"))
    return decode_register_jump(text, first);
  if (asm_is_listed(text, first, "zero x0") && rest.size) {
    if (asm_equals(text, word, "jal"))
      return make_jump_flow(asm_operand_at(text, rest, 0), false);
    if (asm_equals(text, word, "jalr"))
      return decode_register_jump(text, rest);
  }
  return (struct asm_flow){
      .ends = asm_is_listed(text, word, "ret mret sret uret mnret")};
}

/* ---- a table entry for each machine ---- */

struct machine_properties {
  struct asm_flow (*flow)(const struct asm_text *text,
                          const struct asm_statement *statement);
  /* Returns properties of an instruction that the word lists below do not show.
   * The pointer may be NULL. */
  unsigned (*traits)(const struct asm_text *text,
                     const struct asm_statement *statement);
  const char *scratch; /* all names of the register that the sleds of blocks
                          use */
  struct {
    unsigned traits;
    const char *words;
  } words[8];
};

static const struct machine_properties arm = {
    decode_arm_flow,
    decode_arm_traits,
    "ip r12",
    {{ASM_LOADS_EXCLUSIVE, "ldrex* ldaex*"},
     {ASM_STORES_EXCLUSIVE, "strex* stlex* clrex*"},
     {ASM_LANDS, "bti"},
     {ASM_LANDS | ASM_SIGNS, "pacbti"},
     {ASM_TRAPS, "udf*"},
     {ASM_RESUMES, "rfe* eret"}}};

static const struct machine_properties aarch64 = {
    decode_aarch64_flow,
    decode_aarch64_traits,
    "x16 w16 ip0",
    {{ASM_LANDS, "bti paciasp pacibsp paciasppc pacibsppc"},
     {ASM_LOADS_EXCLUSIVE, "ldxr ldxrb ldxrh ldxp ldaxr ldaxrb ldaxrh ldaxp"},
     {ASM_STORES_EXCLUSIVE,
      "stxr stxrb stxrh stxp stlxr stlxrb stlxrh stlxp clrex"},
     {ASM_RESUMES, "eret"},
     {ASM_CALLS, "bl blr* wfi wfe svc hlt"},
     {ASM_TRAPS, "udf brk"}}};

static const struct machine_properties riscv = {
    decode_riscv_flow,
    NULL,
    "t1 x6",
    {{ASM_LOADS_EXCLUSIVE, "lr.w* lr.d*"},
     {ASM_STORES_EXCLUSIVE, "sc.w* sc.d*"},
     {ASM_LANDS, "lpad"},
     {ASM_RESUMES, "mret sret uret mnret"},
     {ASM_CALLS, "call jal jalr c.jal c.jalr ecall wfi"},
     {ASM_TRAPS, "unimp c.unimp ebreak"}}};

static const struct machine_properties *const rows[] = {[ASM_UNKNOWN] = &riscv,
                                                        [ASM_ARM] = &arm,
                                                        [ASM_AARCH64] =
                                                            &aarch64,
                                                        [ASM_RISCV32] = &riscv,
                                                        [ASM_RISCV64] = &riscv};

struct asm_flow asm_flow_of(const struct asm_text *text,
                            const struct asm_statement *statement) {
  return rows[text->machine->arch]->flow(text, statement);
}

unsigned asm_traits_of(const struct asm_text *text,
                       const struct asm_statement *statement) {
  const struct machine_properties *row = rows[text->machine->arch];
  struct asm_slice word = statement->word;
  if (row == &arm)
    word = strip_width_suffix(text, word);
  for (unsigned i = 0; row->words[i].words; i++)
    if (asm_is_listed(text, word, row->words[i].words))
      return row->words[i].traits;
  return row->traits ? row->traits(text, statement) : 0;
}

enum asm_match asm_match_words(const struct asm_text *text,
                               const struct asm_statement *statement,
                               const char *words) {
  bool condition = false;
  if (text->machine->arch != ASM_ARM)
    return asm_is_listed(text, statement->word, words) ? ASM_ALWAYS : ASM_NEVER;
  if (!is_name_or_conditional(text, strip_width_suffix(text, statement->word),
                              words, &condition))
    return ASM_NEVER;
  return condition ? ASM_IF : ASM_ALWAYS;
}

bool asm_may_use_sled_register(const struct asm_text *text,
                               struct asm_slice rest) {
  const struct machine_properties *row = rows[text->machine->arch];
  const char *words = row->scratch;
  struct bytes word;
  while (asm_pop_word(&words, &word))
    if (asm_mentions_bytes(text, rest, word))
      return true;
  /* A list such as {r11-lr} includes registers that the list does not name. */
  return row == &arm && rest.size &&
         memchr(text->data + rest.at, '{', rest.size) &&
         memchr(text->data + rest.at, '-', rest.size);
}

unsigned asm_it_block_length(const struct asm_text *text,
                             const struct asm_statement *statement) {
  struct asm_slice word = statement->word;
  if (text->machine->arch != ASM_ARM || word.size < 2 || word.size > 5 ||
      !asm_starts_with(text, word, "it"))
    return 0;
  for (unsigned i = 2; i < word.size; i++)
    if (text->data[word.at + i] != 't' && text->data[word.at + i] != 'e')
      return 0;
  return word.size - 1;
}
