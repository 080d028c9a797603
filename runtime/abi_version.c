/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The version word for objects that do not bring their own. Objects of IR
 * PGO and of single-byte coverage define __llvm_profile_raw_version, with
 * variant bits; objects of front-end coverage carry nothing, so the compiler
 * of the runtime stands for theirs.
 *
 * BAREPROF_RAW_VERSION overrides the choice: build the runtime with another
 * compiler (gcc, say) for the objects of clang 14 with
 * -DBAREPROF_RAW_VERSION=8.
 */
#include "bareprof.h"

#ifndef BAREPROF_RAW_VERSION
#if !defined __clang_major__
#define BAREPROF_RAW_VERSION 10
#elif __clang_major__ >= 23
#define BAREPROF_RAW_VERSION 11
#elif __clang_major__ >= 19
#define BAREPROF_RAW_VERSION 10
#elif __clang_major__ == 18
#define BAREPROF_RAW_VERSION 9
#elif __clang_major__ >= 14
#define BAREPROF_RAW_VERSION 8
#else
#define BAREPROF_RAW_VERSION 7
#endif
#endif

extern const uint64_t __llvm_profile_raw_version;
const uint64_t __llvm_profile_raw_version __attribute__((weak)) =
    BAREPROF_RAW_VERSION;
