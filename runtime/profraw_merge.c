/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds a raw profile of this build to the counters. To check the build, the
 * writer (profraw_write.c) writes this image into a sink that compares each
 * byte with the profile: header, build id, records and names must be equal. If
 * the records are equal, profile and image have the same counters at the same
 * offsets, so their counters can be added as arrays. values_merge.c adds the
 * values.
 */
#include "weak_hooks.h"
#include "profraw_write.h"

/* The context of compare_bytes: the given profile, and the bounds of its
 * counts, which may differ from the image's counts. */
struct profile_comparison {
  const unsigned char *profile;
  size_t size;
  size_t at; /* bytes that the writer has written so far */
  size_t header_size;
  size_t live_begin; /* offset of the counters; bitmap and padding follow */
  size_t bitmap;
  size_t live_end;
};

/* The sink: compares the writer's bytes with the profile, except the counts. */
static int compare_bytes(void *context, const void *bytes, size_t size) {
  struct profile_comparison *with = context;
  size_t at = with->at;
  with->at += size;
  if (size > with->size - at)
    return -BAREPROF_E_TRUNCATED;
  if (at >= with->live_begin && at < with->live_end)
    return 0;
  if (__builtin_memcmp(with->profile + at, bytes, size) == 0)
    return 0;
  return at < with->header_size ? -BAREPROF_E_OTHER_LAYOUT
                                : -BAREPROF_E_OTHER_BUILD;
}

/* Returns 0 if this image would write the same profile, except for its counts.
 * Sets in *with the offsets of counters and bitmaps, and in `at` the offset of
 * the value data. */
static int match_profile(const struct bareprof_image *image,
                         union bareprof_check_or_writer *dump,
                         struct profile_comparison *with) {
  const struct bareprof_sink sink = {compare_bytes, with};
  struct bareprof_writer *writer = &dump->writer;
  int error = bareprof_check_image(image, &dump->check);
  if (error)
    return error;
  uint64_t magic = BAREPROF_MAGIC_WORD(sizeof(void *) == 8);
  if (with->size < sizeof magic ||
      __builtin_memcmp(with->profile, &magic, sizeof magic))
    return BAREPROF_E_NOT_PROFILE;

  with->header_size =
      bareprof_header_size(bareprof_layout_of(&writer->profile));
  with->live_begin = bareprof_counters_offset(&writer->profile);
  size_t bitmap = bareprof_span_size(&image->bitmap);
  with->bitmap =
      with->live_begin + bareprof_span_size(&image->counters) +
      bareprof_counters_padding(image, bareprof_layout_of(&writer->profile));
  with->live_end = with->bitmap + bitmap + bareprof_padding(bitmap);
  /* Compares everything up to the value data. */
  bareprof_writer_begin(writer, &sink);
  bareprof_put_profile(writer);
  /* compare_bytes negates its errors, because a sink's errors are positive. */
  return -writer->error;
}

int bareprof_match_profile(const struct bareprof_image *image,
                           const void *profile, size_t size) {
  struct profile_comparison with = {.profile = profile, .size = size};
  union bareprof_check_or_writer dump;
  return match_profile(image, &dump, &with);
}

/* Adds size bytes of counts. A byte counter is 0 if its code ran, so the result
 * is 0 if one of the two is 0. */
static void add_counters(const struct bareprof_profile *profile,
                         unsigned char *to, const unsigned char *from,
                         size_t size) {
  if (profile->shift == 0) {
    for (; size; size--)
      *to++ &= *from++;
    return;
  }
  if (hook_fold_add) {
    hook_fold_add(profile, to, from, size);
    return;
  }
  for (; size; size -= 8, to += 8, from += 8) {
    uint64_t count, sum;
    bareprof_any64 *counter = (bareprof_any64 *)(uintptr_t)to;
    __builtin_memcpy(&count, from, sizeof count);
    sum = *counter + count;
    *counter = sum < count ? UINT64_MAX : sum;
  }
}

/* Keeps the earlier of a function's two timestamps. Functions that are called
 * for the first time after the merge get later timestamps. */
static void keep_earlier_timestamp(bareprof_any64 *timestamp,
                                   const unsigned char *from) {
  uint64_t other;
  __builtin_memcpy(&other, from, sizeof other);
  if (!bareprof_has_timestamp(other))
    return;
  if (!bareprof_has_timestamp(*timestamp) || other < *timestamp)
    *timestamp = other;
  if (&hook_timestamp && hook_timestamp < other)
    hook_timestamp = (uint32_t)other;
}

/* Bit 62 of a timestamp is inverted to mark that the function's counts have
 * been added. In unmarked timestamps bits 62 and 63 are equal. */
#define ADDED (UINT64_C(1) << 62)
static inline bool is_timestamp_marked(uint64_t timestamp) {
  return (int64_t)(timestamp ^ timestamp << 1) < 0;
}

/* Adds the counts of one record after another, because the counters of each
 * record begin with a timestamp. Counters that several records share must be
 * added only once: the first pass marks the timestamps, the second pass removes
 * the marks. bareprof_check_image has proven that records point into the
 * counters. */
static void
add_or_unmark_temporal_counts(const struct bareprof_profile *profile,
                              const unsigned char *from, bool adds) {
  const struct bareprof_image *image = profile->image;
  const struct bareprof_layout *layout = bareprof_layout_of(profile);
  const unsigned char *record = image->records.begin;
  for (; record < image->records.end; record += layout->record_size) {
    uintptr_t at = bareprof_load_pointer(image, record + 16);
    size_t size = (size_t)bareprof_load32(image, record + layout->counts_at)
                  << profile->shift;
    if (!(layout->fields & BAREPROF_ABSOLUTE))
      at += bareprof_address_of(&image->records, record);
    at -= bareprof_begin_address(&image->counters) -
          bareprof_moved_distance(image);
    bareprof_any64 *to =
        (bareprof_any64 *)(bareprof_writable_address(image->counters.begin) +
                           at);
    if (size < 8 || is_timestamp_marked(*to) == adds)
      continue;
    if (adds) {
      keep_earlier_timestamp(to, from + at);
      add_counters(profile, (unsigned char *)(to + 1), from + at + 8, size - 8);
    }
    *to ^= ADDED;
  }
}

int bareprof_merge_image(const struct bareprof_image *image,
                         const void *profile, size_t size) {
  struct profile_comparison with = {.profile = profile, .size = size};
  union bareprof_check_or_writer dump;
  int error = match_profile(image, &dump, &with);
  if (!error && dump.writer.profile.sites && hook_values_merge)
    error = hook_values_merge(&dump.writer.profile, with.profile + with.at,
                              size - with.at, NULL);
  if (error)
    return error;
  const unsigned char *from = with.profile + with.live_begin;
  unsigned char *to =
      (unsigned char *)bareprof_writable_address(image->counters.begin);
  if (*image->version & BAREPROF_TEMPORAL) {
    add_or_unmark_temporal_counts(&dump.writer.profile, from, true);
    add_or_unmark_temporal_counts(&dump.writer.profile, from, false);
  } else {
    add_counters(&dump.writer.profile, to, from,
                 bareprof_span_size(&image->counters));
  }
  from = with.profile + with.bitmap;
  to = (unsigned char *)bareprof_writable_address(image->bitmap.begin);
  while (to != image->bitmap.end)
    *to++ |= *from++;
  return 0;
}

int bareprof_merge(const void *profile, size_t size) {
  return bareprof_merge_image(&bareprof_running, profile, size);
}
