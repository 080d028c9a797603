/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Merges profiles from files of any kind (raw, indexed, text). Prints errors in
 * a file, and remarks about its content.
 */
#ifndef BAREPROF_TOOLS_GATHER_H
#define BAREPROF_TOOLS_GATHER_H

#include "../base/file.h"
#include "indexed_read.h"
#include "raw.h"
#include "renames.h"
#include "sources.h"

enum profile_format { FORMAT_RAW, FORMAT_INDEXED, FORMAT_TEXT };

/* The kind of a file. */
struct profile_file {
  enum profile_format format;
  unsigned version; /* of text: 0 */
  bool wide, big;   /* of a raw one: 8-byte pointers; byte order */
};

/* What is to be said about functions of the file that is being read. */
struct remark {
  size_t count;   /* records that it is true of */
  uint32_t other; /* number of the first file with the first of them */
  char name[200]; /* the beginning of the first function's */
};

struct gather {
  struct profile profile;
  struct raw_cache cache;
  const struct elf *elf;   /* for raw profiles without records; or NULL */
  struct file image;       /* which it is in */
  struct file lasting;     /* the only one: the profile uses its bytes */
  struct windows *windows; /* the functions come from here, or NULL */
  struct elf image_elf;
  const char *const *files; /* names, by profile.source */
  bool quiet;               /* nothing is printed about readable files */
  bool only;                /* only one file comes: keep nothing for more */
  bool remarked;            /* something was to be said, printed or not */
  struct remark remarks[ADDITION_BITS]; /* printed if the file can be read */
  struct profile_file last;             /* what was added last */
};

/* Begins. files: the names of all that will be added, for messages. */
void gather_new(struct gather *gather, const char *const *files);
void gather_free(struct gather *gather);

/* Opens the ELF for raw profiles without records; NULL: there is none. Returns
 * 0, or prints the error and returns 1. */
int gather_elf(struct gather *gather, const char *name);

/* Adds file number `source` of the list, with counts times weight. Returns 0 or
 * 1. After 1 nothing was added, unless memory ran out midway, or
 * profile.lost_on_error is set. */
int gather_file(struct gather *gather, uint32_t source, uint64_t weight);

/* Opens the file as gather->windows, and the profile has the rest of it; or
 * without windows, if it is none that can be read so: then comes gather_whole.
 * Both return 0 or 1. */
int gather_windows(struct gather *gather, uint32_t source);

/* Adds the file that is open as a whole. */
int gather_whole(struct gather *gather);

/* Gives local names this separator: see translate_locals. name: of the profile
 * in messages. Returns 0, or prints the error and returns 1. */
int gather_translate(struct gather *gather, char separator, const char *name);

/* Gives the files of local names other names: see translate_files. */
int gather_rename(struct gather *gather, struct renames *renames,
                  const char *name);

struct gather_work {
  const struct sources *inputs;
  unsigned threads;                          /* 2 or more */
  void (*progress)(size_t done, size_t all); /* never two calls at a time */
};

/* Returns the useful number of threads: `wanted`, but at most one per input.
 * wanted 0: one per processor, provided that each thread has enough inputs to
 * pay for its own profile. */
unsigned gather_threads(const struct sources *inputs, unsigned wanted);

/* Adds all inputs to a new gather. The result is the same, to the byte, as
 * after adding them one by one. Returns false if any input causes a message, if
 * memory runs out, or if an input can be read only once. Then nothing was
 * printed and gather is new again: add the inputs one by one. */
bool gather_all(struct gather *gather, const struct gather_work *work);

#endif
