/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions out of llvm-cov's export:
 *   {"data":[{"functions":[{"name":N,"filenames":[N...],
 *     "regions":[[LINE,COLUMN,LINE,COLUMN,COUNT,...]...],
 *     "branches":[[LINE,COLUMN,LINE,COLUMN,COUNT,COUNT,...]...]}...]}]}
 */
#include "alike.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "json.h"

/* FNV-1a, 64 bits. */
static const uint64_t hash_begin = UINT64_C(0xCBF29CE484222325);

static uint64_t hash(uint64_t sum, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  while (size--)
    sum = (sum ^ *at++) * UINT64_C(0x100000001B3);
  return sum;
}

static uint64_t hash_string(struct json *json) {
  char *text = json_string(json);
  uint64_t sum = text ? hash(hash_begin, text, strlen(text)) : 0;
  free(text);
  return sum;
}

/* Hashes lists of numbers, only the first four of each list: counts follow. */
static uint64_t hash_places(struct json *json, uint64_t sum, unsigned counts) {
  json_open(json, '[');
  while (json_more(json, ']')) {
    unsigned place = 0;
    json_open(json, '[');
    for (; json_more(json, ']'); place++) {
      uint64_t number = json_count(json);
      if (place < 4 || place >= 4 + counts)
        sum = hash(sum, &number, sizeof number);
    }
  }
  return sum;
}

static void read_function(struct json *json, struct trait *trait) {
  char key[JSON_KEY];
  uint64_t regions = 0, branches = 0;
  *trait = (struct trait){0};
  json_open(json, '{');
  while (json_more(json, '}')) {
    json_key(json, key);
    if (strcmp(key, "name") == 0) {
      trait->name = hash_string(json);
    } else if (strcmp(key, "filenames") == 0) {
      json_open(json, '[');
      for (bool first = true; json_more(json, ']'); first = false)
        if (first)
          trait->file = hash_string(json);
        else
          json_skip(json);
    } else if (strcmp(key, "regions") == 0) {
      regions = hash_places(json, hash_begin, 1);
    } else if (strcmp(key, "branches") == 0) {
      branches = hash_places(json, hash_begin, 2);
    } else {
      json_skip(json);
    }
  }
  trait->shape = hash(regions, &branches, sizeof branches);
}

static void read_functions(struct json *json, struct traits *traits) {
  json_open(json, '[');
  while (json_more(json, ']')) {
    if (!list_more(&traits->list, traits->count, sizeof *traits->list)) {
      json->failed = true;
      return;
    }
    read_function(json, &traits->list[traits->count++]);
  }
}

ORDER_BY(order, struct trait, x->name);

static void on_functions(void *context, struct json *json) {
  struct traits *traits = context;
  if (traits->list)
    json_skip(json);
  else
    read_functions(json, traits);
}

const char *traits_read(struct traits *traits, struct bytes text) {
  struct json json = json_begin(text);
  *traits = (struct traits){0};
  json_exported(&json, "functions", on_functions, traits);
  sort(traits->list, traits->count, sizeof *traits->list, order);
  return json.failed ? "its export is not what llvm-cov 13 to 22 write; use "
                       "one of these"
                     : NULL;
}

void traits_free(struct traits *traits) {
  free(traits->list);
  *traits = (struct traits){0};
}

/* Counts pairs of the same name: of the same file and another shape, or of
 * different files. */
static size_t count_pairs(const struct traits *a, const struct traits *b,
                          bool same_file) {
  size_t count = 0, begin = 0;
  for (size_t i = 0; i < a->count; i++) {
    const struct trait *x = &a->list[i];
    bool found = false;
    while (begin < b->count && b->list[begin].name < x->name)
      begin++;
    for (size_t k = begin; k < b->count && b->list[k].name == x->name; k++) {
      const struct trait *y = &b->list[k];
      found |= same_file ? x->file == y->file && x->shape != y->shape
                         : x->file != y->file;
    }
    count += found;
  }
  return count;
}

size_t traits_clashes(const struct traits *a, const struct traits *b) {
  return count_pairs(a, b, false);
}

size_t traits_differ(const struct traits *a, const struct traits *b) {
  return count_pairs(a, b, true);
}
