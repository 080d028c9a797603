/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of a module that always return, and call none of another kind: no
 * dump, and no jump out of them. They have neither loops nor assembly. A flag
 * may follow from one behind a call of them.
 */
#ifndef CC_QUIET_H
#define CC_QUIET_H

#include "../base/buffer.h"
#include "../base/map.h"
#include "increment.h"

struct quiet {
  struct map functions; /* by the MD5 of @f: whether it is quiet */
  struct map blocks;    /* of the function at hand, by the MD5 of their names */
  struct buffer calls;  /* struct quiet_call: of functions that may be quiet */
  uint64_t function;    /* at hand: the MD5 of its name; 0: it is loud */
};

/* Begins as quiet_none. */
extern const struct quiet quiet_none;

/* Reads a line of the module. Returns NULL or the error. */
const char *quiet_read(struct quiet *quiet, struct text line);

/* Once all lines are read. */
void quiet_settle(struct quiet *quiet);

/* Whether the instruction is a call behind which all may be otherwise. */
bool quiet_is_call(const struct quiet *quiet, struct text line);

void quiet_free(struct quiet *quiet);

#endif
