/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sleds that report edges, in a program without BAREPROF_MIP_EDGES: no room
 * for any. Weak, and of the compiler's knowledge nowhere else.
 */
#include "bareprof_mip.h"

__attribute__((weak)) const struct bareprof_mip_edges bareprof_mip_edges = {
    NULL, 0, NULL, NULL, NULL};
