/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every version, width and byte order: the profile of a small firmware, read
 * back by a reader of this file's own, which goes by the header's numbers as
 * LLVM's does. Also leaves the files that the script gives to llvm-profdata.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "compose.h"
#include "tests.h"

static struct firmware firmware;
static struct capture out;
static size_t cursor;

static uint64_t header(enum header_field field) {
  size_t at = header_offset(&firmware.target, field);
  return at == NOWHERE ? 0 : load(&firmware.target, out.bytes + at, 8);
}

static void check_bytes(const void *bytes, size_t size) {
  if (expect_true(cursor + size <= out.size))
    expect(0, memcmp(out.bytes + cursor, bytes, size));
  cursor += size;
}

static void check_zeros(uint64_t size) {
  for (expect_true(size < 8); size; size--, cursor++)
    expect(0, out.bytes[cursor]);
}

/* What is there in all versions, and what must follow from the plan. */
static void check_header(const struct plan *plan) {
  const struct target *target = &firmware.target;
  size_t last = plan->functions;
  size_t counters = firmware.counters_at[last];
  uint64_t mask = target->pointer == 8 ? UINT64_MAX : UINT32_MAX;
  uint64_t base = target->version == 7 ? 0 : firmware.records_address;
  bool bytes = (plan->mode & BYTES) != 0;

  expect(target->pointer == 8 ? UINT64_C(0xff6c70726f667281)
                              : UINT64_C(0xff6c70726f665281),
         header(H_MAGIC));
  expect(firmware.word, header(H_VERSION));
  expect(plan->build_id ? 8 + (plan->build_id + 7) / 8 * 8 : 0,
         header(H_BINARY_IDS_SIZE));
  expect(last, header(H_NUM_DATA));
  expect(0, header(H_PAD_BEFORE_COUNTERS));
  expect(bytes ? counters : counters / 8, header(H_NUM_COUNTERS));
  expect(target->version < 9 ? 0 : (8 - counters % 8) % 8,
         header(H_PAD_AFTER_COUNTERS));
  expect(firmware.bitmap_at[last], header(H_NUM_BITMAP_BYTES));
  if (target->version >= 9)
    expect((8 - firmware.bitmap_at[last] % 8) % 8, header(H_PAD_AFTER_BITMAP));
  expect(0, header(H_NUM_UNIFORM));
  expect(0, header(H_PAD_AFTER_UNIFORM));
  expect(0, header(H_UNIFORM_DELTA));
  expect((firmware.counters_address - base) & mask, header(H_COUNTERS_DELTA));
  if (target->version >= 9 && firmware.bitmap_at[last])
    expect((firmware.bitmap_address - base) & mask, header(H_BITMAP_DELTA));
  expect(firmware.names_address, header(H_NAMES_DELTA));
  expect(target->version >= 10 ? plan->vtables : 0, header(H_NUM_VTABLES));
  expect(target->version >= 10 && plan->vtables ? 9 : 0, header(H_VNAMES_SIZE));
  expect(target->version >= 10 ? 2 : 1, header(H_VALUE_KIND_LAST));
}

static void check_build_id(unsigned size) {
  if (!size)
    return;
  expect(size, load(&firmware.target, out.bytes + cursor, 8));
  cursor += 8;
  check_bytes(firmware.build_id + 16, size);
  check_zeros((8 - size % 8) % 8);
}

/* The reader's way from a record to its counters: the delta shrinks by the
 * size of a record each time, but in version 7. */
static void check_records(const struct plan *plan) {
  const struct target *target = &firmware.target;
  size_t size = record_offset(target, R_FIELDS);
  uint64_t mask = target->pointer == 8 ? UINT64_MAX : UINT32_MAX;
  uint64_t step = target->version == 7 ? 0 : size;
  for (unsigned i = 0; i < plan->functions; i++) {
    const unsigned char *at = out.bytes + cursor + i * size;
    uint64_t pointer = load(target, at + record_offset(target, R_COUNTER_PTR),
                            target->pointer);
    expect(firmware.counters_at[i],
           (pointer - header(H_COUNTERS_DELTA) + i * step) & mask);
    expect(function_hash(i), load(target, at + 8, 8));
    expect(plan->function[i].counters,
           load(target, at + record_offset(target, R_NUM_COUNTERS), 4));
    if (target->version < 9 || !plan->function[i].bitmap)
      continue;
    pointer =
        load(target, at + record_offset(target, R_BITMAP_PTR), target->pointer);
    bool outcomes = (plan->mode & OUTCOMES) != 0;
    uint64_t delta = header(outcomes ? H_COUNTERS_DELTA : H_BITMAP_DELTA);
    expect(outcomes ? firmware.counters_at[i] : firmware.bitmap_at[i],
           (pointer - delta + i * step) & mask);
    expect(plan->function[i].bitmap,
           load(target, at + record_offset(target, R_NUM_BITMAP_BYTES), 4));
  }
  check_bytes(firmware.records, size * plan->functions);
}

static uint64_t next32(void) {
  uint64_t value = load(&firmware.target, out.bytes + cursor, 4);
  cursor += 4;
  return value;
}

/* ValueProfData: for each record that has sites its size, its kinds, and a
 * count of values for each site: none. */
static void check_values(const struct plan *plan) {
  unsigned kinds = firmware.target.version >= 10 ? 3 : 2;
  for (unsigned i = 0; i < plan->functions; i++) {
    unsigned used = 0, size = 8;
    for (unsigned kind = 0; kind < kinds; kind++) {
      unsigned sites = plan->function[i].sites[kind];
      used += sites != 0;
      size += sites ? 8 + (sites + 7) / 8 * 8 : 0;
    }
    if (!used)
      continue;
    expect(size, next32());
    expect(used, next32());
    for (unsigned kind = 0; kind < kinds; kind++) {
      unsigned sites = plan->function[i].sites[kind];
      if (!sites)
        continue;
      expect(kind, next32());
      expect(sites, next32());
      for (unsigned site = 0; site < (sites + 7) / 8 * 8; site++)
        expect(0, out.bytes[cursor++]);
    }
  }
}

static void check_profile(const struct plan *plan) {
  size_t last = plan->functions;
  cursor = header_offset(&firmware.target, H_FIELDS);
  if (!expect_true(out.size >= cursor && !out.null_or_empty))
    return;
  check_header(plan);
  check_build_id(plan->build_id);
  check_records(plan);
  check_bytes(firmware.counters, firmware.counters_at[last]);
  check_zeros(header(H_PAD_AFTER_COUNTERS));
  check_bytes(firmware.bitmap, firmware.bitmap_at[last]);
  check_zeros(header(H_PAD_AFTER_BITMAP));
  uint64_t names = header(H_NAMES_SIZE);
  expect(size_of(&firmware.image.names), names);
  check_bytes(firmware.names, names);
  check_zeros((8 - names % 8) % 8);
  check_bytes(firmware.vtables,
              (firmware.target.pointer == 8 ? 24 : 16) * header(H_NUM_VTABLES));
  check_bytes(firmware.vtable_names, header(H_VNAMES_SIZE));
  check_zeros((8 - header(H_VNAMES_SIZE) % 8) % 8);
  check_values(plan);
  expect(out.size, cursor);
}

/* A line a function, as the script boils llvm-profdata's text down to. */
static void print_expected(FILE *file, const struct plan *plan) {
  for (unsigned i = 0; i < plan->functions; i++) {
    fprintf(file, "%s %llu %u", function_names[i],
            (unsigned long long)function_hash(i), plan->function[i].counters);
    for (unsigned j = 0; j < plan->function[i].counters; j++) {
      uint64_t count = planned_count(plan, i, j);
      if (plan->mode & BYTES)
        count = count == 0;
      fprintf(file, " %llu", (unsigned long long)count);
    }
    if (firmware.target.version >= 9 && plan->function[i].bitmap) {
      fprintf(file, " $%u", plan->function[i].bitmap);
      for (unsigned j = 0; j < plan->function[i].bitmap; j++)
        fprintf(file, " %#x", firmware.bitmap[firmware.bitmap_at[i] + j]);
    }
    fputc('\n', file);
  }
}

/* folder/v10-64-0-3.profraw and .txt, where 3 is the plan. */
static void save(const char *folder, const struct plan *plan) {
  const struct target *target = &firmware.target;
  char path[300];
  snprintf(path, sizeof path, "%s/v%u-%u-%u-%u.profraw", folder,
           target->version, 8 * target->pointer, target->big,
           (unsigned)(plan - plans));
  FILE *file = fopen(path, "wb");
  if (!expect_true(file))
    return;
  fwrite(out.bytes, 1, out.size, file);
  fclose(file);
  strcpy(strrchr(path, '.'), ".txt");
  file = fopen(path, "w");
  if (!expect_true(file))
    return;
  print_expected(file, plan);
  fclose(file);
}

void test_table(const char *folder) {
  for (unsigned version = 7; version <= 11; version++) {
    for (unsigned machine = 0; machine < machine_count; machine++) {
      struct target target = machines[machine];
      target.version = version;
      check_begin("%s %s: header, records, pieces, padding%s", flavour_name,
                  target_name(&target),
                  version == 9 || version == 11
                      ? ", field by field (no tool here reads it)"
                      : "");
      for (unsigned i = 0; i < plan_count; i++) {
        if (plans[i].since > version)
          continue;
        check_where("%s", plans[i].name);
        compose(&firmware, &target, &plans[i]);
        expect(0, capture_image(&out, &firmware.image));
        check_profile(&plans[i]);
        /* Only the host tool reads these. */
        if (folder && !(plans[i].mode & OUTCOMES))
          save(folder, &plans[i]);
      }
      check_end();
    }
  }
}
