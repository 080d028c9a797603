/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ASM_WORK_H
#define ASM_WORK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each returns the same number in every build. */
uint32_t work(void);
uint32_t plus(uint32_t value);

/* Functions that a test looks for by name stay functions. */
#if defined(__clang__)
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

#ifdef __cplusplus
}
#endif

#endif
