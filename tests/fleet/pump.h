/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PUMP_H
#define PUMP_H

void pump(unsigned pressure);
void vent(void);

#endif
