/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The plan of additions to the assembly, and of each function's part.
 */
#ifndef ASM_PLAN_H
#define ASM_PLAN_H

#include <stdio.h>

#include "../mip_model.h"
#include "machine.h"
#include "asm_program.h"

struct asm_wish {
  uint32_t type; /* bits of enum mip_type */
  uint32_t hash; /* of the link unit's name, or 0 */
};

struct asm_plan {
  struct asm_program *program;
  struct asm_wish wish;
  struct buffer edits; /* asm.c */
  uint32_t edit_count;
};

/* Raw bytes of a function before those of its blocks. */
static inline uint32_t asm_first_slot(const struct asm_wish *wish) {
  return mip_slot_of(wish->type);
}

/* Decides what each function gets: sets skipped, plain, spill and the like.
 * Makes blocks and signatures. Returns NULL or the error. */
const char *asm_choose(struct asm_plan *plan);

/* ---- blocks.c: basic blocks, from labels and branches. Calls do not end a
 * block, as in the compilers' own graphs ---- */

/* Marks how labels are used, in code, jump tables and exception tables. */
void asm_find_uses(struct asm_program *program);

/* Numbers the blocks of a function and adds them to the program's, and finds
 * the place of the entry's sled. Returns NULL or the error. */
const char *asm_find_blocks(struct asm_program *program,
                            struct asm_function *function);

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
bool asm_has_literals(const struct asm_text *text,
                      const struct asm_function *function);
/* Returns the largest size of a sled. */
uint32_t asm_sled_size(const struct asm_plan *plan,
                       const struct asm_function *function, bool entry);

/* Raw bytes and map records, at the end of the file. */
void asm_print_data(FILE *out, const struct asm_plan *plan);

#endif
