/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Merges profiles from files of any kind (raw, indexed, text). Prints errors in
 * a file, and remarks about its content.
 */
#ifndef BAREPROF_TOOLS_GATHER_H
#define BAREPROF_TOOLS_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/storage.h"
#include "../base/bytes.h"
#include "../base/file.h"
#include "../object/dwarf.h"
#include "indexed.h"
#include "model.h"
#include "raw.h"

/* ---- sources.c ----
 *
 * A list of files to merge, each with a weight.
 */

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

/* ---- renames.c ----
 *
 * New names of files (--rename FROM=TO), for names of static functions: those
 * have the file's name before a separator, or are numbered by it:
 * `file.c;name`, `name.__uniq.N`, or both. The file is named as the compiler
 * was given it, and so a build in another folder may have other names.
 *
 *     struct renames renames = {.count = 0};
 *     const char *error = renames_take(&renames, "/build/one/=");
 *     ...
 *     renames_free(&renames);
 */

enum { RENAMES_MOST = 256 };

struct renames {
  const char *list[RENAMES_MOST]; /* FROM=TO; the first that fits counts */
  size_t count;
  bool used;             /* a name has changed */
  struct buffer numbers; /* only for renames.c */
};

/* The row of a command's table, for this field of its arguments. */
#define RENAMES_ROW(type, field)                                            \
  {                                                                         \
    .name = "rename", .value = "FROM=TO",                                   \
    .help = "statics of file FROM are now of file TO: give both as the "    \
            "compiler was given them, such as own.c=src/own.c, or folders " \
            "with a / at their ends, such as /build/one/=",                 \
    .to = offsetof(type, field), .take = renames_take                       \
  }

/* Adds a rule: the whole name of a file, or a folder that ends in a slash, for
 * which TO may be empty. Returns NULL or the error. */
const char *renames_take(void *renames, const char *rule);
void renames_free(struct renames *renames);

/* A folder's rule changes the numbers of those files only that are known: FROM
 * of all rules, a name's own file, and the sources that a program was compiled
 * from. Returns NULL or the error. */
const char *renames_know(struct renames *renames, const struct dwarf *dwarf);

/* Appends a function's new name. file_size: of the file's name that it begins
 * with; 0: none. Returns NULL or the error. */
const char *renames_put(struct renames *renames, struct bytes name,
                        size_t file_size, struct buffer *to);

/* Says so, if there are rules and no name has changed. */
void renames_report(const struct renames *renames, const char *file);

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

/* ---- translate.c ----
 *
 * Names of local functions: in IR profiles `file.c:name` by clang up to 17,
 * `file.c;name` since; in front-end profiles with a colon in all.
 */

/* Gives all local names of an IR profile this separator, ':' or ';', and the
 * values and traces that refer to them the new references. Functions that
 * become the same are added up; a different shape is an event. Returns NULL or
 * the error; after an error the profile is unusable. */
const char *translate_locals(struct profile *profile, char separator,
                             const struct read_events *events);

/* Gives the files of local names, in profiles of any kind, other names.
 * Otherwise as translate_locals. */
const char *translate_files(struct profile *profile, struct renames *renames,
                            const struct read_events *events);

/* Returns the place of a local name's separator. NULL: the name is not local,
 * or has the other separator. */
const char *local_separator(const char *name, size_t name_size, char separator);

#endif
