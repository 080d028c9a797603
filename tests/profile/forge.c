/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes profiles that no compiler here makes, and prints their contents.
 *   forge raw VERSION POINTER BIG bytes|counts|uniform FILE
 *   forge indexed VERSION FILE [uniform]
 * write FILE, and to standard output the lines that print.c should print of
 * it. Raw 5 is raw 7 without the size of build ids. uniform: with what GPUs
 * count besides, in raw 11 and indexed 14.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"
#include "object/digest.h"
#include "compose.h"

static unsigned char bytes[1 << 16];
static size_t size;

static uint64_t name_of(const char *name) {
  return md5_low64(name, strlen(name));
}

/* ---- raw ---- */

static void put_value(struct firmware *to, unsigned slot, unsigned site,
                      uint64_t value, uint64_t count) {
  uint64_t owner = to->records_address + to->record_at[1];
  to->slots[slot] = (struct bareprof_value_slot){owner | BAREPROF_VALUE_OWNED |
                                                     BAREPROF_VALUE_FROZEN,
                                                 value, count, site, 0};
}

/* The second function, beta, has two sites of calls and one of vtables. */
static void put_values(struct firmware *to) {
  uint64_t gamma = to->records_address + to->record_at[2] + 0x400 * 3;
  put_value(to, 3, 0, gamma, 6);
  put_value(to, 4, 0, 0x1234, 5);
  put_value(to, 5, 1, gamma + 1, 4);
  put_value(to, 6, 2, 0x6000 + 39, 3); /* the vtable's last byte */
  put_value(to, 7, 2, 0x6000 + 40, 2);
  for (unsigned i = 0; i < 2 && to->target.version >= 10; i++) {
    size_t at = i * (to->target.pointer == 8 ? 24 : 16);
    store(&to->target, to->vtables + at, 8, i ? 78 : name_of("_ZTV2AB"));
  }
}

static void expect_raw(const struct plan *plan, unsigned version,
                       bool in_bytes) {
  puts("flag ir");
  if (in_bytes)
    puts("flag single_byte_coverage");
  for (unsigned i = 0; i < plan->functions; i++) {
    printf("function %s %llu", function_names[i],
           (unsigned long long)function_hash(i));
    for (unsigned j = 0; j < plan->function[i].counters; j++)
      printf(" %llu",
             (unsigned long long)(in_bytes ? !planned_count(plan, i, j)
                                           : planned_count(plan, i, j)));
    if (plan->function[i].bitmap && version >= 9)
      printf(" bitmap");
    for (unsigned j = 0; j < plan->function[i].bitmap && version >= 9; j++)
      printf(" %u", 0x51 + 16 * i + j);
    if (i == 1)
      printf(" site 0 ** External Symbol **:5 gamma:6 site 0 ** External "
             "Symbol **:4");
    for (unsigned j = 0; i != 1 && j < plan->function[i].sites[0]; j++)
      printf(" site 0");
    for (unsigned j = 0; j < plan->function[i].sites[1]; j++)
      printf(" site 1");
    if (i == 1 && version >= 10)
      printf(" site 2 ** External Symbol **:2 _ZTV2AB:3");
    puts("");
  }
  if (version >= 10)
    puts("vtable _ZTV2AB");
  if (version == 5)
    return;
  printf("id ");
  for (unsigned i = 0; i < plan->build_id; i++)
    printf("%02x", 0xA0 + i);
  puts("");
}

static uint64_t header_field(const struct target *target,
                             enum header_field field) {
  return load(target, bytes + header_offset(target, field), 8);
}

static void set_header(const struct target *target, enum header_field field,
                       uint64_t value) {
  store(target, bytes + header_offset(target, field), 8, value);
}

/* Takes the size of build ids, and them, out of the header of raw 7. */
static void make_5(const struct target *target, size_t ids) {
  store(target, bytes + 8, 8, load(target, bytes + 8, 8) - 2);
  memmove(bytes + 16, bytes + 24, 64);
  memmove(bytes + 80, bytes + 88 + ids, size - 88 - ids);
  size -= 8 + ids;
}

/* Puts uniform counters after the bitmap, one for each counter, and 8 bytes of
 * padding after them. */
static void make_uniform(const struct target *target) {
  enum { ADDRESS = 0x9000, PADDING = 8 };
  size_t record = header_offset(target, H_FIELDS), at = record;
  uint64_t count = header_field(target, H_NUM_COUNTERS);
  uint64_t records = header_field(target, H_NUM_DATA);
  record += header_field(target, H_BINARY_IDS_SIZE);
  at = record + records * record_offset(target, R_FIELDS) +
       header_field(target, H_PAD_BEFORE_COUNTERS) + count * 8 +
       header_field(target, H_PAD_AFTER_COUNTERS) +
       header_field(target, H_NUM_BITMAP_BYTES) +
       header_field(target, H_PAD_AFTER_BITMAP);
  size_t more = count * 8 + PADDING;
  memmove(bytes + at + more, bytes + at, size - at);
  memset(bytes + at, 0x77, more);
  size += more;
  set_header(target, H_NUM_UNIFORM, count);
  set_header(target, H_PAD_AFTER_UNIFORM, PADDING);
  set_header(target, H_UNIFORM_DELTA, ADDRESS);
  for (uint64_t i = 0; i < records; i++) {
    size_t from = record + i * record_offset(target, R_FIELDS);
    store(target, bytes + from + record_offset(target, R_UNIFORM_PTR),
          target->pointer, ADDRESS - i * record_offset(target, R_FIELDS));
  }
}

static bool forge_raw(char **argv) {
  static struct firmware firmware;
  static struct capture capture;
  unsigned version = (unsigned)atoi(argv[0]);
  bool in_bytes = !strcmp(argv[3], "bytes");
  const struct plan *plan = in_bytes ? &everything_bytes : &everything;
  const struct target target = {version == 5 ? 7 : version,
                                (unsigned)atoi(argv[1]),
                                (unsigned)atoi(argv[2])};
  compose(&firmware, &target, plan);
  put_values(&firmware);
  if (capture_image(&capture, &firmware.image))
    return false;
  size = capture.size;
  memcpy(bytes, capture.bytes, size);
  if (version == 5)
    make_5(&target, (size_t)load(&target, bytes + 16, 8));
  if (!strcmp(argv[3], "uniform"))
    make_uniform(&target);
  expect_raw(plan, version, in_bytes);
  return true;
}

/* ---- indexed ---- */

static bool uniform; /* Records of beta have uniformity bits. */

static void put(uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; i++)
    bytes[size++] = (unsigned char)(value >> 8 * i);
}

static void set(size_t at, uint64_t value) {
  size_t end = size;
  size = at;
  put(value, 8);
  size = end;
}

/* Zeros up to a multiple of 8 from there. */
static void pad(size_t begin) {
  while ((size - begin) % 8)
    bytes[size++] = 0;
}

static void put_site_values(unsigned version) {
  size_t begin = size;
  put(0, 4);
  put(version >= 12 ? 3 : 2, 4);
  put(0, 4);
  put(2, 4);
  put(2, 1);
  put(0, 1);
  pad(begin);
  put(name_of("alpha"), 8);
  put(4, 8);
  put(0, 8);
  put(2, 8);
  put(1, 4);
  put(1, 4);
  put(1, 1);
  pad(begin);
  put(8, 8);
  put(3, 8);
  if (version >= 12) {
    put(2, 4);
    put(1, 4);
    put(1, 1);
    pad(begin);
    put(name_of("_ZTV2AB"), 8);
    put(6, 8);
  }
  size_t end = size;
  size = begin;
  put(end - begin, 4);
  size = end;
}

static void put_record(unsigned version, uint64_t hash, unsigned counters,
                       bool more) {
  put(hash, 8);
  if (version > 1)
    put(counters, 8);
  for (unsigned i = 0; i < counters; i++)
    put(hash * 10 + i, 8);
  if (version >= 11) {
    unsigned width = version < 14 ? 8 : 1;
    put(more ? 2 : 0, 8);
    if (more)
      put(3, width), put(255, width), put(0, version < 14 ? 0 : 6);
  }
  if (version >= 14) {
    put(uniform && more ? 1 : 0, 8);
    if (uniform && more)
      put(7, 8);
  }
  if (version >= 3 && more)
    put_site_values(version);
  else if (version >= 3)
    put(8, 8);
}

static void put_function(unsigned version, const char *name, bool more) {
  put(name_of(name), 8);
  put(strlen(name), 8);
  size_t length = size;
  put(0, 8);
  memcpy(bytes + size, name, strlen(name));
  size += strlen(name);
  size_t begin = size;
  put_record(version, more ? 21 : 11, 3, more);
  if (version > 1 && !more)
    put_record(version, 12, 1, false);
  set(length, size - begin);
}

static void put_table(unsigned version) {
  static const char *const names[] = {"alpha", "beta"};
  uint64_t offsets[4] = {0};
  if (version >= 4) {
    put(6, 8);
    put(1, 8);
    for (unsigned i = 0; i < 6; i++)
      put(100 + i, 8);
    put(10000, 8);
    put(7, 8);
    put(1, 8);
  }
  for (unsigned i = 0; i < 4; i++)
    for (unsigned j = 0; j < 2; j++)
      if ((name_of(names[j]) & 3) == i) {
        if (!offsets[i])
          offsets[i] = size, put(0, 2);
        bytes[offsets[i]]++;
        put_function(version, names[j], j == 1);
      }
  pad(0);
  set(32, size);
  put(4, 8);
  put(2, 8);
  for (unsigned i = 0; i < 4; i++)
    put(offsets[i], 8);
}

static void put_rest(unsigned version) {
  if (version >= 9) {
    set(48, size);
    put(24, 8);
    put(13, 8);
    for (unsigned i = 0; i < 13; i++)
      put(0xA0 + i, 1);
    pad(0);
  }
  if (version >= 12) {
    set(64, size);
    put(9, 8);
    memcpy(bytes + size, "\7\0_ZTV2AB", 9);
    size += 9;
    pad(0);
  }
  if (version >= 10) {
    set(56, size);
    put(2, 8);
    put(2, 8);
    for (unsigned i = 0; i < 2; i++) {
      put(i + 1, 8);
      put(2, 8);
      put(name_of(i ? "alpha" : "beta"), 8);
      put(name_of(i ? "beta" : "alpha"), 8);
    }
  }
}

static void forge_indexed(unsigned version) {
  uint64_t variant = UINT64_C(1) << 56 | (uint64_t)(version >= 10) << 63;
  memcpy(bytes, "\377lprofi\201", 8);
  size = 8;
  put(version | variant, 8);
  size = version < 8    ? 40
         : version < 9  ? 48
         : version < 10 ? 56
         : version < 12 ? 64
                        : 72;
  put_table(version);
  put_rest(version);
  puts("flag ir");
  if (version >= 10)
    puts("flag temporal_prof_traces\nruns 2\ntrace 1 beta,alpha,\n"
         "trace 2 alpha,beta,");
  puts("function alpha 11 110 111 112");
  if (version > 1)
    puts("function alpha 12 120");
  printf("function beta 21 210 211 212");
  if (version >= 11)
    printf(" bitmap 3 255");
  if (version >= 3)
    printf(" site 0 ** External Symbol **:2 alpha:4 site 0 site 1 8:3");
  if (version >= 12)
    printf(" site 2 _ZTV2AB:6");
  puts(version >= 12 ? "\nvtable _ZTV2AB" : "");
  if (version >= 9)
    puts("id a0a1a2a3a4a5a6a7a8a9aaabac");
}

int main(int argc, char **argv) {
  bool made = false;
  if (argc == 7 && !strcmp(argv[1], "raw"))
    made = forge_raw(argv + 2);
  uniform = argc == 5 && !strcmp(argv[4], "uniform");
  if ((argc == 4 || uniform) && !strcmp(argv[1], "indexed"))
    forge_indexed((unsigned)atoi(argv[2])), made = true;
  FILE *file = made ? fopen(argv[argc - 1 - uniform], "wb") : NULL;
  return !file || fwrite(bytes, 1, size, file) != size || fclose(file);
}
