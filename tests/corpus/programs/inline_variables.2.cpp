/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The other unit of inline_variables.cpp.
 */
#include "inline_variables.h"

int elsewhere(int n) {
  return n > made ? Table<int>::size : Table<short>::size;
}
