/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A dump whose sink fails, leaves by longjmp, or sends a dump by itself; and
 * one behind it.
 */
#ifndef FAILING_SEND_H
#define FAILING_SEND_H

#include <stdbool.h>
#include <stddef.h>

enum { FAILING_COUNTERS = 60, FAILING_BITMAP = 9, FAILING_ROOM = 1 << 14 };

enum failing_way { GIVES_A_CODE, LEAVES, SENDS_ANOTHER, WAYS };
enum failing_form { FULL_TEXT, FULL_BINARY, LEAN_TEXT, LEAN_BINARY, FORMS };

struct failing_log {
  unsigned char bytes[FAILING_ROOM];
  size_t size;
  bool failed;       /* the first dump has, or the other one was sent */
  bool second;       /* the second one has begun */
  const char *wrong; /* or NULL */
};

/* The first dump's sink takes `most` bytes, the second one's all.
 * SENDS_ANOTHER: in front of the bytes that would not be taken, and all are. */
void failing_send(struct failing_log *log, enum failing_form form, size_t most,
                  enum failing_way way);

/* What both dumps have. */
const void *failing_counters(void);
const void *failing_bitmap(void);

#endif
