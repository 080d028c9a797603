/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Records that claim the same counters, as those of a weak function that
 * several objects define, and records in LTO's order; few of them, and very
 * many.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "compose.h"
#include "tests.h"

enum { MANY = 65536, SLOW_SECONDS = 10 };

/* Of each function how many counters its own object has for it, whose
 * counters its record claims, and the hash of its shape. */
struct function {
  unsigned counters, claims, shape;
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

/* The error of an image of these functions: order[i] is whose counters lie in
 * place i; NULL: in the functions' order. */
static int check_linked(const struct target *target,
                        const struct function *functions, unsigned count,
                        const unsigned *order) {
  size_t size = record_offset(target, R_FIELDS), room = 0;
  uint64_t *at = calloc(count, sizeof *at);
  for (unsigned i = 0; i < count; i++) {
    unsigned function = order ? order[i] : i;
    at[function] = room;
    room += 8 * functions[function].counters;
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
    put(target, i, R_FUNC_HASH, functions[i].shape);
    put(target, i, R_NUM_COUNTERS, functions[i].counters);
  }
  int error = bareprof_status_image(image);
  free(linked.records), free(linked.counters), free(at);
  return error;
}

static void test_few(const struct target *target) {
  struct function of[] = {{2, 0, 5}, {3, 1, 6}, {3, 1, 6},
                          {1, 3, 6}, {2, 0, 5}, {3, 1, 6}};
  const unsigned count = sizeof of / sizeof *of;
  static const unsigned mixed[] = {5, 4, 3, 2, 1, 0};
  check_where("%s, three twins", target_name(target));
  expect(0, check_linked(target, of, count, NULL));
  check_where("%s, two in the other order", target_name(target));
  expect(0, check_linked(target, of, 2, mixed + 4));
  check_where("%s, a twin of another shape", target_name(target));
  of[4].shape = 7;
  expect(BAREPROF_E_RECORD, check_linked(target, of, count, NULL));
  of[4].shape = 5;
  check_where("%s, one of a later one", target_name(target));
  of[0].claims = 4;
  expect(BAREPROF_E_RECORD, check_linked(target, of, count, NULL));
}

/* A check of each record against all others would take minutes. */
static void test_many(const struct target *target) {
  struct function *of = calloc(MANY, sizeof *of);
  unsigned *order = calloc(MANY, sizeof *order);
  for (unsigned i = 0; i < MANY; i++) {
    of[i] = (struct function){1 + i % 3, i, i % 7};
    order[i] = i * 7919 % MANY;
  }
  clock_t begun = clock();
  check_where("%s, %u records in LTO's order", target_name(target), MANY);
  expect(0, check_linked(target, of, MANY, order));
  check_where("%s, one of %u twice", target_name(target), MANY);
  of[MANY / 2].claims = MANY / 3;
  expect(BAREPROF_E_RECORD, check_linked(target, of, MANY, order));
  expect_true((clock() - begun) / CLOCKS_PER_SEC < SLOW_SECONDS);
  free(of), free(order);
}

void test_twins(void) {
  check_begin("%s weak twins, and none that only look so", flavour_name);
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
}
