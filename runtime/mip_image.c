/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The raw section as an image for the wire, in programs without
 * BAREPROF_MIP_EDGES, which defines one that has these too. Nothing else is
 * here, so that the program's takes the place of the whole member.
 */
#include "bareprof_mip.h"

const struct bareprof_image bareprof_mip_image = BAREPROF_MIP_IMAGE(NULL, NULL);
