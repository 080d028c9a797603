/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The starts of firmware that a console log shows. Dumps of one start have
 * what those before them had, and more: the last whole one counts. What core,
 * image and boot number say, and counters or bitmaps that have lost something,
 * tells one start from another. Without a number a later start may have all
 * that an earlier one has, by chance: then its dump stands for both, and no
 * code that was covered is missing, but counts may be.
 */
#ifndef BAREPROF_TOOLS_STARTS_H
#define BAREPROF_TOOLS_STARTS_H

#include "../image/snapshot.h"
#include "../wire/frame.h"

struct starts_events {
  void *context;
  /* Whether a dump is of interest, whole or not. May complete it, with what
   * cannot change. */
  bool (*wanted)(void *context, struct snapshot *dump);
  /* A start has ended: its last whole dump, of how many; and how many of these
   * it has all of, but may be of another start. */
  void (*start)(void *context, const struct snapshot *last, size_t dumps,
                size_t untold);
  /* A dump with gaps, which nothing fills. */
  void (*gaps)(void *context, const struct snapshot *dump);
  /* A dump with gaps that nobody needs: a later one of its start is whole. */
  void (*passed)(void *context, const struct snapshot *dump);
  /* Something was lost that cannot be named more closely. */
  void (*lost)(void *context, const char *what);
  /* The firmware has refused a dump. */
  void (*refused)(void *context, const struct answer *answer);
  /* A dump's header; boot may be set to 0. */
  void (*header)(void *context, struct header *header);
};

/* Reads a log. NULL, or what is wrong. */
const char *starts_read(struct bytes log, const struct starts_events *events);

/* Of all dumps in a log the headers, and no more. */
const char *starts_headers(struct bytes log,
                           void (*header)(void *context, struct header *header),
                           void *context);

#endif
