/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names that no file can have: below a file, a folder, longer than the system
 * takes. The program goes on as ever, and the next run writes.
 *
 * without: continuous continuous-14
 */
static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(void) { return work(3) + work(6); }
