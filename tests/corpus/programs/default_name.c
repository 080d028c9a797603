/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * No LLVM_PROFILE_FILE, an empty one, and a name set to nothing: the name is
 * what the compiler gave, or the default.
 *
 * without: continuous continuous-14
 */
#include "profile.h"

static int work(int n) { return n > 1 ? n : 1; }

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1)
    __llvm_profile_set_filename(NULL);
  return work(argc) & 1;
}
