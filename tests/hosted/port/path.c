/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The folders of a profile's file, and the functions of compiler-rt that have
 * to do with them.
 */
#include <sys/stat.h>

#include "names.h"

static unsigned folder_mode = 0755;

void __llvm_profile_set_dir_mode(unsigned mode) { folder_mode = mode; }

unsigned __llvm_profile_get_dir_mode(void) { return folder_mode; }

/* Each folder in turn. Most are there, and mkdir says so: whether the file
 * can be made shows when it is opened. Writes to path, and undoes that. */

void __llvm_profile_recursive_mkdir(char *path) {
  for (char *at = path + 1; *path && *at; at++)
    if (*at == '/') {
      *at = 0;
      mkdir(path, (mode_t)folder_mode);
      *at = '/';
    }
}
