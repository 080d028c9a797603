/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program whose shares are known by how it is made: of 1,000 turns of one
 * and the same loop, leaf_a has 100, leaf_b 400, of which 100 for via_1 and
 * 300 for via_2, and leaf_c 500.
 */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>

void work(void);

/* Turns a loop with the frame pointer's register set to any value. */
void spin_with_frame(uintptr_t frame, uintptr_t turns);

#endif
