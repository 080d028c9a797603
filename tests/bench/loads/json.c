/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Workload: tiny-json reads a settings file, and parts of it that end too
 * early; all numbers and names in it are added up.
 */
#include <string.h>

#include <tiny-json.h>

#include "forms.h"

enum { FIELDS = 32, SIZE = 400 };

static const char settings[] =
    "{\"name\": \"bilge \\u0041 \\\"one\\\"\", \"on\": true, \"off\": false,"
    "\"none\": null, \"levels\": [3, -14, 0, 2e3, 6.25], \"empty\": [],"
    "\"deep\": {\"a\": {\"b\": [1, {\"c\": 12345}]}, \"d\": \"\\t\\n\"},"
    "\"port\": 4711, \"wrong\": 1}";

static uint32_t sum;

static void add_text(const char *text) {
  while (*text)
    sum = sum * 31 + (unsigned char)*text++;
}

/* Adds the fields of one level, and where the next ones are. */
static void add_fields(const json_t *json, const json_t **below,
                       unsigned *count) {
  for (json = json_getChild(json); json; json = json_getSibling(json)) {
    jsonType_t type = json_getType(json);
    if (json_getName(json))
      add_text(json_getName(json));
    if (type == JSON_OBJ || type == JSON_ARRAY)
      below[(*count)++] = json;
    else
      add_text(json_getValue(json));
  }
}

static void read(unsigned size) {
  static char text[SIZE];
  static json_t fields[FIELDS];
  const json_t *below[FIELDS];
  unsigned count = 1;
  memcpy(text, settings, size);
  text[size] = 0;
  below[0] = json_create(text, fields, FIELDS);
  if (!below[0])
    return;
  for (unsigned i = 0; i < count; i++)
    add_fields(below[i], below, &count);
  const char *port = json_getPropertyValue(below[0], "port");
  if (port)
    add_text(port);
}

void work(void) {
  for (unsigned size = sizeof settings - 1; size; size -= size > 7 ? 7 : size)
    read(size);
  read(sizeof settings - 1);
}

#ifdef ROUNDS
uint32_t work_result(void) { return sum; }
#endif
