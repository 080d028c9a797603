/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CODES_H
#define CODES_H

#include <stddef.h>
#include <stdio.h>

#define ROOM 256
#define ERROR(text) (fputs("error: " text "\n", stdout), 1)

int hex_encode(const char *text);
int hex_decode(const char *text);
int base64_encode(const char *text);
int base64_decode(const char *text);
int morse_encode(const char *text);
int soundex(const char *text);
int runs_encode(const char *text);
int runs_decode(const char *text);
int checksums(const char *text);
int luhn(const char *text);
int country_of(const char *text);

#endif
