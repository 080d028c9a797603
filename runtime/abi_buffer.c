/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the functions of compiler-rt's profile runtime that write, merge and
 * reset counters. The functions have compiler-rt's names and return values, and
 * call the functions of bareprof.h. So programs that were written for
 * compiler-rt can use bareprof. arch/dump.c has the functions that name a file.
 * abi_compiler_rt.c has the functions that describe an image.
 */
#define BAREPROF_INSTR_PROF_ALWAYS 1
#include "image_layout.h"

#include "profile/instr_prof_interface.h"

uint64_t __llvm_profile_get_size_for_buffer(void) { return bareprof_size(); }

int __llvm_profile_write_buffer(char *buffer) {
  /* compiler-rt's function takes no size: the caller provides enough room. */
  struct bareprof_memory memory = {(unsigned char *)buffer,
                                   (unsigned char *)UINTPTR_MAX};
  const struct bareprof_sink sink = {bareprof_memory_write, &memory};
  return bareprof_write(&sink) ? -1 : 0;
}

void __llvm_profile_reset_counters(void) { bareprof_reset(); }

int __llvm_profile_merge_from_buffer(const char *profile, uint64_t size) {
  return bareprof_merge(profile, (size_t)size) != 0;
}

int __llvm_profile_check_compatibility(const char *profile, uint64_t size) {
  return bareprof_match_profile(&bareprof_running, profile, (size_t)size) != 0;
}
