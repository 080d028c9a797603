/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file reads the exclusions file. Each line is a list of KEY=VALUE. A
 * value is a word or stands in quotes; in quotes, a backslash escapes a quote
 * or a backslash. exclude_set.c applies each line to the sources.
 */
#include "exclude.h"

#include <limits.h>

#include "../../base/need.h"
#include "../../base/number.h"
#include "../../base/os.h"
#include "../../base/source_name.h"

enum { VALUE_MOST = 4096, REGEX_MOST = 512 };

enum rule_key {
  PATH,
  FUNCTION,
  TEXT,
  REGEX,
  LINES,
  DECISION,
  ONLY,
  REASON,
  BY,
  KEYS
};
static const char *const keys[KEYS] = {
    "path=",     "function=", "text=",   "regex=", "lines=",
    "decision=", "only=",     "reason=", "by="};

/* ---- patterns ---- */

static bool matches_wildcards(const char *pattern, const char *text,
                              bool exactly) {
  const char *star = NULL, *from = NULL;
  while (*text) {
    if (*pattern == '*') {
      star = ++pattern;
      from = text;
    } else if (*pattern == '?' || *pattern == *text ||
               (*pattern && !exactly && os_are_same_name(pattern, text, 1))) {
      pattern++;
      text++;
    } else if (star) {
      pattern = star;
      text = ++from;
    } else {
      return false;
    }
  }
  return pattern[strspn(pattern, "*")] == 0;
}

bool pattern_matches(const char *pattern, const char *text) {
  return matches_wildcards(pattern, text, true);
}

bool pattern_matches_file(const char *pattern, const char *name) {
  bool found = matches_wildcards(pattern, name, false);
  while (!found && *pattern != '/' && (name = strchr(name, '/')))
    found = matches_wildcards(pattern, ++name, false);
  return found;
}

/* ---- words ---- */

static bool is_blank(unsigned char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r';
}

static const char *parse_rule_value(const unsigned char **at,
                                    const unsigned char *end,
                                    char value[VALUE_MOST]) {
  bool quoted = *at != end && **at == '"';
  for (*at += quoted; *at != end && (quoted ? **at != '"' : !is_blank(**at));
       ++*at) {
    if (quoted && **at == '\\' && end - *at > 1 &&
        ((*at)[1] == '"' || (*at)[1] == '\\'))
      ++*at;
    *value++ = (char)**at;
  }
  *value = 0;
  if (quoted && *at == end)
    return "a quoted value does not end; add \" at its end";
  if (quoted && ++*at != end && !is_blank(**at))
    return "text follows a quoted value without a blank; write a blank between "
           "them, and \\\" for a quote";
  return NULL;
}

static const char *parse_rule_fields(struct exclusions *set,
                                     const unsigned char *at,
                                     const unsigned char *end,
                                     const char *values[KEYS]) {
  for (;; at += at != end) {
    char value[VALUE_MOST];
    unsigned key = 0;
    while (at != end && is_blank(*at))
      at++;
    if (at == end || *at == '#')
      return NULL;
    while (key < KEYS && !skip_prefix(&at, end, keys[key]))
      key++;
    if (key == KEYS)
      return "expected path=, function=, text=, regex=, lines=, decision=, "
             "only=, reason= or by=; quote values that have blanks";
    const char *error = parse_rule_value(&at, end, value);
    if (error)
      return error;
    if (values[key])
      return "a key is used twice; write one line for each exclusion";
    if (!*value)
      return "a value is empty; write a value, or remove the key";
    values[key] = exclusions_copy_text(
        set, bytes_of_text(key == PATH ? source_name_normalise(value) : value));
  }
}

/* ---- from words to exclusions ---- */

/* Parses FIRST, or FIRST and LAST with the separator between them. Sets *last
 * to 0 if LAST is missing. */
static bool parse_number_pair(const char *text, char separator, uint32_t *first,
                              uint32_t *last) {
  const char *behind = strchr(text, separator);
  uint64_t a, b = 0;
  size_t size = behind ? (size_t)(behind - text) : strlen(text);
  bool right =
      parse_number_in_base((struct bytes){(const void *)text, size}, 10, &a) &&
      (!behind ||
       (parse_number_in_base(bytes_of_text(behind + 1), 10, &b) && b));
  *first = (uint32_t)a;
  *last = (uint32_t)b;
  return right && a && a < INT_MAX && b < INT_MAX;
}

/* Returns whether a regular expression contains {repetitions} or references,
 * because their memory and time are unlimited. */
static bool has_repeat_or_reference(const char *text) {
  for (; *text; text++) {
    if (*text == '{' || (*text == '\\' && text[1] >= '1' && text[1] <= '9'))
      return true;
    text += *text == '\\' && text[1];
  }
  return false;
}

static const char *compile_regex(struct exclusions *set, const char *text,
                                 struct ere **regex) {
  if (strlen(text) > REGEX_MOST)
    return "the regular expression is longer than 512 bytes; shorten the "
           "expression";
  if (has_repeat_or_reference(text))
    return "the regular expression has { or a reference such as \\1, which are "
           "not supported; write it without them";
  struct ere *compiled =
      need_memory(arena_allocate(&set->arena, sizeof *compiled));
  if (ere_compile(compiled, text))
    return "the regular expression is not valid; write a POSIX extended "
           "regular expression";
  *regex = compiled;
  return NULL;
}

static const char *parse_rule_lines(struct exclusion *rule,
                                    const char *const values[KEYS]) {
  if (values[DECISION]) {
    if (!parse_number_pair(values[DECISION], ':', &rule->first, &rule->column))
      return "decision= must be LINE or LINE:COLUMN";
    rule->last = rule->first;
  }
  if (values[LINES]) {
    if (!parse_number_pair(values[LINES], '-', &rule->first, &rule->last))
      return "lines= must be LINE or FIRST-LAST";
    if (!rule->last)
      rule->last = rule->first;
    if (rule->last < rule->first)
      return "lines= ends before it begins; use FIRST-LAST";
    if (!rule->text)
      return "lines= needs text=, a part of the first line, so that bareprof "
             "notices if the code moves";
  }
  return NULL;
}

static const char *find_key_error(const char *const values[KEYS]) {
  if (!values[PATH])
    return "path= is missing; add path= with a source file, or path=*";
  if (!!values[FUNCTION] + !!values[REGEX] + !!values[LINES] +
          !!values[DECISION] >
      1)
    return "only one of function=, regex=, lines= and decision= is allowed; "
           "write one line for each exclusion";
  if (values[TEXT] && (values[FUNCTION] || values[REGEX]))
    return "text= does not work with function= or regex=; remove text=";
  if (values[ONLY] && (values[DECISION] || values[FUNCTION] ||
                       strcmp(values[ONLY], "branches") != 0))
    return "only= works only as only=branches, together with lines=; correct "
           "or remove only=";
  return NULL;
}

static const char *parse_and_add_rule(struct exclusions *set, struct bytes line,
                                      uint32_t number) {
  const char *values[KEYS] = {NULL};
  if (line.size >= VALUE_MOST)
    return "the line is longer than 4,000 bytes; shorten the line";
  if (memchr(line.data, 0, line.size))
    return "the file is not text; pass a file of exclusions";
  if (set->count == RULES_MOST)
    return "the file has more than 16,384 exclusions; exclude complete files "
           "instead";
  const char *error =
      parse_rule_fields(set, line.data, line.data + line.size, values);
  if (!error)
    error = find_key_error(values);
  if (error)
    return error;
  struct exclusion rule = {.kind = values[FUNCTION]   ? EXCLUDED_FUNCTION
                                   : values[DECISION] ? EXCLUDED_DECISION
                                   : values[ONLY]     ? EXCLUDED_BRANCHES
                                                      : EXCLUDED_LINES,
                           .name = "the exclusion",
                           .file = set->name,
                           .line = number,
                           .path = values[PATH],
                           .function = values[FUNCTION],
                           .text = values[TEXT],
                           .reason = values[REASON] ? values[REASON] : "",
                           .by = values[BY] ? values[BY] : ""};
  error = parse_rule_lines(&rule, values);
  if (!error && values[REGEX])
    error = compile_regex(set, values[REGEX], &rule.regex);
  if (!error)
    LIST_ADD(set->list, set->count, rule);
  return error;
}

bool rules_parse(struct exclusions *set, struct bytes text) {
  struct bytes line;
  bool right = true;
  if (text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0)
    text = (struct bytes){text.data + 3, text.size - 3};
  for (uint32_t number = 1; number < INT_MAX && bytes_next_line(&text, &line);
       number++) {
    while (line.size && is_blank(*line.data))
      line = (struct bytes){line.data + 1, line.size - 1};
    const char *error = line.size && *line.data != '#'
                            ? parse_and_add_rule(set, line, number)
                            : NULL;
    if (!error)
      continue;
    right = false;
    LIST_ADD(set->problems, set->problem_count,
             (struct exclusion_problem){set->name, number, "", error});
    if (set->count == RULES_MOST)
      break;
  }
  set->rule_count = set->count;
  return right;
}
