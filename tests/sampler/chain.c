/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Chains on this machine, whose sanitizer sees each load: any frame pointer
 * near the stack or far away, into frames that are in order, in a circle,
 * downwards, or anything. The stack is an array from malloc, with nothing
 * behind it. An x86-64 frame is that of Arm and AArch64.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bareprof_sampler.h"

enum { WORDS = 64, LENGTH = 5 };

BAREPROF_SAMPLER_CHAIN(2, LENGTH);

static unsigned wrong, cases;

/* What a chain must be, looked at word by word. */
static void judge(const uintptr_t *stack, uintptr_t fp) {
  const struct bareprof_sampler *sampler = &bareprof_sampler;
  const uintptr_t *words =
      (const void *)(sampler->entries +
                     (sampler->state->since.next ? 0 : sampler->width));
  uintptr_t expected[LENGTH] = {0}, above = 0;
  for (unsigned i = 0; i < LENGTH; i++) {
    unsigned at = 0;
    while (at < WORDS - 1 && (uintptr_t)&stack[at] != fp)
      at++;
    if (at == WORDS - 1 || fp < above)
      break;
    above = fp + 2 * sizeof fp;
    expected[i] = stack[at + 1];
    fp = stack[at];
  }
  cases++;
  for (unsigned i = 0; i < LENGTH; i++)
    wrong += words[2 + i] != expected[i];
  wrong += words[0] != 1 || words[1] != 2;
}

static void try(const uintptr_t *stack, uintptr_t fp) {
  bareprof_sampler_take(1, 2, fp);
  judge(stack, fp);
}

static uintptr_t any_frame(const uintptr_t *stack) {
  unsigned bits = (unsigned)rand();
  uintptr_t at = (uintptr_t)stack + (bits >> 4) % (WORDS + 2) * sizeof at;
  switch (bits & 15) {
  case 0:
    return at + 1 + (bits >> 16) % 7;
  case 1:
    return (uintptr_t)rand() << 33 ^ (uintptr_t)rand();
  case 2:
    return 0 - (uintptr_t)((bits >> 8) & 31);
  default:
    return at;
  }
}

static int count_bytes(void *context, const void *bytes, size_t size) {
  (void)bytes;
  *(size_t *)context += size;
  return 0;
}

/* A fault handler writes a file after a sample was counted, and before it is in
 * the ring: the file has the one entry that its header claims. */
static void write_within_sample(void) {
  size_t size = 0;
  const struct bareprof_sink sink = {count_bytes, &size};
  bareprof_sampler_reset();
  bareprof_sampler.state->level = 1;
  bareprof_sampler.state->since.kept = 1;
  wrong += bareprof_sampler_write(&sink) != 0;
  wrong += size != sizeof(struct bareprof_samples) + bareprof_sampler.width;
  bareprof_sampler.state->level = 0;
}

int main(void) {
  uintptr_t *stack = malloc(WORDS * sizeof *stack);
  if (!stack)
    return 1;
  bareprof_sampler_start(1);
  for (unsigned i = 0; i < WORDS; i++)
    stack[i] = (uintptr_t)&stack[i] + 2 * sizeof *stack;
  bareprof_sampler_take(1, 2, (uintptr_t)stack);
  for (unsigned i = 0; i < LENGTH; i++)
    wrong += ((uintptr_t *)(void *)bareprof_sampler.entries)[2 + i] != 0;
  bareprof_sampler_stack(stack, stack + WORDS);
  for (unsigned round = 0; round < 20000; round++) {
    for (unsigned i = 0; i < WORDS; i++)
      stack[i] = any_frame(stack);
    try(stack, any_frame(stack));
  }
  for (uintptr_t fp = (uintptr_t)stack - 40;
       fp < (uintptr_t)(stack + WORDS + 5); fp++)
    try(stack, fp);
  write_within_sample();
  printf("cases %u wrong %u\n", cases, wrong);
  free(stack);
  return wrong != 0;
}
