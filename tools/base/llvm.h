/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The releases of LLVM whose formats are known: what writes and reads for a
 * release stops at the last one, and takes later ones for that.
 */
#ifndef BAREPROF_TOOLS_LLVM_H
#define BAREPROF_TOOLS_LLVM_H

#define LLVM_FIRST 13
#define LLVM_LAST 23

/* LLVM_TEXT(LLVM_LAST): as part of a text. */
#define LLVM_TEXT(number) LLVM_TEXT_OF(number)
#define LLVM_TEXT_OF(number) #number

#endif
