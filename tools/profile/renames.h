/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
#ifndef PROFILE_RENAMES_H
#define PROFILE_RENAMES_H

#include "../base/buffer.h"
#include "../base/bytes.h"
#include "../object/dwarf.h"

enum { RENAMES_MOST = 256 };

struct renames {
  const char *list[RENAMES_MOST]; /* FROM=TO; the first that fits counts */
  size_t count;
  bool used; /* a name has changed */
  struct buffer numbers; /* only for renames.c */
};

/* The row of a command's table, for this field of its arguments. */
#define RENAMES_ROW(type, field)                                              \
  {                                                                           \
    .name = "rename", .value = "FROM=TO",                                     \
    .help = "statics of file FROM are now of file TO: give both as the "      \
            "compiler was given them, such as own.c=src/own.c, or folders "   \
            "with a / at their ends, such as /build/one/=",                   \
    .to = offsetof(type, field), .take = renames_take                         \
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

#endif
