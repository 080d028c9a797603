/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Copies of sizes that the compiler knows, or finds out: no site, next to
 * others that have one.
 */
#include <string.h>

struct block {
  char bytes[48];
};
static struct block from = {"abc"}, to;
static volatile size_t four = 4;

int main(void) {
  for (int i = 0; i < 20; i++) {
    to = from;
    memcpy(&to, &from, sizeof to);
    memcpy(&to, &from, four);
    memset(&to, i, i < 10 ? 16 : four + 7);
  }
  return to.bytes[3];
}
