/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A register for the sled of each block: one that nothing reads before the code
 * writes it. What an instruction does is known for those that compilers use
 * much; all others read every register. Only registers that the function writes
 * somewhere are taken: no caller relies on them, as gcc's -fipa-ra lets callers
 * do with others. Frame pointers stay.
 */
#include <stdlib.h>

#include "../../base/error.h"
#include "graph.h"

/* More than any machine has here. */
#define ALL UINT32_C(0x7ffffff)

/* The registers of a machine, a bit each, the best for a sled first. */
struct dead_row {
  const char *names[28], *others[28]; /* two names of each */
  uint32_t given;                     /* read by calls: arguments */
  uint32_t handed; /* read behind returns: results, what callees keep */
  uint32_t low;    /* Thumb-1 can store by these */
  uint32_t usual;  /* callers never rely on these */
  /* Instructions that write to their first operand, and read nothing but what
   * the others name; those of the second list read the first one too, if they
   * have two operands. */
  const char *writes, *combines;
  const char *reads; /* write to no register that is not named, and may read
                        what they name */
};

static const struct dead_row arm = {
    {"r3", "r2", "r1", "r0", "ip"},
    {"a4", "a3", "a2", "a1", "r12"},
    0xf,
    0xf,
    0xf,
    0x10,
    "mov movs movw mvn mvns ldr ldrb ldrh ldrsb ldrsh sxtb sxth uxtb uxth clz "
    "rbit rev rev16 revsh ubfx sbfx adr",
    "add adds sub subs rsb rsbs and ands orr orrs orn orns eor eors bic bics "
    "lsl lsls lsr lsrs asr asrs ror rors adc adcs sbc sbcs mul muls mla mls "
    "sdiv udiv",
    "cmp cmn tst teq str* push pop ldm* stm* ldrd movt bfi bfc umull smull "
    "umlal smlal neg negs rsc rscs nop dmb v*"};

static const struct dead_row riscv = {
    {"t1", "t0", "t2", "t3", "t4", "t5", "t6",  "a7",  "a6",
     "a5", "a4", "a3", "a2", "a1", "a0", "s1",  "s2",  "s3",
     "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s0"},
    {"x6",  "x5",  "x7",  "x28", "x29", "x30", "x31", "x17", "x16",
     "x15", "x14", "x13", "x12", "x11", "x10", "x9",  "x18", "x19",
     "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x8"},
    0x7ffc,
    0x7ffe000,
    ALL,
    3,
    "li lui la lla auipc mv not neg negw add addi sub and andi or ori xor xori "
    "sll slli srl srli sra srai slt slti sltu sltiu seqz snez sltz sgtz sgt "
    "sgtu lb lbu lh lhu lw lwu ld mul mulh mulhu mulhsu mulw div divu rem remu "
    "divw divuw remw remuw zext.* sext.* addw addiw subw sllw slliw srlw srliw "
    "sraw sraiw sh1add sh2add sh3add min minu max maxu andn orn xnor rol ror "
    "rori",
    "",
    "sb sh sw sd nop f* amo*"};

static const struct dead_row *row_of(const struct asm_text *text) {
  switch (text->machine->arch) {
  case ASM_ARM:
    return &arm;
  case ASM_RISCV32:
  case ASM_RISCV64:
    return &riscv;
  default:
    return NULL;
  }
}

/* The registers that a slice names, as words. */
static uint32_t named(const struct asm_text *text, const struct dead_row *row,
                      struct asm_slice slice) {
  const char *data = text->data + slice.at;
  uint32_t set = 0;
  bool list = false;
  for (uint32_t i = 0; i < slice.size; i++) {
    struct asm_slice name = {slice.at + i, 0};
    for (; i < slice.size && asm_in_name(data[i]); i++)
      name.size++;
    for (unsigned k = 0; name.size && row->names[k]; k++)
      if (asm_is(text, name, row->names[k]) ||
          asm_is(text, name, row->others[k]))
        set |= UINT32_C(1) << k;
    /* {r0-r3} names r1 without its name. */
    list |= i < slice.size && data[i] == '{';
    if (list && i < slice.size && data[i] == '-')
      set = ALL;
  }
  return set;
}

/* ---- what an instruction does ---- */

struct effect {
  uint32_t reads, writes;
  uint32_t keeps; /* of no use for sleds in the whole function */
  bool leaves;    /* control may go elsewhere from here */
};

/* Whether an operand only says how another is shifted: `add r0, r1, lsl #2` */
static bool is_shift(const struct asm_text *text, struct asm_slice operand) {
  return !operand.size || asm_begins(text, operand, "lsl") ||
         asm_begins(text, operand, "lsr") || asm_begins(text, operand, "asr") ||
         asm_begins(text, operand, "ror") || asm_begins(text, operand, "rrx");
}

static struct effect effect_of_end(const struct asm_graph *graph,
                                   const struct dead_row *row,
                                   const struct asm_statement *at,
                                   struct asm_flow flow) {
  struct effect effect = {.reads = named(graph->program->text, row, at->rest),
                          .leaves = true};
  bool within =
      flow.target.size && asm_block_of(graph, flow.target) != ASM_NONE;
  if (flow.target.size)
    effect.reads |= within ? 0 : ALL;
  else if (!flow.indirect)
    effect.reads |= row->handed;
  else if (!flow.glued)
    effect.reads |= row->given;
  else if (asm_is(graph->program->text, at->word, "bl"))
    effect.reads = ALL;
  return effect;
}

static struct effect effect_of(const struct asm_graph *graph,
                               const struct dead_row *row,
                               const struct asm_statement *at) {
  const struct asm_text *text = graph->program->text;
  struct effect all = {.reads = ALL, .leaves = at->inside};
  struct effect effect = {.reads = named(text, row, at->rest)};
  struct asm_slice rest = at->rest, first = {0, 0};
  struct asm_flow flow = asm_flow_of(text, at);
  if (at->inside)
    return all;
  if (flow.ends)
    return effect_of_end(graph, row, at, flow);
  if (asm_traits_of(text, at) & ASM_CALLS) {
    /* A chain in ip; a routine that saves registers. */
    bool more = row == &arm ? graph->program->has_nested
                            : asm_is(text, asm_operand_at(text, rest, 0), "t0");
    effect.reads |= more ? ALL : row->given;
    return effect;
  }
  bool combines = asm_is_one_of(text, at, row->combines) == ASM_ALWAYS &&
                  !is_shift(text, asm_operand_at(text, rest, 2));
  if (combines || asm_is_one_of(text, at, row->writes) == ASM_ALWAYS) {
    asm_operand(text, &rest, &first);
    effect.writes = named(text, row, first);
    /* What points to the frame has readers elsewhere. */
    bool frame = asm_is(text, asm_operand_at(text, rest, 0), "sp");
    effect.keeps = frame ? effect.writes : 0;
    effect.reads = named(text, row, rest);
    return effect;
  }
  return asm_it_count(text, at) || asm_is_one_of(text, at, row->writes) ||
                 asm_is_one_of(text, at, row->combines) ||
                 asm_is_one_of(text, at, row->reads)
             ? effect
             : all;
}

/* ---- blocks ---- */

struct block_registers {
  uint32_t reads, writes; /* reads before it writes; writes before it leaves */
  uint32_t live;          /* something reads what they hold at its beginning */
  bool leaves;
};

static bool lands(const struct asm_graph *graph,
                  const struct asm_statement *at) {
  const struct asm_label *label = asm_label_find(graph->program, at->word);
  return label && label->uses & ASM_LANDING && !(label->uses & ASM_BEGINS);
}

/* Returns what sleds may use where it is dead. */
static uint32_t look_at_blocks(const struct asm_graph *graph,
                               const struct dead_row *row,
                               struct block_registers *blocks) {
  const struct asm_text *text = graph->program->text;
  uint32_t written = row->usual, kept = 0;
  for (uint32_t i = graph->function->label;
       i != ASM_NONE && i != graph->function->size; i = asm_at(text, i)->next) {
    const struct asm_statement *at = asm_at(text, i);
    /* A landing pad may read what callees keep, after any call. */
    if (at->kind == ASM_LABEL && lands(graph, at))
      kept |= ~(row->given | row->usual);
    if (at->kind != ASM_INSTRUCTION)
      continue;
    struct block_registers *block = blocks + at->block;
    struct effect effect = effect_of(graph, row, at);
    block->reads |= effect.reads & ~block->writes;
    block->leaves |= effect.leaves;
    block->writes |= block->leaves ? 0 : effect.writes;
    block->live = block->reads;
    written |= effect.writes;
    kept |= effect.keeps;
  }
  return written & ~kept;
}

/* From the last edge to the first, until nothing changes. */
static bool spread(const struct asm_graph *graph,
                   struct block_registers *blocks) {
  enum { MOST_TURNS = 100 };
  const struct asm_edge *edges =
      (const struct asm_edge *)(const void *)graph->edges.data;
  bool changed = true;
  for (int turn = 0; changed && turn < MOST_TURNS; turn++) {
    changed = false;
    for (uint32_t i = graph->edge_count; i-- > 0;) {
      struct block_registers *from = blocks + edges[i].from;
      uint32_t live = from->live | (blocks[edges[i].to].live & ~from->writes);
      changed |= live != from->live;
      from->live = live;
    }
  }
  return !changed;
}

static void choose_registers(const struct asm_graph *graph,
                             const struct dead_row *row,
                             const struct block_registers *blocks,
                             uint32_t usable) {
  for (uint32_t i = 1; i <= graph->function->block_count; i++) {
    struct asm_block *block =
        asm_block_at(graph->program, graph->function->first_block + i - 1);
    uint32_t dead = usable & ~blocks[i].live;
    for (unsigned k = 0; row->names[k] && !block->free; k++)
      if (dead >> k & 1)
        block->free = (uint8_t)(k + 1);
  }
}

const char *asm_find_dead(const struct asm_graph *graph) {
  const struct dead_row *row = row_of(graph->program->text);
  if (!row)
    return NULL;
  struct block_registers *blocks =
      calloc((size_t)graph->function->block_count + 1, sizeof *blocks);
  if (!blocks)
    return out_of_memory;
  uint32_t usable = look_at_blocks(graph, row, blocks);
  if (graph->function->thumb && !graph->program->text->machine->wide)
    usable &= row->low;
  if (spread(graph, blocks))
    choose_registers(graph, row, blocks, usable);
  free(blocks);
  return NULL;
}

const char *asm_free_register(const struct asm_text *text,
                              const struct asm_block *block) {
  return block->free ? row_of(text)->names[block->free - 1] : NULL;
}
