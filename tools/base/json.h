/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads JSON in order, without building a tree: the caller asks for the element
 * that should come next. If another element comes, `failed` becomes true and
 * stays true. From then on all loops end, and the functions return 0 or NULL.
 *
 *     json_open(&json, '{');
 *     while (json_member(&json, key))
 *       if (strcmp(key, "count") == 0)
 *         count = json_count(&json);
 *       else
 *         json_skip(&json);
 */
#ifndef BAREPROF_TOOLS_JSON_H
#define BAREPROF_TOOLS_JSON_H

#include "bytes.h"

struct json {
  const unsigned char *at, *end;
  bool first; /* only for json.c */
  bool failed;
};

struct json json_begin(struct bytes text);

/* Enters an object ('{') or an array ('['). */
void json_open(struct json *json, char bracket);

/* Whether the object or array has another element. At its end, leaves the
 * object or array. */
bool json_more(struct json *json, char bracket);

/* Whether the object has another member. key becomes its name, cut off at 31
 * bytes. */
enum { JSON_KEY = 32 };
bool json_member(struct json *json, char key[JSON_KEY]);

/* Returns a string as UTF-8, which the caller frees. Text after a \u0000 in the
 * string is lost. */
char *json_string(struct json *json);

/* Returns a number from 0 to 2^64-1; a fraction is dropped. */
uint64_t json_count(struct json *json);

/* Skips a value. Returns true if it was `true`. */
bool json_true(struct json *json);

/* Skips the next value, at most 64 levels deep, and returns its text. */
struct bytes json_skip(struct json *json);

#endif
