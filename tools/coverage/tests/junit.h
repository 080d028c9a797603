/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * JUnit's XML, as test runners write it: testcase elements with a name and
 * perhaps a classname and a time, and in them a failure or an error.
 */
#ifndef BAREPROF_TOOLS_JUNIT_H
#define BAREPROF_TOOLS_JUNIT_H

#include <stdbool.h>

#include "../../base/bytes.h"

/* Names are texts without entities, valid during the call, cut at 1,023 bytes;
 * class is "" if there is none; seconds is 0 if no time is there. */
struct junit_case {
  const char *class, *name;
  double seconds;
  bool failed;
};

/* Calls each for each test. Returns NULL or the error: no test is in it, or it
 * ends within an element. */
const char *junit_read(struct bytes xml,
                       void (*each)(void *context,
                                    const struct junit_case *one),
                       void *context);

#endif
