/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the two halves of the JSON writer share.
 */
#ifndef BAREPROF_TOOLS_SHOW_JSON_INSIDE_H
#define BAREPROF_TOOLS_SHOW_JSON_INSIDE_H

#include "shown.h"

/* Of the sites of values. */
extern const char *const json_kinds[VALUE_KINDS];

/* What is behind a comma, if it is not the first. */
struct json_list {
  FILE *stream;
  bool more;
};

void json_next(struct json_list *list, const char *between);

/* Further members of an object: a key; with a number. */
void json_put_key(FILE *stream, const char *key);
void json_put_number(FILE *stream, const char *key, uint64_t number);

/* A name, or null. */
void json_put_reference(FILE *stream, const struct shown *shown,
                        uint64_t reference);

/* The records that were asked for; the first ones, without pseudo counts. */
void json_put_list(FILE *stream, struct shown *shown, const struct part *part,
                   const struct wishes *wishes);
void json_put_hottest(FILE *stream, const struct part *part, uint64_t most);

#endif
