/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instruction sets, one table entry each: nops, sleds, and returns from
 * interrupt handlers. plan.c uses them to make sleds.
 */
#include "patch.h"

const struct patch_isa *patch_find_isa(const struct elf *elf, bool thumb) {
  switch (elf->machine) {
  case ELF_ARM:
    return thumb ? &patch_thumb : &patch_a32;
  case ELF_AARCH64:
    return &patch_aarch64;
  case ELF_RISCV:
    return elf->wide ? &patch_riscv64 : &patch_riscv32;
  default:
    return NULL;
  }
}

const char *patch_check_machine(const struct elf *elf) {
  bool wide = elf->machine == ELF_AARCH64;
  if (!patch_find_isa(elf, false) ||
      (wide != elf->wide && elf->machine != ELF_RISCV))
    return "this machine is not supported for patching; use an ELF for Arm, "
           "AArch64 or RISC-V";
  return elf->big
             ? "big-endian code cannot be patched; use bareprof mip instrument"
             : NULL;
}

bool patch_fits_distance(uint64_t from, uint64_t to, unsigned bits,
                         int64_t *distance) {
  int64_t half = INT64_C(1) << (bits - 1);
  *distance = (int64_t)(to - from);
  return *distance >= -half && *distance < half;
}

/* ==== AArch64. */

static unsigned a64_nop_size(const unsigned char *code, size_t size) {
  return size >= 4 && load32(code, false) == 0xD503201F ? 4 : 0;
}

/* Finds bti with any target or none, paciasp and pacibsp. */
static unsigned a64_marker_size(const unsigned char *code, size_t size) {
  if (size < 4)
    return 0;
  uint32_t word = load32(code, false);
  return (word & 0xFFFFFF3F) == 0xD503241F || word == 0xD503233F ||
                 word == 0xD503237F
             ? 4
             : 0;
}

/* Finds eret, also with authentication. */
static bool a64_is_handler_return(const unsigned char *code, size_t size) {
  return size >= 4 && (load32(code, false) & 0xFFFFF3FF) == 0xD69F03E0;
}

static unsigned a64_encode_store(const struct patch_sled_place *place,
                                 unsigned char *bytes) {
  const uint64_t page = ~UINT64_C(0xFFF);
  int64_t distance;
  if (!patch_fits_distance(place->address & page, place->raw & page, 33,
                           &distance))
    return 0;
  uint32_t pages = (uint32_t)(distance >> 12);
  uint32_t low = (uint32_t)(place->raw & 0xFFF);
  /* adrp x16, PAGE; strb wzr, [x16, #low] */
  store32(bytes, 0x90000010 | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5,
          false);
  store32(bytes + 4, 0x3900021F | low << 10, false);
  return 8;
}

static unsigned a64_encode_call(const struct patch_sled_place *place,
                                unsigned char *bytes) {
  int64_t distance;
  if (!patch_fits_distance(place->address + 4, place->helper, 28, &distance))
    return 0;
  store32(bytes, 0xAA1E03F0, false); /* mov x16, x30 */
  store32(bytes + 4, 0x94000000 | ((uint32_t)(distance >> 2) & 0x3FFFFFF),
          false);
  store32(bytes + 8, place->index, false);
  return 12;
}

const struct patch_isa patch_aarch64 = {0,
                                        4,
                                        4,
                                        false,
                                        a64_nop_size,
                                        a64_marker_size,
                                        a64_is_handler_return,
                                        a64_encode_store,
                                        a64_encode_call};

/* ==== RISC-V, 32-bit and 64-bit. Only t0 and t1 are free: LLVM may pass
 * arguments of local functions in the other caller-saved registers. */

enum {
  C_NOP = 0x0001,
  NOP = 0x00000013,
  LUI = 0x37,
  AUIPC = 0x17,
  T1 = 6 << 7, /* as the destination register */
  SB_ZERO_T1 = 0x00030023,
  JAL_T0 = 0x000002EF
};

static unsigned riscv_nop_size(const unsigned char *code, size_t size) {
  if (size >= 2 && load16(code, false) == C_NOP)
    return 2;
  return size >= 4 && load32(code, false) == NOP ? 4 : 0;
}

/* lpad is an auipc that writes x0. */
static unsigned riscv_marker_size(const unsigned char *code, size_t size) {
  return size >= 4 && (load32(code, false) & 0xFFF) == AUIPC ? 4 : 0;
}

/* Finds mret, sret, mnret and uret. */
static bool riscv_is_handler_return(const unsigned char *code, size_t size) {
  if (size < 4)
    return false;
  uint32_t word = load32(code, false);
  return word == 0x30200073 || word == 0x10200073 || word == 0x70200073 ||
         word == 0x00200073;
}

/* Writes lui or auipc with the upper part, then sb with the lower part, which
 * is signed: so the upper part is rounded. */
static unsigned riscv_encode_store(uint32_t opcode, uint32_t value,
                                   unsigned char *bytes) {
  store32(bytes, ((value + 0x800) & 0xFFFFF000) | T1 | opcode, false);
  store32(bytes + 4,
          SB_ZERO_T1 | (value >> 5 & 0x7F) << 25 | (value & 0x1F) << 7, false);
  return 8;
}

static unsigned riscv32_encode_store(const struct patch_sled_place *place,
                                     unsigned char *bytes) {
  return riscv_encode_store(LUI, (uint32_t)place->raw, bytes);
}

static unsigned riscv64_encode_store(const struct patch_sled_place *place,
                                     unsigned char *bytes) {
  int64_t distance;
  /* The limit is half a page lower, because the upper part is rounded. */
  if (!patch_fits_distance(place->address, place->raw + 0x800, 32, &distance))
    return 0;
  return riscv_encode_store(AUIPC, (uint32_t)(distance - 0x800), bytes);
}

/* Writes jal t0, helper; lui zero, 16 * index. If the lui runs, it does
 * nothing; its upper half is the index. */
static unsigned riscv_encode_call(const struct patch_sled_place *place,
                                  unsigned char *bytes) {
  int64_t distance;
  if (!patch_fits_distance(place->address, place->helper, 21, &distance))
    return 0;
  uint32_t bits = (uint32_t)distance;
  store32(bytes,
          JAL_T0 | (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3FF) << 21 |
              (bits >> 11 & 1) << 20 | (bits >> 12 & 0xFF) << 12,
          false);
  store32(bytes + 4, LUI | place->index << 16, false);
  return 8;
}

const struct patch_isa patch_riscv32 = {C_NOP,
                                        2,
                                        2,
                                        false,
                                        riscv_nop_size,
                                        riscv_marker_size,
                                        riscv_is_handler_return,
                                        riscv32_encode_store,
                                        riscv_encode_call};

const struct patch_isa patch_riscv64 = {C_NOP,
                                        2,
                                        2,
                                        false,
                                        riscv_nop_size,
                                        riscv_marker_size,
                                        riscv_is_handler_return,
                                        riscv64_encode_store,
                                        riscv_encode_call};

/* ==== Thumb and A32. A store is ip = base; strb ip, [ip, #rest]. The low byte
 * of base is 0, and strb writes it. */

enum {
  MOV_R8_R8 = 0x46C0, /* the nop of Thumb-1 */
  THUMB_NOP = 0xBF00,
  MOV_IP_LR = 0x46F4,
  OFFSET_MASK = 0xFFF /* the largest offset of strb */
};

static uint32_t load_word(const unsigned char *code) {
  return load32(code, false);
}

static void store_word(unsigned char *bytes, uint32_t word) {
  store32(bytes, word, false);
}

/* ---- Thumb ---- */

/* A wide instruction is two halfwords, the first at the lower address. */
static uint32_t load_halves(const unsigned char *code) {
  return (uint32_t)load16(code, false) << 16 | load16(code + 2, false);
}

static void store_halves(unsigned char *bytes, uint32_t halves) {
  store16(bytes, (uint16_t)(halves >> 16), false);
  store16(bytes + 2, (uint16_t)halves, false);
}

static unsigned thumb_nop_size(const unsigned char *code, size_t size) {
  if (size < 2)
    return 0;
  unsigned half = load16(code, false);
  if (half == THUMB_NOP || half == MOV_R8_R8)
    return 2;
  return size >= 4 && load_halves(code) == 0xF3AF8000 ? 4 : 0;
}

/* Finds bti. pac and pacbti are not allowed: after them, ip holds the signature
 * of the return address. */
static unsigned thumb_marker_size(const unsigned char *code, size_t size) {
  return size >= 4 && load_halves(code) == 0xF3AF800F ? 4 : 0;
}

/* Finds subs pc, lr, #n and rfe. Cores with these (A and R profile) do not save
 * ip at an interrupt. */
static bool thumb_is_handler_return(const unsigned char *code, size_t size) {
  if (size < 4)
    return false;
  uint32_t halves = load_halves(code);
  return (halves & 0xFFFFFF00) == 0xF3DE8F00 ||
         (halves & 0xFFD0FFFF) == 0xE810C000 ||
         (halves & 0xFFD0FFFF) == 0xE990C000;
}

/* Whether mov.w ip, #value exists: eight adjacent bits, or 0xXY00XY00. Sets
 * *halves to the instruction. */
static bool thumb_encode_constant(uint32_t value, uint32_t *halves) {
  uint32_t low = value & 0xFF, top = value >> 24;
  unsigned rotate = 0, code;
  if (low)
    return false;
  if (value == (top << 24 | top << 8)) {
    code = 2 << 8 | top;
  } else {
    /* The highest bit becomes bit 7, and is then rotated right. */
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

static uint32_t thumb_encode_wide_move(uint32_t opcode, uint32_t value) {
  return opcode | (value >> 12 & 0xF) << 16 | (value >> 11 & 1) << 26 |
         (value >> 8 & 7) << 12 | 0xC00 | (value & 0xFF);
}

/* Finds a base for an address below 2^32: mov.w can load it, and strb's offset
 * reaches the address. */
static bool thumb_find_base(uint32_t raw, uint32_t *halves, uint32_t *base) {
  uint32_t mirrored = raw & 0xFF000000;
  mirrored |= mirrored >> 16;
  *base = mirrored;
  if (raw >= mirrored && raw - mirrored <= OFFSET_MASK &&
      thumb_encode_constant(mirrored, halves))
    return true;
  *base = raw & ~(uint32_t)OFFSET_MASK;
  return *base && thumb_encode_constant(*base, halves);
}

static unsigned thumb_encode_store(const struct patch_sled_place *place,
                                   unsigned char *bytes) {
  uint32_t raw = (uint32_t)place->raw, halves, base;
  /* A core whose nops are these has no wide instructions. */
  if (load16(place->nops, false) == MOV_R8_R8)
    return 0;
  if (thumb_find_base(raw, &halves, &base)) {
    store_halves(bytes, halves);
    store_halves(bytes + 4, 0xF88CC000 | (raw - base));
    return 8;
  }
  base = raw & ~UINT32_C(0xFF);
  store_halves(bytes, thumb_encode_wide_move(0xF2400000, base & 0xFFFF));
  store_halves(bytes + 4, thumb_encode_wide_move(0xF2C00000, base >> 16));
  store_halves(bytes + 8, 0xF88CC000 | (raw - base));
  return 12;
}

/* Writes bl, or blx to an A32 helper, whose distance counts from a multiple of
 * 4. */
static unsigned thumb_encode_call(const struct patch_sled_place *place,
                                  unsigned char *bytes) {
  bool thumb = place->helper & 1;
  uint64_t from = place->address + 6; /* after mov and bl */
  int64_t distance;
  if (!patch_fits_distance(thumb ? from : from & ~UINT64_C(3),
                           place->helper & ~UINT64_C(1), 25, &distance))
    return 0;
  uint32_t bits = (uint32_t)distance, sign = bits >> 24 & 1;
  uint32_t j1 = (bits >> 23 & 1) ^ sign ^ 1, j2 = (bits >> 22 & 1) ^ sign ^ 1;
  store16(bytes, MOV_IP_LR, false);
  store_halves(bytes + 2, (thumb ? 0xF000D000 : 0xF000C000) | sign << 26 |
                              (bits >> 12 & 0x3FF) << 16 | j1 << 13 | j2 << 11 |
                              (bits >> 1 & 0x7FF));
  store16(bytes + 6, (uint16_t)place->index, false);
  return 8;
}

const struct patch_isa patch_thumb = {MOV_R8_R8,
                                      2,
                                      2,
                                      true,
                                      thumb_nop_size,
                                      thumb_marker_size,
                                      thumb_is_handler_return,
                                      thumb_encode_store,
                                      thumb_encode_call};

/* ---- A32 ---- */

/* Finds nop, and mov r0, r0. */
static unsigned a32_nop_size(const unsigned char *code, size_t size) {
  if (size < 4)
    return 0;
  return load_word(code) == 0xE320F000 || load_word(code) == 0xE1A00000 ? 4 : 0;
}

static unsigned a32_marker_size(const unsigned char *code, size_t size) {
  (void)code, (void)size;
  return 0;
}

/* Finds subs or movs to pc from lr, ldm with pc and ^, rfe, and eret. */
static bool a32_is_handler_return(const unsigned char *code, size_t size) {
  if (size < 4)
    return false;
  uint32_t word = load_word(code);
  return (word & 0xFFFFF000) == 0xE25EF000 || word == 0xE1B0F00E ||
         (word & 0xFE508000) == 0xE8508000 ||
         (word & 0xFE50FFFF) == 0xF8100A00 || word == 0xE160006E;
}

/* Encodes the lowest 8 bits of the value that begin at an even bit, as an
 * operand, and clears these bits in *value. */
static uint32_t a32_encode_operand(uint32_t *value) {
  unsigned shift = 0;
  while (shift < 30 && !(*value >> shift & 3))
    shift += 2;
  uint32_t byte = *value >> shift & 0xFF;
  *value &= ~(byte << shift);
  return (32 - shift) / 2 % 16 << 8 | byte;
}

static unsigned a32_encode_store(const struct patch_sled_place *place,
                                 unsigned char *bytes) {
  uint32_t raw = (uint32_t)place->raw, left = raw & ~(uint32_t)OFFSET_MASK;
  unsigned size = 4;
  store_word(bytes, 0xE3A0C000 | a32_encode_operand(&left)); /* mov */
  if (left) {
    store_word(bytes + size, 0xE38CC000 | a32_encode_operand(&left)); /* orr */
    size += 4;
  }
  if (left)
    return 0;
  store_word(bytes + size, 0xE5CCC000 | (raw & OFFSET_MASK)); /* strb */
  return size + 4;
}

/* Writes bl, or blx to a Thumb helper, where bit 24 adds half a word. */
static unsigned a32_encode_call(const struct patch_sled_place *place,
                                unsigned char *bytes) {
  int64_t distance;
  if (!patch_fits_distance(place->address + 12, place->helper & ~UINT64_C(1),
                           26, &distance))
    return 0;
  uint32_t bits = (uint32_t)distance;
  uint32_t opcode =
      place->helper & 1 ? 0xFA000000 | (bits & 2) << 23 : 0xEB000000;
  store_word(bytes, 0xE1A0C00E); /* mov ip, lr */
  store_word(bytes + 4, opcode | (bits >> 2 & 0xFFFFFF));
  store32(bytes + 8, place->index, false);
  return 12;
}

const struct patch_isa patch_a32 = {0,
                                    4,
                                    4,
                                    true,
                                    a32_nop_size,
                                    a32_marker_size,
                                    a32_is_handler_return,
                                    a32_encode_store,
                                    a32_encode_call};
