/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Damaged files out of a good one, numbered, in a folder:
 *   damage cut FILE FOLDER COUNT   beginnings of it
 *   damage sections ELF FOLDER     wrong numbers in the profile's sections
 *   damage flip DUMP FOLDER        each byte wrong
 *   damage renew DUMP FOLDER       the same, and the CRC made right
 *   damage gap DUMP FOLDER         one without the last counter
 *   damage many DUMP FOLDER        one with a million gaps
 * ELFs are of 32 bits, little-endian.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 26, HEADER = 40 };

static unsigned char file[MOST];
static size_t size;
static const char *folder;
static unsigned count;

static uint32_t get(size_t at, unsigned width) {
  uint32_t value = 0;
  while (width--)
    value = value << 8 | file[at + width];
  return value;
}

static void set(size_t at, uint32_t value) {
  for (unsigned i = 0; i < 4; i++, value >>= 8)
    file[at + i] = (unsigned char)value;
}

static void leave(size_t bytes) {
  char name[4096];
  snprintf(name, sizeof name, "%s/%u", folder, count++);
  FILE *out = fopen(name, "wb");
  if (!out || fwrite(file, 1, bytes, out) != bytes || fclose(out))
    exit(1);
}

static void cut(size_t pieces) {
  for (size_t i = 0; i < pieces; i++)
    leave(size * i / pieces);
}

/* Type, flags, address, offset, size, link, info, alignment, entry size. */
static void spoil_section(size_t header) {
  static const uint32_t wrong[] = {0, 1, 7, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  for (size_t field = header + 4; field < header + HEADER; field += 4) {
    uint32_t right = get(field, 4);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
      set(field, wrong[i]);
      leave(size);
    }
    for (uint32_t step = 1; step <= 64; step *= 8) {
      set(field, right + step);
      leave(size);
      set(field, right - step);
      leave(size);
    }
    set(field, right);
  }
}

static void spoil_sections(void) {
  static const char *const names[] = {"__llvm_prf_data", "__llvm_prf_names",
                                      "__llvm_prf_cnts", ".note.gnu.build-id",
                                      ".symtab"};
  size_t headers = get(32, 4), sections = get(48, 2);
  size_t strings = get(headers + get(50, 2) * HEADER + 16, 4);
  for (size_t i = 0; i < sections; i++) {
    const char *name = (char *)file + strings + get(headers + i * HEADER, 4);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
      if (strcmp(name, names[n]) == 0)
        spoil_section(headers + i * HEADER);
  }
}

static uint32_t crc(size_t bytes) {
  uint32_t rest = 0xFFFFFFFF;
  for (size_t i = 0; i < bytes; i++) {
    rest ^= file[i];
    for (unsigned bit = 0; bit < 8; bit++)
      rest = rest >> 1 ^ (rest & 1 ? 0xEDB88320 : 0);
  }
  return ~rest;
}

static void flip(int renew) {
  for (size_t i = 0; i < size - (renew ? 4 : 0); i++) {
    unsigned char right = file[i];
    uint32_t check = get(size - 4, 4);
    file[i] ^= (unsigned char)(1u << i % 8);
    if (renew)
      set(size - 4, crc(size - 4));
    leave(size);
    if (renew)
      set(size - 4, check);
    file[i] = right;
  }
}

/* The list of counters that are known: one less of them. Its last digit is
 * not 0. */
static void gap(void) {
  char *list = strstr((char *)file, " known 0-");
  char *end = list ? strchr(list, '\n') : NULL;
  if (!end || end[-1] == '0')
    exit(1);
  end[-1]--;
  set(size - 4, crc(size - 4));
  leave(size);
}

/* Of every second counter nothing is known. What is before the pieces is as
 * in the dump. */
static void many(void) {
  const unsigned gaps = 1000000, counters = 2 * gaps * 8;
  char *pieces = strstr((char *)file, "\npiece ");
  if (!pieces)
    exit(1);
  size = (size_t)(pieces + 1 - (char *)file);
  size += (size_t)sprintf(pieces + 1, "piece 1 address 0x0 size %u known",
                          counters);
  for (unsigned i = 0; i < gaps; i++)
    size += (size_t)sprintf((char *)file + size, " %u-%u", 2 * i, 2 * i + 1);
  size += (size_t)sprintf((char *)file + size, "\ndata %u\n", counters);
  memset(file + size, 0, counters);
  size += counters + 4;
  set(size - 4, crc(size - 4));
  leave(size);
}

int main(int argc, char **argv) {
  FILE *in = argc >= 4 ? fopen(argv[2], "rb") : NULL;
  if (!in)
    return 2;
  size = fread(file, 1, MOST - 1, in);
  fclose(in);
  folder = argv[3];
  if (strcmp(argv[1], "cut") == 0 && argc == 5)
    cut((size_t)atoi(argv[4]));
  else if (strcmp(argv[1], "sections") == 0)
    spoil_sections();
  else if (strcmp(argv[1], "gap") == 0)
    gap();
  else if (strcmp(argv[1], "many") == 0)
    many();
  else
    flip(strcmp(argv[1], "renew") == 0);
  return count == 0;
}
