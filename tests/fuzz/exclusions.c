/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: the file of exclusions, and markers in a source. The input is a
 * text of phrases. What is accepted is in order, and markers exclude lines of
 * the source only.
 */
#include <string.h>

#include "coverage/exclude/exclude_set.h"
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

struct count {
  size_t wrong;
};

static void on_wrong(void *context, uint32_t line, const char *what) {
  struct count *count = context;
  must(line && *what, "an error has a line and says something");
  must(strchr(what, ';') || strstr(what, "is LINE") ||
           strstr(what, "quote values") || strstr(what, "extended"),
       "an error says what to do");
  count->wrong++;
}

static void check_rules(struct bytes text) {
  struct count count = {0};
  struct rules rules;
  bool right = rules_read(&rules, text, on_wrong, &count);
  must(right == !count.wrong, "each wrong line is told");
  for (size_t i = 0; i < rules.count; i++) {
    const struct exclude_rule *rule = &rules.list[i];
    must(rule->path && *rule->path && rule->reason && rule->by, "it is whole");
    must(!i || rule[-1].line < rule->line, "rules are in order");
    must(rule->first <= rule->last || !rule->last, "lines are in order");
    pattern_matches_file(rule->path, "/src/a.c");
    if (rule->function)
      pattern_matches(rule->function, "main");
    if (rule->regex)
      ere_matches(rule->regex, "abxyz");
  }
  rules_free(&rules);
}

static void check_markers(struct bytes text) {
  struct markers markers;
  must(!markers_read(&markers, text), "a source is read");
  for (size_t i = 0; i < markers.count; i++) {
    const struct marker *marker = &markers.list[i];
    must(marker->line && marker->line <= markers.lines, "a marker has a line");
    must(marker->first == marker->line, "it excludes from there");
    must(marker->last <= markers.lines, "it excludes lines of the source");
    must(marker->name.size > 10 && marker->name.data >= text.data &&
             marker->reason.data >= marker->name.data + marker->name.size &&
             marker->reason.data + marker->reason.size <= text.data + text.size,
         "its reason is behind it");
    must(!marker->reason.size ||
             !memchr(marker->reason.data, '\n', marker->reason.size),
         "a reason is in one line");
  }
  for (size_t i = 0; i < markers.problem_count; i++)
    must(markers.problems[i].line <= markers.lines && *markers.problems[i].text,
         "a problem has a line");
  markers_free(&markers);
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
