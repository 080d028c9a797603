/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * base/ere next to the C library's regexec: the same patterns are right, and
 * match the same texts. Patterns are made of parts that mean something, so that
 * most are right.
 *   ere [RUNS [SEED]]
 */
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Windows' functions, which the tool here has not, under other names. */
#define ere_compile own_compile
#define ere_matches own_matches
#define ere_find own_find
#define ere_free own_free
#include "base/os_windows_ere.c"

static uint64_t state;

static unsigned chance(unsigned most) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(state >> 33) % most;
}

static const char *const parts[] = {
    "a",         "b",       "c",     "ab",          "/",     "_",
    ".",         "\\.",     "^",     "$",           "*",     "+",
    "?",         "{2}",     "{1,3}", "{,2}",        "{2,}",  "(",
    ")",         "|",       "[ab]",  "[^a/]",       "[a-c]", "[]a]",
    "[^]-]",     "[a-]",    "\\w",   "\\W",         "\\s",   "\\b",
    "\\B",       "\\<",     "\\>",   "\\(",         "[",     "]",
    "{",         "}",       "\\",    "{3,1}",       "[c-a]", "[a-b-c]",
    "(a|b)*",    "(ab)+",   "(|a)",  "[[:alpha:]]", " ",     "[[:nope:]]",
    "[[.a.]-c]", "[[=b=]]", "(a*)*", "\\`",         "\\'",   "{0}",
    "{0,1}",     "a|b"};

static const char letters[] = "aabbcc/_. -\\]";

static void make_pattern(char *to) {
  *to = 0;
  for (unsigned i = 1 + chance(7); i; i--)
    strcat(to, parts[chance(sizeof parts / sizeof *parts)]);
}

static void make_text(char *to) {
  unsigned size = chance(9);
  for (unsigned i = 0; i < size; i++)
    to[i] = letters[chance(sizeof letters - 1)];
  to[size] = 0;
}

/* How many parts of a pattern begin a construct that may be wrong. */
static unsigned openings(const char *text) {
  unsigned count = 0;
  for (; *text; text++)
    count += strchr("{[(\\", *text) != NULL;
  return count;
}

/* No text has a line end: there the library takes $ for true. Of a pattern with
 * several faults, any may be named. */
static int compare(const char *text, unsigned *right) {
  struct ere own = {0};
  regex_t other;
  char subject[16], why[100] = "";
  const char *error = own_compile(&own, text);
  int wrong = regcomp(&other, text, REG_EXTENDED), failed = 0;
  if (wrong)
    regerror(wrong, &other, why, sizeof why);
  if (!error != !wrong ||
      (error && openings(text) < 2 && strcmp(error, why) != 0)) {
    printf("%s: %s, the library: %s\n", text, error ? error : "right",
           wrong ? why : "right");
    failed = 1;
  }
  for (unsigned i = 0; i < 20 && !error && !wrong && !failed; i++) {
    make_text(subject);
    struct ere_span span = {0, 0};
    regmatch_t match[2] = {{0, 0}, {-1, -1}};
    bool found = own_matches(&own, subject);
    bool there = own_find(&own, subject, &span);
    bool same = found == (regexec(&other, subject, 2, match, 0) == 0);
    /* A group inside of repetitions has no one place. */
    bool group = strchr(text, '(');
    if (same && there == found &&
        (!found || group ||
         ((size_t)match[0].rm_so == span.begin &&
          (size_t)match[0].rm_eo == span.end)))
      continue;
    printf("%s: %s '%s', unlike the library\n", text,
           found ? "matches" : "does not match", subject);
    failed = 1;
  }
  *right += !error;
  own_free(&own);
  if (!wrong)
    regfree(&other);
  return failed;
}

int main(int argc, char **argv) {
  unsigned long runs = argc > 1 && *argv[1] ? strtoul(argv[1], NULL, 10) : 5000;
  unsigned right = 0, failed = 0;
  char text[200];
  state = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
  for (unsigned long i = 0; i < runs && failed < 20; i++) {
    make_pattern(text);
    failed += (unsigned)compare(text, &right);
  }
  if (right < runs / 4)
    printf("only %u of %lu patterns are right\n", right, runs);
  return failed || right < runs / 4;
}
