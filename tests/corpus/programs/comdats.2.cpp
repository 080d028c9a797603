/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The other unit of comdats.cpp.
 */
#include "comdats.h"

int elsewhere(int n) {
  Account account(n);
  return account.add(n) + larger(n, 7) + larger(2.5, 1.0 * n) + tally();
}
