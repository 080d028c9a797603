/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The second object with twice<int> in it: see code.c. ALONE leaves it out,
 * for what clang 13 to 17 cannot have linked otherwise.
 */
#include "code.h"

#ifdef ALONE
#define twice(n) (n)
#endif
extern "C" int more(int n) { return twice(n + 3); }
