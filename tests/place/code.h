/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PLACE_CODE_H
#define PLACE_CODE_H

#ifdef __cplusplus
extern "C" {
#endif
int decide(int a, int b, int c);
int steps(int count);
int objects(int number);
int more(int number);
int code(void);
#ifdef __cplusplus
}

/* Both objects have a copy; the linker keeps one. */
template <class type> type larger(type a, type b) { return a < b ? b : a; }
#endif

#endif
