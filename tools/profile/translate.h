/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names of local functions: in IR profiles `file.c:name` by clang up to 17,
 * `file.c;name` since; in front-end profiles with a colon in all.
 */
#ifndef BAREPROF_TOOLS_TRANSLATE_H
#define BAREPROF_TOOLS_TRANSLATE_H

#include "model.h"
#include "renames.h"

/* Gives all local names of an IR profile this separator, ':' or ';', and the
 * values and traces that refer to them the new references. Functions that
 * become the same are added up; a different shape is an event. Returns NULL or
 * the error; after an error the profile is unusable. */
const char *translate_locals(struct profile *profile, char separator,
                             const struct read_events *events);

/* Gives the files of local names, in profiles of any kind, other names.
 * Otherwise as translate_locals. */
const char *translate_files(struct profile *profile,
                            struct renames *renames,
                            const struct read_events *events);

/* Returns the place of a local name's separator. NULL: the name is not local,
 * or has the other separator. */
const char *local_separator(const char *name, size_t name_size, char separator);

#endif
