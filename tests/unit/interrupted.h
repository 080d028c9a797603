/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Interrupts code of this machine after any one of its instructions, by the
 * processor's single step, so that each run is the same. Define _GNU_SOURCE
 * before you include this file.
 */
#ifndef INTERRUPTED_H
#define INTERRUPTED_H

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>

enum { TRAP_FLAG = 0x100 };

static struct {
  unsigned left; /* number of instructions before the interruption */
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

/* Runs `code`, and runs `action` after `after` instructions of it, at least 1.
 * Returns false if `code` ended before; then `action` has not run. */
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
