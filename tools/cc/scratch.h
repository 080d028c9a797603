/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The launcher's folder of temporary files.
 */
#ifndef CC_SCRATCH_H
#define CC_SCRATCH_H

#include "job.h"

enum { PATH_ROOM = 4096 };

struct scratch {
  char path[PATH_ROOM]; /* empty: not made */
};

/* Returns 0, or prints the error and returns 1. */
int scratch_begin(struct scratch *scratch);

/* The path of a file in it, whose name is short. */
void scratch_path(const struct scratch *scratch, const char *name,
                  char path[PATH_ROOM]);

void scratch_end(const struct scratch *scratch);

/* The driver's temporary files get a place in the folder. Files of -save-temps
 * stay where they are. */
void scratch_take(const struct scratch *scratch, struct jobs *jobs,
                  char *const *command);

#endif
