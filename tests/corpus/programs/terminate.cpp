/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An exception that nobody catches ends in a handler of the program, which
 * leaves by exit: the profile is written from under a throw.
 */
#include <exception>
#include <stdlib.h>

static int sum;

static void last_words() { exit(sum > 3 ? 5 : 6); }

static void add(int n) {
  sum += n;
  if (sum > 8)
    throw n;
}

int main() {
  std::set_terminate(last_words);
  for (int i = 0;; i++)
    add(i);
}
