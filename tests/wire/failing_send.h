/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends a dump whose sink fails, leaves by longjmp, or sends another dump
 * itself; and then a second dump.
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
  bool failed;       /* the first dump failed, or its sink sent a dump */
  bool second;       /* the second dump has begun */
  const char *wrong; /* or NULL */
};

/* The sink of the first dump takes `most` bytes, the sink of the second dump
 * takes all. With SENDS_ANOTHER, the first sink sends its dump after `most`
 * bytes, and then takes all bytes. */
void failing_send(struct failing_log *log, enum failing_form form, size_t most,
                  enum failing_way way);

/* Return the counters and the bitmap of both dumps. */
const void *failing_counters(void);
const void *failing_bitmap(void);

#endif
