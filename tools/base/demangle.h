/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * C++ and Rust names in what is printed, as their authors wrote them: by
 * llvm-cxxfilt, which reads the text and replaces each mangled name in it.
 */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include <stdbool.h>

/* From now on standard output is held back. release: that LLVM's llvm-cxxfilt
 * is taken, if it is there; 0: any. Without a file for it, nothing is held
 * back. */
void demangle_begin(unsigned release);

/* Prints what was held back, demangled. Rust's hash (::h and 16 digits) is cut
 * off. Without llvm-cxxfilt the text is printed as it is. Does nothing if
 * demangle_begin was not called. 0, or 1: it could not be printed, which is
 * reported. */
int demangle_end(void);

/* llvm-cxxfilt's path: that of the release, or any. NULL: there is none. The
 * caller frees it. */
char *demangle_program(unsigned release);

#endif
