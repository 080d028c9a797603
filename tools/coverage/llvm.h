/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the LLVM release of an image, and the programs of that release.
 */
#ifndef BAREPROF_TOOLS_LLVM_H
#define BAREPROF_TOOLS_LLVM_H

#include "../object/elf.h"

/* Returns the highest release of clang that the ELF names (.comment, debug
 * information) and that writes this raw version. 0: the ELF names none. */
unsigned llvm_release(const struct elf *elf, unsigned raw);

/* The raw version that a release's llvm-profdata reads; 0: not known. */
unsigned llvm_raw(unsigned release);

struct program {
  char *path;       /* the caller frees it */
  unsigned release; /* 0: the program does not say */
};

struct search {
  const char *tool;  /* "llvm-profdata" or "llvm-cov" */
  const char *given; /* by the user, or NULL */
  unsigned forced;   /* the user's choice of release; 0: any that fits */
  unsigned release;  /* of the images' compiler; 0: not known */
  unsigned least;    /* the program's lowest allowed release */
  /* A release below least is allowed if it reads this raw version; 0: none
   * is. */
  unsigned raw;
  bool quiet; /* A missing program is not reported. */
};

/* Asks a program for its version, such as "22.1.8"; "": it does not say. tool:
 * as in struct search. */
enum { LLVM_VERSION = 64 };
void llvm_version(const char *path, const char *tool,
                  char version[LLVM_VERSION]);

/* Finds the program, in this order: the given program; the program of the exact
 * release; the program without a number, if it fits; a later release, the
 * nearest first; an earlier release. Returns 0, or reports the missing program
 * and returns 1. */
int llvm_find(const struct search *search, struct program *program);

#endif
