/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lists the LLVM releases whose formats this tool knows. Code that reads or
 * writes for a release treats later releases like the last known one.
 */
#ifndef BAREPROF_TOOLS_LLVM_H
#define BAREPROF_TOOLS_LLVM_H

#define LLVM_FIRST 13
#define LLVM_LAST 23

/* LLVM_LAST in texts. tests/docs/errors finds this name between strings. */
#define LLVM_LAST_TEXT LLVM_TEXT(LLVM_LAST)
#define LLVM_TEXT(number) LLVM_TEXT_OF(number)
#define LLVM_TEXT_OF(number) #number

#endif
