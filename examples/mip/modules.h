/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The drivers that modules.awk prints. Each is brought up once, then polled.
 */
#ifndef MODULES_H
#define MODULES_H

#include <stdint.h>

enum { DEVICES = 60 };

struct device {
  uint32_t (*start)(uint32_t value);
  uint32_t (*poll)(uint32_t value);
  uint32_t (*describe)(uint32_t value); /* only when a person asks */
};
extern const struct device devices[DEVICES];

/* Keeps the compiler from inlining, as if each function had its own file. */
#define APART __attribute__((noinline, noclone))

#endif
