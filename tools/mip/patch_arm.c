/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Thumb and A32. Stores are ip = base; strb ip, [ip, #rest], where the low
 * byte of base is 0.
 */
#include "patch_isa.h"

enum {
  MOV_R8_R8 = 0x46C0, /* Thumb-1's nop */
  NOP = 0xBF00,
  MOV_IP_LR = 0x46F4,
  OFFSET_MASK = 0xFFF /* what strb adds */
};

static uint32_t load(const unsigned char *code) { return load32(code, false); }

static void put(unsigned char *bytes, uint32_t word) {
  store32(bytes, word, false);
}

/* ---- Thumb ---- */

/* A wide instruction is two halves, the first in the lower address. */
static uint32_t load_halves(const unsigned char *code) {
  return (uint32_t)load16(code, false) << 16 | load16(code + 2, false);
}

static void put_halves(unsigned char *bytes, uint32_t halves) {
  store16(bytes, (uint16_t)(halves >> 16), false);
  store16(bytes + 2, (uint16_t)halves, false);
}

static unsigned thumb_nop(const unsigned char *code, size_t size) {
  if (size < 2)
    return 0;
  unsigned half = load16(code, false);
  if (half == NOP || half == MOV_R8_R8)
    return 2;
  return size >= 4 && load_halves(code) == 0xF3AF8000 ? 4 : 0;
}

/* Not pac, nor pacbti: behind those, ip holds the code of the return. */
static unsigned thumb_marker(const unsigned char *code, size_t size) {
  return size >= 4 && load_halves(code) == 0xF3AF800F ? 4 : 0;
}

/* subs pc, lr, #n and rfe, of the profiles whose cores do not stack ip. */
static bool thumb_returns(const unsigned char *code, size_t size) {
  if (size < 4)
    return false;
  uint32_t halves = load_halves(code);
  return (halves & 0xFFFFFF00) == 0xF3DE8F00 ||
         (halves & 0xFFD0FFFF) == 0xE810C000 ||
         (halves & 0xFFD0FFFF) == 0xE990C000;
}

/* mov.w ip, #constant: eight bits in a row, or four bytes 0xXY00XY00. */
static bool thumb_constant(uint32_t value, uint32_t *halves) {
  uint32_t low = value & 0xFF, top = value >> 24;
  unsigned rotate = 0, code;
  if (low)
    return false;
  if (value == (top << 24 | top << 8)) {
    code = 2 << 8 | top;
  } else {
    /* The highest one is bit 7 before it is rotated right. */
    while (!(value << rotate >> 31))
      rotate++;
    uint32_t byte = value << rotate >> 24;
    if (value << rotate != byte << 24)
      return false;
    code = (rotate + 8) << 7 | (byte & 0x7F);
  }
  *halves = 0xF04F0C00 | (code >> 11 & 1) << 26 | (code >> 8 & 7) << 12 |
            (code & 0xFF);
  return true;
}

static uint32_t thumb_wide_move(uint32_t opcode, uint32_t value) {
  return opcode | (value >> 12 & 0xF) << 16 | (value >> 11 & 1) << 26 |
         (value >> 8 & 7) << 12 | 0xC00 | (value & 0xFF);
}

/* The base of an address below 2^32 such that the rest fits the offset. */
static bool thumb_base(uint32_t raw, uint32_t *halves, uint32_t *base) {
  uint32_t mirrored = raw & 0xFF000000;
  mirrored |= mirrored >> 16;
  *base = mirrored;
  if (raw >= mirrored && raw - mirrored <= OFFSET_MASK &&
      thumb_constant(mirrored, halves))
    return true;
  *base = raw & ~(uint32_t)OFFSET_MASK;
  return *base && thumb_constant(*base, halves);
}

static unsigned thumb_store(const struct patch_place *place,
                            unsigned char *bytes) {
  uint32_t raw = (uint32_t)place->raw, halves, base;
  /* Such nops are of a core without wide instructions. */
  if (load16(place->nops, false) == MOV_R8_R8)
    return 0;
  if (thumb_base(raw, &halves, &base)) {
    put_halves(bytes, halves);
    put_halves(bytes + 4, 0xF88CC000 | (raw - base));
    return 8;
  }
  base = raw & ~UINT32_C(0xFF);
  put_halves(bytes, thumb_wide_move(0xF2400000, base & 0xFFFF));
  put_halves(bytes + 4, thumb_wide_move(0xF2C00000, base >> 16));
  put_halves(bytes + 8, 0xF88CC000 | (raw - base));
  return 12;
}

/* bl, or blx to a helper of A32, which counts from a multiple of 4. */
static unsigned thumb_call(const struct patch_place *place,
                           unsigned char *bytes) {
  bool thumb = place->helper & 1;
  uint64_t from = place->address + 6; /* behind bl, which is behind mov */
  int64_t distance;
  if (!patch_distance(thumb ? from : from & ~UINT64_C(3),
                      place->helper & ~UINT64_C(1), 25, &distance))
    return 0;
  uint32_t bits = (uint32_t)distance, sign = bits >> 24 & 1;
  uint32_t j1 = (bits >> 23 & 1) ^ sign ^ 1, j2 = (bits >> 22 & 1) ^ sign ^ 1;
  store16(bytes, MOV_IP_LR, false);
  put_halves(bytes + 2, (thumb ? 0xF000D000 : 0xF000C000) | sign << 26 |
                            (bits >> 12 & 0x3FF) << 16 | j1 << 13 | j2 << 11 |
                            (bits >> 1 & 0x7FF));
  store16(bytes + 6, (uint16_t)place->index, false);
  return 8;
}

const struct patch_isa patch_thumb = {.fill = MOV_R8_R8,
                                      .fill_size = 2,
                                      .takes_chain = true,
                                      .nop = thumb_nop,
                                      .marker = thumb_marker,
                                      .returns_from_interrupt = thumb_returns,
                                      .step = 2,
                                      .store = thumb_store,
                                      .call = thumb_call};

/* ---- A32 ---- */

/* nop, and mov r0, r0. */
static unsigned a32_nop(const unsigned char *code, size_t size) {
  if (size < 4)
    return 0;
  return load(code) == 0xE320F000 || load(code) == 0xE1A00000 ? 4 : 0;
}

static unsigned a32_marker(const unsigned char *code, size_t size) {
  (void)code, (void)size;
  return 0;
}

/* subs or movs to pc from lr, ldm with pc and ^, rfe, eret. */
static bool a32_returns(const unsigned char *code, size_t size) {
  if (size < 4)
    return false;
  uint32_t word = load(code);
  return (word & 0xFFFFF000) == 0xE25EF000 || word == 0xE1B0F00E ||
         (word & 0xFE508000) == 0xE8508000 ||
         (word & 0xFE50FFFF) == 0xF8100A00 || word == 0xE160006E;
}

/* The lowest byte of bits that begins at an even one, as an operand; the
 * others are left in *value. */
static uint32_t a32_operand(uint32_t *value) {
  unsigned shift = 0;
  while (shift < 30 && !(*value >> shift & 3))
    shift += 2;
  uint32_t byte = *value >> shift & 0xFF;
  *value &= ~(byte << shift);
  return (32 - shift) / 2 % 16 << 8 | byte;
}

static unsigned a32_store(const struct patch_place *place,
                          unsigned char *bytes) {
  uint32_t raw = (uint32_t)place->raw, left = raw & ~(uint32_t)OFFSET_MASK;
  unsigned size = 4;
  put(bytes, 0xE3A0C000 | a32_operand(&left)); /* mov */
  if (left) {
    put(bytes + size, 0xE38CC000 | a32_operand(&left)); /* orr */
    size += 4;
  }
  if (left)
    return 0;
  put(bytes + size, 0xE5CCC000 | (raw & OFFSET_MASK)); /* strb */
  return size + 4;
}

/* bl, or blx to a helper of Thumb, which has a bit for half a word. */
static unsigned a32_call(const struct patch_place *place,
                         unsigned char *bytes) {
  int64_t distance;
  if (!patch_distance(place->address + 12, place->helper & ~UINT64_C(1), 26,
                      &distance))
    return 0;
  uint32_t bits = (uint32_t)distance;
  uint32_t opcode =
      place->helper & 1 ? 0xFA000000 | (bits & 2) << 23 : 0xEB000000;
  put(bytes, 0xE1A0C00E); /* mov ip, lr */
  put(bytes + 4, opcode | (bits >> 2 & 0xFFFFFF));
  store32(bytes + 8, place->index, false);
  return 12;
}

const struct patch_isa patch_a32 = {.fill = 0,
                                    .fill_size = 4,
                                    .takes_chain = true,
                                    .nop = a32_nop,
                                    .marker = a32_marker,
                                    .returns_from_interrupt = a32_returns,
                                    .step = 4,
                                    .store = a32_store,
                                    .call = a32_call};
