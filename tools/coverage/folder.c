/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Folders are made beside the name that they get, so that a rename suffices.
 */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp, realpath */

#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/error.h"
#include "../base/interrupt.h"
#include "paths.h"

static const char marker[] = ".bareprof-report";
static const char suffix[] = ".XXXXXX";

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

static int remove_one(const char *path, const struct stat *status, int type,
                      struct FTW *where) {
  (void)status;
  (void)type;
  (void)where;
  return remove(path);
}

static void remove_all(const char *folder) {
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Whether there is nothing to lose at that name. */
static bool replaceable(const char *target) {
  char *path = join(target, "/", marker);
  bool ours = path && access(path, F_OK) == 0;
  free(path);
  if (ours || access(target, F_OK) != 0)
    return true;
  DIR *entries = opendir(target);
  if (!entries)
    return false;
  bool empty = true;
  for (struct dirent *entry; (entry = readdir(entries));)
    empty &= !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
  closedir(entries);
  return empty;
}

static int failed(const struct folder *folder, const char *what) {
  return report(folder->name,
                "the report cannot be %s: %s; check its name, "
                "rights and disk",
                what, strerror(errno));
}

static int mark(const struct folder *folder) {
  char *path = folder_path(folder, marker);
  FILE *stream = path ? fopen(path, "w") : NULL;
  free(path);
  if (!stream)
    return failed(folder, "written");
  fputs("A report of bareprof: made anew, this folder is replaced.\n", stream);
  return fclose(stream) ? failed(folder, "written") : 0;
}

int folder_begin(struct folder *folder, const char *name) {
  *folder = (struct folder){.name = name};
  interrupt_delay();
  folder->target = realpath(name, NULL);
  if (!folder->target)
    folder->target =
        *name == '/' || *name == '.' ? strdup(name) : join(".", "/", name);
  size_t size = folder->target ? strlen(folder->target) : 0;
  while (size > 1 && folder->target[size - 1] == '/')
    folder->target[--size] = 0;
  if (folder->target && !replaceable(folder->target)) {
    folder_abandon(folder);
    return report(
        name, "it exists and is not a report; give another -o, or remove it");
  }
  if (folder->target)
    folder->temporary = join(folder->target, "", suffix);
  if (!folder->temporary || !mkdtemp(folder->temporary)) {
    int status = failed(folder, "made");
    free(folder->temporary);
    folder->temporary = NULL;
    folder_abandon(folder);
    return status;
  }
  mode_t mask = umask(0);
  umask(mask);
  (void)chmod(folder->temporary, 0777 & ~mask);
  int status = mark(folder);
  if (status)
    folder_abandon(folder);
  return status;
}

int folder_holds(const struct folder *folder, const char *file) {
  char *real = realpath(file, NULL), *target = realpath(folder->target, NULL);
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
  char *old = join(folder->temporary, ".", "old");
  bool there = access(folder->target, F_OK) == 0;
  bool wrong = !old || (there && rename(folder->target, old) != 0);
  if (!wrong && rename(folder->temporary, folder->target) != 0) {
    int error = errno;
    wrong = true;
    if (there)
      (void)rename(old, folder->target);
    errno = error;
  }
  if (!wrong && there)
    remove_all(old);
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
    remove_all(folder->temporary);
  free(folder->temporary);
  free(folder->target);
  folder->temporary = folder->target = NULL;
  interrupt_resume();
}
