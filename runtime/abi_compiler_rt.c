/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the functions of compiler-rt's profile runtime that describe the
 * running image. They return the bounds and the sizes of its sections, and the
 * number of records and counters in them.
 */
#define BAREPROF_INSTR_PROF_ALWAYS 1
#include "values.h"
#include "profraw_write.h"

#include "profile/instr_prof_interface.h"

/* Defines the functions that return the bounds of a piece. The bounds point to
 * const bytes and are cast to compiler-rt's type. */
#define BOUNDS(type, name, piece)                       \
  type *__llvm_profile_begin_##name(void) {             \
    const void *begin = bareprof_running.piece.begin;   \
    return (type *)(uintptr_t)begin;                    \
  }                                                     \
  type *__llvm_profile_end_##name(void) {               \
    const void *end = bareprof_running.piece.end;       \
    return (type *)(uintptr_t)end;                      \
  }

BOUNDS(const struct __llvm_profile_data, data, records)
BOUNDS(char, counters, counters)
BOUNDS(char, bitmap, bitmap)
BOUNDS(const char, names, names)
BOUNDS(const struct VTableProfData, vtables, vtables)
BOUNDS(const char, vtabnames, vtable_names)

struct ValueProfNode *__llvm_profile_begin_vnodes(void) {
  const struct bareprof_values *values = bareprof_running.values;
  void *slots = values ? values->slots : NULL;
  return (struct ValueProfNode *)slots;
}

struct ValueProfNode *__llvm_profile_end_vnodes(void) {
  const struct bareprof_values *values = bareprof_running.values;
  void *end = values ? values->slots + values->count : NULL;
  return (struct ValueProfNode *)end;
}

uint64_t __llvm_profile_get_magic(void) {
  return BAREPROF_MAGIC_WORD(sizeof(void *) == 8);
}

uint64_t __llvm_profile_get_version(void) { return *bareprof_running.version; }

static uint64_t byte_distance(const void *begin, const void *end) {
  return (uint64_t)((const char *)end - (const char *)begin);
}

/* Divides by subtraction, because ARMv6-M lacks a divide instruction. */
static uint64_t count_elements(uint64_t bytes, size_t size) {
  uint64_t result = 0;
  for (; bytes >= size; bytes -= size)
    result++;
  return result;
}

static size_t find_record_size(void) {
  const struct bareprof_image *image = &bareprof_running;
  const struct bareprof_layout *layout = bareprof_layout_find(image);
  return layout ? layout->record_size : SIZE_MAX;
}

uint64_t __llvm_profile_get_num_data(const struct __llvm_profile_data *begin,
                                     const struct __llvm_profile_data *end) {
  return count_elements(byte_distance(begin, end), find_record_size());
}

uint64_t __llvm_profile_get_data_size(const struct __llvm_profile_data *begin,
                                      const struct __llvm_profile_data *end) {
  return (size_t)__llvm_profile_get_num_data(begin, end) * find_record_size();
}

size_t __llvm_profile_counter_entry_size(void) {
  return (size_t)1 << bareprof_counter_memory_shift(&bareprof_running);
}

uint64_t __llvm_profile_get_num_counters(const char *begin, const char *end) {
  return (size_t)byte_distance(begin, end) >>
         bareprof_counter_memory_shift(&bareprof_running);
}

uint64_t __llvm_profile_get_counters_size(const char *begin, const char *end) {
  return byte_distance(begin, end);
}

uint64_t __llvm_profile_get_num_bitmap_bytes(const char *begin,
                                             const char *end) {
  return byte_distance(begin, end);
}

uint64_t __llvm_profile_get_name_size(const char *begin, const char *end) {
  return byte_distance(begin, end);
}

uint64_t __llvm_profile_get_num_vtable(const struct VTableProfData *begin,
                                       const struct VTableProfData *end) {
  return count_elements(byte_distance(begin, end),
                        bareprof_vtable_size(&bareprof_running));
}

uint64_t
__llvm_profile_get_vtable_section_size(const struct VTableProfData *begin,
                                       const struct VTableProfData *end) {
  return byte_distance(begin, end);
}

uint8_t __llvm_profile_get_num_padding_bytes(uint64_t size) {
  return (uint8_t)bareprof_padding((size_t)size);
}
