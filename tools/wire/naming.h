/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The names of the dumps in a log. A name comes in a frame
 * (bareprof_send_name), or in a line of text that a pattern matches. It is the
 * name of the next dump: of the core and image that sent the frame, or, for a
 * line, of each core and image.
 */
#ifndef BAREPROF_TOOLS_NAMING_H
#define BAREPROF_TOOLS_NAMING_H

#include "../base/buffer.h"
#include "../base/ere.h"
#include "../image/snapshot.h"
#include "frame.h"

/* A log has at most this many names; further ones are passed over. */
enum { NAMING_MOST = 1 << 16, NAMING_LINE = 1024, NAMING_SENDERS = 256 };

/* Begins as {.pattern = P}, P may be NULL. */
struct naming {
  const struct ere *pattern; /* its first group is the name, or all of it is */
  /* Only for naming.c. */
  struct naming_one *list;
  size_t count;
  char line[NAMING_LINE]; /* of text, as far as it has come */
  size_t used;
  struct {
    size_t opened; /* of the sender's last dump */
    bool any;
  } senders[NAMING_SENDERS];
  bool no_memory;
};

/* Takes console text. begun: how many dumps have begun before it. */
void naming_text(struct naming *naming, struct bytes text, size_t begun);

/* Takes the answer that is a name. */
void naming_answer(struct naming *naming, const struct answer *answer,
                   size_t begun);

/* Returns the name of a dump, or NULL. Ask once for each dump, in their order.
 * Valid until naming_free. skipped: there is another name from a frame since
 * the dump before, so that its dump is lost. */
const char *naming_of(struct naming *naming, const struct snapshot *dump,
                      bool *skipped);

/* Returns name number i if it came in a frame and is of no dump, else NULL. */
const char *naming_unused(const struct naming *naming, size_t i);

void naming_free(struct naming *naming);

#endif
