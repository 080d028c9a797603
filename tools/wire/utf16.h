/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Logs in UTF-16, which PowerShell's `>` and some terminals write: they begin
 * with a byte order mark, and are UTF-8 from then on. Others pass unchanged.
 */
#ifndef BAREPROF_TOOLS_UTF16_H
#define BAREPROF_TOOLS_UTF16_H

#include <stddef.h>
#include <stdint.h>

enum utf16_form { UTF16_UNKNOWN, UTF16_NONE, UTF16_LITTLE, UTF16_BIG };

/* All 0 at the beginning of a log. */
struct utf16 {
  enum utf16_form form;
  unsigned char held; /* the first byte of a pair */
  int has_held;
  uint32_t high; /* the first half of a surrogate pair, or 0 */
};

/* Bytes of the log as they are to be read. Valid during the call. */
typedef void utf16_give(void *context, const unsigned char *bytes, size_t size);

/* Takes the next bytes of the log. */
void utf16_feed(struct utf16 *utf16, const unsigned char *bytes, size_t size,
                utf16_give *give, void *context);

/* The log has ended: gives what is held back. */
void utf16_end(struct utf16 *utf16, utf16_give *give, void *context);

#endif
