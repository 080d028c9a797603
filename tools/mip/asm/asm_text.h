/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Assembly as compilers write it, for GNU as and clang, cut into statements.
 * Comments are skipped, except the compilers' notes in them.
 */
#ifndef ASM_ASM_TEXT_H
#define ASM_ASM_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "../../base/storage.h"
#include "../../base/bytes.h"

/* More is refused; offsets fit 32 bits. */
enum { ASM_SIZE_LIMIT = 1 << 28, ASM_STATEMENT_LIMIT = 1 << 24 };

/* No statement, block or function. */
#define ASM_NONE UINT32_MAX

enum asm_arch {
  ASM_UNKNOWN,
  ASM_ARM, /* A32 and Thumb; struct asm_machine says which */
  ASM_AARCH64,
  ASM_RISCV32,
  ASM_RISCV64
};

struct asm_machine {
  enum asm_arch arch;
  bool wide;  /* Arm: Thumb-2, with its 32-bit stores */
  bool moves; /* Arm: has movw and movt */
  bool adds;  /* RISC-V: has amoadd */
};

enum asm_kind {
  ASM_LABEL,       /* word is its name */
  ASM_DIRECTIVE,   /* word begins with a dot; also NAME = VALUE */
  ASM_INSTRUCTION, /* word is the mnemonic, rest the operands */
  ASM_NOTE         /* a compiler's note in a comment; none of the above */
};

enum asm_note {
  ASM_NOTE_NONE,
  ASM_NOTE_INSIDE,   /* inline or file-scope assembly begins */
  ASM_NOTE_OUTSIDE,  /* and ends */
  ASM_NOTE_COMPILED, /* a function's label, or its prologue, by a compiler */
  ASM_NOTE_NAKED,
  ASM_NOTE_NESTED /* a function inside another one, of gcc */
};

/* A piece of the text, by offset. */
struct asm_slice {
  uint32_t at, size;
};

struct asm_statement {
  /* From its first character to the place for an insertion behind it: the next
   * line, behind the semicolon, or behind the colon of a label. */
  uint32_t begin, end;
  struct asm_slice word, rest; /* without the blanks around them */
  uint32_t section;  /* set with the functions; so are the next three */
  uint32_t function; /* ASM_NONE outside of functions */
  uint32_t next;     /* the function's next statement */
  uint32_t block;    /* of an instruction: its number */
  uint32_t position; /* reach.c */
  uint8_t kind, note;
  bool inside; /* inline or file-scope assembly, or a macro's body */
};

struct asm_text {
  const struct asm_machine *machine;
  const char *data;
  size_t size;
  struct buffer statements; /* of struct asm_statement */
  uint32_t count;
};

static inline struct asm_statement *asm_at(const struct asm_text *text,
                                           uint32_t index) {
  return (struct asm_statement *)text->statements.data + index;
}

/* Cuts bytes into statements. The caller keeps the bytes. Returns NULL or the
 * error. asm_text_free gives the memory back, also after an error. */
const char *asm_text_read(struct asm_text *text, struct bytes bytes,
                          const struct asm_machine *machine);
void asm_text_free(struct asm_text *text);

/* ---- slices ---- */

bool asm_is(const struct asm_text *text, struct asm_slice slice,
            const char *word);
bool asm_begins(const struct asm_text *text, struct asm_slice slice,
                const char *prefix);

/* Whether the slice is in the list of words, separated by blanks; `ret*`
 * matches every word with this beginning. */
bool asm_listed(const struct asm_text *text, struct asm_slice slice,
                const char *list);

/* Takes the next word of such a list; false: there is none. */
bool asm_next_word(const char **list, struct bytes *word);

/* Whether a word of letters, digits, `_`, `.` and `$` is in it as a whole. */
bool asm_mentions(const struct asm_text *text, struct asm_slice slice,
                  const char *word);
bool asm_mentions_bytes(const struct asm_text *text, struct asm_slice slice,
                        struct bytes word);

/* Takes the text before the next comma outside brackets and quotes off *rest,
 * without blanks. false: nothing is left. */
bool asm_operand(const struct asm_text *text, struct asm_slice *rest,
                 struct asm_slice *operand);

/* The same, the number of the operand from 0; empty if there is none. */
struct asm_slice asm_operand_at(const struct asm_text *text,
                                struct asm_slice rest, unsigned number);
struct asm_slice asm_last_operand(const struct asm_text *text,
                                  struct asm_slice rest);

/* A letter, digit or other character of names. */
bool asm_in_name(char c);

#endif
