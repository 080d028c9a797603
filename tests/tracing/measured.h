/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The measured code of these tests' programs.
 */
#ifndef MEASURED_H
#define MEASURED_H

#ifdef __cplusplus
extern "C" {
#endif

/* Decisions of many shapes, with many inputs. Returns a sum of all results. */
unsigned decisions(void);
unsigned classes(void);

/* A condition calls this function. */
extern int (*asked)(int);

/* Returns a && asked(b) || c. */
int asks(int a, int b, int c);
int asks_again(int a, int b, int c);

#ifdef __cplusplus
}
#endif
#endif
