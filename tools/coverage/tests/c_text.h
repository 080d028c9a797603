/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a change of C or C++ text can do, as far as tokens show it. Where they
 * do not, the answer is the one that selects more tests.
 */
#ifndef BAREPROF_TOOLS_C_TEXT_H
#define BAREPROF_TOOLS_C_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "../../base/bytes.h"

/* Of a line. */
enum {
  C_DIRECTIVE = 1, /* is one of the preprocessor's, or goes on with it; or is of
                      a function that the compiler may run */
  C_SHARED = 2,    /* is in a declaration that other files may use, or that such
                      data may refer to */
  C_INSIDE = 4     /* The declaration goes on in the next line. */
};

/* Says of each line of a source what it is: lines[0] is empty, *count is behind
 * the last. NULL: out of memory. The caller frees the list. */
unsigned char *c_lines(struct bytes text, size_t *count);

/* Lines of one side of a diff, each behind its mark. */
struct c_shape {
  uint64_t hash; /* of the tokens that give statements their structure */
  bool wide;     /* changes more than the code that these lines are */
  bool jumps;    /* A label is reached from elsewhere. */
};
struct c_shape c_shape(struct bytes lines);

#endif
