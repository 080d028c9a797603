/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The header of corpus.cpp: its decisions are in another file.
 */
bool f(bool);
inline bool inlined(int a, int b) { return a && f(b || a); }
