/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Profiles from files of any kind (raw, indexed, text) into one. What is wrong
 * with a file, or remarkable in it, is printed.
 */
#ifndef BAREPROF_TOOLS_GATHER_H
#define BAREPROF_TOOLS_GATHER_H

#include "../base/file.h"
#include "raw.h"
#include "sources.h"

enum profile_format { FORMAT_RAW, FORMAT_INDEXED, FORMAT_TEXT };

/* What kind of file it was. */
struct profile_file {
  enum profile_format format;
  unsigned version; /* of text: 0 */
  bool wide, big;   /* of a raw one: 8-byte pointers; byte order */
};

struct gather {
  struct profile profile;
  struct raw_cache cache;
  const struct elf *elf; /* for raw profiles without records; or NULL */
  struct file image;     /* which it is in */
  struct elf image_elf;
  const char *const *files; /* names, by profile.source */
  bool quiet;               /* nothing is printed, of what can be read */
  bool only;                /* a single file comes: nothing is kept for more */
  size_t remarks;           /* of single functions, printed or not */
  struct profile_file last; /* what was added last */
};

/* Begins. files: the names of all that will be added, for messages. */
void gather_new(struct gather *gather, const char *const *files);
void gather_free(struct gather *gather);

/* Opens the ELF for raw profiles without records; NULL: there is none. 0, or 1:
 * printed what is wrong with it. */
int gather_elf(struct gather *gather, const char *name);

/* Adds file number `source` of the list, counts times weight. 0; or 1, and
 * then nothing was added, except if memory did not suffice. */
int gather_file(struct gather *gather, uint32_t source, uint64_t weight);

struct gather_work {
  const struct sources *inputs;
  unsigned threads;                          /* 2 or more */
  void (*progress)(size_t done, size_t all); /* never two calls at a time */
};

/* How many threads are of use: `wanted`, but no more than there are inputs; 0:
 * as many as the machine has processors, each with inputs enough to pay for a
 * profile of its own. */
unsigned gather_threads(const struct sources *inputs, unsigned wanted);

/* Adds all inputs to gather, which is new. The result is the same, to the
 * byte, as of one after the other. That only works as long as there is nothing
 * to be said of any of them: false if there is, or if memory does not suffice
 * or an input can be read only once. Nothing was printed then, and gather is
 * new again: add them one by one. */
bool gather_all(struct gather *gather, const struct gather_work *work);

#endif
