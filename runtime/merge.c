/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A raw profile of this build, added to the counters. The writer itself
 * tells whether it is of this build: it runs into a sink that compares. What
 * must be equal is everything but the counters and bitmaps: header, build
 * id, records, names. Equal records mean that the counters of both stand in
 * the same order at the same offsets, record by record, so they can then be
 * taken as arrays.
 */
#include "writer.h"

/* The profile being read, and which part of it is not compared. */
struct comparison {
  const unsigned char *profile;
  size_t size;
  size_t at; /* offset that the writer has come to */
  size_t header_size;
  size_t live_begin; /* counters, padding and bitmap of the profile */
  size_t bitmap;
  size_t live_end;
  size_t fixed_end; /* where value data begin, which are left alone */
};

static int compare(void *context, const void *bytes, size_t size) {
  struct comparison *with = context;
  size_t at = with->at;
  with->at += size;
  if (at >= with->fixed_end)
    return 0;
  if (size > with->size - at)
    return -BAREPROF_E_TRUNCATED;
  if (at >= with->live_begin && at < with->live_end)
    return 0;
  if (__builtin_memcmp(with->profile + at, bytes, size) == 0)
    return 0;
  return at < with->header_size ? -BAREPROF_E_OTHER_LAYOUT
                                : -BAREPROF_E_OTHER_BUILD;
}

static size_t padded(const struct bareprof_span *span) {
  size_t size = bareprof_span_size(span);
  return size + bareprof_padding(size);
}

/* 0 if the profile is one that this image would write, but for its counts.
 * Leaves in *with where the counters and bitmaps are. */
static int find_match(const struct bareprof_image *image, const void *profile,
                      size_t size, struct comparison *with) {
  const struct bareprof_sink sink = {compare, with};
  struct bareprof_dump dump = {.image = image, .sink = &sink};
  int error = bareprof_check(&dump);
  if (error)
    return error;
  if (*image->version & BAREPROF_TEMPORAL)
    return BAREPROF_E_TEMPORAL;
  uint64_t magic = BAREPROF_MAGIC_WORD(sizeof(void *) == 8);
  if (size < sizeof magic || __builtin_memcmp(profile, &magic, sizeof magic))
    return BAREPROF_E_NOT_PROFILE;

  *with = (struct comparison){.profile = profile, .size = size};
  with->header_size = bareprof_header_size(dump.layout);
  with->live_begin = bareprof_counters_offset(&dump);
  with->bitmap = with->live_begin + bareprof_span_size(&image->counters) +
                 bareprof_counters_padding(image, dump.layout);
  with->live_end = with->bitmap + padded(&image->bitmap);
  with->fixed_end = with->live_end + padded(&image->names) +
                    padded(&image->vtables) + padded(&image->vtable_names);
  bareprof_put_profile(&dump);
  /* compare's codes are positive, as a sink's are; ours are negative. */
  return -dump.error;
}

int bareprof_match(const struct bareprof_image *image, const void *profile,
                   size_t size) {
  struct comparison with;
  return find_match(image, profile, size, &with);
}

static void add_counters(const struct bareprof_image *image,
                         const unsigned char *from) {
  uint64_t *to = (uint64_t *)(uintptr_t)image->counters.begin;
  uint64_t *end = (uint64_t *)(uintptr_t)image->counters.end;
  for (; to != end; to++, from += sizeof *to) {
    uint64_t count, sum;
    __builtin_memcpy(&count, from, sizeof count);
    sum = *to + count;
    *to = sum < count ? UINT64_MAX : sum;
  }
}

int bareprof_merge_image(const struct bareprof_image *image,
                         const void *profile, size_t size) {
  struct comparison with;
  int error = find_match(image, profile, size, &with);
  if (error)
    return error;
  const unsigned char *from = with.profile + with.live_begin;
  if (bareprof_counter_shift(image)) {
    add_counters(image, from);
  } else {
    /* A byte is 0 once its code has run. */
    unsigned char *to = (unsigned char *)(uintptr_t)image->counters.begin;
    while (to != image->counters.end)
      *to++ &= *from++;
  }
  from = with.profile + with.bitmap;
  unsigned char *to = (unsigned char *)(uintptr_t)image->bitmap.begin;
  while (to != image->bitmap.end)
    *to++ |= *from++;
  return 0;
}
