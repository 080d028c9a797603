/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Indexed profiles (.profdata), as llvm-profdata merge writes them: versions
 * 1 to 13.
 */
#ifndef BAREPROF_TOOLS_INDEXED_READ_H
#define BAREPROF_TOOLS_INDEXED_READ_H

#include "model.h"

enum { INDEXED_VERSION_LAST = 13 };

/* Whether the file begins like an indexed profile. */
bool indexed_is(struct bytes file);

/* Adds the file's content; counts are multiplied by weight, 1 or more. events
 * may be NULL. Returns NULL or the error. After an error nothing was added,
 * unless memory ran out midway, or profile->lost_on_error is set. */
const char *indexed_read(struct profile *profile, struct bytes file,
                         uint64_t weight, const struct read_events *events);

/* ==== The same, a window of functions at a time, which takes no more memory
 * for more functions. Only of a file as LLVM writes it: each function once, in
 * the bucket of its name. Whether it is such a file is known in the end. */

struct windows {
  struct profile profile; /* the functions of the window; and what kinds of
                             data those so far had */
  size_t buckets;         /* a power of two */
  enum profile_bitmaps bitmaps; /* if there are some */
  struct indexed_walk *walk;    /* indexed_read.c's */
};

/* Begins with the file's header, and adds everything except functions to
 * *rest. NULL: the file has to be read as a whole. */
struct windows *windows_new(struct bytes file, struct profile *rest);
void windows_free(struct windows *windows);

/* Calls see with the counts of each record of the file, before any window; they
 * are valid during the call. */
typedef void windows_see(void *context, const struct counts *counts);
void windows_look(struct windows *windows, windows_see *see, void *context);

/* Reads the window of the buckets from first up to end, and of those that are a
 * multiple of `step` further on. The steps divide the table. other: the window
 * of another profile at this place, or NULL; names that it has are known to be
 * right. */
void windows_read(struct windows *windows, size_t first, size_t end,
                  size_t step, const struct profile *other);

/* Whether the windows so far, and once all are read (all), the whole file, are
 * what indexed_read gives. */
bool windows_right(const struct windows *windows, bool all);

#endif
