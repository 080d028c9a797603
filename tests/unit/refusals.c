/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Images that are wrong in one way, and the error for each: from status and
 * from write, which must not have called the sink.
 */
#include <string.h>

#include "check.h"
#include "compose.h"
#include "tests.h"

static struct firmware firmware;

static void move(struct bareprof_span *span, int begin, int end) {
  span->begin += begin;
  span->end += end;
#ifdef BAREPROF_FOREIGN
  span->address += (uint64_t)(int64_t)begin;
#endif
}

static void clear(struct bareprof_span *span) { memset(span, 0, sizeof *span); }

static void empty(struct bareprof_span *span) { span->end = span->begin; }

static void set(unsigned record, enum record_field field, uint64_t value) {
  const struct target *target = &firmware.target;
  store(target,
        firmware.records + firmware.record_at[record] +
            record_offset(target, field),
        record_width(target, field), value);
}

static void add(unsigned record, enum record_field field, int64_t by) {
  const struct target *target = &firmware.target;
  const unsigned char *at = firmware.records + firmware.record_at[record] +
                            record_offset(target, field);
  set(record, field,
      load(target, at, record_width(target, field)) + (uint64_t)by);
}

/* Versions. */
static void version_0(void) { firmware.word &= ~UINT64_C(0xFFFFFFFF); }
static void version_6(void) { version_0(), firmware.word |= 6; }
static void version_12(void) { version_0(), firmware.word |= 12; }
static void version_far(void) { firmware.word |= UINT64_C(0x40000000); }
static void packed(void) { firmware.word |= UINT64_C(0x80000000); }

/* Sections. */
static void no_bounds(void) {
  clear(&firmware.image.records);
  clear(&firmware.image.counters);
  clear(&firmware.image.names);
  clear(&firmware.image.bitmap);
}
static void all_empty(void) {
  empty(&firmware.image.records);
  empty(&firmware.image.counters);
  empty(&firmware.image.names);
  empty(&firmware.image.bitmap);
}
static void no_counters(void) { empty(&firmware.image.counters); }
static void unbounded_counters(void) { clear(&firmware.image.counters); }
static void no_records(void) { empty(&firmware.image.records); }
static void unbounded_records(void) { clear(&firmware.image.records); }
static void no_names(void) { empty(&firmware.image.names); }
static void unbounded_names(void) { clear(&firmware.image.names); }
static void records_at_4(void) { move(&firmware.image.records, 4, 4); }
static void counters_at_4(void) { move(&firmware.image.counters, -4, -4); }
/* Ends are bounds, too. */
static void records_to_4(void) { move(&firmware.image.records, 0, -4); }
static void counters_to_4(void) { move(&firmware.image.counters, 0, 4); }
static void guard_unset(void) { firmware.image.guard = &firmware.guard; }

/* Records. */
static void count_less(void) { add(3, R_NUM_COUNTERS, -1); }
static void pointer_far(void) { add(1, R_COUNTER_PTR, 0x100000); }
static void pointer_before(void) { set(0, R_COUNTER_PTR, 0x100); }
static void first_skipped(void) { add(0, R_COUNTER_PTR, 8); }
static void overlap(void) { add(1, R_COUNTER_PTR, -8); }
static void pointer_odd(void) { add(1, R_COUNTER_PTR, 4); }
static void last_odd(void) { add(3, R_COUNTER_PTR, 4), count_less(); }
static void same_twice(void) {
  add(1, R_COUNTER_PTR, -(int64_t)firmware.counters_at[1]);
}
static void count_0(void) { set(1, R_NUM_COUNTERS, 0); }
static void count_huge(void) { set(1, R_NUM_COUNTERS, 0xFFFFFFFF); }
static void count_more(void) { add(3, R_NUM_COUNTERS, 1); }
static void one_record_less(void) {
  move(&firmware.image.records, 0,
       -(int)record_offset(&firmware.target, R_FIELDS));
}

/* A hole that alignment does not explain, with counters of either size. */
static void recompose(const struct plan *from, unsigned hole) {
  const struct target target = firmware.target;
  struct plan plan = *from;
  plan.function[2].hole = hole;
  compose(&firmware, &target, &plan);
}
static void hole_8(void) { recompose(&everything, 8); }
static void hole_bytes(void) {
  recompose(&everything_bytes, 7 * FUNCTIONS + 1);
}

/* Bitmaps. */
static void bitmap_far(void) { add(3, R_BITMAP_PTR, 0x100000); }
static void bitmap_before(void) { add(1, R_BITMAP_PTR, -1); }
static void bitmap_more(void) { add(3, R_NUM_BITMAP_BYTES, 1); }
static void bitmap_huge(void) { set(3, R_NUM_BITMAP_BYTES, 0xFFFFFFFF); }
static void bitmap_nowhere(void) { set(3, R_BITMAP_PTR, 0); }
static void bitmap_last_off(void) { add(3, R_BITMAP_PTR, 1); }
/* A mark of MC/DC with bytes, which counters of 8 bytes cannot have. */
static void bitmap_at_counters(void) {
  set(3, R_BITMAP_PTR,
      load(&firmware.target,
           firmware.records + firmware.record_at[3] +
               record_offset(&firmware.target, R_COUNTER_PTR),
           firmware.target.pointer));
}
static void bytes_behind(void) {
  recompose(&everything_bytes, 0);
  bitmap_at_counters();
  add(3, R_BITMAP_PTR, 1);
}
static void bitmap_none(void) { empty(&firmware.image.bitmap); }
static void vtables_odd(void) { move(&firmware.image.vtables, 0, -8); }
/* Of 7 and 8 a bitmap, of 9 vtables; later versions have them all. */
static void alien_piece(void) {
  struct firmware *f = &firmware;
  if (f->target.version < 9)
    f->image.bitmap.begin = f->bitmap, f->image.bitmap.end = f->bitmap + 8;
  else if (f->target.version == 9)
    f->image.vtable_names.begin = f->vtable_names,
    f->image.vtable_names.end = f->vtable_names + 8;
  else
    vtables_odd();
}
static void bitmap_unbounded(void) { clear(&firmware.image.bitmap); }

/* Two bits of a refusal: whether another error than the first is good too.
 * Damaged records may be taken for those of another compiler. */
enum { ONLY = 0, OR_MIXED = 1, OR_RECORD = 2 };

static const struct refusal {
  const char *name;
  void (*spoil)(void);
  int error;
  unsigned since;
  unsigned also;
} refusals[] = {
    {"version 0", version_0, BAREPROF_E_VERSION, 7, ONLY},
    {"version 6", version_6, BAREPROF_E_VERSION, 7, ONLY},
    {"version 12", version_12, BAREPROF_E_VERSION, 7, ONLY},
    {"version 2^30", version_far, BAREPROF_E_VERSION, 7, ONLY},
    {"counters of 4 bytes", packed, BAREPROF_E_PACKED, 7, ONLY},
    {"no bounds", no_bounds, BAREPROF_E_NO_BOUNDS, 7, ONLY},
    {"everything empty", all_empty, BAREPROF_E_EMPTY, 7, ONLY},
    {"no counters", no_counters, BAREPROF_E_NO_COUNTERS, 7, ONLY},
    {"counters unbounded", unbounded_counters, BAREPROF_E_NO_COUNTERS, 7, ONLY},
    {"no records", no_records, BAREPROF_E_NO_RECORDS, 7, ONLY},
    {"records unbounded", unbounded_records, BAREPROF_E_NO_RECORDS, 7, ONLY},
    {"no names", no_names, BAREPROF_E_NO_NAMES, 7, ONLY},
    {"names unbounded", unbounded_names, BAREPROF_E_NO_NAMES, 7, ONLY},
    {"records begin at 4", records_at_4, BAREPROF_E_ALIGN, 7, ONLY},
    {"counters begin at 4", counters_at_4, BAREPROF_E_ALIGN, 7, ONLY},
    {"records end at 4", records_to_4, BAREPROF_E_ALIGN, 7, OR_MIXED},
    {"counters end at 4", counters_to_4, BAREPROF_E_ALIGN, 7, OR_RECORD},
    {"guard not set", guard_unset, BAREPROF_E_NOT_INIT, 7, ONLY},
    {"counters outside", pointer_far, BAREPROF_E_RECORD, 7, ONLY},
    {"counters before", pointer_before, BAREPROF_E_RECORD, 7, ONLY},
    {"counters at an odd place", pointer_odd, BAREPROF_E_RECORD, 7, OR_MIXED},
    {"last counters at an odd place, one less", last_odd, BAREPROF_E_RECORD, 7,
     OR_MIXED},
    {"no counter in a record", count_0, BAREPROF_E_MIXED, 7, OR_RECORD},
    {"2^32-1 counters", count_huge, BAREPROF_E_MIXED, 7, OR_RECORD},
    {"a counter more than there are", count_more, BAREPROF_E_MIXED, 7,
     OR_RECORD},
    {"a counter between two records", hole_8, BAREPROF_E_RECORD, 7, ONLY},
    {"more bytes between two records than alignment takes", hole_bytes,
     BAREPROF_E_RECORD, 7, ONLY},
    {"last counter claimed by none", count_less, BAREPROF_E_RECORD, 7, ONLY},
    {"last record missing", one_record_less, BAREPROF_E_RECORD, 7, OR_MIXED},
    {"bitmap outside", bitmap_far, BAREPROF_E_RECORD, 9, ONLY},
    {"bitmap before", bitmap_before, BAREPROF_E_RECORD, 9, ONLY},
    {"a bitmap without a pointer", bitmap_nowhere, BAREPROF_E_RECORD, 9, ONLY},
    {"last bitmap off by one", bitmap_last_off, BAREPROF_E_RECORD, 9, ONLY},
    {"a bitmap in counters of 8 bytes", bitmap_at_counters, BAREPROF_E_RECORD,
     9, ONLY},
    {"a bitmap at the second counter", bytes_behind, BAREPROF_E_RECORD,
     9, ONLY},
    {"a bitmap byte more", bitmap_more, BAREPROF_E_RECORD, 9, OR_MIXED},
    {"2^32-1 bitmap bytes", bitmap_huge, BAREPROF_E_RECORD, 9, OR_MIXED},
    {"bitmap section empty", bitmap_none, BAREPROF_E_RECORD, 9, OR_MIXED},
    {"bitmap section unbounded", bitmap_unbounded, BAREPROF_E_RECORD, 9,
     OR_MIXED},
    {"vtable records cut", vtables_odd, BAREPROF_E_MIXED, 10, ONLY},
    {"a piece that the version lacks", alien_piece, BAREPROF_E_MIXED, 7, ONLY},
};

static void refuse(const struct refusal *refusal) {
  static struct capture out;
  refusal->spoil();
  int error = capture_image(&out, &firmware.image);
  expect(error, bareprof_status_image(&firmware.image));
  if (error == BAREPROF_E_MIXED && refusal->also & OR_MIXED)
    error = refusal->error;
  if (error == BAREPROF_E_RECORD && refusal->also & OR_RECORD)
    error = refusal->error;
  expect(refusal->error, error);
  expect(0, out.calls);
}

/* The note of a build id with sizes that do not fit is no build id. */
static void test_notes(void) {
  static struct capture out;
  check_begin("%s build id: a note that does not fit is none", flavour_name);
  for (unsigned machine = 0; machine < machine_count; machine++) {
    struct target target = machines[machine];
    target.version = 10;
    for (unsigned size = 0; size < 36; size++) {
      check_where("%s, note cut to %u bytes", target_name(&target), size);
      compose(&firmware, &target, &everything);
      firmware.image.build_id.end = firmware.image.build_id.begin + size;
      expect(0, capture_image(&out, &firmware.image));
      expect(0, load(&target, out.bytes + 16, 8));
    }
    check_where("%s, size of 2^32-1", target_name(&target));
    compose(&firmware, &target, &everything);
    store(&target, firmware.build_id + 4, 4, 0xFFFFFFFF);
    expect(0, capture_image(&out, &firmware.image));
    expect(0, load(&target, out.bytes + 16, 8));
  }
  check_end();
}

/* Value sites without storage: no reason not to write, nor for status. */
static void test_storage(void) {
  static struct capture out;
  check_begin("%s value sites without storage: written without values",
              flavour_name);
  for (unsigned machine = 0; machine < machine_count; machine++) {
    struct target target = machines[machine];
    target.version = 10;
    compose(&firmware, &target, &everything);
    expect(0, bareprof_status_image(&firmware.image));
    const struct bareprof_values none = {0};
    firmware.image.values = &none;
    expect(0, bareprof_status_image(&firmware.image));
    expect(0, capture_image(&out, &firmware.image));
    firmware.image.values = NULL;
    expect(0, bareprof_status_image(&firmware.image));
  }
  check_end();
}

/* A check of each record alone cannot see these: tests/tools/claims.c. */
static void test_shared(void) {
  static void (*const shared[])(void) = {first_skipped, overlap, same_twice};
  static struct capture out;
  check_begin("%s functions that share counters: the host looks", flavour_name);
  for (unsigned machine = 0; machine < machine_count; machine++)
    for (unsigned i = 0; i < sizeof shared / sizeof *shared; i++) {
      struct target target = machines[machine];
      target.version = 10;
      check_where("%s, %u", target_name(&target), i);
      compose(&firmware, &target, &everything);
      shared[i]();
      expect(0, bareprof_status_image(&firmware.image));
      expect(0, capture_image(&out, &firmware.image));
    }
  check_end();
}

/* Exchanges the first two records, of which each keeps its counters. */
static void exchange(void) {
  const struct target *target = &firmware.target;
  int64_t size = (int64_t)record_offset(target, R_FIELDS);
  unsigned char *records = firmware.records;
  unsigned char first[128];
  for (unsigned record = 0; record < 2; record++) {
    int64_t by = record ? size : -size;
    if (target->version > 7)
      add(record, R_COUNTER_PTR, by);
    if (target->version > 8 &&
        load(target,
             records + record * size +
                 record_offset(target, R_NUM_BITMAP_BYTES),
             4))
      add(record, R_BITMAP_PTR, by);
  }
  memcpy(first, records, (size_t)size);
  memmove(records, records + size, (size_t)size);
  memcpy(records + size, first, (size_t)size);
}

/* As LTO may leave them. */
static void test_order(void) {
  static struct capture out;
  check_begin("%s records in another order than their counters", flavour_name);
  for (unsigned machine = 0; machine < machine_count; machine++)
    for (unsigned version = 7; version <= 11; version++) {
      struct target target = machines[machine];
      target.version = version;
      check_where("%s", target_name(&target));
      compose(&firmware, &target, &everything);
      exchange();
      expect(0, bareprof_status_image(&firmware.image));
      expect(0, capture_image(&out, &firmware.image));
      expect_true(firmware.record_at[2] <= sizeof firmware.records);
    }
  check_end();
}

static const char *error_name(int error) {
  switch (error) {
  case BAREPROF_E_VERSION:
    return "E_VERSION";
  case BAREPROF_E_NO_BOUNDS:
    return "E_NO_BOUNDS";
  case BAREPROF_E_EMPTY:
    return "E_EMPTY";
  case BAREPROF_E_NO_COUNTERS:
    return "E_NO_COUNTERS";
  case BAREPROF_E_NO_RECORDS:
    return "E_NO_RECORDS";
  case BAREPROF_E_NO_NAMES:
    return "E_NO_NAMES";
  case BAREPROF_E_ALIGN:
    return "E_ALIGN";
  case BAREPROF_E_NOT_INIT:
    return "E_NOT_INIT";
  case BAREPROF_E_MIXED:
    return "E_MIXED";
  case BAREPROF_E_PACKED:
    return "E_PACKED";
  default:
    return "E_RECORD";
  }
}

static void refuse_everywhere(const struct refusal *refusal) {
  for (unsigned version = refusal->since; version <= 11; version++) {
    for (unsigned machine = 0; machine < machine_count; machine++) {
      struct target target = machines[machine];
      target.version = version;
      compose(&firmware, &target, &everything);
      check_where("%s, %s", refusal->name, target_name(&target));
      expect(0, bareprof_status_image(&firmware.image));
      refuse(refusal);
    }
  }
}

static void refuse_each(int error) {
  check_begin("%s refused with %s", flavour_name, error_name(error));
  for (unsigned i = 0; i < sizeof refusals / sizeof *refusals; i++)
    if (refusals[i].error == error)
      refuse_everywhere(&refusals[i]);
  check_end();
}

void test_refusals(void) {
  for (int error = BAREPROF_E_VERSION; error >= BAREPROF_E_RECORD; error--)
    refuse_each(error);
  refuse_each(BAREPROF_E_PACKED);
  test_notes();
  test_storage();
  test_order();
  test_shared();
}
