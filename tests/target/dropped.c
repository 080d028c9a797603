/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * No code calls these: the linker drops them. With ThinLTO their bitmaps stay,
 * between the bitmaps of other functions.
 */
int dropped(int a, int b, int c);
int dropped(int a, int b, int c) { return (a && b) || c; }
int dropped_too(int a, int b);
int dropped_too(int a, int b) { return a && b ? 5 : 7; }
