/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes the complete profile to memory, and from there to a file. The writer's
 * pieces are small: a system call for each would be slow, and would let pieces
 * of other processes that append to the same file in between.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hosted.h"

/* So much more room at a time; memory that is not written to costs nothing. */
enum { ROOM = 1 << 20, PAGE = 4096 };

int bareprof_hosted_make_room(struct bareprof_hosted_bytes *bytes,
                              size_t room) {
  void *at = bytes->room ? mremap(bytes->at, bytes->room, room, MREMAP_MAYMOVE)
                         : mmap(NULL, room, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    return errno;
  bytes->at = at;
  bytes->room = room;
  return 0;
}

void bareprof_hosted_free(struct bareprof_hosted_bytes *bytes) {
  if (bytes->room)
    munmap(bytes->at, bytes->room);
  bytes->room = 0;
}

static int put(void *context, const void *piece, size_t size) {
  struct bareprof_hosted_bytes *bytes = context;
  if (size > bytes->room - bytes->size) {
    int error = bareprof_hosted_make_room(bytes, 2 * bytes->room + size + ROOM);
    if (error)
      return error;
  }
  memcpy(bytes->at + bytes->size, piece, size);
  bytes->size += size;
  return 0;
}

int bareprof_hosted_make(struct bareprof_hosted_bytes *bytes) {
  const struct bareprof_sink sink = {put, bytes};
  return bareprof_hosted_write(&sink);
}

/* A copy, not the mapped file: a process that shortens the file meanwhile would
 * end this one. Zeros follow, up to a page, as in a mapping. */
int bareprof_hosted_read(int file, struct bareprof_hosted_bytes *bytes) {
  struct stat about;
  if (fstat(file, &about) < 0)
    return errno;
  size_t size = (size_t)about.st_size;
  int error =
      size ? bareprof_hosted_make_room(bytes, (size + PAGE - 1) / PAGE * PAGE)
           : 0;
  while (!error && bytes->size < size) {
    ssize_t got = pread(file, bytes->at + bytes->size, size - bytes->size,
                        (off_t)bytes->size);
    if (got == 0)
      break;
    if (got > 0)
      bytes->size += (size_t)got;
    else if (errno != EINTR)
      error = errno;
  }
  return error;
}

int bareprof_hosted_put_file(int file) {
  struct bareprof_hosted_bytes bytes = {0};
  int error = bareprof_hosted_make(&bytes);
  for (size_t at = 0; !error && at < bytes.size;) {
    ssize_t written = write(file, bytes.at + at, bytes.size - at);
    if (written > 0)
      at += (size_t)written;
    else if (written < 0 && errno != EINTR)
      error = errno;
  }
  bareprof_hosted_free(&bytes);
  return error;
}
