/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A file that several processes add to, one after the other: locked with
 * fcntl, as compiler-rt does it, so that programs with either runtime can
 * share it. What is there is added to this process's counters, and then all
 * is written in its place. A file that is not of this build is left alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hosted.h"
#include "names.h"

int bareprof_hosted_lock(int file, bool on) {
  struct flock lock = {.l_type = on ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET};
  int result;
  do
    result = fcntl(file, F_SETLKW, &lock);
  while (result < 0 && errno == EINTR);
  return result;
}

int bareprof_hosted_open_pool(char *name) {
  __llvm_profile_recursive_mkdir(name);
  int file = open(name, O_RDWR | O_CREAT, 0666);
  /* Where there are no locks (some network file systems) it goes without. */
  if (file >= 0)
    bareprof_hosted_lock(file, true);
  return file;
}

int bareprof_hosted_read_file(int file, int (*use)(const void *, size_t)) {
  struct stat about;
  if (fstat(file, &about) < 0)
    return errno;
  size_t size = (size_t)about.st_size;
  if (size == 0)
    return 0;
  /* A copy: settle writes to it. */
  void *profile =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  if (profile == MAP_FAILED)
    return errno;
  bareprof_hosted_settle(profile, size);
  int error = use(profile, size);
  munmap(profile, size);
  return error;
}

int bareprof_hosted_put_pool(int file) {
  int error = bareprof_hosted_read_file(file, bareprof_hosted_merge);
  if (error)
    return error;
  if (ftruncate(file, 0) < 0 || lseek(file, 0, SEEK_SET) < 0)
    return errno;
  return bareprof_hosted_put_file(file);
}
