/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Folders are made beside the name that they get, so that a rename suffices.
 */
#include "coverage.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/program.h"
#include "../base/os.h"
#include "inputs/paths.h"

static const char marker[] = ".bareprof-report";

static char *join(const char *folder, const char *between, const char *name) {
  size_t size = strlen(folder) + strlen(between) + strlen(name) + 1;
  char *path = malloc(size);
  if (path)
    snprintf(path, size, "%s%s%s", folder, between, name);
  return path;
}

char *folder_path(const struct folder *folder, const char *name) {
  return join(folder->temporary, "/", name);
}

/* Whether there is nothing to lose at that name. */
static bool replaceable(const char *target) {
  char *path = join(target, "/", marker);
  bool ours = path && os_exists(path);
  free(path);
  if (ours || !os_exists(target))
    return true;
  return os_is_empty(target);
}

static int failed(const struct folder *folder, const char *what) {
  return report(folder->name,
                "the report cannot be %s: %s; check its name, "
                "rights and disk",
                what, os_error(errno));
}

static int mark(const struct folder *folder) {
  char *path = folder_path(folder, marker);
  FILE *stream = path ? os_fopen(path, "w") : NULL;
  free(path);
  if (!stream)
    return failed(folder, "written");
  fputs("A report of bareprof: made anew, this folder is replaced.\n", stream);
  return fclose(stream) ? failed(folder, "written") : 0;
}

int folder_begin(struct folder *folder, const char *name) {
  *folder = (struct folder){.name = name, .held = -1};
  interrupt_delay();
  folder->target = os_real_path(name);
  if (!folder->target)
    folder->target = os_is_absolute(name) || *name == '.'
                         ? strdup(name)
                         : join(".", "/", name);
  size_t size = folder->target ? strlen(folder->target) : 0;
  while (size > 1 && os_is_separator(folder->target[size - 1]))
    folder->target[--size] = 0;
  if (folder->target && !replaceable(folder->target)) {
    folder_abandon(folder);
    return report(
        name, "it exists and is not a report; give another -o, or remove it");
  }
  if (folder->target) {
    os_remove_unfinished(folder->target);
    folder->temporary = join(folder->target, "", OS_UNFINISHED);
  }
  if (!folder->temporary || !os_make_shared(folder->temporary, &folder->held)) {
    int status = failed(folder, "made");
    free(folder->temporary);
    folder->temporary = NULL;
    folder_abandon(folder);
    return status;
  }
  int status = mark(folder);
  if (status)
    folder_abandon(folder);
  return status;
}

int folder_holds(const struct folder *folder, const char *file) {
  char *real = os_real_path(file), *target = os_real_path(folder->target);
  bool inside = real && target && paths_below(real, target, strlen(target));
  free(real);
  free(target);
  return inside ? report(file,
                         "it lies in %s, which the report replaces; give "
                         "another -o",
                         folder->name)
                : 0;
}

int folder_commit(struct folder *folder) {
  char *old = join(folder->temporary, "", OS_REPLACED);
  bool there = os_exists(folder->target);
  bool wrong = !old || (there && !os_replace(folder->target, old));
  if (!wrong && !os_replace(folder->temporary, folder->target)) {
    int error = errno;
    wrong = true;
    if (there)
      (void)os_replace(old, folder->target);
    errno = error;
  }
  if (!wrong && there)
    os_remove_all(old);
  int status = wrong ? failed(folder, "put in its place") : 0;
  if (!wrong) {
    free(folder->temporary);
    folder->temporary = NULL;
  }
  free(old);
  folder_abandon(folder);
  return status;
}

void folder_abandon(struct folder *folder) {
  if (folder->temporary)
    os_remove_all(folder->temporary);
  os_let_go(folder->held);
  free(folder->temporary);
  free(folder->target);
  folder->temporary = folder->target = NULL;
  interrupt_resume();
}
