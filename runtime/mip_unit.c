/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the header says of a program whose objects do not: covered functions,
 * no hash. `bareprof mip patch` writes what is right into the ELF, so the
 * compiler must not know it: hence volatile.
 */
#include "bareprof_mip.h"

const volatile struct bareprof_mip_unit bareprof_mip_unit = {1, 0};
