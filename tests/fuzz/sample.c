/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: samples of every form, and the decoders of instructions. What
 * is accepted is folded without a sample lost, in order; an instruction is
 * within the bytes that there are, and does not depend on what follows them.
 */
#include <string.h>

#include "input.h"
#include "sample/input.h"
#include "sample/instruction.h"

static void hold(bool property, const char *what) {
  if (property)
    return;
  fprintf(stderr, "property: %s\n", what);
  abort();
}

static void check_samples(const struct samples *samples) {
  uint64_t sum = 0;
  for (size_t i = 0; i < samples->count; i++) {
    const struct sample *sample = &samples->list[i];
    unsigned depth = 0;
    hold(sample->count > 0, "each was seen");
    hold(!i || sample[-1].pc <= sample->pc, "they are in order");
    for (uint32_t chain = sample->chain; chain;
         chain = samples->chains[chain].outer)
      hold(++depth <= SAMPLES_DEPTH_MOST, "a chain ends");
    sum += sample->count;
  }
  hold(sum == samples->total, "none is lost");
}

static void read_samples(unsigned form, struct bytes bytes) {
  struct samples samples;
  size_t line;
  samples_begin(&samples);
  samples.offset = form & 8 ? 0x1000 : 0;
  if (!samples_read(&samples, bytes, form & 7, &line) &&
      !samples_finish(&samples))
    check_samples(&samples);
  samples_free(&samples);
}

/* A header that fits, before entries. */
static void read_made(unsigned flags, struct bytes bytes) {
  unsigned char file[512] = {0xFA, 'B', 'P', 'S'};
  bool big = flags & 1;
  size_t size = bytes.size < 400 ? bytes.size : 400;
  unsigned chain = flags & 8 ? 3 : 0;
  size_t entry = (flags & 2 ? 8 : 4) * (2u + chain + (flags & 4 ? 1u : 0u));
  store_number(file + 4, 1, 2, big);
  store_number(file + 6, flags & 15, 2, big);
  store_number(file + 12, size / entry, 4, big);
  store_number(file + 24, chain, 4, big);
  if (size)
    memcpy(file + 32, bytes.data, size);
  read_samples(0, (struct bytes){file, 32 + size / entry * entry});
}

static void decode(unsigned which, struct bytes bytes) {
  static const struct instruction_set sets[] = {
      {MACHINE_X86, false, false, false},
      {MACHINE_X86_64, true, false, false},
      {MACHINE_ARM, false, false, false},
      {MACHINE_ARM, false, false, true},
      {MACHINE_ARM, false, true, true},
      {MACHINE_AARCH64, true, false, false},
      {MACHINE_RISCV, false, false, false},
      {MACHINE_RISCV, true, false, false}};
  const struct instruction_set *set = &sets[which % 8];
  struct instruction one, again;
  memset(&one, 0, sizeof one);
  if (!instruction_read(&one, set, bytes, 0x1000))
    return;
  hold(one.length >= 1 && one.length <= 15 && one.length <= bytes.size,
       "an instruction is within its bytes");
  hold(instruction_read(&again, set, (struct bytes){bytes.data, one.length},
                        0x1000) &&
           again.length == one.length && again.kind == one.kind &&
           again.target == one.target,
       "it is the same without what follows");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  struct bytes bytes = {data + 2, size - 2};
  if (data[0] % 3 == 0)
    decode(data[1], bytes);
  else if (data[0] % 3 == 1)
    read_made(data[1], bytes);
  else if (data[1] % 8 < SAMPLES_FORMS)
    read_samples(data[1], bytes);
  return 0;
}
