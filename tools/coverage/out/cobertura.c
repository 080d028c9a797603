/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file writes the list of lcov.c as XML for Cobertura and for SonarQube.
 * Each condition has two branches, one for true and one for false. outputs.c
 * calls the writers.
 */
#include "out.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bareprof.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/text.h"

/* ---- XML ----
 *
 * Texts in ELFs and names of files may contain any bytes.
 */

/* Writes a text in XML. Characters that XML does not allow (control characters
 * except \t, \n and \r; U+FFFE and U+FFFF) become question marks. */
static void print_xml_text(struct text_stream *to, const char *text,
                           size_t length) {
  size_t begin = 0;
  struct utf8_character one;
  while (begin < length && text[begin] >= ' ' && text[begin] < 0x7F &&
         !strchr("&<>\"'", text[begin]))
    begin++;
  text_put_bytes(to, text, begin);
  text += begin;
  length -= begin;
  for (; length; text += one.size, length -= one.size) {
    one = utf8_decode(text, length);
    if (one.broken || (one.code & ~1u) == 0xFFFE ||
        (one.code < 0x20 && !(one.code && strchr("\t\n\r", (int)one.code))))
      text_put_char(to, '?');
    else if (one.hidden || (one.size == 1 && strchr("&<>\"'", *text)))
      text_printf(to, "&#%u;", (unsigned)one.code);
    else
      text_put_bytes(to, text, one.size);
  }
}

static void print_xml_string(struct text_stream *to, const char *text) {
  print_xml_text(to, text, strlen(text));
}

static void print_xml(struct text_stream *to, const char *format, ...)
    PRINTS_AS(2, 3);

static void print_xml(struct text_stream *to, const char *format, ...) {
  va_list values;
  va_start(values, format);
  text_put_format(to, print_xml_string, format, values);
  va_end(values);
}

/* ---- sums and rates ---- */

/* The range of the entries of a package, a class or a line. */
struct lcov_entry_range {
  const struct lcov_entry *begin, *end;
};

struct lcov_entry_sums {
  uint64_t lines, lines_hit, branches, branches_hit;
};

static struct lcov_entry_sums sum_entries(struct lcov_entry_range span) {
  struct lcov_entry_sums sums = {0};
  for (const struct lcov_entry *entry = span.begin; entry != span.end;
       entry++) {
    sums.lines += entry->kind == LCOV_LINE;
    sums.lines_hit += entry->kind == LCOV_LINE && entry->hits;
    sums.branches += entry->kind == LCOV_BRANCH;
    sums.branches_hit += entry->kind == LCOV_BRANCH && entry->hits;
  }
  return sums;
}

/* Most rates belong to methods and are 0 or 1. printf would take too long for
 * so many rates. */
static void print_rate(struct text_stream *text, uint64_t hit, uint64_t all) {
  if (hit == all)
    text_put_string(text, "1.0000");
  else if (!hit)
    text_put_string(text, "0.0000");
  else
    text_printf(text, "%.4f", (double)hit / all);
}

static void print_rates(const struct lcov_entry_sums *sums,
                        struct text_stream *text) {
  text_put_string(text, " line-rate=\"");
  print_rate(text, sums->lines_hit, sums->lines);
  text_put_string(text, "\" branch-rate=\"");
  print_rate(text, sums->branches_hit, sums->branches);
  text_put_string(text, "\"");
}

/* ---- elements ---- */

static void print_conditions(struct lcov_entry_range span,
                             struct text_stream *text) {
  const struct lcov_entry *at = span.begin;
  for (at += at->kind == LCOV_LINE; at != span.end;) {
    const struct lcov_entry *next = at;
    unsigned hit = 0;
    for (; next != span.end && next->branch / 2 == at->branch / 2; next++)
      hit += next->hits != 0;
    print_xml(text,
              "<condition number=\"%u\" type=\"jump\" coverage=\"%u%%\"/>",
              at->branch / 2, 100 * hit / (unsigned)(next - at));
    at = next;
  }
}

static void print_xml_line(struct lcov_entry_range span,
                           struct text_stream *text) {
  const struct lcov_entry *line = span.begin;
  struct lcov_entry_sums sums = sum_entries(span);
  print_xml(text, "<line number=\"%u\" hits=\"%ju\" branch=\"", line->line,
            line->hits);
  if (sums.branches == 0) {
    text_put_string(text, "false\"/>\n");
    return;
  }
  print_xml(text, "true\" condition-coverage=\"%ju%% (%ju/%ju)\"><conditions>",
            100 * sums.branches_hit / sums.branches, sums.branches_hit,
            sums.branches);
  print_conditions(span, text);
  text_put_string(text, "</conditions></line>\n");
}

/* The list has only the first line of a function, so a method has one line. */
static void print_method(const struct lcov_entry *function,
                         struct text_stream *text) {
  const struct lcov_entry_sums sums = {1, function->hits != 0, 0, 0};
  print_xml(text, "<method name=\"%s\" signature=\"\"", function->name);
  print_rates(&sums, text);
  print_xml(text,
            " complexity=\"0\"><lines><line number=\"%u\" hits=\"%ju\" "
            "branch=\"false\"/></lines></method>\n",
            function->line, function->hits);
}

static bool is_same_file(const struct lcov_entry *a,
                         const struct lcov_entry *b) {
  return a->file == b->file || strcmp(a->file, b->file) == 0;
}

static void print_class(struct lcov_entry_range span,
                        const struct source_maps *paths,
                        struct text_stream *text) {
  const struct lcov_entry *at = span.begin;
  struct lcov_entry_sums sums = sum_entries(span);
  const char *name = paths_shown_name(paths, at->file);
  const char *slash = strrchr(name, '/');
  print_xml(text, "<class name=\"%s\" filename=\"%s\"",
            slash ? slash + 1 : name, name);
  print_rates(&sums, text);
  text_put_string(text, " complexity=\"0\">\n<methods>\n");
  for (; at != span.end && at->kind == LCOV_FUNCTION; at++)
    print_method(at, text);
  text_put_string(text, "</methods>\n<lines>\n");
  while (at != span.end) {
    struct lcov_entry_range line = {at++, NULL};
    while (at != span.end && at->kind == LCOV_BRANCH &&
           at->line == line.begin->line)
      at++;
    line.end = at;
    print_xml_line(line, text);
  }
  text_put_string(text, "</lines>\n</class>\n");
}

static void print_package(struct lcov_entry_range span,
                          const struct source_maps *paths,
                          struct text_stream *text) {
  struct lcov_entry_sums sums = sum_entries(span);
  const char *name = paths_shown_name(paths, span.begin->file);
  size_t size = lcov_folder_size(name);
  text_put_string(text, "<package name=\"");
  print_xml_text(text, size ? name : ".", size ? size : 1);
  text_put_string(text, "\"");
  print_rates(&sums, text);
  text_put_string(text, " complexity=\"0\">\n<classes>\n");
  while (span.begin != span.end) {
    struct lcov_entry_range class = {span.begin, span.begin};
    while (class.end != span.end && is_same_file(class.end, class.begin))
      class.end++;
    print_class(class, paths, text);
    span.begin = class.end;
  }
  text_put_string(text, "</classes>\n</package>\n");
}

void cobertura_print_xml(const struct lcov_list *lcov,
                         const struct source_maps *paths, FILE *stream) {
  struct lcov_entry_range all = {lcov->entries, lcov->entries + lcov->count};
  struct lcov_entry_sums sums = sum_entries(all);
  struct text_stream room, *text = &room;
  text_begin(text, stream);
  text_put_string(text,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<!DOCTYPE coverage SYSTEM "
                  "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n"
                  "<coverage");
  print_rates(&sums, text);
  print_xml(text,
            " lines-covered=\"%ju\" lines-valid=\"%ju\""
            " branches-covered=\"%ju\" branches-valid=\"%ju\"",
            sums.lines_hit, sums.lines, sums.branches_hit, sums.branches);
  print_xml(text,
            " complexity=\"0\" version=\"bareprof %u.%u.%u\" timestamp=\"%ju\">"
            "\n<sources><source>%s</source></sources>\n<packages>\n",
            BAREPROF_VERSION >> 16, BAREPROF_VERSION >> 8 & 255u,
            BAREPROF_VERSION & 255u, (uintmax_t)time(NULL),
            paths->here ? paths->here : ".");
  while (all.begin != all.end) {
    struct lcov_entry_range package = {all.begin, all.begin};
    while (package.end != all.end &&
           lcov_is_same_folder(package.end->file, package.begin->file))
      package.end++;
    print_package(package, paths, text);
    all.begin = package.end;
  }
  text_put_string(text, "</packages>\n</coverage>\n");
  text_flush(text);
}

/* The bytes reserved for the head of a part, and for a package that continues
 * in the part. */
enum { AROUND = 8192 };

/* Returns the size of a class in bytes. */
static size_t count_class_bytes(struct lcov_entry_range span,
                                const struct source_maps *paths) {
  char *text = NULL;
  size_t size = 0;
  struct text_stream to;
  FILE *stream = need_memory(os_open_memory_stream(&text, &size));
  text_begin(&to, stream);
  print_class(span, paths, &to);
  text_flush(&to);
  need_memory(os_close_memory_stream(stream, &text, &size) ? text : NULL);
  free(text);
  return size;
}

size_t cobertura_find_part_end(const struct lcov_list *lcov, size_t from,
                               size_t limit, const struct source_maps *paths) {
  const struct lcov_entry *end = lcov->entries + lcov->count;
  size_t size = 0, room = limit > AROUND ? limit - AROUND : 0;
  struct lcov_entry_range class = {lcov->entries + from, lcov->entries + from};
  while (class.begin != end) {
    while (class.end != end && is_same_file(class.end, class.begin))
      class.end++;
    size_t more = count_class_bytes(class, paths);
    /* A class that begins a package also contains the name of the folder. */
    size_t folder = 200 + 6 * lcov_folder_size(class.begin->file);
    if (size && (more > room || size > room - more ||
                 size + more > room - (folder < room ? folder : room)))
      break;
    size += more + folder;
    class.begin = class.end;
  }
  return (size_t)(class.begin - lcov->entries);
}

/* ---- SonarQube ----
 *
 * Each source becomes an element `file`, and each line with code an element
 * `lineToCover`. Each outcome of a condition counts as a branch.
 */

/* Writes a line and its branches. Returns the index after the branches. */
static size_t print_sonar_line(struct text_stream *text,
                               const struct lcov_list *lcov, size_t at) {
  const struct lcov_entry *line = &lcov->entries[at++];
  unsigned branches = 0, taken = 0;
  for (; at < lcov->count && lcov->entries[at].kind == LCOV_BRANCH &&
         lcov->entries[at].line == line->line;
       at++) {
    branches++;
    taken += lcov->entries[at].hits != 0;
  }
  print_xml(text, "<lineToCover lineNumber=\"%u\" covered=\"%s\"", line->line,
            line->hits ? "true" : "false");
  if (branches)
    print_xml(text, " branchesToCover=\"%u\" coveredBranches=\"%u\"", branches,
              taken);
  text_put_string(text, "/>\n");
  return at;
}

void sonar_print_output(const struct output_contents *measured, FILE *stream) {
  const struct lcov_list *lcov = measured->lcov;
  struct text_stream room, *text = &room;
  text_begin(text, stream);
  text_put_string(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<coverage version=\"1\">\n");
  for (size_t at = 0; at < lcov->count;) {
    const char *file = lcov->entries[at].file;
    print_xml(text, "<file path=\"%s\">\n",
              paths_shown_name(measured->paths, file));
    while (at < lcov->count && strcmp(lcov->entries[at].file, file) == 0)
      if (lcov->entries[at].kind == LCOV_LINE)
        at = print_sonar_line(text, lcov, at);
      else
        at++;
    text_put_string(text, "</file>\n");
  }
  text_put_string(text, "</coverage>\n");
  text_flush(text);
}
