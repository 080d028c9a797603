/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints what the markers of a source exclude: `line N` and `branch N` for each
 * line, in order; then `function N` with the last line where it may begin,
 * `reason N TEXT` and `problem N NAME`.
 *
 *   list FILE [PREFIX]    only markers whose name begins so
 */
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "file.h"
#include "coverage/exclude/exclude_set.h"

static const char *prefix = "";

static bool is_chosen(struct bytes name) {
  return name.size >= strlen(prefix) &&
         memcmp(name.data, prefix, strlen(prefix)) == 0;
}

static void put_lines(const struct markers *markers, enum exclusion_kind kind,
                      const char *word) {
  for (uint32_t line = 1; line <= markers->lines; line++) {
    bool excluded = false;
    for (size_t i = 0; i < markers->count; i++)
      excluded |=
          markers->list[i].kind == kind && is_chosen(markers->list[i].name) &&
          markers->list[i].first <= line && line <= markers->list[i].last;
    if (excluded)
      printf("%s %u\n", word, line);
  }
}

int main(int argc, char **argv) {
  struct markers markers;
  struct file file;
  if (argc > 2)
    prefix = argv[2];
  if (argc < 2 || file_read(&file, argv[1], 1 << 24))
    return 1;
  const char *error = markers_read(&markers, file.bytes);
  if (error)
    return report(argv[1], "%s", error);
  put_lines(&markers, EXCLUDED_LINES, "line");
  put_lines(&markers, EXCLUDED_BRANCHES, "branch");
  for (size_t i = 0; i < markers.count; i++) {
    const struct marker *marker = &markers.list[i];
    if (marker->kind == EXCLUDED_FUNCTION)
      printf("function %u %u\n", marker->line, marker->last);
    if (marker->reason.size)
      printf("reason %u %.*s\n", marker->line, (int)marker->reason.size,
             (const char *)marker->reason.data);
  }
  for (size_t i = 0; i < markers.problem_count; i++)
    printf("problem %u %.*s\n", markers.problems[i].line,
           (int)markers.problems[i].name.size,
           (const char *)markers.problems[i].name.data);
  markers_free(&markers);
  file_close(&file);
  return 0;
}
