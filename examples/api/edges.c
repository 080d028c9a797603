/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_mip.h: counts calls, for each pair of caller and callee.
 */
#include "bareprof_mip.h"

#include "api.h"
BAREPROF_MIP_EDGES(256);

int write_calls(void) { return bareprof_mip_edges_write(&uart); }
