/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes the control-flow graph of a function: its edges and its signature.
 * Finds the blocks whose bytes follow from other blocks, and a free register
 * for each block's sled. blocks.c finds the blocks; sled.c uses the results.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/flow_graph.h"
#include "../../base/need.h"
#include "../../object/digest.h"
#include "plan.h"

/* A limit for the edges of a function. Each jump through a register has an edge
 * to each label whose address is taken. */
enum { EDGE_LIMIT = 1 << 22 };

static void add_block_edge(struct asm_graph *graph, uint32_t from,
                           uint32_t to) {
  LIST_ADD(graph->edges, graph->edge_count, (struct asm_edge){from, to});
}

/* Returns the block of a label if the label is in this function, otherwise
 * ASM_NONE. */
static uint32_t find_label_block(const struct asm_graph *graph,
                                 struct asm_slice name) {
  const struct asm_label *label = asm_label_find(graph->program, name);
  if (!label)
    return ASM_NONE;
  uint32_t function =
      graph->program->text->statements[label->statement].function;
  return function != ASM_NONE &&
                 &graph->program->functions[function] == graph->function
             ? label->block
             : ASM_NONE;
}

static void list_address_taken_blocks(struct asm_graph *graph) {
  const struct asm_text *text = graph->program->text;
  uint32_t last = ASM_NONE;
  for (uint32_t i = graph->function->label; i != ASM_NONE;
       i = text->statements[i].next) {
    const struct asm_statement *at = &text->statements[i];
    const struct asm_label *label =
        at->kind == ASM_LABEL ? asm_label_find(graph->program, at->word) : NULL;
    if (!label || !(label->uses & ASM_TAKEN) || label->block == ASM_NONE ||
        label->block == last)
      continue;
    last = label->block;
    LIST_ADD(graph->taken, graph->taken_count, last);
  }
}

/* Adds the edges of a jump through a register or table. Returns NULL or the
 * error. */
static const char *add_computed_jump_edges(struct asm_graph *graph,
                                           uint32_t from) {
  if (graph->taken_count > EDGE_LIMIT - graph->edge_count % EDGE_LIMIT ||
      graph->edge_count > EDGE_LIMIT)
    return "a function has more than 4 million computed jumps; leave this file "
           "out";
  for (uint32_t i = 0; i < graph->taken_count; i++)
    add_block_edge(graph, from, graph->taken[i]);
  return NULL;
}

static void add_jump_edge(struct asm_graph *graph, uint32_t from,
                          struct asm_slice label) {
  uint32_t to = find_label_block(graph, label);
  if (to != ASM_NONE)
    add_block_edge(graph, from, to);
}

/* Adds the edges of an instruction that may move control to another place.
 * Returns NULL or the error. */
static const char *add_flow_edges(struct asm_graph *graph,
                                  const struct asm_statement *at,
                                  struct asm_flow flow) {
  struct asm_slice rest = at->rest, operand;
  if (flow.indirect && !at->inside) {
    graph->indirect = true;
    return add_computed_jump_edges(graph, at->block);
  }
  if (!at->inside && flow.target.size)
    add_jump_edge(graph, at->block, flow.target);
  /* Inline assembly may jump to a label of the function (`asm goto`). */
  while (at->inside && asm_pop_operand(graph->program->text, &rest, &operand))
    add_jump_edge(graph, at->block, operand);
  return NULL;
}

static const char *add_function_edges(struct asm_graph *graph) {
  const struct asm_text *text = graph->program->text;
  const char *error = NULL;
  uint32_t before = ASM_NONE;
  bool goes_on = false;
  for (uint32_t i = graph->function->label;
       i != ASM_NONE && i != graph->function->size && !error;
       i = text->statements[i].next) {
    const struct asm_statement *at = &text->statements[i];
    if (at->kind != ASM_INSTRUCTION)
      continue;
    if (before == ASM_NONE)
      graph->first = at->block;
    if (goes_on && at->block != before)
      add_block_edge(graph, before, at->block);
    struct asm_flow flow = asm_flow_of(text, at);
    bool traps = asm_traits_of(text, at) & ASM_TRAPS;
    goes_on = at->inside || (flow.ends ? flow.falls : !traps);
    before = at->block;
    if (flow.ends || at->inside)
      error = add_flow_edges(graph, at, flow);
  }
  return error;
}

ORDER_BY(compare_edges, struct asm_edge, x->from, x->to);

const char *asm_graph_build(struct asm_graph *graph,
                            struct asm_program *program,
                            struct asm_function *function) {
  *graph = (struct asm_graph){.program = program, .function = function};
  list_address_taken_blocks(graph);
  const char *error = add_function_edges(graph);
  sort_array(graph->edges, graph->edge_count, sizeof *graph->edges,
             compare_edges);
  return error;
}

void asm_graph_free(struct asm_graph *graph) {
  free(graph->edges);
  free(graph->taken);
}

static bool is_repeated_edge(const struct asm_graph *graph, uint32_t i) {
  const struct asm_edge *edges = graph->edges;
  return i && edges[i].from == edges[i - 1].from &&
         edges[i].to == edges[i - 1].to;
}

/* ---- the signature ---- */

/* Sets the signature, which is the low 32 bits of the first half of the MD5 of
 * a text. The text has a pair of braces for each block, in the order of the
 * code. The braces have the numbers of the blocks that may follow, ascending,
 * each once and with a semicolon after it: `{1;2;}{2;}{}` means three blocks,
 * numbered from 0. A function of one block has the signature 0. A jump through
 * a register or table may go to every label whose address is taken in the
 * function. */
void asm_compute_signature(struct asm_graph *graph) {
  struct buffer text = {.limit = (size_t)1 << 30};
  uint32_t at = 0;
  for (uint32_t i = 0; i <= graph->function->block_count; i++) {
    need_append(&text, "{", 1);
    for (; at < graph->edge_count && graph->edges[at].from == i; at++) {
      char number[16];
      int size =
          snprintf(number, sizeof number, "%u;", (unsigned)graph->edges[at].to);
      if (!is_repeated_edge(graph, at))
        need_append(&text, number, (size_t)size);
    }
    need_append(&text, "}", 1);
  }
  graph->function->signature = (uint32_t)md5_low64(text.data, text.size);
  buffer_free(&text);
}

/* ---- implied blocks ----
 *
 * Finds blocks whose bytes follow from other blocks' bytes, so that these
 * blocks need no sled. Each block has a node in the graph for
 * base/implied_counters.c. A block has a second node, which stands for a call,
 * if other code may run in the block or control may leave the function from the
 * block. Control enters at the function's entry, at landing pads, and at labels
 * to which other functions jump. */

/* Functions of the compiler's library and the C library that always return, and
 * that call only functions of this list. */
static const char harmless[] =
    "memcpy memmove memset memcmp bcmp __aeabi_* __mul* __div* __udiv* __mod* "
    "__umod* __ash* __lshr* __clz* __ctz* __ffs* __popcount* __bswap* __add* "
    "__sub* __eq* __ne* __lt* __le* __gt* __ge* __unord* __cmp* __fix* "
    "__float* __extend* __trunc* __riscv_save_* __riscv_restore_*";

struct implication_search {
  struct asm_graph *graph;
  struct flow_graph flow;
  bool *stops;  /* for each block, whether the block has a second node */
  bool *enters; /* for each block, whether control may enter the function at
                   this block */
};

/* ---- properties of blocks ---- */

/* Returns whether the name belongs to a short function of this file, without
 * calls and branches. Such a function always returns, and cannot write a dump.
 */
static bool is_short_leaf_function(const struct asm_program *program,
                                   struct asm_slice name) {
  enum { SHORT = 200 };
  const struct asm_text *text = program->text;
  const struct asm_label *label = asm_label_find(program, name);
  uint32_t number =
      label ? text->statements[label->statement].function : ASM_NONE;
  if (number == ASM_NONE || label->uses & ASM_SHARED)
    return false;
  const struct asm_function *function = &program->functions[number];
  uint32_t i = label->statement, count = 0;
  bool ends = false;
  if (function->label != i || function->size == ASM_NONE)
    return false;
  for (; i != ASM_NONE && i != function->size; i = text->statements[i].next) {
    const struct asm_statement *at = &text->statements[i];
    if (at->kind != ASM_INSTRUCTION)
      continue;
    struct asm_flow flow = asm_flow_of(text, at);
    if (ends || at->inside || count++ == SHORT || flow.indirect ||
        flow.target.size || (flow.ends && flow.falls) ||
        asm_traits_of(text, at) & (ASM_TRAPS | ASM_CALLS | ASM_RESUMES))
      return false;
    ends = flow.ends;
  }
  return ends;
}

static bool does_call_always_return(const struct asm_graph *graph,
                                    const struct asm_statement *call) {
  const struct asm_text *text = graph->program->text;
  struct asm_slice name = asm_last_operand(text, call->rest);
  return asm_is_listed(text, name, harmless) ||
         (asm_is_listed(text, call->word, "call bl jal") &&
          is_short_leaf_function(graph->program, name));
}

static bool may_control_leave_at(const struct asm_graph *graph,
                                 const struct asm_statement *at) {
  const struct asm_text *text = graph->program->text;
  if (at->inside)
    return true;
  struct asm_flow flow = asm_flow_of(text, at);
  unsigned traits = asm_traits_of(text, at);
  if (!flow.ends)
    return traits & ASM_TRAPS ||
           (traits & ASM_CALLS && !does_call_always_return(graph, at));
  if (flow.indirect)
    return !flow.glued; /* the jump may be a tail call */
  return !flow.target.size || find_label_block(graph, flow.target) == ASM_NONE;
}

static bool may_enter_at_label(const struct asm_graph *graph,
                               const struct asm_label *label) {
  unsigned uses = label->uses;
  return uses & ASM_FOREIGN ||
         (uses & (ASM_LANDING | ASM_BEGINS)) == ASM_LANDING ||
         (uses & ASM_TAKEN && !graph->indirect);
}

static void mark_exits_and_entries(struct implication_search *search) {
  const struct asm_graph *graph = search->graph;
  const struct asm_text *text = graph->program->text;
  for (uint32_t i = graph->function->label;
       i != ASM_NONE && i != graph->function->size;
       i = text->statements[i].next) {
    const struct asm_statement *at = &text->statements[i];
    const struct asm_label *label =
        at->kind == ASM_LABEL ? asm_label_find(graph->program, at->word) : NULL;
    if (at->kind == ASM_INSTRUCTION)
      search->stops[at->block] |= may_control_leave_at(graph, at);
    if (label && label->block != ASM_NONE && may_enter_at_label(graph, label))
      search->enters[label->block] = true;
  }
}

/* ---- the nodes ---- */

/* The numbers of nodes. Control enters the function from node OUTSIDE, and
 * leaves the function to node GONE. Then come the nodes of blocks, then the
 * nodes of calls. */
enum { OUTSIDE, GONE, BLOCKS };

static void add_block_nodes(struct implication_search *search) {
  struct flow_graph *flow = &search->flow;
  uint32_t blocks = search->graph->function->block_count + 1;
  flow_graph_add_node(flow, FLOW_NONE, 0, false);
  flow_graph_add_node(flow, FLOW_NONE, 0, true);
  for (uint32_t i = 0; i < blocks; i++)
    flow_graph_add_node(flow, i, 0, false);
  for (uint32_t i = 0; i < blocks; i++)
    flow_graph_add_node(flow, FLOW_NONE, 0, true);
}

/* Returns the node through which control leaves a block. */
static uint32_t get_exit_node(const struct implication_search *search,
                              uint32_t block) {
  uint32_t blocks = search->graph->function->block_count + 1;
  return BLOCKS + block + (search->stops[block] ? blocks : 0);
}

static void add_block_flow_edges(struct implication_search *search) {
  const struct asm_graph *graph = search->graph;
  struct flow_graph *flow = &search->flow;
  const struct asm_edge *edges = graph->edges;
  flow_graph_add_edge(flow, OUTSIDE, BLOCKS);
  if (graph->first)
    flow_graph_add_edge(flow, BLOCKS, BLOCKS + graph->first);
  for (uint32_t i = 0; i <= graph->function->block_count; i++) {
    uint32_t last = get_exit_node(search, i);
    if (last != BLOCKS + i) {
      flow_graph_add_edge(flow, BLOCKS + i, last);
      flow_graph_add_edge(flow, last, GONE);
    }
    if (search->enters[i])
      flow_graph_add_edge(flow, OUTSIDE, BLOCKS + i);
  }
  for (uint32_t i = 0; i < graph->edge_count; i++)
    if (!is_repeated_edge(graph, i))
      flow_graph_add_edge(flow, get_exit_node(search, edges[i].from),
                          BLOCKS + edges[i].to);
}

/* ---- implied blocks of a function ---- */

static void append_implied_number(struct asm_graph *graph, uint32_t number) {
  struct asm_program *program = graph->program;
  graph->function->implication_count++;
  LIST_ADD(program->implications, program->implication_count, number);
}

static const char *mark_implied_block(void *context, uint32_t block,
                                      const uint32_t *from, size_t count) {
  struct asm_graph *graph = context;
  struct asm_function *function = graph->function;
  if (block)
    graph->program->blocks[function->first_block + block - 1].implied = true;
  else
    function->entry_implied = true;
  for (size_t i = 0; i < count; i++)
    append_implied_number(graph, from[i]);
  append_implied_number(graph, (uint32_t)count);
  append_implied_number(graph, block);
  return NULL;
}

/* Gives numbers to the blocks that have a byte. */
static void number_block_slots(const struct asm_graph *graph) {
  struct asm_function *function = graph->function;
  function->kept = 0;
  for (uint32_t i = 0; i < function->block_count; i++) {
    struct asm_block *block =
        &graph->program->blocks[function->first_block + i];
    block->slot = function->kept;
    function->kept += !block->implied;
  }
}

const char *asm_mark_implied_blocks(struct asm_graph *graph, bool entry) {
  size_t count = (size_t)graph->function->block_count + 1;
  struct implication_search search = {.graph = graph,
                                      .stops = need_memory(calloc(count, 1)),
                                      .enters = need_memory(calloc(count, 1))};
  flow_graph_begin(&search.flow);
  graph->function->first_implication = graph->program->implication_count;
  mark_exits_and_entries(&search);
  add_block_nodes(&search);
  add_block_flow_edges(&search);
  flow_graph_complete(&search.flow);
  search.flow.nodes[BLOCKS].fixed = !entry;
  const char *error =
      implied_counters_drop(&search.flow, mark_implied_block, graph);
  number_block_slots(graph);
  flow_graph_free(&search.flow);
  free(search.stops);
  free(search.enters);
  return error;
}

/* ==== Finds a register for the sled of each block. The code must write this
 * register before any code reads it. The tables have the instructions that
 * compilers use often. Any other instruction is assumed to read every register.
 * Only registers that the function writes somewhere are used: callers may rely
 * on the values of other registers (gcc's -fipa-ra). Frame pointers are not
 * used. */

/* The bits of all registers of any machine in the tables. */
#define ALL UINT32_C(0x7ffffff)

/* The registers of a machine, one bit for each. The best register for a sled
 * comes first. */
struct machine_registers {
  const char *names[28], *others[28]; /* two names of each register */
  uint32_t given;                     /* registers that calls read, which are
                                         arguments */
  uint32_t handed; /* registers that callers read after a return: results, and
                      callee-saved registers */
  uint32_t low;    /* registers through which Thumb-1 can store */
  uint32_t usual;  /* registers on which callers never rely */
  /* `writes` are instructions that write their first operand and read only the
   * other operands. `combines` are such instructions that read both operands if
   * they have two. */
  const char *writes, *combines;
  const char *reads; /* instructions that read the registers in their operands
                        and write no other registers */
};

static const struct machine_registers arm = {
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

static const struct machine_registers riscv = {
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

static const struct machine_registers *
find_machine_registers(const struct asm_text *text) {
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

static uint32_t parse_named_registers(const struct asm_text *text,
                                      const struct machine_registers *row,
                                      struct asm_slice slice) {
  const char *data = text->data + slice.at;
  uint32_t set = 0;
  bool list = false;
  for (uint32_t i = 0; i < slice.size; i++) {
    struct asm_slice name = {slice.at + i, 0};
    for (; i < slice.size && asm_is_name_char(data[i]); i++)
      name.size++;
    for (unsigned k = 0; name.size && row->names[k]; k++)
      if (asm_equals(text, name, row->names[k]) ||
          asm_equals(text, name, row->others[k]))
        set |= UINT32_C(1) << k;
    /* {r0-r3} includes r1, although it does not name r1. */
    list |= i < slice.size && data[i] == '{';
    if (list && i < slice.size && data[i] == '-')
      set = ALL;
  }
  return set;
}

/* ---- effects of instructions ---- */

struct register_effect {
  uint32_t reads, writes;
  uint32_t keeps; /* registers that sleds must not use anywhere in the
                     function */
  bool leaves;    /* control may leave the block at the instruction */
};

/* Returns whether the operand only says how another operand is shifted, as in
 * `add r0, r1, lsl #2`. */
static bool is_shift_operand(const struct asm_text *text,
                             struct asm_slice operand) {
  return !operand.size || asm_starts_with(text, operand, "lsl") ||
         asm_starts_with(text, operand, "lsr") ||
         asm_starts_with(text, operand, "asr") ||
         asm_starts_with(text, operand, "ror") ||
         asm_starts_with(text, operand, "rrx");
}

static struct register_effect
compute_branch_effect(const struct asm_graph *graph,
                      const struct machine_registers *row,
                      const struct asm_statement *at, struct asm_flow flow) {
  struct register_effect effect = {
      .reads = parse_named_registers(graph->program->text, row, at->rest),
      .leaves = true};
  bool within =
      flow.target.size && find_label_block(graph, flow.target) != ASM_NONE;
  if (flow.target.size)
    effect.reads |= within ? 0 : ALL;
  else if (!flow.indirect)
    effect.reads |= row->handed;
  else if (!flow.glued) /* may be a tail call, whose caller reads `handed` */
    effect.reads |= row->given | row->handed;
  else if (asm_equals(graph->program->text, at->word, "bl"))
    effect.reads = ALL;
  return effect;
}

/* An unknown instruction is taken to read all registers, so none is free. */
static struct register_effect
compute_instruction_effect(const struct asm_graph *graph,
                           const struct machine_registers *row,
                           const struct asm_statement *at) {
  const struct asm_text *text = graph->program->text;
  struct register_effect all = {.reads = ALL, .leaves = at->inside};
  struct register_effect effect = {
      .reads = parse_named_registers(text, row, at->rest)};
  struct asm_slice rest = at->rest, first = {0, 0};
  struct asm_flow flow = asm_flow_of(text, at);
  if (at->inside)
    return all;
  if (flow.ends)
    return compute_branch_effect(graph, row, at, flow);
  if (asm_traits_of(text, at) & ASM_CALLS) {
    /* Nested functions get their static chain in ip; on RISC-V, a call through
     * t0 calls a routine that saves registers. */
    bool more = row == &arm
                    ? graph->program->has_nested
                    : asm_equals(text, asm_operand_at(text, rest, 0), "t0");
    effect.reads |= more ? ALL : row->given;
    return effect;
  }
  bool combines = asm_match_words(text, at, row->combines) == ASM_ALWAYS &&
                  !is_shift_operand(text, asm_operand_at(text, rest, 2));
  if (combines || asm_match_words(text, at, row->writes) == ASM_ALWAYS) {
    asm_pop_operand(text, &rest, &first);
    effect.writes = parse_named_registers(text, row, first);
    /* Other code may read a pointer to the frame. */
    bool frame = asm_equals(text, asm_operand_at(text, rest, 0), "sp");
    effect.keeps = frame ? effect.writes : 0;
    effect.reads = parse_named_registers(text, row, rest);
    return effect;
  }
  return asm_it_block_length(text, at) ||
                 asm_match_words(text, at, row->writes) ||
                 asm_match_words(text, at, row->combines) ||
                 asm_match_words(text, at, row->reads)
             ? effect
             : all;
}

/* ---- blocks ---- */

struct block_registers {
  uint32_t reads, writes; /* registers that the block reads before it writes the
                             same registers; registers that it writes before
                             control leaves */
  uint32_t live;          /* registers whose values at the block's beginning are
                             read later */
  bool leaves;
};

static bool is_landing_label(const struct asm_graph *graph,
                             const struct asm_statement *at) {
  const struct asm_label *label = asm_label_find(graph->program, at->word);
  return label && label->uses & ASM_LANDING && !(label->uses & ASM_BEGINS);
}

/* Fills `blocks`. Returns the registers that sleds may use at places where no
 * code needs their values. */
static uint32_t compute_block_registers(const struct asm_graph *graph,
                                        const struct machine_registers *row,
                                        struct block_registers *blocks) {
  const struct asm_text *text = graph->program->text;
  uint32_t written = row->usual, kept = 0;
  for (uint32_t i = graph->function->label;
       i != ASM_NONE && i != graph->function->size;
       i = text->statements[i].next) {
    const struct asm_statement *at = &text->statements[i];
    /* After any call, a landing pad may read callee-saved registers. */
    if (at->kind == ASM_LABEL && is_landing_label(graph, at))
      kept |= ~(row->given | row->usual);
    if (at->kind != ASM_INSTRUCTION)
      continue;
    struct block_registers *block = blocks + at->block;
    struct register_effect effect = compute_instruction_effect(graph, row, at);
    block->reads |= effect.reads & ~block->writes;
    block->leaves |= effect.leaves;
    block->writes |= block->leaves ? 0 : effect.writes;
    block->live = block->reads;
    written |= effect.writes;
    kept |= effect.keeps;
  }
  return written & ~kept;
}

/* Walks over all edges from the last to the first, again and again, until
 * nothing changes. Returns false if this takes too long. */
static bool spread_liveness(const struct asm_graph *graph,
                            struct block_registers *blocks) {
  enum { MOST_TURNS = 100 };
  const struct asm_edge *edges = graph->edges;
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

static void choose_block_registers(const struct asm_graph *graph,
                                   const struct machine_registers *row,
                                   const struct block_registers *blocks,
                                   uint32_t usable) {
  for (uint32_t i = 1; i <= graph->function->block_count; i++) {
    struct asm_block *block =
        &graph->program->blocks[graph->function->first_block + i - 1];
    uint32_t dead = usable & ~blocks[i].live;
    for (unsigned k = 0; row->names[k] && !block->free; k++)
      if (dead >> k & 1)
        block->free = (uint8_t)(k + 1);
  }
}

void asm_choose_sled_registers(const struct asm_graph *graph) {
  const struct machine_registers *row =
      find_machine_registers(graph->program->text);
  if (!row)
    return;
  struct block_registers *blocks = need_memory(
      calloc((size_t)graph->function->block_count + 1, sizeof *blocks));
  uint32_t usable = compute_block_registers(graph, row, blocks);
  if (graph->function->thumb && !graph->program->text->machine->wide)
    usable &= row->low;
  if (spread_liveness(graph, blocks))
    choose_block_registers(graph, row, blocks, usable);
  free(blocks);
}

const char *asm_get_sled_register(const struct asm_text *text,
                                  const struct asm_block *block) {
  return block->free ? find_machine_registers(text)->names[block->free - 1]
                     : NULL;
}
