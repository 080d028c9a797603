/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes tests.json: the tests, and of each source its functions, the lines
 * with code, and the tests that reach a line.
 */
#include "by_test.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"
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

/* Of a line that is reached; first: no line was before. Returns whether it
 * is. */
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

/* The source of a name, if its text here is that of the build, as far as that
 * can be known. */
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

/* While it is written: sources, lines and functions are in the same order. */
struct tests_writing {
  FILE *stream;
  const struct tests *tests;
  const struct coverage *coverage;
  const struct paths *paths;
  struct view view;
  size_t line, function; /* the next ones */
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
  int status = path ? output_open(&output, path) : report_memory(NULL);
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
  const char *error = view_make(&writing.view, &coverage->exported);
  int status = error ? report(NULL, "report: %s", error) : write_file(&writing);
  view_free(&writing.view);
  return status;
}
