/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The folder of a report gets its name when it is complete. An existing folder
 * is replaced if it is empty or holds the file that marks a report. Anything
 * else stays.
 */
#ifndef BAREPROF_TOOLS_FOLDER_H
#define BAREPROF_TOOLS_FOLDER_H

struct folder {
  const char *name; /* as the user gave it */
  char *target;     /* the same without slashes at its end, links followed */
  char *temporary;  /* where it is made, beside target */
  int held;         /* the hold on that, see os_make_shared */
};

/* These functions return 0, or report the error and return 1. */
int folder_begin(struct folder *folder, const char *name);

/* Whether a file lies in what the folder will replace; that is reported, and 1
 * returned. */
int folder_holds(const struct folder *folder, const char *file);

/* Gives the folder its name. After an error it is abandoned. */
int folder_commit(struct folder *folder);

/* Removes the unfinished folder. Does nothing after folder_commit. */
void folder_abandon(struct folder *folder);

/* Returns the path of a name in the unfinished folder. The caller frees the
 * path. NULL: out of memory. */
char *folder_path(const struct folder *folder, const char *name);

#endif
