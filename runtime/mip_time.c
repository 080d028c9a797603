/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the number that the next first call of a function gets as its time.
 * The helpers that count calls use this variable of 4 bytes. So the linker
 * takes this file from the archive only for programs with such helpers.
 */
#include "bareprof_mip.h"

uint32_t bareprof_mip_time;
