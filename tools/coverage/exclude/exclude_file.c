/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A line is a list of KEY=VALUE. A value is a word, or in quotes, where a
 * backslash stands before a quote or a backslash.
 */
#include "exclude_set.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/arena.h"
#include "../../base/error.h"
#include "../../base/number.h"
#include "../../base/os.h"
#include "../../base/source_name.h"

enum { VALUE_MOST = 4096, REGEX_MOST = 512, ARENA_MOST = 1 << 26 };

enum key {
  KEY_PATH,
  KEY_FUNCTION,
  KEY_TEXT,
  KEY_REGEX,
  KEY_LINES,
  KEY_DECISION,
  KEY_ONLY,
  KEY_REASON,
  KEY_BY,
  KEYS
};
static const char *const keys[KEYS] = {"path",  "function", "text",
                                       "regex", "lines",    "decision",
                                       "only",  "reason",   "by"};

/* A line, while it is read. */
struct exclude_line {
  const unsigned char *at, *end;
  struct arena *arena;
  const char *values[KEYS];
  const char *error;
};

/* ---- patterns ---- */

static bool same_exactly(char a, char b) { return a == b; }

static bool same_in_name(char a, char b) { return os_same_name(&a, &b, 1); }

static bool matches(const char *pattern, const char *text,
                    bool (*same)(char a, char b)) {
  const char *star = NULL, *from = NULL;
  while (*text) {
    if (*pattern == '*') {
      star = ++pattern;
      from = text;
    } else if (*pattern && (*pattern == '?' || same(*pattern, *text))) {
      pattern++;
      text++;
    } else if (star) {
      pattern = star;
      text = ++from;
    } else {
      return false;
    }
  }
  while (*pattern == '*')
    pattern++;
  return !*pattern;
}

bool pattern_matches(const char *pattern, const char *text) {
  return matches(pattern, text, same_exactly);
}

bool pattern_matches_file(const char *pattern, const char *name) {
  bool found = matches(pattern, name, same_in_name);
  while (!found && *pattern != '/' && (name = strchr(name, '/')))
    found = matches(pattern, ++name, same_in_name);
  return found;
}

/* ---- words ---- */

static void skip_blanks(struct exclude_line *line) {
  while (line->at != line->end &&
         (*line->at == ' ' || *line->at == '\t' || *line->at == '\r'))
    line->at++;
}

static bool is_end(const struct exclude_line *line) {
  return line->at == line->end || *line->at == '#';
}

static enum key take_key(struct exclude_line *line) {
  for (unsigned key = 0; key < KEYS; key++) {
    const unsigned char *at = line->at;
    if (take_word(&at, line->end, keys[key]) &&
        take_word(&at, line->end, "=")) {
      line->at = at;
      return (enum key)key;
    }
  }
  line->error = "path=, function=, text=, regex=, lines=, decision=, only=, "
                "reason= or by= is expected; quote values with blanks";
  return KEYS;
}

/* Takes a value; the caller has seen that it is short enough. */
static char *take_quoted(struct exclude_line *line) {
  char value[VALUE_MOST];
  size_t size = 0;
  for (line->at++; line->at != line->end && *line->at != '"'; line->at++) {
    if (*line->at == '\\' && line->end - line->at > 1 &&
        (line->at[1] == '"' || line->at[1] == '\\'))
      line->at++;
    value[size++] = (char)*line->at;
  }
  if (line->at == line->end) {
    line->error = "a quoted value has no end; write \" behind it";
    return NULL;
  }
  line->at++;
  if (line->at != line->end && !strchr(" \t\r", *line->at)) {
    line->error = "text stands right behind a quoted value; write a blank "
                  "between, and \\\" for a quote";
    return NULL;
  }
  return arena_copy(line->arena, value, size);
}

static char *take_value(struct exclude_line *line) {
  const unsigned char *begin = line->at;
  if (begin != line->end && *begin == '"')
    return take_quoted(line);
  while (line->at != line->end && !strchr(" \t\r", *line->at))
    line->at++;
  return arena_copy(line->arena, begin, (size_t)(line->at - begin));
}

static void take_words(struct exclude_line *line) {
  for (skip_blanks(line); !is_end(line) && !line->error; skip_blanks(line)) {
    enum key key = take_key(line);
    char *value = line->error ? NULL : take_value(line);
    if (line->error)
      return;
    if (!value)
      line->error = out_of_memory;
    else if (line->values[key])
      line->error = "a key is given twice; write a line for each exclusion";
    else if (!*value)
      line->error = "a value is empty; give one, or leave the key out";
    else
      line->values[key] = key == KEY_PATH ? source_name(value) : value;
  }
}

/* ---- what they mean ---- */

/* FIRST, or FIRST and LAST with a separator between. */
static bool take_numbers(const char *text, char separator, uint32_t *first,
                         uint32_t *last) {
  const unsigned char *at = (const unsigned char *)text;
  const unsigned char *end = at + strlen(text), *begin = at;
  uint64_t a = take_decimal(&at, end), b = 0;
  bool right = at != begin && a && a < INT_MAX;
  if (at != end && *at == (unsigned char)separator) {
    begin = ++at;
    b = take_decimal(&at, end);
    right &= at != begin && b && b < INT_MAX;
  }
  *first = (uint32_t)a;
  *last = (uint32_t)b;
  return right && at == end;
}

/* Repetitions and references can take memory and time without end. */
static bool is_costly(const char *text) {
  for (; *text; text++) {
    if (*text == '{' || (*text == '\\' && text[1] >= '1' && text[1] <= '9'))
      return true;
    text += *text == '\\' && text[1];
  }
  return false;
}

static const char *take_regex(struct arena *arena, const char *text,
                              struct ere **regex) {
  if (!text)
    return NULL;
  if (strlen(text) > REGEX_MOST)
    return "the regular expression is longer than 512 bytes; shorten it";
  if (is_costly(text))
    return "the regular expression has { or a reference such as \\1; write "
           "it without";
  struct ere *compiled = arena_take(arena, sizeof *compiled);
  if (!compiled)
    return out_of_memory;
  if (ere_compile(compiled, text))
    return "the regular expression is wrong; it is a POSIX extended one";
  *regex = compiled;
  return NULL;
}

/* Returns NULL or the error. */
static const char *take_place(struct exclusion *rule,
                              const char *const *values) {
  const char *lines = values[KEY_LINES], *decision = values[KEY_DECISION];
  if (decision) {
    rule->kind = EXCLUDED_DECISION;
    if (!take_numbers(decision, ':', &rule->first, &rule->column))
      return "decision= is LINE or LINE:COLUMN";
    rule->last = rule->first;
  }
  if (lines) {
    if (!take_numbers(lines, '-', &rule->first, &rule->last))
      return "lines= is LINE or FIRST-LAST";
    if (!rule->last)
      rule->last = rule->first;
    if (rule->last < rule->first)
      return "lines= ends before it begins; give FIRST-LAST";
    if (!rule->text)
      return "lines= needs text=, a part of the first line, so that it is "
             "noticed if the code moves";
  }
  return NULL;
}

static const char *take_rule(struct exclusion *rule,
                             struct exclude_line *line) {
  const char *const *values = line->values;
  unsigned places = 0;
  take_words(line);
  if (line->error)
    return line->error;
  places = !!values[KEY_FUNCTION] + !!values[KEY_REGEX] + !!values[KEY_LINES] +
           !!values[KEY_DECISION];
  if (!values[KEY_PATH])
    return "path= is missing; give a source, or *";
  if (places > 1)
    return "only one of function=, regex=, lines= and decision= can be given; "
           "write a line for each exclusion";
  if (values[KEY_TEXT] && (values[KEY_FUNCTION] || values[KEY_REGEX]))
    return "text= goes with lines= or decision=, or stands alone; remove it";
  if (values[KEY_ONLY] && (values[KEY_DECISION] || values[KEY_FUNCTION] ||
                           strcmp(values[KEY_ONLY], "branches") != 0))
    return "only= is only=branches, with lines; remove it";
  rule->path = values[KEY_PATH];
  rule->function = values[KEY_FUNCTION];
  rule->text = values[KEY_TEXT];
  rule->reason = values[KEY_REASON] ? values[KEY_REASON] : "";
  rule->by = values[KEY_BY] ? values[KEY_BY] : "";
  rule->kind = rule->function     ? EXCLUDED_FUNCTION
               : values[KEY_ONLY] ? EXCLUDED_BRANCHES
                                  : EXCLUDED_LINES;
  const char *error = take_place(rule, values);
  return error ? error
               : take_regex(line->arena, values[KEY_REGEX], &rule->regex);
}

/* ---- all ---- */

static const char *read_line(struct exclusions *set, struct exclude_line *line,
                             uint32_t number) {
  struct exclusion rule = {
      .name = "the exclusion", .file = set->name, .line = number};
  if (line->end - line->at >= VALUE_MOST)
    return "the line is longer than 4,000 bytes; shorten it";
  if (memchr(line->at, 0, (size_t)(line->end - line->at)))
    return "it is not text; give a file of exclusions";
  if (set->count == RULES_MOST)
    return "there are more than 16,384 exclusions; exclude whole files";
  const char *error = take_rule(&rule, line);
  if (!error && !exclusions_add(set, &rule))
    error = out_of_memory;
  if (error && rule.regex)
    ere_free(rule.regex);
  return error;
}

bool rules_read(struct exclusions *set, struct bytes text) {
  struct bytes whole;
  bool right = true;
  if (text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0)
    text = (struct bytes){text.data + 3, text.size - 3};
  for (uint32_t number = 1; number < INT_MAX && bytes_line(&text, &whole);
       number++) {
    struct exclude_line line = {
        .at = whole.data, .end = whole.data + whole.size, .arena = &set->arena};
    skip_blanks(&line);
    if (is_end(&line))
      continue;
    const struct exclusion_problem problem = {set->name, number, "",
                                              read_line(set, &line, number)};
    if (!problem.text)
      continue;
    right = false;
    if (!exclusions_complain(set, &problem) || problem.text == out_of_memory ||
        set->count == RULES_MOST)
      break;
  }
  set->rule_count = set->count;
  return right;
}
