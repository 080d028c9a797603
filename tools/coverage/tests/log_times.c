/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file reads the times of tests from lines of a log that name a test and a
 * time. ztest, GoogleTest and CppUTest print such lines:
 *
 *     PASS - test_fix in 0.012 seconds
 *     [       OK ] Parser.fix (12 ms)
 *     TEST(Parser, fix) - 12 ms
 *
 * A line may have only the last part of a test's name, if no other test has
 * that part. If a test has several lines, the last one counts.
 */
#include "tests.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/map.h"
#include "../../base/need.h"
#include "../../object/digest.h"

enum { SEVERAL = INT32_MAX };

static bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_name_separator(char c) { return c == '.' || c == ':'; }

/* ---- times ---- */

/* Returns the microseconds in a unit of time, or 0 if the word is not a
 * unit. */
static double parse_time_unit(const char *text, size_t size) {
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

/* Returns the last time in a line in microseconds, or 0 if the line lacks a
 * time. */
static uint64_t find_last_time(const char *line) {
  double found = 0;
  for (const char *at = line; *at; at++) {
    if (!is_digit(*at) ||
        (at > line && (is_word_byte(at[-1]) || at[-1] == '.')))
      continue;
    const char *end = at + strspn(at, "0123456789");
    if (*end == '.')
      end += 1 + strspn(end + 1, "0123456789");
    const char *unit = end + (*end == ' ');
    size_t size = 0;
    while (is_word_byte(unit[size]))
      size++;
    double micros = strtod(at, NULL) * parse_time_unit(unit, size);
    if (micros > 0 && micros < 1e12)
      found = micros;
    at = end - 1;
  }
  return found < 1 && found > 0 ? 1 : (uint64_t)found;
}

/* ---- names ---- */

/* Returns the last part of a name, which follows :: or a dot. */
static struct bytes find_last_name_part(struct bytes name) {
  size_t from = name.size;
  while (from && !is_name_separator((char)name.data[from - 1]))
    from--;
  return (struct bytes){name.data + from, name.size - from};
}

static uint64_t hash_name(struct bytes name) {
  return md5_low64(name.data, name.size);
}

/* Maps the last part of each test's name to the test's index + 1, or
 * SEVERAL. */
static void map_last_name_parts(const struct tests *tests, struct map *parts) {
  for (size_t i = 0; i < tests->count; i++) {
    const char *name = tests->list[i].name;
    if (!name)
      continue;
    struct bytes part = find_last_name_part(
        (struct bytes){(const unsigned char *)name, strlen(name)});
    uint64_t *number =
        need_memory(map_find_or_add(parts, hash_name(part), part.size, 0));
    *number = *number ? SEVERAL : i + 1;
  }
}

static struct test *find_test_of_name(struct tests *tests,
                                      const struct map *parts,
                                      struct bytes name) {
  const uint64_t *number =
      map_find(&tests->numbers, hash_name(name), name.size, true);
  struct bytes part = find_last_name_part(name);
  if (!number)
    number = map_find(parts, hash_name(part), part.size, 0);
  return number && *number && *number != SEVERAL ? &tests->list[*number - 1]
                                                 : NULL;
}

/* Sets the time of the first test that a line names. */
static void set_time_from_line(struct tests *tests, const struct map *parts,
                               const char *line) {
  uint64_t micros = *line == BAREPROF_TEXT_MARK ? 0 : find_last_time(line);
  for (const char *at = line; micros && *at;) {
    size_t size = 0;
    while (is_word_byte(at[size]) || (size && is_name_separator(at[size])))
      size++;
    size_t all = size + !size;
    while (size && is_name_separator(at[size - 1]))
      size--;
    struct test *test =
        size
            ? find_test_of_name(tests, parts,
                                (struct bytes){(const unsigned char *)at, size})
            : NULL;
    if (test && !test->time_from_junit)
      test->micros = micros;
    if (test)
      return;
    at += all;
  }
}

void tests_parse_times(struct tests *tests, struct bytes log) {
  struct map parts = {.limit = TESTS_MOST};
  struct bytes whole;
  map_last_name_parts(tests, &parts);
  while (bytes_next_line(&log, &whole)) {
    char line[NAMING_LINE];
    size_t size = whole.size < sizeof line ? whole.size : sizeof line - 1;
    memcpy(line, whole.data, size);
    line[size] = 0;
    set_time_from_line(tests, &parts, line);
  }
  map_free(&parts);
}
