/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of this tier's host programs: a check is many expectations
 * under one label and prints one line when it ends. If several targets run the
 * same expectations, check_where names the one that failed.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void check_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Puts this text before the failures that follow. */
void check_where(const char *format, ...) __attribute__((format(printf, 1, 2)));
void check_end(void);

/* Prints a failure, if it is the first of its check. Returns whether the two
 * numbers are equal. */
bool expect_at(const char *what, int line, uint64_t expected, uint64_t got);

#define expect(expected, got) \
  expect_at(#got, __LINE__, (uint64_t)(expected), (uint64_t)(got))
#define expect_true(condition) \
  expect_at(#condition, __LINE__, 1, (condition) ? 1 : 0)

#endif
