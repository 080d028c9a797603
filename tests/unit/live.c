/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What changes an image: reset and merge, on images of this machine, and the
 * sink into memory. All that must not change is compared as a whole: the
 * firmware struct with its arrays.
 */
#include <string.h>

#include "check.h"
#include "compose.h"
#include "tests.h"

static struct firmware firmware, before;
static struct capture profile;
/* The profile at any alignment, its end at the end of the array. */
static unsigned char buffer[sizeof profile.bytes + 8];

static const struct plan *const all_plans[] = {&everything, &everything_bytes};
enum { PLANS = 2 };

/* Firmware of a version, and its profile. The image points into firmware,
 * so before is a copy of the bytes, not an image. */
static void prepare(unsigned version, const struct plan *plan) {
  const struct target target = {version, sizeof(void *), 0};
  check_where("%s, %s", target_name(&target), plan->name);
  compose(&firmware, &target, plan);
  expect(0, capture_image(&profile, &firmware.image));
  memcpy(&before, &firmware, sizeof before);
}

static int merge(size_t size) {
  return bareprof_merge_image(&firmware.image, profile.bytes, size);
}

static bool unchanged(void) {
  return !memcmp(&before, &firmware, sizeof before);
}

static size_t live_begin(void) {
  size_t ids = (size_t)load(&firmware.target, profile.bytes + 16, 8);
  return header_offset(&firmware.target, H_FIELDS) + ids +
         size_of(&firmware.image.records);
}

static size_t padded(size_t size) { return (size + 7) / 8 * 8; }

static size_t counters_in_file(void) {
  size_t size = size_of(&firmware.image.counters);
  return firmware.target.version < 9 ? size : padded(size);
}

static size_t values_begin(void) {
  const struct bareprof_image *image = &firmware.image;
  return live_begin() + counters_in_file() + padded(size_of(&image->bitmap)) +
         padded(size_of(&image->names)) + padded(size_of(&image->vtables)) +
         padded(size_of(&image->vtable_names));
}

/* With a guard the last word is filled up to a multiple of 8. */
static void expect_filled(unsigned char *bytes, const struct bareprof_span *at,
                          unsigned char value, bool round_up) {
  size_t size = round_up ? padded(size_of(at)) : size_of(at);
  for (size_t i = 0; i < size; i++)
    expect(value, bytes[i]);
  /* Put back, so that the whole can be compared afterwards. */
  memset(bytes, 0x5A, size);
}

static void reset_once(const struct plan *plan, bool guard) {
  struct bareprof_image *image = &firmware.image;
  memset(firmware.counters, 0x5A, sizeof firmware.counters);
  memset(firmware.bitmap, 0x5A, sizeof firmware.bitmap);
  firmware.guard = 0x5A5A5A5A;
  image->guard = guard ? &firmware.guard : NULL;
  memcpy(&before, &firmware, sizeof before);
  bareprof_reset_image(image);
  expect_filled(firmware.counters, &image->counters,
                plan->mode & BYTES ? 0xFF : 0, guard);
  expect_filled(firmware.bitmap, &image->bitmap, 0, guard);
  expect_true(unchanged());
}

static void test_reset(void) {
  for (int guard = 0; guard < 2; guard++) {
    check_begin("native reset%s: 0, 0xFF for byte counters, nothing else",
                guard ? " with a guard, in whole words" : "");
    for (unsigned version = 7; version <= 11; version++)
      for (int i = 0; i < PLANS; i++) {
        prepare(version, all_plans[i]);
        reset_once(all_plans[i], guard);
      }
    check_end();
  }
}

static uint64_t counter(size_t i) {
  return load(&firmware.target, firmware.counters + 8 * i, 8);
}

/* Into reset counters the profile gives what it was written from, into its
 * own it doubles it, and near the top it stays there. */
static void test_merge_counters(void) {
  const size_t count = 8;
  check_begin("native merge: counters add up, to 2^64-1 at most");
  for (unsigned version = 7; version <= 11; version++) {
    prepare(version, &everything);
    expect(8 * count, size_of(&firmware.image.counters));
    bareprof_reset_image(&firmware.image);
    expect(0, merge(profile.size));
    expect_true(unchanged());
    expect(0, merge(profile.size));
    for (size_t i = 0; i < count; i++)
      expect(2 * load(&firmware.target, before.counters + 8 * i, 8),
             counter(i));
    for (size_t i = 0; i < count; i++)
      store(&firmware.target, firmware.counters + 8 * i, 8, ~UINT64_C(0) - 12);
    expect(0, merge(profile.size));
    expect(UINT64_MAX, counter(0));
    /* Counts of the plan: beta 10, 11; gamma 20...; delta 30, 31. */
    expect(UINT64_MAX - 2, counter(1));
    expect(UINT64_MAX - 1, counter(2));
    expect(UINT64_MAX, counter(3));
    store(&firmware.target, firmware.counters + 8, 8, UINT64_MAX - 10);
    store(&firmware.target, firmware.counters + 16, 8, UINT64_MAX - 10);
    expect(0, merge(profile.size));
    expect(UINT64_MAX, counter(1));
    expect(UINT64_MAX, counter(2));
  }
  check_end();
}

static void test_merge_bytes(void) {
  check_begin("native merge: byte counters by AND, bitmaps by OR");
  for (unsigned version = 7; version <= 11; version++) {
    prepare(version, &everything_bytes);
    size_t counters = size_of(&firmware.image.counters);
    size_t bitmap = size_of(&firmware.image.bitmap);
    for (size_t i = 0; i < counters; i++)
      firmware.counters[i] = i & 2 ? 0 : 0xFF;
    for (size_t i = 0; i < bitmap; i++)
      firmware.bitmap[i] = (unsigned char)(0x24 << (i & 1));
    expect(0, merge(profile.size));
    for (size_t i = 0; i < counters; i++)
      expect(before.counters[i] & (i & 2 ? 0 : 0xFF), firmware.counters[i]);
    for (size_t i = 0; i < bitmap; i++)
      expect(before.bitmap[i] | 0x24 << (i & 1), firmware.bitmap[i]);
    memcpy(firmware.counters, before.counters, counters);
    memcpy(firmware.bitmap, before.bitmap, bitmap);
    expect_true(unchanged());
  }
  check_end();
}

static void test_merge_truncated(void) {
  check_begin("native merge: a profile cut at any byte is refused, "
              "and nothing changes");
  for (unsigned version = 7; version <= 11; version++)
    for (int i = 0; i < PLANS; i++) {
      prepare(version, all_plans[i]);
      for (size_t size = 0; size < profile.size; size++) {
        /* At the end of the array, where ASan sees a read behind it. */
        unsigned char *at = buffer + sizeof buffer - size;
        memcpy(at, profile.bytes, size);
        expect(size < 8 ? BAREPROF_E_NOT_PROFILE : BAREPROF_E_TRUNCATED,
               bareprof_merge_image(&firmware.image, at, size));
        expect_true(unchanged());
      }
      /* More may follow. */
      expect_true(values_begin() < profile.size);
      expect(0, merge(profile.size + 1));
    }
  check_end();
}

/* The byte at that offset has been changed. */
static void expect_refused(size_t at) {
  size_t header_size = header_offset(&firmware.target, H_FIELDS);
  int error = merge(profile.size);
  /* A size or a number in the value data may point behind the end, or not. */
  if (at >= values_begin() && error == BAREPROF_E_TRUNCATED)
    error = BAREPROF_E_OTHER_BUILD;
  expect(at < 8             ? BAREPROF_E_NOT_PROFILE
         : at < header_size ? BAREPROF_E_OTHER_LAYOUT
                            : BAREPROF_E_OTHER_BUILD,
         error);
}

static void test_merge_corrupt(void) {
  check_begin("native merge: any byte changed but counts is refused, "
              "and nothing changes");
  for (unsigned version = 7; version <= 11; version++)
    for (int i = 0; i < PLANS; i++) {
      prepare(version, all_plans[i]);
      size_t from = live_begin();
      size_t to =
          from + counters_in_file() + padded(size_of(&firmware.image.bitmap));
      for (size_t at = 0; at < profile.size; at++) {
        if (at == from)
          at = to;
        /* The numbers of values, which are 0, and zeros behind them. */
        if (at >= values_begin() && profile.bytes[at] == 0)
          continue;
        for (int flip = 1; flip < 256; flip += 254) {
          profile.bytes[at] ^= (unsigned char)flip;
          expect_refused(at);
          profile.bytes[at] ^= (unsigned char)flip;
          expect_true(unchanged());
        }
      }
    }
  check_end();
}

static void test_merge_foreign(void) {
  check_begin("native merge: other width, byte order, build id, version");
  prepare(10, &everything);
  store(&firmware.target, profile.bytes, 8, UINT64_C(0xff6c70726f665281));
  expect(BAREPROF_E_NOT_PROFILE, merge(profile.size));
  const struct target big = {10, 8, 1};
  store(&big, profile.bytes, 8, UINT64_C(0xff6c70726f667281));
  expect(BAREPROF_E_NOT_PROFILE, merge(profile.size));
  expect(BAREPROF_E_NOT_PROFILE, bareprof_merge_image(&firmware.image, "", 0));
  prepare(10, &everything);
  firmware.build_id[20] ^= 1;
  expect(BAREPROF_E_OTHER_BUILD, merge(profile.size));
  firmware.build_id[20] ^= 1;
  firmware.build_id[4] = 12; /* BinaryIdsSize is in the header */
  expect(BAREPROF_E_OTHER_LAYOUT, merge(profile.size));
  firmware.image.build_id.end = firmware.image.build_id.begin;
  expect(BAREPROF_E_OTHER_LAYOUT, merge(profile.size));
  prepare(10, &plans[0]);
  firmware.word = 9;
  expect(BAREPROF_E_OTHER_LAYOUT, merge(profile.size));
  firmware.word = 10 | TEMPORAL;
  expect(BAREPROF_E_OTHER_LAYOUT, merge(profile.size));
  firmware.word = 10;
  expect_true(unchanged());
  check_end();
}

/* The first counter of a function is when it was first called. */
static void merge_times(uint64_t here, uint64_t there, uint64_t expected) {
  const uint64_t word = firmware.word;
  size_t first = firmware.counters_at[1];
  check_where("%llu and %llu", (unsigned long long)here,
              (unsigned long long)there);
  firmware.word |= TEMPORAL;
  store(&firmware.target, firmware.counters + first, 8, there);
  expect(0, capture_image(&profile, &firmware.image));
  store(&firmware.target, firmware.counters + first, 8, here);
  uint64_t count = counter(first / 8 + 1);
  expect(0, merge(profile.size));
  expect(expected, counter(first / 8));
  expect(2 * count, counter(first / 8 + 1));
  firmware.word = word;
}

static void test_merge_temporal(void) {
  check_begin("native merge: of two timestamps the earlier, counters add up");
  for (unsigned version = 7; version <= 11; version++) {
    prepare(version, &everything);
    merge_times(5, 3, 3);
    merge_times(3, 5, 3);
    merge_times(0, 5, 5);
    merge_times(5, 0, 5);
    merge_times(UINT64_MAX, 7, 7);
    merge_times(7, UINT64_MAX, 7);
    merge_times(0, 0, 0);
  }
  check_end();
}

static void test_merge_image(void) {
  check_begin("native merge: an image with an error of its own");
  prepare(10, &everything);
  firmware.image.guard = &firmware.guard;
  expect(BAREPROF_E_NOT_INIT, merge(profile.size));
  firmware.image.guard = NULL;
  firmware.word = 12;
  expect(BAREPROF_E_VERSION, merge(profile.size));
  firmware.word = before.word;
  firmware.image.names.end = firmware.image.names.begin;
  expect(BAREPROF_E_NO_NAMES, merge(profile.size));
  firmware.image.names = before.image.names;
  expect_true(unchanged());
  check_end();
}

/* One value at the first site of the first entry: 8 bytes of the entry's own,
 * 8 and the numbers of values of a kind, values of 16 bytes each. */
static void test_merge_values(void) {
  check_begin("native merge: values are refused where the hooks' slots are "
              "another image's, and nothing changes");
  for (unsigned version = 7; version <= 11; version++)
    for (int i = 0; i < PLANS; i++) {
      prepare(version, all_plans[i]);
      unsigned char *entry = profile.bytes + values_begin(), *end = entry + 24;
      store(&firmware.target, entry, 4, load(&firmware.target, entry, 4) + 16);
      entry[16] = 1;
      memmove(end + 16, end, (size_t)(profile.bytes + profile.size - end));
      memset(end, 1, 16);
      profile.size += 16;
      expect(BAREPROF_E_VALUES, merge(profile.size));
      expect(BAREPROF_E_TRUNCATED, merge((size_t)(end + 15 - profile.bytes)));
      expect_true(unchanged());
    }
  check_end();
}

static void test_merge_alignment(void) {
  check_begin("native merge: a buffer at any alignment");
  for (int i = 0; i < PLANS; i++) {
    prepare(10, all_plans[i]);
    for (size_t offset = 0; offset < 8; offset++) {
      bareprof_reset_image(&firmware.image);
      memcpy(buffer + offset, profile.bytes, profile.size);
      expect(0, bareprof_merge_image(&firmware.image, buffer + offset,
                                     profile.size));
      expect_true(unchanged());
    }
  }
  check_end();
}

static void test_memory(void) {
  struct bareprof_memory memory = {buffer, NULL};
  const struct bareprof_sink sink = {bareprof_memory_write, &memory};
  check_begin("native memory sink: room for all, or its code");
  prepare(10, &everything);
  for (size_t room = 0; room <= profile.size + 1; room++) {
    memset(buffer, 0x5A, sizeof buffer);
    memory.next = buffer;
    memory.end = buffer + room;
    expect(room < profile.size ? BAREPROF_MEMORY_FULL : 0,
           bareprof_write_image(&firmware.image, &sink));
    size_t written = (size_t)(memory.next - buffer);
    expect_true(written <= room);
    expect_true(room < profile.size || written == profile.size);
    expect(0, memcmp(buffer, profile.bytes, written));
    /* Not a byte of the piece that did not fit. */
    for (size_t i = written; i < sizeof buffer; i++)
      expect(0x5A, buffer[i]);
  }
  check_end();
}

void test_live(void) {
  test_reset();
  test_merge_counters();
  test_merge_bytes();
  test_merge_truncated();
  test_merge_corrupt();
  test_merge_foreign();
  test_merge_temporal();
  test_merge_image();
  test_merge_values();
  test_merge_alignment();
  test_memory();
}
