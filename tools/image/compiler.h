/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which clangs have compiled an ELF, and which raw version each writes.
 */
#ifndef BAREPROF_TOOLS_COMPILER_H
#define BAREPROF_TOOLS_COMPILER_H

#include "../object/elf.h"

/* The last release that bit sets below have a place for. */
enum { COMPILER_LAST = 63 };

/* The releases named in a section such as .comment or .debug_str, as "clang
 * version 22.1.0" does: bit n for release n. */
uint64_t compiler_releases(const struct elf *elf, const char *section);

/* The raw version that a release writes and reads; 0: not known. */
unsigned compiler_raw(unsigned release);

#endif
