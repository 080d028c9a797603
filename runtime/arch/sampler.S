/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_sampler_interrupt: an interrupt's entry that takes a sample of the
 * interrupted code, calls bareprof_sampler_timer, and returns from the
 * interrupt. bareprof_sampler.h has the requirements for the vector. The
 * timer's handler may enable interrupts, because the registers that the return
 * needs have been saved.
 */
#if defined(__arm__) && __ARM_ARCH_PROFILE == 'M'
#include "sampler_arm_m.h"
#elif defined(__arm__)
#include "sampler_arm_a.h"
#elif defined(__aarch64__)
#include "sampler_aarch64.h"
#elif defined(__riscv)
#include "sampler_riscv.h"
#endif

#ifdef __ELF__
  .section .note.GNU-stack, "", %progbits
#endif
