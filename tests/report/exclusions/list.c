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
#include "coverage/exclude/exclude.h"

static const char *prefix = "";

static void put_lines(const struct exclusions *set, enum exclusion_kind kind,
                      const char *word) {
  const struct excluded_source *source = set->sources;
  for (uint32_t line = 1; line <= source->lines; line++) {
    bool excluded = false;
    for (size_t i = 0; i < source->range_count; i++) {
      const struct excluded_range *range = &source->ranges[i];
      const char *name = set->list[range->exclusion].name;
      excluded |= range->kind == kind && range->first <= line &&
                  line <= range->last &&
                  strncmp(name, prefix, strlen(prefix)) == 0;
    }
    if (excluded)
      printf("%s %u\n", word, line);
  }
}

int main(int argc, char **argv) {
  struct exclusions set = {.arena.limit = 1 << 24};
  struct excluded_source source = {.here = "the source"};
  struct file file;
  if (argc > 2)
    prefix = argv[2];
  if (argc < 2 || file_read(&file, argv[1], 1 << 24))
    return 1;
  const char *error = markers_parse(&set, &source, file.bytes);
  if (error)
    return report(argv[1], "%s", error);
  set.sources = &source;
  put_lines(&set, EXCLUDED_LINES, "line");
  put_lines(&set, EXCLUDED_BRANCHES, "branch");
  for (size_t i = 0; i < source.range_count; i++)
    if (source.ranges[i].kind == EXCLUDED_FUNCTION)
      printf("function %u %u\n", source.ranges[i].first, source.ranges[i].last);
  for (size_t i = 0; i < set.count; i++)
    if (*set.list[i].reason)
      printf("reason %u %s\n", set.list[i].line, set.list[i].reason);
  for (size_t i = 0; i < set.problem_count; i++)
    printf("problem %u %s\n", set.problems[i].line, set.problems[i].name);
  set.sources = NULL;
  exclusions_free(&set);
  free(source.ranges);
  free(source.contents);
  file_close(&file);
  return 0;
}
