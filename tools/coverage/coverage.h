/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counts of ELFs to coverage, by llvm-profdata and llvm-cov. ELFs of one
 * compiler whose functions do not clash by name make a group, of which
 * llvm-cov makes one report.
 */
#ifndef BAREPROF_TOOLS_COVERAGE_H
#define BAREPROF_TOOLS_COVERAGE_H

#include "../base/buffer.h"
#include "alike.h"
#include "filter.h"
#include "folder.h"
#include "inputs.h"
#include "llvm.h"

/* What the user wants of it. */
struct wishes {
  const char *profdata, *cov; /* programs, or NULL */
  unsigned llvm;              /* release, or 0 */
  const char **maps;
  size_t map_count;
  struct filter filter;
  bool lcov, json;    /* these exports, too */
  bool allow_missing; /* sources, too */
  bool no_demangle;   /* names as the compiler has them */
};

struct group {
  size_t *members; /* subjects by number */
  size_t count;
  unsigned release, raw; /* of the compiler; 0: not known */
  struct program profdata, cov;
  char *html;  /* its folder in the report */
  bool warned; /* llvm-cov's warnings have been passed on */
  struct summary summary;
};

struct coverage {
  const struct wishes *wishes;
  struct inputs *inputs;
  struct folder *folder;
  /* What comes of it, 0 at first. */
  struct group *groups;
  size_t count;
  struct buffer lcov; /* exports of the groups */
  struct buffer json;
  /* Of use to coverage.c only. */
  size_t kept;           /* source files, where some are left out */
  struct traits *traits; /* of each subject, if there are several */
};

/* Reports what is wrong, and returns 0 or 1. Fills the folder with profiles
 * and HTML. */
int coverage_make(struct coverage *coverage);
void coverage_free(struct coverage *coverage);

#endif
