/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The plan of additions to the assembly, and of each function's part.
 */
#ifndef ASM_PLAN_H
#define ASM_PLAN_H

#include <stdio.h>

#include "../mip_model.h"
#include "asm_text.h"

/* ---- machine.c ----
 *
 * The properties of an architecture: how instructions move control, and how far
 * they reach.
 */

/* How an instruction moves control. */
struct asm_flow {
  bool ends;     /* the block ends here, unless all below is false */
  bool falls;    /* the following instruction may be next; only valid if ends */
  bool indirect; /* to an address from a register or table */
  bool glued;    /* the following code must stay in place: a jump relies on
                    it */
  struct asm_slice target; /* the label it names, or empty */
};

/* Other things to know of an instruction. */
enum asm_trait {
  ASM_LOADS_EXCLUSIVE = 1, /* no other store may come before the exclusive
                              store */
  ASM_STORES_EXCLUSIVE = 2,
  ASM_LANDS = 4,    /* must stay the first instruction: bti, endbr64 */
  ASM_SIGNS = 8,    /* signs the return address, into ip on Arm */
  ASM_RESUMES = 16, /* ends an interrupt handler that kept no register */
  ASM_TRAPS = 32,   /* never goes on */
  ASM_CALLS = 64    /* other code may run, and need not come back; unless the
                       block ends here */
};

/* Detects the architecture by directives and registers. A file with neither may
 * remain unknown. */
enum asm_arch asm_detect(struct bytes bytes);
enum asm_arch asm_arch_named(const char *name, struct asm_machine *machine);

/* Reads the rest of the machine from its directives. */
void asm_machine_read(struct asm_machine *machine, const struct asm_text *text);

/* Returns how the instruction of a statement moves control. */
struct asm_flow asm_flow_of(const struct asm_text *text,
                            const struct asm_statement *statement);
unsigned asm_traits_of(const struct asm_text *text,
                       const struct asm_statement *statement);

/* Returns the number of instructions of a Thumb `it`, otherwise 0. */
unsigned asm_it_count(const struct asm_text *text,
                      const struct asm_statement *statement);

/* Whether operands may name the register that sleds of blocks use. */
bool asm_uses_scratch(const struct asm_text *text, struct asm_slice rest);

enum asm_match { ASM_NEVER, ASM_ALWAYS, ASM_IF };

/* Whether the instruction is one of the words; ASM_IF: it is, with one of Arm's
 * conditions. */
enum asm_match asm_is_one_of(const struct asm_text *text,
                             const struct asm_statement *statement,
                             const char *words);

/* ---- asm_text.c ----
 *
 * The meaning of the statements: sections, functions, local labels.
 */

/* The role of a section for the instrumenter. */
enum asm_role {
  ASM_CODE,
  ASM_DATA,       /* may hold jump tables */
  ASM_EXCEPTIONS, /* names landing pads */
  ASM_ASIDE       /* debug information and the like: says nothing of code */
};

struct asm_section {
  struct asm_slice name, group; /* group: empty if it is in none */
  bool comdat;
  bool pure; /* Arm: the code must not be read */
  uint8_t role;
  uint32_t open; /* the function whose end has not come yet, or ASM_NONE */
};

/* How a label of code is used: a local one, or a function. */
enum asm_use {
  ASM_JUMPED = 1,  /* a branch goes there */
  ASM_TAKEN = 2,   /* its address is taken: jump tables */
  ASM_ANCHOR = 4,  /* an expression counts from it, so the label must stay in
                      place */
  ASM_LANDING = 8, /* exceptions land there, if not ASM_BEGINS */
  ASM_BEGINS = 16, /* calls that may throw begin there */
  ASM_FOREIGN = 32, /* another function's branch goes there, as from the cold
                       part */
  ASM_SHARED = 64   /* other files know it, or have another in its place */
};

struct asm_label {
  struct asm_slice name;
  uint32_t statement;
  uint32_t block; /* of its function, or ASM_NONE */
  uint8_t uses;   /* of enum asm_use */
};

struct asm_function {
  struct asm_slice name;
  uint32_t label, size; /* the statements; size is ASM_NONE until it comes */
  uint32_t last;        /* the last statement so far */
  uint32_t section;
  bool thumb;
  bool compiled;            /* a note says that a compiler made it */
  bool has_blocks;          /* is to have block coverage */
  bool spill, spill_blocks; /* no free register at the entry, in blocks */
  bool literals;            /* sleds load addresses, and do not make them */
  bool far_literals;        /* a place behind the function would be too far */
  bool aligned;             /* it has an .align inside */
  uint32_t entry;           /* the sled goes behind this statement */
  uint32_t first_block, block_count; /* of program->blocks, non-entry */
  uint32_t kept;                     /* those of them that have a flag */
  uint32_t follows, follow_count;    /* of program->follows */
  bool entry_follows;                /* asm_entry_follows */
  bool mixed; /* control comes to a place within a block */
  uint32_t signature;
  const char *skipped; /* the reason why it is not instrumented, or NULL */
  const char *plain;   /* the reason why it gets no block coverage, or NULL */
};

/* Whether the entry's flag follows from those of blocks. */
static inline bool asm_entry_follows(const struct asm_function *function) {
  return function->has_blocks && function->entry_follows;
}

/* Flags behind the entry's. */
static inline uint32_t asm_flags_of(const struct asm_function *function) {
  return function->has_blocks ? function->kept : 0;
}

/* A block that is not the entry: the statement behind which its sled goes. */
struct asm_block {
  uint32_t behind;
  uint32_t slot; /* of its flag, counted in those that are kept */
  bool follows;  /* from other flags: it has none */
  uint8_t free;  /* asm_free_register, from 1; 0: none is known */
};

struct asm_program {
  struct asm_text *text;
  struct buffer sections, functions, labels, blocks;
  struct buffer follows; /* uint32_t, as in maps: mip_model.h */
  uint32_t section_count, function_count, label_count, block_count;
  uint32_t follow_count;
  bool has_notes;  /* ASM_NOTE_COMPILED occurs: functions without it are
                     hand-written */
  bool has_nested; /* ASM_NOTE_NESTED occurs */
};

static inline struct asm_section *
asm_section_at(const struct asm_program *program, uint32_t index) {
  return (struct asm_section *)program->sections.data + index;
}

static inline struct asm_function *
asm_function_at(const struct asm_program *program, uint32_t index) {
  return (struct asm_function *)program->functions.data + index;
}

static inline struct asm_block *asm_block_at(const struct asm_program *program,
                                             uint32_t index) {
  return (struct asm_block *)program->blocks.data + index;
}

/* Finds sections and functions, chains the statements of each function, and
 * sorts the local labels (those that begin with .L) of code. Returns NULL or
 * the error. asm_program_free gives the memory back, also after an error. */
const char *asm_program_read(struct asm_program *program,
                             struct asm_text *text);
void asm_program_free(struct asm_program *program);

/* The local label of code with this name, or NULL. */
struct asm_label *asm_label_find(const struct asm_program *program,
                                 struct asm_slice name);

/* Adds to an array of a program. Returns NULL or the error. */
const char *asm_push(struct buffer *buffer, uint32_t *count, const void *item,
                     size_t size);

struct asm_settings {
  uint32_t type; /* bits of enum mip_type */
  uint32_t hash; /* of the link unit's name, or 0 */
};

struct asm_plan {
  struct asm_program *program;
  struct asm_settings settings;
  struct buffer edits; /* asm.c */
  uint32_t edit_count;
};

/* Raw bytes of a function before those of its blocks. */
static inline uint32_t asm_first_slot(const struct asm_settings *settings) {
  return mip_slot_of(settings->type);
}

/* ---- blocks.c: basic blocks, from labels and branches. Calls do not end a
 * block, as in the compilers' own graphs ---- */

/* Marks how labels are used, in code, jump tables and exception tables. */
void asm_find_uses(struct asm_program *program);

/* Numbers the blocks of a function and adds them to the program's, and finds
 * the place of the entry's sled. Returns NULL or the error. */
const char *asm_find_blocks(struct asm_program *program,
                            struct asm_function *function);

/* ---- graph.c ---- */

/* The register that the sled of the block may use without keeping what is in
 * it, or NULL. */
const char *asm_free_register(const struct asm_text *text,
                              const struct asm_block *block);

/* ---- reach.c ---- */

/* Finds labels that the sleds would move too far away. Sets plain if there is
 * no remedy, and far_literals. */
void asm_check_reach(struct asm_plan *plan, struct asm_function *function);

/* The same for tables outside of code, once all functions are known. */
void asm_check_tables(struct asm_plan *plan);

/* Whether the short branch must become two. */
bool asm_must_widen(const struct asm_plan *plan,
                    const struct asm_function *function,
                    const struct asm_statement *statement);

/* ---- sizes ---- */

/* An unknown size; larger than any function. */
enum { ASM_HUGE = 1 << 24 };

/* ---- sled.c ---- */

/* The name of a symbol of the function, such as f$RAW. */
void asm_print_entry(FILE *out, const struct asm_plan *plan, uint32_t number);
void asm_print_block(FILE *out, const struct asm_plan *plan, uint32_t number,
                     uint32_t block);
/* Prints the literals of sleds behind the function. */
void asm_print_literals(FILE *out, const struct asm_plan *plan,
                        uint32_t number);
/* Whether addresses of words can only be loaded. */
static inline bool asm_lacks_moves(const struct asm_text *text,
                                   const struct asm_function *function) {
  const struct asm_machine *machine = text->machine;
  return machine->arch == ASM_ARM &&
         !(function->thumb ? machine->wide : machine->moves);
}

/* Thumb-1: whether only r0 to r7 can hold addresses. */
static inline bool asm_only_low(const struct asm_plan *plan,
                                const struct asm_function *function) {
  const struct asm_machine *machine = plan->program->text->machine;
  return machine->arch == ASM_ARM && function->thumb && !machine->wide;
}

/* How many slots a literal serves: as far as stores reach. */
static inline uint32_t asm_span(const struct asm_plan *plan,
                                const struct asm_function *function) {
  return asm_only_low(plan, function) ? 30 : 4080;
}

/* Returns the largest size of a sled. */
uint32_t asm_sled_size(const struct asm_plan *plan,
                       const struct asm_function *function, bool entry);

/* Raw bytes and map records, at the end of the file. */
void asm_print_data(FILE *out, const struct asm_plan *plan);

/* ---- asm.c ----
 *
 * Instruments assembly in memory, for `bareprof mip instrument`.
 */

struct asm_job {
  struct asm_settings settings;
  struct asm_machine machine; /* ASM_UNKNOWN: detect the machine */
  FILE *out;
  /* Called for each function that is skipped, or gets no block coverage
   * although requested; may be NULL. */
  void (*tell)(void *context, struct bytes name, bool skipped, const char *why);
  void *context;
  uint32_t functions, instrumented; /* results */
};

/* Writes the instrumented assembly. After an error, some or all of the output
 * may be written. Text without functions is written unchanged. Returns NULL or
 * the error. */
const char *asm_instrument(struct asm_job *job, struct bytes bytes);

#endif
