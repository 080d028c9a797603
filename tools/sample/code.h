/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instructions of a linked ELF. Skips data between instructions, which the
 * mapping symbols of Arm and RISC-V mark ($t, $a, $x, $d).
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

/* Returns NULL, or the error that the machine's instructions are unknown here.
 * The caller calls code_close in both cases. elf must live as long. */
const char *code_open(struct code *code, const struct elf *elf);
void code_close(struct code *code);

/* An address as instructions have it: without the bit that says Thumb. */
uint64_t code_address(const struct code *code, uint64_t address);

/* The instructions from begin to end, in order:
 *
 *     struct code_walk walk;
 *     for (code_walk(&walk, &code, begin, end); code_next(&walk);)
 *       ... walk.address, walk.instruction ...
 *
 * The walk ends early, with walk.at < end, at bytes that are no known
 * instruction. */
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

/* On RISC-V, auipc and jalr form one call or jump: only both together give the
 * target. Makes the instruction at address, if it is a jalr behind its auipc,
 * direct. */
void code_join(const struct code *code, struct instruction *call,
               uint64_t address);

/* Finds the call that returns to this address, and its place *address. false:
 * the bytes right before show no call. */
bool code_call_before(const struct code *code, uint64_t returns,
                      struct instruction *call, uint64_t *address);

/* Finds the ELF's first code in memory and in the file, rounded down to a page.
 * false: there is no code. */
bool code_begins(const struct elf *elf, uint64_t *address, uint64_t *offset);

#endif
