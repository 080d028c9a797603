/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions whose entries the compiler lists: four that are called, of which
 * the first is first in the file, and one that nobody calls.
 */
int first(int);
int boot(int);
int dead(int);
void bareprof_mip_count_index(void);

__attribute__((noinline)) int first(int a) { return a * 3; }
__attribute__((noinline)) static int second(int a) { return first(a) + 1; }
__attribute__((noinline)) static int third(int a) { return second(a) ^ 5; }

int boot(int a) { return third(a) + 7; }

int dead(int a) { return third(a) + 9; }

/* In place of the helper, of the archive. */
__attribute__((patchable_function_entry(0))) void
bareprof_mip_count_index(void) {}
