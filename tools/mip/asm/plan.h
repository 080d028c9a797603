/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Describes an assembly file for `bareprof mip instrument`: its sections,
 * functions and blocks, and the code and data that the command adds to each
 * function. asm.c calls the steps in order: asm_text.c, machine.c, blocks.c,
 * graph.c, reach.c, sled.c.
 *
 * A sled is the code that counts, at a function's entry or at a block's
 * beginning.
 */
#ifndef ASM_PLAN_H
#define ASM_PLAN_H

#include <stdio.h>

#include "../mip_model.h"
#include "asm_text.h"

/* ---- machine.c ----
 *
 * Knows the properties of an architecture: which instructions end a block, and
 * which instructions a sled must not separate. */

/* How an instruction moves control. */
struct asm_flow {
  bool ends;     /* the instruction ends its block; if not, all members below
                    are false */
  bool falls;    /* the next instruction may run after this one; only valid if
                    `ends` is true */
  bool indirect; /* the instruction jumps to an address from a register or
                    table */
  bool glued;    /* the code after the instruction must not move, because a jump
                    counts from this place */
  struct asm_slice target; /* the label to which the instruction jumps, or
                              empty */
};

/* Other properties of an instruction. */
enum asm_trait {
  ASM_LOADS_EXCLUSIVE = 1, /* no other store may come between this instruction
                              and the exclusive store */
  ASM_STORES_EXCLUSIVE = 2,
  ASM_LANDS = 4,    /* the instruction must be the first one: bti, endbr64 */
  ASM_SIGNS = 8,    /* the instruction signs the return address, on Arm into
                       ip */
  ASM_RESUMES = 16, /* the instruction returns from an interrupt handler that
                       saved no register */
  ASM_TRAPS = 32,   /* control never continues after the instruction */
  ASM_CALLS = 64    /* other code may run and never return; only valid if the
                       instruction does not end its block */
};

/* Detects the architecture from the directives and registers in a file. Returns
 * ASM_UNKNOWN if the file does not show the architecture. asm_parse_arch_name
 * sets the machine from a name, and returns ASM_UNKNOWN for an unknown name. */
enum asm_arch asm_detect_arch(struct bytes bytes);
enum asm_arch asm_parse_arch_name(const char *name,
                                  struct asm_machine *machine);

/* Reads the machine's details from the file's directives. */
void asm_detect_features(struct asm_machine *machine,
                         const struct asm_text *text);

/* The first function returns how an instruction moves control, the second one
 * its other properties. */
struct asm_flow asm_flow_of(const struct asm_text *text,
                            const struct asm_statement *statement);
unsigned asm_traits_of(const struct asm_text *text,
                       const struct asm_statement *statement);

/* Returns the number of instructions that a Thumb `it` covers, or 0 for another
 * instruction. */
unsigned asm_it_block_length(const struct asm_text *text,
                             const struct asm_statement *statement);

/* Returns whether the operands may include the register that the sleds of
 * blocks use. */
bool asm_may_use_sled_register(const struct asm_text *text,
                               struct asm_slice rest);

enum asm_match { ASM_NEVER, ASM_ALWAYS, ASM_IF };

/* Returns whether the instruction is one of the words. ASM_IF means that it is
 * one of the words with one of Arm's conditions. */
enum asm_match asm_match_words(const struct asm_text *text,
                               const struct asm_statement *statement,
                               const char *words);

/* ---- asm_text.c ----
 *
 * Finds the meaning of the statements: sections, functions, local labels. */

/* What a section means for the instrumentation. */
enum asm_role {
  ASM_CODE,
  ASM_DATA,       /* the section may contain jump tables */
  ASM_EXCEPTIONS, /* the section has exception tables, which name landing
                     pads */
  ASM_ASIDE       /* the section has debug information or other data that says
                     nothing about code */
};

/* A section of the assembly file. */
struct asm_section {
  struct asm_slice name, group; /* `group` is empty if the section is in no
                                   group */
  bool comdat;
  bool pure; /* Arm: the section has execute-only code */
  uint8_t role;
  uint32_t open; /* the function that has not ended yet, or ASM_NONE */
};

/* Says how a label in code is used. The label is local, or a function's. */
enum asm_use {
  ASM_JUMPED = 1,   /* a branch goes to the label */
  ASM_TAKEN = 2,    /* the label's address is taken, as for a jump table */
  ASM_ANCHOR = 4,   /* an expression counts from the label, so code after the
                       label must not move away */
  ASM_LANDING = 8,  /* the label is a landing pad of exceptions, unless
                       ASM_BEGINS is set */
  ASM_BEGINS = 16,  /* calls that may throw begin at the label */
  ASM_FOREIGN = 32, /* another function branches to the label, such as the cold
                       part of the function */
  ASM_SHARED = 64   /* other files may use or replace the label */
};

/* A label in the code. */
struct asm_label {
  struct asm_slice name;
  uint32_t statement;
  uint32_t block; /* number of the block in its function, or ASM_NONE */
  uint8_t uses;   /* bits of enum asm_use */
};

/* A function of the file, and the code that instrumentation adds to it. */
struct asm_function {
  struct asm_slice name;
  uint32_t label, size; /* numbers of statements; size is ASM_NONE until the
                           .size is found */
  uint32_t last;        /* the last statement of the function that was found so
                           far */
  uint32_t section;
  bool thumb;
  bool compiled;            /* a note says that a compiler wrote the function */
  bool has_blocks;          /* the function gets block coverage */
  bool spill, spill_blocks; /* no register is free at the entry, or in blocks */
  bool literals;            /* sleds load addresses from literals */
  bool near_literals;       /* literals are in the sleds, because the end of the
                               function would be too far away */
  bool aligned;             /* the function contains an .align */
  uint32_t entry;           /* the sled of the entry goes after this
                               statement */
  uint32_t first_block, block_count; /* the function's range in program->blocks,
                                        without the entry */
  uint32_t kept;                     /* number of these blocks that have a
                                        byte */
  uint32_t first_implication, implication_count; /* the function's range in
                                                    program->implications */
  bool entry_implied; /* other blocks imply the entry; see
                         asm_entry_is_implied */
  bool mixed;         /* control may also enter the middle of a block */
  uint32_t signature;
  const char *skipped; /* reason why the function is not instrumented, or
                          NULL */
  const char *plain;   /* reason why the function gets no block coverage, or
                          NULL */
};

/* Returns whether blocks imply the entry, so that the entry gets no byte. */
static inline bool asm_entry_is_implied(const struct asm_function *function) {
  return function->has_blocks && function->entry_implied;
}

/* Returns the number of bytes that the function has for its blocks. The bytes
 * are after the entry's byte or count. */
static inline uint32_t
asm_block_byte_count(const struct asm_function *function) {
  return function->has_blocks ? function->kept : 0;
}

/* A block other than the entry. The block's sled goes after statement `after`.
 */
struct asm_block {
  uint32_t after;
  uint32_t slot; /* index of the block's byte among the bytes of the function's
                    blocks */
  bool implied;  /* other blocks imply the block, so it gets no byte */
  uint8_t free;  /* the register that asm_get_sled_register returns; 0: none is
                    known */
};

/* The meaning of a file's statements. */
struct asm_program {
  struct asm_text *text;
  struct asm_section *sections;
  struct asm_function *functions;
  struct asm_label *labels; /* the labels, sorted by name */
  struct asm_block *blocks;
  uint32_t *implications; /* numbers as in maps: see struct mip_implications */
  uint32_t section_count, function_count, label_count, block_count;
  uint32_t implication_count;
  bool has_notes;  /* ASM_NOTE_COMPILED occurs in the file, so functions without
                      this note are hand-written */
  bool has_nested; /* ASM_NOTE_NESTED occurs in the file */
};

/* Finds sections and functions, chains each function's statements, and sorts
 * the local labels of code (.L names). Returns NULL or the error; the caller
 * calls asm_program_free in both cases. */
const char *asm_program_build(struct asm_program *program,
                              struct asm_text *text);
void asm_program_free(struct asm_program *program);

/* Returns the label in code with this name, which is local or a function's.
 * Returns NULL if no such label exists. */
struct asm_label *asm_label_find(const struct asm_program *program,
                                 struct asm_slice name);

/* The options that the user chose. */
struct asm_settings {
  uint32_t type; /* bits of enum mip_type */
  uint32_t hash; /* mip_module_hash of the link unit's name, or 0 */
};

/* Everything that the command inserts into a file. */
struct asm_plan {
  struct asm_program *program;
  struct asm_settings settings;
  struct assembly_edit *edits; /* the edits, in the order of asm.c */
  uint32_t edit_count;
};

/* Returns whether functions have a count instead of a byte. */
static inline bool asm_has_counts(const struct asm_settings *settings) {
  return settings->type & (MIP_TIMES | MIP_CALLS);
}

/* Returns the number of a function's raw bytes that come before the bytes of
 * its blocks. */
static inline uint32_t
asm_entry_byte_count(const struct asm_settings *settings) {
  return mip_entry_size(settings->type);
}

/* ---- blocks.c: finds basic blocks from labels and branches. As in the
 * compilers' own graphs, calls do not end a block ---- */

/* Marks how labels are used in code, jump tables and exception tables. */
void asm_mark_label_uses(struct asm_program *program);

/* Finds the blocks of a function, adds the blocks to the program, and finds the
 * place of the entry's sled. */
void asm_build_blocks(struct asm_program *program,
                      struct asm_function *function);

/* ---- graph.c ----
 *
 * Finds where control may go in one function, and which blocks other blocks
 * imply. */

/* An edge: control may go from one block to the other. */
struct asm_edge {
  uint32_t from, to;
};

/* Describes the control flow of one function. */
struct asm_graph {
  struct asm_program *program;
  struct asm_function *function;
  struct asm_edge *edges; /* the edges, sorted; an edge may occur twice */
  uint32_t *taken;        /* the blocks whose address is taken */
  uint32_t edge_count, taken_count;
  uint32_t first; /* the block with the first instruction */
  bool indirect;  /* the function has a jump through a register or table */
};

/* Builds the control-flow graph of a function. Call asm_build_blocks before.
 * The functions of graph.c return NULL or the error; the caller calls
 * asm_graph_free in any case. */
const char *asm_graph_build(struct asm_graph *graph,
                            struct asm_program *program,
                            struct asm_function *function);
void asm_graph_free(struct asm_graph *graph);

/* Sets the function's signature (see graph.c). */
void asm_compute_signature(struct asm_graph *graph);

/* Finds the blocks that other blocks imply. Implied blocks need no byte. If
 * `entry` is true, the entry has a byte instead of a count, so other blocks may
 * imply the entry, too. */
const char *asm_mark_implied_blocks(struct asm_graph *graph, bool entry);

/* Finds for each block a register that its sled may use. */
void asm_choose_sled_registers(const struct asm_graph *graph);

/* Returns the register that the block's sled may overwrite, or NULL. */
const char *asm_get_sled_register(const struct asm_text *text,
                                  const struct asm_block *block);

/* ---- reach.c ---- */

/* Finds labels that sleds would move too far away. Sets the function's
 * `literals` and `near_literals`, and sets `plain` if nothing else helps. */
void asm_plan_literals_and_reach(struct asm_plan *plan,
                                 struct asm_function *function);

/* Checks the jump tables outside code in the same way. Call this after all
 * functions were checked. */
void asm_apply_table_limits(struct asm_plan *plan);

/* Returns whether a short branch must become an opposite branch around a long
 * one. */
bool asm_must_widen_branch(const struct asm_plan *plan,
                           const struct asm_function *function,
                           const struct asm_statement *statement);

/* Stands for a size that is not known; larger than any function in bytes. */
enum { ASM_HUGE = 1 << 24 };

/* ---- sled.c ---- */

/* These functions write the sled of a function's entry, or of one of its
 * blocks. `number` is the function's number in the program. */
void asm_print_entry_sled(FILE *out, const struct asm_plan *plan,
                          uint32_t number);
void asm_print_block_sled(FILE *out, const struct asm_plan *plan,
                          uint32_t number, uint32_t block);
/* Writes the literals of a function's sleds, after the function. */
void asm_print_literals(FILE *out, const struct asm_plan *plan,
                        uint32_t number);
/* Returns whether sleds must load addresses from literals. */
static inline bool asm_needs_literals(const struct asm_text *text) {
  return text->machine->arch == ASM_ARM && !text->machine->wide;
}

/* Returns whether a function is Thumb-1 code, where only r0 to r7 can hold
 * addresses. */
static inline bool asm_is_thumb1(const struct asm_plan *plan,
                                 const struct asm_function *function) {
  const struct asm_machine *machine = plan->program->text->machine;
  return machine->arch == ASM_ARM && function->thumb && !machine->wide;
}

/* Returns how many raw bytes one literal serves, which is the reach of a
 * store's offset. */
static inline uint32_t
asm_bytes_per_literal(const struct asm_plan *plan,
                      const struct asm_function *function) {
  return asm_is_thumb1(plan, function) ? 30 : 4080;
}

/* Returns the largest size of a sled in bytes. */
uint32_t asm_sled_size(const struct asm_plan *plan,
                       const struct asm_function *function, bool entry);

/* Writes the raw bytes and the map records, which go to the end of the file. */
void asm_print_raw_and_map(FILE *out, const struct asm_plan *plan);

/* ---- asm.c ----
 *
 * Instruments assembly that is in memory, for `bareprof mip instrument`. */

/* The input and the results of one call of asm_instrument. */
struct asm_job {
  struct asm_settings settings;
  struct asm_machine machine; /* the machine; ASM_UNKNOWN: detect the machine */
  FILE *out;
  /* asm_instrument calls this function for each function that it skips, and for
   * each function that gets no block coverage although the user requested it.
   * May be NULL. */
  void (*report_skip)(void *context, struct bytes name, bool skipped,
                      const char *why);
  void *context;
  uint32_t functions, instrumented; /* the results: number of functions found,
                                       and of functions with sleds */
};

/* Writes the instrumented assembly to job->out. Without functions in the text,
 * the output is the unchanged text. Returns NULL or the error. After an error,
 * a part of the output may be written. */
const char *asm_instrument(struct asm_job *job, struct bytes bytes);

#endif
