/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CONTROLLED_H
#define CONTROLLED_H

void control(int wanted);
void drift(void);
void stall(void);

#endif
