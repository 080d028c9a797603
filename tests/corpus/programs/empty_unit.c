/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A unit without code next to one with some: a section that only one object
 * brings.
 */
int work(int n);

int main(void) { return work(3) + work(4); }
