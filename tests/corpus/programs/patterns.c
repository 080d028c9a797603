/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names with %p, %h, %t, %m and several of each, in folders that are not there
 * yet, absolute and relative; a percent sign that begins nothing.
 *
 * without: continuous continuous-14
 */
static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(int argc, char **argv) {
  (void)argv;
  return work(argc);
}
