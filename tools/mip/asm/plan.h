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
  bool ends;     /* the block ends here; if `ends` is false, all fields below
                    are false */
  bool falls;    /* the next instruction may run after this one; only valid if
                    ends */
  bool indirect; /* jumps to an address from a register or table */
  bool glued;    /* the code after it must not move, because a jump counts from
                    here */
  struct asm_slice target; /* the label to which the instruction jumps, or
                              empty */
};

/* Other properties of an instruction. */
enum asm_trait {
  ASM_LOADS_EXCLUSIVE = 1, /* no other store may come before the exclusive
                              store */
  ASM_STORES_EXCLUSIVE = 2,
  ASM_LANDS = 4,    /* must be the first instruction: bti, endbr64 */
  ASM_SIGNS = 8,    /* signs the return address, on Arm into ip */
  ASM_RESUMES = 16, /* returns from an interrupt handler that saved no
                       register */
  ASM_TRAPS = 32,   /* control never continues after it */
  ASM_CALLS = 64    /* other code may run and never return; only valid if the
                       block does not end here */
};

/* Detects the architecture from directives and registers. Returns ASM_UNKNOWN
 * if the file has neither. asm_parse_arch_name sets the machine from a name. */
enum asm_arch asm_detect_arch(struct bytes bytes);
enum asm_arch asm_parse_arch_name(const char *name,
                                  struct asm_machine *machine);

/* Reads the machine's details from the file's directives. */
void asm_detect_features(struct asm_machine *machine,
                         const struct asm_text *text);

/* Returns how an instruction moves control, and its other properties. */
struct asm_flow asm_flow_of(const struct asm_text *text,
                            const struct asm_statement *statement);
unsigned asm_traits_of(const struct asm_text *text,
                       const struct asm_statement *statement);

/* Returns how many instructions a Thumb `it` covers, or 0 for another
 * instruction. */
unsigned asm_it_length(const struct asm_text *text,
                       const struct asm_statement *statement);

/* Whether the operands may include the register that blocks' sleds use. */
bool asm_uses_scratch(const struct asm_text *text, struct asm_slice rest);

enum asm_match { ASM_NEVER, ASM_ALWAYS, ASM_IF };

/* Whether the instruction is one of the words. ASM_IF: it is one of the words,
 * with one of Arm's conditions. */
enum asm_match asm_match_words(const struct asm_text *text,
                               const struct asm_statement *statement,
                               const char *words);

/* ---- asm_text.c ----
 *
 * The meaning of the statements: sections, functions, local labels.
 */

/* What a section means for the instrumentation. */
enum asm_role {
  ASM_CODE,
  ASM_DATA,       /* may contain jump tables */
  ASM_EXCEPTIONS, /* exception tables: they name landing pads */
  ASM_ASIDE       /* debug information and the like, which says nothing about
                     code */
};

/* A section of the file. */
struct asm_section {
  struct asm_slice name, group; /* group: empty if the section is in no group */
  bool comdat;
  bool pure; /* Arm: execute-only code */
  uint8_t role;
  uint32_t open; /* the function that has not ended yet, or ASM_NONE */
};

/* How a label in code is used; it is local, or a function's. */
enum asm_use {
  ASM_JUMPED = 1,   /* a branch goes to it */
  ASM_TAKEN = 2,    /* the address is taken, as for a jump table */
  ASM_ANCHOR = 4,   /* an expression counts from it, so code after it must not
                      move away */
  ASM_LANDING = 8,  /* unless ASM_BEGINS: a landing pad of exceptions */
  ASM_BEGINS = 16,  /* calls that may throw begin here */
  ASM_FOREIGN = 32, /* another function branches here, such as its cold part */
  ASM_SHARED = 64   /* other files may use or replace the label */
};

/* A label in code. */
struct asm_label {
  struct asm_slice name;
  uint32_t statement;
  uint32_t block; /* number of the block in its function, or ASM_NONE */
  uint8_t uses;   /* bits of enum asm_use */
};

/* A function: what it contains, and what it gets. */
struct asm_function {
  struct asm_slice name;
  uint32_t label, size; /* statements; size is ASM_NONE until the .size is
                           found */
  uint32_t last;        /* the last statement found so far */
  uint32_t section;
  bool thumb;
  bool compiled;            /* a note says that a compiler wrote it */
  bool has_blocks;          /* gets block coverage */
  bool spill, spill_blocks; /* no register is free at the entry, or in blocks */
  bool literals;            /* sleds load addresses from literals */
  bool far_literals;        /* literals after the function would be too far
                               away */
  bool aligned;             /* contains an .align */
  uint32_t entry;           /* the sled goes after this statement */
  uint32_t first_block, block_count; /* range of program->blocks, without the
                                        entry */
  uint32_t kept;                     /* how many of these blocks have a byte */
  uint32_t first_implication, implication_count; /* range of program->follows */
  bool entry_implied; /* used by asm_entry_is_implied */
  bool mixed; /* control also enters the middle of a block */
  uint32_t signature;
  const char *skipped; /* why the function is not instrumented, or NULL */
  const char *plain;   /* why the function gets no block coverage, or NULL */
};

/* Whether blocks imply the entry, so that the entry has no byte. */
static inline bool asm_entry_is_implied(const struct asm_function *function) {
  return function->has_blocks && function->entry_implied;
}

/* Returns how many bytes the function has for its blocks, after the entry's. */
static inline uint32_t
asm_block_byte_count(const struct asm_function *function) {
  return function->has_blocks ? function->kept : 0;
}

/* A block other than the entry. `behind`: its sled goes after this
 * statement. */
struct asm_block {
  uint32_t after;
  uint32_t slot; /* index of its byte among the bytes of the function's
                    blocks */
  bool implied;  /* other blocks imply it: it has no byte */
  uint8_t free;  /* the register of asm_get_sled_register; 0: none is known */
};

/* What the statements of a file mean. */
struct asm_program {
  struct asm_text *text;
  struct asm_section *sections;
  struct asm_function *functions;
  struct asm_label *labels; /* sorted by name */
  struct asm_block *blocks;
  uint32_t *implications; /* as in maps: struct mip_implications */
  uint32_t section_count, function_count, label_count, block_count;
  uint32_t implication_count;
  bool has_notes;  /* ASM_NOTE_COMPILED occurs, so functions without this note
                      are hand-written */
  bool has_nested; /* ASM_NOTE_NESTED occurs */
};

/* Finds sections and functions, chains each function's statements, and sorts
 * the local labels of code (.L names). Returns NULL or the error; the caller
 * calls asm_program_free in both cases. */
const char *asm_program_build(struct asm_program *program,
                              struct asm_text *text);
void asm_program_free(struct asm_program *program);

/* Returns the label of code with this name, local or a function's, or NULL. */
struct asm_label *asm_label_find(const struct asm_program *program,
                                 struct asm_slice name);

/* The options that the user chose. */
struct asm_settings {
  uint32_t type; /* bits of enum mip_type */
  uint32_t hash; /* mip_module_hash of the link unit's name, or 0 */
};

/* Everything that is inserted into a file. */
struct asm_plan {
  struct asm_program *program;
  struct asm_settings settings;
  struct assembly_edit *edits; /* see asm.c */
  uint32_t edit_count;
};

/* Returns how many raw bytes of a function come before the bytes of blocks. */
static inline uint32_t
asm_entry_byte_count(const struct asm_settings *settings) {
  return mip_entry_size(settings->type);
}

/* ---- blocks.c: basic blocks, from labels and branches. As in the compilers'
 * own graphs, calls do not end a block ---- */

/* Marks how labels are used in code, jump tables and exception tables. */
void asm_mark_label_uses(struct asm_program *program);

/* Finds the blocks of a function, adds them to the program's, and finds the
 * place of the entry's sled. */
void asm_build_blocks(struct asm_program *program,
                      struct asm_function *function);

/* ---- graph.c ----
 *
 * Where control may go in one function, and what follows from that.
 */

/* Control may go from one block to another. */
struct asm_edge {
  uint32_t from, to;
};

/* The control-flow graph of one function. */
struct asm_graph {
  struct asm_program *program;
  struct asm_function *function;
  struct asm_edge *edges; /* sorted; an edge may occur twice */
  uint32_t *taken;        /* blocks whose address is taken */
  uint32_t edge_count, taken_count;
  uint32_t first; /* block with the first instruction */
  bool jumps;     /* a jump goes through a register or table */
};

/* Builds the graph. Call asm_build_blocks before. The functions here return
 * NULL or the error; the caller calls asm_graph_free in any case. */
const char *asm_graph_build(struct asm_graph *graph,
                            struct asm_program *program,
                            struct asm_function *function);
void asm_graph_free(struct asm_graph *graph);

/* Sets the function's signature (see graph.c). */
void asm_compute_signature(struct asm_graph *graph);

/* Finds the blocks that other blocks imply. Implied blocks need no byte. The
 * entry may be implied, too, if `entry` says that it has a byte (and not a
 * count). */
const char *asm_drop_implied_blocks(struct asm_graph *graph, bool entry);

/* Finds for each block a register that its sled may use. */
void asm_choose_sled_registers(const struct asm_graph *graph);

/* Returns the register that the block's sled may overwrite, or NULL. */
const char *asm_get_sled_register(const struct asm_text *text,
                                  const struct asm_block *block);

/* ---- reach.c ---- */

/* Finds labels that sleds would move too far away. Sets the function's `plain`
 * if nothing helps, and its `literals` and `far_literals`. */
void asm_apply_reach_limits(struct asm_plan *plan,
                            struct asm_function *function);

/* Checks jump tables outside code in the same way, after all functions. */
void asm_apply_table_limits(struct asm_plan *plan);

/* Whether the short branch must become an opposite branch around a long one. */
bool asm_must_widen_branch(const struct asm_plan *plan,
                           const struct asm_function *function,
                           const struct asm_statement *statement);

/* ---- sizes ---- */

/* An unknown size; larger than any function. */
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
/* Whether an address has to be loaded from a literal. */
static inline bool asm_needs_literals(const struct asm_text *text,
                                      const struct asm_function *function) {
  const struct asm_machine *machine = text->machine;
  return machine->arch == ASM_ARM &&
         !(function->thumb ? machine->wide : machine->moves);
}

/* Whether the code is Thumb-1, where only r0 to r7 can hold addresses. */
static inline bool asm_is_thumb1(const struct asm_plan *plan,
                                 const struct asm_function *function) {
  const struct asm_machine *machine = plan->program->text->machine;
  return machine->arch == ASM_ARM && function->thumb && !machine->wide;
}

/* Returns how many bytes one literal serves: as far as a store's offset
 * reaches. */
static inline uint32_t asm_literal_span(const struct asm_plan *plan,
                                        const struct asm_function *function) {
  return asm_is_thumb1(plan, function) ? 30 : 4080;
}

/* Returns the largest size of a sled in bytes. */
uint32_t asm_sled_size(const struct asm_plan *plan,
                       const struct asm_function *function, bool entry);

/* Writes raw bytes and map records, at the end of the file. */
void asm_print_raw_and_map(FILE *out, const struct asm_plan *plan);

/* ---- asm.c ----
 *
 * Instruments assembly in memory, for `bareprof mip instrument`.
 */

/* One call of asm_instrument: what to do, and the results. */
struct asm_job {
  struct asm_settings settings;
  struct asm_machine machine; /* ASM_UNKNOWN: detect it */
  FILE *out;
  /* Called for each function that is skipped, or gets no block coverage
   * although it was requested; may be NULL. */
  void (*report_skip)(void *context, struct bytes name, bool skipped,
                      const char *why);
  void *context;
  uint32_t functions, instrumented; /* results: functions found, functions with
                                       sleds */
};

/* Writes the instrumented assembly to job->out. After an error, part of the
 * output may be written. Text without functions stays unchanged. Returns NULL
 * or the error. */
const char *asm_instrument(struct asm_job *job, struct bytes bytes);

#endif
