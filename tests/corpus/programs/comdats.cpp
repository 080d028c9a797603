/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Inline functions, methods and templates that two units make both: one record
 * of each survives, and its counter is the one that counts.
 */
#include "comdats.h"

int main() {
  Account account(5);
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += account.add(i) + larger(i, 4) + elsewhere(i) + tally();
  return sum & 63;
}
