/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The header's fields for programs whose objects have none: covered functions,
 * no hash. `bareprof mip patch` writes the correct values into the ELF, so the
 * compiler must not use these: hence volatile.
 */
#include "bareprof_mip.h"

const volatile struct bareprof_mip_unit bareprof_mip_unit = {1, 0};
