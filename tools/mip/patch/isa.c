/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Has a table entry for each instruction set, with nops, sleds, and returns
 * from interrupt handlers. plan.c makes sleds with these entries. */
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

bool patch_distance_fits(uint64_t from, uint64_t to, unsigned bits,
                         int64_t *distance) {
  int64_t half = INT64_C(1) << (bits - 1);
  *distance = (int64_t)(to - from);
  return *distance >= -half && *distance < half;
}

/* A wide Thumb instruction is two halfwords; the first halfword has the lower
 * address. */
unsigned patch_match_pattern(const struct patch_isa *isa,
                             const struct patch_pattern *list,
                             const unsigned char *code, size_t size) {
  for (; list->mask; list++) {
    if (size < list->size)
      continue;
    uint32_t word = load16(code, false);
    if (list->size == 4)
      word = isa == &patch_thumb ? word << 16 | load16(code + 2, false)
                                 : load32(code, false);
    if ((word & list->mask) == list->bits)
      return list->size;
  }
  return 0;
}

#define ALL UINT32_MAX

/* ==== Describes AArch64. */

static unsigned a64_encode_store(const struct patch_sled_place *place,
                                 unsigned char *bytes) {
  const uint64_t page = ~UINT64_C(0xFFF);
  int64_t distance;
  if (!patch_distance_fits(place->address & page, place->raw & page, 33,
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
  if (!patch_distance_fits(place->address + 4, place->helper, 28, &distance))
    return 0;
  store32(bytes, 0xAA1E03F0, false); /* mov x16, x30 */
  store32(bytes + 4, 0x94000000 | ((uint32_t)(distance >> 2) & 0x3FFFFFF),
          false);
  store32(bytes + 8, place->index, false);
  return 12;
}

static const struct patch_pattern a64_nops[] = {{ALL, 0xD503201F, 4}, {0}};
static const struct patch_pattern a64_markers[] = {
    {0xFFFFFF3F, 0xD503241F, 4}, /* bti with any target, or without a target */
    {ALL, 0xD503233F, 4},        /* paciasp */
    {ALL, 0xD503237F, 4},        /* pacibsp */
    {0}};
/* The instruction eret, also with authentication. */
static const struct patch_pattern a64_returns[] = {{0xFFFFF3FF, 0xD69F03E0, 4},
                                                   {0}};

const struct patch_isa patch_aarch64 = {.fill_size = 4,
                                        .step = 4,
                                        .nops = a64_nops,
                                        .markers = a64_markers,
                                        .returns = a64_returns,
                                        .store = a64_encode_store,
                                        .call = a64_encode_call};

/* ==== Describes RISC-V, 32-bit and 64-bit. Only t0 and t1 are free: LLVM may
 * pass arguments of local functions in the other caller-saved registers. */

enum {
  C_NOP = 0x0001,
  NOP = 0x00000013,
  LUI = 0x37,
  AUIPC = 0x17,
  T1 = 6 << 7, /* T1 as the destination register */
  SB_ZERO_T1 = 0x00030023,
  JAL_T0 = 0x000002EF
};

/* Writes lui or auipc with the upper part of a value, then sb with the lower
 * part. The lower part is signed, so the upper part is rounded. */
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
  if (!patch_distance_fits(place->address, place->raw + 0x800, 32, &distance))
    return 0;
  return riscv_encode_store(AUIPC, (uint32_t)(distance - 0x800), bytes);
}

/* Writes jal t0, helper; lui zero, 16 * index. The lui does nothing, because it
 * writes to zero. The upper half of the lui instruction is the index. */
static unsigned riscv_encode_call(const struct patch_sled_place *place,
                                  unsigned char *bytes) {
  int64_t distance;
  if (!patch_distance_fits(place->address, place->helper, 21, &distance))
    return 0;
  uint32_t bits = (uint32_t)distance;
  store32(bytes,
          JAL_T0 | (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3FF) << 21 |
              (bits >> 11 & 1) << 20 | (bits >> 12 & 0xFF) << 12,
          false);
  store32(bytes + 4, LUI | place->index << 16, false);
  return 8;
}

static const struct patch_pattern riscv_nops[] = {
    {0xFFFF, C_NOP, 2}, {ALL, NOP, 4}, {0}};
/* The instruction lpad, which is an auipc that writes x0. */
static const struct patch_pattern riscv_markers[] = {{0xFFF, AUIPC, 4}, {0}};
/* The instructions mret, sret, mnret and uret. */
static const struct patch_pattern riscv_returns[] = {{ALL, 0x30200073, 4},
                                                     {ALL, 0x10200073, 4},
                                                     {ALL, 0x70200073, 4},
                                                     {ALL, 0x00200073, 4},
                                                     {0}};

const struct patch_isa patch_riscv32 = {.fill = C_NOP,
                                        .fill_size = 2,
                                        .step = 2,
                                        .nops = riscv_nops,
                                        .markers = riscv_markers,
                                        .returns = riscv_returns,
                                        .store = riscv32_encode_store,
                                        .call = riscv_encode_call};

const struct patch_isa patch_riscv64 = {.fill = C_NOP,
                                        .fill_size = 2,
                                        .step = 2,
                                        .nops = riscv_nops,
                                        .markers = riscv_markers,
                                        .returns = riscv_returns,
                                        .store = riscv64_encode_store,
                                        .call = riscv_encode_call};

/* ==== Describes Thumb and A32. A sled that stores is ip = base; strb ip, [ip,
 * #rest]. The low byte of base is 0, and strb writes this byte. */

enum {
  MOV_R8_R8 = 0x46C0, /* the nop of Thumb-1 */
  THUMB_NOP = 0xBF00,
  MOV_IP_LR = 0x46F4,
  OFFSET_MASK = 0xFFF /* the largest offset in strb */
};

/* ---- Thumb ---- */

static void store_halfwords(unsigned char *bytes, uint32_t halves) {
  store16(bytes, (uint16_t)(halves >> 16), false);
  store16(bytes + 2, (uint16_t)halves, false);
}

/* Returns whether mov.w ip, #value exists. The value must be eight adjacent
 * bits, or 0xXY00XY00. Sets *halves to the instruction. */
static bool thumb_encode_constant_move(uint32_t value, uint32_t *halves) {
  uint32_t low = value & 0xFF, top = value >> 24;
  unsigned rotate = 0, code;
  if (low)
    return false;
  if (value == (top << 24 | top << 8)) {
    code = top ? 2 << 8 | top : 0; /* Arm does not define XY = 0 */
  } else {
    /* The highest set bit becomes bit 7, which the instruction rotates right.
     */
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

/* Finds a base for an address below 2^32. A mov.w must be able to load the
 * base, and the offset of strb must reach the address from the base. */
static bool thumb_find_base(uint32_t raw, uint32_t *halves, uint32_t *base) {
  uint32_t mirrored = raw & 0xFF000000;
  mirrored |= mirrored >> 16;
  *base = mirrored;
  if (raw >= mirrored && raw - mirrored <= OFFSET_MASK &&
      thumb_encode_constant_move(mirrored, halves))
    return true;
  *base = raw & ~(uint32_t)OFFSET_MASK;
  return *base && thumb_encode_constant_move(*base, halves);
}

static unsigned thumb_encode_store(const struct patch_sled_place *place,
                                   unsigned char *bytes) {
  uint32_t raw = (uint32_t)place->raw, halves, base;
  /* A core with these nops lacks wide instructions. */
  if (load16(place->nops, false) == MOV_R8_R8)
    return 0;
  if (thumb_find_base(raw, &halves, &base)) {
    store_halfwords(bytes, halves);
    store_halfwords(bytes + 4, 0xF88CC000 | (raw - base));
    return 8;
  }
  base = raw & ~UINT32_C(0xFF);
  store_halfwords(bytes, thumb_encode_wide_move(0xF2400000, base & 0xFFFF));
  store_halfwords(bytes + 4, thumb_encode_wide_move(0xF2C00000, base >> 16));
  store_halfwords(bytes + 8, 0xF88CC000 | (raw - base));
  return 12;
}

/* Writes bl, or blx to an A32 helper. The distance of blx counts from a
 * multiple of 4. */
static unsigned thumb_encode_call(const struct patch_sled_place *place,
                                  unsigned char *bytes) {
  bool thumb = place->helper & 1;
  uint64_t from = place->address + 6; /* the address after mov and bl */
  int64_t distance;
  if (!patch_distance_fits(thumb ? from : from & ~UINT64_C(3),
                           place->helper & ~UINT64_C(1), 25, &distance))
    return 0;
  uint32_t bits = (uint32_t)distance, sign = bits >> 24 & 1;
  uint32_t j1 = (bits >> 23 & 1) ^ sign ^ 1, j2 = (bits >> 22 & 1) ^ sign ^ 1;
  store16(bytes, MOV_IP_LR, false);
  store_halfwords(bytes + 2, (thumb ? 0xF000D000 : 0xF000C000) | sign << 26 |
                                 (bits >> 12 & 0x3FF) << 16 | j1 << 13 |
                                 j2 << 11 | (bits >> 1 & 0x7FF));
  store16(bytes + 6, (uint16_t)place->index, false);
  return 8;
}

static const struct patch_pattern thumb_nops[] = {
    {0xFFFF, THUMB_NOP, 2}, {0xFFFF, MOV_R8_R8, 2}, {ALL, 0xF3AF8000, 4}, {0}};
/* The instruction bti. The list lacks pac and pacbti, because after them ip
 * holds the signature of the return address. */
static const struct patch_pattern thumb_markers[] = {{ALL, 0xF3AF800F, 4}, {0}};
/* The instructions subs pc, lr, #n and rfe. Cores with these instructions (A
 * and R profile) do not save ip at an interrupt. */
static const struct patch_pattern thumb_returns[] = {
    {0xFFFFFF00, 0xF3DE8F00, 4},
    {0xFFD0FFFF, 0xE810C000, 4},
    {0xFFD0FFFF, 0xE990C000, 4},
    {0}};

const struct patch_isa patch_thumb = {.fill = MOV_R8_R8,
                                      .fill_size = 2,
                                      .step = 2,
                                      .takes_chain = true,
                                      .nops = thumb_nops,
                                      .markers = thumb_markers,
                                      .returns = thumb_returns,
                                      .store = thumb_encode_store,
                                      .call = thumb_encode_call};

/* ---- A32 ---- */

/* Takes 8 bits from *value, from the lowest set bit rounded down to an even
 * position. Returns these bits as an operand, and clears them in *value. */
static uint32_t a32_encode_lowest_part(uint32_t *value) {
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
  store32(bytes, 0xE3A0C000 | a32_encode_lowest_part(&left), false); /* mov */
  if (left) {
    store32(bytes + size, 0xE38CC000 | a32_encode_lowest_part(&left),
            false); /* orr */
    size += 4;
  }
  if (left)
    return 0;
  store32(bytes + size, 0xE5CCC000 | (raw & OFFSET_MASK), false); /* strb */
  return size + 4;
}

/* Writes bl, or blx to a Thumb helper. In blx, bit 24 adds half a word. */
static unsigned a32_encode_call(const struct patch_sled_place *place,
                                unsigned char *bytes) {
  int64_t distance;
  if (!patch_distance_fits(place->address + 12, place->helper & ~UINT64_C(1),
                           26, &distance))
    return 0;
  uint32_t bits = (uint32_t)distance;
  uint32_t opcode =
      place->helper & 1 ? 0xFA000000 | (bits & 2) << 23 : 0xEB000000;
  store32(bytes, 0xE1A0C00E, false); /* mov ip, lr */
  store32(bytes + 4, opcode | (bits >> 2 & 0xFFFFFF), false);
  store32(bytes + 8, place->index, false);
  return 12;
}

/* The instructions nop, and mov r0, r0. */
static const struct patch_pattern a32_nops[] = {
    {ALL, 0xE320F000, 4}, {ALL, 0xE1A00000, 4}, {0}};
static const struct patch_pattern a32_markers[] = {{0}};
/* The instructions subs or movs to pc from lr, ldm with pc and ^, rfe, and
 * eret. */
static const struct patch_pattern a32_returns[] = {
    {0xFFFFF000, 0xE25EF000, 4}, {ALL, 0xE1B0F00E, 4},
    {0xFE508000, 0xE8508000, 4}, {0xFE50FFFF, 0xF8100A00, 4},
    {ALL, 0xE160006E, 4},        {0}};

const struct patch_isa patch_a32 = {.fill_size = 4,
                                    .step = 4,
                                    .takes_chain = true,
                                    .nops = a32_nops,
                                    .markers = a32_markers,
                                    .returns = a32_returns,
                                    .store = a32_encode_store,
                                    .call = a32_encode_call};
