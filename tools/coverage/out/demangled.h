/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The names of functions, as users know them.
 */
#ifndef BAREPROF_TOOLS_DEMANGLED_H
#define BAREPROF_TOOLS_DEMANGLED_H

#include "../model/view.h"

/* Demangles the functions' names in the view, if an llvm-cxxfilt is installed,
 * best of this release. Returns NULL or the error. */
const char *names_demangle(struct view *view, unsigned release);

#endif
