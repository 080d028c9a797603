/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The second object with twice<int> in it: see code.c.
 */
#include "code.h"

extern "C" int more(int n) { return twice<int>(n + 3); }
