/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The inline functions of bareprof_wire.h as external ones: for options that
 * the compiler does not see, and for callers in other languages. A file of its
 * own, for a unit test may bring functions of these names.
 */
#define BAREPROF_WIRE_INLINE
#include "bareprof_wire.h"
