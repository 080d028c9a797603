/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The profile of this module, also where bareprof_write refuses: it wants
 * records, which correlated images (-mllvm -profile-correlate=...) have in
 * the ELF file only, and something to profile. compiler-rt writes the header
 * and the counters of the first, and for a module without any a header alone,
 * with LLVM 14 to 17 nothing. Tools wait for these files.
 *
 * And compiler-rt's functions about a profile in memory, which take such
 * images too, and profiles of other processes.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "../writer.h"
#include "hosted.h"
#include "names.h"

/* Raw version 9 is LLVM 18's. Earlier ones know of correlated images by a bit
 * of the version, which front-end objects do not set: their tools read only
 * those that have it. */
enum { BARE_SINCE = 9 };
#define DEBUG_CORRELATED (UINT64_C(1) << 59)

/* Whether an image has no records, and a profile all the same. */
static bool is_bare(int error) {
  return error == BAREPROF_E_NO_RECORDS || error == BAREPROF_E_EMPTY ||
         error == BAREPROF_E_NO_BOUNDS;
}

static bool has_profile(void) {
  uint64_t version = *bareprof_hosted_image.version;
  return (uint32_t)version >= BARE_SINCE || version & DEBUG_CORRELATED;
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

/* What bareprof_check finds out about other images. */
static struct bareprof_dump bare_dump(const struct bareprof_image *image,
                                      const struct bareprof_sink *sink) {
  const struct bareprof_dump dump = {.image = image,
                                     .layout = bareprof_layout_find(image),
                                     .shift = bareprof_counter_shift(image),
                                     .sink = sink};
  return dump;
}

/* Another thread may be ending its dump; or the one that this signal has
 * interrupted, which no waiting helps. */
enum { BUSY_TRIES = 1000 };

int bareprof_hosted_write(const struct bareprof_sink *sink) {
  int error = bareprof_write(sink);
  for (int i = 0; error == BAREPROF_E_BUSY && i < BUSY_TRIES; i++) {
    sched_yield();
    error = bareprof_write(sink);
  }
  if (!is_bare(error))
    return error;
  struct bareprof_image image = bare_image();
  struct bareprof_dump dump = bare_dump(&image, sink);
  if (!dump.layout || !has_profile())
    return 0;
  bareprof_put_profile(&dump);
  return dump.error;
}

size_t bareprof_hosted_counters_at(void) {
  struct bareprof_dump dump = {.image = &bareprof_hosted_image};
  if (bareprof_check(&dump) == 0)
    return bareprof_counters_offset(&dump);
  struct bareprof_image image = bare_image();
  dump = bare_dump(&image, NULL);
  return bareprof_counters_offset(&dump);
}

/* The counts of a profile without records: their offset is that of ours. */
static void add_bare(const struct bareprof_image *image,
                     const unsigned char *from) {
  unsigned char *to = (unsigned char *)(uintptr_t)image->counters.begin;
  unsigned char *end = (unsigned char *)(uintptr_t)image->counters.end;
  if (!bareprof_counter_shift(image))
    while (to != end)
      *to++ &= *from++;
  for (; to != end; to += 8, from += 8) {
    uint64_t count, sum, *counter = (uint64_t *)(uintptr_t)to;
    memcpy(&count, from, sizeof count);
    sum = *counter + count;
    *counter = sum < count ? UINT64_MAX : sum;
  }
  from += bareprof_counters_padding(image, bareprof_layout_find(image));
  to = (unsigned char *)(uintptr_t)image->bitmap.begin;
  while (to != image->bitmap.end)
    *to++ |= *from++;
}

/* Compares the profile to ours up to the counters. */
struct comparison {
  const unsigned char *at;
  size_t left;
};

static int compare(void *context, const void *bytes, size_t size) {
  struct comparison *with = context;
  if (size > with->left)
    size = with->left;
  if (memcmp(with->at, bytes, size))
    return -BAREPROF_E_OTHER_LAYOUT;
  with->at += size;
  with->left -= size;
  return 0;
}

/* 0 if the profile is one that this image without records would write but
 * for its counts. */
static int match_bare(const struct bareprof_image *image, const void *profile,
                      size_t size, size_t counters_at) {
  struct comparison with = {profile, counters_at};
  const struct bareprof_sink sink = {compare, &with};
  struct bareprof_dump dump = bare_dump(image, &sink);
  if (!dump.layout)
    return BAREPROF_E_VERSION;
  if (size < counters_at + bareprof_span_size(&image->counters) +
                 bareprof_counters_padding(image, dump.layout) +
                 bareprof_span_size(&image->bitmap))
    return BAREPROF_E_TRUNCATED;
  bareprof_put_profile(&dump);
  return -dump.error;
}

int bareprof_hosted_match(const void *profile, size_t size) {
  int error = bareprof_match(&bareprof_hosted_image, profile, size);
  if (!is_bare(error))
    return error;
  struct bareprof_image image = bare_image();
  return match_bare(&image, profile, size, bareprof_hosted_counters_at());
}

int bareprof_hosted_merge(const void *profile, size_t size) {
  int error = bareprof_merge(profile, size);
  if (!is_bare(error))
    return error;
  struct bareprof_image image = bare_image();
  size_t counters_at = bareprof_hosted_counters_at();
  error = match_bare(&image, profile, size, counters_at);
  if (!error)
    add_bare(&image, (const unsigned char *)profile + counters_at);
  return error;
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

/* The caller's buffer is not ours to write to. */
static int with_copy(const char *profile, uint64_t size,
                     int (*use)(const void *, size_t)) {
  unsigned char *copy = malloc(size ? size : 1);
  if (!copy)
    return -1;
  memcpy(copy, profile, size);
  bareprof_hosted_settle(copy, size);
  int error = use(copy, size);
  free(copy);
  return error;
}

int __llvm_profile_merge_from_buffer(const char *profile, uint64_t size) {
  return with_copy(profile, size, bareprof_hosted_merge) != 0;
}

int __llvm_profile_check_compatibility(const char *profile, uint64_t size) {
  return with_copy(profile, size, bareprof_hosted_match) != 0;
}
