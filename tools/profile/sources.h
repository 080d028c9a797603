/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A list of files to merge, each with a weight.
 */
#ifndef BAREPROF_TOOLS_SOURCES_H
#define BAREPROF_TOOLS_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sources {
  const char **names;
  uint64_t *weights;
  size_t count;
  char **texts; /* contents of lists, where names are */
  size_t text_count;
};

/* Adds what a file names: NAME or W,NAME in each line; empty lines and those
 * that begin with # do not count. Returns 0, or prints the error and returns
 * 1. */
int sources_list(struct sources *inputs, const char *file);

/* Adds what a command was given: names (up to a NULL), W,NAME of options, and
 * lists by the names of their files; in the order of llvm-profdata, because
 * some bytes of the output depend on the order. Returns 0, or prints the error
 * and returns 1. */
struct sources_given {
  char **names;
  struct sources weighted, lists;
};
int sources_take(struct sources *inputs, const struct sources_given *given);

/* For a command's table, whose arguments begin with sources_given. */
const char *sources_take_weighted(void *given, const char *value);
const char *sources_take_list(void *given, const char *value);
#define SOURCES_ROWS                                          \
  {.name = "weighted-input",                                  \
   .value = "W,IN",                                           \
   .help = "count IN W times",                                \
   .take = sources_take_weighted},                            \
  {                                                           \
    .name = "input-files", .value = "LIST",                   \
    .help = "file with names of inputs, or W,IN, one a line", \
    .take = sources_take_list                                 \
  }

void sources_free(struct sources *inputs);

/* Whether to show progress: standard error is a terminal. */
bool sources_progress(void);

#endif
