/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lambda.h"
int twice();
int main() {
  return (twice() + outer(1) + outer(2) + outer(3) + chosen<true>(1) +
          chosen<true>(1) + chosen<false>(1) + chosen<false>(1) +
          chosen<false>(1)) * 0;
}
