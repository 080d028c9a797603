/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads llvm-cov's summary:
 *   {"data":[{"files":[{"filename":N,"summary":S}...],"totals":S}], ...}
 *   S: {"lines":{"count":N,"covered":N, ...}, ...}
 */
#include "summary.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "json.h"

const char *const metric_names[METRICS] = {"functions", "lines", "regions",
                                           "branches", "mcdc"};

static void read_score(struct json *json, struct score *score) {
  char key[JSON_KEY];
  json_open(json, '{');
  while (json_more(json, '}')) {
    json_key(json, key);
    if (strcmp(key, "count") == 0)
      score->count = json_count(json);
    else if (strcmp(key, "covered") == 0)
      score->covered = json_count(json);
    else
      json_skip(json);
  }
  if (score->covered > score->count)
    json->failed = true;
}

static void read_scores(struct json *json, struct score scores[METRICS]) {
  char key[JSON_KEY];
  json_open(json, '{');
  while (json_more(json, '}')) {
    unsigned metric = 0;
    json_key(json, key);
    while (metric < METRICS && strcmp(key, metric_names[metric]) != 0)
      metric++;
    if (metric < METRICS)
      read_score(json, &scores[metric]);
    else
      json_skip(json);
  }
}

static void read_file(struct json *json, struct summary *summary) {
  struct row row = {0};
  char key[JSON_KEY];
  json_open(json, '{');
  while (json_more(json, '}')) {
    json_key(json, key);
    if (strcmp(key, "filename") == 0 && !row.name)
      row.name = json_string(json);
    else if (strcmp(key, "summary") == 0)
      read_scores(json, row.scores);
    else
      json_skip(json);
  }
  if (row.name && list_more(&summary->rows, summary->count, sizeof row)) {
    summary->rows[summary->count++] = row;
  } else {
    free(row.name);
    json->failed = true;
  }
}

static void read_export(struct json *json, struct summary *summary) {
  char key[JSON_KEY];
  json_open(json, '{');
  while (json_more(json, '}')) {
    json_key(json, key);
    if (strcmp(key, "files") == 0) {
      json_open(json, '[');
      while (json_more(json, ']'))
        read_file(json, summary);
    } else if (strcmp(key, "totals") == 0) {
      read_scores(json, summary->total.scores);
    } else {
      json_skip(json);
    }
  }
}

const char *summary_read(struct summary *summary, struct bytes text) {
  struct json json = json_begin(text);
  char key[JSON_KEY];
  bool found = false;
  *summary = (struct summary){0};
  json_open(&json, '{');
  while (json_more(&json, '}')) {
    json_key(&json, key);
    if (strcmp(key, "data") == 0 && !found) {
      json_open(&json, '[');
      for (; json_more(&json, ']'); found = true)
        read_export(&json, summary);
    } else {
      json_skip(&json);
    }
  }
  return found && !json.failed ? NULL
                               : "its summary is not what llvm-cov 13 to 22 "
                                 "write; use one of these";
}

void summary_free(struct summary *summary) {
  for (size_t i = 0; i < summary->count; i++)
    free(summary->rows[i].name);
  free(summary->rows);
  *summary = (struct summary){0};
}

bool row_empty(const struct row *row) {
  return !row->scores[FUNCTIONS].count && !row->scores[LINES].count &&
         !row->scores[REGIONS].count;
}

void row_add(struct row *row, const struct row *other) {
  for (unsigned i = 0; i < METRICS; i++) {
    row->scores[i].count += other->scores[i].count;
    row->scores[i].covered += other->scores[i].covered;
  }
}
