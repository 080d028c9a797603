/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs the checks on composed images. `images FOLDER` leaves profiles in
 * FOLDER; `images --format VERSION` prints the tests' tables instead.
 */
#include <stdlib.h>
#include <string.h>

#include "compose.h"
#include "tests.h"

int main(int count, char **arguments) {
  if (count == 3 && !strcmp(arguments[1], "--format")) {
    struct target target = {(unsigned)atoi(arguments[2]), 8, 0};
    format_print(&target);
    target.pointer = 4;
    format_print(&target);
    return 0;
  }
  test_table(count > 1 ? arguments[1] : NULL);
  test_sinks();
#ifndef HALVES
  test_refusals();
  test_twins();
  test_mixed();
#ifndef BAREPROF_FOREIGN
  test_live();
#endif
#endif
  return 0;
}
