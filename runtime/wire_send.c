/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compiles the inline functions of bareprof_wire.h as external functions, for
 * code that is not optimised and for other languages. The functions have a file
 * of their own, because a unit test may define functions of these names.
 */
#define BAREPROF_WIRE_INLINE
#include "bareprof_wire.h"
