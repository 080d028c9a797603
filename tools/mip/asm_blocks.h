/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Basic blocks of functions, from labels and branches. Calls do not end a
 * block, as in the compilers' own graphs.
 */
#ifndef MIP_ASM_BLOCKS_H
#define MIP_ASM_BLOCKS_H

#include "asm_machine.h"
#include "asm_program.h"

/* Marks how labels are used, in code, jump tables and exception tables. */
void asm_find_uses(struct asm_program *program,
                   const struct asm_machine *machine);

/* Whether what stands behind the statement may come before the sled instead:
 * directives about lines and unwinding, and labels that only tables of those
 * know. */
bool asm_steps_over(const struct asm_program *program,
                    const struct asm_statement *statement);

/* Numbers the blocks of a function and adds them to the program's, and finds
 * where its entry's sled goes. NULL, or what is wrong. */
const char *asm_find_blocks(struct asm_program *program,
                            const struct asm_machine *machine,
                            struct asm_function *function);

/* The signature of the function's graph, see hash.h: the successors of each
 * block ascending and once. A jump through a register or table may go to
 * every label whose address is taken in the function. */
const char *asm_sign(struct asm_program *program,
                     const struct asm_machine *machine,
                     struct asm_function *function);

#endif
