/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The file of a pool is there already, and is none of this program: text, a
 * profile cut short, a file without a byte.
 *
 * without: temporal temporal-block
 * without: ir-allocated drivers-own
 */
static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(int argc, char **argv) {
  int sum = 0;
  (void)argv;
  for (int i = 0; i < argc * 7; i++)
    sum += work(i);
  return sum & 63;
}
