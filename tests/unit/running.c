/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions on the running image, and compiler-rt's names on top of
 * them, in a program with one instrumented function. The linker's own
 * __start_ and __stop_ symbols bound the sections here; the build with
 * WITH_GUARD has the guard word that a linker script would reserve.
 */
#include <string.h>

#include "bareprof.h"
#include "check.h"
#define __LLVM_INSTR_PROFILE_GENERATE 1
#include "profile/instr_prof_interface.h"

int counted(int rounds);

static const char *const flavour =
#ifdef WITH_GUARD
    "running image with a guard";
uint64_t __bareprof_guard;
#else
    "running image";
#endif

static unsigned char profile[4096] __attribute__((aligned(8)));

/* The counters are few: function entry, loop body, the branch. */
static uint64_t count(unsigned i) {
  uint64_t value;
  memcpy(&value, bareprof_running.counters.begin + 8 * i, 8);
  return value;
}

static void counts_are(uint64_t entry, uint64_t body, uint64_t branch) {
  expect(entry, count(0));
  expect(body, count(1));
  expect(branch, count(2));
}

static size_t write_profile(void) {
  struct bareprof_memory memory = {profile, profile + sizeof profile};
  const struct bareprof_sink sink = {bareprof_memory_write, &memory};
  expect(0, bareprof_write(&sink));
  return (size_t)(memory.next - profile);
}

static void test_init(void) {
  check_begin("%s: init, status, write, size, reset, merge", flavour);
#ifdef WITH_GUARD
  struct bareprof_memory memory = {profile, profile + sizeof profile};
  const struct bareprof_sink sink = {bareprof_memory_write, &memory};
  expect(BAREPROF_E_NOT_INIT, bareprof_status());
  expect(BAREPROF_E_NOT_INIT, bareprof_write(&sink));
  expect(profile, memory.next);
  expect(0, bareprof_size());
  expect(-1, __llvm_profile_write_buffer((char *)profile));
  expect(0, __llvm_profile_get_size_for_buffer());
  bareprof_reset();
  expect(BAREPROF_E_NOT_INIT, bareprof_status());
#endif
  memset((unsigned char *)(uintptr_t)bareprof_running.counters.begin, 0x5A, 24);
  bareprof_init();
  expect(0, bareprof_status());
  counts_are(0, 0, 0);
  expect(2, counted(5));
  counts_are(1, 5, 2);
  size_t size = write_profile();
  expect(size, bareprof_size());
  expect(0, bareprof_merge(profile, size));
  counts_are(2, 10, 4);
  bareprof_reset();
  counts_are(0, 0, 0);
  expect(0, bareprof_status());
  expect(0, bareprof_merge(profile, size));
  counts_are(1, 5, 2);
  expect(BAREPROF_E_TRUNCATED, bareprof_merge(profile, size / 2));
  counts_are(1, 5, 2);
  check_end();
}

static void test_buffer(void) {
  static char buffer[sizeof profile];
  check_begin("%s: __llvm_profile_ write_buffer, size, reset, merge, "
              "check_compatibility",
              flavour);
  bareprof_init();
  counted(3);
  size_t size = write_profile();
  expect(size, __llvm_profile_get_size_for_buffer());
  memset(buffer, 0x5A, sizeof buffer);
  expect(0, __llvm_profile_write_buffer(buffer));
  expect(0, memcmp(buffer, profile, size));
  expect(0x5A, buffer[size]);
  expect(0, __llvm_profile_check_compatibility(buffer, size));
  expect(0, __llvm_profile_merge_from_buffer(buffer, size));
  counts_are(2, 6, 2);
  expect(1, __llvm_profile_merge_from_buffer(buffer, size - 1));
  expect(1, __llvm_profile_merge_from_buffer(buffer, 0));
  expect(1, __llvm_profile_check_compatibility(buffer, size - 1));
  buffer[0] ^= 1;
  expect(1, __llvm_profile_check_compatibility(buffer, size));
  expect(1, __llvm_profile_merge_from_buffer(buffer, size));
  counts_are(2, 6, 2);
  __llvm_profile_reset_counters();
  counts_are(0, 0, 0);
  check_end();
}

static void test_bounds(void) {
  check_begin("%s: __llvm_profile_ bounds, counts and sizes", flavour);
  const struct bareprof_image *image = &bareprof_running;
  expect(image->records.begin, __llvm_profile_begin_data());
  expect(image->records.end, __llvm_profile_end_data());
  expect(image->counters.begin, __llvm_profile_begin_counters());
  expect(image->counters.end, __llvm_profile_end_counters());
  expect(image->names.begin, __llvm_profile_begin_names());
  expect(image->names.end, __llvm_profile_end_names());
  expect(image->bitmap.begin, __llvm_profile_begin_bitmap());
  expect(image->bitmap.end, __llvm_profile_end_bitmap());
  expect(0, __llvm_profile_begin_vnodes());
  expect(0, __llvm_profile_end_vnodes());
  expect(0, __llvm_profile_begin_vtables());
  expect(0, __llvm_profile_end_vtables());
  expect(0, __llvm_profile_begin_vtabnames());
  expect(0, __llvm_profile_end_vtabnames());
  expect(UINT64_C(0xff6c70726f667281), __llvm_profile_get_magic());
  expect(10, __llvm_profile_get_version());
  const char *at = "";
  const struct __llvm_profile_data *record = (const void *)at;
  const struct VTableProfData *vtable = (const void *)at;
  const void *record_end = at + 128, *vtable_end = at + 72;
  expect(1, __llvm_profile_get_num_data(__llvm_profile_begin_data(),
                                        __llvm_profile_end_data()));
  expect(2, __llvm_profile_get_num_data(record, record_end));
  expect(128, __llvm_profile_get_data_size(record, record_end));
  expect(8, __llvm_profile_counter_entry_size());
  expect(3, __llvm_profile_get_num_counters(__llvm_profile_begin_counters(),
                                            __llvm_profile_end_counters()));
  expect(24, __llvm_profile_get_counters_size(__llvm_profile_begin_counters(),
                                              __llvm_profile_end_counters()));
  expect(5, __llvm_profile_get_num_bitmap_bytes(at, at + 5));
  expect(7, __llvm_profile_get_name_size(at, at + 7));
  expect(3, __llvm_profile_get_num_vtable(vtable, vtable_end));
  expect(72, __llvm_profile_get_vtable_section_size(vtable, vtable_end));
  for (unsigned size = 0; size < 20; size++)
    expect((8 - size % 8) % 8, __llvm_profile_get_num_padding_bytes(size));
  check_end();
}

int main(void) {
  test_init();
  test_buffer();
  test_bounds();
  return 0;
}
