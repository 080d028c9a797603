/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines an image struct for the raw section; mip_send.c sends the image. In
 * programs with edges, BAREPROF_MIP_EDGES or _SAMPLED defines the struct, and
 * so replaces this file. Therefore the file defines nothing else.
 */
#include "bareprof_mip.h"

/* BAREPROF_MIP_IMAGE initialises the members in this order, not by name,
 * because C++ programs use the macro, too. */
_Static_assert(offsetof(struct bareprof_image, version) <
                       offsetof(struct bareprof_image, guard) &&
                   offsetof(struct bareprof_image, guard) <
                       offsetof(struct bareprof_image, pieces) &&
                   offsetof(struct bareprof_image, pieces) <
                       offsetof(struct bareprof_image, build_id) &&
                   offsetof(struct bareprof_image, build_id) <
                       offsetof(struct bareprof_image, values),
               "the order of BAREPROF_MIP_IMAGE");

const struct bareprof_image bareprof_mip_image = BAREPROF_MIP_IMAGE(NULL, NULL);
