/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Demangles C++ and Rust names in the output. One program reads the text and
 * replaces each mangled name: LLVM's llvm-cxxfilt, otherwise binutils' c++filt.
 */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include <stdbool.h>
#include <stdio.h>

#include "storage.h"

/* Holds back standard output from now on. release: demangle_end prefers
 * llvm-cxxfilt of this LLVM release; 0: any release. If no temporary file can
 * be made, nothing is held back. */
void demangle_begin(unsigned release);

/* Prints the held-back text, demangled. Rust's hash (::h and 16 digits) is cut
 * off. Without a program the text is printed as it is. Does nothing if
 * demangle_begin was not called. Returns 0; or 1 if printing failed, after it
 * reported the error. */
int demangle_end(void);

/* Demangles the names in a file, from its beginning: plain has the same lines
 * then, without Rust's hashes. false: there is no program, or it failed; plain
 * may have anything. The caller frees plain. */
bool demangle_lines(unsigned release, FILE *lines, struct buffer *plain);

#endif
