/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Demangles C++ and Rust names in the output. llvm-cxxfilt reads the text and
 * replaces each mangled name.
 */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include <stdbool.h>
#include <stdio.h>

#include "buffer.h"

/* Holds back standard output from now on. release: demangle_end uses
 * llvm-cxxfilt of this LLVM release, if it is installed; 0: any release. If no
 * temporary file can be made, nothing is held back. release: that LLVM's
 * llvm-cxxfilt is taken, if it is there; 0: any. Without a file for it, nothing
 * is held back. */
void demangle_begin(unsigned release);

/* Prints the held-back text, demangled. Rust's hash (::h and 16 digits) is cut
 * off. Without llvm-cxxfilt the text is printed as it is. Does nothing if
 * demangle_begin was not called. Returns 0; or 1 if printing failed, after it
 * reported the error. */
int demangle_end(void);

/* Demangles the names in a file, from its beginning: plain has the same lines
 * then, without Rust's hashes. false: there is no llvm-cxxfilt, or it failed;
 * plain may have anything. The caller frees plain. */
bool demangle_lines(unsigned release, FILE *lines, struct buffer *plain);

/* Returns the path of the release's llvm-cxxfilt, otherwise of any. NULL: none
 * was found. The caller frees the path. */
char *demangle_program(unsigned release);

#endif
