/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plant.h"

const int limits[3] = {
    80,
    60,
    9,
};

/* Others read it, without a line of this file. */
static const int degrees[2] = {
    60,
    75,
};
const int *const heats = degrees;

int limit_known(int sensor) { return sensor >= 0 && sensor < 3; }
