/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An ELF that another one calls. Its entry is its first function.
 */
#include "shared.h"

__attribute__((section(".entry"))) unsigned other(unsigned n) {
  return shared(n);
}
