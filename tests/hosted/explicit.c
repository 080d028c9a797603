/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program that has a __llvm_profile_runtime of its own, so that nothing of a
 * profile happens by itself: it asks for the writing at exit; or, with BUFFER,
 * has its profile in memory, and merges it, without anything of the system.
 */
#include <stdint.h>

int __llvm_profile_runtime = 0;
int __llvm_profile_register_write_file_atexit(void);
void __llvm_profile_initialize_file(void);
uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *buffer);
int __llvm_profile_check_compatibility(const char *profile, uint64_t size);
int __llvm_profile_merge_from_buffer(const char *profile, uint64_t size);
void __llvm_profile_reset_counters(void);

int main(void) {
#ifdef BUFFER
  static char buffer[10000];
  uint64_t size = __llvm_profile_get_size_for_buffer();
  if (size > sizeof buffer || __llvm_profile_write_buffer(buffer))
    return 1;
  __llvm_profile_reset_counters();
  return __llvm_profile_check_compatibility(buffer, size) ||
         __llvm_profile_merge_from_buffer(buffer, size);
#else
  __llvm_profile_initialize_file();
  return __llvm_profile_register_write_file_atexit();
#endif
}
