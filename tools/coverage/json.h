/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads JSON as it comes, without a tree: the caller asks for what should be
 * next. Once something else is there, `failed` is set and stays so; then all
 * loops end, and what is returned is 0, or NULL.
 *
 *     json_open(&json, '{');
 *     while (json_more(&json, '}')) {
 *       json_key(&json, key);
 *       if (strcmp(key, "count") == 0)
 *         count = json_count(&json);
 *       else
 *         json_skip(&json);
 *     }
 */
#ifndef BAREPROF_TOOLS_JSON_H
#define BAREPROF_TOOLS_JSON_H

#include "../base/bytes.h"

struct json {
  const unsigned char *at, *end;
  bool first; /* of use to json.c only */
  bool failed;
};

struct json json_begin(struct bytes text);

/* Enters an object ('{') or an array ('['). */
void json_open(struct json *json, char bracket);

/* Whether another element of it is next; leaves it at its end. */
bool json_more(struct json *json, char bracket);

/* The key of an object's element, cut off at 31 bytes. */
enum { JSON_KEY = 32 };
void json_key(struct json *json, char key[JSON_KEY]);

/* A string, as UTF-8; the caller frees it. What follows a \u0000 in it is
 * lost. */
char *json_string(struct json *json);

/* A number of 0 and up, without its fraction; at most 2^64-1. */
uint64_t json_count(struct json *json);

/* Whatever value is next, at most 64 levels deep; returns its text. */
struct bytes json_skip(struct json *json);

#endif
