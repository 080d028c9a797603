/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counted code. BUILD: releases differ in it.
 */
#include "pump.h"

static volatile unsigned level;

static void fill(unsigned by) {
  for (unsigned i = 0; i < by % 7; i++)
    level++;
}

void pump(unsigned pressure) {
  if (pressure % 3 == 0)
    fill(pressure);
  else if (pressure % 5 == 0 && BUILD > 1)
    level = 0;
#if BUILD > 2
  if (level > 1000)
    level = 1000;
#endif
}

void vent(void) { level = 0; }
