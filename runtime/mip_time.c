/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The number that the next first call of a function gets. Helpers that count
 * refer to this variable, and so link this file; it takes 4 bytes of RAM.
 */
#include "bareprof_mip.h"

uint32_t bareprof_mip_time;
