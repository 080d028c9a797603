/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file decodes Arm (A32, Thumb-2, AArch64) and RISC-V. The architecture
 * manuals describe the bit patterns.
 */
#include "code.h"

static enum instruction_memory classify_memory_use(bool stores, bool loads) {
  return stores ? MEMORY_STORED : loads ? MEMORY_LOADED : MEMORY_LEFT;
}

/* ---- Thumb ---- */

static enum instruction_memory thumb_narrow_memory_use(uint32_t word) {
  uint32_t top = word >> 12;
  if (top == 5) /* The offset is in a register. */
    return classify_memory_use((word & 0x0E00) < 0x0600, true);
  return (top >= 6 && top <= 9) || top == 12
             ? classify_memory_use(!(word & 0x0800), true)
             : MEMORY_LEFT;
}

/* Recognises loads and stores of one, two or several registers, also for
 * floating point. */
static enum instruction_memory thumb_wide_memory_use(uint32_t first) {
  uint32_t group = first & 0xFE00;
  bool any = group == 0xE800 || group == 0xEC00 || group == 0xF800;
  return classify_memory_use(any && !(first & 0x10), any && (first & 15) != 15);
}

/* Returns the number of instructions in the block of an IT instruction, or 0
 * for any other instruction. The lowest set bit of the mask ends the block. */
static unsigned thumb_it_block_length(uint32_t word) {
  unsigned count = 4;
  if ((word & 0xFF00) != 0xBF00 || !(word & 15))
    return 0;
  for (; !(word & 1); word >>= 1)
    count--;
  return count;
}

static void decode_thumb_narrow(struct instruction *to, uint32_t word,
                                uint64_t pc) {
  to->conditional = ((word & 0xF000) == 0xD000 && (word & 0x0E00) != 0x0E00) ||
                    (word & 0xF500) == 0xB100;
  to->governs = thumb_it_block_length(word);
  if ((word & 0xF000) == 0xD000 && (word & 0x0E00) != 0x0E00)
    instruction_set_branch(to,
                           pc + code_sign_extend(word << 1, 9)); /* b<cond> */
  else if ((word & 0xF800) == 0xE000)
    instruction_set_branch(to, pc + code_sign_extend(word << 1, 12));
  else if ((word & 0xF500) == 0xB100) /* cbz, cbnz */
    instruction_set_branch(to, pc + (word >> 3 & 0x40) + (word >> 2 & 0x3E));
  else if ((word & 0xFF00) == 0x4700) /* bx, blx */
    to->kind = word & 0x80 ? INSTRUCTION_CALL : INSTRUCTION_BRANCH;
  else if ((word & 0xFF00) == 0xBD00 || (word & 0xFD87) == 0x4487)
    to->kind = INSTRUCTION_BRANCH; /* pop, mov or add to pc */
  to->link = (word & 0xFF00) == 0xB500 ? LINK_SAVED : LINK_LEFT; /* push */
  to->returns = (word & 0xFFFB) == 0x4770 ||      /* bx, bxns lr */
                (word & 0xFF00) == 0xBD00;        /* pop */
  to->synchronizes = (word & 0xFE00) == 0xDE00 || /* udf, svc */
                     (word & 0xFF00) == 0xBE00 || /* bkpt */
                     (word & 0xFFE8) == 0xB660 || /* cps */
                     (word & 0xFFEF) == 0xBF20;   /* wfe, wfi */
  to->memory = thumb_narrow_memory_use(word);
}

/* Returns the offset of a b.w, bl or blx instruction. */
static uint64_t thumb_far_offset(uint32_t first, uint32_t second) {
  uint32_t s = first >> 10 & 1;
  uint32_t i1 = ~(second >> 13 ^ s) & 1, i2 = ~(second >> 11 ^ s) & 1;
  return code_sign_extend(s << 24 | i1 << 23 | i2 << 22 |
                              (first & 0x3FF) << 12 | (second & 0x7FF) << 1,
                          25);
}

static uint64_t thumb_conditional_offset(uint32_t first, uint32_t second) {
  return code_sign_extend((first & 0x400) << 10 | (second & 0x800) << 8 |
                              (second & 0x2000) << 5 | (first & 0x3F) << 12 |
                              (second & 0x7FF) << 1,
                          21);
}

/* Decodes the loops of Armv8.1-M, whose encodings blx does not use. le branches
 * backwards, and wls branches forwards if the loop count is 0. dls and lctp do
 * not branch. */
static void decode_thumb_loop(struct instruction *to, uint32_t first,
                              uint32_t second, uint64_t pc) {
  uint64_t offset = (second & 0x7FE) << 1 | (second >> 10 & 2);
  /* bf and bfl, which a later branch completes, have bits at 0x780. */
  if ((first & 0xFF80) != 0xF000 || (second & 0xF001) != 0xC001)
    return;
  instruction_set_branch(to, (first & 15) == 15 ? pc - offset : pc + offset);
  to->conditional = first != 0xF02F; /* le without a count always branches */
}

/* Recognises push, pop, str, ldr, strd and ldrd with the register lr. */
static enum instruction_link thumb_link_use(uint32_t first, uint32_t second) {
  bool several = (first == 0xE92D || first == 0xE8BD) && second & 0x4000;
  bool one = ((first & 0xFF6F) == 0xF84D) && second >> 12 == 14;
  bool two = (first & 0xFE4F) == 0xE84D && (first & 0x0120) &&
             (second >> 12 == 14 || (second >> 8 & 15) == 14);
  if (!several && !one && !two)
    return LINK_LEFT;
  return first & 0x10 ? LINK_RESTORED : LINK_SAVED;
}

static void decode_thumb_branch(struct instruction *to, uint32_t first,
                                uint32_t second, uint64_t pc) {
  to->conditional = (second & 0xD000) == 0x8000 && (first & 0x0380) != 0x0380;
  if (to->conditional)
    instruction_set_branch(to, pc + thumb_conditional_offset(first, second));
  else if ((second & 0xD000) == 0x9000)
    instruction_set_branch(to, pc + thumb_far_offset(first, second));
  else if ((second & 0xD000) == 0xD000)
    instruction_set_target(to, INSTRUCTION_CALL,
                           pc + thumb_far_offset(first, second));
  else if (first == 0xF3DE && second >> 8 == 0x8F) /* subs pc, lr, #N; eret */
    to->kind = INSTRUCTION_BRANCH;
  else if (second & 1)
    decode_thumb_loop(to, first, second, pc);
  else if ((second & 0xD000) == 0xC000) /* blx to A32 code, which is aligned */
    instruction_set_target(to, INSTRUCTION_CALL,
                           (pc & ~UINT64_C(3)) +
                               thumb_far_offset(first, second));
}

static bool decode_thumb(struct instruction *to, bool big, struct bytes code,
                         uint64_t address) {
  if (code.size < 2)
    return false;
  uint32_t first = load16(code.data, big), second;
  uint64_t pc = address + 4;
  *to = (struct instruction){.length = 2};
  if (first < 0xE800) {
    decode_thumb_narrow(to, first, pc);
    return true;
  }
  if (code.size < 4)
    return false;
  second = load16(code.data + 2, big);
  bool bxaut = (first & 0xFFF0) == 0xFB50 && (second & 0x0FF0) == 0x0F10;
  to->length = 4;
  if ((first & 0xF800) == 0xF000 && second & 0x8000)
    decode_thumb_branch(to, first, second, pc);
  else if (((first & 0xFFF0) == 0xE8D0 && (second & 0xFFE0) == 0xF000) ||
           ((first & 0xFF70) == 0xF850 && second >> 12 == 15) ||
           ((first & 0xFE50) == 0xE810 && second & 0x8000) || bxaut)
    to->kind = INSTRUCTION_BRANCH; /* tbb, tbh, ldr to pc, ldm with pc, rfe */
  to->link = thumb_link_use(first, second);
  to->memory = thumb_wide_memory_use(first);
  to->synchronizes = ((first & 0xFFE0) == 0xF380 && /* msr */
                      (second & 0xD000) == 0x8000) ||
                     (first == 0xF3AF && (second > 0x80FF ||         /* cps */
                                          second >> 1 == 0x4001)) || /* wfi */
                     (first == 0xF3BF && second >> 4 == 0x8F6) ||    /* isb */
                     ((first & 0xFFE0) == 0xF7E0 && /* hvc, smc, udf */
                      (second & 0xD000) == 0x8000);
  to->returns = (first == 0xE8BD && second & 0x8000) || /* pop */
                (first == 0xF85D && second == 0xFB04) || bxaut;
  return true;
}

/* ---- A32 ---- */

/* Tells media instructions, such as sdiv, from str and ldr. */
static bool a32_is_media(uint32_t word) {
  return (word & 0x02000010) == 0x02000010;
}

/* Recognises stm, ldm, str and ldr. Loads relative to pc read constants. */
static enum instruction_memory a32_memory_use(uint32_t word) {
  bool any = ((word & 0x0C000000) == 0x04000000 && !a32_is_media(word)) ||
             (word & 0x0E000000) == 0x08000000;
  return classify_memory_use(any && !(word & 0x00100000),
                             any && (word >> 16 & 15) != 15);
}

static void decode_a32(struct instruction *to, uint32_t word,
                       uint64_t address) {
  uint64_t pc = address + 8;
  if ((word & 0x0E000000) == 0x0A000000) {
    bool exchange = word >> 28 == 15; /* blx, whose bit 24 adds a halfword */
    uint64_t target = pc + code_sign_extend((uint64_t)word << 2, 26) +
                      (exchange ? word >> 23 & 2 : 0);
    instruction_set_target(to,
                           exchange || word & 0x01000000 ? INSTRUCTION_CALL
                                                         : INSTRUCTION_BRANCH,
                           target);
  } else if (word >> 28 == 15) {
    to->synchronizes = (word & 0xFFF10020) == 0xF1000000 || /* cps */
                       (word & 0xFFFFFFF0) == 0xF57FF060;   /* isb */
    if ((word & 0xFE500000) == 0xF8100000)                  /* rfe */
      to->kind = INSTRUCTION_BRANCH;
    return;
  } else if ((word & 0x0FFFFFD0) == 0x012FFF10)
    to->kind = word & 0x20 ? INSTRUCTION_CALL : INSTRUCTION_BRANCH;
  else if ((word & 0x0E108000) == 0x08108000 ||
           (word & 0x0FFFFFFF) == 0x0160006E || /* eret */
           ((word & 0x0C10F000) == 0x0410F000 && !a32_is_media(word)))
    to->kind = INSTRUCTION_BRANCH; /* ldm with pc, or ldr to pc */
  else if ((word & 0x0C00F000) == 0x0000F000 &&
           (word & 0x01800000) != 0x01000000 &&
           (word & 0x0E000090) != 0x00000090)
    to->kind = INSTRUCTION_BRANCH; /* arithmetic to pc; not cmp, msr, nop */
  if ((word & 0x0FFF4000) == 0x092D4000 || (word & 0x0FFFFFFF) == 0x052DE004)
    to->link = LINK_SAVED; /* push, str */
  else if ((word & 0x0FFF4000) == 0x08BD4000 ||
           (word & 0x0FFFFFFF) == 0x049DE004)
    to->link = LINK_RESTORED;
  to->returns = (word & 0x0FFFFFFF) == 0x012FFF1E || /* bx lr, mov, pop */
                (word & 0x0FFFFFFF) == 0x01A0F00E ||
                (word & 0x0FFF8000) == 0x08BD8000 ||
                (word & 0x0FFFFFFF) == 0x049DF004;
  to->memory = a32_memory_use(word);
  to->synchronizes = (word & 0x0F000000) == 0x0F000000 ||  /* svc */
                     (word & 0x0F9000F0) == 0x01000070 ||  /* bkpt, hvc, smc */
                     (word & 0x0FF000F0) == 0x07F000F0 ||  /* udf */
                     ((word & 0x0DB0F000) == 0x0120F000 && /* msr, wfi */
                      (word & 0x0FFFFFFF) != 0x0320F000);  /* not nop */
  to->predicated = word >> 28 < 14;
  to->conditional = to->predicated && to->kind != INSTRUCTION_PLAIN;
}

/* ---- AArch64 ---- */

/* Recognises stp, ldp, str and ldr of x30 on the stack. */
static enum instruction_link aarch64_link_use(uint32_t word) {
  bool two = (word & 0xFC000000) == 0xA8000000 &&
             ((word >> 10 & 31) == 30 || (word & 31) == 30);
  bool one = ((word & 0xFF800000) == 0xF9000000 ||
              (word & 0xFFA00000) == 0xF8000000) &&
             (word & 31) == 30;
  if ((word >> 5 & 31) != 31 || (!two && !one))
    return LINK_LEFT;
  return word >> 22 & 1 ? LINK_RESTORED : LINK_SAVED;
}

/* Bit 22 marks a load. For a single integer register, bit 23 also marks a load,
 * which extends the sign. */
static enum instruction_memory aarch64_memory_use(uint32_t word) {
  bool any =
      (word & 0x0A000000) == 0x08000000 && (word & 0x3B000000) != 0x18000000;
  bool sign = (word & 0x38000000) == 0x38000000 && word & 0x00800000 &&
              !(word & 0x04000000);
  return classify_memory_use(any && !(word & 0x00400000) && !sign, any);
}

static void decode_aarch64(struct instruction *to, uint32_t word, uint64_t pc) {
  to->link = aarch64_link_use(word);
  to->memory = aarch64_memory_use(word);
  if ((word & 0x7C000000) == 0x14000000)
    instruction_set_target(to,
                           word >> 31 ? INSTRUCTION_CALL : INSTRUCTION_BRANCH,
                           pc + code_sign_extend((uint64_t)word << 2, 28));
  else if ((word & 0xFF000000) == 0x54000000 ||
           (word & 0x7E000000) == 0x34000000)
    instruction_set_branch(to, pc + code_sign_extend(word >> 3 & 0x1FFFFC, 21));
  else if ((word & 0x7E000000) == 0x36000000) /* tbz, tbnz */
    instruction_set_branch(to, pc + code_sign_extend(word >> 3 & 0xFFFC, 16));
  else if ((word & 0xFE000000) == 0xD6000000) {
    to->kind = (word >> 21 & 7) == 1 ? INSTRUCTION_CALL : INSTRUCTION_BRANCH;
    to->returns = (word >> 21 & 7) == 2;
  }
  to->synchronizes = !(word >> 16) ||                     /* udf */
                     (word & 0xFF000000) == 0xD4000000 || /* svc */
                     (word & 0xFFFFFFDF) == 0xD503205F || /* wfe, wfi */
                     (word & 0xFFFFF0FF) == 0xD50330DF || /* isb */
                     (word & 0xFFF8F000) == 0xD5004000 || /* msr */
                     (word & 0xFFF00000) == 0xD5100000;
  to->conditional = to->kind != INSTRUCTION_PLAIN && /* not b, bl, br, ret */
                    (word & 0x7C000000) != 0x14000000 &&
                    (word & 0xFE000000) != 0xD6000000;
}

bool instruction_decode_arm(struct instruction *to,
                            const struct instruction_set *set,
                            struct bytes code, uint64_t address) {
  if (set->machine == ELF_ARM && set->thumb)
    return decode_thumb(to, set->big, code, address);
  if (code.size < 4)
    return false;
  *to = (struct instruction){.length = 4};
  if (set->machine == ELF_ARM)
    decode_a32(to, load32(code.data, set->big), address);
  else
    decode_aarch64(to, load32(code.data, false), address);
  return true;
}

/* ---- RISC-V ---- */

/* Recognises sw, sd, lw and ld of x1 on the stack. */
static enum instruction_link riscv_link_use(uint32_t word) {
  uint32_t size = word >> 12 & 7, base = word >> 15 & 31;
  if (base != 2 || (size != 2 && size != 3))
    return LINK_LEFT;
  if ((word & 0x7F) == 0x23 && (word >> 20 & 31) == 1)
    return LINK_SAVED;
  return (word & 0x7F) == 0x03 && (word >> 7 & 31) == 1 ? LINK_RESTORED
                                                        : LINK_LEFT;
}

/* Recognises the compressed loads and stores of x1. */
static enum instruction_link riscv_short_link_use(uint32_t half, bool wide) {
  uint32_t which = half & 0xE003;
  if (which == (wide ? 0xE002 : 0xC002) && (half >> 2 & 31) == 1)
    return LINK_SAVED;
  return which == (wide ? 0x6002 : 0x4002) && (half >> 7 & 31) == 1
             ? LINK_RESTORED
             : LINK_LEFT;
}

static enum instruction_memory riscv_memory_use(uint32_t word) {
  uint32_t code = word & 0x7F;
  return classify_memory_use(code == 0x23 || code == 0x27,
                             code == 0x03 || code == 0x07);
}

/* In quadrants 0 and 2, loads have 1 to 3 in the top 3 bits, stores 5 to 7. In
 * quadrant 0, Zcb's loads and stores of bytes and halfwords have 4. */
static enum instruction_memory riscv_short_memory_use(uint32_t half) {
  uint32_t which = half >> 13;
  if ((half & 0xF003) == 0x8000)
    return classify_memory_use(half & 0x0800, true);
  bool any = !(half & 1) && which & 3;
  return classify_memory_use(any && which > 4, any);
}

/* Returns whether a register holds return addresses, as x1 and x5 do. */
static bool is_link_register(uint32_t number) {
  return number == 1 || number == 5;
}

static uint64_t riscv_jump_offset(uint32_t word) {
  return code_sign_extend((word >> 11 & 0x100000) | (word & 0xFF000) |
                              (word >> 9 & 0x800) | (word >> 20 & 0x7FE),
                          21);
}

static uint64_t riscv_branch_offset(uint32_t word) {
  return code_sign_extend((word >> 19 & 0x1000) | (word << 4 & 0x800) |
                              (word >> 20 & 0x7E0) | (word >> 7 & 0x1E),
                          13);
}

static uint64_t riscv_short_jump_offset(uint32_t half) {
  return code_sign_extend((half >> 1 & 0x800) | (half >> 7 & 0x10) |
                              (half >> 1 & 0x300) | (half << 2 & 0x400) |
                              (half >> 1 & 0x40) | (half << 1 & 0x80) |
                              (half >> 2 & 0xE) | (half << 3 & 0x20),
                          12);
}

static uint64_t riscv_short_branch_offset(uint32_t half) {
  return code_sign_extend((half >> 4 & 0x100) | (half >> 7 & 0x18) |
                              (half << 1 & 0xC0) | (half >> 2 & 0x6) |
                              (half << 3 & 0x20),
                          9);
}

/* Decodes the encodings that c.fsdsp shares with Zcmp and Zcmt. Returns false
 * if the code has none of these extensions, or the encoding is reserved. */
static bool decode_riscv_zcmp_or_fsdsp(struct instruction *to, uint32_t half,
                                       const struct instruction_set *set) {
  enum { PUSH, POP, POPRETZ };
  uint32_t which = half >> 9 & 3;
  if (!set->zcmp && !set->zcmt) {
    to->memory = MEMORY_STORED;
    return set->doubles;
  }
  if ((half & 0x1C00) == 0) { /* cm.jt, cm.jalt */
    to->target = half >> 2 & 0xFF;
    to->kind = to->target & 0xE0 ? INSTRUCTION_CALL : INSTRUCTION_BRANCH;
    to->tabled = true;
    return set->zcmt;
  }
  if ((half & 0x1C20) == 0x0C20) /* cm.mvsa01, cm.mva01s */
    return set->zcmp;
  to->memory = classify_memory_use(which == PUSH, true);
  to->link = which == PUSH ? LINK_SAVED : LINK_RESTORED;
  if (which >= POPRETZ)
    to->kind = INSTRUCTION_BRANCH;
  to->returns = which >= POPRETZ;
  /* At least x1 is in the list of registers. */
  return set->zcmp && (half & 0x1900) == 0x1800 && (half & 0xF0) >= 0x40;
}

static bool decode_riscv_compressed(struct instruction *to, uint32_t half,
                                    const struct instruction_set *set,
                                    uint64_t address) {
  uint32_t which = (half >> 11 & 0x1C) | (half & 3);
  bool wide = set->wide;
  if (which == 0x16)
    return decode_riscv_zcmp_or_fsdsp(to, half, set);
  if (which == 0x15 || (which == 0x05 && !wide)) /* c.j, c.jal */
    instruction_set_target(
        to, which == 0x15 ? INSTRUCTION_BRANCH : INSTRUCTION_CALL,
        address + riscv_short_jump_offset(half));
  else if (which == 0x19 || which == 0x1D) /* c.beqz, c.bnez */
    instruction_set_branch(to, address + riscv_short_branch_offset(half));
  else if (which == 0x12 && !(half & 0x7C) && half & 0xF80) /* c.jr, c.jalr */
    to->kind = half & 0x1000 ? INSTRUCTION_CALL : INSTRUCTION_BRANCH;
  to->conditional = which == 0x19 || which == 0x1D;
  to->returns = half == 0x8082 || half == 0x8282;
  to->synchronizes = half == 0x9002 || !half; /* c.ebreak, c.unimp */
  to->link = riscv_short_link_use(half, wide);
  to->memory = riscv_short_memory_use(half);
  return true;
}

static void decode_riscv_word(struct instruction *to, uint32_t word,
                              uint64_t address) {
  enum instruction_kind kind =
      is_link_register(word >> 7 & 31) ? INSTRUCTION_CALL : INSTRUCTION_BRANCH;
  if ((word & 0x7F) == 0x6F)
    instruction_set_target(to, kind, address + riscv_jump_offset(word));
  else if ((word & 0x7F) == 0x63)
    instruction_set_branch(to, address + riscv_branch_offset(word));
  else if ((word & 0x7F) == 0x67)
    to->kind = kind;
  else if ((word & 0x9FFFFFFF) == 0x10200073 || word == 0x7B200073)
    to->kind = INSTRUCTION_BRANCH;          /* sret, mret, mnret; dret */
  to->synchronizes = (word & 0x7F) == 0x73; /* ecall, ebreak, csrw, wfi */
  to->conditional = (word & 0x7F) == 0x63;
  to->returns = (word & 0x7F) == 0x67 && kind == INSTRUCTION_BRANCH &&
                is_link_register(word >> 15 & 31);
  to->link = riscv_link_use(word);
  to->memory = riscv_memory_use(word);
}

bool instruction_decode_riscv(struct instruction *to,
                              const struct instruction_set *set,
                              struct bytes code, uint64_t address) {
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
    return decode_riscv_compressed(to, half, set, address);
  if (to->length == 4)
    decode_riscv_word(to, load32(code.data, false), address);
  return true;
}
