/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * AArch64.
 */
#include "patch_isa.h"

static unsigned nop(const unsigned char *code, size_t size) {
  return size >= 4 && load32(code, false) == 0xD503201F ? 4 : 0;
}

/* bti, with any target or none; paciasp and pacibsp. */
static unsigned marker(const unsigned char *code, size_t size) {
  if (size < 4)
    return 0;
  uint32_t word = load32(code, false);
  return (word & 0xFFFFFF3F) == 0xD503241F || word == 0xD503233F ||
                 word == 0xD503237F
             ? 4
             : 0;
}

/* eret, with its kinds that authenticate. */
static bool returns(const unsigned char *code, size_t size) {
  return size >= 4 && (load32(code, false) & 0xFFFFF3FF) == 0xD69F03E0;
}

static unsigned store(const struct patch_place *place, unsigned char *bytes) {
  const uint64_t page = ~UINT64_C(0xFFF);
  int64_t distance;
  if (!patch_distance(place->address & page, place->raw & page, 33, &distance))
    return 0;
  uint32_t pages = (uint32_t)(distance >> 12);
  uint32_t low = (uint32_t)(place->raw & 0xFFF);
  /* adrp x16; strb wzr, [x16, #low] */
  store32(bytes, 0x90000010 | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5,
          false);
  store32(bytes + 4, 0x3900021F | low << 10, false);
  return 8;
}

static unsigned call(const struct patch_place *place, unsigned char *bytes) {
  int64_t distance;
  if (!patch_distance(place->address + 4, place->helper, 28, &distance))
    return 0;
  store32(bytes, 0xAA1E03F0, false); /* mov x16, x30 */
  store32(bytes + 4, 0x94000000 | ((uint32_t)(distance >> 2) & 0x3FFFFFF),
          false);
  store32(bytes + 8, place->index, false);
  return 12;
}

const struct patch_isa patch_aarch64 = {.fill_size = 4,
                                        .nop = nop,
                                        .marker = marker,
                                        .returns_from_interrupt = returns,
                                        .step = 4,
                                        .store = store,
                                        .call = call};
