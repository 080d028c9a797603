/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * lcov to Cobertura. Branches are pairs: the condition was true, and the
 * condition was false.
 */
#include "formats.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../base/os.h"
#include "../../base/text.h"
#include "bareprof.h"

/* Entries from begin up to end. */
struct package_entries {
  const struct lcov_entry *begin, *end;
};

struct class_sums {
  uint64_t lines, lines_hit, branches, branches_hit;
};

static struct class_sums add_up(struct package_entries span) {
  struct class_sums sums = {0};
  for (const struct lcov_entry *entry = span.begin; entry != span.end;
       entry++) {
    sums.lines += entry->kind == LCOV_LINE;
    sums.lines_hit += entry->kind == LCOV_LINE && entry->hits;
    sums.branches += entry->kind == LCOV_BRANCH;
    sums.branches_hit += entry->kind == LCOV_BRANCH && entry->hits;
  }
  return sums;
}

/* Of a method, it is all or nothing. */
static void put_rate(struct text *text, uint64_t hit, uint64_t all) {
  if (hit == all)
    text_put(text, "1.0000");
  else if (!hit)
    text_put(text, "0.0000");
  else
    text_print(text, "%.4f", (double)hit / all);
}

static void put_rates(const struct class_sums *sums, struct text *text) {
  text_put(text, " line-rate=\"");
  put_rate(text, sums->lines_hit, sums->lines);
  text_put(text, "\" branch-rate=\"");
  put_rate(text, sums->branches_hit, sums->branches);
  text_put(text, "\"");
}

/* ---- elements ---- */

static void put_conditions(struct package_entries span, struct text *text) {
  const struct lcov_entry *at = span.begin;
  for (at += at->kind == LCOV_LINE; at != span.end;) {
    const struct lcov_entry *next = at;
    unsigned hit = 0;
    for (; next != span.end && next->branch / 2 == at->branch / 2; next++)
      hit += next->hits != 0;
    xml_print(text,
              "<condition number=\"%u\" type=\"jump\" coverage=\"%u%%\"/>",
              at->branch / 2, 100 * hit / (unsigned)(next - at));
    at = next;
  }
}

static void put_line(struct package_entries span, struct text *text) {
  const struct lcov_entry *line = span.begin;
  struct class_sums sums = add_up(span);
  xml_print(text, "<line number=\"%u\" hits=\"%ju\" branch=\"", line->line,
            line->hits);
  if (sums.branches == 0) {
    text_put(text, "false\"/>\n");
    return;
  }
  xml_print(text, "true\" condition-coverage=\"%ju%% (%ju/%ju)\"><conditions>",
            100 * sums.branches_hit / sums.branches, sums.branches_hit,
            sums.branches);
  put_conditions(span, text);
  text_put(text, "</conditions></line>\n");
}

/* A function is known by its first line only. */
static void put_method(const struct lcov_entry *function, struct text *text) {
  const struct class_sums sums = {1, function->hits != 0, 0, 0};
  xml_print(text, "<method name=\"%s\" signature=\"\"", function->name);
  put_rates(&sums, text);
  xml_print(text,
            " complexity=\"0\"><lines><line number=\"%u\" hits=\"%ju\" "
            "branch=\"false\"/></lines></method>\n",
            function->line, function->hits);
}

static bool same_file(const struct lcov_entry *a, const struct lcov_entry *b) {
  return a->file == b->file || strcmp(a->file, b->file) == 0;
}

static void put_class(struct package_entries span, const struct paths *paths,
                      struct text *text) {
  const struct lcov_entry *at = span.begin;
  struct class_sums sums = add_up(span);
  const char *name = paths_shown(paths, at->file);
  const char *slash = strrchr(name, '/');
  xml_print(text, "<class name=\"%s\" filename=\"%s\"",
            slash ? slash + 1 : name, name);
  put_rates(&sums, text);
  text_put(text, " complexity=\"0\">\n<methods>\n");
  for (; at != span.end && at->kind == LCOV_FUNCTION; at++)
    put_method(at, text);
  text_put(text, "</methods>\n<lines>\n");
  while (at != span.end) {
    struct package_entries line = {at++, NULL};
    while (at != span.end && at->kind == LCOV_BRANCH &&
           at->line == line.begin->line)
      at++;
    line.end = at;
    put_line(line, text);
  }
  text_put(text, "</lines>\n</class>\n");
}

static bool same_folder(const char *a, const char *b) {
  size_t size = lcov_folder(a);
  return size == lcov_folder(b) && memcmp(a, b, size) == 0;
}

static void put_package(struct package_entries span, const struct paths *paths,
                        struct text *text) {
  struct class_sums sums = add_up(span);
  const char *name = paths_shown(paths, span.begin->file);
  size_t size = lcov_folder(name);
  text_put(text, "<package name=\"");
  xml_put(text, size ? name : ".", size ? size : 1);
  text_put(text, "\"");
  put_rates(&sums, text);
  text_put(text, " complexity=\"0\">\n<classes>\n");
  while (span.begin != span.end) {
    struct package_entries class = {span.begin, span.begin};
    while (class.end != span.end && same_file(class.end, class.begin))
      class.end++;
    put_class(class, paths, text);
    span.begin = class.end;
  }
  text_put(text, "</classes>\n</package>\n");
}

void cobertura_write(const struct lcov *lcov, const struct paths *paths,
                     FILE *stream) {
  struct package_entries all = {lcov->entries, lcov->entries + lcov->count};
  struct class_sums sums = add_up(all);
  struct text room, *text = &room;
  text_begin(text, stream);
  text_put(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<!DOCTYPE coverage SYSTEM "
                 "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n"
                 "<coverage");
  put_rates(&sums, text);
  xml_print(text,
            " lines-covered=\"%ju\" lines-valid=\"%ju\""
            " branches-covered=\"%ju\" branches-valid=\"%ju\"",
            sums.lines_hit, sums.lines, sums.branches_hit, sums.branches);
  xml_print(text,
            " complexity=\"0\" version=\"bareprof %u.%u.%u\" timestamp=\"%ju\">"
            "\n<sources><source>%s</source></sources>\n<packages>\n",
            BAREPROF_VERSION >> 16, BAREPROF_VERSION >> 8 & 255u,
            BAREPROF_VERSION & 255u, (uintmax_t)time(NULL),
            paths->here ? paths->here : ".");
  while (all.begin != all.end) {
    struct package_entries package = {all.begin, all.begin};
    while (package.end != all.end &&
           same_folder(package.end->file, package.begin->file))
      package.end++;
    put_package(package, paths, text);
    all.begin = package.end;
  }
  text_put(text, "</packages>\n</coverage>\n");
  text_flush(text);
}

/* A head, and a package that begins anew. */
enum { AROUND = 8192 };

/* The bytes of a class, or SIZE_MAX. */
static size_t class_size(struct package_entries span,
                         const struct paths *paths) {
  char *text = NULL;
  size_t size = 0;
  struct text to;
  FILE *stream = os_memory_begin(&text, &size);
  if (!stream)
    return SIZE_MAX;
  text_begin(&to, stream);
  put_class(span, paths, &to);
  text_flush(&to);
  if (!os_memory_end(stream, &text, &size))
    size = SIZE_MAX;
  free(text);
  return size;
}

size_t cobertura_part(const struct lcov *lcov, size_t from, size_t limit,
                      const struct paths *paths) {
  const struct lcov_entry *end = lcov->entries + lcov->count;
  size_t size = 0, room = limit > AROUND ? limit - AROUND : 0;
  struct package_entries class = {lcov->entries + from, lcov->entries + from};
  while (class.begin != end) {
    while (class.end != end && same_file(class.end, class.begin))
      class.end++;
    size_t more = class_size(class, paths);
    /* Its folder's name comes once, at most. */
    size_t folder = 200 + 6 * lcov_folder(class.begin->file);
    if (size && (more > room || size > room - more ||
                 size + more > room - (folder < room ? folder : room)))
      break;
    size += more + folder;
    class.begin = class.end;
  }
  return (size_t)(class.begin - lcov->entries);
}
