/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * C++ of the link tests: see code.c.
 */
#include "code.h"

extern "C" int more(int n);
extern "C" int live_cpp(int n) { return twice<int>(n) + more(n); }
extern "C" int dead_cpp(int n) { return n + 1; }
template long long twice<long long>(long long);
