/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads scores: {"lines":{"count":N,"covered":N, ...}, ...}
 */
#include "exported.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/json_read.h"

const char *const metric_names[METRICS] = {"functions", "lines", "regions",
                                           "branches", "mcdc"};

const char *const metric_titles[METRICS] = {"Functions", "Lines", "Regions",
                                            "Branches", "MC/DC"};

static void read_score(struct json *json, struct score *score) {
  char key[JSON_KEY];
  json_open(json, '{');
  while (json_member(json, key))
    if (strcmp(key, "count") == 0)
      score->count = json_count(json);
    else if (strcmp(key, "covered") == 0)
      score->covered = json_count(json);
    else
      json_skip(json);
  if (score->covered > score->count)
    json->failed = true;
}

void summary_scores(struct json *json, struct score scores[METRICS]) {
  char key[JSON_KEY];
  json_open(json, '{');
  while (json_member(json, key)) {
    unsigned metric = 0;
    while (metric < METRICS && strcmp(key, metric_names[metric]) != 0)
      metric++;
    if (metric < METRICS)
      read_score(json, &scores[metric]);
    else
      json_skip(json);
  }
}

bool summary_copy(struct scores_summary *to,
                  const struct scores_summary *from) {
  *to = (struct scores_summary){.total = from->total};
  to->rows = calloc(from->count + 1, sizeof *to->rows);
  bool failed = !to->rows;
  for (; to->count < from->count && !failed; to->count++) {
    struct file_row *row = &to->rows[to->count];
    *row = from->rows[to->count];
    row->name = strdup(row->name);
    failed = !row->name;
  }
  if (failed)
    summary_free(to);
  return !failed;
}

void summary_free(struct scores_summary *summary) {
  for (size_t i = 0; i < summary->count; i++)
    free(summary->rows[i].name);
  free(summary->rows);
  *summary = (struct scores_summary){0};
}

bool metrics_put(FILE *stream, const uint64_t counts[METRICS]) {
  static const char *const names[METRICS] = {"function", "line", "region",
                                             "branch", "MC/DC condition"};
  bool any = false;
  for (unsigned i = 0; i < METRICS; i++) {
    if (!counts[i])
      continue;
    fprintf(stream, "%s%" PRIu64 " %s%s", any ? ", " : "", counts[i], names[i],
            counts[i] == 1  ? ""
            : i == BRANCHES ? "es"
                            : "s");
    any = true;
  }
  return any;
}

bool row_empty(const struct file_row *row) {
  return !row->scores[FUNCTIONS].count && !row->scores[LINES].count &&
         !row->scores[REGIONS].count;
}

void row_add(struct file_row *row, const struct file_row *other) {
  for (unsigned i = 0; i < METRICS; i++) {
    row->scores[i].count += other->scores[i].count;
    row->scores[i].covered += other->scores[i].covered;
  }
}
