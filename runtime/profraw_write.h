/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The output side of the writer, for the members that add to a profile or
 * read one.
 */
#ifndef BAREPROF_RUNTIME_PROFRAW_WRITE_H
#define BAREPROF_RUNTIME_PROFRAW_WRITE_H

#include "image_layout.h"

/* The magic: "\377lprofr\201" as a number; a 32-bit image has R for r. */
#define BAREPROF_MAGIC_WORD(wide) \
  ((wide) ? UINT64_C(0xFF6C70726F667281) : UINT64_C(0xFF6C70726F665281))

/* A profile that has been checked, on its way to a sink. */
struct bareprof_writer {
  struct bareprof_profile profile;
  const struct bareprof_sink *sink;
  /* Once error is not 0, nothing more goes out, so callers need not look after
   * each piece. Until then both are the 8 zero bytes for padding. */
  __extension__ union {
    __extension__ struct {
      int32_t error;
      int32_t zero;
    };
    unsigned char zeros[8];
  };
};

/* One after the other: what the check has found begins both. */
union bareprof_dump {
  struct bareprof_check check;
  struct bareprof_writer writer;
};

/* The profile that the check has found begins on its way to sink. */
static inline void bareprof_begin(struct bareprof_writer *writer,
                                  const struct bareprof_sink *sink) {
  writer->sink = sink;
  writer->error = 0;
  writer->zero = 0;
}

/* Sends the profile, up to its value data; writer->error is what came of it. */
void bareprof_put_profile(struct bareprof_writer *writer);

/* Sends size bytes; 0 bytes are no call of the sink. As those below, returns
 * the writer: a caller that goes on with it need not keep it. */
struct bareprof_writer *bareprof_put(struct bareprof_writer *writer,
                                     const void *bytes, size_t size);

/* Sends up to 8 zero bytes. */
struct bareprof_writer *bareprof_put_zeros(struct bareprof_writer *writer,
                                           size_t size);

/* Sends a number of 64 bits in the image's byte order. */
struct bareprof_writer *bareprof_put64(struct bareprof_writer *writer,
                                       uint64_t value);

/* Zero bytes behind the counters: versions 7 and 8 have none. */
static inline size_t
bareprof_counters_padding(const struct bareprof_image *image,
                          const struct bareprof_layout *layout) {
  return layout->bitmap_at
             ? bareprof_padding(bareprof_span_size(&image->counters))
             : 0;
}

/* The bytes of the header, and where in a checked profile the counters
 * begin. */
size_t bareprof_header_size(const struct bareprof_layout *layout);
size_t bareprof_counters_offset(const struct bareprof_profile *profile);

#endif
