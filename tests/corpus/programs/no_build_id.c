/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program without a build id: no ids in the file, and no gap either.
 *
 * link: -Wl,--build-id=none
 */
static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(void) { return work(3) + work(6); }
