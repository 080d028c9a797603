/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which release of LLVM an image is of, and where that release's programs are.
 */
#ifndef BAREPROF_TOOLS_LLVM_H
#define BAREPROF_TOOLS_LLVM_H

#include "../object/elf.h"

/* The highest release of clang that is named in the ELF (.comment, debug
 * information) and writes this raw version; 0: none is. */
unsigned llvm_release(const struct elf *elf, unsigned raw);

/* The raw version that a release's llvm-profdata reads; 0: not known. */
unsigned llvm_raw(unsigned release);

struct program {
  char *path;       /* the caller frees it */
  unsigned release; /* 0: it does not say */
};

struct search {
  const char *tool;  /* "llvm-profdata" or "llvm-cov" */
  const char *given; /* by the user, or NULL */
  unsigned forced;   /* the release that the user wants; 0: any that fits */
  unsigned release;  /* of the images' compiler; 0: not known */
  unsigned least;    /* what the program must be at least */
  unsigned raw;      /* releases below least that read this will do, too;
                         0: none */
};

/* Finds the program: the one given; else that of the very release; else the
 * one without a number, if it fits; else a later release, the nearest first;
 * then an earlier one. Reports what is missing, and returns 1. */
int llvm_find(const struct search *search, struct program *program);

#endif
