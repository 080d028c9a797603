/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Files that were made to take long:
 *   hostile ids|hashes|values|counts COUNT >FILE
 * ids: so many raw profiles in one file, each with another build id; hashes:
 * text, a function of so many structures; values: text, a function so many
 * times, each with other sizes at its one site; counts: text, so many
 * functions with counts that fall together in a table by their product with
 * the golden ratio.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

static void put(uint64_t value) {
  unsigned char bytes[8];
  for (unsigned i = 0; i < 8; i++)
    bytes[i] = (unsigned char)(value >> 8 * i);
  fwrite(bytes, 1, 8, stdout);
}

/* A header of raw version 9, which has 13 fields. */
static void put_id(unsigned number) {
  put(UINT64_C(0xFF6C70726F667281));
  put(9 | UINT64_C(1) << 56);
  put(16);
  for (unsigned i = 3; i < 12; i++)
    put(0);
  put(1);
  put(0);
  put(8);
  put(number * GOLDEN);
}

/* What multiplied by the golden ratio is 1, modulo 2^64. */
static uint64_t inverse(void) {
  uint64_t guess = GOLDEN;
  for (unsigned i = 0; i < 6; i++)
    guess *= 2 - GOLDEN * guess;
  return guess;
}

static void put_text(const char *kind, unsigned i) {
  if (!strcmp(kind, "hashes"))
    printf("f\n%u\n1\n%u\n", i + 1, i);
  else if (!strcmp(kind, "counts"))
    printf("f%u\n1\n1\n%llu\n", i,
           (unsigned long long)((i + UINT64_C(1)) * inverse()));
  else
    printf("f\n1\n1\n1\n1\n1\n1\n2\n%u:%u\n%u:1\n", 2 * i, i % 100, 2 * i + 1);
}

int main(int argc, char **argv) {
  unsigned count = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
  int is_raw = count && !strcmp(argv[1], "ids");
  if (count && !is_raw)
    puts(":ir");
  for (unsigned i = 0; i < count; i++)
    if (is_raw)
      put_id(i);
    else
      put_text(argv[1], i);
  return !count || fflush(stdout);
}
