/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PATCH_WORK_H
#define PATCH_WORK_H

#include <stdint.h>

/* Returns the same number in every build. */
uint32_t work(void);

#endif
