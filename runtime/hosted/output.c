/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sink into a file: the profile through a buffer to a descriptor. The
 * pieces that the writer sends are small; a system call for each would be
 * slow, and would let those of other processes, that append to the same file,
 * in between.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hosted.h"

enum { BUFFER_SIZE = 16384 };

struct output {
  int file;
  size_t used;
  unsigned char buffer[BUFFER_SIZE];
};

/* All bytes, or an errno. */
static int write_all(int file, const unsigned char *at, size_t size) {
  while (size) {
    ssize_t written = write(file, at, size);
    if (written < 0 && errno != EINTR)
      return errno;
    if (written > 0) {
      at += written;
      size -= (size_t)written;
    }
  }
  return 0;
}

static int flush(struct output *output) {
  size_t size = output->used;
  output->used = 0;
  return write_all(output->file, output->buffer, size);
}

static int put(void *context, const void *bytes, size_t size) {
  struct output *output = context;
  if (size > sizeof output->buffer - output->used) {
    int error = flush(output);
    if (error)
      return error;
  }
  if (size > sizeof output->buffer)
    return write_all(output->file, bytes, size);
  memcpy(output->buffer + output->used, bytes, size);
  output->used += size;
  return 0;
}

/* The buffer is not on the stack: that of a thread may be small. */
int bareprof_hosted_put_file(int file) {
  struct output *output = mmap(NULL, sizeof *output, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (output == MAP_FAILED)
    return errno;
  const struct bareprof_sink sink = {put, output};
  output->file = file;
  int error = bareprof_hosted_write(&sink);
  if (!error)
    error = flush(output);
  munmap(output, sizeof *output);
  return error;
}
