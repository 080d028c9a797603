/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A sink that counts what is sent.
 */
#ifndef COUNTING_H
#define COUNTING_H

#include <stddef.h>

#include "bareprof.h"

static size_t sent;

static int count(void *context, const void *bytes, size_t size) {
  (void)context;
  (void)bytes;
  sent += size;
  return 0;
}
static const struct bareprof_sink sink = {count, NULL};

#endif
