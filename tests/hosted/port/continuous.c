/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * %c: the counters live in the mapped file, so that they survive any end of the
 * process. Instrumented code finds them there if it was compiled with
 * -fprofile-continuous or -mllvm -runtime-counter-relocation: it then adds a
 * distance to their linked address. This keeps no values, and bitmaps only with
 * clang 20 and later.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profraw_write.h"
#include "hosted.h"
#include "names.h"

/* From an object, if the counters can be moved. */
extern int64_t __llvm_profile_counter_bias
    __attribute__((weak, visibility("hidden")));
extern int64_t __llvm_profile_bitmap_bias
    __attribute__((weak, visibility("hidden")));

int __llvm_profile_is_continuous_mode_enabled(void) {
  return bareprof_hosted_is_continuous();
}

/* The file, of which size is told: as it is if it is a pool of this build that
 * already has something, else this process's profile. 0, or an error. */
static int prepare(int file, bool pool, size_t *size) {
  struct stat about;
  int error =
      pool ? bareprof_hosted_begin_pool(file) : bareprof_hosted_put_file(file);
  if (!error && fstat(file, &about) < 0)
    error = errno;
  *size = error ? 0 : (size_t)about.st_size;
  return error;
}

static int64_t distance(const unsigned char *from, const unsigned char *to) {
  return (int64_t)((uintptr_t)to - (uintptr_t)from);
}

static int move(int file, bool pool) {
  const struct bareprof_image *image = &bareprof_hosted_image;
  size_t size = 0;
  int error = prepare(file, pool, &size);
  if (error || size == 0)
    return error ? error : BAREPROF_E_EMPTY;
  unsigned char *at =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED)
    return errno;
  at += bareprof_hosted_counters_at();
  if (bareprof_hosted_has(&__llvm_profile_counter_bias))
    __llvm_profile_counter_bias = distance(image->counters.begin, at);
  at += bareprof_span_size(&image->counters) +
        bareprof_counters_padding(image, bareprof_layout_find(image));
  if (bareprof_hosted_has(&__llvm_profile_bitmap_bias))
    __llvm_profile_bitmap_bias = distance(image->bitmap.begin, at);
  return 0;
}

int bareprof_hosted_map(int file, const char *name, bool pool) {
  int error = move(file, pool);
  bareprof_hosted_report_error(name, error);
  return error;
}

void bareprof_hosted_go_continuous(void) {
  char name[PATH_MAX];
  if (bareprof_hosted_name(name, sizeof name))
    return;
  if (!bareprof_hosted_has(&__llvm_profile_counter_bias) &&
      !bareprof_hosted_has(&__llvm_profile_bitmap_bias)) {
    bareprof_hosted_report("Error",
                           "__llvm_profile_counter_bias is undefined; compile "
                           "with -mllvm -runtime-counter-relocation, or take "
                           "a name without %c",
                           NULL);
    return;
  }
  bool pool = bareprof_hosted_is_pool();
  int file = pool ? bareprof_hosted_open_pool(name)
                  : open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
  if (file < 0) {
    bareprof_hosted_report_error(name, errno);
    return;
  }
  bareprof_hosted_map(file, name, pool);
  close(file);
}
