/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two raw profiles, field by field, by the tables of tests/unit/format.h:
 *   compare A B
 * They must be equal but for what depends on where the linker put things:
 * the build id's bytes, addresses, and the differences of addresses. The
 * latter must lead to the same counters and bitmap bytes in both. A and B may
 * be of different raw versions: fields that only one of them has are 0.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"

enum { MOST = 1 << 20 };

struct profile {
  struct target target;
  unsigned char bytes[MOST];
  size_t size, records, counters; /* offsets in bytes */
};

static struct profile a, b;
static unsigned differences;

static void differ(const char *what, uint64_t i, uint64_t one, uint64_t other) {
  printf("%s %llu: 0x%llx and 0x%llx\n", what, (unsigned long long)i,
         (unsigned long long)one, (unsigned long long)other);
  differences++;
}

static void fail(const char *name, const char *why) {
  printf("%s: %s\n", name, why);
  exit(1);
}

static uint64_t header(const struct profile *profile, enum header_field field) {
  size_t at = header_offset(&profile->target, field);
  return at == NOWHERE ? 0 : load(&profile->target, profile->bytes + at, 8);
}

static uint64_t record(const struct profile *profile, uint64_t i,
                       enum record_field field) {
  const struct target *target = &profile->target;
  size_t at = record_offset(target, field);
  if (at == NOWHERE)
    return 0;
  at += profile->records + i * record_offset(target, R_FIELDS);
  return load(target, profile->bytes + at, record_width(target, field));
}

static void read_profile(struct profile *profile, const char *name) {
  FILE *file = fopen(name, "rb");
  if (!file)
    fail(name, "cannot be opened");
  profile->size = fread(profile->bytes, 1, MOST, file);
  fclose(file);
  if (profile->size < 88 || profile->size == MOST)
    fail(name, "is too small or too large");
  struct target *target = &profile->target;
  target->version = 10;
  target->big = profile->bytes[0] == 0xFF;
  target->pointer = profile->bytes[target->big ? 6 : 1] == 'r' ? 8 : 4;
  target->version = (uint32_t)load(target, profile->bytes + 8, 8);
  if (target->version < 7 || target->version > 11)
    fail(name, "has another version");
  profile->records = header_offset(target, H_FIELDS) +
                     (size_t)header(profile, H_BINARY_IDS_SIZE);
  profile->counters = profile->records + (size_t)header(profile, H_NUM_DATA) *
                                             record_offset(target, R_FIELDS);
  if (profile->counters > profile->size)
    fail(name, "ends within its records");
}

/* Where a pointer of record i leads to, from the delta of the header on. */
static uint64_t offset_of(const struct profile *profile, uint64_t i,
                          enum record_field field, enum header_field delta) {
  uint64_t offset = record(profile, i, field) - header(profile, delta);
  if (profile->target.version > 7)
    offset += i * record_offset(&profile->target, R_FIELDS);
  return profile->target.pointer == 4 ? (uint32_t)offset : offset;
}

/* Paddings of what has an odd size, and the last value kind. */
static bool is_of_version(enum header_field field) {
  return field == H_PAD_AFTER_COUNTERS || field == H_VALUE_KIND_LAST;
}

static void compare_headers(void) {
  bool same = a.target.version == b.target.version;
  for (unsigned field = 0; field < H_FIELDS; field++) {
    uint64_t one = header(&a, field), other = header(&b, field);
    if (field == H_VERSION)
      one &= ~(uint64_t)UINT32_MAX, other &= ~(uint64_t)UINT32_MAX;
    if (field != H_COUNTERS_DELTA && field != H_BITMAP_DELTA &&
        field != H_NAMES_DELTA && (same || !is_of_version(field)) &&
        one != other)
      differ("header field", field, one, other);
  }
}

static void compare_records(void) {
  for (uint64_t i = 0; i < header(&a, H_NUM_DATA); i++) {
    for (unsigned field = 0; field < R_FIELDS; field++)
      if (field != R_COUNTER_PTR && field != R_BITMAP_PTR &&
          field != R_FUNCTION_PTR &&
          record(&a, i, field) != record(&b, i, field))
        differ("record", i, record(&a, i, field), record(&b, i, field));
    uint64_t one = offset_of(&a, i, R_COUNTER_PTR, H_COUNTERS_DELTA);
    uint64_t other = offset_of(&b, i, R_COUNTER_PTR, H_COUNTERS_DELTA);
    if (one != other)
      differ("counters of record", i, one, other);
    if (!record(&a, i, R_NUM_BITMAP_BYTES))
      continue;
    one = offset_of(&a, i, R_BITMAP_PTR, H_BITMAP_DELTA);
    other = offset_of(&b, i, R_BITMAP_PTR, H_BITMAP_DELTA);
    if (one != other)
      differ("bitmap of record", i, one, other);
  }
}

/* The bytes of a piece of both, from the offsets on. */
static void compare_piece(const char *what, size_t one, size_t other,
                          size_t size) {
  if (size > a.size || one > a.size - size || size > b.size ||
      other > b.size - size)
    fail(what, "end early");
  if (memcmp(a.bytes + one, b.bytes + other, size))
    differ(what, 0, one, other);
}

static size_t counters_size(const struct profile *profile) {
  return (size_t)header(profile, H_NUM_COUNTERS) *
         (header(profile, H_VERSION) >> 60 & 1 ? 1 : 8);
}

static void compare_pieces(void) {
  size_t one = a.counters, other = b.counters;
  compare_piece("counters", one, other, counters_size(&a));
  one += counters_size(&a) + (size_t)header(&a, H_PAD_AFTER_COUNTERS);
  other += counters_size(&b) + (size_t)header(&b, H_PAD_AFTER_COUNTERS);
  compare_piece("bitmaps", one, other, (size_t)header(&a, H_NUM_BITMAP_BYTES));
  one +=
      (size_t)(header(&a, H_NUM_BITMAP_BYTES) + header(&a, H_PAD_AFTER_BITMAP));
  other +=
      (size_t)(header(&b, H_NUM_BITMAP_BYTES) + header(&b, H_PAD_AFTER_BITMAP));
  compare_piece("names", one, other, a.size - one);
  if (a.size - one != b.size - other)
    differ("sizes", 0, a.size, b.size);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  read_profile(&a, argv[1]);
  read_profile(&b, argv[2]);
  compare_headers();
  if (differences)
    return 1;
  if (!header(&a, H_NUM_DATA))
    fail(argv[1], "has no records");
  compare_records();
  compare_pieces();
  return differences != 0;
}
