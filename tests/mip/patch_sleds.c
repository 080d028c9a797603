/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sleds for many places, near and as far as they reach, to be read by a
 * disassembler. A line each, in decimal but for the bytes:
 *   store|call|callx ADDRESS TARGET INDEX BYTES
 * with `none` as bytes where it says that no sled reaches.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mip/patch/patch.h"

enum { PLACES = 400 };

static const struct isa {
  const char *name;
  const struct patch_isa *isa;
  unsigned reach;  /* of a call: bits of the distance, with the sign */
  unsigned narrow; /* addresses have 32 bits */
  unsigned step;   /* of addresses */
  unsigned char nop[4];
} isas[] = {{"thumb", &patch_thumb, 25, 1, 2, {0x00, 0xBF}},
            {"a32", &patch_a32, 26, 1, 4, {0x00, 0xF0, 0x20, 0xE3}},
            {"aarch64", &patch_aarch64, 28, 0, 4, {0x1F, 0x20, 0x03, 0xD5}},
            {"riscv32", &patch_riscv32, 21, 1, 2, {0x01, 0x00}},
            {"riscv64", &patch_riscv64, 21, 0, 2, {0x01, 0x00}}};

static uint64_t state = 1;

static uint64_t next(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 20;
}

static void put(const char *kind, const struct patch_sled_place *place,
                uint64_t target, unsigned size, const unsigned char *bytes) {
  printf("%s %" PRIu64 " %" PRIu64 " %u", kind, place->address, target,
         (unsigned)place->index);
  for (unsigned i = 0; i < size; i++)
    printf(" 0x%02x", bytes[i]);
  puts(size ? "" : " none");
}

/* Most within the reach, some around its ends. */
static uint64_t target_of(const struct isa *isa, uint64_t address,
                          unsigned reach) {
  uint64_t half = UINT64_C(1) << (reach - 1);
  uint64_t distance = next() % (2 * half) - half;
  unsigned kind = next() % 4;
  if (kind < 2)
    distance = (kind ? half : 0 - half) + next() % 64 * isa->step - 32;
  uint64_t target = (address + distance) / isa->step * isa->step;
  return isa->narrow ? (uint32_t)target : target;
}

static void put_place(const struct isa *isa) {
  unsigned char bytes[PATCH_SLED_MOST];
  struct patch_sled_place place = {.nops = isa->nop, .index = next() & 0xFFFF};
  uint64_t base = isa->narrow ? UINT64_C(1) << 31 : UINT64_C(1) << 40;
  place.address = (base + next() % 0x10000000) / isa->step * isa->step;
  uint64_t helper = target_of(isa, place.address, isa->reach);
  /* On Arm, a helper may be of the other state. */
  bool thumb = isa->isa == &patch_thumb, arm = thumb || isa->isa == &patch_a32;
  bool exchange = arm && next() % 4 == 0;
  if (exchange)
    helper = thumb ? helper & ~UINT64_C(3) : (helper | 2);
  place.helper = helper | (thumb != exchange && arm);
  put(exchange ? "callx" : "call", &place, helper,
      isa->isa->call(&place, bytes), bytes);
  unsigned reach = isa->isa == &patch_aarch64 ? 33 : 32;
  place.raw = target_of(isa, place.address, reach);
  /* RAM of 32-bit targets begins at something round. */
  if (isa->narrow && next() % 2)
    place.raw = (uint32_t)(next() << 24) + next() % 16384;
  put("store", &place, place.raw, isa->isa->store(&place, bytes), bytes);
}

/* A store to an address whose upper bytes are 0. */
static void put_low(void) {
  unsigned char bytes[PATCH_SLED_MOST];
  struct patch_sled_place place = {.nops = isas[0].nop, .raw = 0x100};
  put("store", &place, place.raw, patch_thumb.store(&place, bytes), bytes);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "low"))
    put_low();
  for (unsigned i = 0; i < sizeof isas / sizeof *isas; i++)
    for (unsigned k = 0; argc > 1 && k < PLACES; k++)
      if (!strcmp(argv[1], isas[i].name))
        put_place(&isas[i]);
  return 0;
}
