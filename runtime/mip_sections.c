/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Linker symbols -> bareprof_mip. All weak: they are there where the linker
 * script has the sections, where sleds count, where the program makes room.
 */
#include "mip.h"

#define WEAK extern __attribute__((weak))
WEAK uint32_t bareprof_mip_time;
WEAK const struct bareprof_mip_edges bareprof_mip_edges;
WEAK const struct bareprof_mip_room bareprof_mip_room_used;

const struct bareprof_mip bareprof_mip = {
    .begin = __bareprof_mip_begin,
    .end = __bareprof_mip_end,
    .unit = &bareprof_mip_unit,
    .time = &bareprof_mip_time,
    .edges = &bareprof_mip_edges,
    .room = &bareprof_mip_room_used,
};
