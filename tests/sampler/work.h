/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program whose share of time in each function is known: of 1,000 turns of
 * the same loop, leaf_a runs 100, leaf_b 400 (via_1 calls it for 100, via_2 for
 * 300), and leaf_c 500.
 */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>

void work(void);

/* Runs a loop of `turns` turns, with `frame` in the frame pointer's register.
 */
void spin_with_frame(uintptr_t frame, uintptr_t turns);

#endif
