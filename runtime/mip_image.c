/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The raw section as an image for the wire. BAREPROF_MIP_EDGES defines an image
 * with edges, which replaces this member: so it has nothing else.
 */
#include "bareprof_mip.h"

/* BAREPROF_MIP_IMAGE initialises in this order: C++ has no designators. */
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
