/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * lcov to Cobertura. Branches are pairs: the condition was true, and the
 * condition was false. Characters that XML cannot have are removed from names.
 */
#include "cobertura.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bareprof.h"

/* Entries from begin up to end. */
struct span {
  const struct lcov_entry *begin, *end;
};

struct sums {
  uint64_t lines, lines_hit, branches, branches_hit;
};

static struct sums add_up(struct span span) {
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

/* ---- text ---- */

/* Returns the length of the UTF-8 character at `at`. 0: there is none, or XML
 * does not have the character. */
static size_t character(const unsigned char *at) {
  unsigned byte = *at;
  size_t size = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  if ((byte < 0x20 && !strchr("\t\n\r", (int)byte)) ||
      (byte >= 0x80 && (byte < 0xC2 || byte > 0xF4)))
    return 0;
  for (size_t i = 1; i < size; i++)
    if (at[i] >> 6 != 2)
      return 0;
  if ((byte == 0xE0 && at[1] < 0xA0) || (byte == 0xED && at[1] > 0x9F) ||
      (byte == 0xEF && at[1] == 0xBF && at[2] > 0xBD) ||
      (byte == 0xF0 && at[1] < 0x90) || (byte == 0xF4 && at[1] > 0x8F))
    return 0;
  return size;
}

static void put_escaped(const char *text, size_t length, FILE *stream) {
  const unsigned char *at = (const unsigned char *)text, *end = at + length;
  while (at < end) {
    size_t size = character(at);
    if (size == 0)
      fputc('?', stream);
    else if (size == 1 && strchr("&<>\"'\t\n\r", *at))
      fprintf(stream, "&#%u;", *at);
    else
      fwrite(at, 1, size, stream);
    at += size ? size : 1;
  }
}

static void put_attribute(const char *name, const char *value, size_t length,
                          FILE *stream) {
  fprintf(stream, " %s=\"", name);
  put_escaped(value, length, stream);
  fputc('"', stream);
}

static void put_rates(const struct sums *sums, FILE *stream) {
  double lines = sums->lines ? (double)sums->lines_hit / sums->lines : 1;
  double branches =
      sums->branches ? (double)sums->branches_hit / sums->branches : 1;
  fprintf(stream, " line-rate=\"%.4f\" branch-rate=\"%.4f\"", lines, branches);
}

/* ---- elements ---- */

static void put_line(struct span span, FILE *stream) {
  const struct lcov_entry *line = span.begin;
  struct sums sums = add_up(span);
  fprintf(stream, "<line number=\"%u\" hits=\"%" PRIu64 "\"", line->line,
          line->hits);
  if (sums.branches == 0) {
    fputs(" branch=\"false\"/>\n", stream);
    return;
  }
  fprintf(stream,
          " branch=\"true\" condition-coverage=\"%" PRIu64 "%% (%" PRIu64
          "/%" PRIu64 ")\"><conditions>",
          100 * sums.branches_hit / sums.branches, sums.branches_hit,
          sums.branches);
  for (const struct lcov_entry *at = line + (line->kind == LCOV_LINE);
       at != span.end;) {
    const struct lcov_entry *next = at;
    unsigned hit = 0;
    for (; next != span.end && next->block == at->block; next++)
      hit += next->hits != 0;
    fprintf(stream,
            "<condition number=\"%u\" type=\"jump\" coverage=\"%u%%\"/>",
            at->block, 100 * hit / (unsigned)(next - at));
    at = next;
  }
  fputs("</conditions></line>\n", stream);
}

/* A function is known by its first line only. */
static void put_method(const struct lcov_entry *function, FILE *stream) {
  const struct sums sums = {1, function->hits != 0, 0, 0};
  fputs("<method", stream);
  put_attribute("name", function->name, strlen(function->name), stream);
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

static void put_class(struct span span, const struct paths *paths,
                      FILE *stream) {
  const struct lcov_entry *at = span.begin;
  struct sums sums = add_up(span);
  char *known = paths_name(paths, at->file);
  const char *name = known ? known : at->file;
  const char *slash = strrchr(name, '/');
  const char *base = slash ? slash + 1 : name;
  fputs("<class", stream);
  put_attribute("name", base, strlen(base), stream);
  put_attribute("filename", name, strlen(name), stream);
  put_rates(&sums, stream);
  fputs(" complexity=\"0\">\n<methods>\n", stream);
  for (; at != span.end && at->kind == LCOV_FUNCTION; at++)
    put_method(at, stream);
  fputs("</methods>\n<lines>\n", stream);
  while (at != span.end) {
    struct span line = {at++, NULL};
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

static void put_package(struct span span, const struct paths *paths,
                        FILE *stream) {
  struct sums sums = add_up(span);
  char *known = paths_name(paths, span.begin->file);
  const char *name = known ? known : span.begin->file;
  size_t size = lcov_folder(name);
  fputs("<package", stream);
  put_attribute("name", size ? name : ".", size ? size : 1, stream);
  put_rates(&sums, stream);
  fputs(" complexity=\"0\">\n<classes>\n", stream);
  while (span.begin != span.end) {
    struct span class = {span.begin, span.begin};
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
  struct span all = {lcov->entries, lcov->entries + lcov->count};
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
  put_escaped(here, strlen(here), stream);
  fputs("</source></sources>\n<packages>\n", stream);
  while (all.begin != all.end) {
    struct span package = {all.begin, all.begin};
    while (package.end != all.end &&
           same_folder(package.end->file, package.begin->file))
      package.end++;
    put_package(package, paths, stream);
    all.begin = package.end;
  }
  fputs("</packages>\n</coverage>\n", stream);
}
