/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the functions with which profraw_write.c sends a raw profile.
 * values_write.c uses these functions to send value data, and profraw_merge.c
 * to compare a profile.
 */
#ifndef BAREPROF_RUNTIME_PROFRAW_WRITE_H
#define BAREPROF_RUNTIME_PROFRAW_WRITE_H

#include "image_layout.h"

/* The first 8 bytes of a profile, "\377lprofr\201", as a number. Profiles of
 * 32-bit images have R instead of r. */
#define BAREPROF_MAGIC_WORD(wide) \
  ((wide) ? UINT64_C(0xFF6C70726F667281) : UINT64_C(0xFF6C70726F665281))

/* The state of a profile that is being sent: the result of the check, the sink,
 * and the sink's error. */
struct bareprof_writer {
  struct bareprof_profile profile;
  const struct bareprof_sink *sink;
  int error; /* if not 0, bareprof_put_bytes sends nothing */
};

/* The memory for writing one profile. The check ends before the writer begins,
 * so check and writer share the memory; each begins with the result of the
 * check. */
union bareprof_check_or_writer {
  struct bareprof_image_check check;
  struct bareprof_writer writer;
};

/* Prepares the writer for a sink. The check has filled writer->profile. */
static inline void bareprof_writer_begin(struct bareprof_writer *writer,
                                         const struct bareprof_sink *sink) {
  writer->sink = sink;
  writer->error = 0;
}

/* Sends the profile up to its value data, and sets writer->error. */
void bareprof_put_profile(struct bareprof_writer *writer);

/* Sends size bytes; the sink is not called for 0 bytes. This function and those
 * below return the writer, so that callers need not keep it in a register. */
struct bareprof_writer *bareprof_put_bytes(struct bareprof_writer *writer,
                                           const void *bytes, size_t size);

/* Sends up to 8 zero bytes. */
struct bareprof_writer *bareprof_put_zeros(struct bareprof_writer *writer,
                                           size_t size);

/* Sends a 64-bit number in the image's byte order. */
struct bareprof_writer *bareprof_put64(struct bareprof_writer *writer,
                                       uint64_t value);

/* Returns how many zero bytes follow the counters. Raw versions 7 and 8 lack
 * this padding. */
static inline size_t
bareprof_counters_padding(const struct bareprof_image *image,
                          const struct bareprof_layout *layout) {
  return layout->bitmap_at
             ? bareprof_padding(bareprof_span_size(&image->counters))
             : 0;
}

/* These functions return, in bytes, the size of a profile's header, and the
 * offset of the counters in a profile. */
size_t bareprof_header_size(const struct bareprof_layout *layout);
size_t bareprof_counters_offset(const struct bareprof_profile *profile);

#endif
