/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The raw version of the archive: that of the compiler which compiles the
 * runtime, and so of the objects beside it. BAREPROF_RAW_VERSION overrides the
 * choice: build the runtime with another compiler (gcc, say) for the objects of
 * clang 14 with -DBAREPROF_RAW_VERSION=8.
 */
#ifndef BAREPROF_RUNTIME_RAW_VERSION_H
#define BAREPROF_RUNTIME_RAW_VERSION_H

#ifndef BAREPROF_RAW_VERSION
#if !defined __clang_major__
#define BAREPROF_RAW_VERSION 10
#elif __clang_major__ > 23 && !defined BAREPROF_ANY_VERSION && \
    !defined BAREPROF_FOREIGN
#error "clang 13 to 23 are known: get a newer bareprof"
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

#if BAREPROF_RAW_VERSION < 7 || BAREPROF_RAW_VERSION > 11
#error "raw versions 7 to 11 are known: get a newer bareprof"
#endif

#endif
