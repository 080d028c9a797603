/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: the file of exclusions, and markers in a source. The input is a
 * text of phrases. Accepted rules are in order, and markers exclude only lines
 * of the source.
 */
#include <string.h>

#include "coverage/exclude/exclude.h"
#include "input.h"
#include "phrases.h"

enum { MOST = 4096 };

static const char *const rule_phrases[] = {"path=",
                                           "*.c",
                                           " ",
                                           "\n",
                                           "function=",
                                           "text=",
                                           "regex=",
                                           "lines=",
                                           "decision=",
                                           "only=branches",
                                           "reason=\"a \\\" b\"",
                                           "by=",
                                           "path=a.c lines=3-4 text=x\n",
                                           "path=a.c decision=3:4\n",
                                           "2147483647",
                                           "4294967296",
                                           "\"",
                                           "\\",
                                           "#",
                                           "\r\n",
                                           "\xEF\xBB\xBF",
                                           "(a|b)*[x-z]?",
                                           "{3}",
                                           "-",
                                           ":"};

static const char *const source_phrases[] = {"LCOV_EXCL_LINE",
                                             "LCOV_EXCL_START",
                                             "LCOV_EXCL_STOP",
                                             "LCOV_EXCL_BR_LINE",
                                             "LCOV_EXCL_BR_START",
                                             "LCOV_EXCL_BR_STOP",
                                             "GCOVR_EXCL_LINE",
                                             "GCOVR_EXCL_START",
                                             "GCOV_EXCL_STOP",
                                             "GCOVR_EXCL_STOP",
                                             "LCOVR_EXCL_START",
                                             "GCOVR_EXCL_FUNCTION",
                                             "GCOVR_EXCL_BR_START",
                                             "GCOVR_EXCL_BR_STOP",
                                             "_EXCL_",
                                             "LCOV",
                                             "\n",
                                             "\r\n",
                                             "//",
                                             "/*",
                                             "*/",
                                             "\"",
                                             "'",
                                             "\\",
                                             "{",
                                             "};",
                                             ": why",
                                             " ",
                                             "int f(void)"};

static void check_problems(const struct exclusions *set, uint32_t lines) {
  for (size_t i = 0; i < set->problem_count; i++) {
    const struct exclusion_problem *one = &set->problems[i];
    must(one->line && one->line <= lines, "a problem has a line");
    must(strchr(one->text, ';') || strstr(one->text, "is LINE") ||
             strstr(one->text, "quote values") || strstr(one->text, "extended"),
         "a problem says what to do");
  }
}

static void check_rules(struct bytes text) {
  struct exclusions set = {.arena.limit = 1 << 26};
  bool right = rules_parse(&set, text);
  must(right == !set.problem_count, "each wrong line is told");
  must(set.rule_count == set.count, "all are of the file");
  check_problems(&set, UINT32_MAX);
  for (size_t i = 0; i < set.count; i++) {
    const struct exclusion *rule = &set.list[i];
    must(rule->path && *rule->path && rule->reason && rule->by, "it is whole");
    must(!i || rule[-1].line < rule->line, "rules are in order");
    must(rule->first <= rule->last || !rule->last, "lines are in order");
    pattern_matches_file(rule->path, "/src/a.c");
    if (rule->function)
      pattern_matches(rule->function, "main");
    if (rule->regex)
      ere_matches(rule->regex, "abxyz");
  }
  exclusions_free(&set);
}

static void check_markers(struct bytes text) {
  struct exclusions set = {.arena.limit = 1 << 26};
  struct excluded_source source = {.here = "a source"};
  must(!markers_parse(&set, &source, text), "a source is read");
  check_problems(&set, source.lines);
  for (size_t i = 0; i < source.range_count; i++) {
    const struct excluded_range *range = &source.ranges[i];
    must(range->exclusion < set.count, "a range is of an exclusion");
    must(range->first == set.list[range->exclusion].line,
         "it excludes from there");
    must(range->first <= range->last && range->last <= source.lines,
         "it excludes lines of the source");
  }
  for (size_t i = 0; i < set.count; i++) {
    const struct exclusion *marker = &set.list[i];
    must(marker->line && marker->line <= source.lines, "a marker has a line");
    must(strlen(marker->name) > 10 && !marker->path, "it has a name");
    must(!strchr(marker->reason, '\n'), "a reason is in one line");
  }
  free(source.ranges);
  free(source.contents);
  exclusions_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
  struct input input = {data, data + (count < MOST ? count : MOST)};
  bool source = take(&input) & 1;
  size_t size = 0;
  const char *const *phrases = source ? source_phrases : rule_phrases;
  size_t known = source ? sizeof source_phrases / sizeof *source_phrases
                        : sizeof rule_phrases / sizeof *rule_phrases;
  char *text = phrases_text(phrases, known, input.at,
                            (size_t)(input.end - input.at), &size);
  /* Of its very size, for the sanitizer. */
  unsigned char *bytes = malloc(size + !size);
  if (size)
    memcpy(bytes, text, size);
  (source ? check_markers : check_rules)((struct bytes){bytes, size});
  free(text);
  free(bytes);
  return 0;
}
