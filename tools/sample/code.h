/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instructions of a linked ELF. Data between them, which the mapping
 * symbols of Arm and RISC-V tell ($t, $a, $x, $d), is left out.
 */
#ifndef SAMPLE_CODE_H
#define SAMPLE_CODE_H

#include "../base/buffer.h"
#include "../object/elf.h"
#include "instruction.h"

/* From here on it is code or data. */
struct code_mark {
  uint64_t address;
  unsigned char letter; /* t, a, x, d */
};

struct code {
  const struct elf *elf;
  struct instruction_set set;
  const struct code_mark *marks; /* ascending */
  size_t mark_count;
  struct buffer mark_memory;
};

/* NULL, or what is wrong: a machine whose instructions are not known here. In
 * both cases the caller calls code_close. elf must live as long. */
const char *code_open(struct code *code, const struct elf *elf);
void code_close(struct code *code);

/* An address as instructions have it: without the bit that says Thumb. */
uint64_t code_address(const struct code *code, uint64_t address);

/* Those from begin to end, in order:
 *
 *     struct code_walk walk;
 *     for (code_walk(&walk, &code, begin, end); code_next(&walk);)
 *       ... walk.address, walk.instruction ...
 *
 * It ends early, with walk.at < end, where bytes are no known instruction. */
struct code_walk {
  const struct code *code;
  uint64_t address;
  struct instruction instruction;
  uint64_t at, end; /* what follows */
  size_t mark;      /* the next one */
  bool data, thumb;
  const unsigned char *bytes; /* at begin; NULL: the image has none */
  uint64_t begin;
};
void code_walk(struct code_walk *walk, const struct code *code, uint64_t begin,
               uint64_t end);
bool code_next(struct code_walk *walk);

/* auipc and jalr are one call, or one jump, on RISC-V: only both know where
 * to. Makes the instruction at address, if it is a jalr behind its auipc,
 * direct. */
void code_join(const struct code *code, struct instruction *call,
               uint64_t address);

/* The call that returns to this address; false: there is none right before
 * it, as far as bytes tell. *address is where it is. */
bool code_call_before(const struct code *code, uint64_t returns,
                      struct instruction *call, uint64_t *address);

#endif
