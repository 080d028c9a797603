/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Only `bareprof merge`; and its inputs:
 *   merge raw WORD POINTER BIG BYTES OUT
 * writes a raw profile without records as a target does that has none, of the
 * version word in hex; the counters, of so many bytes, are 1, 2, 3...; single
 * bytes are 0 and 255 by turns.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "commands.h"

static void put(FILE *stream, uint64_t value, bool big) {
  unsigned char bytes[8];
  store64(bytes, value, big);
  fwrite(bytes, 1, 8, stream);
}

/* The header is 11 to 16 fields; field 5 is the number of counters, the last
 * one the last kind of values. */
static int write_raw(char **argv) {
  uint64_t word = strtoull(argv[0], NULL, 16);
  bool wide = atoi(argv[1]) == 8, big = atoi(argv[2]);
  unsigned long size = strtoul(argv[3], NULL, 0);
  bool bytes = word >> 60 & 1;
  unsigned version = word & 0xFF;
  unsigned fields = version < 9 ? 11 : version == 9 ? 14 : 16;
  uint64_t header[16] = {0};
  FILE *stream = fopen(argv[4], "wb");
  if (!stream)
    return 1;
  header[0] = UINT64_C(0xFF6C70726F660081) | (wide ? 'r' : 'R') << 8;
  header[1] = word;
  header[5] = bytes ? size : size / 8;
  header[fields - 1] = fields == 16 ? 2 : 1;
  for (unsigned i = 0; i < fields; i++)
    put(stream, header[i], big);
  for (unsigned long i = 0; i < size; i += bytes ? 1 : 8)
    if (bytes)
      putc(i % 2 ? 255 : 0, stream);
    else
      put(stream, i / 8 + 1, big);
  for (; size % 8; size++)
    putc(0, stream);
  return fclose(stream);
}

int main(int argc, char **argv) {
  if (argc == 7 && !strcmp(argv[1], "raw"))
    return write_raw(argv + 2);
  return command_merge.run(&command_merge, argc, argv);
}
