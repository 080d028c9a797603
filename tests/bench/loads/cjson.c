/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Workload: cJSON reads a document, compares it with a copy that is changed,
 * and prints both; and it refuses documents that end early.
 */
#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "forms.h"

static const char document[] =
    "{\"name\": \"anchor \\u00e9 \\\"watch\\\"\", \"on\": true, \"off\": false,"
    " \"none\": null, \"speed\": 12.75, \"small\": -1.5e-3, \"count\": 1024,"
    " \"points\": [[54.3233, 10.1394], [54.325, 10.14], [-0.5, 3]],"
    " \"radio\": {\"channel\": 16, \"log\": [\"a\", \"b\\n\", \"\"]}}";

/* cJSON's memory: given away, and all of it back with the next round. */
static _Alignas(8) char memory[16384];
static size_t used;
static uint32_t sum;

void *work_malloc(size_t size) {
  size_t at = used;
  used += (size + 7) / 8 * 8;
  return used <= sizeof memory ? memory + at : NULL;
}
void work_free(void *at) { (void)at; }
void *work_realloc(void *at, size_t size) {
  void *to = work_malloc(size);
  return to && at ? memmove(to, at, size) : to;
}

static void add(const char *text) {
  if (!text)
    board_exit(10);
  while (*text)
    sum = sum * 31 + (unsigned char)*text++;
}

static void change(cJSON *copy) {
  cJSON *points = cJSON_GetObjectItem(copy, "points");
  cJSON_DeleteItemFromArray(points, 1);
  cJSON_AddNumberToObject(copy, "course", 271);
  cJSON_AddStringToObject(copy, "port", "K\tiel");
  cJSON_ReplaceItemInObject(copy, "speed", cJSON_CreateNumber(0.1));
  cJSON_Delete(cJSON_DetachItemFromObject(copy, "none"));
  cJSON_InsertItemInArray(points, 0, cJSON_CreateTrue());
}

void work(void) {
  used = sum = 0;
  cJSON *read = cJSON_Parse(document), *copy = cJSON_Duplicate(read, 1);
  if (!cJSON_Compare(read, copy, 1))
    board_exit(10);
  change(copy);
  sum += (uint32_t)cJSON_Compare(read, copy, 0);
  add(cJSON_PrintUnformatted(read));
  add(cJSON_Print(copy));
  cJSON_Delete(read);
  cJSON_Delete(copy);
  for (size_t size = 1; size < 60; size += 7)
    sum = sum * 31 + !cJSON_ParseWithLength(document, size);
}

uint32_t work_result(void) { return sum; }
