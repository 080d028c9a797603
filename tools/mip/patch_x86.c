/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * x86-64. gcc leaves nops of a byte, clang longer ones.
 */
#include "patch_isa.h"

/* What follows the opcode 0F 1F: a memory operand, or a register. */
static unsigned operand(const unsigned char *code, size_t size) {
  if (size == 0)
    return 0;
  unsigned mode = code[0] >> 6, base = code[0] & 7, bytes = 1;
  if (mode != 3 && base == 4) {
    if (size < 2)
      return 0;
    base = code[1] & 7;
    bytes = 2;
  }
  if (mode == 1)
    bytes += 1;
  else if (mode == 2 || (mode == 0 && base == 5))
    bytes += 4;
  return bytes <= size ? bytes : 0;
}

static unsigned nop(const unsigned char *code, size_t size) {
  unsigned at = 0;
  while (at < size && at < 12 && (code[at] == 0x66 || code[at] == 0x2E))
    at++;
  if (at < size && code[at] == 0x90)
    return at + 1;
  if (size - at < 3 || code[at] != 0x0F || code[at + 1] != 0x1F)
    return 0;
  unsigned rest = operand(code + at + 2, size - at - 2);
  return rest ? at + 2 + rest : 0;
}

/* endbr64 */
static unsigned marker(const unsigned char *code, size_t size) {
  return size >= 4 && load32(code, false) == 0xFA1E0FF3 ? 4 : 0;
}

/* Nothing needs to be free for either sled. */
static bool returns(const unsigned char *code, size_t size) {
  (void)code, (void)size;
  return false;
}

/* movb $0, raw(%rip) */
static unsigned store(const struct patch_place *place, unsigned char *bytes) {
  int64_t distance;
  if (!patch_distance(place->address + 7, place->raw, 32, &distance))
    return 0;
  store16(bytes, 0x05C6, false);
  store32(bytes + 2, (uint32_t)distance, false);
  bytes[6] = 0;
  return 7;
}

/* call helper, which returns behind the index and the byte after it. */
static unsigned call(const struct patch_place *place, unsigned char *bytes) {
  int64_t distance;
  if (!patch_distance(place->address + 5, place->helper, 32, &distance))
    return 0;
  bytes[0] = 0xE8;
  store32(bytes + 1, (uint32_t)distance, false);
  store16(bytes + 5, (uint16_t)place->index, false);
  bytes[7] = 0x90;
  return 8;
}

const struct patch_isa patch_x86_64 = {.fill = 0x90,
                                       .fill_size = 1,
                                       .nop = nop,
                                       .marker = marker,
                                       .returns_from_interrupt = returns,
                                       .step = 1,
                                       .store = store,
                                       .call = call};
