/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_fold in a tick that comes before bareprof_relocate: the image is
 * empty, and lacks a guard word. The guard word at the linked address is not
 * read either, because its RAM may not work yet.
 */
#include "bareprof_options.h"
#include "check.h"

static const uint64_t version = BAREPROF_RAW_VERSION_LAST;
const struct bareprof_image bareprof_running = {.version = &version};
uint64_t __bareprof_guard;

int main(void) {
  check_begin("fold before bareprof_relocate: nothing is read at address 0");
  bareprof_fold();
  expect(0, __bareprof_guard);
  check_end();
  return 0;
}
