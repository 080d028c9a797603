/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The measured code, besides the kernel.
 */
#include "pump.h"

enum { LOW = 20, HIGH = 80 };

enum pump pump_step(enum pump now, int level, bool hot) {
  if (hot && now != PUMP_OFF)
    return PUMP_ALARM;
  if (level > HIGH)
    return PUMP_ON;
  return level < LOW ? PUMP_OFF : now;
}
