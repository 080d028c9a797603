/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "modes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file.h"
#include "../base/os.h"

int scratch_begin(struct scratch *scratch) {
  int status = private_folder(scratch->path);
  if (status)
    *scratch->path = 0;
  return status;
}

void scratch_path(const struct scratch *scratch, const char *name,
                  char path[PATH_ROOM]) {
  snprintf(path, PATH_ROOM, "%.*s/%.*s", PATH_ROOM - 32, scratch->path, 30,
           name);
}

void scratch_end(const struct scratch *scratch) {
  if (*scratch->path)
    os_remove_all(scratch->path);
}

static void move(const struct scratch *scratch, struct jobs *jobs,
                 size_t number) {
  const char *output = jobs->list[number].output;
  char *name = output ? strdup(output) : NULL, path[PATH_ROOM], file[30];
  const char *point = name ? strrchr(name, '.') : NULL;
  bool used = false;
  snprintf(file, sizeof file, "%zu%.8s", number, point ? point : "");
  scratch_path(scratch, file, path);
  for (size_t i = jobs->count; name && i-- > number;) {
    struct job *job = &jobs->list[i];
    for (size_t k = 1; k < job->arguments.count; k++) {
      char *copy, **at = &job->arguments.list[k];
      if (strcmp(*at, name) != 0 || (i == number && !used) ||
          !(copy = strdup(path)))
        continue;
      used = true;
      job->output = job->output == *at ? copy : job->output;
      job->input = job->input == *at ? copy : job->input;
      free(*at);
      *at = copy;
    }
  }
  free(name);
}

void scratch_take(const struct scratch *scratch, struct jobs *jobs,
                  char *const *command) {
  for (char *const *at = command; *at; at++)
    if (strncmp(*at, "-save-temps", 11) == 0 ||
        strncmp(*at, "--save-temps", 12) == 0)
      return;
  for (size_t i = 0; i < jobs->count; i++)
    move(scratch, jobs, i);
}
