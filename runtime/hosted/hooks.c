/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The hooks of value profiling, in the place of ../values.c: room.c, too, is
 * linked when instrumented code calls one.
 */
#include "../seams.h"

BAREPROF_LINKS(bareprof_hosted_write_values);

#include "../values.c"
