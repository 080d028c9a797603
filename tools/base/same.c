/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Files by device and inode. What cannot be remembered is not checked: the
 * memory for it is the first that is missing.
 */
#include "same.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "error.h"

struct known {
  dev_t device;
  ino_t number;
  bool output;
};

static struct {
  pthread_mutex_t lock;
  struct known *list;
  size_t count, room;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add(int file, bool output) {
  struct stat status;
  if (fstat(file, &status) || !S_ISREG(status.st_mode))
    return;
  pthread_mutex_lock(&all.lock);
  if (all.count == all.room) {
    size_t room = 2 * all.room + 16;
    struct known *list = realloc(all.list, room * sizeof *list);
    if (list) {
      all.list = list;
      all.room = room;
    }
  }
  if (all.count < all.room)
    all.list[all.count++] =
        (struct known){status.st_dev, status.st_ino, output};
  pthread_mutex_unlock(&all.lock);
}

void same_input(int file) { add(file, false); }
void same_output(int file) { add(file, true); }

int same_refuses(const char *name) {
  struct stat status;
  const char *what = NULL;
  if (stat(name, &status) || !S_ISREG(status.st_mode))
    return 0;
  pthread_mutex_lock(&all.lock);
  for (size_t i = 0; i < all.count && !what; i++)
    if (all.list[i].device == status.st_dev &&
        all.list[i].number == status.st_ino)
      what = all.list[i].output ? "another output" : "an input";
  pthread_mutex_unlock(&all.lock);
  return what ? report(name, "is %s too; give another name", what) : 0;
}

/* The folder of a name, and where its last part begins. */
static const char *part(const char *name, struct stat *folder) {
  const char *slash = strrchr(name, '/');
  char *path = slash ? strdup(name) : strdup(".");
  if (slash && path)
    path[slash - name + 1] = 0;
  if (!path || stat(path, folder))
    *folder = (struct stat){0};
  free(path);
  return slash ? slash + 1 : name;
}

static bool one_file(const char *a, const char *b) {
  struct stat one, two;
  if (!strcmp(a, "-") || !strcmp(b, "-"))
    return false;
  if (!stat(a, &one) && !stat(b, &two))
    return S_ISREG(one.st_mode) && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
  return !strcmp(part(a, &one), part(b, &two)) && one.st_dev == two.st_dev &&
         one.st_ino == two.st_ino;
}

int same_refuses_any(const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (names[i] && same_refuses(names[i]))
      return 1;
    for (size_t j = 0; j < i; j++)
      if (names[i] && names[j] && one_file(names[i], names[j]))
        return report(names[i], "is another output too; give another name");
  }
  return 0;
}
