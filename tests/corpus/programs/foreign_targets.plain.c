/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What foreign_targets.c calls, without instrumentation.
 */
int plain(int n);
int plain_too(int n);
int plain(int n) { return n * 5; }
int plain_too(int n) { return n * 7; }
