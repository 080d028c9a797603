/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * RISC-V of 32 and 64 bits. Only t0 and t1 are free: LLVM passes arguments of
 * local functions in the others.
 */
#include "patch_isa.h"

enum {
  C_NOP = 0x0001,
  NOP = 0x00000013,
  LUI = 0x37,
  AUIPC = 0x17,
  T1 = 6 << 7, /* as the register that is written */
  SB_ZERO_T1 = 0x00030023,
  JAL_T0 = 0x000002EF
};

static unsigned nop(const unsigned char *code, size_t size) {
  if (size >= 2 && load16(code, false) == C_NOP)
    return 2;
  return size >= 4 && load32(code, false) == NOP ? 4 : 0;
}

/* lpad is auipc to x0. */
static unsigned marker(const unsigned char *code, size_t size) {
  return size >= 4 && (load32(code, false) & 0xFFF) == AUIPC ? 4 : 0;
}

/* mret, sret, mnret, uret. */
static bool returns(const unsigned char *code, size_t size) {
  if (size < 4)
    return false;
  uint32_t word = load32(code, false);
  return word == 0x30200073 || word == 0x10200073 || word == 0x70200073 ||
         word == 0x00200073;
}

/* The upper part, to which the lower one is added with its sign; then sb. */
static unsigned store(uint32_t opcode, uint32_t value, unsigned char *bytes) {
  store32(bytes, ((value + 0x800) & 0xFFFFF000) | T1 | opcode, false);
  store32(bytes + 4,
          SB_ZERO_T1 | (value >> 5 & 0x7F) << 25 | (value & 0x1F) << 7, false);
  return 8;
}

static unsigned store_absolute(const struct patch_place *place,
                               unsigned char *bytes) {
  return store(LUI, (uint32_t)place->raw, bytes);
}

static unsigned store_relative(const struct patch_place *place,
                               unsigned char *bytes) {
  int64_t distance;
  /* Half a page less to the top, for the sign of the lower part. */
  if (!patch_distance(place->address, place->raw + 0x800, 32, &distance))
    return 0;
  return store(AUIPC, (uint32_t)(distance - 0x800), bytes);
}

/* jal t0, helper; lui zero, index: a hint, should anybody execute it. */
static unsigned call(const struct patch_place *place, unsigned char *bytes) {
  int64_t distance;
  if (!patch_distance(place->address, place->helper, 21, &distance))
    return 0;
  uint32_t bits = (uint32_t)distance;
  store32(bytes,
          JAL_T0 | (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3FF) << 21 |
              (bits >> 11 & 1) << 20 | (bits >> 12 & 0xFF) << 12,
          false);
  store32(bytes + 4, LUI | place->index << 12, false);
  return 8;
}

const struct patch_isa patch_riscv32 = {.fill = C_NOP,
                                        .fill_size = 2,
                                        .nop = nop,
                                        .marker = marker,
                                        .returns_from_interrupt = returns,
                                        .step = 2,
                                        .store = store_absolute,
                                        .call = call};

const struct patch_isa patch_riscv64 = {.fill = C_NOP,
                                        .fill_size = 2,
                                        .nop = nop,
                                        .marker = marker,
                                        .returns_from_interrupt = returns,
                                        .step = 2,
                                        .store = store_relative,
                                        .call = call};
