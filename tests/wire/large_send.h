/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A lean dump of much memory.
 */
#ifndef LARGE_SEND_H
#define LARGE_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct large {
  const void *counters, *bitmap;
  size_t counters_size, bitmap_size;
};

typedef int large_take(void *context, const void *bytes, size_t size);

int large_send(const struct large *large, large_take *take, void *to,
               bool binary);

#endif
