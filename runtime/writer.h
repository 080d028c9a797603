/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The output side of the writer, for the members that add to a profile.
 */
#ifndef BAREPROF_RUNTIME_WRITER_H
#define BAREPROF_RUNTIME_WRITER_H

#include "layout.h"

/* The magic: "\377lprofr\201" as a number; a 32-bit image has R for r. */
#define BAREPROF_MAGIC_WORD(wide) \
  ((wide) ? UINT64_C(0xFF6C70726F667281) : UINT64_C(0xFF6C70726F665281))

/* A sink and what it said last: once error is not 0, nothing more goes out,
 * so callers need not look after each piece. */
struct bareprof_out {
  const struct bareprof_sink *sink;
  int error;
};

/* Sends size bytes; 0 bytes are no call of the sink. */
void bareprof_put(struct bareprof_out *out, const void *bytes, size_t size);

/* Zero bytes behind the counters: versions 7 and 8 have none. */
size_t bareprof_counters_padding(const struct bareprof_image *image,
                                 const struct bareprof_layout *layout);

/* Where in the profile the counters begin. */
size_t bareprof_counters_offset(const struct bareprof_image *image,
                                const struct bareprof_shape *shape);

/* Sends the value data of all records: in values.c, linked only with code
 * that profiles values, so the writer refers to it weakly. */
void bareprof_values_write(const struct bareprof_image *image,
                           const struct bareprof_shape *shape,
                           struct bareprof_out *out)
    __attribute__((weak));

#endif
