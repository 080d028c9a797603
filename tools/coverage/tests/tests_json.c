/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file writes and reads tests.json: the tests, and for each source its
 * excluded lines, its functions, its lines with code, and the tests that reach
 * each line.
 */
#include "tests.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../../base/json.h"
#include "../../base/need.h"
#include "../../base/text.h"
#include "../model/view.h"

static void print_tests_and_begin_lines(FILE *stream,
                                        const struct tests *tests) {
  fputs("{\"tests\":[", stream);
  for (size_t i = 0; i < tests->count; i++) {
    const struct test *test = &tests->list[i];
    fputs(i ? "," : "", stream);
    json_printf(stream, "\n{\"name\":%s,\"dumps\":%zu,\"failed\":", test->name,
                test->dumps);
    fputs(test->failed ? "true" : "false", stream);
    json_printf(stream, ",\"lines\":%zu,\"adds\":%zu", test->line_count,
                test->name ? test->adds : 0);
    if (test->micros)
      json_printf(stream, ",\"microseconds\":%ju", test->micros);
    fputc('}', stream);
  }
  fputs("\n],\n\"order\":[", stream);
  for (size_t i = 0; i < tests->order_count; i++)
    fprintf(stream, i ? ",%zu" : "%zu", tests->order[i]);
  fputs("],\n\"lines\":[", stream);
}

/* Writes a line if a test reaches it. `first` says that no line was written
 * before. Returns whether the line was written. */
static bool print_line_if_reached(FILE *stream, const struct tests *tests,
                                  uint32_t number, bool first) {
  const struct test_line *line = &tests->lines[number];
  if (!line->test_count)
    return false;
  fprintf(stream, "%s\n{\"line\":%u,\"tests\":[", first ? "" : ",", line->line);
  for (uint32_t i = 0; i < line->test_count; i++)
    fprintf(stream, i ? ",%u" : "%u", line->tests[i]);
  fputs("]}", stream);
  return true;
}

/* Returns the source with this name. Returns NULL if the source is missing or
 * has changed since the build. */
static const struct input_source *
find_unchanged_source(const struct coverage *coverage, const char *name) {
  for (size_t i = 0; i < coverage->inputs->count; i++) {
    const struct input_elf *subject = &coverage->inputs->subjects[i];
    for (size_t k = 0; k < subject->summary.count; k++)
      if (strcmp(subject->summary.rows[k].name, name) == 0)
        return subject->sources[k].state == SOURCE_SAME ||
                       subject->sources[k].state == SOURCE_UNKNOWN
                   ? &subject->sources[k]
                   : NULL;
  }
  return NULL;
}

/* The state while tests.json is written. Sources, lines and functions are in
 * the same order. */
struct tests_writer {
  FILE *stream;
  const struct tests *tests;
  const struct coverage *coverage;
  const struct source_maps *paths;
  struct model_view view;
  size_t line, function; /* index of the next line and function to write */
};

/* Writes the excluded lines, which are in none of the other lists. */
static void print_excluded_lines(const struct tests_writer *writing,
                                 const char *name) {
  const struct coverage *coverage = writing->coverage;
  size_t count;
  const struct line_span *spans = exclusions_get_line_spans(
      coverage->has_exclusions ? coverage->exclusions : NULL, name, &count);
  for (size_t i = 0; i < count; i++)
    json_printf(writing->stream, i ? ",[%u,%u]" : ",\n\"excluded\":[[%u,%u]",
                spans[i].first, spans[i].last);
  fputs(count ? "]" : "", writing->stream);
}

static void print_functions_and_begin_code(struct tests_writer *writing,
                                           size_t row) {
  const struct model_view *view = &writing->view;
  size_t count = 0;
  fputs(",\n\"functions\":[", writing->stream);
  for (; writing->function < view->function_count &&
         view->functions[writing->function].row <= row;
       writing->function++) {
    const struct view_function *one = &view->functions[writing->function];
    fputs(count++ ? "," : "", writing->stream);
    json_printf(writing->stream, "\n{\"name\":%s,\"first\":%u,\"last\":%u}",
                one->name, one->span.line, one->span.end_line);
  }
  fputs("],\n\"code\":[", writing->stream);
}

static void print_code_and_begin_lines(FILE *stream,
                                       const struct source_lines *lines) {
  size_t count = 0;
  for (uint32_t i = 1, from = 0; i <= lines->count; i++) {
    bool code = i < lines->count && lines->list[i].counted;
    if (code && !from)
      from = i;
    if (!code && from) {
      json_printf(stream, count++ ? ",[%u,%u]" : "[%u,%u]", from, i - 1);
      from = 0;
    }
  }
  fputs("],\n\"lines\":[", stream);
}

static void print_source_opening(struct tests_writer *writing,
                                 const char *name) {
  const struct input_source *source =
      find_unchanged_source(writing->coverage, name);
  char shown[SHA256_TEXT];
  json_printf(writing->stream, "{\"file\":%s",
              paths_shown_name(writing->paths, name));
  if (source)
    json_printf(writing->stream, ",\"sha256\":%s",
                format_hex(shown, source->sha256, SHA256_SIZE));
}

static void print_reached_lines(struct tests_writer *writing,
                                const char *name) {
  const struct tests *tests = writing->tests;
  size_t *at = &writing->line;
  bool first = true;
  for (; *at < tests->line_count && tests->lines[*at].file == name; ++*at)
    first &=
        !print_line_if_reached(writing->stream, tests, (uint32_t)*at, first);
  fputs("]}", writing->stream);
}

static void print_tests_json(struct tests_writer *writing) {
  const struct model *exported = writing->view.exported;
  print_tests_and_begin_lines(writing->stream, writing->tests);
  for (size_t row = 0; row < exported->summary.count; row++) {
    fputs(row ? ",\n" : "\n", writing->stream);
    print_source_opening(writing, exported->names[row]);
    print_excluded_lines(writing, exported->names[row]);
    print_functions_and_begin_code(writing, row);
    print_code_and_begin_lines(writing->stream, &writing->view.lines[row]);
    print_reached_lines(writing, exported->names[row]);
  }
  fputs("\n]}\n", writing->stream);
}

void tests_write(const struct tests *tests, const struct coverage *coverage,
                 const struct source_maps *paths) {
  struct tests_writer writing = {
      .tests = tests, .coverage = coverage, .paths = paths};
  struct output_file output;
  char *path = coverage_file_path(coverage, "tests", ".json");
  exit_if_failed(output_open(&output, path));
  writing.stream = output.stream;
  view_make(&writing.view, &coverage->exported);
  print_tests_json(&writing);
  view_free(&writing.view);
  exit_if_failed(output_commit(&output));
  free(path);
}

/* ---- reading ----
 *
 * This part reads tests.json. In a file from an earlier bareprof, the
 * functions, the lines with code and the hashes are missing.
 */

enum { TESTS_JSON_MOST = 1 << 30 };

static uint32_t parse_number(struct json_reader *json) {
  uint64_t number = json_parse_number(json);
  json->failed |= number > INT32_MAX;
  return json->failed ? 0 : (uint32_t)number;
}

/* Parses a string, or null, which gives NULL. The caller frees the result. */
static char *parse_string_or_null(struct json_reader *json) {
  struct bytes value = json_skip_and_get_text(json);
  if (!value.size || *value.data != '"')
    return NULL;
  struct json_reader text = json_make_reader(value);
  char *string = json_parse_string(&text);
  json->failed |= !string;
  return string;
}

static void parse_test(struct json_reader *json, struct tests *tests) {
  char key[JSON_KEY];
  struct test test = {.name = NULL};
  json_enter_bracket(json, '{');
  while (json_next_member(json, key))
    if (strcmp(key, "name") == 0 && !test.name)
      test.name = parse_string_or_null(json);
    else if (strcmp(key, "failed") == 0)
      test.failed = json_parse_bool(json);
    else if (strcmp(key, "microseconds") == 0)
      test.micros = json_parse_number(json);
    else
      json_skip_and_get_text(json);
  json->failed |= tests->count >= TESTS_MOST;
  LIST_ADD(tests->list, tests->count, test);
}

/* Parses the list of tests that reach the last line in tests->lines. */
static void parse_reaching_tests(struct json_reader *json,
                                 struct tests *tests) {
  uint32_t line = (uint32_t)tests->line_count - 1;
  json_enter_bracket(json, '[');
  while (json_next_element(json, ']')) {
    uint32_t number = parse_number(json);
    json->failed |= number >= tests->count;
    struct test *test = json->failed ? NULL : &tests->list[number];
    if (!test ||
        (test->line_count && test->lines[test->line_count - 1] == line))
      continue;
    LIST_ADD(test->lines, test->line_count, line);
  }
}

static void parse_reached_line(struct json_reader *json, struct tests *tests,
                               struct test_source *source) {
  char key[JSON_KEY];
  struct test_line line = {source->name, 0, NULL, 0};
  json_enter_bracket(json, '{');
  while (json_next_member(json, key))
    if (strcmp(key, "line") == 0 && !line.line) {
      line.line = parse_number(json);
      /* Lines must be in order for a binary search. */
      json->failed |= source->line_count &&
                      tests->lines[tests->line_count - 1].line >= line.line;
      LIST_ADD(tests->lines, tests->line_count, line);
      source->line_count++;
    } else if (strcmp(key, "tests") == 0 && line.line) {
      parse_reaching_tests(json, tests);
    } else {
      json_skip_and_get_text(json);
    }
}

static void parse_function(struct json_reader *json,
                           struct test_source *source) {
  char key[JSON_KEY];
  struct test_function one = {NULL, 0, 0};
  json_enter_bracket(json, '{');
  while (json_next_member(json, key))
    if (strcmp(key, "name") == 0 && !one.name)
      one.name = parse_string_or_null(json);
    else if (strcmp(key, "first") == 0)
      one.first = parse_number(json);
    else if (strcmp(key, "last") == 0)
      one.last = parse_number(json);
    else
      json_skip_and_get_text(json);
  json->failed |= !one.name;
  LIST_ADD(source->functions, source->function_count, one);
}

static struct unified_line_span parse_span(struct json_reader *json) {
  struct unified_line_span span;
  json_enter_bracket(json, '[');
  span.first = json_next_element(json, ']') ? parse_number(json) : 0;
  span.last = json_next_element(json, ']') ? parse_number(json) : 0;
  json->failed |= json_next_element(json, ']');
  return span;
}

static void parse_source_member(struct json_reader *json, struct tests *tests,
                                struct test_source *source, const char *key) {
  bool functions = strcmp(key, "functions") == 0;
  bool code = strcmp(key, "code") == 0;
  bool excluded = strcmp(key, "excluded") == 0;
  if (strcmp(key, "file") == 0 && !source->name) {
    source->name = parse_string_or_null(json);
  } else if (strcmp(key, "sha256") == 0 && !source->sha256) {
    source->sha256 = parse_string_or_null(json);
  } else if (source->name &&
             (functions || code || excluded || strcmp(key, "lines") == 0)) {
    json_enter_bracket(json, '[');
    while (json_next_element(json, ']'))
      if (functions)
        parse_function(json, source);
      else if (code)
        LIST_ADD(source->code, source->code_count, parse_span(json));
      else if (excluded)
        LIST_ADD(source->excluded, source->excluded_count, parse_span(json));
      else
        parse_reached_line(json, tests, source);
  } else {
    json_skip_and_get_text(json);
  }
}

static void parse_source(struct json_reader *json, struct tests *tests) {
  LIST_ADD(tests->sources, tests->source_count,
           (struct test_source){.first_line = tests->line_count});
  struct test_source *source = &tests->sources[tests->source_count - 1];
  char key[JSON_KEY];
  json_enter_bracket(json, '{');
  while (json_next_member(json, key))
    parse_source_member(json, tests, source, key);
  json->failed |= !source->name;
}

static void parse_tests(struct json_reader *json, struct tests *tests) {
  char key[JSON_KEY];
  json_enter_bracket(json, '{');
  while (json_next_member(json, key)) {
    bool sources = strcmp(key, "lines") == 0;
    if (!sources && strcmp(key, "tests") != 0) {
      json_skip_and_get_text(json);
      continue;
    }
    json_enter_bracket(json, '[');
    while (json_next_element(json, ']'))
      if (sources)
        parse_source(json, tests);
      else
        parse_test(json, tests);
  }
}

const char *tests_parse(struct tests *tests, struct bytes text) {
  struct json_reader json = json_make_reader(text);
  parse_tests(&json, tests);
  if (json.failed || !tests->count)
    return "this is not a list of tests; pass tests.json from the folder of "
           "bareprof report --tests";
  tests_list_by_line(tests);
  return NULL;
}

void tests_read(struct tests *tests, const char *name) {
  struct file file;
  exit_if_failed(file_read(&file, name, TESTS_JSON_MOST));
  exit_on_error(name, tests_parse(tests, file.bytes));
  file_close(&file);
}
