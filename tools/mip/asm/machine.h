/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The properties of an architecture: how instructions move control, and how far
 * they reach.
 */
#ifndef ASM_MACHINE_H
#define ASM_MACHINE_H

#include "asm_text.h"

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

#endif
