/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A dump whose sink fails, or leaves by longjmp, and one behind it.
 */
#ifndef FAILING_SEND_H
#define FAILING_SEND_H

#include <stdbool.h>
#include <stddef.h>

enum { FAILING_COUNTERS = 60, FAILING_BITMAP = 9, FAILING_ROOM = 1 << 14 };

enum failing_form { FULL_TEXT, FULL_BINARY, LEAN_TEXT, LEAN_BINARY, FORMS };

struct failing_log {
  unsigned char bytes[FAILING_ROOM];
  size_t size;
  bool failed;       /* the first dump has */
  bool second;       /* the second one has begun */
  const char *wrong; /* or NULL */
};

/* The first dump's sink takes `most` bytes, the second one's all. */
void failing_send(struct failing_log *log, enum failing_form form, size_t most,
                  bool leaves);

/* What both dumps have. */
const void *failing_counters(void);
const void *failing_bitmap(void);

#endif
