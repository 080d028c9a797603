/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A function, or one that is inlined, as dwarf_scopes.c finds it and
 * dwarf_inline.c looks it up.
 */
#ifndef BASE_DWARF_SCOPE_H
#define BASE_DWARF_SCOPE_H

#include "dwarf_inside.h"

struct dwarf_scope {
  uint64_t entry;  /* offset in .debug_info */
  uint32_t unit;   /* its number */
  uint32_t parent; /* what it is inlined into; 0: nothing */
};

#endif
