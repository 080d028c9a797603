/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The starts of firmware that a console log shows. Each dump of a start
 * contains the counts of the dumps before it, so the last complete dump counts.
 * Core, image and boot number distinguish starts. A counter or bitmap that has
 * lost something shows a new start, too, and so does an ordinal that comes
 * back. Without either, a later start may by chance have all counts of an
 * earlier start. Its dump stands for both starts then: all covered code is
 * there, and counts may be missing.
 */
#ifndef BAREPROF_TOOLS_STARTS_H
#define BAREPROF_TOOLS_STARTS_H

#include <stddef.h>

#include "../../base/ere.h"
#include "../../image/snapshot.h"
#include "../../wire/frame.h"
#include "../../wire/ordinals.h"

/* Only wanted and start are needed; others may be NULL. */
struct starts_events {
  void *context;
  /* Whether a dump is of interest, complete or not. May complete the dump's
   * constant parts. */
  bool (*wanted)(void *context, struct snapshot *dump);
  /* A start has ended: its last complete dump, the number of its dumps, and how
   * many of these dumps may be of another start although the last dump contains
   * all their counts. */
  void (*start)(void *context, const struct snapshot *last, size_t dumps,
                size_t untold);
  /* A dump with gaps that nothing fills. */
  void (*gaps)(void *context, const struct snapshot *dump);
  /* A dump with gaps that is not needed: a later dump of its start is
   * complete. */
  void (*passed)(void *context, const struct snapshot *dump);
  /* Something was lost that cannot be named more closely. */
  void (*lost)(void *context, const char *what);
  /* The firmware has refused a dump. */
  void (*refused)(void *context, const struct answer *answer);
  /* A dump's header; boot may be set to 0. */
  void (*header)(void *context, struct header *header);
  /* A whole dump in the order of the log, its counts alone, and the dump of its
   * start before it; NULL: the first, or the counts began anew. name: of a
   * test, or NULL. A dump that only repeats another one is left out, unless it
   * has a name. NULL: not wanted. */
  void (*dump)(void *context, const char *name, const struct snapshot *dump,
               const struct snapshot *before);
  /* The same, if a dump or a name between before and this dump is lost. */
  void (*unsure)(void *context, const char *name, const struct snapshot *dump,
                 const struct snapshot *before);
  /* The dump of that name is lost. */
  void (*unnamed)(void *context, const char *name);
  /* Dumps or names are missing; a start numbers none: see collect.h. */
  void (*missing)(void *context, const struct missing *missing);
  void (*uncounted)(void *context, const struct header *header);
  bool joins; /* The log may begin late. */
  bool asks;  /* The firmware was asked: see collect.h. */
  const struct ere *pattern; /* the lines that name the next dump; or NULL */
};

/* Reads a log. Returns NULL or the error. lacks, if not NULL, becomes why there
 * is no dump, for a log without one. */
const char *starts_read(struct bytes log, const struct starts_events *events,
                        const char **lacks);

/* Reads only the headers of all dumps in a log. */
const char *starts_headers(struct bytes log,
                           void (*header)(void *context, struct header *header),
                           void *context);

#endif
