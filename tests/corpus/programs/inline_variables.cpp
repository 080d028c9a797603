/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Inline variables of two units, made by a function: guards, and initialisers
 * of which one unit runs its own only.
 */
#include "inline_variables.h"

int main() {
  int sum = made + Table<int>::size + Table<char>::size;
  return (sum + elsewhere(sum)) & 63;
}
