/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes and reads tests.json: the tests, and for each source its functions,
 * its lines with code, and the tests that reach each line.
 */
#include "by_test.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../../base/json.h"
#include "../../base/need.h"
#include "../../base/text.h"
#include "../model/view.h"

static void put_tests(FILE *stream, const struct tests *tests) {
  fputs("{\"tests\":[", stream);
  for (size_t i = 0; i < tests->count; i++) {
    const struct test *test = &tests->list[i];
    fputs(i ? "," : "", stream);
    json_print(stream, "\n{\"name\":%s,\"dumps\":%zu,\"failed\":", test->name,
               test->dumps);
    fputs(test->failed ? "true" : "false", stream);
    json_print(stream, ",\"lines\":%zu,\"adds\":%zu", test->line_count,
               test->name ? test->adds : 0);
    if (test->micros)
      json_print(stream, ",\"microseconds\":%ju", test->micros);
    fputc('}', stream);
  }
  fputs("\n],\n\"order\":[", stream);
  for (size_t i = 0; i < tests->order_count; i++)
    fprintf(stream, i ? ",%zu" : "%zu", tests->order[i]);
  fputs("],\n\"lines\":[", stream);
}

/* Writes a line if a test reaches it. first: no line was written before.
 * Returns whether it was written. */
static bool put_line(FILE *stream, const struct tests *tests, uint32_t number,
                     bool first) {
  size_t count = 0;
  for (size_t i = 0; i < tests->count; i++) {
    if (!test_reaches(&tests->list[i], number))
      continue;
    if (!count++)
      fprintf(stream, "%s\n{\"line\":%u,\"tests\":[%zu", first ? "" : ",",
              tests->lines[number].line, i);
    else
      fprintf(stream, ",%zu", i);
  }
  fputs(count ? "]}" : "", stream);
  return count;
}

/* Returns the source of a name, unless its text here is known to differ from
 * the build's. */
static const struct source *source_of(const struct coverage *coverage,
                                      const char *name) {
  for (size_t i = 0; i < coverage->inputs->count; i++) {
    const struct subject *subject = &coverage->inputs->subjects[i];
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
struct tests_writing {
  FILE *stream;
  const struct tests *tests;
  const struct coverage *coverage;
  const struct paths *paths;
  struct view view;
  size_t line, function; /* indexes of the next ones */
};

static void put_functions(struct tests_writing *writing, size_t row) {
  const struct view *view = &writing->view;
  size_t count = 0;
  fputs(",\n\"functions\":[", writing->stream);
  for (; writing->function < view->function_count &&
         view->functions[writing->function].row <= row;
       writing->function++) {
    const struct view_function *one = &view->functions[writing->function];
    fputs(count++ ? "," : "", writing->stream);
    json_print(writing->stream, "\n{\"name\":%s,\"first\":%u,\"last\":%u}",
               one->name, one->span.line, one->span.end_line);
  }
  fputs("],\n\"code\":[", writing->stream);
}

static void put_code(FILE *stream, const struct lines *lines) {
  size_t count = 0;
  for (uint32_t i = 1, from = 0; i <= lines->count; i++) {
    bool code = i < lines->count && lines->list[i].counted;
    if (code && !from)
      from = i;
    if (!code && from) {
      json_print(stream, count++ ? ",[%u,%u]" : "[%u,%u]", from, i - 1);
      from = 0;
    }
  }
  fputs("],\n\"lines\":[", stream);
}

static void put_source(struct tests_writing *writing, const char *name) {
  const struct source *source = source_of(writing->coverage, name);
  char shown[SHA256_TEXT];
  json_print(writing->stream, "{\"file\":%s",
             paths_shown(writing->paths, name));
  if (source)
    json_print(writing->stream, ",\"sha256\":%s",
               hex_of(shown, source->sha256, SHA256_SIZE));
}

static void put_lines(struct tests_writing *writing, const char *name) {
  const struct tests *tests = writing->tests;
  size_t *at = &writing->line;
  bool first = true;
  for (; *at < tests->line_count && tests->lines[*at].file == name; ++*at)
    first &= !put_line(writing->stream, tests, (uint32_t)*at, first);
  fputs("]}", writing->stream);
}

static void put_all(struct tests_writing *writing) {
  const struct exported *exported = writing->view.exported;
  put_tests(writing->stream, writing->tests);
  for (size_t row = 0; row < exported->summary.count; row++) {
    fputs(row ? ",\n" : "\n", writing->stream);
    put_source(writing, exported->names[row]);
    put_functions(writing, row);
    put_code(writing->stream, &writing->view.lines[row]);
    put_lines(writing, exported->names[row]);
  }
  fputs("\n]}\n", writing->stream);
}

static int write_file(struct tests_writing *writing) {
  struct output output;
  char *path = coverage_file(writing->coverage, "tests", ".json");
  int status = output_open(&output, path);
  if (!status) {
    writing->stream = output.stream;
    put_all(writing);
    status = output_commit(&output);
  }
  free(path);
  return status;
}

int tests_write(const struct tests *tests, const struct coverage *coverage,
                const struct paths *paths) {
  struct tests_writing writing = {
      .tests = tests, .coverage = coverage, .paths = paths};
  view_make(&writing.view, &coverage->exported);
  int status = write_file(&writing);
  view_free(&writing.view);
  return status;
}

/* ---- reading ----
 *
 * Reads tests.json. A file of an earlier bareprof lacks the functions, the
 * lines with code and the hashes.
 */

enum { MAP_LIMIT = 1 << 30 };

static uint32_t take_number(struct json *json) {
  uint64_t number = json_count(json);
  json->failed |= number > INT32_MAX;
  return json->failed ? 0 : (uint32_t)number;
}

/* Returns a string, or NULL for null. The caller frees it. */
static char *take_text(struct json *json) {
  struct bytes value = json_skip(json);
  if (!value.size || *value.data != '"')
    return NULL;
  struct json text = json_begin(value);
  char *string = json_string(&text);
  json->failed |= !string;
  return string;
}

static void take_test(struct json *json, struct tests *tests) {
  char key[JSON_KEY];
  struct test test = {.name = NULL};
  json_open(json, '{');
  while (json_member(json, key))
    if (strcmp(key, "name") == 0 && !test.name)
      test.name = take_text(json);
    else if (strcmp(key, "failed") == 0)
      test.failed = json_true(json);
    else if (strcmp(key, "microseconds") == 0)
      test.micros = json_count(json);
    else
      json_skip(json);
  json->failed |= tests->count >= TESTS_MOST;
  LIST_ADD(tests->list, tests->count, test);
}

/* Reads the tests that reach the line that was added last. */
static void take_reaching(struct json *json, struct tests *tests) {
  uint32_t line = (uint32_t)tests->line_count - 1;
  json_open(json, '[');
  while (json_more(json, ']')) {
    uint32_t number = take_number(json);
    json->failed |= number >= tests->count;
    struct test *test = json->failed ? NULL : &tests->list[number];
    if (!test ||
        (test->line_count && test->lines[test->line_count - 1] == line))
      continue;
    LIST_ADD(test->lines, test->line_count, line);
  }
}

static void take_line(struct json *json, struct tests *tests,
                      struct test_source *source) {
  char key[JSON_KEY];
  struct test_line line = {source->name, 0};
  json_open(json, '{');
  while (json_member(json, key))
    if (strcmp(key, "line") == 0 && !line.line) {
      line.line = take_number(json);
      /* Lines must be in order for a binary search. */
      json->failed |= source->line_count &&
                      tests->lines[tests->line_count - 1].line >= line.line;
      LIST_ADD(tests->lines, tests->line_count, line);
      source->line_count++;
    } else if (strcmp(key, "tests") == 0 && line.line) {
      take_reaching(json, tests);
    } else {
      json_skip(json);
    }
}

static void take_function(struct json *json, struct test_source *source) {
  char key[JSON_KEY];
  struct test_function one = {NULL, 0, 0};
  json_open(json, '{');
  while (json_member(json, key))
    if (strcmp(key, "name") == 0 && !one.name)
      one.name = take_text(json);
    else if (strcmp(key, "first") == 0)
      one.first = take_number(json);
    else if (strcmp(key, "last") == 0)
      one.last = take_number(json);
    else
      json_skip(json);
  json->failed |= !one.name;
  LIST_ADD(source->functions, source->function_count, one);
}

static void take_code(struct json *json, struct test_source *source) {
  struct unified_span span;
  json_open(json, '[');
  span.first = json_more(json, ']') ? take_number(json) : 0;
  span.last = json_more(json, ']') ? take_number(json) : 0;
  json->failed |= json_more(json, ']');
  LIST_ADD(source->code, source->code_count, span);
}

static void take_member(struct json *json, struct tests *tests,
                        struct test_source *source, const char *key) {
  bool functions = strcmp(key, "functions") == 0;
  bool code = strcmp(key, "code") == 0;
  if (strcmp(key, "file") == 0 && !source->name) {
    source->name = take_text(json);
  } else if (strcmp(key, "sha256") == 0 && !source->sha256) {
    source->sha256 = take_text(json);
  } else if (source->name && (functions || code || strcmp(key, "lines") == 0)) {
    json_open(json, '[');
    while (json_more(json, ']'))
      if (functions)
        take_function(json, source);
      else if (code)
        take_code(json, source);
      else
        take_line(json, tests, source);
  } else {
    json_skip(json);
  }
}

static void take_source(struct json *json, struct tests *tests) {
  LIST_ADD(tests->sources, tests->source_count,
           (struct test_source){.first_line = tests->line_count});
  struct test_source *source = &tests->sources[tests->source_count - 1];
  char key[JSON_KEY];
  json_open(json, '{');
  while (json_member(json, key))
    take_member(json, tests, source, key);
  json->failed |= !source->name;
}

static void take_all(struct json *json, struct tests *tests) {
  char key[JSON_KEY];
  json_open(json, '{');
  while (json_member(json, key)) {
    bool sources = strcmp(key, "lines") == 0;
    if (!sources && strcmp(key, "tests") != 0) {
      json_skip(json);
      continue;
    }
    json_open(json, '[');
    while (json_more(json, ']'))
      if (sources)
        take_source(json, tests);
      else
        take_test(json, tests);
  }
}

const char *tests_take(struct tests *tests, struct bytes text) {
  struct json json = json_begin(text);
  take_all(&json, tests);
  return json.failed || !tests->count
             ? "this is not a list of tests; pass tests.json from the folder "
               "of bareprof report --tests"
             : NULL;
}

int tests_read(struct tests *tests, const char *name) {
  struct file file;
  if (file_read(&file, name, MAP_LIMIT))
    return 1;
  const char *error = tests_take(tests, file.bytes);
  file_close(&file);
  return error ? report(name, "%s", error) : 0;
}
