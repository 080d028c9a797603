/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_mip: the raw section between the linker script's symbols, and the
 * parts that a program links. A file of its own: in mip.c its constants would
 * be loaded by address, which is larger.
 */
#include "image.h"
#include "mip.h"
#include "weak_hooks.h"

/* The version word of the raw section as an image: a counter is a byte. Not in
 * mip_image.c, because BAREPROF_MIP_EDGES replaces that member. */
const uint64_t bareprof_mip_version =
    BAREPROF_BYTE_COVERAGE | BAREPROF_MIP_VERSION;

/* Header fields of programs whose objects have none: function coverage, no
 * hash. Volatile, because `bareprof mip patch` writes the true values into the
 * ELF. */
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
