/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the times of tests from lines of a log that name a test and a time, as
 * ztest, GoogleTest and CppUTest print them:
 *
 *     PASS - test_fix in 0.012 seconds
 *     [       OK ] Parser.fix (12 ms)
 *     TEST(Parser, fix) - 12 ms
 *
 * A line may name a test with the last part of its name, if no other test has
 * that part. The last line of a test counts.
 */
#include "by_test.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/map.h"
#include "../../base/need.h"
#include "../../object/digest.h"

enum { SEVERAL = INT32_MAX };

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Whether a character separates the parts of a name. */
static bool joins(char c) { return c == '.' || c == ':'; }

/* ---- times ---- */

/* Returns the microseconds of a unit; 0: it is not a unit. */
static double unit_of(const char *text, size_t size) {
  static const struct {
    const char *name;
    double micros;
  } units[] = {{"s", 1e6},      {"sec", 1e6},          {"secs", 1e6},
               {"second", 1e6}, {"seconds", 1e6},      {"ms", 1e3},
               {"millis", 1e3}, {"milliseconds", 1e3}, {"us", 1},
               {"micros", 1},   {"microseconds", 1}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strlen(units[i].name) == size && !memcmp(units[i].name, text, size))
      return units[i].micros;
  return 0;
}

/* Returns the last time in a line, in microseconds; 0: there is none. */
static uint64_t time_in(const char *line) {
  double found = 0;
  for (const char *at = line; *at; at++) {
    if (!is_digit(*at) || (at > line && (is_word(at[-1]) || at[-1] == '.')))
      continue;
    const char *end = at + strspn(at, "0123456789");
    if (*end == '.')
      end += 1 + strspn(end + 1, "0123456789");
    const char *unit = end + (*end == ' ');
    size_t size = 0;
    while (is_word(unit[size]))
      size++;
    double micros = strtod(at, NULL) * unit_of(unit, size);
    if (micros > 0 && micros < 1e12)
      found = micros;
    at = end - 1;
  }
  return found < 1 && found > 0 ? 1 : (uint64_t)found;
}

/* ---- names ---- */

/* Returns the last part of a name: after :: or a dot. */
static struct bytes last_part(struct bytes name) {
  size_t from = name.size;
  while (from && !joins((char)name.data[from - 1]))
    from--;
  return (struct bytes){name.data + from, name.size - from};
}

static uint64_t key_of(struct bytes name) {
  return md5_low64(name.data, name.size);
}

/* Maps the last parts of the tests' names to index + 1, or SEVERAL. */
static void list_parts(const struct tests *tests, struct map *parts) {
  for (size_t i = 0; i < tests->count; i++) {
    const char *name = tests->list[i].name;
    if (!name)
      continue;
    struct bytes part =
        last_part((struct bytes){(const unsigned char *)name, strlen(name)});
    uint64_t *number = need(map_at(parts, key_of(part), part.size, 0));
    *number = *number ? SEVERAL : i + 1;
  }
}

static struct test *test_named(struct tests *tests, const struct map *parts,
                               struct bytes name) {
  const uint64_t *number =
      map_find(&tests->numbers, key_of(name), name.size, true);
  struct bytes part = last_part(name);
  if (!number)
    number = map_find(parts, key_of(part), part.size, 0);
  return number && *number && *number != SEVERAL ? &tests->list[*number - 1]
                                                 : NULL;
}

/* Sets the time of the first test that a line names. */
static void take_line(struct tests *tests, const struct map *parts,
                      const char *line) {
  uint64_t micros = *line == BAREPROF_TEXT_MARK ? 0 : time_in(line);
  for (const char *at = line; micros && *at;) {
    size_t size = 0;
    while (is_word(at[size]) || (size && joins(at[size])))
      size++;
    size_t all = size + !size;
    while (size && joins(at[size - 1]))
      size--;
    struct test *test =
        size ? test_named(tests, parts,
                          (struct bytes){(const unsigned char *)at, size})
             : NULL;
    if (test && !test->told)
      test->micros = micros;
    if (test)
      return;
    at += all;
  }
}

void tests_times(struct tests *tests, struct bytes log) {
  struct map parts = {.limit = TESTS_MOST};
  struct bytes whole;
  list_parts(tests, &parts);
  while (bytes_line(&log, &whole)) {
    char line[NAMING_LINE];
    size_t size = whole.size < sizeof line ? whole.size : sizeof line - 1;
    memcpy(line, whole.data, size);
    line[size] = 0;
    take_line(tests, &parts, line);
  }
  map_free(&parts);
}
