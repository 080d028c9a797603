/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Strings as JSON (RFC 8259) has them, in UTF-8. Names in an ELF or profile,
 * and of files, may be any bytes: those that are not UTF-8 become the code
 * points of their numbers.
 */
#ifndef BASE_JSON_STRING_H
#define BASE_JSON_STRING_H

#include <stdio.h>

/* Writes the text, which ends in a zero, in its quotes. */
void json_put_string(FILE *stream, const char *text);

#endif
