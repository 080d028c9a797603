/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which flags follow from others, so that nothing has to be stored for them. A
 * flag is dropped by one of two rules. Forward: all ways from its place reach
 * places that come behind it on every way. Backward: all ways to its place,
 * until the first time there, come through places from which all ways lead to
 * it. The flag is set if one of those is set. No call is in between, so a
 * function that has called a dump, or is left in a call, shows what it would
 * show with all flags; and no way in between goes in a circle, which could be
 * without end.
 */
#ifndef BASE_FOLLOW_H
#define BASE_FOLLOW_H

#include "ways.h"

/* Drops all flags that may be dropped, first those in the most loops, and calls
 * a function with the place of each and those that it follows from. These are
 * kept, or dropped later. Returns NULL or the error. */
const char *follow_flags(struct ways *ways,
                         const char *(*drop)(void *context, uint32_t place,
                                             const uint32_t *from,
                                             size_t count),
                         void *context);

#endif
