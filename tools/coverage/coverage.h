/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns counts of ELFs into coverage with llvm-profdata and llvm-cov. ELFs of
 * one compiler whose function names do not clash form a group. llvm-cov makes
 * one report for each group.
 */
#ifndef BAREPROF_TOOLS_COVERAGE_H
#define BAREPROF_TOOLS_COVERAGE_H

#include "../base/buffer.h"
#include "alike.h"
#include "exclusions.h"
#include "exported.h"
#include "filter.h"
#include "folder.h"
#include "inputs.h"
#include "llvm.h"

/* The user's options. */
struct wishes {
  const char *profdata, *cov; /* programs, or NULL */
  unsigned llvm;              /* release, or 0 */
  const char **maps;
  size_t map_count;
  struct filter filter;
  bool lcov, json;       /* these exports, too */
  bool allow_missing;    /* sources, too */
  bool allow_changed;    /* sources since the build */
  bool mcdc;             /* A limit of MC/DC is set. */
  bool allow_unmeasured; /* decisions, below that limit */
  bool no_demangle;      /* names as the compiler has them */
  bool llvm_html;        /* llvm-cov's pages in place of our own */
};

struct group {
  size_t *members; /* subjects by number */
  size_t count;
  unsigned release, raw; /* of the compiler; 0: not known */
  struct program profdata, cov;
  char *html;  /* its folder in the report */
  bool warned; /* llvm-cov's warnings have been passed on */
  bool final;  /* no other ELF joins it */
  struct exported exported;
  struct summary before; /* with what is excluded, if anything is */
  /* A later llvm-cov, and its export, if the compiler's own exports no vectors
   * of MC/DC; else empty. */
  struct program vectors_cov;
  struct exported vectors;
};

struct coverage {
  const struct wishes *wishes;
  struct inputs *inputs;
  struct folder *folder;
  struct exclusions *exclusions; /* begun by the caller */
  /* The result, 0 at first. */
  struct group *groups;
  size_t count;
  struct buffer lcov; /* exports of the groups */
  struct buffer json;
  struct buffer unmeasured;   /* see unmeasured.h; empty without MC/DC */
  size_t unmeasured_excluded; /* decisions that were in it */
  /* Only for coverage.c. */
  size_t kept;           /* source files, where some are left out */
  struct traits *traits; /* of each subject, if there are several */
};

/* Fills the folder with profiles and HTML. Returns 0, or reports the error and
 * returns 1. */
int coverage_make(struct coverage *coverage);
void coverage_free(struct coverage *coverage);

/* Reads the summary of a group from llvm-cov. Returns 0, or reports the error
 * and returns 1. The caller frees the summary in both cases, and need not
 * initialise it before. */
int coverage_measure(const struct coverage *coverage, const struct group *group,
                     struct summary *summary);

#endif
