/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The inline functions of bareprof_wire.h, compiled as external functions. Code
 * that is not optimised and code in other languages call them. They are in a
 * file of their own, because a unit test may define functions of these names.
 */
#define BAREPROF_WIRE_INLINE
#include "bareprof_wire.h"
