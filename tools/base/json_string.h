/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * JSON strings (RFC 8259), in UTF-8. Names in an ELF or profile, and names of
 * files, may hold any bytes. A byte that is not UTF-8 becomes the code point of
 * the same number.
 */
#ifndef BASE_JSON_STRING_H
#define BASE_JSON_STRING_H

#include <stdio.h>

#include "text.h"

/* Writes the zero-terminated text in quotes. */
void json_put_string(FILE *stream, const char *text);
void json_text_string(struct text *to, const char *text);

#endif
