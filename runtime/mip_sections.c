/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines bareprof_mip: the bounds of the raw section, from the linker script,
 * and the parts that a program links. If mip.c defined bareprof_mip, the
 * compiler would load each member's value as a separate constant, and the code
 * of mip.c would be larger.
 */
#include "image.h"
#include "mip.h"
#include "weak_hooks.h"

/* The version word of bareprof_mip_image; its variant bit says that a counter
 * is a byte. mip_image.c does not define the word, because programs with edges
 * replace that file. */
const uint64_t bareprof_mip_version =
    BAREPROF_BYTE_COVERAGE | BAREPROF_MIP_VERSION;

/* The default header fields: profile type 1, function coverage, and module hash
 * 0, unknown. The defaults are used if the program's objects do not define the
 * fields. The fields are volatile, because `bareprof mip patch` writes the true
 * values into the ELF file. */
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
