/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The number of the next first call: 4 bytes of RAM in programs whose sleds
 * count. The helpers' reference links this member.
 */
#include "bareprof_mip.h"

uint32_t bareprof_mip_time;
