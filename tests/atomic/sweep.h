/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Interrupts a piece of code after each of its instructions, one interrupt a
 * run. Under -icount, the delay of the timer decides after which instruction
 * the interrupt comes. A sweep increases the delay until the interrupt comes
 * after the code.
 */
#ifndef SWEEP_H
#define SWEEP_H

struct sweep {
  void (*prepare)(void);   /* before each run */
  void (*code)(void);      /* the code that is interrupted */
  void (*interrupt)(void); /* runs once during `code` */
  int (*wrong)(void);      /* after both: returns whether the state is wrong */
};

struct sweep_result {
  unsigned runs;  /* runs in which the interrupt came before the code's end */
  unsigned wrong; /* the number of these runs that left a wrong state */
};

struct sweep_result sweep(const struct sweep *sweep);

#endif
