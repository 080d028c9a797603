/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Divides assembly from compilers, for GNU as and clang, into statements. The
 * module skips comments, except for the notes of compilers. plan.h describes
 * the meaning of the statements.
 */
#ifndef ASM_ASM_TEXT_H
#define ASM_ASM_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "../../base/bytes.h"

/* The largest size of a file, so that offsets fit 32 bits, and the most
 * statements. */
enum { ASM_SIZE_LIMIT = 1 << 28, ASM_STATEMENT_LIMIT = 1 << 24 };

/* ASM_NONE stands for no statement, block or function. */
#define ASM_NONE UINT32_MAX

enum asm_arch {
  ASM_UNKNOWN,
  ASM_ARM, /* A32 and Thumb; struct asm_machine has the details */
  ASM_AARCH64,
  ASM_RISCV32,
  ASM_RISCV64
};

/* The machine for which a file was compiled. */
struct asm_machine {
  enum asm_arch arch;
  bool wide; /* Arm: the machine has Thumb-2, with its 32-bit stores, and movw
                and movt, which A32 then has, too */
  bool adds; /* RISC-V: the machine has amoadd */
};

enum asm_kind {
  ASM_LABEL,       /* `word` is the label's name */
  ASM_DIRECTIVE,   /* `word` begins with a dot, or the statement is NAME =
                      VALUE */
  ASM_INSTRUCTION, /* `word` is the mnemonic, `rest` has the operands */
  ASM_NOTE         /* a compiler's comment that says something about the code:
                      enum asm_note */
};

enum asm_note {
  ASM_NOTE_NONE,
  ASM_NOTE_INSIDE,   /* inline or file-scope assembly begins */
  ASM_NOTE_OUTSIDE,  /* inline or file-scope assembly ends */
  ASM_NOTE_COMPILED, /* a compiler wrote the function; the note is after its
                        label, up to the end of its prologue */
  ASM_NOTE_NAKED,
  ASM_NOTE_NESTED /* gcc: the function is inside another function */
};

/* A piece of the text: its offset and size. */
struct asm_slice {
  uint32_t at, size;
};

/* A statement is a label, directive, instruction or note. */
struct asm_statement {
  /* The position of the statement's first character, and the place after the
   * statement where something can be inserted: the next line, or the place
   * after the semicolon or the label's colon. */
  uint32_t begin, end;
  struct asm_slice word, rest; /* both are without surrounding blanks */
  uint32_t section;            /* asm_program_build sets `section`, `function`
                                  and `next` */
  uint32_t function;           /* number of the function; ASM_NONE outside
                                  functions */
  uint32_t next;               /* the next statement of the same function */
  uint32_t block;              /* number of the block that contains the
                                  instruction */
  uint32_t position;           /* largest distance from the function's label in
                                  bytes; only reach.c uses it */
  uint8_t kind, note;          /* enum asm_kind; enum asm_note */
  bool inside; /* the statement is in inline or file-scope assembly, or in a
                  macro's body */
};

/* The statements of a file. */
struct asm_text {
  const struct asm_machine *machine;
  const char *data;
  size_t size;
  struct asm_statement *statements;
  uint32_t count;
};

/* Divides bytes into statements. The bytes must live as long as the text.
 * Returns NULL or the error; the caller calls asm_text_free in both cases. */
const char *asm_text_parse(struct asm_text *text, struct bytes bytes,
                           const struct asm_machine *machine);
void asm_text_free(struct asm_text *text);

/* ---- slices ---- */

bool asm_equals(const struct asm_text *text, struct asm_slice slice,
                const char *word);
bool asm_starts_with(const struct asm_text *text, struct asm_slice slice,
                     const char *prefix);

/* Returns whether the slice is one of the words in a list, which blanks
 * separate. The word `ret*` matches all words that begin with ret. */
bool asm_is_listed(const struct asm_text *text, struct asm_slice slice,
                   const char *list);

/* Removes the first word from a list of words that blanks separate. Returns
 * false at the list's end. */
bool asm_pop_word(const char **list, struct bytes *word);

/* Returns whether the slice contains the word as a complete name. */
bool asm_mentions(const struct asm_text *text, struct asm_slice slice,
                  const char *word);
bool asm_mentions_bytes(const struct asm_text *text, struct asm_slice slice,
                        struct bytes word);

/* Removes the first operand from *rest. An operand ends at a comma outside
 * brackets and quotes, and has no blanks around it. Returns false if nothing is
 * left. */
bool asm_pop_operand(const struct asm_text *text, struct asm_slice *rest,
                     struct asm_slice *operand);

/* Returns the operand with this number, counted from 0. Returns an empty slice
 * if the instruction does not have so many operands. */
struct asm_slice asm_operand_at(const struct asm_text *text,
                                struct asm_slice rest, unsigned number);
struct asm_slice asm_last_operand(const struct asm_text *text,
                                  struct asm_slice rest);

/* Returns whether a name may contain the character. */
bool asm_is_name_char(char c);

#endif
