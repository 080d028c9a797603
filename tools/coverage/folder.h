/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The folder of a report: it appears under its name when it is whole. What is
 * there already is replaced if it is a report, known by the file that marks
 * it, or empty; anything else is left alone.
 */
#ifndef BAREPROF_TOOLS_FOLDER_H
#define BAREPROF_TOOLS_FOLDER_H

struct folder {
  const char *name; /* as the user gave it */
  char *target;     /* the same without slashes at its end, links followed */
  char *temporary;  /* where it is made, beside target */
};

/* These report what is wrong, and return 0 or 1. */
int folder_begin(struct folder *folder, const char *name);

/* Whether a file lies in what the folder will replace; that is reported, and 1
 * returned. */
int folder_holds(const struct folder *folder, const char *file);

/* Gives the folder its name. After an error it is abandoned. */
int folder_commit(struct folder *folder);

/* Removes what has been made. Does nothing after folder_commit. */
void folder_abandon(struct folder *folder);

/* A name in the folder while it is made; the caller frees it. NULL: out of
 * memory. */
char *folder_path(const struct folder *folder, const char *name);

#endif
