/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A variable in a section that no script names.
 */
__attribute__((section(".fastdata"), used)) int fast = 3;
