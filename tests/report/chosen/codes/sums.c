/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "codes.h"

/* Of four bits each: 0xEDB88320. */
static const unsigned long crc_table[16] = {
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
    0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
    0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
    0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
};
static const unsigned long adler_base = 65521;

static unsigned long crc32_of(const char *text) {
  unsigned long crc = 0xFFFFFFFF;
  for (; *text; text++) {
    crc ^= (unsigned char)*text;
    crc = crc >> 4 ^ crc_table[crc & 15];
    crc = crc >> 4 ^ crc_table[crc & 15];
  }
  return crc ^ 0xFFFFFFFF;
}

static unsigned long adler_of(const char *text) {
  unsigned long a = 1, b = 0;
  for (; *text; text++) {
    a = (a + (unsigned char)*text) % adler_base;
    b = (b + a) % adler_base;
  }
  return b << 16 | a;
}

int checksums(const char *text) {
  printf("crc %08lx adler %08lx\n", crc32_of(text), adler_of(text));
  return 0;
}
