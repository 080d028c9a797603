/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which records may share counters, in each raw version, width and byte order:
 * those of one function alone. Counted by hand.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "image.h"

enum { RECORDS = 0x8000, COUNTERS = 0x20000000, BITMAP = 0x30000000 };
enum { MANY = 80000, SLOW_SECONDS = 2 };

struct function {
  unsigned name, hash;
  unsigned first, count; /* counters */
  unsigned bits, bytes;  /* bitmap */
};

static struct record_format form;
static unsigned counter_size = 8;
static unsigned char *twins;

/* Whether the records are refused. */
static bool refused(const struct function *of, size_t count) {
  size_t size = form.layout->record_size;
  unsigned char *records = calloc(count, size);
  for (size_t i = 0; i < count; i++) {
    struct record record = {.name = of[i].name,
                            .hash = of[i].hash,
                            .counters = COUNTERS + counter_size * of[i].first,
                            .counter_count = of[i].count,
                            .bitmap = BITMAP + of[i].bits,
                            .bitmap_size = of[i].bytes,
                            .has_bitmap = of[i].bytes != 0};
    record_write(&form, records + i * size, RECORDS + i * size, &record);
  }
  const struct record_table claims = {
      form, {records, count * size}, RECORDS, COUNTERS, BITMAP, counter_size};
  free(twins);
  bool is = shared_counters_check_and_mark(&claims, &twins) != NULL;
  free(records);
  return is;
}

#define REFUSED(...)                                       \
  refused((const struct function[]){__VA_ARGS__},          \
          sizeof((const struct function[]){__VA_ARGS__}) / \
              sizeof(struct function))

static void test_orders(void) {
  expect(false,
         REFUSED({1, 5, 0, 2, 0, 0}, {2, 5, 2, 3, 0, 0}, {3, 5, 5, 1, 0, 0}));
  expect_true(!twins);
  expect(false,
         REFUSED({1, 5, 4, 2, 0, 0}, {2, 5, 1, 3, 0, 0}, {3, 5, 0, 1, 0, 0}));
  expect_true(!twins || !(twins[0] | twins[1] | twins[2]));
  /* Counters that no record has. */
  expect(false, REFUSED({1, 5, 9, 2, 0, 0}, {2, 5, 3, 1, 0, 0}));
}

static void test_twins(void) {
  expect(false,
         REFUSED({1, 5, 0, 2, 0, 0}, {2, 6, 2, 1, 0, 0}, {1, 5, 0, 2, 0, 0}));
  expect_true(twins && !twins[0] && !twins[1] && twins[2]);
  expect(false, REFUSED({2, 6, 3, 1, 0, 0}, {1, 5, 0, 2, 0, 0},
                        {1, 5, 0, 2, 0, 0}, {2, 6, 3, 1, 0, 0}));
  expect_true(twins && !twins[0] && !twins[1] && twins[2] && twins[3]);
  /* Of another function, of another shape, with other counters. */
  expect(true,
         REFUSED({1, 5, 0, 2, 0, 0}, {2, 6, 2, 1, 0, 0}, {3, 5, 0, 2, 0, 0}));
  expect(true,
         REFUSED({1, 5, 0, 2, 0, 0}, {2, 6, 2, 1, 0, 0}, {1, 7, 0, 2, 0, 0}));
  expect(true,
         REFUSED({1, 5, 0, 2, 0, 0}, {2, 6, 2, 1, 0, 0}, {1, 5, 0, 3, 0, 0}));
  expect(true,
         REFUSED({1, 5, 0, 2, 0, 0}, {2, 6, 2, 1, 0, 0}, {1, 5, 1, 2, 0, 0}));
  expect_true(!twins);
}

static void test_shared(void) {
  /* One counter of the next; of the last; one within another. */
  expect(true, REFUSED({1, 5, 0, 3, 0, 0}, {2, 5, 2, 3, 0, 0}));
  expect(true, REFUSED({1, 5, 2, 3, 0, 0}, {2, 5, 0, 3, 0, 0}));
  expect(true,
         REFUSED({1, 5, 0, 9, 0, 0}, {2, 5, 2, 1, 0, 0}, {3, 5, 5, 1, 0, 0}));
  /* All three those of the second: no sum tells. */
  expect(true,
         REFUSED({1, 5, 2, 2, 0, 0}, {2, 5, 2, 2, 0, 0}, {3, 5, 2, 2, 0, 0}));
  if (!form.layout->bitmap_at)
    return;
  expect(false,
         REFUSED({1, 5, 0, 2, 3, 2}, {2, 5, 2, 1, 0, 0}, {3, 5, 3, 1, 0, 3}));
  expect(true,
         REFUSED({1, 5, 0, 2, 3, 2}, {2, 5, 2, 1, 0, 0}, {3, 5, 3, 1, 0, 4}));
  expect(false, REFUSED({1, 5, 0, 2, 3, 2}, {1, 5, 0, 2, 3, 2}));
}

/* Each twice, the second time in the other order. */
static void test_many(void) {
  struct function *of = calloc(MANY, sizeof *of);
  for (unsigned i = 0; i < MANY; i++) {
    unsigned which = i < MANY / 2 ? i : MANY - 1 - i;
    of[i] = (struct function){.name = which, .first = 2 * which, .count = 2};
  }
  clock_t begun = clock();
  expect(false, refused(of, MANY));
  of[MANY / 3].first++;
  expect(true, refused(of, MANY));
  expect_true((clock() - begun) / CLOCKS_PER_SEC < SLOW_SECONDS);
  free(of);
}

static void each_form(void (*test)(void)) {
  for (unsigned which = 0; which < 4 * 5 * 2; which++) {
    form = record_format_of(7 + which % 5, which / 5 & 1, which / 10 & 1);
    counter_size = which / 20 ? 1 : 8;
    check_where("v%u, form %u", 7 + which % 5, which / 5);
    test();
  }
}

int main(void) {
  check_begin("records in any order of their counters");
  each_form(test_orders);
  check_end();
  check_begin("records of one function share its counters, others do not");
  each_form(test_twins);
  each_form(test_shared);
  check_end();
  check_begin("%u records of twins: in seconds", MANY);
  form = record_format_of(10, false, false);
  test_many();
  check_end();
  free(twins);
  return 0;
}
