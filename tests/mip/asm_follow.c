/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes the raw section of tests/cc/flags_middle.c in place of a profile.
 */
#include <stdio.h>

extern const unsigned char __start___llvm_mipraw[], __stop___llvm_mipraw[];

int __llvm_profile_write_file(void);
int __llvm_profile_write_file(void) {
  FILE *file = fopen("follow.mipraw", "wb");
  size_t size = (size_t)(__stop___llvm_mipraw - __start___llvm_mipraw);
  if (!file || fwrite(__start___llvm_mipraw, 1, size, file) != size)
    return 1;
  return fclose(file);
}
