/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * lcov to Cobertura. Branches are pairs: the condition was true, and the
 * condition was false.
 */
#include "formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../base/os.h"
#include "../../base/text.h"
#include "bareprof.h"
#include "xml.h"

/* Entries from begin up to end. */
struct entries {
  const struct lcov_entry *begin, *end;
};

struct sums {
  uint64_t lines, lines_hit, branches, branches_hit;
};

static struct sums add_up(struct entries span) {
  struct sums sums = {0};
  for (const struct lcov_entry *entry = span.begin; entry != span.end;
       entry++) {
    sums.lines += entry->kind == LCOV_LINE;
    sums.lines_hit += entry->kind == LCOV_LINE && entry->hits;
    sums.branches += entry->kind == LCOV_BRANCH;
    sums.branches_hit += entry->kind == LCOV_BRANCH && entry->hits;
  }
  return sums;
}

static void put_rates(const struct sums *sums, FILE *stream) {
  double lines = sums->lines ? (double)sums->lines_hit / sums->lines : 1;
  double branches =
      sums->branches ? (double)sums->branches_hit / sums->branches : 1;
  fprintf(stream, " line-rate=\"%.4f\" branch-rate=\"%.4f\"", lines, branches);
}

/* ---- elements ---- */

static void put_conditions(struct entries span, struct text *text) {
  const struct lcov_entry *at = span.begin;
  for (at += at->kind == LCOV_LINE; at != span.end;) {
    const struct lcov_entry *next = at;
    unsigned hit = 0;
    for (; next != span.end && next->block == at->block; next++)
      hit += next->hits != 0;
    text_put(text, "<condition number=\"");
    text_decimal(text, at->block, 0);
    text_put(text, "\" type=\"jump\" coverage=\"");
    text_decimal(text, 100 * hit / (unsigned)(next - at), 0);
    text_put(text, "%\"/>");
    at = next;
  }
}

static void put_line(struct entries span, FILE *stream) {
  const struct lcov_entry *line = span.begin;
  struct sums sums = add_up(span);
  struct text text;
  text_begin(&text, stream);
  text_put(&text, "<line number=\"");
  text_decimal(&text, line->line, 0);
  text_put(&text, "\" hits=\"");
  text_decimal(&text, line->hits, 0);
  if (sums.branches == 0) {
    text_put(&text, "\" branch=\"false\"/>\n");
  } else {
    text_print(&text,
               "\" branch=\"true\" condition-coverage=\"%" PRIu64 "%% (%" PRIu64
               "/%" PRIu64 ")\"><conditions>",
               100 * sums.branches_hit / sums.branches, sums.branches_hit,
               sums.branches);
    put_conditions(span, &text);
    text_put(&text, "</conditions></line>\n");
  }
  text_flush(&text);
}

/* A function is known by its first line only. */
static void put_method(const struct lcov_entry *function, FILE *stream) {
  const struct sums sums = {1, function->hits != 0, 0, 0};
  fputs("<method", stream);
  xml_put_attribute(stream, "name", function->name, strlen(function->name));
  fputs(" signature=\"\"", stream);
  put_rates(&sums, stream);
  fprintf(stream,
          " complexity=\"0\"><lines><line number=\"%u\" hits=\"%" PRIu64
          "\" branch=\"false\"/></lines></method>\n",
          function->line, function->hits);
}

static bool same_file(const struct lcov_entry *a, const struct lcov_entry *b) {
  return a->file == b->file || strcmp(a->file, b->file) == 0;
}

static void put_class(struct entries span, const struct paths *paths,
                      FILE *stream) {
  const struct lcov_entry *at = span.begin;
  struct sums sums = add_up(span);
  char *known = paths_name(paths, at->file);
  const char *name = known ? known : at->file;
  const char *slash = strrchr(name, '/');
  const char *base = slash ? slash + 1 : name;
  fputs("<class", stream);
  xml_put_attribute(stream, "name", base, strlen(base));
  xml_put_attribute(stream, "filename", name, strlen(name));
  put_rates(&sums, stream);
  fputs(" complexity=\"0\">\n<methods>\n", stream);
  for (; at != span.end && at->kind == LCOV_FUNCTION; at++)
    put_method(at, stream);
  fputs("</methods>\n<lines>\n", stream);
  while (at != span.end) {
    struct entries line = {at++, NULL};
    while (at != span.end && at->kind == LCOV_BRANCH &&
           at->line == line.begin->line)
      at++;
    line.end = at;
    put_line(line, stream);
  }
  fputs("</lines>\n</class>\n", stream);
  free(known);
}

static bool same_folder(const char *a, const char *b) {
  size_t size = lcov_folder(a);
  return size == lcov_folder(b) && memcmp(a, b, size) == 0;
}

static void put_package(struct entries span, const struct paths *paths,
                        FILE *stream) {
  struct sums sums = add_up(span);
  char *known = paths_name(paths, span.begin->file);
  const char *name = known ? known : span.begin->file;
  size_t size = lcov_folder(name);
  fputs("<package", stream);
  xml_put_attribute(stream, "name", size ? name : ".", size ? size : 1);
  put_rates(&sums, stream);
  fputs(" complexity=\"0\">\n<classes>\n", stream);
  while (span.begin != span.end) {
    struct entries class = {span.begin, span.begin};
    while (class.end != span.end && same_file(class.end, class.begin))
      class.end++;
    put_class(class, paths, stream);
    span.begin = class.end;
  }
  fputs("</classes>\n</package>\n", stream);
  free(known);
}

void cobertura_write(const struct lcov *lcov, const struct paths *paths,
                     FILE *stream) {
  struct entries all = {lcov->entries, lcov->entries + lcov->count};
  struct sums sums = add_up(all);
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<!DOCTYPE coverage SYSTEM "
        "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n"
        "<coverage",
        stream);
  put_rates(&sums, stream);
  fprintf(stream,
          " lines-covered=\"%" PRIu64 "\" lines-valid=\"%" PRIu64
          "\" branches-covered=\"%" PRIu64 "\" branches-valid=\"%" PRIu64
          "\" complexity=\"0\" version=\"bareprof %d.%d.%d\""
          " timestamp=\"%lld\">\n<sources><source>",
          sums.lines_hit, sums.lines, sums.branches_hit, sums.branches,
          BAREPROF_VERSION >> 16, BAREPROF_VERSION >> 8 & 255,
          BAREPROF_VERSION & 255, (long long)time(NULL));
  const char *here = paths->here ? paths->here : ".";
  xml_put(stream, here, strlen(here));
  fputs("</source></sources>\n<packages>\n", stream);
  while (all.begin != all.end) {
    struct entries package = {all.begin, all.begin};
    while (package.end != all.end &&
           same_folder(package.end->file, package.begin->file))
      package.end++;
    put_package(package, paths, stream);
    all.begin = package.end;
  }
  fputs("</packages>\n</coverage>\n", stream);
}

/* A head, and a package that begins anew. */
enum { AROUND = 8192 };

/* The bytes of a class, or SIZE_MAX. */
static size_t class_size(struct entries span, const struct paths *paths) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = os_memory_begin(&text, &size);
  if (!stream)
    return SIZE_MAX;
  put_class(span, paths, stream);
  if (!os_memory_end(stream, &text, &size))
    size = SIZE_MAX;
  free(text);
  return size;
}

size_t cobertura_part(const struct lcov *lcov, size_t from, size_t limit,
                      const struct paths *paths) {
  const struct lcov_entry *end = lcov->entries + lcov->count;
  size_t size = 0, room = limit > AROUND ? limit - AROUND : 0;
  struct entries class = {lcov->entries + from, lcov->entries + from};
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
