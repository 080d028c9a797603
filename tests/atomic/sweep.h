/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One interrupt at every place of a piece of code: under -icount, the delay
 * of the timer decides after which instruction it comes. A sweep makes the
 * delay longer until the interrupt comes after the code.
 */
#ifndef SWEEP_H
#define SWEEP_H

struct sweep {
  void (*prepare)(void);   /* before each run */
  void (*code)(void);      /* what is interrupted */
  void (*interrupt)(void); /* runs once within it */
  int (*wrong)(void);      /* after both: is what they left wrong? */
};

struct sweep_result {
  unsigned runs;  /* with the interrupt before the end of the code */
  unsigned wrong; /* of them */
};

struct sweep_result sweep(const struct sweep *sweep);

#endif
