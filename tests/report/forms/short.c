/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define SHORT
#define GUARD(n) if (n)
#include "forms.h"
int a(int n) {
#include "body.inc"
  return n + pick(n) + sized(n) + guarded(0) + guarded(0); //= 1
}
