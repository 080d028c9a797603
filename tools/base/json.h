/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads JSON in order, without building a tree: the caller asks for the element
 * that should come next. If another element comes, `failed` becomes true and
 * stays true. From then on all loops end, and the functions return 0 or NULL.
 *
 *     json_enter_bracket(&json, '{');
 *     while (json_next_member(&json, key))
 *       if (strcmp(key, "count") == 0)
 *         count = json_parse_number(&json);
 *       else
 *         json_skip_and_get_text(&json);
 */
#ifndef BAREPROF_TOOLS_JSON_H
#define BAREPROF_TOOLS_JSON_H

#include "bytes.h"

struct json_reader {
  const unsigned char *at, *end;
  bool first; /* the next element is the first one of its object or array; only
                 for json.c */
  bool failed;
};

struct json_reader json_make_reader(struct bytes text);

void json_enter_bracket(struct json_reader *json, char bracket);

/* Returns whether the object or array has another element. At the end of the
 * object or array, leaves it. */
bool json_next_element(struct json_reader *json, char bracket);

/* Returns whether the object has another member. Sets `key` to the member's
 * name, with its escapes as they are, cut off at 31 bytes. */
enum { JSON_KEY = 32 };
bool json_next_member(struct json_reader *json, char key[JSON_KEY]);

/* Returns a string as UTF-8, which the caller frees. Text after a \u0000 in the
 * string is lost. */
char *json_parse_string(struct json_reader *json);

/* Returns a number from 0 to 2^64-1; a fraction is dropped. */
uint64_t json_parse_number(struct json_reader *json);

/* Skips a value. Returns true if it was `true`. */
bool json_parse_bool(struct json_reader *json);

/* Skips the next value and returns its text. The value must not have more than
 * 64 levels. */
struct bytes json_skip_and_get_text(struct json_reader *json);

#endif
