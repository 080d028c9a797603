/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * RISC-V, with compressed instructions.
 */
#include "code.h"

/* sw, sd, lw and ld of x1, to and from the stack. */
static enum instruction_link link_of(uint32_t word) {
  uint32_t size = word >> 12 & 7, base = word >> 15 & 31;
  if (base != 2 || (size != 2 && size != 3))
    return LINK_LEFT;
  if ((word & 0x7F) == 0x23 && (word >> 20 & 31) == 1)
    return LINK_SAVED;
  return (word & 0x7F) == 0x03 && (word >> 7 & 31) == 1 ? LINK_RESTORED
                                                        : LINK_LEFT;
}

/* The same, compressed; and cm.push, cm.pop. */
static enum instruction_link short_link_of(uint32_t half, bool wide) {
  uint32_t which = half & 0xE003;
  if ((which == (wide ? 0xE002 : 0xC002) && (half >> 2 & 31) == 1) ||
      (half & 0xFF03) == 0xB802)
    return LINK_SAVED;
  return (which == (wide ? 0x6002 : 0x4002) && (half >> 7 & 31) == 1) ||
                 (half & 0xFF03) == 0xBA02
             ? LINK_RESTORED
             : LINK_LEFT;
}

/* x1 and x5 hold return addresses. */
static bool is_link_register(uint32_t number) {
  return number == 1 || number == 5;
}

static uint64_t jump_offset(uint32_t word) {
  return sign_extended((word >> 11 & 0x100000) | (word & 0xFF000) |
                           (word >> 9 & 0x800) | (word >> 20 & 0x7FE),
                       21);
}

static uint64_t branch_offset(uint32_t word) {
  return sign_extended((word >> 19 & 0x1000) | (word << 4 & 0x800) |
                           (word >> 20 & 0x7E0) | (word >> 7 & 0x1E),
                       13);
}

static uint64_t short_jump_offset(uint32_t half) {
  return sign_extended((half >> 1 & 0x800) | (half >> 7 & 0x10) |
                           (half >> 1 & 0x300) | (half << 2 & 0x400) |
                           (half >> 1 & 0x40) | (half << 1 & 0x80) |
                           (half >> 2 & 0xE) | (half << 3 & 0x20),
                       12);
}

static uint64_t short_branch_offset(uint32_t half) {
  return sign_extended((half >> 4 & 0x100) | (half >> 7 & 0x18) |
                           (half << 1 & 0xC0) | (half >> 2 & 0x6) |
                           (half << 3 & 0x20),
                       9);
}

static void compressed(struct instruction *to, uint32_t half, bool wide,
                       uint64_t address) {
  uint32_t which = (half >> 11 & 0x1C) | (half & 3);
  if (which == 0x15 || (which == 0x05 && !wide)) /* c.j, c.jal */
    instruction_to(to, which == 0x15 ? INSTRUCTION_BRANCH : INSTRUCTION_CALL,
                   address + short_jump_offset(half));
  else if (which == 0x19 || which == 0x1D) /* c.beqz, c.bnez */
    instruction_to(to, INSTRUCTION_BRANCH, address + short_branch_offset(half));
  else if (which == 0x12 && !(half & 0x7C) && half & 0xF80) /* c.jr, c.jalr */
    to->kind = half & 0x1000 ? INSTRUCTION_CALL : INSTRUCTION_BRANCH;
  to->ends = to->kind != INSTRUCTION_PLAIN && which != 0x19 && which != 0x1D;
  to->returns = half == 0x8082 || half == 0x8282;
  to->link = short_link_of(half, wide);
}

static void uncompressed(struct instruction *to, uint32_t word,
                         uint64_t address) {
  enum instruction_kind kind =
      is_link_register(word >> 7 & 31) ? INSTRUCTION_CALL : INSTRUCTION_BRANCH;
  if ((word & 0x7F) == 0x6F)
    instruction_to(to, kind, address + jump_offset(word));
  else if ((word & 0x7F) == 0x63)
    instruction_to(to, INSTRUCTION_BRANCH, address + branch_offset(word));
  else if ((word & 0x7F) == 0x67)
    to->kind = kind;
  else if (word == 0x30200073 || word == 0x10200073) /* mret, sret */
    to->kind = INSTRUCTION_BRANCH;
  to->ends = to->kind != INSTRUCTION_PLAIN && (word & 0x7F) != 0x63;
  to->returns = (word & 0x7F) == 0x67 && kind == INSTRUCTION_BRANCH &&
                is_link_register(word >> 15 & 31);
  to->link = link_of(word);
}

bool instruction_riscv(struct instruction *to,
                       const struct instruction_set *set, struct bytes code,
                       uint64_t address) {
  if (code.size < 2)
    return false;
  uint32_t half = load16(code.data, false);
  *to = (struct instruction){.length = (half & 3) != 3       ? 2
                                       : (half & 31) != 31   ? 4
                                       : (half & 0x3F) == 31 ? 6
                                                             : 8};
  if (code.size < to->length)
    return false;
  if (to->length == 2)
    compressed(to, half, set->wide, address);
  else if (to->length == 4)
    uncompressed(to, load32(code.data, false), address);
  return true;
}
