/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The field tables, and offsets from them.
 */
#include "format.h"

#include <stdio.h>
#include <string.h>

struct field {
  const char *name;
  unsigned since;
  unsigned width; /* 0: a pointer */
};

static const struct field header_fields[H_FIELDS] = {
    [H_MAGIC] = {"Magic", 7, 8},
    [H_VERSION] = {"Version", 7, 8},
    [H_BINARY_IDS_SIZE] = {"BinaryIdsSize", 7, 8},
    [H_NUM_DATA] = {"NumData", 7, 8},
    [H_PAD_BEFORE_COUNTERS] = {"PaddingBytesBeforeCounters", 7, 8},
    [H_NUM_COUNTERS] = {"NumCounters", 7, 8},
    [H_PAD_AFTER_COUNTERS] = {"PaddingBytesAfterCounters", 7, 8},
    [H_NUM_BITMAP_BYTES] = {"NumBitmapBytes", 9, 8},
    [H_PAD_AFTER_BITMAP] = {"PaddingBytesAfterBitmapBytes", 9, 8},
    [H_NUM_UNIFORM] = {"NumUniformCounters", 11, 8},
    [H_PAD_AFTER_UNIFORM] = {"PaddingBytesAfterUniformCounters", 11, 8},
    [H_UNIFORM_DELTA] = {"UniformCountersDelta", 11, 8},
    [H_NAMES_SIZE] = {"NamesSize", 7, 8},
    [H_COUNTERS_DELTA] = {"CountersDelta", 7, 8},
    [H_BITMAP_DELTA] = {"BitmapDelta", 9, 8},
    [H_NAMES_DELTA] = {"NamesDelta", 7, 8},
    [H_NUM_VTABLES] = {"NumVTables", 10, 8},
    [H_VNAMES_SIZE] = {"VNamesSize", 10, 8},
    [H_VALUE_KIND_LAST] = {"ValueKindLast", 7, 8},
};

static const struct field record_fields[R_FIELDS] = {
    [R_NAME_REF] = {"NameRef", 7, 8},
    [R_FUNC_HASH] = {"FuncHash", 7, 8},
    [R_COUNTER_PTR] = {"CounterPtr", 7, 0},
    [R_UNIFORM_PTR] = {"UniformCounterPtr", 11, 0},
    [R_BITMAP_PTR] = {"BitmapPtr", 9, 0},
    [R_FUNCTION_PTR] = {"FunctionPointer", 7, 0},
    [R_VALUES] = {"Values", 7, 0},
    [R_NUM_COUNTERS] = {"NumCounters", 7, 4},
    [R_SITES_0] = {"NumValueSites[0]", 7, 2},
    [R_SITES_1] = {"NumValueSites[1]", 7, 2},
    [R_SITES_2] = {"NumValueSites[2]", 10, 2},
    [R_WAVE_SIZE] = {"OffloadDeviceWaveSize", 11, 2},
    [R_NUM_BITMAP_BYTES] = {"NumBitmapBytes", 9, 4},
};

/* A C struct of u64, pointers, u32 and u16: each field at a multiple of its
 * own size, the whole a multiple of 8. */
static size_t offset(const struct target *target, const struct field *fields,
                     unsigned count, unsigned wanted) {
  size_t at = 0;
  if (wanted < count && fields[wanted].since > target->version)
    return NOWHERE;
  for (unsigned i = 0; i < count; i++) {
    if (fields[i].since > target->version)
      continue;
    size_t width = fields[i].width ? fields[i].width : target->pointer;
    at = (at + width - 1) / width * width;
    if (i == wanted)
      return at;
    at += width;
  }
  return (at + 7) / 8 * 8;
}

size_t header_offset(const struct target *target, enum header_field field) {
  return offset(target, header_fields, H_FIELDS, field);
}

size_t record_offset(const struct target *target, enum record_field field) {
  return offset(target, record_fields, R_FIELDS, field);
}

unsigned record_width(const struct target *target, enum record_field field) {
  unsigned width = record_fields[field].width;
  return width ? width : target->pointer;
}

const char *target_name(const struct target *target) {
  static char name[32];
  snprintf(name, sizeof name, "v%u %u-bit %s", target->version,
           8 * target->pointer, target->big ? "BE" : "LE");
  return name;
}

uint64_t load(const struct target *target, const unsigned char *at,
              unsigned size) {
  uint64_t value = 0;
  for (unsigned i = 0; i < size; i++)
    value = value << 8 | at[target->big ? i : size - 1 - i];
  return value;
}

void store(const struct target *target, unsigned char *at, unsigned size,
           uint64_t value) {
  for (unsigned i = 0; i < size; i++)
    at[target->big ? size - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

/* The array of sites as inc.c prints it: by its end. */
static void print(const struct target *target, const struct field *fields,
                  unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    size_t at = offset(target, fields, count, i);
    if (at == NOWHERE)
      continue;
    if (strncmp(fields[i].name, "NumValueSites", 13))
      printf("%s %zu\n", fields[i].name, at);
    else if (fields[i].name[14] == (target->version >= 10 ? '2' : '1'))
      printf("NumValueSites[IPVK_Last+1] %zu\n", at + 2);
  }
  printf("size %zu\n", offset(target, fields, count, count));
}

void format_print(const struct target *target) {
  printf("raw %u, %u-bit\n", target->version, 8 * target->pointer);
  print(target, header_fields, H_FIELDS);
  print(target, record_fields, R_FIELDS);
}
