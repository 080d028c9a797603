/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the check of an image (image_layout.c), and the result that
 * profraw_write.c and profraw_merge.c use.
 */
#ifndef BAREPROF_RUNTIME_IMAGE_LAYOUT_H
#define BAREPROF_RUNTIME_IMAGE_LAYOUT_H

#include "image.h"
#include "image_row.h"

/* An image, and what the check has found out about it. */
struct bareprof_profile {
  const struct bareprof_image *image;
#ifdef BAREPROF_ALL_ROWS
  const struct bareprof_layout *layout;
#endif
  size_t record_count; /* records */
  unsigned shift;      /* log2 of the bytes of a counter */
  uint32_t sites;      /* not 0: a record has value sites */
};

/* The result of the check, and the fields that only the check needs. */
struct bareprof_check {
  struct bareprof_profile profile;
  bareprof_word claimed; /* bytes of counters that records claim so far */
  bareprof_word astray;  /* not 0: a claim is outside, or splits a counter */
  uint32_t mixed;        /* not 0: a record is of another version */
};

/* Returns the row of a profile that has been checked. */
static inline const struct bareprof_layout *
bareprof_layout_of(const struct bareprof_profile *profile) {
#ifdef BAREPROF_ALL_ROWS
  return profile->layout;
#else
  (void)profile;
  return &bareprof_one_row;
#endif
}

/* Returns the profile as it is before the check of the first record. Call
 * bareprof_check_bounds before: it checks that the row exists. */
static inline struct bareprof_profile
bareprof_profile_begin(const struct bareprof_image *image) {
  return (struct bareprof_profile){
#ifdef BAREPROF_ALL_ROWS
      .layout = bareprof_layout_find(image),
#endif
      .image = image,
      .shift = bareprof_counter_shift(image)};
}

/* Checks the version and the bounds of sections, before a section is read. */
static inline int bareprof_check_bounds(const struct bareprof_image *image) {
  if (!bareprof_layout_find(image))
    return bareprof_is_packed(image) ? BAREPROF_E_PACKED : BAREPROF_E_VERSION;
  bool counters = image->counters.begin != image->counters.end;
  if (image->records.begin == image->records.end)
    return counters              ? BAREPROF_E_NO_RECORDS
           : image->counters.end ? BAREPROF_E_EMPTY
                                 : BAREPROF_E_NO_BOUNDS;
  if (!counters)
    return BAREPROF_E_NO_COUNTERS;
  if (image->names.begin == image->names.end)
    return BAREPROF_E_NO_NAMES;
  bareprof_word low = bareprof_address(&image->records);
  if (bareprof_counter_shift(image))
    low |= bareprof_address(&image->counters) |
           bareprof_end_address(&image->counters);
  if (low & 7)
    return BAREPROF_E_ALIGN;
  if (image->guard && (uint32_t)*image->guard != bareprof_guard_word(image))
    return BAREPROF_E_NOT_INIT;
  return 0;
}

/* Returns a value other than 0 if a record has value sites. */
static inline uint32_t bareprof_has_sites(const struct bareprof_image *image,
                                          const struct bareprof_layout *layout,
                                          const unsigned char *record) {
  const unsigned char *sites = record + layout->counts_at + 4;
  uint32_t more = layout->kinds > 2 ? bareprof_load16(image, sites + 4) : 0;
  return bareprof_load32(image, sites) | more;
}

/* Checks that a full profile of the image can be written. Returns 0, with the
 * results in *check, or an error. The check reads every record, but does not
 * follow the pointers in it. */
int bareprof_check(const struct bareprof_image *image,
                   struct bareprof_check *check);

/* Returns 0 if a profile can be merged into image, or the error. */
int bareprof_match_profile(const struct bareprof_image *image,
                           const void *profile, size_t size);

/* Returns the size of a vtable record: u64 hash, pointer, u32 size, padded to
 * 8. */
static inline size_t bareprof_vtable_size(const struct bareprof_image *image) {
  return bareprof_pointer_size(image) == 8 ? 24 : 16;
}

/* The number of vtable records in `size` bytes, and the number of bytes left
 * over. 32-bit targets shift and mask, because small cores would call a
 * function to divide. */
#if !defined BAREPROF_FOREIGN && __SIZEOF_POINTER__ == 4
#define BAREPROF_VTABLES(image, size) ((size) >> 4)
#define BAREPROF_VTABLES_REST(image, size) ((size)&15)
#else
#define BAREPROF_VTABLES(image, size) ((size) / bareprof_vtable_size(image))
#define BAREPROF_VTABLES_REST(image, size) \
  ((size) % bareprof_vtable_size(image))
#endif

/* Returns the number of zero bytes that pad size to a multiple of 8. */
static inline size_t bareprof_padding(size_t size) { return (0 - size) & 7; }

#endif
