/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Nobody calls these: the linker drops them. Under ThinLTO their bitmaps stay
 * behind, between those of the others.
 */
int dropped(int a, int b, int c);
int dropped(int a, int b, int c) { return (a && b) || c; }
int dropped_too(int a, int b);
int dropped_too(int a, int b) { return a && b ? 5 : 7; }
