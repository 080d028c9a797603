/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The starts of firmware that a console log shows. Dumps of one start have
 * what those before them had, and more: the last whole one counts. What core,
 * image and boot number say, and counters or bitmaps that have lost something,
 * tells one start from another.
 */
#ifndef BAREPROF_TOOLS_STARTS_H
#define BAREPROF_TOOLS_STARTS_H

#include "../link/snapshot.h"

struct starts_events {
  void *context;
  /* Whether a dump is of interest, whole or not. May complete it, with what
   * cannot change. */
  bool (*wanted)(void *context, struct snapshot *dump);
  /* A start has ended: its last whole dump, of how many. */
  void (*start)(void *context, const struct snapshot *last, size_t dumps);
  /* A dump with gaps. replaced: an earlier one of the same start is whole,
   * and counts. */
  void (*gaps)(void *context, const struct snapshot *dump, bool replaced);
  /* Something was lost that cannot be named more closely. */
  void (*lost)(void *context, const char *what);
  /* The firmware has refused a dump. */
  void (*refused)(void *context, const struct answer *answer);
};

/* Reads a log. NULL, or what is wrong. */
const char *starts_read(struct bytes log, const struct starts_events *events);

#endif
