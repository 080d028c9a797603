/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The writer's output, for values_write.c, which adds to a profile, and for
 * profraw_merge.c, which compares one.
 */
#ifndef BAREPROF_RUNTIME_PROFRAW_WRITE_H
#define BAREPROF_RUNTIME_PROFRAW_WRITE_H

#include "image_layout.h"

/* The magic: "\377lprofr\201" as a number; a 32-bit image has R for r. */
#define BAREPROF_MAGIC_WORD(wide) \
  ((wide) ? UINT64_C(0xFF6C70726F667281) : UINT64_C(0xFF6C70726F665281))

/* A checked profile that is being sent. */
struct bareprof_writer {
  struct bareprof_profile profile;
  const struct bareprof_sink *sink;
  /* Once error is not 0, nothing more is sent, so callers need not test it
   * after each piece. While it is 0, both members are the 8 zero bytes for
   * padding. */
  __extension__ union {
    __extension__ struct {
      int32_t error;
      int32_t zero;
    };
    unsigned char zeros[8];
  };
};

/* The check ends before the writer begins, so they share their memory. Both
 * begin with the result of the check. */
union bareprof_dump {
  struct bareprof_check check;
  struct bareprof_writer writer;
};

/* Begins to send the profile that the check has found. */
static inline void bareprof_begin(struct bareprof_writer *writer,
                                  const struct bareprof_sink *sink) {
  writer->sink = sink;
  writer->error = 0;
  writer->zero = 0;
}

/* Sends the profile up to its value data, and sets writer->error. */
void bareprof_put_profile(struct bareprof_writer *writer);

/* Sends size bytes; the sink is not called for 0 bytes. Like the functions
 * below, returns the writer, so that callers need not keep it in a register. */
struct bareprof_writer *bareprof_put(struct bareprof_writer *writer,
                                     const void *bytes, size_t size);

/* Sends up to 8 zero bytes. */
struct bareprof_writer *bareprof_put_zeros(struct bareprof_writer *writer,
                                           size_t size);

/* Sends a 64-bit number in the image's byte order. */
struct bareprof_writer *bareprof_put64(struct bareprof_writer *writer,
                                       uint64_t value);

/* The zero bytes after the counters: versions 7 and 8 have none. */
static inline size_t
bareprof_counters_padding(const struct bareprof_image *image,
                          const struct bareprof_layout *layout) {
  return layout->bitmap_at
             ? bareprof_padding(bareprof_span_size(&image->counters))
             : 0;
}

/* The size of the header, and the offset of the counters in a profile. */
size_t bareprof_header_size(const struct bareprof_layout *layout);
size_t bareprof_counters_offset(const struct bareprof_profile *profile);

#endif
