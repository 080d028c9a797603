/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The project's own main, which knows nothing of profiles.
 */
#include "code.h"

int result;

int main(void) {
  result = code();
  return 0;
}
