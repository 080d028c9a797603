/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Records that claim the same counters, as those of a weak function that
 * several objects define, and records in LTO's order; few of them, and very
 * many. Whether they are of one function is for the host to see:
 * tests/tools/claims.c.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "compose.h"
#include "tests.h"

enum { MANY = 65536, PAIRS = 1 << 17, SLOW_SECONDS = 10 };

/* Of each function how many counters its own object has for it, whose counters
 * its record claims, and how many of its own the linker has dropped. */
struct function {
  unsigned counters, claims, dropped;
};

static struct {
  uint64_t word;
  unsigned char *records, *counters;
  unsigned char names[8] __attribute__((aligned(8)));
  struct bareprof_image image;
} linked;

static void span(struct bareprof_span *piece, unsigned char *begin, size_t size,
                 uint64_t address) {
  piece->begin = begin;
  piece->end = begin + size;
#ifdef BAREPROF_FOREIGN
  piece->address = address;
#else
  (void)address;
#endif
}

static void put(const struct target *target, unsigned function,
                enum record_field field, uint64_t value) {
  size_t size = record_offset(target, R_FIELDS);
  store(target, linked.records + function * size + record_offset(target, field),
        record_width(target, field), value);
}

/* Makes an image of these functions: order[i] is whose counters lie in place i;
 * NULL: in the functions' order. */
static void link_up(const struct target *target,
                    const struct function *functions, unsigned count,
                    const unsigned *order) {
  size_t size = record_offset(target, R_FIELDS), room = 0;
  uint64_t *at = calloc(count, sizeof *at);
  for (unsigned i = 0; i < count; i++) {
    unsigned function = order ? order[i] : i;
    at[function] = room;
    room += 8 * (functions[function].counters - functions[function].dropped);
  }
  linked.records = calloc(count, size);
  linked.counters = calloc(room, 1);
  linked.word = target->version;
  struct bareprof_image *image = &linked.image;
  memset(image, 0, sizeof *image);
  image->version = &linked.word;
  span(&image->records, linked.records, count * size, 0x8000);
  span(&image->counters, linked.counters, room, 0x20000000);
  span(&image->names, linked.names, sizeof linked.names, 0x4000);
  uint64_t records = (uintptr_t)linked.records;
  uint64_t counters = (uintptr_t)linked.counters;
#ifdef BAREPROF_FOREIGN
  image->pointer_size = (uint8_t)target->pointer;
  image->big_endian = (uint8_t)target->big;
  records = image->records.address, counters = image->counters.address;
#endif
  for (unsigned i = 0; i < count; i++) {
    uint64_t pointer = counters + at[functions[i].claims];
    if (target->version > 7)
      pointer -= records + i * size;
    put(target, i, R_COUNTER_PTR, pointer);
    put(target, i, R_NUM_COUNTERS, functions[i].counters);
  }
  free(at);
}

static void unlink_all(void) { free(linked.records), free(linked.counters); }

/* The error of such an image. */
static int check_linked(const struct target *target,
                        const struct function *functions, unsigned count,
                        const unsigned *order) {
  link_up(target, functions, count, order);
  int error = bareprof_status_image(&linked.image);
  unlink_all();
  return error;
}

static void test_few(const struct target *target) {
  struct function of[] = {{2, 0, 0}, {3, 1, 0}, {3, 1, 0},
                          {1, 3, 0}, {2, 0, 0}, {3, 1, 0}};
  const unsigned count = sizeof of / sizeof *of;
  static const unsigned mixed[] = {5, 4, 3, 2, 1, 0};
  check_where("%s, three twins", target_name(target));
  expect(0, check_linked(target, of, count, NULL));
  check_where("%s, two in the other order", target_name(target));
  expect(0, check_linked(target, of, 2, mixed + 4));
  check_where("%s, one of a later one", target_name(target));
  of[0].claims = 4;
  expect(0, check_linked(target, of, count, NULL));
  check_where("%s, twins in the other order", target_name(target));
  expect(0, check_linked(target, of, count, mixed));
  check_where("%s, twins without counters", target_name(target));
  of[0].claims = 0;
  of[2].dropped = 3, of[4].dropped = 2, of[5].dropped = 3;
  expect(0, check_linked(target, of, count, NULL));
  expect(0, check_linked(target, of, count, mixed));
  check_where("%s, a counter that no record has", target_name(target));
  for (unsigned i = 0; i < count; i++)
    of[i] = (struct function){2, i, 0};
  of[3].dropped = (unsigned)-1;
  expect(BAREPROF_E_RECORD, check_linked(target, of, count, NULL));
}

/* A check of each record against all others would take minutes. */
static void test_many(const struct target *target) {
  struct function *of = calloc(MANY, sizeof *of);
  unsigned *order = calloc(MANY, sizeof *order);
  for (unsigned i = 0; i < MANY; i++) {
    of[i] = (struct function){1 + i % 3, i, 0};
    order[i] = i * 7919 % MANY;
  }
  clock_t begun = clock();
  check_where("%s, %u records in LTO's order", target_name(target), MANY);
  expect(0, check_linked(target, of, MANY, order));
  expect_true((clock() - begun) / CLOCKS_PER_SEC < SLOW_SECONDS);
  free(of), free(order);
}

#ifndef BAREPROF_FOREIGN
/* Functions with a timestamp and a count of 3: once where two records have the
 * same. */
static void merge_pairs(void) {
  uint64_t *counts = (uint64_t *)(void *)linked.counters;
  linked.word |= UINT64_C(1) << 63;
  for (unsigned i = 0; i < PAIRS; i++)
    counts[2 * i] = i + 1, counts[2 * i + 1] = 3;
  size_t room = size_of(&linked.image.records) +
                size_of(&linked.image.counters) + 1000;
  unsigned char *bytes = malloc(room);
  struct bareprof_memory memory = {bytes, bytes + room};
  const struct bareprof_sink sink = {bareprof_memory_write, &memory};
  expect(0, bareprof_write_image(&linked.image, &sink));
  expect(0, bareprof_merge_image(&linked.image, bytes,
                                 (size_t)(memory.next - bytes)));
  for (unsigned i = 0; i < PAIRS; i++) {
    expect(i + 1, counts[2 * i]);
    expect(6, counts[2 * i + 1]);
  }
  free(bytes);
}
#endif

/* Two objects that define the same weak functions, the second one in the other
 * order: a search for each would take minutes. */
static void test_pairs(const struct target *target) {
  struct function *of = calloc(2 * PAIRS, sizeof *of);
  for (unsigned i = 0; i < 2 * PAIRS; i++)
    of[i] = (struct function){2, i < PAIRS ? i : 2 * PAIRS - 1 - i, 0};
  clock_t begun = clock();
  check_where("%s, %u pairs", target_name(target), PAIRS);
  link_up(target, of, 2 * PAIRS, NULL);
  expect(0, bareprof_status_image(&linked.image));
#ifndef BAREPROF_FOREIGN
  merge_pairs();
#endif
  unlink_all();
  expect_true((clock() - begun) / CLOCKS_PER_SEC < SLOW_SECONDS);
  free(of);
}

void test_twins(void) {
  check_begin("%s weak twins, in any order, with counters or without",
              flavour_name);
  for (unsigned machine = 0; machine < machine_count; machine++)
    for (unsigned version = 7; version <= 11; version++) {
      struct target target = machines[machine];
      target.version = version;
      test_few(&target);
    }
  check_end();
  check_begin("%s %u records in LTO's order: in seconds", flavour_name, MANY);
  for (unsigned machine = 0; machine < machine_count; machine++) {
    struct target target = machines[machine];
    target.version = 10;
    test_many(&target);
  }
  check_end();
  check_begin("%s %u weak twins: in seconds", flavour_name, PAIRS);
  for (unsigned machine = 0; machine < machine_count; machine++) {
    struct target target = machines[machine];
    target.version = 10;
    test_pairs(&target);
  }
  check_end();
}
