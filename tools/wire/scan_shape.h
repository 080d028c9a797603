/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a logger puts around a line: colours, and a prefix that has the same
 * shape on every line but for its digits, such as
 * "[00:00:01.234] <inf> app: ".
 */
#ifndef BAREPROF_TOOLS_SCAN_SHAPE_H
#define BAREPROF_TOOLS_SCAN_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

enum { SHAPE_MAX = 128 };

/* A prefix without colours, each run of digits, with the blanks that pad it,
 * one #. */
struct shape {
  unsigned char bytes[SHAPE_MAX];
  size_t size;
};

/* The shape of what is from begin up to end. Empty if it is too long. */
void shape_of(struct shape *shape, const unsigned char *begin,
              const unsigned char *end);

bool shape_equal(const struct shape *a, const struct shape *b);

/* Whether whole ends with part: a prefix into which a line was spliced, or
 * which the terminal has wrapped. */
bool shape_ends(const struct shape *whole, const struct shape *part);

/* The bytes of the colour sequence (ESC [ ... letter) at a place; 0 if there
 * is none, or not all of it. */
size_t ansi_size(const unsigned char *at, const unsigned char *end);

/* Whether all from at up to end can be the beginning of one. */
bool ansi_begun(const unsigned char *at, const unsigned char *end);

/* Behind all CRs and colour sequences at a place. */
const unsigned char *skip_decoration(const unsigned char *at,
                                     const unsigned char *end);

#endif
