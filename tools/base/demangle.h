/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Demangles C++ and Rust names in the output. An external program reads the
 * whole text and replaces each mangled name. The program is LLVM's llvm-cxxfilt
 * or, if it is missing, binutils' c++filt.
 */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include <stdbool.h>
#include <stdio.h>

#include "storage.h"

/* Holds back standard output from now on. demangle_print_held prefers the
 * llvm-cxxfilt of the LLVM release `release`; 0 stands for any release. If no
 * temporary file can be made, nothing is held back. */
void demangle_hold_stdout(unsigned release);

/* Prints the held-back text with demangled names and without Rust's hashes (::h
 * and 16 digits). If no program was found or the program failed, the text is
 * printed unchanged. Does nothing if demangle_hold_stdout was not called.
 * Returns 0; or reports that printing failed, and returns 1. */
int demangle_print_held(void);

/* Demangles the names in a file, from its beginning, and removes Rust's hashes.
 * `plain` receives as many lines as the file has. Returns false if no program
 * was found or the program failed; then the content of `plain` is undefined.
 * The caller frees plain. */
bool demangle_lines(unsigned release, FILE *lines, struct buffer *plain);

#endif
