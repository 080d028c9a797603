/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the functions of compiler-rt's profile runtime, for programs written
 * for it. They behave as in compiler-rt, and call the functions of bareprof.h,
 * which is their manual. Differences from compiler-rt:
 *
 * - write_buffer writes padding bytes itself: the buffer need not be zero.
 * - merge_from_buffer and check_compatibility also compare the build id, and
 *   accept temporal profiles.
 * - set_filename, dump and write_file reach the host through semihosting. Link
 *   them only where a debugger or QEMU listens.
 * - The patterns of file names (%m, %p) are not expanded. IR PGO's default name
 *   is default_%m.profraw.
 *
 * In a program that is not instrumented, set_filename, reset_counters and dump
 * expand to nothing, as in the compiler's header of this name. With clang 13 to
 * 17 the functions are always there. Define BAREPROF_INSTR_PROF_ALWAYS to have
 * them with any compiler.
 */
#ifndef BAREPROF_INSTR_PROF_INTERFACE_H
#define BAREPROF_INSTR_PROF_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the size in bytes of the running image's profile, or 0 without a
 * profile. The size includes value data, which compiler-rt does not count. */
uint64_t __llvm_profile_get_size_for_buffer(void);
/* Writes the profile to buffer, at any alignment, which must have room for the
 * size above. Returns 0 if done, -1 if refused. */
int __llvm_profile_write_buffer(char *buffer);
/* As bareprof_merge, adds a profile. Returns 0 if done, 1 if refused. */
int __llvm_profile_merge_from_buffer(const char *profile, uint64_t size);
/* Returns 0 if the profile is of this build, otherwise 1. Does not check value
 * data, which a merge may still refuse. */
int __llvm_profile_check_compatibility(const char *profile, uint64_t size);
/* Writes the profile to the file. Returns 0 if done, otherwise -1. */
int __llvm_profile_write_file(void);

/* A record, a node of value data, and a vtable's record. They are only
 * declared, because a program may have compiler-rt's definitions. */
struct __llvm_profile_data;
struct ValueProfNode;
struct VTableProfData;

/* These functions return the bounds of the running image's profile sections; of
 * values NULL, if the program reserves no slots. */
const struct __llvm_profile_data *__llvm_profile_begin_data(void);
const struct __llvm_profile_data *__llvm_profile_end_data(void);
char *__llvm_profile_begin_counters(void);
char *__llvm_profile_end_counters(void);
char *__llvm_profile_begin_bitmap(void);
char *__llvm_profile_end_bitmap(void);
const char *__llvm_profile_begin_names(void);
const char *__llvm_profile_end_names(void);
struct ValueProfNode *__llvm_profile_begin_vnodes(void);
struct ValueProfNode *__llvm_profile_end_vnodes(void);
const struct VTableProfData *__llvm_profile_begin_vtables(void);
const struct VTableProfData *__llvm_profile_end_vtables(void);
const char *__llvm_profile_begin_vtabnames(void);
const char *__llvm_profile_end_vtabnames(void);

/* These functions return the magic number and version word of the profile. */
uint64_t __llvm_profile_get_magic(void);
uint64_t __llvm_profile_get_version(void);

/* These functions count the records, counters or bytes between two bounds. */
uint64_t __llvm_profile_get_num_data(const struct __llvm_profile_data *begin,
                                     const struct __llvm_profile_data *end);
uint64_t __llvm_profile_get_data_size(const struct __llvm_profile_data *begin,
                                      const struct __llvm_profile_data *end);
uint64_t __llvm_profile_get_num_counters(const char *begin, const char *end);
uint64_t __llvm_profile_get_counters_size(const char *begin, const char *end);
uint64_t __llvm_profile_get_num_bitmap_bytes(const char *begin,
                                             const char *end);
uint64_t __llvm_profile_get_name_size(const char *begin, const char *end);
uint64_t __llvm_profile_get_num_vtable(const struct VTableProfData *begin,
                                       const struct VTableProfData *end);
uint64_t
__llvm_profile_get_vtable_section_size(const struct VTableProfData *begin,
                                       const struct VTableProfData *end);
/* Returns the size of a counter in memory, in bytes: 8, 4 or 1. */
size_t __llvm_profile_counter_entry_size(void);
/* Returns how many zero bytes pad size to a multiple of 8. */
uint8_t __llvm_profile_get_num_padding_bytes(uint64_t size);

#if defined __LLVM_INSTR_PROFILE_GENERATE || \
    defined BAREPROF_INSTR_PROF_ALWAYS ||    \
    (defined __clang__ && __clang_major__ < 18)
/* Sets the name of the file. The string must stay valid. NULL selects the name
 * that a compiler option gave, or default.profraw. */
void __llvm_profile_set_filename(const char *name);
/* Sets all counts to their initial value. */
void __llvm_profile_reset_counters(void);
/* Writes the profile to the file. Returns 0 if done, otherwise -1. */
int __llvm_profile_dump(void);
#else
#define __llvm_profile_set_filename(name)
#define __llvm_profile_reset_counters()
#define __llvm_profile_dump() (0)
#endif

#ifdef __cplusplus
}
#endif
#endif
