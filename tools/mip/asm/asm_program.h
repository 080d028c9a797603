/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The meaning of the statements: sections, functions, local labels.
 */
#ifndef ASM_ASM_PROGRAM_H
#define ASM_ASM_PROGRAM_H

#include "asm_text.h"

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
  uint8_t role;
  uint32_t open; /* the function whose end has not come yet, or ASM_NONE */
};

/* How a local label of code is used. */
enum asm_use {
  ASM_JUMPED = 1,  /* a branch goes there */
  ASM_TAKEN = 2,   /* its address is taken: jump tables */
  ASM_ANCHOR = 4,  /* an expression counts from it, so the label must stay in
                      place */
  ASM_LANDING = 8, /* exceptions land there, if not ASM_BEGINS */
  ASM_BEGINS = 16, /* calls that may throw begin there */
  ASM_FOREIGN = 32 /* another function's branch goes there, as from the cold
                      part */
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
};

struct asm_program {
  struct asm_text *text;
  struct buffer sections, functions, labels, blocks;
  struct buffer follows; /* uint32_t, as in maps: mip_model.h */
  uint32_t section_count, function_count, label_count, block_count;
  uint32_t follow_count;
  bool has_notes; /* ASM_NOTE_COMPILED occurs: functions without it are
                     hand-written */
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

#endif
