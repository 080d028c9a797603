/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The names of functions, as users know them.
 */
#ifndef BAREPROF_TOOLS_HTML_DEMANGLED_H
#define BAREPROF_TOOLS_HTML_DEMANGLED_H

#include "site.h"

/* Demangles the functions' names in the view, unless the user wants them as the
 * compiler has them, or no llvm-cxxfilt is installed. Returns 0, or reports the
 * error and returns 1. */
int names_demangle(struct site *site);

#endif
