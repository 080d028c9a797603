/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The profile of this module, also if bareprof_write refuses. bareprof_write
 * needs something to profile, and records; correlated images (-mllvm
 * -profile-correlate=...) have these in the ELF file only. For such images
 * compiler-rt writes the header and the counters. For a module without any
 * profile it writes only a header, with LLVM 14 and 15 nothing. Tools wait for
 * these files.
 *
 * Also compiler-rt's functions for a profile in memory, which accept correlated
 * images too, and profiles of other processes. None of them allocates memory.
 */
#include <sched.h>

#include "weak_hooks.h"
#include "profraw_write.h"
#include "hosted.h"
#include "names.h"

/* Earlier LLVMs know of correlated images by a bit of the version, which
 * front-end objects do not set: their runtimes write only those that have
 * it. Versions 14 to 17 of LLVM have the same raw version. */
enum { HAS_BARE = __clang_major__ >= 16 };
#define DEBUG_CORRELATED (UINT64_C(1) << 59)

/* Whether an image has no records, and a profile all the same. */
static bool is_bare(int error) {
  return error == BAREPROF_E_NO_RECORDS || error == BAREPROF_E_EMPTY ||
         error == BAREPROF_E_NO_BOUNDS;
}

static bool has_profile(void) {
  return HAS_BARE || *bareprof_hosted_image.version & DEBUG_CORRELATED;
}

/* The image as its profile is to be: no records, no names, and no distances
 * from the ones or address of the others. */
static struct bareprof_image bare_image(void) {
  struct bareprof_image image = bareprof_hosted_image;
  const struct bareprof_span none = {image.counters.begin,
                                     image.counters.begin};
  const struct bareprof_span nowhere = {0, 0};
  image.records = none;
  if (image.bitmap.begin == image.bitmap.end)
    image.bitmap = none;
  image.names = image.vtables = image.vtable_names = nowhere;
  return image;
}

/* What bareprof_check_image finds out about other images. */
static struct bareprof_profile
bare_profile(const struct bareprof_image *image) {
  const struct bareprof_profile profile = {
      .image = image,
      .layout = bareprof_layout_find(image),
      .shift = bareprof_counter_shift(image)};
  return profile;
}

int bareprof_hosted_check(struct bareprof_profile *profile,
                          struct bareprof_image *bare) {
  struct bareprof_image_check check = {0};
  int error = bareprof_check_image(&bareprof_hosted_image, &check);
  *profile = check.profile;
  /* Where a linker has kept the record of a weak function and dropped its
   * counters, it points anywhere. Tools see that; all others are right. The
   * check leaves it to the host whether functions share counters. */
  if (!error || error == BAREPROF_E_RECORD)
    error = bareprof_hosted_is_shared(profile)     ? BAREPROF_E_RECORD
            : profile->sites && !hook_values_write ? BAREPROF_E_VALUES
                                                   : 0;
  if (!is_bare(error))
    return error;
  *bare = bare_image();
  *profile = bare_profile(bare);
  return 0;
}

static void put_all(struct bareprof_writer *writer) {
  writer->error = 0;
  if (!writer->profile.sites)
    bareprof_put_profile(writer);
  else if (hook_hosted_write_values)
    hook_hosted_write_values(writer);
  else
    hook_values_write(writer);
}

/* Another thread may be ending its dump; or the one that this signal has
 * interrupted, which no waiting helps. */
enum { BUSY_TRIES = 1000 };

int bareprof_hosted_write(const struct bareprof_sink *sink) {
  struct bareprof_image bare;
  struct bareprof_writer writer = {.sink = sink};
  int error = bareprof_hosted_check(&writer.profile, &bare);
  if (error)
    return error;
  if (writer.profile.image == &bare && !has_profile())
    return 0;
  put_all(&writer);
  for (int i = 0; writer.error == BAREPROF_E_BUSY && i < BUSY_TRIES; i++) {
    sched_yield();
    put_all(&writer);
  }
  return writer.error;
}

size_t bareprof_hosted_counters_at(void) {
  struct bareprof_image bare;
  struct bareprof_profile profile = {0};
  bareprof_hosted_check(&profile, &bare);
  return bareprof_counters_offset(&profile);
}

static int count_bytes(void *context, const void *bytes, size_t size) {
  (void)bytes;
  *(uint64_t *)context += size;
  return 0;
}

uint64_t __llvm_profile_get_size_for_buffer(void) {
  uint64_t size = 0;
  const struct bareprof_sink sink = {count_bytes, &size};
  return bareprof_hosted_write(&sink) ? 0 : size;
}

int __llvm_profile_write_buffer(char *buffer) {
  struct bareprof_memory memory = {(unsigned char *)buffer,
                                   (unsigned char *)UINTPTR_MAX};
  const struct bareprof_sink sink = {bareprof_memory_write, &memory};
  return bareprof_hosted_write(&sink) ? -1 : 0;
}

int __llvm_profile_merge_from_buffer(const char *profile, uint64_t size) {
  int error = bareprof_hosted_merge(profile, size);
  if (error == BAREPROF_HOSTED_TEMPORAL)
    bareprof_hosted_report_error("the buffer", error);
  return error != 0;
}

int __llvm_profile_check_compatibility(const char *profile, uint64_t size) {
  return bareprof_hosted_match(profile, size) != 0;
}
