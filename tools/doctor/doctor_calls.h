/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which function calls which, as far as code says it: direct calls, and jumps
 * to another function. Calls by a pointer are missing.
 *
 *     struct calls calls;
 *     if (calls_read(&calls, facts)) {
 *       calls.list[calls_find(&calls, address)].marked = true;
 *       calls_spread(&calls, true);
 *       ... calls.list[i].marked: it calls that function, or one that does ...
 *     }
 *     calls_free(&calls);
 */
#ifndef DOCTOR_DOCTOR_CALLS_H
#define DOCTOR_DOCTOR_CALLS_H

#include "../base/buffer.h"
#include "facts.h"

struct routine {
  const char *name;
  uint64_t address, end; /* without the bit that says Thumb */
  bool marked;
};

struct call {
  uint32_t from, to; /* in the list */
};

struct calls {
  struct routine *list; /* by address, one for an address */
  size_t count;
  const struct call *calls;
  size_t call_count;
  struct buffer memory; /* of calls */
};

/* false: it cannot be told. The caller frees both ways. */
bool calls_read(struct calls *calls, const struct facts *facts);
void calls_free(struct calls *calls);

/* The routine that begins at this address; count: none does. */
size_t calls_find(const struct calls *calls, uint64_t address);

/* Unmarks all. */
void calls_clear(struct calls *calls);

/* Marks what calls a marked one (up), or what a marked one calls, and so on. */
void calls_spread(struct calls *calls, bool up);

#endif
