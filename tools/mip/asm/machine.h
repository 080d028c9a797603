/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is particular to an architecture: how instructions move control, and
 * how far they reach.
 */
#ifndef ASM_MACHINE_H
#define ASM_MACHINE_H

#include "text.h"

/* What an instruction does to control. */
struct asm_flow {
  bool ends;     /* the block ends here, unless all below is false */
  bool falls;    /* what follows may be next; only looked at if ends */
  bool indirect; /* to an address from a register or table */
  bool glued;    /* what follows must stay where it is: a jump counts on it */
  struct asm_slice target; /* the label it names, or empty */
};

/* Other things to know of an instruction. */
enum asm_trait {
  ASM_LOADS_EXCLUSIVE = 1, /* until the store no other store may come */
  ASM_STORES_EXCLUSIVE = 2,
  ASM_LANDS = 4,    /* must come first where it stands: bti, endbr64 */
  ASM_SIGNS = 8,    /* signs the return address, into ip on Arm */
  ASM_RESUMES = 16, /* ends an interrupt handler that kept no register */
  ASM_TRAPS = 32    /* never goes on */
};

/* Which architecture the assembly is for, by its directives and registers.
 * A file that has none of them may remain unknown. */
enum asm_arch asm_detect(struct bytes bytes);
enum asm_arch asm_arch_named(const char *name, struct asm_machine *machine);

/* Reads the rest of the machine from its directives. */
void asm_machine_read(struct asm_machine *machine, const struct asm_text *text);

/* What an instruction does; a statement of the text's machine. */
struct asm_flow asm_flow_of(const struct asm_text *text,
                            const struct asm_statement *statement);
unsigned asm_traits_of(const struct asm_text *text,
                       const struct asm_statement *statement);

/* Of a Thumb `it`: how many instructions it holds; else 0. */
unsigned asm_it_count(const struct asm_text *text,
                      const struct asm_statement *statement);

/* Whether operands may name the register that sleds of blocks use. */
bool asm_uses_scratch(const struct asm_text *text, struct asm_slice rest);

#endif
