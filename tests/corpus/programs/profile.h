/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions of compiler-rt's profile runtime that the corpus calls; ours
 * has the same under include/profile.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stddef.h>
#include <stdint.h>

void __llvm_profile_set_filename(const char *name);
void __llvm_profile_initialize_file(void);
void __llvm_profile_reset_counters(void);
int __llvm_profile_dump(void);
int __llvm_profile_write_file(void);
uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *buffer);
int __llvm_profile_merge_from_buffer(const char *profile, uint64_t size);
int __llvm_profile_check_compatibility(const char *profile, uint64_t size);
uint64_t __llvm_profile_get_magic(void);
uint64_t __llvm_profile_get_version(void);
const void *__llvm_profile_begin_data(void);
const void *__llvm_profile_end_data(void);
char *__llvm_profile_begin_counters(void);
char *__llvm_profile_end_counters(void);
const char *__llvm_profile_begin_names(void);
const char *__llvm_profile_end_names(void);

#endif
