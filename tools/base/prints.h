/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that take a format as printf does, for the compiler's checks.
 */
#ifndef BASE_PRINTS_H
#define BASE_PRINTS_H

/* The compiler's name for the formats of C11, where that is another one. */
#ifndef PRINTS_STYLE
#define PRINTS_STYLE printf
#endif

/* Which arguments are the format, and the first value. */
#define PRINTS_AS(format_at, values_at) \
  __attribute__((format(PRINTS_STYLE, format_at, values_at)))

#endif
