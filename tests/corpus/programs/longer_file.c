/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A file of that name is there, longer than the profile: nothing of it is
 * left.
 */
static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(void) { return work(3) + work(6); }
