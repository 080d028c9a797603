/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the number that the next first call of a function gets as its time.
 * Helpers that count refer to the variable, and so link this file. The variable
 * takes 4 bytes of RAM.
 */
#include "bareprof_mip.h"

uint32_t bareprof_mip_time;
