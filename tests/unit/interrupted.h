/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Code of this machine that is interrupted after one of its instructions: by
 * the processor's single step, so after any of them, and each time alike. Who
 * includes this defines _GNU_SOURCE first.
 */
#ifndef INTERRUPTED_H
#define INTERRUPTED_H

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>

enum { TRAP_FLAG = 0x100 };

static struct {
  unsigned left; /* instructions until then */
  void (*action)(void);
  bool taken;
} interruption;

static void interruption_step(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  if (--interruption.left)
    return;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
  interruption.taken = true;
  interruption.action();
}

/* Runs code, and action within it, after so many instructions from 1 on.
 * Returns whether that was before its end; else action has not run. */
static inline bool interrupted(void (*code)(void), void (*action)(void),
                               unsigned after) {
  struct sigaction steps;
  memset(&steps, 0, sizeof steps);
  steps.sa_sigaction = interruption_step;
  steps.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &steps, NULL);
  interruption.left = after;
  interruption.action = action;
  interruption.taken = false;
  __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
  code();
  __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() &
                                 ~(unsigned long long)TRAP_FLAG);
  return interruption.taken;
}

#endif
