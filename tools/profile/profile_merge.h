/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Merges profiles from files of any kind (raw, indexed, text), and prints
 * errors in a file and remarks about its content. Commands in cmd/ pass a list
 * of files, and get a profile (model.h); functions of indexed.h and proftext.h
 * write it.
 */
#ifndef BAREPROF_TOOLS_PROFILE_MERGE_H
#define BAREPROF_TOOLS_PROFILE_MERGE_H

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

/* ---- a list of files to merge, each with a weight ---- */

struct merge_inputs {
  const char **names;
  uint64_t *weights;
  size_t count;
  char **texts; /* contents of lists, which hold the names */
  size_t text_count;
};

/* Adds the inputs that a list file names: NAME or W,NAME on each line. Empty
 * lines and lines that begin with # are ignored. Returns 0; or prints the error
 * and returns 1. */
int merge_inputs_read_list(struct merge_inputs *inputs, const char *file);

/* Adds the inputs given to a command: names (up to a NULL), W,NAME of options,
 * and list files. The order is llvm-profdata's, because some bytes of the
 * output depend on the order. Returns 0; or prints the error and returns 1. */
struct merge_input_arguments {
  char **names;
  struct merge_inputs weighted, lists;
};
int merge_inputs_collect(struct merge_inputs *inputs,
                         const struct merge_input_arguments *given);

/* Each function handles an option of a command whose arguments begin with
 * merge_input_arguments. */
const char *merge_inputs_add_weighted(void *given, const char *value);
const char *merge_inputs_add_list(void *given, const char *value);
#define MERGE_INPUT_ROWS                                                      \
  {.name = "weighted-input",                                                  \
   .value = "W,IN",                                                           \
   .help = "multiply the counts of input profile IN by W",                    \
   .parse_value = merge_inputs_add_weighted},                                 \
  {                                                                           \
    .name = "input-files", .value = "LIST",                                   \
    .help = "read the names of inputs from the file LIST, one per line: IN, " \
            "or W,IN to multiply the counts of IN by W",                      \
    .parse_value = merge_inputs_add_list                                      \
  }

void merge_inputs_free(struct merge_inputs *inputs);

/* ---- renames.c: names of files ----
 *
 * Renames files (--rename FROM=TO) in the names of static functions. Such a
 * name contains the file's name before a separator, or a number derived from
 * the file's name: `file.c;name`, `name.__uniq.N`, or both. The file's name is
 * as it was passed to the compiler, so a build in another folder may have other
 * names.
 *
 *     struct file_renames renames = {.count = 0};
 *     const char *error = renames_add_rule(&renames, "/build/one/=");
 *     ...
 *     renames_free(&renames);
 */

enum { RENAMES_MOST = 256 };

struct file_renames {
  const char *list[RENAMES_MOST]; /* FROM=TO; the first matching rule applies */
  size_t count;
  bool used;                   /* a name has been changed */
  struct file_md5_digits *numbers; /* of known files */
  size_t number_count;
};

/* The row for this field in a command's table of options. */
#define RENAMES_ROW(type, field)                                               \
  {                                                                            \
    .name = "rename", .value = "FROM=TO",                                      \
    .help = "treat the static functions of source file FROM as functions of "  \
            "file TO, because the file was renamed or moved. Write both "      \
            "names as the compiler got them, such as own.c=src/own.c, or two " \
            "folders that end with /, such as /build/one/=/build/two/",        \
    .to = offsetof(type, field), .parse_value = renames_add_rule               \
  }

/* Adds a rule: the complete name of a file, or a folder that ends with a slash,
 * for which TO may be empty. Returns NULL or the error. */
const char *renames_add_rule(void *renames, const char *rule);
void renames_free(struct file_renames *renames);

/* Adds the source files of a program. A folder's rule can change numbers only
 * of known files: FROM of all rules, the file in a name itself, and these
 * sources. */
void renames_add_sources(struct file_renames *renames,
                         const struct dwarf *dwarf);

/* Appends the new name of a function. file_size is the length of the file's
 * name at the beginning of the function's name, or 0. */
void renames_append_name(struct file_renames *renames, struct bytes name,
                         size_t file_size, struct buffer *to);

/* Warns if rules exist, but no name was changed. */
void renames_warn_unused(const struct file_renames *renames, const char *file);

enum profile_format { FORMAT_RAW, FORMAT_INDEXED, FORMAT_TEXT };

/* The format of a file. */
struct profile_file_kind {
  enum profile_format format;
  unsigned version; /* 0 for text */
  bool wide, big;   /* of a raw profile: 8-byte pointers; byte order */
};

/* A remark about functions of the file that is being read. */
struct merge_remark {
  size_t count;   /* number of records that it applies to */
  uint32_t other; /* number of the first file with the first of these records */
  char name[200]; /* beginning of the first function's name */
};

struct profile_merge {
  struct profile profile;
  struct raw_cache cache;
  const struct elf *elf; /* for raw profiles without records; may be NULL */
  struct file image;     /* the file that contains the ELF */
  struct file lasting;   /* a file that must stay open, since the profile uses
                              its bytes */
  struct indexed_window_reader
      *windows; /* where the functions come from; or NULL */
  struct elf image_elf;
  const char *const *files; /* names, indexed by profile.source */
  bool quiet;               /* print only errors */
  bool only;                /* the only file, so nothing must be kept for
                               further files */
  bool remarked;            /* there was a remark, printed or not */
  struct merge_remark remarks[ADDITION_BITS]; /* printed once the file was read
                                                 without an error */
  struct profile_file_kind last; /* the kind of the file added last */
};

/* Initialises a merge. `files` has the names of all files that will be added,
 * for messages. */
void profile_merge_new(struct profile_merge *merge, const char *const *files);
void profile_merge_free(struct profile_merge *merge);

/* Opens the ELF for raw profiles without records; name may be NULL. Returns 0;
 * or prints the error and returns 1. */
int profile_merge_open_elf(struct profile_merge *merge, const char *name);

/* Adds file number `source` of the list, with counts multiplied by weight.
 * Returns 0 or 1. After 1 nothing was added, unless memory ran out midway or
 * profile.lost_on_error is set. */
int profile_merge_add_file(struct profile_merge *merge, uint32_t source,
                           uint64_t weight);

/* Opens a file as gather->windows and adds everything except functions to the
 * profile. If the file cannot be read in windows, gather->windows is NULL; then
 * call profile_merge_add_whole_file. Returns 0 or 1. */
int profile_merge_open_windows(struct profile_merge *merge, uint32_t source);

/* Adds the open file completely. Returns 0 or 1. */
int profile_merge_add_whole_file(struct profile_merge *merge);

/* Gives local names this separator: see translate_local_names. `name` is the
 * profile's name for messages. */
void profile_merge_set_separator(struct profile_merge *merge, char separator,
                                 const char *name);

/* Renames the files in local names: see translate_file_names. */
void profile_merge_rename_files(struct profile_merge *merge,
                                struct file_renames *renames, const char *name);

struct parallel_merge {
  const struct merge_inputs *inputs;
  unsigned threads;                          /* 2 or more */
  void (*progress)(size_t done, size_t all); /* never called concurrently */
};

/* Returns the useful number of threads: `wanted`, but at most one for each
 * input. If `wanted` is 0, one for each processor, but only as many as have
 * enough inputs to be worth a profile of their own. */
unsigned profile_merge_thread_count(const struct merge_inputs *inputs,
                                    unsigned wanted);

/* Adds all inputs to a new merge. The result has the same bytes as if the
 * inputs were added one by one. Returns false if any input causes a message, if
 * memory runs out, or if an input can be read only once. Then nothing was
 * printed and `gather` is unchanged; add the inputs one by one. */
bool profile_merge_in_threads(struct profile_merge *merge,
                              const struct parallel_merge *work);

/* ---- renames.c: names in a profile ----
 *
 * Changes the names of local functions. In IR profiles, local functions are
 * named `file.c:name` up to clang 17 and `file.c;name` later; in front-end
 * profiles the separator is always a colon. */

/* Gives all local names in an IR profile this separator, ':' or ';', and
 * updates the values and traces that refer to them. Functions that become the
 * same are added up; a different shape is an event. */
void translate_local_names(struct profile *profile, char separator,
                           const struct addition_handler *events);

/* Renames the files in local names of profiles of any kind. Otherwise like
 * translate_local_names. */
void translate_file_names(struct profile *profile, struct file_renames *renames,
                          const struct addition_handler *events);

/* Returns a pointer to the separator in a local name, or NULL if the name is
 * not local or has the other separator. */
const char *translate_find_separator(const char *name, size_t name_size,
                                     char separator);

#endif
