/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A file that several processes add to, one after the other. It is locked with
 * fcntl, as in compiler-rt, so that programs with either runtime can share it.
 * The file's counts are added to this process's counters, and the sum replaces
 * them in the file (replace.c). A file of another build is not changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
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
  /* Without locks (some network file systems) it works unlocked. */
  if (file >= 0)
    bareprof_hosted_lock(file, true);
  return file;
}

/* Forgets the values of an entry that the file has not to its end. */
static void forget_cut(const struct bareprof_hosted_bytes *old) {
  struct bareprof_hosted_pieces pieces;
  uint32_t head[2]; /* bytes, kinds of values */
  if (bareprof_hosted_find_pieces(&pieces, old->at, old->size))
    return;
  for (size_t at = pieces.values; at + sizeof head <= old->size;
       at += head[0]) {
    memcpy(head, old->at + at, sizeof head);
    if (head[0] > old->size - at)
      memset(old->at + at + 4, 0, 4);
    if (head[0] < sizeof head || head[0] > old->size - at)
      return;
  }
}

/* Behind the end of a file zeros are mapped, up to the page's: one whose last
 * values are cut off is merged by compiler-rt. */
static int merge(const struct bareprof_hosted_bytes *old) {
  if (getenv("LLVM_PROFILE_NO_MMAP") && getenv("LLVM_PROFILE_VERBOSE"))
    bareprof_hosted_report("Note", "could not use mmap; using fread instead",
                           NULL);
  int error = bareprof_hosted_match(old->at, old->size);
  if (!error)
    error = bareprof_hosted_merge(old->at, old->room);
  if (error != BAREPROF_HOSTED_DAMAGED)
    return error;
  forget_cut(old);
  return bareprof_hosted_merge(old->at, old->room);
}

/* The file is first read completely: if it is refused, nothing is written. */
int bareprof_hosted_put_pool(int file) {
  struct bareprof_hosted_bytes old = {0}, made = {0};
  size_t values = 0;
  int error = bareprof_hosted_read(file, &old);
  bool fresh = !error && bareprof_hosted_is_new(&old);
  if (!error && !fresh)
    error = merge(&old);
  if (!error)
    error = bareprof_hosted_make(&made);
  if (!error && !fresh && made.size)
    values = bareprof_hosted_keep_addresses(&made, old.at);
  if (!error && made.size)
    error = bareprof_hosted_replace(file, &old, &made, values);
  bareprof_hosted_free(&old);
  bareprof_hosted_free(&made);
  return error;
}

int bareprof_hosted_begin_pool(int file) {
  struct bareprof_hosted_bytes old = {0};
  int error = bareprof_hosted_read(file, &old);
  bool fresh = !error && bareprof_hosted_is_new(&old);
  if (!error && !fresh)
    error = bareprof_hosted_match(old.at, old.size);
  bareprof_hosted_free(&old);
  return fresh ? bareprof_hosted_put_pool(file) : error;
}
