/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PUMP_H
#define PUMP_H

#include <stdbool.h>

enum pump { PUMP_OFF, PUMP_ON, PUMP_ALARM };

/* Takes the level of a tank in percent, and whether the pump's motor is hot. */
enum pump pump_step(enum pump now, int level, bool hot);

#endif
