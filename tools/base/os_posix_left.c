/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * POSIX: files and folders that are not finished, and those that a killed run
 * has left. Their maker holds a lock, which goes with it. Where a file system
 * has no locks, nothing is removed.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#define _DEFAULT_SOURCE   /* flock */

#include "os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANDOM = 6, MIDDLE = sizeof OS_UNFINISHED - 1 - RANDOM, TRIES = 100 };

static bool is_same(int file, const char *path) {
  struct stat here, there;
  return fstat(file, &here) == 0 && lstat(path, &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/* Another run may have found the file before the lock, and removed it. */
static bool hold(int file, const char *path) {
  return flock(file, LOCK_EX) != 0 || is_same(file, path);
}

static int make_file(char *path) { return mkstemp(path); }

static int make_folder(char *path) {
  if (!mkdtemp(path))
    return -1;
  return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int make_held(char *path, int (*make)(char *path)) {
  char *end = path + strlen(path) - RANDOM;
  for (unsigned i = 0; i < TRIES; i++) {
    memcpy(end, "XXXXXX", RANDOM);
    int file = make(path);
    if (file < 0 ? errno != ENOENT : hold(file, path))
      return file;
    if (file >= 0)
      close(file);
  }
  return -1;
}

/* The mode that a new file should have. */
static mode_t mode_of_new(mode_t all) {
  mode_t mask = umask(0);
  umask(mask);
  return all & ~mask;
}

int os_make_file(char *path, const char *like) {
  int file = make_held(path, make_file);
  struct stat status;
  /* No harm where the file system has no modes. */
  if (file >= 0)
    (void)fchmod(file, stat(like, &status) == 0 ? status.st_mode & 0777
                                                : mode_of_new(0666));
  return file;
}

bool os_make_shared(char *path, int *held) {
  *held = make_held(path, make_folder);
  if (*held < 0)
    return false;
  (void)chmod(path, mode_of_new(0777));
  return true;
}

void os_let_go(int held) {
  if (held >= 0)
    close(held);
}

/* Whether an entry of the target's folder has a name that os_make_... gives. A
 * report that was replaced has one more word; it goes only if the new one is
 * there. */
static bool is_unfinished(const char *entry, const char *target,
                          const char *name) {
  size_t size = strlen(name);
  if (strncmp(entry, name, size) != 0 ||
      strncmp(entry + size, OS_UNFINISHED, MIDDLE) != 0)
    return false;
  entry += size + MIDDLE;
  return strspn(entry, "abcdefghijklmnopqrstuvwxyz"
                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == RANDOM &&
         (!entry[RANDOM] ||
          (!strcmp(entry + RANDOM, OS_REPLACED) && os_exists(target)));
}

static void remove_unheld(const char *path) {
  struct stat status;
  if (lstat(path, &status) != 0 || status.st_uid != geteuid() ||
      !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
    return;
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return;
  if (flock(file, LOCK_EX | LOCK_NB) == 0 && is_same(file, path))
    os_remove_all(path);
  close(file);
}

void os_remove_unfinished(const char *target) {
  enum { ENTRIES = 10000 }; /* a folder of more is not searched to its end */
  const char *name = os_base(target);
  size_t above = (size_t)(name - target);
  size_t room = above + strlen(name) + sizeof OS_UNFINISHED OS_REPLACED;
  char *path = malloc(room + 1);
  if (!path)
    return;
  snprintf(path, room, "%.*s", (int)above, target);
  DIR *entries = opendir(*path ? path : ".");
  struct dirent *entry;
  for (int i = 0; entries && i < ENTRIES && (entry = readdir(entries)); i++)
    if (is_unfinished(entry->d_name, target, name)) {
      snprintf(path, room, "%.*s%s", (int)above, target, entry->d_name);
      remove_unheld(path);
    }
  if (entries)
    closedir(entries);
  free(path);
}
