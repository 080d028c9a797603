/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The raw section as an image for the link. The version word says that a
 * counter is a byte.
 */
#include "image.h"
#include "mip.h"

const uint64_t bareprof_mip_version =
    BAREPROF_BYTE_COVERAGE | BAREPROF_MIP_VERSION;

/* Weak: BAREPROF_MIP_EDGES defines one that has these too. */
__attribute__((weak)) const struct bareprof_image bareprof_mip_image =
    BAREPROF_MIP_IMAGE(NULL, NULL);
