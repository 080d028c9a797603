/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Merges profiles from files of any kind (raw, indexed, text), and prints
 * errors in a file and remarks about its content. Commands in cmd/ pass a list
 * of files, and get a profile (model.h). Functions of indexed.h and proftext.h
 * write the profile.
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

/* ---- profile_merge.c: a list of files to merge, each with a weight ---- */

struct merge_inputs {
  const char **names;
  uint64_t *weights;
  size_t count;
  char **texts; /* contents of the list files, to which `names` points */
  size_t text_count;
};

/* Adds the inputs that a list file names. Each line is NAME or W,NAME, with the
 * weight W. Empty lines and lines that begin with # are ignored. Returns 0, or
 * prints the error and returns 1. */
int merge_inputs_read_list(struct merge_inputs *inputs, const char *name);

/* Adds the inputs in a command's arguments: names (up to a NULL), W,NAME of
 * options, and list files. The order is as in llvm-profdata, because some
 * output bytes depend on it. Returns 0, or prints the error and returns 1. */
struct merge_input_arguments {
  char **names;
  struct merge_inputs weighted, lists;
};
int merge_inputs_collect(struct merge_inputs *inputs,
                         const struct merge_input_arguments *given);

/* Each function handles an option of a command whose arguments begin with
 * merge_input_arguments. The macro gets the help texts of a weight, for one
 * input and for a line of the list. */
const char *merge_inputs_add_weighted(void *given, const char *value);
const char *merge_inputs_add_list(void *given, const char *value);
#define MERGE_INPUT_ROWS(WEIGHT_HELP, LIST_HELP)                              \
  {.name = "weighted-input",                                                  \
   .value = "W,IN",                                                           \
   .help = WEIGHT_HELP,                                                       \
   .parse_value = merge_inputs_add_weighted},                                 \
  {                                                                           \
    .name = "input-files", .value = "LIST",                                   \
    .help = "read the names of inputs from the file LIST, one per line: IN, " \
            "or W,IN " LIST_HELP,                                             \
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
  const char *list[RENAMES_MOST]; /* the rules FROM=TO; the first rule that
                                     matches a name changes the name */
  size_t count;
  bool used;                       /* a name has been changed */
  struct file_md5_digits *numbers; /* numbers of the files whose names are
                                      known */
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

/* Adds a rule. FROM is the complete name of a file, or a folder that ends with
 * a slash; for a folder TO may be empty. Returns NULL or the error. */
const char *renames_add_rule(void *renames, const char *rule);
void renames_free(struct file_renames *renames);

/* Adds the names of a program's source files. The rule for a folder can change
 * numbers only if the names of the files are known. Known files are FROM of all
 * rules, the file in a name itself, and these sources. */
void renames_add_sources(struct file_renames *renames,
                         const struct dwarf *dwarf);

/* Appends the new name of a function to a buffer. file_size is the length of
 * the file's name at the beginning of the function's name, or 0. */
void renames_append_name(struct file_renames *renames, struct bytes name,
                         size_t file_size, struct buffer *to);

/* Warns if there are rules, but no rule has changed a name. */
void renames_warn_unused(const struct file_renames *renames, const char *file);

/* ---- profile_merge.c ---- */

enum profile_format { FORMAT_RAW, FORMAT_INDEXED, FORMAT_TEXT };

/* The kind of a profile's file. */
struct profile_file_kind {
  enum profile_format format;
  unsigned version; /* version of the format; 0 for text */
  bool wide, big;   /* only for a raw profile: the pointers have 8 bytes; the
                       byte order is big-endian */
};

/* A remark about functions of the file that is being read. */
struct merge_remark {
  size_t count;   /* number of records for which the remark is true */
  uint32_t other; /* number of the first input that has the first of these
                     records */
  bool only_here; /* the other input lacks the bitmap, or the values */
  char name[200]; /* beginning of the first function's name */
};

struct profile_merge {
  struct profile profile;
  struct raw_cache cache;
  const struct elf *elf; /* the ELF for raw profiles without records; may be
                            NULL */
  struct file image;     /* the file that contains the ELF */
  struct file lasting;   /* a file that must stay open, since the profile uses
                              its bytes */
  /* reader of the functions if the file is read in windows; or NULL */
  struct indexed_window_reader *windows;
  struct elf image_elf;
  const char *const *files; /* names of the files, indexed by profile.source */
  bool quiet;               /* print only errors, no remarks */
  bool only;                /* this file is the only one, so nothing must be
                               kept for further files */
  bool remarked;            /* the file caused a remark, even if it was not
                               printed */
  struct merge_remark remarks[ADDITION_BITS]; /* the remarks, which are printed
                                                 once the file was read without
                                                 an error */
  struct profile_file_kind last; /* kind of the file that was added last */
};

/* Initialises a merge. `files` names all files to add, for messages. */
void profile_merge_init(struct profile_merge *merge, const char *const *files);
void profile_merge_free(struct profile_merge *merge);

/* Opens the ELF that raw profiles without records need. `name` may be NULL.
 * Returns 0, or prints the error and returns 1. */
int profile_merge_open_elf(struct profile_merge *merge, const char *name);

/* Adds a file, which is number `source` of the list, with counts multiplied by
 * weight. Returns 0 or 1. After 1 nothing was added, unless memory ran out
 * midway or profile.lost_on_error is set. */
int profile_merge_add_file(struct profile_merge *merge, uint32_t source,
                           uint64_t weight);

/* Opens a file as merge->windows and adds everything except functions to the
 * profile. If the file cannot be read in windows, merge->windows is NULL; then
 * call profile_merge_restart_whole_file. Returns 0 or 1. */
int profile_merge_open_in_windows(struct profile_merge *merge, uint32_t source);

/* Adds all of the file that profile_merge_open_in_windows opened. Returns 0 or
 * 1.
 */
int profile_merge_restart_whole_file(struct profile_merge *merge);

/* Changes the separator in local names: see translate_name_separators. Messages
 * use `name` as the name of the profile. */
void profile_merge_translate_names(struct profile_merge *merge, char separator,
                                   const char *name);

/* Renames the files in local names: see translate_file_names. */
void profile_merge_rename_files(struct profile_merge *merge,
                                struct file_renames *renames, const char *name);

struct parallel_merge {
  const struct merge_inputs *inputs;
  unsigned threads;                          /* number of threads, at least 2 */
  void (*progress)(size_t done, size_t all); /* reports the progress; no two
                                                threads call this function at
                                                the same time */
};

/* Returns the number of threads that are useful for a merge: `wanted`, but at
 * most one for each input. If `wanted` is 0, the number is one for each
 * processor, but only as many as have enough inputs to be worth a profile of
 * their own. */
unsigned profile_merge_thread_count(const struct merge_inputs *inputs,
                                    unsigned wanted);

/* Adds all inputs to a new merge in several threads. The result has the same
 * bytes as if the inputs were added one by one. Returns false if any input
 * causes a message, if memory runs out, or if an input can be read only once.
 * After false, nothing was printed and `merge` is unchanged; then add the
 * inputs one by one. */
bool profile_merge_in_threads(struct profile_merge *merge,
                              const struct parallel_merge *work);

/* ---- renames.c: names in a profile ----
 *
 * Changes the names of local functions. In IR profiles, local functions are
 * named `file.c:name` up to clang 17 and `file.c;name` later; in front-end
 * profiles the separator is always a colon. */

/* Changes the separator of all local names in an IR profile to ':' or ';', and
 * updates the values and traces that refer to these names. The records of
 * functions that get the same name are added up. If their numbers of counters
 * differ, the handler `events` gets the result. */
void translate_name_separators(struct profile *profile, char separator,
                               const struct addition_handler *events);

/* Renames the files in local names of profiles of any kind. References and
 * equal names are handled as in translate_name_separators. */
void translate_file_names(struct profile *profile, struct file_renames *renames,
                          const struct addition_handler *events);

/* Returns a pointer to the separator in a local name. Returns NULL if the name
 * is not local or has the other separator. */
const char *translate_find_separator(const char *name, size_t name_size,
                                     char separator);

#endif
