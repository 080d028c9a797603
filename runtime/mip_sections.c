/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Linker symbols -> bareprof_mip. They are there where the linker script has
 * the sections, where sleds count, where the program makes room.
 */
#include "image.h"
#include "mip.h"
#include "weak_hooks.h"

/* The raw section as an image for the wire: a counter is a byte. Not in
 * mip_image.c, whose place BAREPROF_MIP_EDGES takes. */
const uint64_t bareprof_mip_version =
    BAREPROF_BYTE_COVERAGE | BAREPROF_MIP_VERSION;

/* Header fields of programs whose objects have none: covered functions, no
 * hash. `bareprof mip patch` writes the correct values into the ELF, so the
 * compiler must not use these: hence volatile. */
const volatile struct bareprof_mip_unit bareprof_mip_unit = {1, 0};

const struct bareprof_mip bareprof_mip = {
    .begin = __bareprof_mip_begin,
    .end = __bareprof_mip_end,
    .unit = &bareprof_mip_unit,
    .built = &hook_mip_built,
    .time = &hook_mip_time,
    .edges = &hook_mip_edges,
    .room = &hook_mip_room_used,
};
